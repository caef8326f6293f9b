/** What a page knows of a match: its tree of positions, where it stands, and which position is looked at. */

import { get } from "./api.js";

export class MatchModel {
  /** @param {string} match @param {() => void} onChange called after every change */
  constructor(match, onChange) {
    this.match = match;
    this.onChange = onChange;
    this.known = false;
    /** @type {object[]} */
    this.nodes = [];
    /** @type {Map<number, object>} what positions look like */
    this.views = new Map();
    this.looked = null; // the position that is looked at; null: the present one
    this.tip = 0; // where the line that is shown ends
    this.asked = new Set();
    this.hintAwaited = null; // the position for which a hint is on its way
    this.sent = new Set(); // roles whose moves are on their way to the server
  }

  /** Takes an event of the server. */
  take(event) {
    if (event.type === "snapshot") this.#begin(event);
    else if (event.type === "node") this.#add(event);
    else if (event.type === "state") this.#stand(event);
    else if (event.type === "thoughts") this.nodes[event.node].thoughts = [...(this.nodes[event.node].thoughts ?? []).filter(({ role }) => role !== event.role), event];
    else if (event.type === "analysis") this.nodes[event.node].analysis = event.analysis;
    else if (event.type === "hint") {
      this.hint = event.move ? event : null; // none was found
      this.hintAwaited = null;
    }
    this.onChange();
  }

  #begin({ match, name, game, roles, nodes, views, state, you }) {
    Object.assign(this, { name, game, roles, you, known: true });
    this.nodes = nodes.map((node, number) => ({ ...node, number, children: [] }));
    for (const { parent, number } of this.nodes) if (parent !== null) this.nodes[parent].children.push(number);
    this.asked = new Set();
    this.views = new Map(Object.entries(views).map(([number, view]) => [Number(number), view])); // others may be numbered anew
    if (this.looked !== null && this.looked >= nodes.length) this.looked = null;
    if (this.tip >= nodes.length) this.tip = 0; // of a match that begins anew
    this.hintAwaited = null; // who asked for it was not there when it came
    this.#stand(state);
    this.#leadOver(this.shown);
  }

  #add({ number, view, ...node }) {
    this.nodes[number] = { ...node, number, children: [] };
    this.nodes[node.parent].children.push(number);
    if (view) this.views.set(number, view);
  }

  /** Takes where the match stands. The line that is shown goes with it if it led there, and leads over what is looked at. */
  #stand(state) {
    const before = this.at, led = this.line.includes(before);
    Object.assign(this, state, { heard: performance.now() });
    if (this.at !== before && this.hint && this.hint.node !== this.at) this.hint = null;
    this.tip = this.#end(this.tip);
    const end = this.#end(this.at);
    if (led && !this.line.includes(this.at) && this.#lineTo(end).includes(this.shown)) this.tip = end;
  }

  /** The end of the line that goes on from a position by the moves made last. */
  #end(number) {
    let end = number;
    while (this.nodes[end].children.length) end = this.nodes[end].children.at(-1);
    return end;
  }

  /** Shows a line that leads over a position: still the same one, if it does. */
  #leadOver(number) {
    if (!this.line.includes(number)) this.tip = this.#end(number);
  }

  /** The numbers of the positions from the first one to this one. */
  #lineTo(last) {
    const found = [];
    for (let number = last; number !== null && number !== undefined; number = this.nodes[number].parent) found.push(number);
    return found.reverse();
  }

  /** The numbers of the positions from the first one to the end of the line that is shown. */
  get line() {
    return this.#lineTo(this.tip);
  }

  /** The number of the position that is looked at. */
  get shown() {
    return this.looked ?? this.at;
  }

  get node() {
    return this.nodes[this.shown];
  }

  /** Looks at a position; at the present one, the page follows the match. */
  look(number) {
    this.looked = number === this.at ? null : number;
    this.#leadOver(number);
    this.onChange();
  }

  /** Looks so many positions on, or back. */
  step(by) {
    const line = this.line;
    const next = line[Math.max(0, Math.min(line.length - 1, line.indexOf(this.shown) + by))];
    this.look(next);
  }

  /** Takes note that a move of a role is on its way: there is no other one before it has arrived. */
  send(role) {
    this.sent.add(role);
    this.onChange();
  }

  /** Takes note that a hint for a position is on its way; null: for none. */
  awaitHint(number) {
    this.hintAwaited = number;
    this.onChange();
  }

  received(role) {
    this.sent.delete(role);
    this.onChange();
  }

  /** What a position looks like; null while that is on its way. */
  view(number) {
    const { views, asked } = this;
    const view = views.get(number);
    if (!view && !asked.has(number)) {
      asked.add(number);
      get(`/match/${this.match}/view/${number}`).then((found) => {
        views.set(number, found);
        this.onChange();
      }, () => {}).finally(() => asked.delete(number));
    }
    return view ?? null;
  }

  /** The role of this tab that has a choice in the position that is looked at, if there is one. */
  get chooser() {
    return this.node.choosers.find((role) => this.mine.includes(role));
  }

  /** The roles that this tab plays. */
  get mine() {
    return this.roles.flatMap((_, role) => (this.seats[role] === "person" && this.held[role] === this.you ? [role] : []));
  }
}
