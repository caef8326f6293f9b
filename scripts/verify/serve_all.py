"""Plays every built-in game over HTTP between `ludens serve` processes; fails on any timeout or illegal move.

    python -m scripts.verify.serve_all                             # all games, each plain and scrambled
    python -m scripts.verify.serve_all tron_four nim --playclock 2
    python -m scripts.verify.serve_all --keep runs                 # leaves records and logs in the folder runs

As many players are started as the largest game has roles. `ludens match` plays one match after the other between
them, and its record is examined. One line a match; the exit status is 0 only if every match was completed and no
record holds an error of a player.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from ludens import games
from ludens.agent.records import record as records
from ludens.propnet.base.errors import LudensError
from scripts.common import served

_SETTINGS = ("--nodes-mb", "256")
_MATCH_SECONDS = 900.0  # no match of a built-in game takes as long on the clocks of this script


@dataclass(frozen=True, slots=True)
class Task:
    """One match to play."""

    game: str
    scrambled: bool

    @property
    def name(self) -> str:
        """The name of the match, and of its files."""
        return f"{self.game}.{'scrambled' if self.scrambled else 'plain'}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Plays the matches of the command line; returns 0 if nothing went wrong."""
    args = _parser().parse_args(arguments)
    try:
        abouts = [games.about(name) for name in args.games or games.names()]
    except LudensError as error:
        print(f"serve_all: {error}", file=sys.stderr)
        return 2
    tasks = [Task(about.name, scrambled) for about in abouts for scrambled in (False, True)]
    with ExitStack() as stack:
        folder = args.keep or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        folder.mkdir(parents=True, exist_ok=True)
        numbers = range(1, 1 + max(about.players for about in abouts))
        players = [stack.enter_context(served.serving(folder / f"player{n}.log", _SETTINGS)) for n in numbers]
        faults = [_report(task, players, (args.startclock, args.playclock), folder) for task in tasks]
    print(f"{len(tasks)} matches, {sum(map(bool, faults))} with faults")
    return int(any(faults))


def faults_of(record: records.MatchRecord) -> list[str]:
    """Returns what went wrong in a match, in words."""
    faults = [] if record.completed else ["not completed"]
    for turn, errors in enumerate(record.errors):
        place = f"turn {turn}" if turn else "START"
        faults += [f"{place}: player {number}: {error}" for number, error in enumerate(errors, 1) if error]
    return faults


def _report(task: Task, players: Sequence[str], clocks: tuple[int, int], folder: Path) -> list[str]:
    """Plays the match, prints its line, and returns its faults."""
    began = time.monotonic()
    path = folder / f"{task.name}.json"
    options = ["--startclock", str(clocks[0]), "--playclock", str(clocks[1])]
    options += ["--scramble" if task.scrambled else "--no-scramble"]
    needed = players[: games.about(task.game).players]
    record, complaint = served.play_match(task.game, needed, path, options, _MATCH_SECONDS)
    faults = faults_of(record) if record else ["no record"]
    faults += [complaint] if complaint else []
    turns = len(record.moves) if record else 0
    verdict = "; ".join(faults) or "ok"
    print(f"{task.name:<32} {turns:>4} turns {time.monotonic() - began:>6.0f} s  {verdict}", flush=True)
    return faults


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", metavar="GAME", help="built-in games; all if none is named")
    parser.add_argument("--startclock", type=int, default=5, metavar="S", help="seconds to read the rules (5)")
    parser.add_argument("--playclock", type=int, default=1, metavar="S", help="seconds for a move (1)")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep records and logs there")
    return parser


if __name__ == "__main__":
    sys.exit(main())
