/**
 * Draws the positions of any game, and takes moves by clicks, drags and keys.
 *
 * What a game looks like comes as a GameView, and what stands where as a PositionView (games/view/README.md); nothing
 * here knows a game. A board that may be played on fires `move` with `detail: {role, move}`, where `move` is the index
 * of the move among those of the role.
 */

import { annotationMarkup } from "./annotations.js";
import { Choice, same } from "./choice.js";
import { Geometry, UNIT } from "./geometry.js";
import { Moves, stackOf } from "./moves.js";
import { UPRIGHT_WALL, escapeText, pieceMarkup, roleTones } from "./pieces.js";

const DRAG_PIXELS = 6;
const MOVE_MS = 180;
const FILTERED_FROM = 9; // so many moves of a list are found by typing
const MOST_LISTED = 300;
const STACK_SHOWN = 6;
const SPREAD_SHOWN = 9;
const SPREAD = ["number", "letter", "card"]; // shapes that hide each other: several on a place stand side by side
const TRACK_REM = 8; // height of a row of a track, at most
const CARDS = "cards"; // the board of moves that lie on no other
const MANY_CHANGES = 24; // from which all pieces are drawn anew
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/**
 * @typedef {object} Annotations
 * @property {(string|null)[]} [last] the joint move that led here, by role
 * @property {object} [before] the PositionView in which it was made
 * @property {{role: number, candidates?: object[], line?: string[][]}} [thoughts] of an engine
 * @property {{role: number, move: string}} [hint]
 */

/**
 * @typedef {object} BoardOptions
 * @property {number[]} [roles] those that may move here; none: the board is only looked at
 * @property {boolean} [flipped] draws boards turned by half
 * @property {boolean} [coordinates]
 * @property {boolean} [animate] false: pieces never glide; else they do where motion is wanted
 */

/** A game on the page. */
export class Board extends EventTarget {
  /**
   * @param {HTMLElement} element that the board fills
   * @param {object} gameView
   * @param {BoardOptions} options
   */
  constructor(element, gameView, options = {}) {
    super();
    this.element = element;
    this.view = gameView;
    this.options = { roles: [], flipped: false, coordinates: true, animate: true, ...options };
    this.tones = roleTones(gameView.roles);
    this.position = null;
    /** @type {Annotations} */
    this.annotations = {};
    this.choice = new Choice([]);
    this.role = null;
    this.moves = new Moves(gameView, null);
    this.markup = new Map(Object.entries(gameView.pieces).map(([key, piece]) => [key, pieceMarkup(piece, this.tones)]));
    this.#build();
  }

  /**
   * Shows a position. What was begun by clicks stays if the position is the one that is shown already.
   * @param {object} position a PositionView
   * @param {Annotations} annotations
   */
  show(position, annotations = {}) {
    const before = this.position;
    const anew = before === null || !sameValue(before, position);
    this.position = position;
    this.annotations = annotations;
    if (anew) {
      this.moves = new Moves(this.view, position);
      this.#begin();
      this.#drawPieces(before);
      this.#drawWalls();
      this.#drawAside();
      this.#tell(this.#lastInWords());
    }
    this.#drawMarks();
  }

  /** Draws other annotations over the same position. */
  annotate(annotations) {
    if (this.position) this.show(this.position, annotations);
  }

  /** Lets these roles move. */
  setRoles(roles) {
    this.options.roles = roles;
    if (this.position) this.#restart();
  }

  /** Draws the boards turned by half, or not. */
  flip(flipped = !this.options.flipped) {
    this.options.flipped = flipped;
    this.#rebuild();
  }

  /** Writes coordinates beside the boards, or not. */
  setCoordinates(shown) {
    this.options.coordinates = shown;
    this.#rebuild();
  }

  /** Takes everything off the page. */
  remove() {
    this.stopped.abort();
    this.element.replaceChildren();
  }

  // ---- What is there once ----

