"""English draughts between strategies on bitboards, on the network of the built-in sheet, and plain alpha-beta.

    python -m scripts.checkers_strength boards:uct yardstick:7 --games 100 --seconds 0.2
    python -m scripts.checkers_strength boards:uct network:uct --games 100

Every opening, some random moves, is played twice, the sides exchanged. `boards:` and `network:` stand before a
strategy as `scripts.strength` knows them, on the bitboards and on the network; `yardstick:N` is alpha-beta of
depth N with material and capture extension, which takes the time it needs. On bitboards searches have endgame
tables as players have, or none with boards:uct:endgame_pieces=0. What a strategy learns first it learns
in `learn` CPU seconds, as in boards:auto:learn=20.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from dataclasses import replace
from typing import Protocol

import numpy as np

from agent.native_mind import endgames, new_search
from agent.options import PlayerOptions
from agent.preparation import Meta, Prepared, prepare
from agent.roster import LocalPlayer, read_player
from games import read
from games.checkers.encoding import Encoding
from games.checkers.machine import NativeCore, pack
from games.checkers.positions import Ints, Positions
from games.checkers.recognise import recognise
from native.core import Game, Knowledge, Search, checkers_yardstick, pack_bits
from propnet.errors import LudensError
from propnet.loader import load
from propnet.network import Propnet
from scripts import arguments
from scripts.strength import interval

_RECOGNITION = 30.0  # seconds
_SHEET = "english_draughts"


class Player(Protocol):
    """Chooses a move of `MoveTable` for the side to move; `last` and `capture` are those of `Encoding.encode`."""

    def choose(self, position: Positions, last: Ints, capture: Ints) -> int:
        """The move in a single position, of several."""


class Yardstick:
    """Plain alpha-beta."""

    def __init__(self, core: NativeCore, depth: int, seed: int) -> None:
        self._game, self._depth, self._random = core.game, depth, random.Random(seed)

    def choose(self, position: Positions, last: Ints, capture: Ints) -> int:
        """See `Player`."""
        return checkers_yardstick(self._game, pack(position)[0], self._depth, self._random.getrandbits(63))


class OnBoards:
    """A search on bitboards."""

    def __init__(self, core: NativeCore, search: Search, seconds: float) -> None:
        self._role, self._search, self._seconds = core.role, search, seconds

    def choose(self, position: Positions, last: Ints, capture: Ints) -> int:
        """See `Player`."""
        self._search.set_root(pack(position)[0])
        self._search.run(self._seconds)
        known = self._search.root_moves(int(self._role(position)[0]))
        return int(known.moves[known.best])


class OnNetwork:
    """The same on the network."""

    def __init__(self, core: NativeCore, encoding: Encoding, search: Search, seconds: float) -> None:
        self._core, self._encoding, self._search, self._seconds = core, encoding, search, seconds

    def choose(self, position: Positions, last: Ints, capture: Ints) -> int:
        """See `Player`."""
        self._search.set_root(pack_bits(self._encoding.encode(position, last, capture))[0])
        self._search.run(self._seconds)
        known = self._search.root_moves(int(self._core.role(position)[0]))
        numbers = np.flatnonzero(self._core.legal(position)[0])
        moves = self._encoding.network_moves(position[np.zeros(len(numbers), np.int64)], numbers)
        return int(numbers[moves.tolist().index(known.moves[known.best])])


class Match:
    """What both players share."""

    def __init__(self, net: Propnet, seconds: float) -> None:
        self._recognised = recognise(net, _RECOGNITION, make_core=NativeCore, games=200)
        self.core = NativeCore(self._recognised.rules)
        self._encoding, self._network, self._seconds = self._recognised.encoding, Game.from_propnet(net), seconds
        self._prepared: dict[tuple[int, PlayerOptions], Prepared] = {}
        self._endgames: dict[int, Knowledge | None] = {0: None}  # by number of pieces

    def player(self, text: str, seed: int) -> Player:
        """The player that `text` describes; raises LudensError."""
        kind, _, rest = text.partition(":")
        if kind == "yardstick" and rest.isdecimal() and int(rest) > 0:
            return Yardstick(self.core, int(rest), seed)
        if kind not in ("boards", "network"):
            raise LudensError(f"{text}: expected boards:STRATEGY, network:STRATEGY or yardstick:DEPTH")
        local = read_player(rest)
        game = self.core.game if kind == "boards" else self._network
        search = isinstance(local, LocalPlayer) and self._search(game, local.options, seed)
        if not search:
            raise LudensError(f"{text}: '{rest}' does not search")
        if kind == "boards":
            return OnBoards(self.core, search, self._seconds)
        return OnNetwork(self.core, self._encoding, search, self._seconds)

    def _search(self, game: Game, options: PlayerOptions, seed: int) -> Search | None:
        """What the options come to after `learn` CPU seconds of preparation, the same for all games of a match."""
        key = id(game), options
        if key not in self._prepared:
            meta = Meta(options.learn, seed=1, clock=time.process_time, tell=_tell)
            self._prepared[key] = prepare(game, game, options, meta)
        prepared = self._prepared[key]
        options = replace(options, strategy=prepared.strategy)
        known = self._knowledge(options) if game is self.core.game else None
        return new_search(game, options, options.lanes, options.nodes_mb, seed, prepared.evaluation, known)

    def _knowledge(self, options: PlayerOptions) -> Knowledge | None:
        """What endgame tables prove of the game on bitboards; None where there are none to be used."""
        if options.endgame_pieces not in self._endgames:
            self._endgames[options.endgame_pieces] = endgames(self._recognised, options, _tell)
        return self._endgames[options.endgame_pieces]

    def play(self, players: tuple[Player, Player], opening: int, random_moves: int) -> float:
        """The score of the side that moves up, by the first player, after a seeded opening."""
        rng = random.Random(opening)
        position, played = self.core.initial(1), 0
        last, capture = 1 - position.turn, np.array([-1])
        while not self.core.terminal(position)[0]:
            legal = np.flatnonzero(self.core.legal(position)[0])
            if played < random_moves:
                move = int(rng.choice(legal.tolist()))
            elif len(legal) == 1:
                move = int(legal[0])
            else:
                move = players[int(position.turn[0])].choose(position, last, capture)
            numbers = np.array([move])
            last, capture = position.turn, self._encoding.captures(position, numbers)
            position, played = self.core.next(position, numbers), played + 1
        up, down = self.core.goals(position)[0].tolist()
        return 0.5 + float(up - down) / 200


def _tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def main() -> int:
    """Plays the match; one line a game, then the score and its interval at 95 %."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("first")
    parser.add_argument("second")
    parser.add_argument("--games", type=arguments.count, default=100, help="games to play (%(default)s)")
    parser.add_argument("--seconds", type=arguments.seconds, default=0.2, help="time of each move (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of openings and players (%(default)s)")
    parser.add_argument("--opening-moves", type=int, default=4, help="random moves before (%(default)s)")
    args = parser.parse_args()
    try:
        match = Match(load(read(_SHEET)), args.seconds)
        scores: list[float] = []
        for number in range(args.games):
            first, second = (
                match.player(text, number * 2 + i) for i, text in enumerate((args.first, args.second))
            )
            up = match.play(
                (first, second) if number % 2 == 0 else (second, first),
                args.seed + number // 2,
                args.opening_moves,
            )
            scores.append(up if number % 2 == 0 else 1 - up)
            print(f"{number + 1}/{args.games} {args.first} scores {100 * np.mean(scores):.1f} %", file=sys.stderr)
        mean, half = interval(scores, 2)
        counts = [sum(s == value for s in scores) for value in (1, 0.5, 0)]
        print(
            f"{args.first} against {args.second}, {args.seconds} s a move: {100 * mean:.1f} % ± {100 * half:.1f}, "
            f"won {counts[0]}, drawn {counts[1]}, lost {counts[2]}"
        )
    except LudensError as error:
        print(f"checkers_strength: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
