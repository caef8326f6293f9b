"""Measures UCT on each instruction set of this processor, in turns on one core, beside OpenSpiel's MCTSBot.

    python -m scripts.bench.search_sets --json docs/data/search_sets.json
    python -m scripts.bench.search_sets hex gomoku --sets avx2-jit --rounds 3

An iteration is a descent and one random game; rates are a second of CPU time, of one thread that searches the first
position anew in every round, and the fastest round of each counts, as what else the machine does only slows it. A
process has one instruction set for its searches, so each set has a process of its own. Floors are set for AVX2 machine
code: for each game how many times as fast as OpenSpiel it is to be, and how much of AVX-512 machine code it is to do.
"""

from __future__ import annotations

import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from multiprocessing import get_context

from ludens.games.rules import find_rules
from ludens.native.core import Game, Simulator
from ludens.propnet.base.errors import LudensError
from ludens.propnet.compile.loader import load
from scripts.bench import set_bench
from scripts.bench.table import search_rate
from scripts.common.openspiel import OpenSpiel

LESSER, GREATER = "avx2-jit", "avx512-jit"
LEAST_SHARE = 0.8
FLOORS = {
    "connect_four": 16.0,
    "breakthrough": 50.0,
    "gomoku": 55.0,
    "hex": 28.0,
    "reversi": 230.0,
    "english_draughts": 170.0,
}
"""How many times OpenSpiel's iterations a second `LESSER` is to make."""


@dataclass(frozen=True, slots=True)
class Row:
    """One game; iterations a second by instruction set, best first."""

    game: str
    rates: dict[str, float]
    openspiel: float

    def ratio(self, name: str) -> float:
        """How many times as many iterations as OpenSpiel's simulations."""
        return self.rates[name] / self.openspiel


def measure(rules: str, workers: dict[str, ProcessPoolExecutor], seconds: float, rounds: int) -> Row:
    """The fastest of some rounds of each set, and of OpenSpiel; LudensError if OpenSpiel lacks the game."""
    theirs = OpenSpiel.of(rules, time.process_time)
    if theirs is None:
        raise LudensError(f"OpenSpiel does not have {rules}")
    rates, their_rates = dict.fromkeys(workers, 0.0), []
    for _ in range(rounds):
        for name, worker in workers.items():
            rates[name] = max(rates[name], worker.submit(rate_on, rules, name, seconds).result())
        their_rates.append(theirs.iterations(seconds))
    return Row(rules, rates, max(their_rates))


def worker_of(instruction_set: str) -> ProcessPoolExecutor:
    """A process in which no instruction set is better than this one."""
    return ProcessPoolExecutor(1, get_context("spawn"), initializer=_use_at_best, initargs=(instruction_set,))


def _use_at_best(instruction_set: str) -> None:
    os.environ["LUDENS_INSTRUCTION_SET"] = instruction_set


def rate_on(rules: str, instruction_set: str, seconds: float) -> float:
    """Iterations a CPU second; LudensError if this process searches on another set."""
    game = _game(rules)
    found = Simulator(game).instruction_set
    if found != instruction_set:
        raise LudensError(f"{rules} would be searched on {found}, not on {instruction_set}")
    return search_rate(game, 1, seconds, time.process_time)


@cache
def _game(rules: str) -> Game:
    return Game.from_propnet(load(find_rules(rules).sheet()))


def floors(rows: list[Row]) -> list[str]:
    """A line for each game that has a floor, if what it is set for was measured."""
    lines = []
    for row in rows:
        if row.game not in FLOORS or LESSER not in row.rates:
            continue
        verdicts = [_verdict(f"× {row.ratio(LESSER):.1f}", row.ratio(LESSER), FLOORS[row.game])]
        if GREATER in row.rates:
            share = row.rates[LESSER] / row.rates[GREATER]
            verdicts.append(f"{_verdict(f'{share:.2f}', share, LEAST_SHARE)} of {GREATER}")
        lines.append(f"{row.game}: {LESSER} {', '.join(verdicts)}")
    return lines


def _verdict(text: str, reached: float, floor: float) -> str:
    return f"{text} (floor {floor:g}, {'reached' if reached >= floor else 'not reached'})"


def table(rows: list[Row]) -> tuple[list[str], list[list[str]]]:
    """The head and the cells: thousands of iterations a second, and ratios."""
    names = [*rows[0].rates]
    head = ["game", *names, "OpenSpiel", *(f"{name} × OpenSpiel" for name in names)]
    cells = []
    for row in rows:
        rates = [f"{rate / 1e3:,.0f}" for rate in row.rates.values()]
        cells.append([row.game, *rates, f"{row.openspiel / 1e3:.1f}", *(f"{row.ratio(name):.1f}" for name in names)])
    return head, cells


def main() -> int:
    """Prints a Markdown table, and what the floors say."""
    args = set_bench.options(__doc__, "games that OpenSpiel has too (those that have a floor)", 0.4).parse_args()
    with ExitStack() as stack:
        workers = {name: stack.enter_context(worker_of(name)) for name in set_bench.chosen_sets(args)}

        def row(rules: str) -> Row:
            return measure(rules, workers, args.seconds, args.rounds)

        return set_bench.run(args, args.games or [*FLOORS], row, table, floors)


if __name__ == "__main__":
    sys.exit(main())
