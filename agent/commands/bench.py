"""`ludens bench`: measures one game on this machine: its network, its random playouts, the tree search."""

from __future__ import annotations

import dataclasses
import json
import math
import shlex
import textwrap
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

from ludens.agent.commands.progress import progress
from ludens.agent.commands.terminal import columns
from ludens.agent.playable.playable_game import playable_game
from ludens.games.rules import find_rules
from ludens.native.core import Game, Playouts, Search, Simulator
from ludens.native.cuda.device import available
from ludens.native.cuda.network import CudaSimulator
from ludens.native.defaults import MAX_STEPS
from ludens.propnet.base.child import Limits, Tell
from ludens.propnet.base.errors import NativeError
from ludens.propnet.base.words import counted
from ludens.propnet.gdl.syntax import RuleSheet
from ludens.propnet.network.propnet import Propnet

_WIDEST = 110  # columns
_WITHOUT_END = 1 << 40  # playouts: more than any run finishes
_RULES_LANES = 1  # games at once in a thread where rules are interpreted: more would gain nothing, and end later


@dataclass(frozen=True, slots=True)
class Measurements:
    """The speeds of one game per second of wall clock, all threads together; named as in `ludens bench --json`."""

    game: str
    ground_s: float  # from rules to network, or until that was given up
    gates: int | None  # None: there is no network, so the rules were interpreted,
    fallback_reason: str  # ... and why
    lanes: int  # of each thread
    instruction_set: str  # that random games are played with, as `LUDENS_INSTRUCTION_SET` names it
    playouts_per_s: float
    state_changes_per_s: float
    mean_length: float  # state changes in a playout
    improper_share: float  # of playouts in which a role had no legal move, or that reached the limit of steps
    search_iterations_per_s: float
    gpu_playouts_per_s: float | None  # None: there is none, numba is not installed, or the network is too large for it


def run(game: str, seconds: float, lanes: int, threads: int, limits: Limits, as_json: bool) -> int:
    """Measures a built-in game or a file, as `measure` says; raises `LudensError`."""
    rules = find_rules(game)
    sheet = rules.sheet()
    with progress(f"measuring {rules.name}") as tell:
        measured = measure(rules.name, sheet, seconds, lanes, threads, limits, tell)
    print(json.dumps(dataclasses.asdict(measured)) if as_json else _table(measured, game))
    return 0


def measure(
    name: str,
    sheet: RuleSheet,
    seconds: float,
    lanes: int,
    threads: int,
    limits: Limits | None = None,
    tell: Tell = lambda _line: None,
) -> Measurements:
    """Measures `seconds` of random games, then `seconds` of UCT; `lanes` 0 takes the best number of this machine.

    Rules that do not become a network within `limits` are interpreted. Raises `NativeError` for lanes that the
    machine does not have.
    """
    began = time.monotonic()
    playable = playable_game(sheet, limits or Limits(), tell)
    ground_s = time.monotonic() - began
    game, net = playable.game.game, playable.net
    lanes = lanes or (0 if net else _RULES_LANES)
    simulators = [Simulator(game, lanes, seed) for seed in range(1, threads + 1)]
    tell("playing random games")
    runs = _play(simulators, seconds)
    playouts, changes = sum(run.count for run in runs), sum(run.state_changes for run in runs)
    elapsed = sum(run.seconds for run in runs) / threads
    tell("searching")
    return Measurements(
        game=name,
        ground_s=ground_s,
        gates=len(net.gates) if net else None,
        fallback_reason=playable.fallback_reason,
        lanes=simulators[0].lanes,
        instruction_set=simulators[0].instruction_set,
        playouts_per_s=playouts / elapsed,
        state_changes_per_s=changes / elapsed,
        mean_length=changes / max(playouts, 1),
        improper_share=sum(run.stuck for run in runs) / max(playouts, 1),
        search_iterations_per_s=_search(game, seconds, lanes, threads),
        gpu_playouts_per_s=_play_on_gpu(net, seconds) if net and available() else None,
    )


def _play(simulators: list[Simulator], seconds: float) -> list[Playouts]:
    """Plays random games on all simulators at once."""
    with ThreadPoolExecutor(len(simulators)) as pool:
        return [
            run
            for part in _parts(seconds)
            for run in pool.map(partial(Simulator.playouts, count=_WITHOUT_END, seconds=part), simulators)
        ]


def _play_on_gpu(net: Propnet, seconds: float) -> float | None:
    """Returns random games per second, once the kernels are compiled; None where the network is too large."""
    try:
        simulator = CudaSimulator(net, seed=1)
    except NativeError:
        return None
    simulator.playouts(simulator.lanes)
    run = simulator.playouts(_WITHOUT_END, seconds=seconds)
    return run.count / run.seconds


def _search(game: Game, seconds: float, lanes: int, threads: int) -> float:
    """Returns UCT iterations per second from the initial state."""
    search = Search(game, strategy="uct", threads=threads, lanes=lanes, seed=1)
    began = time.monotonic()
    for part in _parts(seconds):
        search.run(part)
    return search.stats().iterations / (time.monotonic() - began)


def _parts(seconds: float) -> list[float]:
    """Divides `seconds` into equal parts of a second at most, since Ctrl-C is noticed only between native calls."""
    count = math.ceil(seconds)
    return [seconds / count] * count


def _table(m: Measurements, path: str) -> str:
    lines = [
        _wrapped(f"{m.game}: {_machine(m)}; {counted(m.lanes, 'game')} at a time in each thread"),
        f"  {m.playouts_per_s:>15,.0f} random games a second, of {m.mean_length:.1f} steps on average",
        f"  {m.state_changes_per_s:>15,.0f} steps a second",
        f"  {m.search_iterations_per_s:>15,.0f} iterations of tree search a second",
    ]
    if m.gpu_playouts_per_s is not None:
        lines.append(f"  {m.gpu_playouts_per_s:>15,.0f} random games a second on the GPU")
    if m.gates is not None:
        lines.append(_wrapped(f"  instruction set {m.instruction_set}{_code(m.instruction_set)}"))
    if m.improper_share > 0:
        lines += [
            _wrapped(
                f"! {100 * m.improper_share:.1f} % of the random games were never over: a role had no legal move, or "
                f"they reached {MAX_STEPS:,} steps"
            ),
            f"  see why: ludens analyse {shlex.quote(path)}",
        ]
    return "\n".join(lines)


def _wrapped(text: str) -> str:
    return textwrap.fill(text, columns(_WIDEST, elsewhere=_WIDEST), subsequent_indent="  ", break_on_hyphens=False)


def _code(instruction_set: str) -> str:
    if instruction_set.endswith("-jit"):
        return ": machine code is made for each network"
    if instruction_set == "baseline":
        return ": neither AVX2 nor AVX-512 is used, so networks are interpreted, which is slower"
    return ": networks are interpreted, not made into machine code"


def _machine(m: Measurements) -> str:
    if m.gates is None:
        return f"no network ({m.fallback_reason}), so the rules are interpreted, which is slower"
    return f"network of {counted(m.gates, 'logic gate')}, made in {m.ground_s:.2f} s"
