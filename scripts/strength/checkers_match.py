"""English draughts between strategies on bitboards, on the network of the built-in sheet, and plain alpha-beta.

    python -m scripts.strength.checkers_match boards:uct baseline:7 --games 100 --seconds 0.2
    python -m scripts.strength.checkers_match boards:uct network:uct --games 100

`boards:` and `network:` stand before a strategy as `scripts.strength.match` knows them, on the bitboards and on the
network; `baseline:N` is alpha-beta of depth N with material and capture extension, which takes the time it needs.
On bitboards searches have endgame tables as players have, or none with boards:uct:endgame_pieces=0. What a
strategy learns first it learns in `learn` CPU seconds, as in boards:auto:learn=20. How games are arranged and
counted is said in scripts/common/match_runner.py.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from dataclasses import dataclass
from functools import cache
from typing import Protocol

import numpy as np

from ludens.agent.preparation.budget import TimeBudget
from ludens.agent.preparation.prepare import prepare
from ludens.agent.search.assembly import new_search
from ludens.agent.search.config import SearchConfig
from ludens.agent.search.contract import GameSearch
from ludens.agent.settings.options import PlayerOptions
from ludens.agent.settings.players import read_search
from ludens.games import read
from ludens.games.checkers.bitboards.native_game import NativeCore, pack
from ludens.games.checkers.game import RecognisedCheckers
from ludens.games.checkers.recognition.encoding import Encoding
from ludens.games.checkers.recognition.recognise import recognise
from ludens.games.checkers.rules.positions import Ints, Positions
from ludens.native.core import checkers_baseline_move, pack_bits
from ludens.propnet.base.errors import LudensError
from ludens.propnet.compile.loader import load
from ludens.propnet.network.propnet import Propnet
from scripts.common.match_runner import Outcome, Task, add_arguments, key, opening, play_match, seed_of
from scripts.common.progress import tell
from scripts.common.searching_side import SearchingSide

_RECOGNITION = 30.0  # seconds
_SHEET = "english_draughts"


@dataclass(frozen=True, slots=True)
class DraughtsPosition:
    """Where a game stands: `last` moved before, and `capture` is what it captured; see `Encoding.encode`."""

    position: Positions
    last: Ints
    capture: Ints


class Player(Protocol):
    """Chooses a move of `MoveTable` for the side to move."""

    def choose(self, at: DraughtsPosition) -> int:
        """Returns the move at a position of several moves."""

    def effort(self) -> int:
        """Returns the playouts of an average move."""


class Baseline:
    """Plain alpha-beta."""

    def __init__(self, core: NativeCore, depth: int, seed: int) -> None:
        self._game, self._depth, self._random = core.game, depth, random.Random(seed)

    def choose(self, at: DraughtsPosition) -> int:
        """See `Player`."""
        return checkers_baseline_move(self._game, pack(at.position)[0], self._depth, self._random.getrandbits(63))

    def effort(self) -> int:
        """See `Player`; it plays none."""
        return 0


class OnBoards(SearchingSide):
    """A search on bitboards."""

    def __init__(self, core: NativeCore, search: GameSearch, seconds: float, threads: int) -> None:
        super().__init__(search, seconds, threads)
        self._role = core.role

    def choose(self, at: DraughtsPosition) -> int:
        """See `Player`."""
        return self.best(pack(at.position)[0], int(self._role(at.position)[0]))


class OnNetwork(SearchingSide):
    """A search on the network."""

    def __init__(self, core: NativeCore, encoding: Encoding, search: GameSearch, seconds: float, threads: int) -> None:
        super().__init__(search, seconds, threads)
        self._core, self._encoding = core, encoding

    def choose(self, at: DraughtsPosition) -> int:
        """See `Player`."""
        position = at.position
        state = pack_bits(self._encoding.encode(position, at.last, at.capture))[0]
        best = self.best(state, int(self._core.role(position)[0]))
        numbers = np.flatnonzero(self._core.legal(position)[0])
        moves = self._encoding.network_moves(position[np.zeros(len(numbers), np.int64)], numbers)
        return int(numbers[moves.tolist().index(best)])


def read_side(text: str) -> int | tuple[str, PlayerOptions]:
    """Reads a side: the depth of the baseline, or "boards" or "network" and a search; raises `LudensError`."""
    kind, _, rest = text.partition(":")
    if kind == "baseline" and rest.isdecimal() and int(rest) > 0:
        return int(rest)
    if kind not in ("boards", "network"):
        raise LudensError(f"{text}: expected boards:STRATEGY, network:STRATEGY or baseline:DEPTH")
    return kind, read_search(rest)


class Match:
    """What all games of a match share."""

    def __init__(self, net: Propnet) -> None:
        rules = recognise(net, _RECOGNITION, games=200)
        self.core = NativeCore(rules.rules)
        self._net, self._recognised, self._encoding = net, RecognisedCheckers(net, rules), rules.encoding
        self._prepared: dict[tuple[str, PlayerOptions], SearchConfig] = {}

    def player(self, text: str, seconds: float, seed: int) -> Player:
        """Returns the player that `text` describes; raises `LudensError`."""
        side = read_side(text)
        if isinstance(side, int):
            return Baseline(self.core, side, seed)
        kind, options = side
        search = new_search(self._config(kind, options, seconds), seed)
        if search is None:
            raise LudensError(f"{text}: '{options.strategy}' does not search")
        if kind == "boards":
            return OnBoards(self.core, search, seconds, options.workers)
        return OnNetwork(self.core, self._encoding, search, seconds, options.workers)

    def _config(self, kind: str, options: PlayerOptions, seconds: float) -> SearchConfig:
        """Prepares a player for `learn` CPU seconds, once for all games of a match."""
        if (kind, options) not in self._prepared:
            budget = TimeBudget(options.unclocked_seconds, seconds, seed=1, clock=time.process_time, tell=tell)
            recognised = self._recognised if kind == "boards" else None
            self._prepared[kind, options] = prepare(self._net, options, budget, recognised=recognised)
        return self._prepared[kind, options]

    def initial(self) -> DraughtsPosition:
        """Returns the start of a game."""
        position = self.core.initial(1)
        return DraughtsPosition(position, 1 - position.turn, np.array([-1]))

    def is_over(self, at: DraughtsPosition) -> bool:
        """Says whether nothing is left to play."""
        return bool(self.core.terminal(at.position)[0])

    def legal(self, at: DraughtsPosition) -> list[int]:
        """Returns the legal moves."""
        moves: list[int] = np.flatnonzero(self.core.legal(at.position)[0]).tolist()
        return moves

    def step(self, at: DraughtsPosition, move: int) -> DraughtsPosition:
        """Returns the position after a move."""
        before, numbers = at.position, np.array([move])
        after = self.core.next(before, numbers)
        return DraughtsPosition(after, before.turn, self._encoding.captures(before, numbers))

    def random_step(self, at: DraughtsPosition, rng: random.Random) -> DraughtsPosition:
        """Returns the position after a random move."""
        return self.step(at, rng.choice(self.legal(at)))

    def play(self, task: Task) -> Outcome:
        """Plays one game; in seat 0 the first player has the side that moves up."""
        players = [self.player(text, task.seconds, seed_of(task, i)) for i, text in enumerate(task.players)]
        at, moves = opening(task, self.initial(), self.is_over, self.random_step), 0
        while not self.is_over(at):
            legal = self.legal(at)
            player = players[int(at.position.turn[0]) ^ task.seat]
            move = legal[0] if len(legal) == 1 else player.choose(at)
            at, moves = self.step(at, move), moves + 1
        up, down = self.core.goals(at.position)[0].tolist()
        score = 0.5 + float(up - down) / 200
        return Outcome(
            key(task), score if task.seat == 0 else 1 - score, moves, (players[0].effort(), players[1].effort())
        )


@cache
def match() -> Match:
    """Returns the match that this process plays games of."""
    return Match(load(read(_SHEET)))


def play(task: Task) -> Outcome:
    """Plays one game."""
    return match().play(task)


def main() -> int:
    """Plays the match and prints its summary as JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_arguments(parser, "as in boards:uct, network:uct:lanes=64 or baseline:7", opening_moves=4)
    args = parser.parse_args(namespace=argparse.Namespace(game=_SHEET))
    try:
        for text in (args.first, args.second):
            read_side(text)
        play_match(args, 2, play)
    except LudensError as error:
        print(f"checkers_match: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
