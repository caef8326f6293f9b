"""State changes of random playouts for a second of CPU time, one thread, and what takes the time.

    python -m scripts.playout_speed hex breakthrough rules.kif
    python -m scripts.playout_speed --anchors speeds.csv hex.kif chess.kif

`--anchors` is a table of other simulators' speeds: lines that begin with `#` are left out, the first other line
names the columns, and the first column is the name of a rule sheet without its ending. There is a ratio to each
column whose name ends in `_sc_s` (state changes a second). Ratios of figures from two machines are only a hint.
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from agent.rules import find_rules
from native.core import Game, Simulator
from propnet.errors import LudensError
from propnet.loader import load
from scripts import arguments

_ENDLESS = 1 << 40
_UNIT = "_sc_s"


@dataclass(frozen=True, slots=True)
class Speed:
    """One game; rates are a second of CPU time, shares are of the time of the playouts."""

    gates: int
    cycle: int  # steps after which control comes round
    setup_s: float  # from network to machine, machine code included
    rate: float  # state changes
    mean_length: float
    evaluation: float
    choice: float


def measure(rules: str, seconds: float, rounds: int) -> Speed:
    """The fastest of some runs, as what disturbs a run only slows it."""
    net = load(find_rules(rules).sheet())
    began = time.process_time()
    game = Game.from_propnet(net)
    simulator = Simulator(game, seed=1)
    setup = time.process_time() - began
    runs = []
    for _ in range(rounds):
        began = time.process_time()
        run = simulator.playouts(_ENDLESS, seconds=seconds)
        runs.append((run.state_changes / (time.process_time() - began), run))
    rate, run = max(runs, key=lambda pair: pair[0])
    shares = run.evaluation_seconds / run.seconds, run.choice_seconds / run.seconds
    return Speed(len(net.gates), game.cycle, setup, rate, run.mean_length, *shares)


def read_anchors(path: Path) -> dict[str, dict[str, float]]:
    """For each sheet the speeds that are known, by column without its unit."""
    with path.open(newline="") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    return {next(iter(row.values())).split()[0]: dict(_speeds(row)) for row in rows}


def _speeds(row: dict[str, str]) -> Iterator[tuple[str, float]]:
    for column, text in row.items():
        number = text.split()[0]
        if column.endswith(_UNIT) and number.replace(".", "", 1).isdigit():
            yield column.removesuffix(_UNIT), float(number)


def main() -> int:
    """Prints a Markdown table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="+", metavar="GAME", help="built-in games or .kif files")
    parser.add_argument("--seconds", type=arguments.seconds, default=1.0, help="of each run (1)")
    parser.add_argument("--rounds", type=arguments.count, default=3, help="runs, of which the fastest counts (3)")
    parser.add_argument("--anchors", type=Path, metavar="CSV", help="speeds of other simulators, to compare with")
    args = parser.parse_args()
    try:
        anchors = read_anchors(args.anchors) if args.anchors else {}
        columns = list(dict.fromkeys(column for known in anchors.values() for column in known))
        head = ["game", "gates", "cycle", "set-up ms", "M state changes/s", "length", "eval %", "choice %"]
        print("| " + " | ".join([*head, *(f"× {column}" for column in columns)]) + " |")
        print("|---" * (len(head) + len(columns)) + "|")
        for rules in args.games:
            speed, known = measure(rules, args.seconds, args.rounds), anchors.get(Path(rules).stem, {})
            ratios = [f"{speed.rate / known[column]:.2f}" if column in known else "–" for column in columns]
            cells = [Path(rules).stem, f"{speed.gates:,}", str(speed.cycle), f"{1000 * speed.setup_s:.0f}"]
            cells += [f"{speed.rate / 1e6:.1f}", f"{speed.mean_length:.1f}"]
            cells += [f"{100 * speed.evaluation:.0f}", f"{100 * speed.choice:.0f}"]
            print("| " + " | ".join([*cells, *ratios]) + " |", flush=True)
    except (LudensError, OSError, IndexError, ValueError) as error:
        print(f"playout_speed: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
