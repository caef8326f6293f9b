/** The names of moves for people. */

const known = new WeakMap();

/** Returns a function of role and GDL text to the name of the move. */
export function moveNames(game) {
  if (!known.has(game)) {
    const names = game.moves.map((moves) => new Map(moves.map(({ text, label }) => [text, label || text])));
    known.set(game, (role, text) => names[role]?.get(text) ?? text);
  }
  return known.get(game);
}

/** Returns role and move of those in a joint move that do more than wait. */
export function acting(joint) {
  return joint.map((text, role) => ({ role, text })).filter(({ text }) => text.toLowerCase() !== "noop");
}
