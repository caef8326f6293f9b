"""Says what limits machine code in each game: logic, loads, stores, the fetching of code or rows, by a model in cycles.

    python -m scripts.bench.roofline --json docs/data/roofline.json
    python -m scripts.bench.roofline hex reversi --sets avx2-jit

The machine code of a state change (gates of the network, choice of moves, ends of games and new states) is read back
and counted. What the core does in a cycle is measured in the same run by loops of machine code
(`scripts.common.processor`), the length of a cycle included. Each resource then needs so many cycles at least, and so
does the longest chain of gates that wait for each other, from one state to the next, where a row that another function
wrote comes out of the store buffer: the slowest of all is the roof. Code and rows count as fetched from the second
cache, once a state change, where they are more than the first one holds: of the code of phases, which are run in turns,
all together. Beside the roof stands what random games take on this core, in cycles of CPU time, all that is not machine
code included (drawing random numbers, counting results, beginning games anew).

Loops of a network are repeated as often as random positions of so many games side by side need. What guards may leave
out counts as done. A row fills one register, also where machines have wider ones by default. Where a game has phases,
their code is averaged.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from itertools import groupby
from pathlib import Path

import numpy as np

from ludens.games.rules import find_rules
from ludens.native.core import Game, Simulator, instruction_sets, unpack_bits
from ludens.native.core.machine_code import Function, Purpose, functions
from ludens.propnet.base.errors import LudensError
from ludens.propnet.compile.loader import load
from ludens.propnet.network.propnet import Propnet
from scripts.common import arguments, processor, tables
from scripts.common.processor import Core
from scripts.common.progress import tell
from scripts.common.x86_64 import Kind, instructions

ROW_BYTES = {"avx512-jit": 64, "avx2-jit": 32}
GAMES: tuple[str, ...] = (
    "connect_four",
    "breakthrough",
    "tic_tac_toe",
    "reversi",
    "english_draughts",
    "hex",
    "gomoku",
    "pentago",
)
GAMES += ("knightthrough", "amazons", "mini_chess", "tron", "connect_four_three", "nim", "goofspiel")
_LINE = 64  # bytes
_FIRST_STATE_ROW, _ONES = 2, 1
_STEPS = 60  # of the games from which positions are taken
_ENDLESS = 1 << 40
_HOP = 7  # gates that are worth a wait for a row in memory, in the choice of the longest chain


@dataclass(frozen=True, slots=True)
class Counts:
    """What machine code does at a state change."""

    logic: float
    copies: float
    loads: float  # as operands of logic, too
    stores: float
    instructions: float
    code_bytes: float  # distinct, as are
    row_bytes: float
    chain: float  # gates that wait for one another, and
    hops: float  # times that they wait for a row in memory which another function wrote
    phases: int = 1  # whose code is run in turns, so that the first cache has to hold that of all

    def cycles(self, core: Core, first_code: int, first_rows: int) -> dict[str, float]:
        """The least that each resource needs; the sizes of the first caches are in bytes."""
        code, rows = self.code_bytes, self.row_bytes
        return {
            "logic": self.logic / core.logic,
            "loads": self.loads / core.loads,
            "stores": self.stores / core.stores,
            "chain": self.chain + self.hops * core.forwarding,
            "instructions": self.instructions / core.width,
            "code from L2": code / core.code_fetch if code * self.phases > first_code else 0.0,
            "rows from L2": rows / _LINE / core.line_fetch if rows > first_rows else 0.0,
        }


@dataclass(frozen=True, slots=True)
class Row:
    """One game on one instruction set; cycles of a state change of all lanes."""

    game: str
    instruction_set: str
    counts: Counts
    passes: float  # over loops; 1: there are none
    needed: dict[str, float]  # cycles by resource
    measured: float  # cycles

    @property
    def limit(self) -> str:
        """The resource that needs most."""
        return max(self.needed, key=lambda resource: self.needed[resource])

    @property
    def roof(self) -> float:
        """The share of the measured cycles that the limit needs."""
        return self.needed[self.limit] / self.measured


@dataclass(frozen=True, slots=True)
class Run:
    """What was measured on one core."""

    caches: dict[str, int]  # bytes
    cores: dict[str, Core]  # by instruction set
    rows: list[Row]


def programs(written: list[Function]) -> list[list[Function]]:
    """The functions of each program of a game, in order; one for each phase, if there are any, and one for all."""
    found: list[list[Function]] = []
    for state, group in groupby(written, key=lambda function: function.purpose is Purpose.STATE):
        if state:
            found[-1] += group
        else:
            found.append(list(group))
    return found


def is_loop(function: Function) -> bool:
    """Whether it is repeated until nothing changes: gates of a network that write rows which they have read."""
    known: set[int] = set()
    for inputs, output in zip(function.inputs.tolist(), function.outputs.tolist(), strict=True):
        if output in known:
            return function.purpose is Purpose.NETWORK
        known.update(inputs)
    return False


def count(program: list[Function], row_bytes: int, passes: float) -> Counts:
    """Counts a program; `passes` over each of its loops."""
    kinds: Counter[str] = Counter()
    rows: set[int] = set()
    code = loads = total = 0.0
    for function in program:
        if function.purpose is Purpose.ON_DEMAND:
            continue
        times = passes if is_loop(function) else 1.0
        for instruction in instructions(function.code):
            kinds[instruction.kind] += times  # type: ignore[assignment]
            loads += times * instruction.loads
            total += times
            if instruction.offset is not None:
                rows.add(instruction.offset)
        code += len(function.code)
    chain, hops = longest_chain(program, round(passes))
    stores, touched = kinds[Kind.STORE], float(len(rows) * row_bytes)
    return Counts(kinds[Kind.LOGIC], kinds[Kind.COPY], loads, stores, total, code, touched, chain, hops)


def longest_chain(program: list[Function], passes: int) -> tuple[int, int]:
    """Gates that wait for one another, and how often they wait for a row in memory: the path with most of `_HOP`."""
    at: dict[int, tuple[int, int]] = {}  # of each row, the path that ends there
    for function in program:
        if function.purpose is Purpose.ON_DEMAND:
            continue
        for _ in range(passes if is_loop(function) else 1):
            here: set[int] = set()
            for inputs, output in zip(function.inputs.tolist(), function.outputs.tolist(), strict=True):
                paths = [(gates, hops + (row not in here)) for row in inputs if row in at for gates, hops in [at[row]]]
                gates, hops = max(paths, key=_length, default=(0, 0))
                at[output] = gates + 1, hops
                here.add(output)
    return max(at.values(), key=_length, default=(0, 0))


def _length(path: tuple[int, int]) -> int:
    return path[0] + _HOP * path[1]


def mean(counts: list[Counts]) -> Counts:
    """Field by field."""
    means = {
        field.name: float(np.mean([getattr(each, field.name) for each in counts]))
        for field in fields(Counts)
        if field.name != "phases"
    }
    return Counts(**means, phases=len(counts))


# ---- Passes over loops


def passes_over_loops(net: Propnet, game: Game, written: list[Function], rows: int, lanes: int) -> float:
    """How often loops are evaluated at a state, for random positions of games side by side; 1: there are no loops."""
    program = programs(written)[-1]
    if not any(map(is_loop, program)):
        return 1.0
    found = []
    for positions in _positions(net, game, lanes):
        values = np.zeros((rows + len(program[0].outputs) * 4 + 1, lanes), np.bool_)
        values[_ONES] = True
        values[_FIRST_STATE_ROW : _FIRST_STATE_ROW + net.state_bits] = positions.T
        found += [_evaluate(function, values) for function in program if function.purpose is Purpose.NETWORK]
    return float(np.mean([times for times in found if times > 0]))


def _positions(net: Propnet, game: Game, lanes: int) -> Iterable[np.ndarray]:
    """Batches of positions, each at a random step of another random game."""
    simulator, rng = Simulator(game, seed=1), np.random.default_rng(1)
    games = simulator.record(max_steps=_STEPS)[:lanes]
    states = np.repeat(simulator.game.initial[None], len(games), axis=0)
    nothing = np.full(game.roles, -1, np.int32)
    steps = [states]
    for step in range(_STEPS):
        joint = [moves[step] if step < len(moves) else nothing for moves in games]
        states = simulator.next(states, np.array(joint, np.int32))
        steps.append(states)
    lengths = np.array([min(len(moves), _STEPS) for moves in games])
    for _ in range(8):
        at = rng.integers(0, lengths)
        chosen = np.array([steps[step][lane] for lane, step in enumerate(at)])
        yield np.resize(unpack_bits(chosen, net.state_bits), (lanes, net.state_bits))


def _evaluate(function: Function, values: np.ndarray) -> int:
    """Executes a function on rows `bool[rows, lanes]`; returns the passes over a loop, 0 where it is none."""
    gates = list(zip(function.inputs.tolist(), function.outputs.tolist(), function.tables.tolist(), strict=True))
    if not is_loop(function):
        _execute(gates, values)
        return 0
    known: set[int] = set()
    for inputs, output, _ in gates:
        if output in known:
            values[output] = False
        known.update(inputs)
    for number in range(1, len(gates) + 1):
        _execute(gates, values)
        if not values[gates[-1][1]].any():
            return number
    raise LudensError("a loop denies itself")


def _execute(gates: list[tuple[list[int], int, int]], values: np.ndarray) -> None:
    for (a, b, c), output, outputs in gates:
        table = np.array([outputs >> i & 1 for i in range(8)], np.bool_)
        values[output] = table[4 * values[a].astype(np.uint8) + 2 * values[b] + values[c]]


# ---- Measuring


def measure(rules: str, cores: dict[str, Core], caches: dict[str, int], seconds: float, rounds: int) -> list[Row]:
    """A row for each instruction set."""
    net = load(find_rules(rules).sheet())
    game, rows = Game.from_propnet(net), []
    for name, core in cores.items():
        simulator = Simulator(game, 8 * ROW_BYTES[name], seed=1, instruction_set=name)
        written, row_count = functions(game, name)
        passes = passes_over_loops(net, game, written, row_count, simulator.lanes)
        parts = programs(written)
        counts = mean([count(part, ROW_BYTES[name], passes) for part in parts[: max(1, len(parts) - 1)]])
        needed = counts.cycles(core, caches["L1 code"], caches["L1 rows"])
        best = max(_changes_a_second(simulator, seconds) for _ in range(rounds))
        rows.append(Row(rules, name, counts, passes, needed, core.hertz * simulator.lanes / best))
    return rows


def _changes_a_second(simulator: Simulator, seconds: float) -> float:
    began = time.process_time()
    run = simulator.playouts(_ENDLESS, seconds=seconds)
    return run.state_changes / (time.process_time() - began)


def caches_of(cpu: int) -> dict[str, int]:
    """The sizes of a core's caches as Linux tells them, in bytes; LudensError where it does not."""
    names = {("1", "Instruction"): "L1 code", ("1", "Data"): "L1 rows", ("2", "Unified"): "L2"}
    found = {}
    for index in Path(f"/sys/devices/system/cpu/cpu{cpu}/cache").glob("index*"):
        level, kind, size = ((index / name).read_text().strip() for name in ("level", "type", "size"))
        if (level, kind) in names:
            found[names[level, kind]] = int(size.removesuffix("K")) << 10
    if len(found) < len(names):
        raise LudensError("Linux does not tell the sizes of the caches here")
    return found


