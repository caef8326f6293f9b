/** Before a match: who plays, and how much time they have. */

import { html, useEffect, useState } from "./vendor/preact.js";
import { get, post } from "./api.js";
import { NO_PLAYERS, PERSON, PlayerChoice, Typed, thinksByTime } from "./players.js";

/** Says that rules are read, for how long they have been, and what happens after the server's limit. */
function Reading({ limit }) {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setSeconds((now) => now + 1), 1000);
    return () => clearInterval(timer);
  }, []);
  return html`<p class="waiting"><span role="status">Ludens reads the rules and plays them at random, to find the board …</span>
    ${seconds > 1 && html` <span>${seconds} s</span>`} ${seconds > 9 && html`<span role="status">Most rules take some seconds.${limit ? ` Where turning them into a network takes more than ${limit} s they are played without one, which is slower.` : ""}</span>`}</p>`;
}

export function Setup({ game }) {
  const [view, setView] = useState(null);
  const [players, setPlayers] = useState([]);
  const [known, setKnown] = useState(NO_PLAYERS);
  const [pace, setPace] = useState({ clocks: false, start_clock: 10, play_clock: 15, delay: 0.5, think: 2 });
  const [error, setError] = useState("");
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    get("/strategies").then(setKnown, () => {});
    get(`/game/${game}`).then((found) => {
      setView(found);
      setPlayers(found.roles.map((_, role) => (role === 0 ? PERSON : "auto:level=3")));
    }, (reason) => setError(reason.message));
  }, [game]);
  const begin = async (event) => {
    event.preventDefault();
    setBusy(true);
    const clocks = pace.clocks ? { start_clock: pace.start_clock, play_clock: pace.play_clock } : {};
    try {
      const { match } = await post("/matches", { game, players, delay: pace.delay, think: pace.think, ...clocks });
      location.hash = `match=${match}`;
    } catch (reason) {
      setError(reason.message);
      setBusy(false);
    }
  };
  const number = (name, text, least = 0) => html`<label>${text} <${Typed} type="number" min=${least} max="86400" step="any" value=${pace[name]}
    onChange=${(typed) => setPace({ ...pace, [name]: Number(typed) })} /> s</label>`;
  if (!view) return html`<main class="setup">${error ? html`<p class="error" role="alert">${error}</p>` : html`<${Reading} limit=${known.limit} />`}</main>`;
  const change = (role, text) => setPlayers(players.map((player, i) => (i === role ? text : player)));
  return html`<main class="setup"><h1>${view.game.replaceAll("_", " ")}</h1>
    ${error && html`<p class="error" role="alert">${error}</p>`}
    <form onSubmit=${begin}>
      <h2>Who plays</h2>
      ${view.roles.map((role, i) => html`<${PlayerChoice} key=${role} role=${role} value=${players[i]} ...${known} onChange=${(text) => change(i, text)} />`)}
      ${view.roles.length > 1 && html`<p><button type="button" onClick=${() => setPlayers([...players.slice(1), players[0]])}>Swap sides</button></p>`}
      <h2>Time</h2>
      <fieldset class="time"><legend class="unseen">Clocks</legend>
        <label><input type="radio" name="clocks" checked=${!pace.clocks} onChange=${() => setPace({ ...pace, clocks: false })} /> No clock</label>
        <label><input type="radio" name="clocks" checked=${pace.clocks} onChange=${() => setPace({ ...pace, clocks: true })} /> With clocks</label>
        ${pace.clocks ? html`${number("start_clock", "To prepare")}${number("play_clock", "For each move", 0.1)}` : players.some(thinksByTime) && number("think", "For each move of a strategy or a player elsewhere", 0.1)}
        ${players.filter((player) => player !== PERSON).length > 1 || players.every((player) => player !== PERSON) ? number("delay", "At least between two moves of engines") : ""}
      </fieldset>
      <p class="buttons"><button class="main" disabled=${busy}>${busy ? "One moment …" : "Begin"}</button></p>
    </form></main>`;
}
