/** Draws how a match was judged, position by position: a line for each role, of which a click chooses a position. */

import { escapeText, roleTones } from "./pieces.js";

const WIDTH = 600, HEIGHT = 160, MARGIN = 26;
const DASHES = ["", "10 5", "3 4", "12 4 3 4"];

/**
 * Returns the values of each role at each position: what its own player expected, else what another did of it.
 * @param {object[][]} thoughts by position
 * @param {number} roles
 * @param {number} positions
 * @returns {(number|null)[][]} by role
 */
export function valuesByRole(thoughts, roles, positions) {
  return Array.from({ length: roles }, (_, role) =>
    Array.from({ length: positions }, (_, step) => {
      const told = thoughts[step] ?? [];
      const own = told.find((thought) => thought.role === role)?.value;
      return own ?? told.map((thought) => thought.values?.[role]).find((value) => typeof value === "number") ?? null;
    }),
  );
}

/**
 * Returns the markup of the graph.
 * @param {(number|null)[][]} values by role and position
 * @param {string[]} roles
 */
export function graphMarkup(values, roles) {
  const last = Math.max(1, (values[0]?.length ?? 1) - 1);
  const x = (step) => MARGIN + ((WIDTH - 2 * MARGIN) * step) / last;
  const y = (value) => HEIGHT - MARGIN / 2 - ((HEIGHT - MARGIN) * value) / 100;
  const tones = roleTones(roles);
  const lines = values.map((line, role) => {
    const points = line.flatMap((value, step) => (value === null ? [] : [`${x(step).toFixed(1)} ${y(value).toFixed(1)}`]));
    if (!points.length) return "";
    const dots = points.length < 60 ? points.map((point) => `<circle r="3" cx="${point.split(" ")[0]}" cy="${point.split(" ")[1]}"/>`) : [];
    return `<g class="role-line tone-${tones[role]}"><path class="casing" d="M${points.join("L")}"/><path class="curve" stroke-dasharray="${DASHES[role % DASHES.length]}" d="M${points.join("L")}"/>${dots.join("")}</g>`;
  });
  const rules = [0, 50, 100].map(
    (value) => `<path class="rule" d="M${MARGIN} ${y(value)}H${WIDTH - MARGIN}"/><text x="${MARGIN - 4}" y="${y(value) + 4}">${value}</text>`,
  );
  const key = roles.map((role, i) => `<li class="tone-${tones[i]}"><svg viewBox="0 0 40 10" aria-hidden="true"><path class="casing" d="M0 5H40"/><path class="curve" stroke-dasharray="${DASHES[i % DASHES.length]}" d="M0 5H40"/></svg> ${escapeText(role)}</li>`);
  return `<svg class="evaluation" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="What each player expected, over the match">${rules.join("")}${lines.join("")}<path class="now" d="M0 0V${HEIGHT}"/></svg><ul class="key">${key.join("")}</ul>`;
}

/** Moves the mark of the position that is shown. */
export function markPosition(svg, step, positions) {
  const x = MARGIN + ((WIDTH - 2 * MARGIN) * step) / Math.max(1, positions - 1);
  svg.querySelector(".now").setAttribute("d", `M${x.toFixed(1)} 0V${HEIGHT}`);
}

/** Returns the position that a click on the graph means. */
export function positionAt(svg, event, positions) {
  const box = svg.getBoundingClientRect();
  const share = (((event.clientX - box.left) / box.width) * WIDTH - MARGIN) / (WIDTH - 2 * MARGIN);
  return Math.max(0, Math.min(positions - 1, Math.round(share * (positions - 1))));
}
