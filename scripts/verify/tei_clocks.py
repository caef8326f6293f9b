"""Plays Tak with `ludens tei` by the clock while every processor is busy, and tells how late its moves come at worst.

    python -m scripts.verify.tei_clocks                                  # td, with a busy process on each processor
    python -m scripts.verify.tei_clocks td uct --busy 0 --moves 300      # nothing else runs; more moves
    python -m scripts.verify.tei_clocks td --times 20 --clocks 1000+20   # other limits, in milliseconds

Each row is a limit: a time for each move, or clocks of both sides as TIME+INCREMENT, in games of an engine against
itself from random openings. The time of a move counts from `go` to the arrival of `bestmove` here, the delays of this
process included. What is late is what it takes beyond its limit, less than nothing if it has time left; with clocks,
beyond what is left on its clock. The exit status is 0 only if every `go` was answered with a legal move; being late is
for the reader to judge.
"""

from __future__ import annotations

import argparse
import contextlib
import multiprocessing
import os
import random
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from statistics import median

from ludens.agent.settings.processors import processors
from ludens.games.tak.notation.ptn import read_move, write_move
from ludens.games.tak.rules.parameters import TakError, TakRules
from ludens.games.tak.rules.reference import Position, first_position, legal_moves, made, outcome
from ludens.propnet.base.errors import LudensError
from scripts.common.arguments import count
from scripts.common.tables import print_table
from scripts.common.tei_engine import TeiEngine

_COLUMNS = ("player", "limit in ms", "moves", "taken, median", "most", "late at worst", "late moves")
_RANDOM_PLIES = 4


@dataclass
class Timed:
    """What moves under one limit took, in seconds."""

    taken: list[float] = field(default_factory=list)
    late: list[float] = field(default_factory=list)  # beyond the limit; negative: before it

    def add(self, taken: float, allowed: float) -> None:
        """Notes a move."""
        self.taken.append(taken)
        self.late.append(taken - allowed)


class Clocks:
    """Chess clocks of both sides, in seconds; a side that has overstepped goes on with what it gains."""

    def __init__(self, text: str) -> None:
        """Reads TIME+INCREMENT in milliseconds."""
        time, self._gain = (int(part) / 1000 for part in text.split("+"))
        self._left = [time, time]

    def limits(self, turn: int) -> tuple[str, float]:
        """Returns the words behind `go`, and the seconds that who is to move has."""
        words = [f"{name}time {round(1000 * left)}" for name, left in zip("wb", self._left, strict=True)]
        gains = [f"{name}inc {round(1000 * self._gain)}" for name in "wb"]
        return " ".join([*words, *gains]), self._left[turn]

    def press(self, turn: int, taken: float) -> None:
        """Takes the time of a move off, and adds the increment."""
        self._left[turn] = max(0.0, self._left[turn] - taken) + self._gain


class MoveTime:
    """The same time for each move."""

    def __init__(self, text: str) -> None:
        """Reads a number of milliseconds."""
        self._seconds = int(text) / 1000

    def limits(self, _turn: int) -> tuple[str, float]:
        """See `Clocks`."""
        return f"movetime {round(1000 * self._seconds)}", self._seconds

    def press(self, turn: int, taken: float) -> None:
        """See `Clocks`."""


def time_moves(engine: TeiEngine, size: int, limit: str, moves: int, seed: int) -> Timed:
    """Plays games until so many moves were made; raises LudensError for one that is not legal, or none."""
    rng, timed = random.Random(seed), Timed()
    while len(timed.taken) < moves:
        engine.begin(size)
        clocks = Clocks(limit) if "+" in limit else MoveTime(limit)
        position, texts = _opening(TakRules(size), rng)
        while outcome(position) is None and len(timed.taken) < moves:
            words, allowed = clocks.limits(position.turn)
            text, taken = engine.think(texts, words)
            timed.add(taken, allowed)
            clocks.press(position.turn, taken)
            try:
                position = made(position, read_move(position, text))
            except TakError as error:
                raise LudensError(f"after {' '.join(texts)}: {error}") from error
            texts.append(text)
    return timed


def _opening(rules: TakRules, rng: random.Random) -> tuple[Position, list[str]]:
    position, texts = first_position(rules), list[str]()
    for _ in range(_RANDOM_PLIES):
        move = rng.choice(legal_moves(position))
        texts.append(write_move(rules, move))
        position = made(position, move)
    return position, texts


def _spin() -> None:
    """Keeps a processor busy, as long as who started this is there."""
    parent = os.getppid()
    while os.getppid() == parent:
        pass


@contextlib.contextmanager
def busy(processes: int) -> Iterator[None]:
    """Keeps so many processors busy."""
    spinning = [multiprocessing.Process(target=_spin, daemon=True) for _ in range(processes)]
    try:
        for process in spinning:
            process.start()
        yield
    finally:
        for process in spinning:
            process.kill()
            process.join()


def _rows(arguments: argparse.Namespace) -> Iterator[Sequence[object]]:
    for player in arguments.players:
        engine = TeiEngine(f"{sys.executable} -P -m ludens.agent.commands.cli tei {player}")
        try:
            for limit in [*arguments.times, *arguments.clocks]:
                timed = time_moves(engine, arguments.size, limit, arguments.moves, arguments.seed)
                milliseconds = [f"{1000 * t:.1f}" for t in (median(timed.taken), max(timed.taken), max(timed.late))]
                yield player, limit, len(timed.taken), *milliseconds, sum(late > 0 for late in timed.late)
        finally:
            engine.close()


def _limit(pattern: str, text: str) -> str:
    if not re.fullmatch(pattern, text):
        raise argparse.ArgumentTypeError(f"{text!r} is no limit in milliseconds")
    return text


def main() -> int:
    """Prints a row for each player and limit."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("players", nargs="*", default=["td"], metavar="PLAYER", help="of `ludens tei`; if none, td")
    parser.add_argument("--size", type=count, default=5, help="of the board")
    parser.add_argument(
        "--times",
        nargs="*",
        type=lambda text: _limit(r"[0-9]{1,7}", text),
        default=["10", "50", "200", "1000"],
        help="of a move",
    )
    parser.add_argument(
        "--clocks",
        nargs="*",
        type=lambda text: _limit(r"[0-9]{1,7}\+[0-9]{1,7}", text),
        default=["1000+10", "5000+100"],
        help="of both sides, TIME+INCREMENT",
    )
    parser.add_argument("--moves", type=count, default=100, help="under each limit")
    parser.add_argument("--busy", type=int, default=processors(), help="processes that do nothing but compute")
    parser.add_argument("--seed", type=int, default=1, help="of the openings")
    arguments = parser.parse_args()
    with busy(arguments.busy):
        return print_table(_COLUMNS, _rows(arguments))


if __name__ == "__main__":
    sys.exit(main())
