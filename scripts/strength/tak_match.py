"""Measures which of two players of Tak is stronger, on the native game core; or which of two trainings learned more.

    python -m scripts.strength.tak_match 5 tak-5/weights.td uct:iterations=1000 --games 100 --out games.jsonl
    python -m scripts.strength.tak_match 5 tak-5/weights.td@3 tak-5/weights-0050000.td@3

A player is one of

    random        any legal move
    FILE.td       alpha-beta with the weights of a file, 2 plies deep; FILE.td@3 looks 3 plies ahead
    uct:iterations=1000
                  UCT with so many random games a move; any other strategy of `ludens tei` likewise
    uct           ... with --seconds of CPU time a move
    td            alpha-beta as deep as the time allows, likewise; td:weights=FILE.td judges positions by the
                  network of a file, td:weights=shipped by the one that comes with Ludens;
                  with solver_share=0 it looks for no forced wins by roads; iterations=N limits it to so many
                  positions a move in place of the time, threads=N and nodes_mb=N are its other settings
    tei:COMMAND   a program that speaks the Tak engine interface, with --seconds a move by the wall clock
    FILE.npz      guided search with the evaluation that scripts.strength.tak_guided has learned, likewise

Where one of them is a program both go by the wall clock. A program that makes a move that is not legal has lost. How
games are arranged and counted is said in scripts/common/match_runner.py. Games of 200 plies are draws.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Protocol

from ludens.agent.preparation.prepare_untimed import prepare_on_core
from ludens.agent.search.assembly import new_search
from ludens.agent.search.config import SearchConfig
from ludens.agent.search.contract import GameSearch
from ludens.agent.search.strategy_choice import GUIDED
from ludens.agent.settings.options import PlayerOptions
from ludens.agent.settings.players import read_search
from ludens.agent.settings.strategies import AUTO
from ludens.agent.tak.tei import read_strategy
from ludens.games.tak.native_game import native_game, pack
from ludens.games.tak.notation.ptn import read_move
from ludens.games.tak.notation.tps import write_tps
from ludens.games.tak.on_core import STRATEGY, TakOnCore
from ludens.games.tak.rules.parameters import Move, TakError, TakRules
from ludens.games.tak.rules.reference import Position, after, first_position, legal_moves, outcome
from ludens.games.tak.temporal_differences.weights_file import SUFFIX, read_weights
from ludens.native.core import Evaluation, Search
from ludens.native.strategies import STRATEGIES
from ludens.propnet.base.errors import LudensError
from scripts.common import match_runner
from scripts.common.match_runner import Outcome, Task
from scripts.common.tei_engine import TeiEngine
from scripts.strength import evaluation_match

_DEPTH = 2
_MOST_PLIES = 200
_MEMORY_MB = 64
_LANES = 64  # of searches of so many iterations, since games side by side do not learn from each other
_PROGRAM = "tei:"
_TD_SETTINGS = ("weights", "solver_share", "iterations", "threads", "nodes_mb")

Clock = Callable[[], float]


class Player(Protocol):
    """One side of a game."""

    def choose(self, position: Position) -> Move:
        """Returns a move in a position that is not over."""


class RandomPlayer:
    """Makes any legal move."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def choose(self, position: Position) -> Move:
        """See `Player`."""
        return self._random.choice(legal_moves(position))


class TrainedPlayer:
    """Alpha-beta to a fixed depth with trained weights; notes how long each answer took."""

    def __init__(self, rules: TakRules, path: Path, depth: int) -> None:
        """Raises `LudensError`."""
        self._rules, weights = rules, read_weights(path, rules.size).weights
        memory = _MEMORY_MB << 20
        self._search = Search(native_game(rules), strategy="td", td_weights=weights, depth=depth, memory_bytes=memory)
        self.seconds: list[float] = []
        self.positions: list[int] = []

    def choose(self, position: Position) -> Move:
        """See `Player`."""
        before, began = self._search.stats().playouts, time.process_time()
        self._search.set_root(pack(position))
        self._search.run()
        self.seconds.append(time.process_time() - began)
        self.positions.append(self._search.stats().playouts - before)
        return best_move(self._search, self._rules, position)


class SearchingPlayer:
    """The search of a player, with so many iterations a move or, if that is 0, so many seconds."""

    def __init__(
        self, rules: TakRules, config: SearchConfig, iterations: int, seconds: float, seed: int, clock: Clock
    ) -> None:
        """Makes the search; CPU seconds are those of each thread. Raises `NativeError`."""
        self._rules, self._iterations, self._seconds, self._clock = rules, iterations, seconds, clock
        self._threads = config.threads if clock is time.process_time else 1
        search = new_search(config, seed)
        assert search is not None, config.strategy
        self._search = search

    def choose(self, position: Position) -> Move:
        """See `Player`."""
        self._search.set_root(pack(position))
        if self._iterations:
            self._search.run(playouts=self._iterations)
        else:
            match_runner.think(self._search, self._seconds, self._threads, self._clock)
        return best_move(self._search, self._rules, position)