def core_table(run: Run) -> tuple[list[str], list[list[str]]]:
    """What the core does in a cycle."""
    head = ["rows of", "GHz", "logic", "loads", "stores", "instructions", "lines from L2", "bytes of code from L2"]
    head.append("cycles from store to load")
    cells = []
    for name, core in run.cores.items():
        rates = core.logic, core.loads, core.stores, core.width, core.line_fetch
        cells.append([name, f"{core.hertz / 1e9:.2f}", *(f"{rate:.2f}" for rate in rates), f"{core.code_fetch:.1f}"])
        cells[-1].append(f"{core.forwarding:.1f}")
    return head, cells


def table(run: Run) -> tuple[list[str], list[list[str]]]:
    """The head and the cells."""
    head = ["game", "set", "logic", "copies", "loads", "stores", "code kB", "phases", "rows kB", "passes"]
    head += [f"{name}: cycles" for name in run.rows[0].needed] + ["measured", "limit of the code", "roof / measured %"]
    cells = []
    for row in run.rows:
        counts = row.counts
        numbers = [f"{number:,.0f}" for number in (counts.logic, counts.copies, counts.loads, counts.stores)]
        sizes = [f"{counts.code_bytes / 1024:.1f}", f"{counts.phases}", f"{counts.row_bytes / 1024:.1f}"]
        cycles = [f"{cycles:,.0f}" if cycles else "–" for cycles in row.needed.values()]
        verdict = [f"{row.measured:,.0f}", row.limit, f"{100 * row.roof:.0f}"]
        cells.append([row.game, row.instruction_set, *numbers, *sizes, f"{row.passes:.1f}", *cycles, *verdict])
    return head, cells


