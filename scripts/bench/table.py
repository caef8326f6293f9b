"""Makes the table of speeds, in one run on one core: ours, and OpenSpiel's C++ where it has the same game.

    pip install -e '.[bench]'
    python -m scripts.bench.table                      # all built-in games, as Markdown
    python -m scripts.bench.table connect_four breakthrough --json bench.json

OpenSpiel's random playouts run inside its MCTSBot (one simulation of many rollouts, all in C++), and its search
is that bot with one rollout a simulation. Ours and theirs take turns on the same pinned core for --rounds rounds;
every figure is a median, and `spread` is (max - min) / median over the rounds of our playout rate. Where the mean
length of OpenSpiel's random games differs from ours by more than 5 %, its length over ours follows the ratio, as
in "20.1 (length × 0.81)": longer random games take longer.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import mean, median
from typing import Any

from ludens import games
from ludens.games.rules import find_rules
from ludens.native.core import Game, Playouts, Search, Simulator
from ludens.propnet.base.errors import LudensError
from ludens.propnet.compile.loader import load
from scripts.common import arguments, tables
from scripts.common.openspiel import OpenSpiel
from scripts.common.progress import tell

_ENDLESS = 1 << 40
_LENGTH_TOLERANCE = 0.05


@dataclass(frozen=True, slots=True)
class Row:
    """One game; rates are a second of wall clock, shares are of the time of random playouts."""

    game: str
    gates: int
    network_bytes: int
    setup_s: float
    lanes: int
    instruction_set: str
    playouts_per_s: float
    state_changes_per_s: float
    mean_length: float
    evaluation_share: float
    choice_share: float
    spread: float
    iterations_per_s: float
    iterations_per_s_2_threads: float
    openspiel_playouts_per_s: float | None
    openspiel_iterations_per_s: float | None
    openspiel_length: float | None

    def searches(self) -> tuple[str, str]:
        """Thousands of iterations with one thread, and two threads over one; none where the start is solved."""
        if self.iterations_per_s == 0:
            return "solved", "–"
        gain = self.iterations_per_s_2_threads / self.iterations_per_s
        return f"{self.iterations_per_s / 1e3:,.0f}", f"× {gain:.2f}"

    def against_openspiel(self, ours: float, theirs: float | None) -> str:
        """The ratio of two rates, and of lengths unless equal; a dash where OpenSpiel lacks the game."""
        length = self.openspiel_length
        if length is None or theirs is None or ours == 0:
            return "–"
        same = abs(length - self.mean_length) <= _LENGTH_TOLERANCE * self.mean_length
        return f"{ours / theirs:.1f}" + ("" if same else f" (length × {length / self.mean_length:.2f})")


def measure(name: str, seconds: float, rounds: int, log: Callable[[str], None]) -> Row:
    """All figures of one game."""
    sheet = find_rules(name).sheet()
    began = time.perf_counter()
    net = load(sheet)
    game = Game.from_propnet(net)
    simulator = Simulator(game, seed=1)
    setup = time.perf_counter() - began
    theirs = OpenSpiel.of(name)
    ours: list[Playouts] = []
    their_playouts: list[float] = []
    searches: dict[int, list[float]] = {1: [], 2: []}
    their_searches: list[float] = []
    for number in range(rounds):
        log(f"{name}: round {number + 1} of {rounds}")
        ours.append(simulator.playouts(_ENDLESS, seconds=seconds))
        searches[1].append(search_rate(game, 1, seconds))
        if theirs is not None:
            their_playouts.append(theirs.playouts(seconds))
            their_searches.append(theirs.iterations(seconds))
    with unpinned():
        for _ in range(rounds):
            searches[2].append(search_rate(game, 2, seconds))
    rates = [run.count / run.seconds for run in ours]
    return Row(
        game=name,
        gates=len(net.gates),
        network_bytes=8 * len(net.gates),
        setup_s=setup,
        lanes=simulator.lanes,
        instruction_set=simulator.instruction_set,
        playouts_per_s=median(rates),
        state_changes_per_s=median(run.state_changes / run.seconds for run in ours),
        mean_length=mean(run.mean_length for run in ours),
        evaluation_share=median(run.evaluation_seconds / run.seconds for run in ours),
        choice_share=median(run.choice_seconds / run.seconds for run in ours),
        spread=(max(rates) - min(rates)) / median(rates),
        iterations_per_s=median(searches[1]),
        iterations_per_s_2_threads=median(searches[2]),
        openspiel_playouts_per_s=median(their_playouts) if theirs else None,
        openspiel_iterations_per_s=median(their_searches) if theirs else None,
        openspiel_length=theirs.length() if theirs else None,
    )


def search_rate(game: Game, threads: int, seconds: float, clock: Callable[[], float] = time.perf_counter) -> float:
    """UCT iterations, a descent and one random game each, a second of `clock` from the initial state, 1 GB of nodes.

    The first moments, in which memory is touched first, are not counted.
    """
    search = Search(game, threads=threads, memory_bytes=1 << 30, seed=1)
    search.run(min(0.2, seconds / 4))
    before, began = search.stats().iterations, clock()
    search.run(seconds)
    return (search.stats().iterations - before) / (clock() - began)


@contextmanager
def unpinned() -> Iterator[None]:
    """Lets the process use all its cores for a while."""
    pinned = os.sched_getaffinity(0)
    os.sched_setaffinity(0, ALL_CORES)
    try:
        yield
    finally:
        os.sched_setaffinity(0, pinned)


ALL_CORES = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set[int]()  # none: it cannot be bound


def table(rows: list[Row]) -> str:
    """Markdown."""
    columns = ["game", "gates", "kB", "set-up s", "playouts/s", "M state changes/s", "length", "eval %", "choice %"]
    columns += ["spread %", "× OpenSpiel", "UCT k it/s", "2 threads", "× OpenSpiel UCT"]
    cells = []
    for r in rows:
        playouts = r.against_openspiel(r.playouts_per_s, r.openspiel_playouts_per_s)
        searches = r.against_openspiel(r.iterations_per_s, r.openspiel_iterations_per_s)
        speeds = f"{r.playouts_per_s:,.0f}", f"{r.state_changes_per_s / 1e6:.1f}", f"{r.mean_length:.1f}"
        shares = [f"{100 * share:.0f}" for share in (r.evaluation_share, r.choice_share, r.spread)]
        network = r.game, f"{r.gates:,}", f"{r.network_bytes / 1000:.0f}", f"{r.setup_s:.2f}"
        cells.append([*network, *speeds, *shares, playouts, *r.searches(), searches])
    return "\n".join(tables.lines(columns, cells))


def compare(rows: list[Row], earlier: list[dict[str, Any]]) -> str:
    """How this run stands to a committed one, game by game: ratios of ours to ours."""
    before = {row["game"]: row for row in earlier}
    lines = [
        f"{r.game}: playouts × {r.playouts_per_s / before[r.game]['playouts_per_s']:.2f}, "
        f"UCT × {r.iterations_per_s / max(before[r.game]['iterations_per_s'], 1):.2f}, "
        f"gates {before[r.game]['gates']:,} → {r.gates:,}"
        for r in rows
        if r.game in before
    ]
    return "\n".join(lines)


def main() -> int:
    """Runs the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", metavar="GAME", help="built-in games or .kif files (all built in)")
    parser.add_argument("--seconds", type=arguments.seconds, default=1.0, help="of each run (1)")
    parser.add_argument("--rounds", type=arguments.count, default=5, help="runs of each kind (5)")
    parser.add_argument("--json", type=Path, help="write the rows to this file")
    parser.add_argument("--against", type=Path, help="rows of an earlier run, to compare with")
    args = parser.parse_args()
    os.sched_setaffinity(0, {min(ALL_CORES)})
    try:
        earlier = json.loads(args.against.read_text()) if args.against else None
        rows = [measure(name, args.seconds, args.rounds, tell) for name in args.games or games.names()]
    except (LudensError, OSError, json.JSONDecodeError) as error:
        print(f"bench: {error}", file=sys.stderr)
        return 1
    if args.json:
        args.json.write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n")
    print(table(rows))
    if earlier is not None:
        print(compare(rows, earlier))
    return 0


if __name__ == "__main__":
    sys.exit(main())
