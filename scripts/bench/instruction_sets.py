"""Measures random games on each instruction set of this processor, in one run on one core, and OpenSpiel beside them.

    python -m scripts.bench.instruction_sets connect_four breakthrough hex --json docs/data/instruction_sets.json
    python -m scripts.bench.instruction_sets --openspiel connect_four breakthrough hex gomoku

All sets play each game in turns, and the fastest round of each counts, as what else the machine does only slows it.
Rates are a second of CPU time. Floors are set for the ratios of AVX2 machine code to AVX-512 machine code, and to
interpreted gates; the last lines say whether they are reached.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from statistics import geometric_mean

from ludens import games
from ludens.games.rules import find_rules
from ludens.native.core import Game, Simulator
from ludens.propnet.compile.loader import load
from scripts.bench import set_bench
from scripts.common.openspiel import OpenSpiel

_ENDLESS = 1 << 40


@dataclass(frozen=True, slots=True)
class Floor:
    """The least that the first instruction set is to reach of the second, on the geometric mean of the games."""

    faster: str
    slower: str
    ratio: float

    def text(self, rows: list[Row]) -> str:
        """What was reached, in words."""
        reached = geometric_mean(row.ratio(self.faster, self.slower) for row in rows)
        verdict = "reached" if reached >= self.ratio else "not reached"
        return f"{self.faster} / {self.slower}: {reached:.2f} (floor {self.ratio:g}, {verdict})"


FLOORS = (Floor("avx2-jit", "avx512-jit", 0.45), Floor("avx2-jit", "avx2", 2.0))


@dataclass(frozen=True, slots=True)
class Row:
    """One game; state changes a second by instruction set, best first."""

    game: str
    gates: int
    rates: dict[str, float]
    openspiel: float | None  # its state changes

    def ratio(self, over: str, under: str) -> float:
        """How many times as fast one instruction set is as another."""
        return self.rates[over] / self.rates[under]


def measure(rules: str, names: tuple[str, ...], seconds: float, rounds: int, *, openspiel: bool) -> Row:
    """The fastest of some rounds of each set."""
    net = load(find_rules(rules).sheet())
    game, theirs = Game.from_propnet(net), OpenSpiel.of(rules, time.process_time) if openspiel else None
    simulators = {name: Simulator(game, seed=1, instruction_set=name) for name in names}
    rates, their_rates = dict.fromkeys(names, 0.0), []
    for _ in range(rounds):
        for name, simulator in simulators.items():
            began = time.process_time()
            run = simulator.playouts(_ENDLESS, seconds=seconds)
            rates[name] = max(rates[name], run.state_changes / (time.process_time() - began))
        if theirs is not None:
            their_rates.append(theirs.playouts(seconds))
    return Row(rules, len(net.gates), rates, max(their_rates) * theirs.length() if theirs is not None else None)


def floors(rows: list[Row]) -> list[str]:
    """A line for each floor that these instruction sets tell of."""
    return [floor.text(rows) for floor in FLOORS if {floor.faster, floor.slower} <= rows[0].rates.keys()]


def table(rows: list[Row]) -> tuple[list[str], list[list[str]]]:
    """The head and the cells: millions of state changes a second, and ratios."""
    names = [*rows[0].rates]
    pairs = [(floor.faster, floor.slower) for floor in FLOORS if {floor.faster, floor.slower} <= {*names}]
    beside = [row for row in rows if row.openspiel is not None]
    head = ["game", "gates", *names, *(f"{over} / {under}" for over, under in pairs)]
    head += [f"{name} × OpenSpiel" for name in names] if beside else []
    cells = []
    for row in rows:
        line = [row.game, f"{row.gates:,}", *(f"{row.rates[name] / 1e6:.1f}" for name in names)]
        line += [f"{row.ratio(*pair):.2f}" for pair in pairs]
        if beside:
            line += [f"{row.rates[name] / row.openspiel:.1f}" if row.openspiel else "–" for name in names]
        cells.append(line)
    return head, cells


def main() -> int:
    """Prints a Markdown table, and what the floors say."""
    parser = set_bench.options(__doc__, "built-in games or .kif files (all built in)", 0.3)
    parser.add_argument("--openspiel", action="store_true", help="measure OpenSpiel's random games too")
    args = parser.parse_args()

    def row(rules: str) -> Row:
        return measure(rules, set_bench.chosen_sets(args), args.seconds, args.rounds, openspiel=args.openspiel)

    return set_bench.run(args, args.games or games.names(), row, table, floors)


if __name__ == "__main__":
    sys.exit(main())
