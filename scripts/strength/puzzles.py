"""Measures how well puzzles are solved: the best goal that the player finds for each within a time.

    python -m scripts.strength.puzzles                                  # the built-in ones
    python -m scripts.strength.puzzles FOLDER… --seconds 60 --json puzzles.json
    python -m scripts.strength.puzzles FOLDER… --unfactored             # for comparison, games in factors in one piece

Every game of one role among the rule sheets given, files or folders of .kif files, is played by the player's own
agent for puzzles, its planner and its search side by side, until it is sure of the goal or the time is over; making
the network counts. A plan is replayed on the reference interpreter, and it is the interpreter's goal that is
reported. `best possible`: nothing earns more, as the search or the planner has proven. `CPU`: seconds of all
processes since there was a network, at work or ended. `factors`: the independent parts that were planned for; 0 for
none.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from ludens import games
from ludens.agent.engine.backends import rules_backend
from ludens.agent.engine.native_agent import NativeAgent
from ludens.agent.engine.puzzle_agent import prepared_agent
from ludens.agent.preparation.budget import TimeBudget
from ludens.agent.preparation.prepare import prepare
from ludens.agent.protocol.wire import Joint, SearchReport
from ludens.agent.search.config import SearchConfig
from ludens.agent.settings.options import PlayerOptions
from ludens.games.rules import NamedRules, find_rules
from ludens.propnet.base.errors import LudensError
from ludens.propnet.base.words import counted
from ludens.propnet.compile.loader import Limits, load
from ludens.propnet.gdl.interpreter import Interpreter
from ludens.propnet.gdl.parser import parse_term
from ludens.propnet.gdl.syntax import RuleSheet
from ludens.propnet.network.propnet import Propnet
from scripts.common import arguments
from scripts.common.progress import tell

BEST = 100
_SLICE_SECONDS = 0.25
_MOVE_SECONDS = 0.1  # for each further move
_TASKS = Path("/proc/self/task")  # empty where the system is not Linux
_NETWORK_SHARE = 0.5  # of the time; then the rules are played without


@dataclass(frozen=True, slots=True)
class Row:
    """What was found for one puzzle."""

    game: str
    goal: int
    proven: bool  # that nothing earns more
    moves: int
    seconds: float  # of thinking about the first position, the making of the network included
    cpu: float  # seconds of processor time since there was a network
    factors: int
    machine: str


def solve(rules: NamedRules, seconds: float, options: PlayerOptions) -> Row:
    """Thinks about the first position, then plays."""
    sheet, begun = rules.sheet(), time.monotonic()
    net = network(sheet, seconds * _NETWORK_SHARE, options)
    ready = processor_seconds()
    budget = TimeBudget(max(0.0, seconds - (time.monotonic() - begun)), _MOVE_SECONDS, tell=tell)
    config = prepare(net, options, budget, sheet=sheet) if net else None
    agent = make_agent(sheet, net, config, options)
    agent.go_to(())
    report = agent.think(_SLICE_SECONDS)
    while not report.final and time.monotonic() - begun < seconds:
        report = agent.think(_SLICE_SECONDS)
    spent, cpu = time.monotonic() - begun, processor_seconds() - ready
    goal, moves = play(sheet, agent, report)
    factors = len(config.factoring.factors) if config and config.factoring else 0
    return Row(rules.name, goal, report.final, moves, spent, cpu, factors, report.machine)


def processor_seconds() -> float:
    """Returns the processor time so far of this process and its children, those that are at work included."""
    while True:
        ended = resource.getrusage(resource.RUSAGE_CHILDREN)[:2]
        children = [child for path in _TASKS.glob("*/children") for child in _text(path).split()]
        at_work = sum(map(_seconds_of, children))
        if resource.getrusage(resource.RUSAGE_CHILDREN)[:2] == ended:  # none has ended meanwhile
            return time.process_time() + sum(ended) + at_work


def _seconds_of(process: str) -> float:
    fields = _text(Path("/proc", process, "stat")).rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK") if fields else 0.0


def _text(path: Path) -> str:
    """Returns what a file of the system says; nothing of a thread or process that is not there any more."""
    try:
        return path.read_text()
    except OSError:
        return ""


def play(sheet: RuleSheet, agent: NativeAgent, report: SearchReport) -> tuple[int, int]:
    """Returns the goal that the agent reaches from its report on the first position, and in how many moves.

    Raises `LudensError` for a move that is not legal.
    """
    game = Interpreter(sheet)
    history: tuple[Joint, ...] = ()
    state = game.initial()
    while not game.terminal(state) and (legal := game.legal(state, sheet.roles[0])):
        move = parse_term(report.move)
        if move not in legal:
            raise LudensError(f"{report.move} is not legal after {counted(len(history), 'move')}")
        state = game.next(state, [move])
        history += ((report.move,),)
        agent.go_to(history)
        report = agent.think(_MOVE_SECONDS) if agent.can_search else agent.known() or report
    return game.goals(state)[0] or 0, len(history)


def network(sheet: RuleSheet, seconds: float, options: PlayerOptions) -> Propnet | None:
    """Makes the network; None if that is not done in time."""
    try:
        return load(sheet, Limits(seconds, options.grounding_mb))
    except LudensError:
        return None


def make_agent(
    sheet: RuleSheet, net: Propnet | None, config: SearchConfig | None, options: PlayerOptions
) -> NativeAgent:
    """Makes the player's agent on the network, or on the rules if there is none."""
    if net is None or config is None:
        return NativeAgent(rules_backend(sheet, options), sheet.roles[0], options.seed, tell)
    return prepared_agent(net, config, None, sheet.roles[0], options, tell)


