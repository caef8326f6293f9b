/** What can be done with a match: go back, step through it, pause it, ask for a hint, keep it. */

import { html } from "./vendor/preact.js";
import { Typed } from "./players.js";

export function Controls({ model, order, flipped, setFlipped, thoughts, setThoughts }) {
  const line = model.line;
  const place = line.indexOf(model.shown);
  const button = (text, title, action, off = false) =>
    html`<button type="button" title=${title} aria-label=${title} disabled=${off} onClick=${action}>${text}</button>`;
  return html`<section class="controls" aria-label="The course of the match">
    <div class="slider">
      ${button("|◀", "First position", () => model.step(-Infinity), place === 0)}
      ${button("◀", "One position back", () => model.step(-1), place === 0)}
      <input type="range" min="0" max=${line.length - 1} value=${place} aria-label="Position" aria-valuetext=${`${place} of ${line.length - 1}`} onInput=${(event) => model.look(line[Number(event.target.value)])} />
      ${button("▶", "One position on", () => model.step(1), place === line.length - 1)}
      ${button("▶|", "Where the match stands", () => model.look(model.at), model.looked === null)}
    </div>
    <p class="buttons">
      ${!model.watched && html`${model.looked !== null && html`<button type="button" class="main" onClick=${() => order("go", { node: model.shown }).then((done) => done && model.look(model.at))}>Play on from here</button>`}
      <button type="button" disabled=${model.nodes[model.at].parent === null} onClick=${() => order("back")}>Take back</button>
      ${model.mine.length > 0 && html`<button type="button" disabled=${model.chooser === undefined} onClick=${() => order("hint", { role: model.chooser, node: model.shown })}>Hint</button>`}
      <button type="button" aria-pressed=${model.paused} onClick=${() => order("pause", { paused: !model.paused })}>${model.paused ? "Go on" : "Pause"}</button>
      ${model.paused && html`<button type="button" onClick=${() => order("step")}>One move</button>`}`}
      <button type="button" aria-pressed=${flipped} onClick=${() => setFlipped(!flipped)}>Turn the board</button>
      <button type="button" aria-pressed=${thoughts} onClick=${() => setThoughts(!thoughts)}>Thoughts of players</button>
      <a class="button" download=${`${model.name}.json`} href=${`/match/${model.match}/record/${model.tip}`}>Save the record</a>
      <a class="button" download=${`${model.name}.html`} href=${`/match/${model.match}/page/${model.tip}`}>Save as a page</a>
      ${!model.watched && html`<label class="delay">Between moves of engines at least <${Typed} type="number" min="0" max="60" step="0.5" value=${model.pace.delay} onChange=${(text) => order("pace", { delay: Number(text) })} /> s</label>`}
    </p>
  </section>`;
}
