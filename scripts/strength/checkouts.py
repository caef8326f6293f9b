"""Plays UCT of two checkouts against each other, with equally many random games a move, and prints the scores.

    python -m scripts.strength.checkouts ../before/.venv/bin/python reversi breakthrough --playouts 8000 --games 300

The first argument is the interpreter of the other checkout, in whose environment Ludens is installed. Both search the
network of a built-in game for two roles with one thread, and play each opening of four random moves from both seats. So
it is seen whether a change that makes a search faster makes it choose worse; speeds are compared by
`scripts.bench.pairs`. Nothing depends on the clock: the machine may be busy. The score is that of this checkout.

This file itself is run by the other interpreter, too: what that may lack is imported where only this checkout uses it.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import subprocess
import sys
from contextlib import ExitStack, closing, suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

_OPENING_MOVES = 4
_MEMORY_BYTES = 1 << 27


class Opponent:
    """The search of a checkout, in a process of its own."""

    def __init__(self, python: str, game: str) -> None:
        """Starts it; raises `LudensError` where that fails."""
        command = [python, "-P", str(Path(__file__).resolve()), "--worker", game]
        self._python = python
        try:
            self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        except OSError as error:
            raise _failure(f"cannot start {python}: {error.strerror}") from error

    def network(self) -> str:
        """Returns a digest of the network, in which states and moves have their numbers."""
        return str(self._ask("network"))

    def begin(self, seed: int) -> None:
        """Begins a game with an empty tree."""
        self._ask(seed)

    def move(self, state: Any, role: int, playouts: int) -> int:
        """Returns the move that a search of so many random games chooses in a state [state_words]."""
        return int(self._ask([state.tolist(), role, playouts]))

    def close(self) -> None:
        """Ends the process."""
        self._process.communicate()

    def _ask(self, question: object) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with suppress(BrokenPipeError):
            print(json.dumps(question), file=self._process.stdin, flush=True)
        if not (answer := self._process.stdout.readline()):
            raise _failure(f"the search of {self._python} has ended")
        return json.loads(answer)


def _failure(text: str) -> Exception:
    """Returns a `LudensError`."""
    from ludens.propnet.base.errors import LudensError

    return LudensError(text)


def work(name: str) -> None:
    """Answers what the other process asks, until it asks no more."""
    modules = "games", "native.core", "propnet.compile.loader"
    games, core, loader = (import_module(f"ludens.{module}") for module in modules)
    net = loader.load(games.read(name))
    game = core.Game.from_propnet(net)
    search: Any = None
    answer: Any
    for line in sys.stdin:
        question = json.loads(line)
        if question == "network":
            answer = hashlib.sha256(repr((net.propositions, net.moves, game.initial.tolist())).encode()).hexdigest()
        elif isinstance(question, int):
            search = core.Search(game, threads=1, memory_bytes=_MEMORY_BYTES, seed=question)
            answer = question
        else:
            state, role, playouts = question
            search.set_root(np.array(state, game.initial.dtype))
            search.run(playouts=playouts)
            known = search.root_moves(role)
            answer = int(known.moves[known.best])
        print(json.dumps(answer), flush=True)


def play(game: Any, opponents: list[Opponent], seed: int, playouts: int) -> list[int]:
    """Plays one game, in which the opponents have the roles in this order, and returns its goals."""
    from ludens.native.core import Simulator

    for opponent in opponents:
        opponent.begin(seed)
    simulator, rng, state, moves = Simulator(game, 64), random.Random(seed), game.initial, 0
    while not simulator.terminal(state)[0]:
        joint = []
        for role, legal in enumerate(simulator.legal(state)):
            choices = [int(move) for move in np.flatnonzero(legal[0])]
            searches = len(choices) > 1 and moves >= _OPENING_MOVES
            joint.append(opponents[role].move(state, role, playouts) if searches else rng.choice(choices))
        state, moves = simulator.next(state, np.array([joint], np.int32))[0], moves + 1
    return [int(goal) for goal in simulator.goals(state)[0]]


def scores(before: str, name: str, games: int, playouts: int) -> list[float]:
    """Returns the score, 0 to 1, of this checkout in each game of a match.

    Raises `LudensError` for games that are not of two roles, and where states and moves of both are not the same.
    """
    from ludens.games.rules import find_built_in
    from ludens.native.core import Game
    from ludens.propnet.compile.loader import load

    game, found = Game.from_propnet(load(find_built_in(name).sheet())), []
    if game.roles != 2:
        raise _failure(f"{name} is not played by two roles")
    with ExitStack() as stack:
        own, other = (stack.enter_context(closing(Opponent(python, name))) for python in (sys.executable, before))
        if own.network() != other.network():
            raise _failure(
                f"the networks of {name} differ: the states of one checkout mean something else to the other"
            )
        for number in range(games):
            seats = [own, other] if number % 2 == 0 else [other, own]
            goals = play(game, seats, number // 2, playouts)
            found.append((goals[number % 2] - goals[1 - number % 2] + 100) / 200)
    return found


def main() -> int:
    """Prints a row for each game."""
    if sys.argv[1:2] == ["--worker"]:
        work(sys.argv[2])
        return 0
    from ludens.propnet.base.errors import LudensError
    from scripts.common import arguments
    from scripts.common.match_runner import in_percent

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", metavar="PYTHON", help="interpreter of the other checkout")
    parser.add_argument("games_to_play", nargs="+", metavar="GAME", help="built-in games for two roles")
    parser.add_argument("--playouts", type=arguments.count, default=8000, help="random games a move (%(default)s)")
    parser.add_argument("--games", type=arguments.count, default=100, help="of each match (%(default)s)")
    args = parser.parse_args()
    print("| game | random games a move | games | score |\n|---|---|---|---|")
    try:
        for name in args.games_to_play:
            found = scores(args.before, name, args.games, args.playouts)
            print(f"| {name} | {args.playouts:,} | {len(found)} | {in_percent(found, 2)} |", flush=True)
    except LudensError as error:
        print(f"checkouts: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
