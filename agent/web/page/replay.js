/** Replays a match that is part of this page: position by position, with what its players thought. */

import { Board } from "./board.js";
import { graphMarkup, markPosition, positionAt, valuesByRole } from "./graph.js";
import { shortCount } from "./annotations.js";
import { acting } from "./move_names.js";
import { escapeText } from "./pieces.js";

const STEP_MS = 900; // of a match that plays by itself

/** The page of one match. */
class Replay {
  /** @param {{record: object, notice: string, view: object, positions: object[]}} data */
  constructor(data) {
    Object.assign(this, data);
    this.thoughts = this.record.thoughts ?? [];
    this.values = valuesByRole(this.thoughts, this.view.roles.length, this.positions.length);
    this.step = 0;
    this.thinking = true;
    this.timer = null;
    this.#build();
    this.#listen();
    this.go(Number(new URLSearchParams(location.hash.slice(1)).get("step")) || 0);
  }

  get last() {
    return this.positions.length - 1;
  }

  /** Shows the position after so many turns. */
  go(step) {
    this.step = Math.max(0, Math.min(this.last, step));
    const told = this.thoughts[this.step] ?? [];
    const thoughts = told.find(({ candidates }) => candidates?.length) ?? told[0];
    this.board.show(this.positions[this.step], {
      last: this.record.moves[this.step - 1],
      before: this.positions[this.step - 1],
      thoughts: this.thinking ? thoughts : undefined,
    });
    this.slider.value = String(this.step);
    this.slider.setAttribute("aria-valuetext", `after ${this.step} of ${this.last} turns`);
    this.element(".where").textContent = `${this.step} / ${this.last}`;
    this.element(".status").textContent = this.#status();
    this.element(".thoughts").innerHTML = told.map((thought) => this.#thoughtMarkup(thought)).join("");
    for (const item of this.root.querySelectorAll(".turns button")) {
      const here = Number(item.dataset.step) === this.step;
      if (here) item.setAttribute("aria-current", "true");
      else item.removeAttribute("aria-current");
      if (here) keepInSight(this.element(".turns"), item);
    }
    const graph = this.element(".evaluation");
    if (graph) markPosition(graph, this.step, this.positions.length);
    if (this.step === this.last) this.play(false);
  }

  /** Lets the match go on by itself, or stops it. */
  play(on = this.timer === null) {
    clearInterval(this.timer);
    this.timer = on ? setInterval(() => this.go(this.step + 1), STEP_MS) : null;
    const button = this.element('[data-do="play"]');
    button.textContent = on ? "Stop" : "Play";
    button.setAttribute("aria-pressed", String(on));
  }

  element(selector) {
    return this.root.querySelector(selector);
  }

  #build() {
    this.root = document.querySelector("#match");
    const graph = this.values.flat().some((value) => value !== null) ? graphMarkup(this.values, this.view.roles) : "";
    const buttons = [["first", "|◀", "First position"], ["back", "◀", "One turn back"], ["on", "▶", "One turn on"], ["last", "▶|", "Last position"]];
    this.root.className = "match-page replay";
    this.root.innerHTML = `<div class="table">
      <h1>${escapeText(this.view.game.replaceAll("_", " "))}</h1>
      ${this.notice ? `<p class="banner" role="alert">${escapeText(this.notice)}</p>` : ""}
      <div class="board"></div><p class="status" role="status"></p></div>
      <div class="beside"><ul class="players">${this.#players()}</ul>${this.#remarks()}
      <div class="buttons">${buttons.map(([name, sign, label]) => `<button type="button" data-do="${name}" aria-label="${label}" title="${label}">${sign}</button>`).join("")}
      <button type="button" data-do="play" aria-pressed="false">Play</button><span class="where"></span></div>
      <input class="slider" type="range" min="0" max="${this.last}" value="0" aria-label="Position">
      <div class="buttons"><button type="button" data-do="thinking" aria-pressed="true">Thoughts on the board</button>
      <button type="button" data-do="flip">Turn the board</button></div>
      <div class="graph">${graph}</div><div class="thoughts"></div>
      <ol class="turns">${this.record.moves.map((joint, i) => `<li><button type="button" class="plain" data-step="${i + 1}">${escapeText(this.#told(joint, i))}</button></li>`).join("")}</ol></div>`;
    this.slider = this.element(".slider");
    this.board = new Board(this.element(".board"), this.view);
  }

  #listen() {
    const actions = {
      first: () => this.go(0),
      back: () => this.go(this.step - 1),
      on: () => this.go(this.step + 1),
      last: () => this.go(this.last),
      play: () => this.play(),
      flip: () => this.board.flip(),
      thinking: () => this.#toggleThoughts(),
    };
    this.root.addEventListener("click", ({ target }) => {
      const button = target.closest("button");
      if (button?.dataset.do) actions[button.dataset.do]();
      else if (button?.dataset.step) this.go(Number(button.dataset.step));
    });
    this.slider.addEventListener("input", () => this.go(Number(this.slider.value)));
    this.element(".evaluation")?.addEventListener("click", (event) => this.go(positionAt(event.currentTarget, event, this.positions.length)));
    const keys = { ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "last", f: "flip", t: "thinking", p: "play" };
    window.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.target === this.slider || !(event.key in keys)) return;
      if (event.target.closest?.(".place") && event.key.startsWith("Arrow")) return;
      actions[keys[event.key]]();
      event.preventDefault();
    });
  }

  #toggleThoughts() {
    this.thinking = !this.thinking;
    this.element('[data-do="thinking"]').setAttribute("aria-pressed", String(this.thinking));
    this.go(this.step);
  }

  #players() {
    const goals = this.record.goalValues;
    return this.view.roles
      .map((role, i) => `<li><b>${escapeText(role)}</b> ${escapeText(this.record.playerNamesFromHost?.[i] || "someone")}${goals ? ` <b class="goal">${escapeText(goals[i])}</b>` : ""}</li>`)
      .join("");
  }

  /** Returns what the players said of how they play, and why; nothing if they said nothing. */
  #remarks() {
    const remarks = this.record.remarks ?? [];
    if (!remarks.length) return "";
    return `<details class="remarks"><summary>How they play, and why</summary><ul>${remarks.map((remark) => `<li>${escapeText(remark)}</li>`).join("")}</ul></details>`;
  }

  /** Returns a joint move in words: of roles that had a choice, or all that moved. */
  #told(joint, turn) {
    const choosing = this.positions[turn]?.turn ?? [];
    return joint
      .map((text, role) => ({ role, text: this.#label(role, text) }))
      .filter(({ role }) => !choosing.length || choosing.includes(role))
      .map(({ role, text }) => `${this.view.roles[role]} ${text}`)
      .join(", ");
  }

  #label(role, text) {
    return this.board?.moves.find(role, text)?.label ?? this.view.moves[role]?.find((move) => move.text === text)?.label ?? text;
  }

  #status() {
    const position = this.positions[this.step];
    const made = this.step ? `Turn ${this.step}: ${this.#told(this.record.moves[this.step - 1] ?? [], this.step - 1)}` : "The first position";
    if (!position.terminal) return made;
    const goals = this.record.goalValues ?? position.goals ?? [];
    return `${made}. The game is over: ${this.view.roles.map((role, i) => `${role} ${goals[i] ?? "?"}`).join(", ")}`;
  }

  #thoughtMarkup(thought) {
    const value = typeof thought.value === "number" ? `expects ${thought.value.toFixed(1)}${thought.proven ? ", proven" : ""}` : "expects nothing certain";
    const rows = (thought.candidates ?? []).map(
      ({ role, move, visits, value: worth, proven }) =>
        `<tr><td>${escapeText(this.#label(role ?? thought.role, move))}</td><td>${shortCount(visits ?? 0)}</td><td>${typeof worth === "number" ? worth.toFixed(1) : "–"}${proven ? "!" : ""}</td></tr>`,
    );
    const line = (thought.line ?? []).map((joint) => acting(joint).map(({ role, text }) => this.#label(role, text)).join(" / ") || "noop").join(" → ");
    const table = rows.length ? `<table><thead><tr><th>Move</th><th>Visits</th><th>Value</th></tr></thead><tbody>${rows.join("")}</tbody></table>` : "";
    return `<section><h2>${escapeText(this.view.roles[thought.role] ?? "")} ${value}</h2><p>${shortCount(thought.playouts ?? 0)} playouts</p>${table}${line ? `<p class="line">${escapeText(line)}</p>` : ""}</section>`;
  }
}

/** Scrolls a list, and nothing around it, until one of its items is seen. */
function keepInSight(list, item) {
  const box = list.getBoundingClientRect(), own = item.getBoundingClientRect();
  if (own.top < box.top) list.scrollTop -= box.top - own.top;
  if (own.bottom > box.bottom) list.scrollTop += own.bottom - box.bottom;
}

window.replay = new Replay(JSON.parse(document.querySelector("#replay").textContent));
