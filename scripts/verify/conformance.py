"""Checks every rule sheet of a folder, through every stage, against recorded playouts or the oracle.

    python -m scripts.verify.conformance --rules rulesheets --traces traces            # all of them
    python -m scripts.verify.conformance --rules rulesheets --traces traces chess hex  # these
    python -m scripts.verify.conformance --rules mine --json result.json               # against our own oracle

A sheet is NAME/NAME.kif or NAME.kif in the folder of rules, a trace NAME.json.gz in the folder of traces. Each
sheet is parsed, checked, turned into a network within the limits, and simulated; and it is interpreted by the
second machine, which plays what is no network in time. Both are compared with the trace: state, legal moves of
every role, terminal and goals, as sets of terms. Without a trace, random games by the oracle take its place; games
that have none in the folder of traces are named at the end.

A game has a process of its own, one after the other unless --jobs says otherwise. Seconds are of the processor,
of the process and its children; memory is the most that any of them has held so far. The network is given its
seconds on the wall clock and gets more of these where a busy machine grants it less of the processor.

The exit status is 0 only if every game can be played and nothing disagrees.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import multiprocessing
import random
import resource
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, TypeVar

from ludens.agent.cluster.code_digest import code_digest
from ludens.native.core import Game
from ludens.propnet.base.child import die_with_parent
from ludens.propnet.base.errors import GroundingError, LudensError
from ludens.propnet.compile.loader import Limits, load
from ludens.propnet.gdl.check import check
from ludens.propnet.gdl.interpreter import Interpreter
from ludens.propnet.gdl.parser import parse_rules
from ludens.propnet.gdl.syntax import RuleSheet
from ludens.propnet.network.propnet import Propnet
from ludens.propnet.rewrite.rule_program import compile_program
from scripts.common.file_digests import digest
from scripts.common.replay import Comparison, RulesNames, Step, play, read_trace

T = TypeVar("T")

PATIENCE = 1800.0  # seconds of wall clock for one game, all stages together
TARGET_SECONDS = 1.0  # until the first legal move is known
MAX_STEPS = 500  # of a random game
SHOWN = 5  # disagreements of a game that are printed; the JSON has all

STAGES = ("parse", "check", "trace", "rules", "rules replay", "load", "network", "network replay")
"""`rules` and `network` are making the machine and its first legal moves; `load` is grounding and building."""


@dataclass(frozen=True, slots=True)
class Task:
    """One game to examine, and its limits; seconds are of the processor."""

    game: str
    rules: Path
    trace: Path | None  # None: the oracle's random games, for `oracle_seconds`
    seconds: float  # for the network
    memory_mb: int  # for the network
    oracle_seconds: float


@dataclass(slots=True)
class Usage:
    """The cost of a stage: seconds of the processor, and the peak of memory so far in MB."""

    seconds: float
    peak_mb: int


@dataclass(slots=True)
class Report:
    """The outcome of one game. `machine` is what plays it: "network", "rules", or "" if nothing does."""

    game: str
    machine: str = ""
    stages: dict[str, Usage] = field(default_factory=dict)
    gates: int = 0
    propositions: int = 0
    moves: int = 0
    against: str = ""  # "trace" or "oracle"
    states: int = 0  # compared on each machine
    dropped: int = 0  # facts of these states that the network does without
    refusal: str = ""  # why there is no network
    faults: list[str] = field(default_factory=list)  # disagreements, and stages that fail
    conditions: dict[str, Any] = field(default_factory=dict)  # of game, limits and code; see `conditions_of`

    @property
    def good(self) -> bool:
        """Says whether the game can be played and nothing disagrees."""
        return bool(self.machine) and not self.faults

    @property
    def first_move_seconds(self) -> float:
        """The seconds until one of the machines knows the legal moves of the first state."""
        ways = [self._sum("rules"), self._sum("load", "network")]
        return self._sum("parse", "check") + min(ways)

    def _sum(self, *stages: str) -> float:
        return sum(self.stages[name].seconds if name in self.stages else math.inf for name in stages)


def conditions_of(task: Task) -> dict[str, Any]:
    """Returns what a report depends on: the task, the contents of its files, and the code that does it."""
    known: dict[str, Any] = json.loads(json.dumps(asdict(task), default=str))
    files = [digest(path) for path in (task.rules, task.trace) if path]
    return known | {"files": files, "code": code_digest()}


def sheets(folder: Path) -> dict[str, Path]:
    """Returns the rule sheets of a folder by name."""
    files = [*folder.glob("*.kif"), *folder.glob("*/*.kif")]
    return {path.stem: path for path in sorted(files, key=lambda path: path.stem.lower())}


class Examination:
    """One game on its way through all stages."""

    def __init__(self, task: Task, tell: Callable[[Report], None]) -> None:
        """Gives `tell` the report whenever it has become longer."""
        self._task = task
        self._tell = tell
        self._report = Report(task.game)

    def run(self) -> None:
        """Goes through the stages; failures become faults in the report."""
        try:
            self._run()
        except (LudensError, OSError, ValueError, KeyError) as error:
            self._report.faults.append(f"{type(error).__name__}: {error}")
        self._tell(self._report)

    def _run(self) -> None:
        text = self._task.rules.read_text(encoding="utf-8", errors="surrogateescape")
        parse_rules("(role warm)")  # a player that is up has its grammar at hand
        sheet = self._stage("parse", lambda: parse_rules(text))
        self._stage("check", lambda: check(sheet))
        playouts = self._stage("trace", lambda: self._playouts(sheet))
        self._report.states = sum(map(len, playouts))
        self._compare("rules", lambda: _rules_machine(sheet), playouts)
        net = self._network(sheet)
        if net is not None:
            self._report.gates = len(net.gates)
            self._report.propositions, self._report.moves = net.state_bits, net.move_count
            comparison = self._compare("network", lambda: Comparison.of_network(net), playouts)
            self._report.dropped = len(comparison.dropped)

    def _playouts(self, sheet: RuleSheet) -> list[list[Step]]:
        self._report.against = "trace" if self._task.trace else "oracle"
        if self._task.trace:
            return read_trace(self._task.trace)
        return list(_random_games(sheet, self._task.oracle_seconds))

    def _network(self, sheet: RuleSheet) -> Propnet | None:
        """Makes the network; returns None with the reason in the report if it fails.

        Its seconds are of the processor but its limit is of the clock: when that ran out early on a busy
        machine, the attempt is repeated with more of it.
        """
        allowed = wall = self._task.seconds
        while True:
            started = time.monotonic()
            try:
                return self._stage("load", lambda: load(sheet, Limits(wall, self._task.memory_mb)))  # noqa: B023
            except GroundingError as error:
                used = self._report.stages["load"].seconds
                ran_out = time.monotonic() - started >= wall
                if not ran_out or used > 0.8 * allowed or wall > 8 * allowed:
                    self._report.refusal = str(error)
                    return None
                wall *= max(1.5, allowed / used)

    def _compare(self, name: str, make: Callable[[], Comparison], playouts: Sequence[Sequence[Step]]) -> Comparison:
        def made() -> Comparison:
            comparison = make()
            comparison.first_moves()
            return comparison

        comparison = self._stage(name, made)
        lines = self._stage(f"{name} replay", lambda: list(map(comparison.disagreements, playouts)))
        for number, found in enumerate(lines):
            self._report.faults += [f"{name}: playout {number}, {line}" for line in found]
        self._report.machine = name
        return comparison

    def _stage(self, name: str, work: Callable[[], T]) -> T:
        before = _processor_seconds()
        try:
            return work()
        finally:
            self._report.stages[name] = Usage(_processor_seconds() - before, _peak_mb())
            self._tell(self._report)


def _rules_machine(sheet: RuleSheet) -> Comparison:
    game = Game.from_rules(compile_program(sheet))
    return Comparison(game, RulesNames(game, sheet.roles))


def _random_games(sheet: RuleSheet, seconds: float) -> Iterator[list[Step]]:
    """Plays random games by the oracle until the time is up; the last may stop in the middle."""
    oracle, end = Interpreter(sheet), time.process_time() + seconds
    for seed in itertools.count():
        game = []
        for step in play(oracle, random.Random(seed), MAX_STEPS):
            game.append(step)
            if time.process_time() > end:
                break
        yield game
        if time.process_time() > end:
            return


def _usages() -> tuple[resource.struct_rusage, resource.struct_rusage]:
    return resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)


def _processor_seconds() -> float:
    """Returns the seconds of the processor of this process and its ended children."""
    return sum(usage.ru_utime + usage.ru_stime for usage in _usages())


def _peak_mb() -> int:
    kilobytes = max(usage.ru_maxrss for usage in _usages())
    return kilobytes >> (20 if sys.platform == "darwin" else 10)


def examine(task: Task) -> Report:
    """Examines one game in a process of its own, and reports whatever becomes of that."""
    ours, theirs = _SPAWN.Pipe(duplex=False)
    process = _SPAWN.Process(target=_examine, args=(task, theirs))
    process.start()
    theirs.close()
    report, end = Report(task.game), time.monotonic() + PATIENCE
    try:
        while ours.poll(max(0.0, end - time.monotonic())):
            report = ours.recv()
        report.faults.append(f"not done after {PATIENCE:g} s, stages {', '.join(report.stages)}")
    except EOFError:
        process.join()
        if process.exitcode:
            report.faults.append(f"the process died with status {process.exitcode}")
    finally:
        process.kill()
        process.join()
    return report


_SPAWN = multiprocessing.get_context("spawn")


def _examine(task: Task, pipe: Connection) -> None:
    die_with_parent()
    Examination(task, pipe.send).run()


def _line(report: Report) -> str:
    stages = [report.stages.get(name) for name in STAGES]
    cells = [f"{usage.seconds:.2f}/{usage.peak_mb}" if usage else "-" for usage in stages]
    verdict = "agrees" if report.good else f"FAULTS: {len(report.faults)}"
    figures = [str(report.gates or "-"), f"{report.first_move_seconds:.2f}", *cells]
    counts = [str(report.states), str(report.dropped), report.against or "-", verdict]
    return " ".join(
        [
            f"{report.game:36} {report.machine or 'nothing':8}",
            *(f"{cell:>{width}}" for cell, width in zip([*figures, *counts], _WIDTHS, strict=True)),
        ]
    )


_WIDTHS = (8, 7, *([max(9, len(name)) for name in STAGES]), 6, 7, 6, 6)
_HEADER = ("gates", "1st/s", *STAGES, "states", "dropped", "by", "verdict")


def _details(report: Report) -> Iterator[str]:
    if report.refusal:
        yield f"    no network: {report.refusal}"
    yield from (f"    {line[:1000]}" for line in report.faults[:SHOWN])


def _summary(reports: Sequence[Report], options: argparse.Namespace) -> Iterator[str]:
    """Returns the outcome of the whole run, with the names of all exceptions."""
    networks = [r for r in reports if r.machine == "network" and r.stages["load"].seconds <= options.seconds]
    slow_networks = [r for r in reports if r.machine == "network" and r not in networks]
    yield (
        f"{len(reports)} games, {sum(r.states for r in reports)} states compared; "
        f"{len(networks)} ({len(networks) / len(reports):.1%}) are networks within {options.seconds:g} s of the "
        f"processor and {options.memory} MB"
    )
    yield _named("networks that took longer", slow_networks)
    yield _named("played by the second machine", [r for r in reports if r.machine == "rules"])
    yield _named(
        f"first legal move later than {TARGET_SECONDS:g} s",
        [r for r in reports if r.first_move_seconds > TARGET_SECONDS],
    )
    yield _named("played by nothing", [r for r in reports if not r.machine])
    if options.traces:
        yield _named("without a trace", [r for r in reports if r.against == "oracle"])
    yield _named("faults", [r for r in reports if r.faults])


def _named(what: str, reports: Sequence[Report]) -> str:
    return f"{what}: {len(reports)} {' '.join(report.game for report in reports)}".rstrip()


def _examined(task: Task, stored: Report | None) -> Report:
    """Returns the report on a game, the stored one if it was made under the same conditions."""
    conditions = conditions_of(task)
    if stored is not None and stored.conditions == conditions:
        return stored
    report = examine(task)
    report.conditions = conditions
    return report


def _stored(path: Path | None, resume: bool) -> dict[str, Report]:
    """Returns the reports of an earlier run, if that is to be taken up."""
    if not path or not resume or not path.exists():
        return {}
    reports = [Report(**fields) for fields in json.loads(path.read_text(encoding="utf-8"))]
    for report in reports:
        report.stages = {name: Usage(**usage) for name, usage in report.stages.items()}  # type: ignore[arg-type]
    return {report.game: report for report in reports}


def _tasks(options: argparse.Namespace) -> list[Task]:
    found = sheets(options.rules)
    if options.traces and not any(options.traces.glob("*.json.gz")):
        raise SystemExit(f"--traces {options.traces}: no trace (NAME.json.gz) is there")
    unknown = sorted(set(options.games) - found.keys())
    if unknown or not found:
        raise SystemExit(f"no such rule sheet in {options.rules}: {' '.join(unknown) or 'it has none at all'}")
    tasks = []
    for game in options.games or found:
        trace = options.traces / f"{game}.json.gz" if options.traces else None
        recorded = trace if trace and trace.exists() else None
        tasks.append(Task(game, found[game], recorded, options.seconds, options.memory, options.oracle_seconds))
    return tasks


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    add = parser.add_argument
    add("games", nargs="*", metavar="GAME", help="names of sheets (default: all)")
    add("--rules", type=Path, required=True, metavar="DIR", help="folder of rule sheets")
    add("--traces", type=Path, metavar="DIR", help="folder of traces (default: none, ask the oracle)")
    add("--json", type=Path, metavar="FILE", help="write all figures there, after each game")
    add("--resume", action="store_true", help="take over what the JSON file has of the same files, limits and code")
    add("--jobs", type=int, default=1, help="games at a time (default: %(default)s)")
    add("--seconds", type=float, default=10, help="of the processor for a network (default: %(default)s)")
    add("--memory", type=int, default=2048, metavar="MB", help="for a network (default: %(default)s)")
    add("--oracle-seconds", type=float, default=10, help="for its random games (default: %(default)s)")
    return parser.parse_args()


def main() -> int:
    """Examines the games of the command line; returns 0 if there is no fault."""
    options = _arguments()
    tasks, done = _tasks(options), _stored(options.json, options.resume)
    print(f"{'game':36} {'plays on':8}", *(f"{n:>{w}}" for n, w in zip(_HEADER, _WIDTHS, strict=True)))
    print("each stage: CPU seconds / peak MB so far")
    reports = []
    with ThreadPoolExecutor(options.jobs) as pool:
        for report in pool.map(lambda task: _examined(task, done.get(task.game)), tasks):
            reports.append(report)
            done[report.game] = report
            print(_line(report), *_details(report), sep="\n", flush=True)
            if options.json:
                options.json.write_text(json.dumps([asdict(r) for r in done.values()], indent=1), encoding="utf-8")
    print("", *_summary(reports, options), sep="\n")
    return 0 if all(report.good for report in reports) else 1


if __name__ == "__main__":
    sys.exit(main())