  #build() {
    this.stopped = new AbortController();
    this.element.classList.add("ludens-board");
    const boards = this.view.boards.map((board, index) => this.#boardMarkup(board, index));
    this.element.innerHTML = `<div class="hands"></div><div class="boards">${boards.join("")}</div>
      <div class="choices" role="group" aria-label="Which move is meant" hidden></div>
      <div class="moves"></div><div class="counters"></div>
      <details class="facts"${boards.length ? "" : " open"} hidden><summary></summary><ul></ul></details>
      <p class="spoken" aria-live="polite"></p>`;
    this.svgs = [...this.element.querySelectorAll("svg")];
    // Set by script: the page allows no styles in markup.
    for (const svg of this.svgs) svg.style.maxHeight = svg.dataset.maxHeight ?? "";
    this.places = this.svgs.map((svg) => byPlace(svg.querySelectorAll(".place")));
    this.stacks = this.svgs.map(() => []);
    this.#listen();
  }

  #rebuild() {
    const { position, annotations } = this;
    const focused = this.element.contains(document.activeElement) ? document.activeElement : null;
    const cell = focused?.closest(".place"), board = cell?.closest("svg").dataset.board;
    this.remove();
    this.#build();
    this.position = null;
    if (position) this.show(position, annotations);
    if (cell) this.#goTo(board, Number(cell.dataset.place));
    else if (focused) this.#goBack();
  }

  /** Gives the focus to who has lost it with what had it: to the first move of the list, else to a board. */
  #goBack() {
    (this.element.querySelector(".moves button") ?? this.element.querySelector('.place[tabindex="0"]'))?.focus();
  }

  #boardMarkup(board, index) {
    const geometry = new Geometry(board, this.options.flipped);
    this.geometries = Object.assign(this.geometries ?? [], { [index]: geometry });
    const { left, right, top, bottom } = geometry.bounds;
    const margin = this.options.coordinates && board.style === "squares" ? 36 : 6;
    const box = [left - margin, top - 6, right - left + margin + 6, bottom - top + margin + 6];
    const rows = geometry.rows().map((row) => `<g role="row">${row.map((place) => this.#placeMarkup(geometry, index, place)).join("")}</g>`);
    const columns = Math.max(1, (right - left) / UNIT);
    const low = board.style === "track" ? ` data-max-height="${TRACK_REM * rows.length}rem"` : "";
    return `<svg class="${board.style}${board.checkered ? " checkered" : ""}"${low} data-board="${index}" viewBox="${box.join(" ")}" role="grid"
      aria-label="${escapeText(this.#boardName(index))}" data-columns="${Math.ceil(columns)}">
      ${edgesMarkup(board, geometry)}<g class="places">${rows.join("")}</g>
      <path class="walls"/>
      <g class="coordinates" aria-hidden="true">${this.options.coordinates ? coordinatesMarkup(board, geometry) : ""}</g>
      <g class="under" aria-hidden="true"></g><g class="pieces" aria-hidden="true"></g>
      <g class="over" aria-hidden="true"></g></svg>`;
  }

  #boardName(index) {
    const name = this.view.boards.length > 1 ? `board ${this.view.boards[index].id}` : "board";
    return `${this.view.game ?? "game"}: ${name}`;
  }

  #placeMarkup(geometry, index, place) {
    const board = this.view.boards[index], at = board.places[place], { x, y } = geometry.middles[place];
    const dark = board.checkered && isDark(board, at);
    const style = `place${dark ? " dark" : ""}${at.blocked ? " blocked" : ""}`;
    const cell = at.blocked ? 'aria-hidden="true"' : `role="gridcell" tabindex="-1" aria-label="${escapeText(at.label)}"`;
    return `<g class="${style}" data-place="${place}" ${cell} transform="translate(${x} ${y})">${geometry.outline}</g>`;
  }

  #listen() {
    const signal = this.stopped.signal;
    this.svgs.forEach((svg, board) => {
      svg.addEventListener("pointerdown", (event) => this.#press(event, board), { signal });
      svg.addEventListener("pointermove", (event) => this.#dragOn(event, board), { signal });
      svg.addEventListener("pointerup", (event) => this.#release(event, board), { signal });
      svg.addEventListener("pointercancel", () => this.#dropBack(), { signal });
      svg.addEventListener("keydown", (event) => this.#key(event, board), { signal });
    });
    // Not the drawings: Chromium stops with the tab key at each one that listens for the focus.
    const boards = this.element.querySelector(".boards");
    boards.addEventListener("focusin", (event) => this.#focused(event), { signal });
  }

  // ---- Choosing a move ----

  /** Begins the choice of the next role that may move here. */
  #begin() {
    this.#ask([]);
    const { turn, legal, terminal } = this.position;
    const mine = terminal ? [] : this.options.roles.filter((role) => (legal[role] ?? []).length > 0);
    const forced = turn.length ? null : mine.find((role) => this.moves.legal(role)[0].steps.length) ?? mine[0] ?? null;
    this.role = mine.find((role) => turn.includes(role)) ?? forced;
    this.choice = new Choice(this.role === null ? [] : this.moves.legal(this.role));
    this.#drawList();
  }

  #restart() {
    this.#begin();
    this.#drawAside();
    this.#drawMarks();
  }

  /** Takes a click on a place. */
  #click(board, place) {
    if (this.role === null) return;
    const taken = this.choice.click([board, place]);
    const meant = this.choice.meant;
    const ended = taken === "again" || (taken !== "none" && !this.choice.next.length);
    this.#ask(meant.length > 1 || (meant.length && !ended) ? meant : []);
    this.#drawMarks();
    if (ended && meant.length === 1) this.#play(meant[0].index);
    else this.#tell(this.#choiceInWords(taken));
  }

  #play(move) {
    const role = this.role;
    this.#clear();
    this.dispatchEvent(new CustomEvent("move", { detail: { role, move } }));
  }

  #clear() {
    this.#ask([]);
    this.choice.clear();
    this.#drawMarks();
  }

  /** Offers moves that the same clicks mean; whoever was among such buttons, and no longer is, is back on the board. */
  #ask(moves) {
    const box = this.element.querySelector(".choices");
    const back = box.contains(document.activeElement) && this.choice.path.at(-1);
    box.hidden = moves.length === 0;
    this.#offer(box, moves.map(({ index, choice, label }) => ({ index, text: choice || label })));
    if (moves.length > 1) box.querySelector("button").focus();
    else if (back) this.#goTo(...back);
  }

  /** Lists the moves that no place tells; whoever was among them is so again as soon as there are some. */
  #drawList() {
    const box = this.element.querySelector(".moves");
    this.wasAmong ||= box.contains(document.activeElement);
    this.#fillList(box);
    if (document.activeElement !== document.body) this.wasAmong = false;
    else if (this.wasAmong) box.querySelector("button, input")?.focus({ preventScroll: true });
  }

  #fillList(box) {
    const listed = this.choice.listed.map(({ index, label, text }) => ({ index, text: label || text }));
    if (listed.length < FILTERED_FROM) return this.#offer(box, listed);
    box.innerHTML = '<input type="search" placeholder="Find a move" aria-label="Find a move"><div class="found"></div>';
    const [input, found] = box.children;
    const filter = () => {
      const words = input.value.toLowerCase().split(/\s+/);
      const fitting = listed.filter(({ text }) => words.every((word) => text.toLowerCase().includes(word)));
      this.#offer(found, fitting.slice(0, MOST_LISTED));
      if (fitting.length > MOST_LISTED) found.append(`and ${fitting.length - MOST_LISTED} more: type to find them`);
    };
    input.addEventListener("input", filter);
    filter();
  }

  #offer(box, named) {
    box.replaceChildren(
      ...named.map(({ index, text }) => {
        const button = document.createElement("button");
        button.type = "button";
        button.dataset.move = index;
        button.textContent = text;
        button.addEventListener("click", () => this.#play(index));
        return button;
      }),
    );
    this.#drawHinted();
  }

  /** Marks the button of the move that is hinted at, if there is one. */
  #drawHinted() {
    const { hint } = this.annotations;
    const hinted = hint && hint.role === this.role ? this.moves.find(hint.role, hint.move)?.index : undefined;
    for (const button of this.element.querySelectorAll("button[data-move]")) {
      button.classList.toggle("hinted", Number(button.dataset.move) === hinted);
    }
  }

  // ---- Pointers ----

  #press(event, board) {
    const place = placeAt(event);
    if (place === null || event.button) return;
    this.pressed = { board, place, x: event.clientX, y: event.clientY, dragged: null };
  }

  #dragOn(event, board) {
    if (!(event.buttons & 1)) this.#dropBack(); // let go where the board heard nothing of it
    const pressed = this.pressed;
    if (!pressed || pressed.board !== board || this.role === null) return;
    const far = Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y) > DRAG_PIXELS;
    if (!pressed.dragged && far && !this.#lift(event, board)) return;
    if (!pressed.dragged) return;
    const scale = this.svgs[board].viewBox.baseVal.width / this.svgs[board].getBoundingClientRect().width;
    const [dx, dy] = [(event.clientX - pressed.x) * scale, (event.clientY - pressed.y) * scale];
    const { x, y } = this.geometries[board].middles[pressed.place];
    pressed.dragged.setAttribute("transform", `translate(${x + dx} ${y + dy}) scale(${1.08 * this.geometries[board].scale})`);
  }

  /** Takes up the piece under a pointer, if a move goes on from there; says whether it did. */
  #lift(event, board) {
    const pressed = this.pressed, step = [board, pressed.place], stack = this.stacks[board][pressed.place];
    if (!stack.firstChild || !this.choice.goesOnFrom(step)) return false;
    if (!this.choice.endsAt(step)) this.#click(...step);
    pressed.dragged = stack;
    stack.parentNode.append(stack);
    stack.classList.add("dragged");
    this.svgs[board].setPointerCapture(event.pointerId);
    return true;
  }

  #release(event, board) {
    const pressed = this.pressed;
    if (!pressed) return;
    const dragged = pressed.dragged;
    this.#dropBack();
    const under = document.elementFromPoint(event.clientX, event.clientY)?.closest(".place");
    const place = under && this.element.contains(under) ? Number(under.dataset.place) : null;
    const on = under ? Number(under.closest("svg").dataset.board) : board;
    if (!dragged) {
      if (place === pressed.place && on === pressed.board) this.#click(on, place);
    } else if (place !== null && this.choice.meaning([on, place])) {
      this.#click(on, place);
    } else if (place !== pressed.place) {
      this.#clear();
    }
  }

  /** Puts a dragged piece back on its place. */
  #dropBack() {
    const pressed = this.pressed;
    this.pressed = null;
    if (!pressed?.dragged) return;
    const geometry = this.geometries[pressed.board], { x, y } = geometry.middles[pressed.place];
    pressed.dragged.classList.remove("dragged");
    pressed.dragged.setAttribute("transform", `translate(${x} ${y}) scale(${geometry.scale})`);
  }

  // ---- Keys ----

  #key(event, board) {
    const cell = event.target.closest(".place");
    if (!cell) return;
    const place = Number(cell.dataset.place);
    if (event.key in ARROWS) this.#goTo(board, this.geometries[board].neighbour(place, ...ARROWS[event.key]));
    else if (event.key === "Enter" || event.key === " ") this.#click(board, place);
    else if (event.key === "Escape") this.#clear();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #goTo(board, place) {
    this.places[board][place].focus();
  }

  /** Makes the place that has the focus the one to which tab comes back. */
  #focused(event) {
    const cell = event.target.closest(".place");
    if (!cell) return;
    this.#entry(Number(cell.closest("svg").dataset.board))?.setAttribute("tabindex", "-1");
    cell.setAttribute("tabindex", "0");
  }

  /** Returns the place of a board that tab comes to. */
  #entry(board) {
    return this.places[board].find((cell) => cell?.getAttribute("tabindex") === "0");
  }

  /** Lets tab reach each board: where a move may begin, else at its first place. */
  #openToTab() {
    this.places.forEach((cells, board) => {
      if (this.#entry(board)) return;
      const start = this.choice.starts.find(([b]) => b === board)?.[1];
      const open = this.view.boards[board].places.findIndex((place) => !place.blocked);
      cells[start ?? open]?.setAttribute("tabindex", "0");
    });
  }

  // ---- Drawing a position ----

  #drawPieces(before) {
    const moved = [];
    this.view.boards.forEach((_, board) => {
      const now = this.position.boards[board], old = before?.boards[board] ?? null;
      const changed = now.flatMap((content, place) => (old && sameContent(old[place], content) ? [] : [place]));
      if (!old || changed.length > MANY_CHANGES) return this.#drawAllPieces(board);
      for (const place of changed) {
        this.stacks[board][place].innerHTML = this.#stackMarkup(now[place], board);
        moved.push({ board, place, old: old[place], content: now[place], scale: this.geometries[board].scale });
      }
    });
    if (this.options.animate && moved.length && motionWanted()) this.#glide(moved);
  }

  /** Draws all pieces of a board at once, which takes a browser less than one by one. */
  #drawAllPieces(board) {
    const { middles, scale } = this.geometries[board];
    const layer = this.svgs[board].querySelector(".pieces");
    const stacks = this.position.boards[board].map((content, place) => {
      const { x, y } = middles[place];
      const sized = scale === 1 ? "" : ` scale(${scale.toFixed(3)})`;
      return `<g class="stack" data-place="${place}" transform="translate(${x} ${y})${sized}">${this.#stackMarkup(content, board)}</g>`;
    });
    layer.innerHTML = stacks.join("");
    this.stacks[board] = [...layer.children];
  }

  #drawWalls() {
    const walls = this.position.walls ?? [];
    this.svgs.forEach((svg, index) => {
      const here = walls.filter(([[board]]) => board === index).map((wall) => wall.map(([, place]) => place));
      svg.querySelector(".walls").setAttribute("d", wallsPath(here, this.geometries[index]));
    });
  }

  #stackMarkup(content, board) {
    const keys = stackOf(content);
    if (!keys.length) return "";
    if (keys.length > 1 && keys.some((key) => SPREAD.includes(this.#piece(key).shape))) {
      return this.#spreadMarkup(keys, this.view.boards[board].style === "track");
    }
    const shown = keys.slice(-STACK_SHOWN), lift = shown.length > 1 ? Math.min(14, 60 / shown.length) : 0;
    const pieces = shown.map((key, i) => {
      const markup = i && this.#piece(key).shape === "wall" ? UPRIGHT_WALL : this.#pieceMarkup(key);
      if (!lift) return markup;
      return `<g transform="translate(0 ${(20 - i * lift).toFixed(1)}) scale(0.8)">${markup}</g>`;
    });
    const height = keys.filter((key) => !["wall", "mark"].includes(this.#piece(key).shape)).length;
    const count = height > 2 ? `<text class="height" x="44" y="-30">${height}</text>` : "";
    return `<g class="gliding">${pieces.join("")}${count}</g>`;
  }

  /** Pieces side by side, in as many rows as columns; those of a tower above each other. */
  #spreadMarkup(keys, isTower) {
    const shown = isTower ? keys.slice(-SPREAD_SHOWN).reverse() : keys.slice(-SPREAD_SHOWN);
    const columns = isTower ? 1 : Math.ceil(Math.sqrt(shown.length)), rows = Math.ceil(shown.length / columns);
    const side = Math.max(columns, rows), step = (isTower ? 66 : 92) / side, middle = isTower ? -14 : 0; // a name is below
    const scale = Math.min(0.5, step / 66).toFixed(2);
    const pieces = shown.map((key, i) => {
      const x = ((i % columns) - (columns - 1) / 2) * step, y = middle + (Math.floor(i / columns) - (rows - 1) / 2) * step;
      return `<g transform="translate(${x.toFixed(1)} ${y.toFixed(1)}) scale(${scale})">${this.#pieceMarkup(key)}</g>`;
    });
    return `<g class="gliding">${pieces.join("")}</g>`;
  }

  #pieceMarkup(key) {
    return this.markup.get(key) ?? pieceMarkup(this.#piece(key), this.tones);
  }

  /** Returns a piece; what no view knows is shown by its key. */
  #piece(key) {
    return this.view.pieces[key] ?? this.position.pieces?.[key] ?? { shape: "letter", owner: null, text: key };
  }

  /** Lets pieces come from where they vanished. */
  #glide(moved) {
    const left = moved.filter(({ old, content }) => stackOf(old).length > stackOf(content).length || (old && content));
    for (const { board, place, content, scale } of moved) {
      const key = stackOf(content).at(-1);
      if (!key) continue;
      const from = left.find((gone) => gone.board === board && gone.place !== place && stackOf(gone.old).includes(key) && stackOf(gone.content).at(-1) !== key);
      if (!from) continue;
      left.splice(left.indexOf(from), 1);
      const a = this.geometries[board].middles[from.place], b = this.geometries[board].middles[place];
      const shift = `translate(${(a.x - b.x) / scale}px, ${(a.y - b.y) / scale}px)`;
      const stack = this.stacks[board][place];
      stack.parentNode.append(stack);
      stack.firstChild.animate([{ transform: shift }, { transform: "none" }], { duration: MOVE_MS, easing: "ease-out" });
    }
  }

  /** Draws what was chosen, what can be, the last move and the annotations. */
  #drawMarks() {
    const last = this.#lastSteps();
    const path = this.choice.path, next = this.role === null ? [] : this.choice.next, { starts, origins } = this.choice;
    this.view.boards.forEach((board, index) => {
      const on = (steps) => new Set(steps.filter(([b]) => b === index).map(([, place]) => place));
      const [lastOn, pathOn, nextOn, startsOn, originsOn] = [last, path, path.length ? next : [], starts, origins].map(on);
      this.places[index].forEach((cell, place) => {
        if (board.places[place].blocked) return;
        cell.classList.toggle("last", lastOn.has(place));
        cell.classList.toggle("chosen", pathOn.has(place));
        cell.classList.toggle("start", startsOn.has(place));
        cell.classList.toggle("origin", originsOn.has(place));
        cell.setAttribute("aria-label", this.#placeInWords(index, place, lastOn, pathOn, nextOn));
        if (this.role !== null) cell.setAttribute("aria-selected", String(pathOn.has(place)));
        else cell.removeAttribute("aria-selected");
      });
      const geometry = this.geometries[index], svg = this.svgs[index];
      svg.querySelector(".under").innerHTML = [...nextOn].map((place) => this.#targetMarkup(index, place)).join("");
      svg.querySelector(".over").innerHTML = annotationMarkup(index, geometry, this.moves, this.annotations);
    });
    this.#drawHeld();
    this.#drawHinted();
    this.#openToTab();
  }

  /** Returns a dot on a free destination, a ring around one that holds something. */
  #targetMarkup(board, place) {
    const { x, y } = this.geometries[board].middles[place];
    const taken = stackOf(this.position.boards[board][place]).length > 0;
    return `<circle class="${taken ? "capture" : "target"}" cx="${x}" cy="${y}" r="${taken ? 46 : 15}"/>`;
  }

  /** Returns the steps of the last joint move. */
  #lastSteps() {
    const moves = new Moves(this.view, this.annotations.before ?? null);
    return (this.annotations.last ?? []).flatMap((text, role) => moves.find(role, text)?.steps ?? []);
  }

  // ---- Beside the boards ----

  #drawAside() {
    const { hands = [], counters = [], facts = [] } = this.position;
    const handBox = this.element.querySelector(".hands");
    handBox.replaceChildren(...hands.map((hand) => this.#handElement(hand)));
    const counted = counters.map(({ name, value, role }) => `<div><dt>${escapeText(this.#owned(name, role))}</dt><dd>${escapeText(value)}</dd></div>`);
    this.element.querySelector(".counters").innerHTML = counted.length ? `<dl>${counted.join("")}</dl>` : "";
    const others = this.element.querySelector(".facts");
    others.hidden = facts.length === 0;
    others.querySelector("summary").textContent = `What else holds (${facts.length})`;
    others.querySelector("ul").innerHTML = facts.map((fact) => `<li>${escapeText(fact)}</li>`).join("");
  }

  /** Marks the piece in a hand that was taken. */
  #drawHeld() {
    for (const button of this.element.querySelectorAll(".hands button")) {
      button.setAttribute("aria-pressed", String(button.dataset.choice === this.choice.held));
    }
  }

  #owned(name, role) {
    return role === undefined || role === null ? name : `${this.view.roles[role]}: ${name}`;
  }

  #handElement({ role, pieces }) {
    const box = document.createElement("div");
    box.className = "hand";
    const owner = document.createElement("span");
    owner.textContent = this.view.roles[role] ?? "";
    box.append(owner, ...Object.entries(pieces).filter(([, count]) => count > 0).map(([key, count]) => this.#heldElement(role, key, count)));
    return box;
  }

  /** A piece in a hand; a button where taking it narrows the moves down. */
  #heldElement(role, key, count) {
    const names = [key, this.#piece(key).text];
    const choice = role === this.role ? this.choice.legal.map((move) => move.choice).find((name) => name && names.includes(name)) : undefined;
    const element = document.createElement(choice ? "button" : "span");
    element.className = "held";
    element.setAttribute("aria-label", `${count} ${this.#pieceInWords(key)}`);
    element.innerHTML = `<svg viewBox="-50 -50 100 100" aria-hidden="true">${this.#pieceMarkup(key)}</svg><b>×${count}</b>`;
    if (choice) {
      element.type = "button";
      element.dataset.choice = choice;
      element.addEventListener("click", () => {
        this.#ask([]);
        this.choice.hold(choice);
        this.#drawMarks();
      });
    }
    return element;
  }

  // ---- Words ----

  #pieceInWords(key) {
    const piece = this.#piece(key);
    const named = ["letter", "number", "card"].includes(piece.shape) ? piece.text ?? key : piece.shape.replace("chess-", "");
    return piece.owner === null || piece.owner === undefined ? named : `${named} of ${this.view.roles[piece.owner]}`;
  }

  #placeInWords(board, place, last, path, next) {
    const content = stackOf(this.position.boards[board][place]).map((key) => this.#pieceInWords(key));
    const parts = [this.view.boards[board].places[place].label, content.join(" under ") || "empty"];
    if (path.has(place)) parts.push("chosen");
    if (next.has(place)) parts.push("can be chosen");
    if (last.has(place)) parts.push("last move");
    const walled = this.#beyondWalls(board, place).map((other) => this.view.boards[board].places[other].label);
    if (walled.length) parts.push(`wall to ${walled.join(" and ")}`);
    return parts.join(", ");
  }

  /** Returns the places that a wall separates from a place. */
  #beyondWalls(board, place) {
    const isHere = (step) => same(step, [board, place]);
    return (this.position.walls ?? []).filter((wall) => wall.some(isHere)).map((wall) => wall.find((step) => !isHere(step))[1]);
  }

  #choiceInWords(taken) {
    if (taken === "none") return "";
    const [board, place] = this.choice.path.at(-1);
    const count = this.choice.next.length;
    return `${this.view.boards[board].places[place].label}: ${count} ${count === 1 ? "place" : "places"} to go on to`;
  }

  #lastInWords() {
    const before = new Moves(this.view, this.annotations.before ?? this.position);
    const moves = (this.annotations.last ?? []).map((text, role) => {
      const move = before.find(role, text);
      return move?.steps.length ? `${this.view.roles[role]}: ${move.label}` : "";
    });
    return moves.filter(Boolean).join("; ");
  }

  #tell(text) {
    this.element.querySelector(".spoken").textContent = text;
  }
}

