/** What the analysis of positions says of a match: how it went, and which moves cost most. */

const LEAST = 5; // points
const MOST = 6; // moves

/** Returns the part of each role in the sum of goals that are expected; none while something is unknown. */
export function share(values) {
  const sum = values.reduce((all, value) => all + (value ?? 0), 0);
  if (values.some((value) => value === null) || !values.length) return [];
  if (values.length === 1) return [values[0] / 100, 1 - values[0] / 100];
  return values.map((value) => (sum > 0 ? value / sum : 1 / values.length));
}

/** Returns the goals that roles may expect at a position: those of its end, or of its analysis; null while unknown. */
export function expected(node) {
  if (node.goals) return node.goals;
  return node.analysis?.values?.length ? node.analysis.values : null;
}

/**
 * Returns the moves of the line that is shown which cost the roles that chose them most, by what was expected before
 * and after.
 * @returns {{step: number, before: number, role: number, move: string, better: string, loss: number}[]}
 */
export function costliest(model) {
  const found = [];
  model.line.slice(1).forEach((number, i) => {
    const node = model.nodes[number], parent = model.nodes[node.parent];
    const [was, is] = [expected(parent), expected(node)];
    if (!was || !is) return;
    for (const role of parent.choosers) {
      const loss = (was[role] ?? 0) - (is[role] ?? 0);
      if (loss >= LEAST) found.push({ step: i + 1, before: node.parent, role, move: node.moves[role], better: best(parent, role), loss });
    }
  });
  return found.sort((a, b) => b.loss - a.loss).slice(0, MOST);
}

/** The move of a role that was expected at a position. */
function best({ analysis }, role) {
  const own = analysis.candidates.filter((candidate) => candidate.role === role);
  return own.some(({ move }) => move === analysis.line[0]?.[role]) ? analysis.line[0][role] : own[0]?.move;
}
