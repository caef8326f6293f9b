/**
 * Finds the move that clicks on places mean.
 *
 * A move is a path of steps, each a place of a board. A click takes one step more on the paths of the legal moves; a
 * move is meant when its path is walked and none goes on from there.
 */

/** @typedef {[number, number]} Step a board, and a place on it */
/** @typedef {{index: number, text: string, label: string, steps: Step[], also: Step[], choice?: string}} Move */

export class Choice {
  /** @param {Move[]} legal moves of one role; `also` are places that mean the same as the last step */
  constructor(legal) {
    this.legal = legal;
    /** @type {Step[]} */
    this.path = [];
    /** @type {string|null} what is taken from a hand, as moves name it */
    this.held = null;
  }

  /** The moves whose paths begin with the steps taken. */
  get open() {
    return this.legal.filter((move) => this.#fitsHand(move) && begins(move.steps, this.path));
  }

  /** The moves that are meant by the steps taken, if nothing follows. */
  get meant() {
    return this.path.length ? this.open.filter((move) => move.steps.length === this.path.length) : [];
  }

  /** The moves that no place tells. */
  get listed() {
    return this.legal.filter((move) => move.steps.length === 0);
  }

  /** The places to which the next step may go. */
  get next() {
    return distinct(this.open.map((move) => move.steps[this.path.length]).filter(Boolean));
  }

  /** The places at which a move may begin, each place that means the same included. */
  get starts() {
    const moves = this.legal.filter((move) => move.steps.length && this.#fitsHand(move));
    return distinct(moves.flatMap((move) => (move.steps.length === 1 ? [move.steps[0], ...move.also] : [move.steps[0]])));
  }

  /** The places from which a move leads on to others. */
  get origins() {
    return distinct(this.legal.filter((move) => move.steps.length > 1 && this.#fitsHand(move)).map((move) => move.steps[0]));
  }

  /**
   * Takes a step, or begins anew there, or drops what was begun.
   * @param {Step} place
   * @returns {"step"|"start"|"again"|"none"} "again": on the place where a move ends that could go on
   */
  click(place) {
    const step = this.meaning(place);
    if (step) return this.#take(step, "step");
    if (this.endsAt(place)) {
      if (this.meant.length) return "again";
      this.path = [];
      return "none";
    }
    this.path = [];
    const first = this.meaning(place);
    return first ? this.#take(first, "start") : "none";
  }

  /** Says whether a move goes on from a place that was chosen last, or that a click would choose. */
  goesOnFrom(place) {
    const then = Object.assign(new Choice(this.legal), { path: this.path, held: this.held });
    if (!then.endsAt(place)) then.click(place);
    return then.path.length > 0 && then.next.length > 0;
  }

  /** Says whether the steps taken end at a place. */
  endsAt(place) {
    return this.path.length > 0 && same(this.path.at(-1), place);
  }

  /** Returns the next step that a click on a place means, if any. */
  meaning(place) {
    const depth = this.path.length;
    const direct = this.next.find((step) => same(step, place));
    const ends = (move) => move.steps.length === depth + 1 && move.also.some((step) => same(step, place));
    return direct ?? this.open.find(ends)?.steps[depth];
  }

  /** Takes a piece from a hand, or puts it back. */
  hold(name) {
    this.path = [];
    this.held = this.held === name ? null : name;
  }

  /** Drops what was begun. */
  clear() {
    this.path = [];
    this.held = null;
  }

  #take(step, kind) {
    this.path = [...this.path, step];
    return kind;
  }

  #fitsHand(move) {
    return this.held === null || move.choice === this.held;
  }
}

/** Says whether two steps are the same place. */
export function same(a, b) {
  return a[0] === b[0] && a[1] === b[1];
}

function begins(steps, path) {
  return steps.length >= path.length && path.every((step, i) => same(step, steps[i]));
}

function distinct(steps) {
  return [...new Map(steps.map((step) => [step.join("/"), step])).values()];
}
