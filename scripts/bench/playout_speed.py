"""State changes of random playouts for a second of CPU time, one thread, and what takes the time.

    python -m scripts.bench.playout_speed hex breakthrough rules.kif
    python -m scripts.bench.playout_speed --anchors speeds.csv hex.kif chess.kif

`--anchors` is a table of other simulators' speeds on another machine: lines that begin with `#` are left out, the
first other line names the columns, and the first column is the name of a rule sheet without its ending. There is a
ratio to each column whose name ends in `_sc_s` (state changes a second).

What that machine does faster or slower than this one is taken out: OpenSpiel's rollouts, if they have a column,
are measured here too, taking turns with ours on the same pinned core, and the ratio to a column is (ours /
OpenSpiel's now) / (column / OpenSpiel's column). A game that it lacks is scaled by the geometric mean of the
other games' (OpenSpiel's now / OpenSpiel's column), which is printed below the table. OpenSpiel's connect four has
seven columns, not eight. Of some runs the fastest counts, of both.
"""

from __future__ import annotations

import argparse
import csv
import os
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import geometric_mean

from ludens.games.rules import find_rules
from ludens.native.core import Game, Simulator
from ludens.propnet.base.errors import LudensError
from ludens.propnet.compile.loader import load
from scripts.common import arguments, tables
from scripts.common.openspiel import OpenSpiel
from scripts.common.progress import tell

_ENDLESS = 1 << 40
_UNIT = "_sc_s"
_YARDSTICK = "openspiel"  # the column that is measured again

Anchors = dict[str, dict[str, float]]  # by game and column


@dataclass(frozen=True, slots=True)
class Speed:
    """One game; rates are a second of CPU time, shares are of the time of the playouts."""

    game: str
    gates: int
    cycle: int  # steps after which control comes round
    setup_s: float  # from network to machine, machine code included
    rate: float  # state changes
    mean_length: float
    evaluation: float
    choice: float
    openspiel: float | None  # its state changes

    def cells(self) -> list[str]:
        """The cells of the table's row, but for the ratios."""
        figures = [f"{self.gates:,}", str(self.cycle), f"{1000 * self.setup_s:.0f}", f"{self.rate / 1e6:.1f}"]
        shares = [f"{100 * share:.0f}" for share in (self.evaluation, self.choice)]
        return [self.game, *figures, f"{self.mean_length:.1f}", *shares]


def measure(rules: str, seconds: float, rounds: int, *, openspiel: bool) -> Speed:
    """The fastest of some runs, as what disturbs a run only slows it; OpenSpiel takes turns with ours."""
    net = load(find_rules(rules).sheet())
    began = time.process_time()
    game = Game.from_propnet(net)
    simulator = Simulator(game, seed=1)
    setup = time.process_time() - began
    name = Path(rules).stem
    theirs = OpenSpiel.of(name, time.process_time) if openspiel else None
    runs, their_rates = [], []
    for _ in range(rounds):
        began = time.process_time()
        run = simulator.playouts(_ENDLESS, seconds=seconds)
        runs.append((run.state_changes / (time.process_time() - began), run))
        if theirs is not None:
            their_rates.append(theirs.playouts(seconds))
    rate, run = max(runs, key=lambda pair: pair[0])
    return Speed(
        game=name,
        gates=len(net.gates),
        cycle=game.cycle,
        setup_s=setup,
        rate=rate,
        mean_length=run.mean_length,
        evaluation=run.evaluation_seconds / run.seconds,
        choice=run.choice_seconds / run.seconds,
        openspiel=max(their_rates) * theirs.length() if theirs is not None else None,
    )


def machine_factors(speeds: Iterable[Speed], anchors: Anchors) -> dict[str, float]:
    """How much faster than the anchors' machine this one runs OpenSpiel, by game."""
    return {
        speed.game: speed.openspiel / anchors[speed.game][_YARDSTICK]
        for speed in speeds
        if speed.openspiel is not None and _YARDSTICK in anchors.get(speed.game, {})
    }


def table(speeds: list[Speed], anchors: Anchors) -> str:
    """Markdown, with the factors of the machine below it."""
    columns = list(dict.fromkeys(column for known in anchors.values() for column in known))
    factors = machine_factors(speeds, anchors)
    other = geometric_mean(factors.values()) if factors else 1.0
    head = ["game", "gates", "cycle", "set-up ms", "M state changes/s", "length", "eval %", "choice %"]
    rows = []
    for speed in speeds:
        known, factor = anchors.get(speed.game, {}), factors.get(speed.game, other)
        ratios = [f"{speed.rate / (factor * known[column]):.2f}" if column in known else "–" for column in columns]
        rows.append([*speed.cells(), *ratios])
    lines = [*tables.lines([*head, *(f"× {column}" for column in columns)], rows)]
    if anchors:
        each = ", ".join(f"{game} {factor:.2f}" for game, factor in factors.items())
        lines += ["", f"OpenSpiel here over OpenSpiel there: {each or 'unknown'}; for other games {other:.2f}."]
    return "\n".join(lines)


def read_anchors(path: Path) -> Anchors:
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
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    try:
        anchors = read_anchors(args.anchors) if args.anchors else {}
        speeds = []
        for number, rules in enumerate(args.games, 1):
            tell(f"{rules}: game {number} of {len(args.games)}")
            speeds.append(measure(rules, args.seconds, args.rounds, openspiel=bool(anchors)))
        print(table(speeds, anchors))
    except (LudensError, OSError, IndexError, ValueError) as error:
        print(f"playout_speed: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
