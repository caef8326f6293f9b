/** The matches of this user that are over, whoever played them: found by game, player, result and date. */

import { html, useEffect, useRef, useState } from "./vendor/preact.js";
import { get, post } from "./api.js";

const RESULTS = { "": "any result", won: "won", drawn: "drawn", lost: "lost", unfinished: "unfinished" };
const PAGE = 50; // matches that the server lists at once

export function Archive() {
  const [asked, setAsked] = useState({ game: "", player: "", result: "", since: "", until: "" });
  const [entries, setEntries] = useState(null);
  const [more, setMore] = useState(false);
  const [error, setError] = useState("");
  const latest = useRef(0);
  const find = async (before = "") => {
    const mine = ++latest.current;
    try {
      const found = (await get(`/archive?${new URLSearchParams({ ...asked, before })}`)).entries;
      if (mine !== latest.current) return; // another question was asked meanwhile
      setEntries(before ? [...entries, ...found] : found);
      setMore(found.length === PAGE);
      setError("");
    } catch (reason) {
      if (mine === latest.current) setError(reason.message);
    }
  };
  useEffect(() => {
    const timer = setTimeout(find, 250);
    return () => clearTimeout(timer);
  }, [asked]);
  const open = async (number) => {
    try {
      location.hash = `match=${(await post("/records", { number })).match}`;
    } catch (reason) {
      setError(reason.message);
    }
  };
  const field = (name, label, type = "text") =>
    html`<label>${label} <input type=${type} value=${asked[name]} onInput=${(event) => setAsked({ ...asked, [name]: event.target.value })} /></label>`;
  return html`<div class="archive">
    <form class="chooser" onSubmit=${(event) => event.preventDefault()}>
      ${field("game", "Game")}${field("player", "Player")}
      <label>Result <select value=${asked.result} onChange=${(event) => setAsked({ ...asked, result: event.target.value })}>${Object.entries(RESULTS).map(([value, text]) => html`<option value=${value}>${text}</option>`)}</select></label>
      ${field("since", "From", "date")}${field("until", "Before", "date")}
    </form>
    ${error && html`<p class="error" role="alert">${error}</p>`}
    ${entries && !entries.length && html`<p class="waiting">No match fits.</p>`}
    ${entries?.length > 0 && html`<div class="scrolled"><table><thead><tr>${["When", "Game", "Players", "Goals", "Turns", ""].map((title) => html`<th scope="col">${title}</th>`)}</tr></thead>
      <tbody>${entries.map((entry) => html`<tr><td>${new Date(entry.started).toLocaleString()}</td><td>${entry.game}</td><td>${entry.players.join(" – ")}</td><td>${entry.goals.join(" – ") || entry.ending}</td><td>${entry.turns}</td>
        <td><button type="button" onClick=${() => open(entry.number)}>Open</button></td></tr>`)}</tbody></table></div>`}
    ${more && html`<p><button type="button" onClick=${() => find(entries.at(-1).number)}>Earlier ones</button></p>`}
  </div>`;
}
