"""Measures how long searches take to prove what to play, in small games and near the end of others.

    python -m scripts.strength.solve_times uct alphabeta
    python -m scripts.strength.solve_times uct alphabeta --games connect_four reversi --left 12 --positions 12
    python -m scripts.strength.solve_times guided:learn=2,threads=2,nodes_mb=2000 --games breakthrough_small

Without --left the start of each game is to be solved. With it so many positions of random games are, that many
plies before the end. Times are seconds on the clock: of preparing, above all learning, and of a search that is
given --limit of them, counted as the limit where it proves nothing.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import dataclass

from ludens.agent.preparation.budget import TimeBudget
from ludens.agent.preparation.prepare import prepare
from ludens.agent.search.assembly import new_search
from ludens.agent.search.contract import GameSearch
from ludens.agent.settings.options import PlayerOptions
from ludens.agent.settings.players import read_search
from ludens.native.core import Game, Simulator, States
from ludens.propnet.base.errors import LudensError
from ludens.propnet.network.propnet import Propnet
from scripts.common import arguments
from scripts.common.progress import tell
from scripts.strength.match import network

_GAMES = ("tic_tac_toe", "nim", "hex_small", "connect_four_three", "breakthrough_small")
_MOVE_SECONDS = 1.0  # of the match that is prepared for
_SLICE = 0.25  # seconds that a search runs before the clock is looked at


@dataclass(frozen=True, slots=True)
class Solved:
    """What became of one position."""

    proven: bool
    seconds: float
    states: int  # made by the search


@dataclass(frozen=True, slots=True)
class Solver:
    """What a search has prepared, and how long that took."""

    search: GameSearch
    seconds: float

    @classmethod
    def prepared(cls, net: Propnet, options: PlayerOptions) -> Solver:
        """Prepares as a player would in `learn` seconds; raises `LudensError`."""
        began = time.monotonic()
        config = prepare(net, options, TimeBudget(options.unclocked_seconds, _MOVE_SECONDS, seed=1, tell=tell))
        search = new_search(config, seed=1)
        if search is None:
            raise LudensError(f"'{options.strategy}' does not search")
        return cls(search, time.monotonic() - began)

    def solve(self, state: States, limit: float) -> Solved:
        """Searches a position until it is proven what to play, or `limit` seconds are over."""
        search, before = self.search, self.search.stats().state_changes
        search.set_root(state)
        began = time.monotonic()
        while not (proven := self._has_proven()) and time.monotonic() - began < limit:
            search.run(min(_SLICE, limit))
        seconds, states = time.monotonic() - began, search.stats().state_changes - before
        return Solved(proven, seconds if proven else limit, states)

    def _has_proven(self) -> bool:
        """Says whether it is known what to play; where all is lost a search may go on all the same."""
        known = [self.search.root_moves(role).proven for role in range(self.search.game.roles)]
        return self.search.stats().solved or bool((max(known, key=len) >= 0).all())


def positions(net: Propnet, left: int, count: int, seed: int) -> list[States]:
    """Returns states of the longest of some random games, `left` plies before their ends; raises `LudensError`."""
    simulator = Simulator(Game.from_propnet(net), seed=seed)
    plays = [moves for moves in simulator.record(max_steps=500) if len(moves) > left]
    if len(plays) < count:
        raise LudensError(f"only {len(plays)} random games last longer than {left} plies")
    states = []
    for moves in sorted(plays, key=len, reverse=True)[:count]:
        state = simulator.game.initial
        for joint in moves[:-left]:
            state = simulator.next(state, joint)[0]
        states.append(state)
    return states


def row(name: str, args: argparse.Namespace, text: str) -> str:
    """Returns a line of the table."""
    net = network(name)
    starts = positions(net, args.left, args.positions, args.seed) if args.left else [Game.from_propnet(net).initial]
    solver = Solver.prepared(net, read_search(text))
    results = [solver.solve(state, args.limit) for state in starts]
    solved = sum(r.proven for r in results)
    seconds, states = sum(r.seconds for r in results), sum(r.states for r in results)
    where = f"{args.left} plies before the end" if args.left else "start"
    counts = f"{solved} of {len(results)} | {solver.seconds:.2f} | {seconds:.2f} | {states:,}"
    return f"| {name} | {where} | `{text}` | {counts} |"


def main() -> int:
    """Prints a table as Markdown."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("searches", nargs="+", help="strategies, as in uct or alphabeta:nodes_mb=256")
    parser.add_argument("--games", nargs="+", default=list(_GAMES), help="built-in games or .kif files (%(default)s)")
    parser.add_argument("--left", type=arguments.count, help="plies before the end of random games")
    parser.add_argument("--positions", type=arguments.count, default=10, help="with --left (%(default)s)")
    parser.add_argument("--limit", type=arguments.seconds, default=10.0, help="seconds a position (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the random games (%(default)s)")
    args = parser.parse_args()
    print("| game | from | search | solved | s to prepare | s to solve in all | states |")
    print("|---|---|---|---|---|---|---|", flush=True)
    try:
        for name in args.games:
            for text in args.searches:
                print(row(name, args, text), flush=True)
    except LudensError as error:
        print(f"solve_times: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
