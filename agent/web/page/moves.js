/**
 * The moves of a game in one of its positions, and the places that they lead over.
 *
 * A position may know more moves and pieces than the game's view, and where a move ends in it (a stone that falls down
 * a column); both are part of what a GameView and a PositionView say.
 */

import { same } from "./choice.js";

export class Moves {
  /**
   * @param {object} view a GameView
   * @param {object|null} position a PositionView
   */
  constructor(view, position) {
    this.position = position;
    this.moves = view.roles.map((_, role) => [...(view.moves[role] ?? []), ...(position?.moves?.[role] ?? [])]);
    this.byText = this.moves.map((moves) => new Map(moves.map((move, index) => [move.text, index])));
  }

  /** Returns a move of a role as it goes in this position. */
  at(role, index) {
    const move = this.moves[role][index];
    const landing = this.position?.landing?.[role]?.[index];
    const also = move.also ?? [];
    if (!landing) return { ...move, index, also };
    return { ...move, index, steps: [...move.steps.slice(0, -1), landing], also: [move.steps.at(-1), ...also] };
  }

  /** Returns the legal moves of a role. */
  legal(role) {
    return (this.position?.legal?.[role] ?? []).map((index) => this.at(role, index));
  }

  /** Returns a move of a role by its text. */
  find(role, text) {
    const index = this.byText[role]?.get(text);
    return index === undefined ? undefined : this.at(role, index);
  }

  /**
   * Returns the steps of moves made one after the other from this position. A move whose last step may lie on several
   * places takes the free one that is nearest to where moves of its kind end now, and that none before it has taken.
   * @param {{role: number, text: string}[]} line
   */
  steps(line) {
    const taken = [];
    return line.map(({ role, text }) => {
      const move = this.find(role, text);
      if (!move?.steps.length) return [];
      const end = this.#free(move, this.#landing(move), taken);
      taken.push(end);
      return [...move.steps.slice(0, -1), end];
    });
  }

  /** Returns where a move would end now, by the landing of any role's move to the same places. */
  #landing(move) {
    const ends = [move.steps.at(-1), ...move.also];
    for (const landings of this.position?.landing ?? []) {
      const found = Object.values(landings).find((step) => ends.some((end) => same(end, step)));
      if (found && move.also.length) return found;
    }
    return move.steps.at(-1);
  }

  #free(move, landing, taken) {
    if (!move.also.length) return landing;
    const isFree = (step) => !stackOf(this.position?.boards[step[0]]?.[step[1]]).length && !taken.some((other) => same(other, step));
    const all = [move.steps.at(-1), ...move.also].sort((a, b) => a[1] - b[1]);
    const at = all.findIndex((step) => same(step, landing));
    const free = all.filter(isFree).sort((a, b) => Math.abs(all.indexOf(a) - at) - Math.abs(all.indexOf(b) - at));
    return free[0] ?? landing;
  }
}

/** Returns what stands on a place, from bottom to top. */
export function stackOf(content) {
  return content === null || content === undefined ? [] : Array.isArray(content) ? content : [content];
}