def find(paths: list[Path]) -> list[NamedRules]:
    """Finds the puzzles among the sheets in folders and files; the built-in ones if none are given."""
    names = [str(file) for path in paths for file in (sorted(path.rglob("*.kif")) if path.is_dir() else [path])]
    return [rules for rules in map(find_rules, names or games.names()) if len(rules.sheet().roles) == 1]


def table(rows: list[Row]) -> Iterator[str]:
    """Yields the table in Markdown."""
    yield "| puzzle | best goal | best possible | moves | s | CPU | factors | on the |"
    yield "|---|---|---|---|---|---|---|---|"
    for row in rows:
        proven = "yes" if row.proven else "not known"
        times = f"{row.seconds:.1f} | {row.cpu:.2f}"
        yield f"| {row.game} | {row.goal} | {proven} | {row.moves} | {times} | {row.factors} | {row.machine} |"
    solved, settled = sum(row.goal == BEST for row in rows), sum(row.proven for row in rows)
    yield ""
    yield f"{solved} of {len(rows)} earn {BEST}; {settled} are known to earn the most that is possible."


def command_line() -> argparse.Namespace:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", type=Path, help="sheets, or folders of them (built-in puzzles)")
    parser.add_argument("--seconds", type=arguments.seconds, default=60.0, help="time for each (60)")
    parser.add_argument("--unfactored", action="store_true", help="plan for each game as a whole")
    parser.add_argument("--json", type=Path, help="where to write the results")
    return parser.parse_args()


def main() -> int:
    """Solves all and prints the table."""
    args = command_line()
    rows = []
    options = PlayerOptions(seed=1, threads=1, factored="off" if args.unfactored else "on")
    try:
        for rules in find(args.paths):
            rows.append(solve(rules, args.seconds, options))
            print(f"{rows[-1].game}: {rows[-1].goal} after {rows[-1].seconds:.1f} s", file=sys.stderr, flush=True)
    except LudensError as error:
        print(f"puzzles: {error}", file=sys.stderr)
        return 1
    print("\n".join(table(rows)))
    if args.json:
        args.json.write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
