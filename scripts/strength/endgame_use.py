"""Measures how many draughts positions a search solves in a given CPU time, with endgame tables and without.

    python -m scripts.strength.endgame_use --positions 24 --pieces 5 6 --seconds 0.4

English draughts, one jump a ply, draws after 40 plies without progress; random positions of so many pieces, at
most one piece apart and with a choice of moves, so that the tables of 4 pieces end the search but never answer its
root.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from dataclasses import dataclass

from ludens.games.checkers.bitboards.endgame_tables import endgame_knowledge
from ludens.games.checkers.bitboards.native_game import native_game, pack
from ludens.games.checkers.rules.parameters import CheckersRules, Jumps
from ludens.games.checkers.rules.positions import Positions
from ludens.games.checkers.rules.reference import Position
from ludens.native.core import Game, Knowledge, Search, Simulator, States
from ludens.propnet.base.errors import LudensError
from scripts.common import arguments
from scripts.common.match_runner import think
from scripts.common.progress import tell

_RULES = CheckersRules(jumps=Jumps.BY_PLIES, idle_limit=40)
_SEARCHES = (("uct", 0.0), ("uct", 0.1), ("uct", 0.2), ("alphabeta", 0.0))  # with shares of a solver
_PIECES = 4  # of the tables
_MEMORY = 64 << 20


@dataclass(frozen=True, slots=True)
class Solving:
    """Positions solved, and the CPU seconds that all positions took."""

    solved: int
    cpu: float


def random_states(game: Game, count: int, pieces: list[int], rng: random.Random) -> list[States]:
    """Draws positions in which there is a choice, each as one state."""
    simulator, found = Simulator(game), list[States]()
    while len(found) < count:
        squares = rng.sample(range(32), rng.choice(pieces))
        split = rng.choice((len(squares) // 2, (len(squares) + 1) // 2))
        up, down = set(squares[:split]), set(squares[split:])
        kings = {s for s in squares if rng.random() < 0.4}
        kings |= {s for s in up if s >= 28} | {s for s in down if s < 4}
        mine, yours, crowned = (sum(1 << s for s in group) for group in (up, down, kings))
        state = pack(Positions.of([Position(mine, yours, crowned, turn=rng.randrange(2))]))
        if not simulator.terminal(state)[0] and max(legal.sum() for legal in simulator.legal(state)) > 1:
            found.append(state)
    return found


def solve(
    game: Game, states: list[States], strategy: str, share: float, knowledge: Knowledge | None, seconds: float
) -> Solving:
    """Searches each position afresh, for so many CPU seconds at most."""
    solved, start = 0, time.process_time()
    for state in states:
        search = Search(game, strategy=strategy, solver_share=share, knowledge=knowledge, memory_bytes=_MEMORY, seed=1)
        search.set_root(state[0])
        think(search, seconds)
        solved += search.stats().solved
    return Solving(solved, time.process_time() - start)


def main() -> int:
    """Prints a row for each search."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--positions", type=arguments.count, default=24, help="to be solved (%(default)s)")
    parser.add_argument(
        "--pieces", type=arguments.count, nargs="+", default=[5, 6], metavar="N", help="on the board (5 or 6)"
    )
    parser.add_argument("--seconds", type=arguments.seconds, default=0.4, help="of CPU time for each (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the positions (%(default)s)")
    args = parser.parse_args()
    try:
        game = native_game(_RULES)
        knowledge = endgame_knowledge(_RULES, _PIECES, tell=tell)
        states = random_states(game, args.positions, args.pieces, random.Random(args.seed))
        print(f"{args.positions} positions, {args.seconds} CPU s each\n")
        print("| search | without tables | with tables | CPU s without | with |\n|---|---|---|---|---|")
        for strategy, share in _SEARCHES:
            tell(f"{strategy}, solver_share={share}")
            rows = [solve(game, states, strategy, share, known, args.seconds) for known in (None, knowledge)]
            name = f"{strategy}, `solver_share={share}`" if share else strategy
            print(f"| {name} | {rows[0].solved} | {rows[1].solved} | {rows[0].cpu:.1f} | {rows[1].cpu:.1f} |")
    except LudensError as error:
        print(f"endgame_use: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
