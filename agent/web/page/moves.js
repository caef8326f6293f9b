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
    const also = move.also ?? [];
    const steps = this.position?.steps?.[role]?.[index];
    if (!steps) return { ...move, index, also };
    return { ...move, index, steps, also: also.length && move.steps.length ? [move.steps.at(-1), ...also] : also };
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
      const end = this.#free(move, this.#end(move), taken);
      taken.push(end);
      return [...move.steps.slice(0, -1), end];
    });
  }

  /** Returns where a move would end now, by any role's move to the same places. */
  #end(move) {
    const ends = [move.steps.at(-1), ...move.also];
    for (const moves of move.also.length ? this.position?.steps ?? [] : []) {
      const found = Object.values(moves).find((steps) => ends.some((end) => same(end, steps.at(-1))));
      if (found) return found.at(-1);
    }
    return move.steps.at(-1);
  }

  #free(move, end, taken) {
    if (!move.also.length) return end;
    const isFree = (step) => !stackOf(this.position?.boards[step[0]]?.[step[1]]).length && !taken.some((other) => same(other, step));
    const all = [move.steps.at(-1), ...move.also].sort((a, b) => a[1] - b[1]);
    const at = all.findIndex((step) => same(step, end));
    const free = all.filter(isFree).sort((a, b) => Math.abs(all.indexOf(a) - at) - Math.abs(all.indexOf(b) - at));
    return free[0] ?? end;
  }
}

/** Returns what stands on a place, from bottom to top. */
export function stackOf(content) {
  return content === null || content === undefined ? [] : Array.isArray(content) ? content : [content];
}
