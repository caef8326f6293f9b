/** The course of a match: what each role could expect at each of its positions. */

import { html } from "./vendor/preact.js";
import { roleTones } from "./pieces.js";
import { expected } from "./review.js";

const [WIDTH, HEIGHT] = [300, 90];

export function Course({ model }) {
  const line = model.line;
  const tones = roleTones(model.roles);
  const known = line.map((number) => expected(model.nodes[number]));
  if (known.filter(Boolean).length < 2) return "";
  const x = (i) => (line.length < 2 ? 0 : (i / (line.length - 1)) * WIDTH);
  const y = (value) => HEIGHT - (value / 100) * HEIGHT;
  const path = (role) => {
    const points = known.map((values, i) => (values && values[role] !== null ? `${x(i).toFixed(1)} ${y(values[role]).toFixed(1)}` : null));
    return `M${points.filter(Boolean).join("L")}`;
  };
  const at = line.indexOf(model.shown);
  const choose = (event) => {
    const box = event.currentTarget.getBoundingClientRect();
    const place = Math.round(((event.clientX - box.left) / box.width) * (line.length - 1));
    model.look(line[Math.max(0, Math.min(line.length - 1, place))]);
  };
  return html`<figure class="graph"><svg viewBox=${`-2 -4 ${WIDTH + 4} ${HEIGHT + 8}`} role="img" aria-label="Expected goals over the match" preserveAspectRatio="none" onClick=${choose}>
    <path class="middle" d=${`M0 ${HEIGHT / 2}H${WIDTH}`} />
    ${model.roles.map((_, role) => html`<path class=${`edge tone-${tones[role]}`} d=${path(role)} /><path class=${`course tone-${tones[role]}`} d=${path(role)} />`)}
    <path class="now" d=${`M${x(at)} 0V${HEIGHT}`} />
  </svg><figcaption>${model.roles.map((role, i) => html`<span><i class=${`tone-${tones[i]}`}></i>${role}</span>`)}</figcaption></figure>`;
}