def read(text: str) -> Run:
    """A run as `--json` writes it."""
    found = json.loads(text)
    rows = [Row(**{**row, "counts": Counts(**row["counts"])}) for row in found["rows"]]
    return Run(found["caches"], {name: Core(**core) for name, core in found["cores"].items()}, rows)


def main() -> int:
    """Prints two Markdown tables: the core, and the games."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", metavar="GAME", help="built-in games or .kif files (fifteen of them)")
    here = [name for name in instruction_sets() if name in ROW_BYTES]
    parser.add_argument("--sets", nargs="+", metavar="SET", choices=here, default=here, help="instruction sets (all)")
    parser.add_argument("--seconds", type=arguments.seconds, default=0.2, help="of each run (0.2)")
    parser.add_argument("--rounds", type=arguments.count, default=5, help="runs, of which the fastest counts (5)")
    parser.add_argument("--json", type=Path, help="write what was found to this file")
    args = parser.parse_args()
    cpu = min(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cpu})
    try:
        caches, rows = caches_of(cpu), []
        cores = {name: processor.measure(ROW_BYTES[name]) for name in args.sets}
        for rules in args.games or GAMES:
            tell(rules)
            rows += measure(rules, cores, caches, args.seconds, args.rounds)
    except LudensError as error:
        print(f"roofline: {error}", file=sys.stderr)
        return 1
    run = Run(caches, cores, rows)
    if args.json:
        args.json.write_text(json.dumps(asdict(run), indent=1) + "\n")
    print(*tables.lines(*core_table(run)), "", *tables.lines(*table(run)), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
