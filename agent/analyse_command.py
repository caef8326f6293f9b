"""`ludens analyse`: what becomes of a game's rules."""

from __future__ import annotations

import argparse
import dataclasses
import json
from dataclasses import dataclass
from typing import Any

from agent.progress import progress
from agent.rules import find_rules
from propnet.loader import Loaded, Stage, load_with_stages
from propnet.network import Propnet

_EXAMPLES = """\
examples:
  ludens analyse reversi
  ludens analyse my_game.kif --json
"""


def add_parser(subparsers: Any) -> None:
    """Adds the subcommand to the command line."""
    parser = subparsers.add_parser(
        "analyse",
        help="show what becomes of a game's rules",
        description="Turns the rules of a game into a network and tells its size: propositions (facts that can "
        "hold), moves, gates, levels (gates one behind the other), and how each pass changed the gates.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("game", metavar="GAME", help="a built-in game (see `ludens games`) or a .kif file")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(run=run)


@dataclass(frozen=True, slots=True)
class Analysis:
    """The size of a game's network; the names are those of `ludens analyse --json`."""

    game: str
    roles: tuple[str, ...]
    propositions: int
    moves: tuple[int, ...]  # of each role
    gates: int
    levels: int
    loops: int
    feedback: int  # inputs at which the loops are cut
    stages: tuple[Stage, ...]


def run(args: argparse.Namespace) -> int:
    """Carries the subcommand out; raises `LudensError`."""
    rules = find_rules(args.game)
    sheet = rules.sheet()
    with progress(f"analysing {rules.name}") as tell:
        analysis = analyse(rules.name, load_with_stages(sheet, progress=tell))
    print(json.dumps(dataclasses.asdict(analysis)) if args.json else _table(analysis))
    return 0


def analyse(name: str, loaded: Loaded) -> Analysis:
    """The sizes of a network that has been loaded."""
    net = loaded.net
    return Analysis(
        game=name,
        roles=net.roles,
        propositions=net.state_bits,
        moves=tuple(map(len, net.moves)),
        gates=len(net.gates),
        levels=_levels(net),
        loops=len(net.loops),
        feedback=len(net.feedback),
        stages=loaded.stages,
    )


def _levels(net: Propnet) -> int:
    """The length of the longest chain of gates; loops count once through."""
    level = [0] * (net.first_gate + len(net.gates))
    for variable, (left, right) in enumerate(net.gates.tolist(), net.first_gate):
        level[variable] = 1 + max(level[left >> 1], level[right >> 1])
    return max(level)


def _table(a: Analysis) -> str:
    moves = ", ".join(f"{role} {count:,}" for role, count in zip(a.roles, a.moves, strict=True))
    lines = [
        a.game,
        f"  propositions  {a.propositions:,}",
        f"  moves         {moves}",
        f"  gates         {a.gates:,} in {a.levels:,} levels",
        f"  loops         {a.loops:,}" + f", cut at {a.feedback:,} places" * bool(a.loops),
        f"  {'stage':<16} {'gates before':>12} {'after':>12} {'seconds':>8}",
    ]
    before = 0
    for stage in a.stages:
        lines.append(f"  {stage.name:<16} {before:>12,} {stage.gates:>12,} {stage.seconds:>8.2f}")
        before = stage.gates
    return "\n".join(lines)
