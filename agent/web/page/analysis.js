/** What Ludens thinks of a position: who is ahead, which moves it considers, and how the match has gone. */

import { html, useEffect, useRef, useState } from "./vendor/preact.js";
import { Course } from "./course.js";
import { acting, moveNames } from "./move_names.js";
import { roleTones } from "./pieces.js";
import { costliest, share } from "./review.js";

const SHOWN = 8; // candidates
const LINE_SHOWN = 6; // joint moves
const PAUSE_MS = 200; // of looking through positions, until one is thought about

export function Analysis({ model, game, order, connected }) {
  const [on, setOn] = useState(false);
  const asked = useRef(null);
  const shown = model.shown;
  const reviewing = Boolean(model.reviewed);
  useEffect(() => {
    const others = asked.current === shown && model.analysing !== null; // in another tab, which asked after this one
    if (!on || !connected || reviewing || model.analysing === shown || others) return;
    const timer = setTimeout(() => {
      asked.current = shown;
      order("analyse", { on: true, node: shown });
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [on, shown, connected, reviewing, model.analysing]);
  useEffect(() => setOn(false), [model.failures]); // nothing will come
  const toggle = () => {
    if (on) order("analyse", { on: false });
    asked.current = null;
    setOn(!on);
  };
  const names = moveNames(game);
  const thoughts = model.node.analysis;
  const costs = costliest(model);
  const review = model.reviewed;
  return html`<section class="analysis" aria-label="Analysis">
    <p class="buttons"><button type="button" aria-pressed=${on} onClick=${toggle}>Analysis</button>
      <button type="button" disabled=${Boolean(review) || model.line.length < 2} onClick=${() => order("review", { node: model.tip })}>Go through the match</button>
      ${review && html`<progress aria-label="Positions gone through" max=${review[1]} value=${review[0]}></progress>`}</p>
    ${on && !thoughts && html`<p class="waiting" role="status">${model.node.goals ? "The game is over here: there is nothing to think about." : "Ludens begins to think about this position …"}</p>`}
    ${thoughts && html`<${Bar} model=${model} thoughts=${thoughts} />
      <p class="speed">${thoughts.playouts.toLocaleString("en")} games${thoughts.rate ? `, ${thoughts.rate.toLocaleString("en")} a second` : ""}${thoughts.proven ? ", proven" : ""}</p>
      ${model.node.choosers.length ? html`<${Candidates} model=${model} thoughts=${thoughts} names=${names} />` : html`<p>There is only one move here.</p>`}
      ${thoughts.line.length > 0 && html`<p class="expected">Expected: ${thoughts.line.slice(0, LINE_SHOWN).map((joint) => inWords(joint, names)).join(", ")}</p>`}`}
    <${Course} model=${model} />
    ${costs.length > 0 && html`<h2>Costliest moves</h2><ol class="costs">${costs.map((cost) => html`<li><button type="button" class="plain" onClick=${() => model.look(cost.before)}>
      <b>${cost.step}. ${names(cost.role, cost.move)}</b> of ${model.roles[cost.role]} cost ${cost.loss.toFixed(0)} points${cost.better && cost.better !== cost.move ? `; ${names(cost.role, cost.better)} was better` : ""}</button></li>`)}</ol>`}
  </section>`;
}

/** The moves that are considered, the most visited first. */
function Candidates({ model, thoughts, names }) {
  return html`<table><thead><tr><th scope="col">Move</th><th scope="col">Value</th><th scope="col">Visits</th></tr></thead>
    <tbody>${thoughts.candidates.slice(0, SHOWN).map((candidate) => html`<tr>
      <td>${model.node.choosers.length > 1 ? html`<small>${model.roles[candidate.role]}</small> ` : ""}${names(candidate.role, candidate.move)}</td>
      <td>${candidate.value === null ? "–" : candidate.value.toFixed(candidate.proven ? 0 : 1)}${candidate.proven ? " ✓" : ""}</td><td>${candidate.visits.toLocaleString("en")}</td></tr>`)}</tbody></table>`;
}

/** A joint move by what its roles do. */
function inWords(joint, names) {
  return acting(joint).map(({ role, text }) => names(role, text)).join(" / ") || "noop";
}

/** The part of each role in what there is to win. */
function Bar({ model, thoughts }) {
  const parts = share(thoughts.values ?? []);
  if (!parts.length) return "";
  const tones = roleTones(model.roles);
  const words = model.roles.map((role, i) => `${role} ${Math.round(thoughts.values[i] ?? 0)}`).join(", ");
  let from = 0;
  return html`<div class="bar" role="img" aria-label=${`Expected goals: ${words}`}><svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
    ${parts.map((part, i) => {
      const x = from;
      from += part * 100;
      return html`<rect class=${`tone-${tones[i]}`} x=${x} y="0" width=${part * 100} height="8" />`;
    })}</svg><span>${words}</span></div>`;
}
