/**
 * What is drawn over a board besides its pieces: win rates of candidate moves, the expected line, a hint.
 *
 * Everything is found by the steps of moves; what lies on another board, or on none, is left out.
 */

import { UNIT } from "./geometry.js";
import { escapeText } from "./pieces.js";

const MOST_CANDIDATES = 10;
const MOST_OF_LINE = 6;

/**
 * Returns the markup of annotations on one board.
 * @param {number} board index
 * @param {import("./geometry.js").Geometry} geometry
 * @param {import("./moves.js").Moves} moves of the position
 * @param {object} annotations
 */
export function annotationMarkup(board, geometry, moves, annotations) {
  const place = (steps) => steps.filter(([b]) => b === board).map(([, p]) => geometry.middles[p]);
  const thoughts = annotations.thoughts;
  const parts = [];
  if (thoughts?.line) parts.push(lineMarkup(thoughts.line, moves, place));
  if (thoughts?.candidates) parts.push(candidatesMarkup(thoughts, moves, place));
  if (annotations.hint) parts.push(hintMarkup(annotations.hint, moves, place));
  return parts.join("");
}

/** The expected joint moves: arrows, or numbered rings for moves of one step, the nearest strongest. */
function lineMarkup(line, moves, place) {
  const made = line.slice(0, MOST_OF_LINE).flatMap((joint) => joint.map((text, role) => ({ role, text })));
  let number = 0;
  const marks = moves.steps(made).map((steps) => {
    const points = place(steps);
    if (!points.length) return "";
    number += 1;
    const opacity = (1 - 0.12 * (number - 1)).toFixed(2);
    const label = `<text class="line-number" x="${points.at(-1).x + 30}" y="${points.at(-1).y - 24}">${number}</text>`;
    const shape = points.length > 1 ? arrowMarkup(points, "line-arrow", 9) : ring(points[0], "line-ring", 42);
    return `<g opacity="${opacity}">${shape}${label}</g>`;
  });
  return `<g class="expected">${marks.join("")}</g>`;
}

/** The candidates of a search: where each leads to, with its win rate; the most visited is drawn last, on top. */
function candidatesMarkup(thoughts, moves, place) {
  const most = Math.max(1, ...thoughts.candidates.map(({ visits }) => visits ?? 0));
  const best = new Map();
  for (const candidate of [...thoughts.candidates].sort((a, b) => (b.visits ?? 0) - (a.visits ?? 0)).slice(0, MOST_CANDIDATES)) {
    const points = place(moves.find(candidate.role ?? thoughts.role, candidate.move)?.steps ?? []);
    const end = points.at(-1);
    if (end && !best.has(`${end.x}/${end.y}`)) best.set(`${end.x}/${end.y}`, { candidate, points, end });
  }
  const marks = [...best.values()].map(({ candidate, points, end }, rank) => {
    const share = (candidate.visits ?? 0) / most;
    const opacity = (0.35 + 0.65 * Math.sqrt(share)).toFixed(2);
    const path = points.length > 1 ? arrowMarkup(points, "candidate-arrow", 5 + 9 * share) : "";
    return `<g class="candidate${rank ? "" : " best"}" opacity="${opacity}">${path}${badge(end, candidate)}</g>`;
  });
  return `<g class="candidates">${marks.reverse().join("")}</g>`;
}

function badge({ x, y }, { value, visits, proven }) {
  const rate = value === null || value === undefined ? "?" : `${Math.round(value)}${proven ? "!" : ""}`;
  return `<g transform="translate(${x} ${y})"><circle class="badge" r="34"/><text class="rate" dy="${visits ? "0.05em" : "0.36em"}">${rate}</text>${
    visits ? `<text class="visits" dy="1.5em">${escapeText(shortCount(visits))}</text>` : ""
  }</g>`;
}

function hintMarkup(hint, moves, place) {
  const points = place(moves.find(hint.role, hint.move)?.steps ?? []);
  if (!points.length) return "";
  const shape = points.length > 1 ? arrowMarkup(points, "hint-arrow", 14) : "";
  return `<g class="hint">${shape}${ring(points.at(-1), "hint-ring", 44)}</g>`;
}

function ring({ x, y }, style, radius) {
  return `<circle class="${style}" cx="${x}" cy="${y}" r="${radius}"/>`;
}

/** Returns an arrow along points, with its head drawn by hand: markers would be found by ids of the whole page. */
function arrowMarkup(points, style, width) {
  const end = points.at(-1), from = points.at(-2);
  const length = Math.hypot(end.x - from.x, end.y - from.y) || 1;
  const ux = (end.x - from.x) / length, uy = (end.y - from.y) / length;
  const tip = { x: end.x - ux * 0.1 * UNIT, y: end.y - uy * 0.1 * UNIT };
  const head = Math.min(16 + width, length * 0.6), half = 0.6 * head;
  const neck = { x: tip.x - ux * head, y: tip.y - uy * head };
  const shaft = [...points.slice(0, -1), neck].map(({ x, y }) => `${x.toFixed(1)} ${y.toFixed(1)}`).join("L");
  const corners = [
    tip,
    { x: neck.x - uy * half, y: neck.y + ux * half },
    { x: neck.x + uy * half, y: neck.y - ux * half },
  ];
  const triangle = corners.map(({ x, y }) => `${x.toFixed(1)} ${y.toFixed(1)}`).join("L");
  return `<path class="${style} shaft" stroke-width="${width.toFixed(1)}" d="M${shaft}"/><path class="${style} head" d="M${triangle}Z"/>`;
}

/** Returns a count in at most four characters. */
export function shortCount(count) {
  if (count < 1000) return String(Math.round(count));
  const [scaled, unit] = count < 1e6 ? [count / 1e3, "k"] : [count / 1e6, "M"];
  return `${scaled < 10 ? scaled.toFixed(1) : Math.round(scaled)}${unit}`;
}