/** Says whether a place of a checkered board is dark: where only one colour is played on, that one is. */
function isDark(board, place) {
  const halved = board.places.some(({ blocked }) => blocked);
  return halved ? !place.blocked : (Math.floor(place.x) + Math.floor(place.y)) % 2 === 0;
}

/** The lines between places, where pieces go along them. */
function edgesMarkup(board, geometry) {
  if (board.style !== "graph" && board.style !== "track") return "";
  const lines = (board.edges ?? []).map(([i, j]) => {
    const a = geometry.middles[i], b = geometry.middles[j];
    return `M${a.x} ${a.y}L${b.x} ${b.y}`;
  });
  return `<path class="edges" d="${lines.join("")}"/>`;
}

/** Returns the path of walls between places: lines between the two, across the way from one to the other. */
function wallsPath(walls, geometry) {
  const half = geometry.distance / (geometry.board.style === "hexagons" ? 3.5 : 2);
  const lines = walls.map(([i, j]) => {
    const a = geometry.middles[i], b = geometry.middles[j], length = Math.hypot(b.x - a.x, b.y - a.y);
    const [x, y] = [(a.x + b.x) / 2, (a.y + b.y) / 2];
    const [dx, dy] = [(-(b.y - a.y) / length) * half, ((b.x - a.x) / length) * half];
    return `M${x - dx} ${y - dy}L${x + dx} ${y + dy}`;
  });
  return lines.join("");
}

