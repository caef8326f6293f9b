/** Who plays a role, as people choose it: themselves, Ludens at a level, any strategy, or a player elsewhere. */

import { html, useState } from "./vendor/preact.js";

export const PERSON = "person";
const LEVELS = 10;

/** What the server tells of players, before it has. */
export const NO_PLAYERS = { strategies: {}, named: [], limit: null };

/** Returns in words who plays; of files the names alone. */
export function playerName(text) {
  if (text === PERSON) return "you";
  const level = text.match(/^auto:level=(\d+)$/)?.[1];
  return level ? `Ludens, level ${level}` : text === "auto" ? "Ludens at full strength" : text.replace(/^.*\/(?=[^/]+\.py:)/, "").replace(/=\/[^,]*\//g, "=");
}

/** Says whether a player thinks for as long as it is given: people and levels do not. */
export function thinksByTime(text) {
  return text !== PERSON && !/[:,]level=/.test(text);
}

/** An input whose text is handed on when it is complete; what is being typed stays, whatever happens meanwhile. */
export function Typed({ value, onChange, ...rest }) {
  const [typed, setTyped] = useState(null);
  const done = (event) => {
    setTyped(null);
    onChange(event.target.value);
  };
  return html`<input ...${rest} value=${typed ?? value} onInput=${(event) => setTyped(event.target.value)} onChange=${done} />`;
}

/** A choice of who plays `role`, among them players that the user has `named`; `onChange` gets a player as the server reads it. */
export function PlayerChoice({ role, value, strategies, named, onChange }) {
  const level = value.match(/^auto:level=(\d+)$/)?.[1];
  const kind = value === PERSON || named.includes(value) ? value : level ? "level" : value.includes("://") ? "address" : "strategy";
  const first = { level: "auto:level=3", strategy: "auto", address: "http://127.0.0.1:9147" };
  const kinds = { person: "A person", level: "Ludens, at a level", strategy: "A strategy", address: "A player elsewhere" };
  return html`<fieldset class="player"><legend>${role}</legend>
    <select aria-label=${`Who plays ${role}`} value=${kind} onChange=${(event) => onChange(first[event.target.value] ?? event.target.value)}>
      ${[...Object.entries(kinds), ...named.map((player) => [player, playerName(player)])].map(
        ([key, text]) => html`<option value=${key} selected=${key === kind}>${text}</option>`,
      )}</select>
    ${kind === "level" && html`<label>Level <input type="range" min="1" max=${LEVELS} value=${level ?? 3} onInput=${(event) => onChange(`auto:level=${event.target.value}`)} /> <output>${level ?? 3}</output></label>`}
    ${kind === "strategy" && html`<${Typed} aria-label=${`Strategy of ${role}, with settings`} list="strategies" value=${value} placeholder="uct:threads=2" onChange=${onChange} />
      <datalist id="strategies">${Object.entries(strategies).map(([name, meaning]) => html`<option value=${name}>${meaning}</option>`)}</datalist>`}
    ${kind === "address" && html`<${Typed} aria-label=${`Address of the player of ${role}`} value=${value} placeholder="http://host:port" onChange=${onChange} />`}
  </fieldset>`;
}
