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
import contextlib
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from ludens import games
from ludens.agent.records import record as records
from ludens.propnet.base.errors import LudensError

_LUDENS = (sys.executable, "-m", "ludens.agent.commands.cli")
_STOP_SECONDS = 10.0
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
        players = [stack.enter_context(serving(folder / f"player{number}.log")) for number in numbers]
        faults = [_report(task, players, (args.startclock, args.playclock), folder) for task in tasks]
    print(f"{len(tasks)} matches, {sum(map(bool, faults))} with faults")
    return int(any(faults))


@contextmanager
def serving(log: Path) -> Iterator[str]:
    """Runs a `ludens serve` process within the context and yields its address; its output goes to `log`."""
    command = [*_LUDENS, "serve", "--port", "0", "--nodes-mb", "256"]
    with log.open("w") as output, subprocess.Popen(command, stdout=output, stderr=output) as process:
        try:
            yield _address(log, process)
        finally:
            process.send_signal(signal.SIGINT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(_STOP_SECONDS)
            process.kill()


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
    path.unlink(missing_ok=True)
    needed = players[: games.about(task.game).players]
    status, complaint = _play(task, needed, clocks, path)
    record = records.read(path) if path.exists() else None
    faults = faults_of(record) if record else ["no record"]
    faults += [f"exit status {status}: {complaint}"] if status else []
    turns = len(record.moves) if record else 0
    verdict = "; ".join(faults) or "ok"
    print(f"{task.name:<32} {turns:>4} turns {time.monotonic() - began:>6.0f} s  {verdict}", flush=True)
    return faults


def _play(task: Task, players: Sequence[str], clocks: tuple[int, int], path: Path) -> tuple[int, str]:
    """Runs `ludens match`; returns its exit status and the last line of its errors."""
    command = [*_LUDENS, "match", task.game, *players, "--record", str(path), "--quiet"]
    command += ["--startclock", str(clocks[0]), "--playclock", str(clocks[1])]
    command += ["--scramble" if task.scrambled else "--no-scramble"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_MATCH_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return 1, f"no end after {_MATCH_SECONDS:g} s"
    return done.returncode, (done.stderr.strip().splitlines() or [""])[-1]


def _address(log: Path, process: subprocess.Popen[bytes]) -> str:
    """Waits until the log says where the player listens; raises `LudensError` when it ends before that."""
    while process.poll() is None:
        found = re.search(r"http://[\d.]+:\d+", log.read_text())
        if found:
            return found[0]
        time.sleep(0.1)
    raise LudensError(f"ludens serve has ended: {log.read_text().strip()}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", metavar="GAME", help="built-in games; all if none is named")
    parser.add_argument("--startclock", type=int, default=5, metavar="S", help="seconds to read the rules (5)")
    parser.add_argument("--playclock", type=int, default=1, metavar="S", help="seconds for a move (1)")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep records and logs there")
    return parser


if __name__ == "__main__":
    sys.exit(main())