/** Columns and rows beside squares, the name of each place on other boards. */
function coordinatesMarkup(board, geometry) {
  const { left, bottom } = geometry.bounds;
  const text = (x, y, label) => `<text x="${x}" y="${y}">${escapeText(label)}</text>`;
  if (board.style === "squares") {
    const columns = axis(board, geometry, "x").map(([i, x]) => text(x, bottom + 24, board.columns?.[i] ?? ""));
    const rows = axis(board, geometry, "y").map(([i, y]) => text(left - 20, y + 8, board.rows?.[i] ?? ""));
    return [...columns, ...rows].join("");
  }
  if (board.id === CARDS) return "";
  const below = geometry.distance * (board.style === "graph" ? 0.3 : 0.36);
  return board.places.map(({ label, blocked }, i) => (blocked ? "" : text(geometry.middles[i].x, geometry.middles[i].y + below, label))).join("");
}

/** Returns the columns or rows of squares, and where each is drawn. */
function axis(board, geometry, name) {
  return [...new Map(board.places.map((place, i) => [Math.floor(place[name]), geometry.middles[i][name]]))];
}

function byPlace(elements) {
  const found = [];
  for (const element of elements) found[Number(element.dataset.place)] = element;
  return found;
}

function placeAt(event) {
  const cell = event.target.closest(".place");
  return cell && !cell.classList.contains("blocked") ? Number(cell.dataset.place) : null;
}

function sameContent(a, b) {
  const [old, now] = [stackOf(a), stackOf(b)];
  return a !== undefined && old.length === now.length && old.every((key, i) => key === now[i]);
}

/** Says whether two values of JSON are the same, in whatever order their keys are. */
function sameValue(a, b) {
  if (a === b || typeof a !== "object" || typeof b !== "object" || !a || !b) return a === b;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => sameValue(a[key], b[key]));
}

function motionWanted() {
  return matchMedia("(prefers-reduced-motion: no-preference)").matches;
}
