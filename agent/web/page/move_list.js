/** The moves of the line that is shown, and where other lines branch off. */

import { html, useEffect, useRef } from "./vendor/preact.js";
import { moveNames } from "./move_names.js";

export function MoveList({ model, game }) {
  const current = useRef(null);
  useEffect(() => {
    const list = current.current?.closest(".move-list"); // which scrolls, and not the page
    if (list) list.scrollTop = current.current.offsetTop - list.clientHeight / 2;
  }, [model.shown, model.tip]);
  const names = moveNames(game);
  return html`<section class="move-list" aria-label="Moves"><ol>
    ${model.line.map((number, step) => {
      const node = model.nodes[number];
      const shown = number === model.shown;
      const others = node.parent === null ? [] : model.nodes[node.parent].children.filter((other) => other !== number);
      return html`<li key=${number} class=${number === model.at ? "at" : ""}>
        <button type="button" class="plain" ref=${shown ? current : null} aria-current=${shown ? "true" : undefined} onClick=${() => model.look(number)}>
          ${step ? html`<span class="number">${step}.</span> ${inWords(model, node, names)}` : "Beginning"}${node.errors ? html` <b class="error" title="a move was replaced">!</b>` : ""}</button>
        ${others.length > 0 && html`<span class="branches">or ${others.map((other) => html`<button type="button" class="plain" onClick=${() => model.look(other)}>${inWords(model, model.nodes[other], names)}</button>`)}</span>`}
      </li>`;
    })}</ol></section>`;
}

/** The moves of those who had a choice. */
function inWords(model, node, names) {
  const choosers = model.nodes[node.parent].choosers;
  const roles = choosers.length ? choosers : node.moves.map((_, role) => role);
  return roles.map((role) => names(role, node.moves[role])).join(" / ");
}
