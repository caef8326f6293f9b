"""Compares visits with many random games each with more visits of one game each, to see what a kernel is worth.

    python -m scripts.strength.kernel_worth connect_four kernel:visits=2000,games=64,batch=512 \\
        native:visits=8770 --games 40

Both sides search for so many visits a move, however long that takes, so that a match shows what a GPU of any speed
would be good for where there is none: `kernel` has the random games of a batch of leaves at once played by the native
simulator, two batches being out as in native/kernels/kernel_search.py, and `native` is UCT with one game a visit. By
agent/preparation/kernel_choice.py a visit with k games is worth 3 / (1 + 2 / k) of those with one. How games are
arranged and counted is said in scripts/common/match_runner.py; --seconds means nothing here.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from functools import cache

import numpy as np

from ludens.games.checkers.bitboards.native_game import native_game
from ludens.games.checkers.recognition.recognise import looks_like_checkers, recognise
from ludens.native.core import Game, Leaves, Search, Simulator, States
from ludens.propnet.base.errors import LudensError
from scripts.common import match_runner
from scripts.common.match_runner import Outcome, Task
from scripts.strength.game_position import GamePosition
from scripts.strength.match import further, is_over, legal_moves, network, opening

_MEMORY_BYTES = 256 << 20
_RECOGNITION_SECONDS, _RECOGNITION_GAMES = 30.0, 100
_LANES = 64  # games that the native search has in flight


@dataclass(frozen=True, slots=True)
class Effort:
    """What a side does for a move; `games` 0: the native search."""

    visits: int
    games: int = 0
    batch: int = 1


def read_effort(text: str) -> Effort:
    """Reads the effort that `text` describes; raises `LudensError`."""
    kind, _, rest = text.partition(":")
    try:
        given = {name: int(value) for name, _, value in (part.partition("=") for part in rest.split(","))}
        effort = Effort(**given)
    except (TypeError, ValueError):
        raise LudensError(f"{text}: a side is kernel:visits=N,games=N,batch=N or native:visits=N") from None
    if kind not in ("kernel", "native") or (kind == "kernel") != (effort.games > 0) or min(given.values()) < 1:
        raise LudensError(f"{text}: a side is kernel:visits=N,games=N,batch=N or native:visits=N")
    return effort


class Player:
    """One side."""

    def __init__(self, game: Game, effort: Effort, seed: int) -> None:
        self._effort = effort
        self._search = Search(game, lanes=_LANES, memory_bytes=_MEMORY_BYTES, playouts_per_leaf=1, seed=seed)
        self._simulator = Simulator(game, seed=seed)

    def choose(self, state: States, seat: int) -> int:
        """Returns the move of a seat that has several."""
        self._search.set_root(state)
        if self._effort.games:
            self._search_by_batches()
        else:
            self._search.run(playouts=self._effort.visits)
        known = self._search.root_moves(seat)
        return int(known.moves[known.best])

    def _search_by_batches(self) -> None:
        done, out = 0, None
        while done < self._effort.visits and not self._search.stats().solved:
            leaves = self._search.collect(self._effort.batch)
            self._report(out)
            out, done = leaves, done + max(1, len(leaves.tickets))
        self._report(out)

    def _report(self, leaves: Leaves | None) -> None:
        if leaves is None or not len(leaves.tickets):
            return
        games = self._effort.games
        means = [self._simulator.playouts(games, state=state).goal_means for state in leaves.states]
        self._search.report(leaves.tickets, np.array(means), games)


@cache
def game_of(name: str) -> Game:
    """Returns a game on its fastest core."""
    net = network(name)
    if looks_like_checkers(net):
        return native_game(recognise(net, _RECOGNITION_SECONDS, games=_RECOGNITION_GAMES).rules)
    return Game.from_propnet(net)


def play(task: Task) -> Outcome:
    """Plays one game."""
    game = game_of(task.game)
    simulator = Simulator(game, 64)
    players = [Player(game, read_effort(text), match_runner.seed_of(task, i)) for i, text in enumerate(task.players)]
    position: GamePosition = opening(simulator, task)
    moves = 0
    while not is_over(simulator, position.state):
        legal = legal_moves(simulator, position.state)
        joint = [
            players[seat != task.seat].choose(position.state, seat) if len(legal[seat]) > 1 else legal[seat][0]
            for seat in range(game.roles)
        ]
        position, moves = further(simulator, position, joint), moves + 1
    goals = simulator.goals(position.state)[0]
    score = 0.5 + float(goals[task.seat] - goals[1 - task.seat]) / 200
    efforts = [read_effort(text) for text in task.players]
    return Outcome(match_runner.key(task), score, moves, (efforts[0].visits, efforts[1].visits))


def main() -> int:
    """Plays the match and prints its summary as JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game", help="a built-in game of two roles that take turns")
    match_runner.add_arguments(parser, "kernel:visits=N,games=N,batch=N or native:visits=N", opening_moves=4)
    args = parser.parse_args()
    try:
        for text in (args.first, args.second):
            read_effort(text)
        match_runner.play_match(args, 2, play)
    except LudensError as error:
        print(f"kernel_worth: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