class ProgramPlayer:
    """A program that speaks the Tak engine interface, with so many seconds a move."""

    def __init__(self, rules: TakRules, command: str, seconds: float) -> None:
        """Starts the program; raises `LudensError`."""
        self._engine, self._limits = TeiEngine(command), f"movetime {round(1000 * seconds)}"
        self._engine.begin(rules.size)

    def choose(self, position: Position) -> Move:
        """See `Player`; raises `TakError` for a text that is no legal move."""
        text, _ = self._engine.think_about(f"tps {write_tps(position)}", self._limits)
        return read_move(position, text)

    def close(self) -> None:
        """Ends the program."""
        self._engine.close()


def best_move(search: GameSearch, rules: TakRules, position: Position) -> Move:
    """Returns the move that a search plays at its root, which is this position."""
    known = search.root_moves(position.turn)
    move = rules.move(int(known.moves[known.best]))
    assert move is not None
    return move


def read_player(text: str, rules: TakRules, seconds: float, seed: int, clock: Clock = time.process_time) -> Player:
    """Returns the player that a text names; raises `LudensError`."""
    if text.startswith(_PROGRAM):
        return ProgramPlayer(rules, text.removeprefix(_PROGRAM), seconds)
    if text == "random":
        return RandomPlayer(seed)
    names_file = text.partition(":")[0] not in (AUTO, *STRATEGIES)
    path, _, depth = text.partition("@")
    if names_file and path.endswith(SUFFIX):
        return TrainedPlayer(rules, Path(path), _number(depth, text) if depth else _DEPTH)
    if names_file and text.endswith(".npz"):
        evaluation = Evaluation(evaluation_match.read(Path(text)))
        guided = replace(_prepared(rules, read_search(GUIDED)), strategy=GUIDED, evaluation=evaluation)
        return SearchingPlayer(rules, guided, 0, seconds, seed, clock)
    options = _settings(text)
    return SearchingPlayer(rules, _prepared(rules, options), options.iterations, seconds, seed, clock)


def _settings(text: str) -> PlayerOptions:
    """Returns the settings of a search; raises `LudensError`, for settings that it could not heed too."""
    options = read_strategy(text)
    heeded = {name: getattr(options, name) for name in _TD_SETTINGS}
    if options.strategy in (AUTO, STRATEGY) and options != replace(read_search(options.strategy), **heeded):
        raise LudensError(f"{text}: here {options.strategy} has no settings but {', '.join(_TD_SETTINGS)}")
    if options.seed:
        raise LudensError(f"{text}: the seed of a search follows from that of the match")
    return options


@cache
def _prepared(rules: TakRules, options: PlayerOptions) -> SearchConfig:
    """Settles how Tak is searched, once for all games of this process; raises `LudensError`.

    A search of so many iterations depends on nothing but its seed.
    """
    config = prepare_on_core(TakOnCore(rules), options)
    if not options.iterations:
        return config
    return replace(config, lanes=config.lanes or _LANES, playouts_per_leaf=config.playouts_per_leaf or 1)


def _number(digits: str, text: str) -> int:
    if not digits.isdecimal() or int(digits) < 1:
        raise TakError(f"{text}: {digits!r} is no whole number above 0")
    return int(digits)


@dataclass(frozen=True, slots=True)
class TakTask(Task):
    """One game of Tak on a board of a size."""

    size: int = 5


def play(task: Task) -> Outcome:
    """Plays one game; raises `LudensError`."""
    assert isinstance(task, TakTask)
    rules = TakRules(task.size)
    clock = time.monotonic if any(text.startswith(_PROGRAM) for text in task.players) else time.process_time
    players = [
        read_player(text, rules, task.seconds, match_runner.seed_of(task, place), clock)
        for place, text in enumerate(task.players)
    ]
    try:
        return played(task, players, first_position(rules))
    finally:
        for player in players:
            if isinstance(player, ProgramPlayer):
                player.close()


def played(task: Task, players: Sequence[Player], position: Position) -> Outcome:
    """Plays a game from its opening to the end, or until a program makes a move that is not legal."""
    position = match_runner.opening(task, position, is_over, random_step)
    while not is_over(position):
        place = int(position.turn != task.seat)
        try:
            position = after(position, players[place].choose(position))
        except TakError:
            if not isinstance(players[place], ProgramPlayer):
                raise
            faults = (1, 0) if place == 0 else (0, 1)
            return Outcome(match_runner.key(task), float(place), position.ply, (0, 0), faults)
    return Outcome(match_runner.key(task), score(position, task.seat), position.ply, (0, 0))


def is_over(position: Position) -> bool:
    """Whether a game is over, or too long."""
    return position.ply >= _MOST_PLIES or outcome(position) is not None


def random_step(position: Position, rng: random.Random) -> Position:
    """Makes any legal move."""
    return after(position, rng.choice(legal_moves(position)))


def score(position: Position, seat: int) -> float:
    """Returns the score of a side at the end."""
    end = outcome(position)
    return 0.5 if end is None or end.winner is None else float(end.winner == seat)


def new_task(size: int, **fields: Any) -> TakTask:
    """Makes a task of a match on a board of a size."""
    return TakTask(size=size, **fields)


def main() -> int:
    """Plays the match and prints its summary."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("size", type=int, help="squares on a side of the board")
    match_runner.add_arguments(parser, "a player, see above", opening_moves=4)
    args = parser.parse_args()
    args.game = f"tak_{args.size}"
    try:
        match_runner.play_match(args, 2, play, lambda **fields: new_task(args.size, **fields))
    except LudensError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
