/** Who plays each role, whose turn it is, and how much time is left. */

import { html, useEffect, useState } from "./vendor/preact.js";
import { get } from "./api.js";
import { NO_PLAYERS, PERSON, PlayerChoice, playerName } from "./players.js";

export function Seats({ model, order }) {
  const [now, setNow] = useState(performance.now());
  const [changing, setChanging] = useState(null);
  const [known, setKnown] = useState(NO_PLAYERS);
  const running = Object.keys(model.due).length > 0;
  useEffect(() => {
    if (!running) return;
    const timer = setInterval(() => setNow(performance.now()), 250);
    return () => clearInterval(timer);
  }, [running]);
  useEffect(() => void get("/strategies").then(setKnown, () => {}), []);
  const turns = model.nodes[model.at].goals ? [] : model.nodes[model.at].choosers;
  const apply = () => order("players", { players: changing }).then((done) => done && setChanging(null));
  return html`<section class="seats" aria-label="Players">
    <ul>${model.roles.map((role, i) => html`<li class=${turns.includes(i) && !model.chosen.includes(i) ? "turn" : ""} aria-current=${turns.includes(i) && !model.chosen.includes(i)}>
      <b>${role}</b> <span>${who(model, i)}</span>
      ${model.doing[i] && html`<i title=${model.doing[i]}>${model.doing[i]} …</i>`}
      ${model.due[i] !== undefined && html`<time>${clock(model.due[i] - (now - model.heard) / 1000)}</time>`}
      ${model.nodes[model.at].goals ? html`<output>${model.nodes[model.at].goals[i] ?? "–"}</output>` : model.chosen.includes(i) && turns.includes(i) ? html`<i>has chosen</i>` : ""}
      ${model.seats[i] === PERSON && model.held[i] !== model.you && html`<button type="button" onClick=${() => order("sit", { role: i })}>Play ${role} here</button>`}
    </li>`)}</ul>
    ${model.watched ? "" : changing
      ? html`<div class="change">${model.roles.map((role, i) => html`<${PlayerChoice} key=${role} role=${role} value=${changing[i]} ...${known} onChange=${(text) => setChanging(changing.map((old, j) => (j === i ? text : old)))} />`)}
          <p class="buttons"><button type="button" class="main" onClick=${apply}>Go on like this</button><button type="button" onClick=${() => setChanging(null)}>Leave it</button></p></div>`
      : html`<p class="buttons"><button type="button" onClick=${() => setChanging(model.seats)}>Change players</button>
          ${model.roles.length > 1 && html`<button type="button" onClick=${() => order("swap")}>Swap sides</button>`}
          ${model.seats.includes(PERSON) && html`<button type="button" onClick=${() => order("players", { players: model.seats.map((seat) => (seat === PERSON ? "auto" : seat)) })}>Let Ludens finish</button>`}</p>`}
  </section>`;
}

function who(model, role) {
  const seat = model.seats[role];
  if (seat !== PERSON) return playerName(seat) || "a player elsewhere";
  if (model.held[role] === model.you) return "you";
  return model.held[role] && !model.absent.includes(role) ? "played in another tab" : "nobody is here";
}

function clock(seconds) {
  const left = Math.max(0, Math.ceil(seconds));
  return left < 60 ? `${left} s` : `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`;
}
