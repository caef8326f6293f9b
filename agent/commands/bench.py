"""`ludens bench`: how fast a game is played here."""

from __future__ import annotations

import argparse
import dataclasses
import json

from ludens.agent.commands.measure import Measurements, measure
from ludens.agent.commands.progress import progress
from ludens.agent.commands.rules import find_rules
from ludens.agent.settings.arguments import seconds

HELP = "measure how fast a game is played"
DESCRIPTION = "Plays a game at random, then with tree search, and says how much got done in a second."
EXAMPLES = """\
examples:
  ludens bench connect_four
  ludens bench breakthrough --seconds 10 --threads 2 --json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of the subcommand."""
    parser.add_argument("game", metavar="GAME", help="a built-in game (see `ludens games`) or a .kif file")
    parser.add_argument("--seconds", type=seconds, default=3.0, metavar="S", help="length of each of the two runs (3)")
    parser.add_argument(
        "--lanes", type=int, default=0, metavar="N", help="games side by side in a thread (the best here)"
    )
    parser.add_argument("--threads", type=_threads, default=1, metavar="N", help="threads (1)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(args: argparse.Namespace) -> int:
    """Runs the subcommand; raises `LudensError`."""
    rules = find_rules(args.game)
    sheet = rules.sheet()
    with progress(f"measuring {rules.name}"):
        measured = measure(rules.name, sheet, args.seconds, args.lanes, args.threads)
    print(json.dumps(dataclasses.asdict(measured)) if args.json else _table(measured))
    return 0


def _table(m: Measurements) -> str:
    lines = [
        f"{m.game}: {m.gates:,} gates, ready after {m.ground_s:.2f} s, {m.lanes} games side by side",
        f"  {m.playouts_per_s:>15,.0f} random games a second, {m.mean_length:.1f} moves each on average",
        f"  {m.state_changes_per_s:>15,.0f} state changes a second",
        f"  {m.search_iterations_per_s:>15,.0f} tree search iterations a second",
    ]
    if m.gpu_playouts_per_s is not None:
        lines.append(f"  {m.gpu_playouts_per_s:>15,.0f} random games a second on the GPU")
    return "\n".join(lines)


def _threads(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 256:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of threads, 1 to 256")
    return int(text)
