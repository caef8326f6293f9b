"""Measures which of two players is stronger as managers meet them: servers over HTTP, with their clocks.

    python -m scripts.strength.served_match breakthrough auto uct --startclock 30 --playclock 2 --games 20
    python -m scripts.strength.served_match sheets/ auto http://127.0.0.1:9147 --instruction-set avx2 --slow-down 3

For each game the first player, and the second unless it is an address, is started as `ludens serve`, with one thread
and `recall=off` unless it is described otherwise; `ludens match` plays between them. So all of a player is measured:
the time it takes to read rules, to learn and to choose a search, and its margin. Where GAME is a folder, all its rule
sheets are played, with a summary of each; all seats but one are the second player's. --slow-down N keeps each processor
busy with N - 1 other programs. Each side should have a processor of its own, so that thinking on the other's time takes
nothing away: --jobs may be no more than half their number. A late or illegal answer counts as a fault of its side.

How games are arranged and counted is said in scripts/common/match_runner.py.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from ludens.agent.commands.players import RemotePlayer, read_player
from ludens.agent.commands.rules import find_rules
from ludens.agent.records.record import MatchRecord
from ludens.agent.settings.options import processors
from ludens.native.core import instruction_sets
from ludens.propnet.base.errors import LudensError
from scripts.common import arguments, match_runner, served
from scripts.common.match_runner import Outcome, Task

_PLAYOUTS = re.compile(r"\((?:[^()]*, )?([\d,]+) playouts")  # in the log of a server, perhaps behind what is proven
_SETTINGS = {"threads": "1", "recall": "off"}


@dataclass(frozen=True, slots=True)
class ServedTask(Task):
    """One match between servers; `seconds` is the play clock."""

    start_clock: float
    scrambled: bool
    instruction_set: str  # empty for the best of this machine
    slow_down: int


def play(task: Task) -> Outcome:
    """Plays one match."""
    assert isinstance(task, ServedTask)
    seats = len(find_rules(task.game).sheet().roles)
    numbers = [int(seat != task.seat) for seat in range(seats)]
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        logs = [folder / f"seat{seat}.log" for seat in range(seats)]
        addresses = [
            stack.enter_context(_player(task.players[number], match_runner.seed_of(task, number), log, task))
            for number, log in zip(numbers, logs, strict=True)
        ]
        record, complaint = served.play_match(task.game, addresses, folder / "match.json", _options(task))
        efforts = [playouts_a_move(log) for log in logs]
    if record is None or not record.goals:
        raise LudensError(f"{task.game}: the match came to no end: {complaint}")
    return outcome(task, record, numbers, efforts)


def outcome(task: Task, record: MatchRecord, numbers: Sequence[int], efforts: Sequence[int]) -> Outcome:
    """Returns what came of a match; `numbers` says for each seat whether it is the first (0) or the second player's."""
    faults = [sum(bool(turn[seat]) for turn in record.errors) for seat in range(len(numbers))]
    sides = [[seat for seat, number in enumerate(numbers) if number == side] for side in (0, 1)]
    first, second = (sum(faults[seat] for seat in seats) for seats in sides)
    mean = [sum(efforts[seat] for seat in seats) // max(1, len(seats)) for seats in sides]
    score = match_runner.score_of(record.goals, task.seat)
    return Outcome(match_runner.key(task), score, len(record.moves), (mean[0], mean[1]), (first, second))


def server_options(player: str, seed: int) -> list[str]:
    """Returns the options of `ludens serve` for a player's description; raises `LudensError` if it makes no sense."""
    read_player(player)
    strategy, _, settings = player.partition(":")
    chosen = _SETTINGS | {"seed": str(seed)} | dict(pair.split("=", 1) for pair in settings.split(",") if pair)
    options = [text for name, value in chosen.items() for text in (f"--{name.strip().replace('_', '-')}", value)]
    return ["--strategy", strategy, *options]


@contextmanager
def _player(player: str, seed: int, log: Path, task: ServedTask) -> Iterator[str]:
    """Yields the address of a player, which is started unless it is running already."""
    if isinstance(read_player(player), RemotePlayer):
        log.touch()
        yield player
    else:
        chosen = {"LUDENS_INSTRUCTION_SET": task.instruction_set} if task.instruction_set else {}
        with served.serving(log, server_options(player, seed), chosen) as address:
            yield address


def _options(task: ServedTask) -> list[str]:
    clocks = ["--startclock", f"{task.start_clock:g}", "--playclock", f"{task.seconds:g}"]
    return [*clocks, "--seed", str(task.opening), "--scramble" if task.scrambled else "--no-scramble"]


def playouts_a_move(log: Path) -> int:
    """Returns how many random games a server has searched for a move on average, as its log says."""
    counts = [int(found.replace(",", "")) for found in _PLAYOUTS.findall(log.read_text())]
    return sum(counts) // max(1, len(counts))


@contextmanager
def _slowed_down(factor: int) -> Iterator[None]:
    """Keeps all processors busy with `factor` - 1 programs each."""
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range((factor - 1) * processors())]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()


def _games(place: str) -> list[str]:
    """Returns the game, or all rule sheets of a folder."""
    folder = Path(place)
    return sorted(map(str, folder.glob("*.kif"))) if folder.is_dir() else [place]


def main(texts: Sequence[str] | None = None) -> int:
    """Plays the matches and prints a summary of each game as JSON."""
    args = _parser().parse_args(texts)
    try:
        if args.jobs > max(1, processors() // 2):
            raise LudensError(f"--jobs {args.jobs}: two players need two processors, and there are {processors()}")
        for player in (args.first, args.second):
            read_player(player)
        new_task = partial(
            ServedTask,
            start_clock=args.startclock,
            scrambled=args.scramble,
            instruction_set=args.instruction_set,
            slow_down=args.slow_down,
        )
        games = _games(args.game)
        if not games:
            raise LudensError(f"there is no rule sheet (*.kif) in {args.game}")
        with _slowed_down(args.slow_down):
            for args.game in games:
                match_runner.play_match(args, len(find_rules(args.game).sheet().roles), play, new_task)
    except LudensError as error:
        print(f"served_match: {error}", file=sys.stderr)
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game", help="a built-in game, a .kif file, or a folder of them")
    match_runner.add_run_arguments(parser, "a strategy, as in auto or uct:threads=2, or the address of a player")
    parser.add_argument("--startclock", type=arguments.seconds, default=30.0, metavar="S", help="start clock (30)")
    parser.add_argument("--playclock", type=arguments.seconds, default=2.0, metavar="S", dest="seconds", help="(2)")
    parser.add_argument("--scramble", action="store_true", help="replace all names in the rules")
    parser.add_argument("--instruction-set", default="", choices=instruction_sets(), help="forced on both players")
    parser.add_argument("--slow-down", type=arguments.count, default=1, metavar="N", help="share processors N-fold (1)")
    parser.set_defaults(opening_moves=0)
    return parser


if __name__ == "__main__":
    sys.exit(main())
