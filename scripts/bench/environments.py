"""Measures environments, in one run on one core: steps a second, beside the raw simulator and other packages.

    python -m scripts.bench.environments [--games connect_four hex] [--seconds 0.5] [--json FILE]

For each game and number of games side by side:
* inside: random actions chosen by the batch, with all its arrays written (planes, legal moves, roles, rewards, ends)
* packed: the same with states as packed bits in place of planes
* masks: random actions chosen by the caller from the masks, in numpy
* raw: random games of the simulator, of which nothing is written; shares are of this rate
* fill: numpy fills the same arrays with zeros and plays nothing: no batch that writes them can be faster

Machines that others use too give other rates from run to run; the ratios of one run hold. Peers are measured where they
are installed: PettingZoo's classics, OpenSpiel through Python, EnvPool and pgx; a step is one move of one role.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from ludens.agent.api.game import Game, load
from ludens.agent.env.batch import Batch
from ludens.agent.env.opponents import random_actions
from ludens.native.core import Simulator

GAMES = ("tic_tac_toe", "connect_four", "hex", "gomoku", "breakthrough", "reversi")
SIZES = (1, 64, 1024, 16_384)
_CLASSICS = {"tic_tac_toe": "tictactoe_v3", "connect_four": "connect_four_v3"}
_SPIEL = {
    "tic_tac_toe": "tic_tac_toe",
    "connect_four": "connect_four",
    "hex": "hex(board_size=9)",
    "breakthrough": "breakthrough",
    "reversi": "othello",
}


def main() -> int:
    """Prints a table, a row for each game and number of games."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", nargs="+", default=list(GAMES))
    parser.add_argument("--sizes", nargs="+", type=int, default=list(SIZES))
    parser.add_argument("--seconds", type=float, default=0.5, help="of each measurement")
    parser.add_argument("--json", type=Path, help="write the rates here too")
    options = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    rows = []
    print("| game | games | inside | packed | masks | raw | fill | inside / raw | packed / raw |\n|---|" + "--:|" * 8)
    for name in options.games:
        game = load(name)
        for size in options.sizes:
            row = {"game": name, "games": size} | rates(game, size, options.seconds)
            rows.append(row)
            print(
                f"| {name} | {size} | {_text(row['inside'])} | {_text(row['packed'])} | {_text(row['masks'])} | "
                f"{_text(row['raw'])} | {_text(row['fill'])} | "
                f"{row['inside'] / row['raw']:.1%} | {row['packed'] / row['raw']:.1%} |",
                flush=True,
            )
    print("\n| game | package | steps a second |\n|---|---|--:|")
    for name in options.games:
        for package, measure in PEERS.items():
            try:
                rate = measure(name, options.seconds)
            except ImportError as error:
                print(f"| {name} | {package} | not installed: {error} |")
                continue
            if rate is not None:
                rows.append({"game": name, "package": package, "rate": rate})
                print(f"| {name} | {package} | {_text(rate)} |", flush=True)
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    return 0


def rates(game: Game, size: int, seconds: float) -> dict[str, float]:
    """Returns steps for a second of CPU time."""
    planes = Batch(game, size, seed=1)
    packed = Batch(game, size, seed=1, observation="none", also=("states",))
    rng = np.random.default_rng(1)

    def choose_from_masks() -> None:
        actions = random_actions(planes.legal, rng)
        planes.step(actions)

    def fill() -> None:
        for array in (planes.observations, planes.legal, planes.to_move, planes.rewards, planes.done):
            array.fill(0)

    return {
        "inside": size * _rate(planes.step_randomly, seconds),
        "packed": size * _rate(packed.step_randomly, seconds),
        "masks": size * _rate(choose_from_masks, seconds),
        "fill": size * _rate(fill, seconds),
        "raw": _raw_rate(game, seconds),
    }


def _raw_rate(game: Game, seconds: float) -> float:
    simulator = Simulator(game.native, seed=1)
    simulator.playouts(1000)
    began = time.thread_time()
    played = simulator.playouts(1 << 62, seconds=seconds)
    return played.state_changes / (time.thread_time() - began)


def _rate(step: Callable[[], object], seconds: float) -> float:
    """Returns calls for a second of CPU time."""
    for _ in range(3):
        step()
    calls, began = 0, time.thread_time()
    while (spent := time.thread_time() - began) < seconds:
        step()
        calls += 1
    return calls / spent


def _text(rate: float) -> str:
    return f"{rate / 1e6:.2f} M" if rate >= 1e5 else f"{rate:,.0f}"


# ---- Peers ----


def measure_pettingzoo(name: str, seconds: float) -> float | None:
    """Returns the rate of the game of PettingZoo's classics; None if it has none. Raises ImportError."""
    if name not in _CLASSICS:
        return None
    env = import_module(f"pettingzoo.classic.{_CLASSICS[name]}").env()
    rng = np.random.default_rng(1)
    env.reset(seed=1)

    def step() -> None:
        observation, _, over, cut, _ = env.last()
        if over or cut:
            env.reset()
        else:
            env.step(int(rng.choice(np.flatnonzero(observation["action_mask"]))))

    return _rate(step, seconds)


def measure_openspiel(name: str, seconds: float) -> float | None:
    """Returns the rate of OpenSpiel's own game, in C++ through Python; None if it has none. Raises ImportError."""
    if name not in _SPIEL:
        return None
    game = import_module("pyspiel").load_game(_SPIEL[name])
    rng = np.random.default_rng(1)
    state = game.new_initial_state()

    def step() -> None:
        nonlocal state
        if state.is_terminal():
            state = game.new_initial_state()
        state.observation_tensor()
        legal = state.legal_actions()
        state.apply_action(legal[int(rng.integers(len(legal)))])

    return _rate(step, seconds)


def measure_pgx(name: str, seconds: float) -> float | None:
    """Returns the rate of pgx on the processor, 1,024 games at once; None if it has no such game."""
    known = {"tic_tac_toe": "tic_tac_toe", "connect_four": "connect_four", "reversi": "othello"}
    if name not in known:
        return None
    if find_spec("pgx") is None:
        raise ImportError("pgx")
    jax: Any = import_module("jax")
    pgx: Any = import_module("pgx")
    auto_reset: Any = import_module("pgx.experimental").auto_reset
    env = pgx.make(known[name])
    begin, step = jax.jit(jax.vmap(env.init)), jax.jit(jax.vmap(auto_reset(env.step, env.init)))
    keys = jax.random.split(jax.random.PRNGKey(1), 1024)
    state = begin(keys)

    def advance() -> None:
        nonlocal state, keys
        actions = jax.numpy.argmax(state.legal_action_mask, axis=-1)
        state = step(state, actions, keys)
        jax.block_until_ready(state)

    calls, began = 0, time.monotonic()
    advance()
    began = time.monotonic()
    while time.monotonic() - began < seconds:
        advance()
        calls += 1
    return 1024 * calls / (time.monotonic() - began)


def measure_envpool(name: str, seconds: float) -> float | None:
    """Returns the rate of EnvPool's game in C++, 1,024 games at once on one thread, with actions drawn from masks."""
    known = {"tic_tac_toe": "TicTacToe-v1", "connect_four": "ConnectFour-v1", "reversi": "Othello-v1"}
    if name not in known:
        return None
    envs = import_module("envpool").make_gymnasium(known[name], num_envs=1024, num_threads=1)
    rng = np.random.default_rng(1)
    infos = envs.reset()[1]

    def step() -> None:
        nonlocal infos
        infos = envs.step(random_actions(infos["legal_action_mask"].astype(np.int8), rng))[-1]

    calls, began = 0, time.monotonic()
    while time.monotonic() - began < seconds:
        step()
        calls += 1
    return 1024 * calls / (time.monotonic() - began)


PEERS: dict[str, Callable[[str, float], float | None]] = {
    "PettingZoo": measure_pettingzoo,
    "OpenSpiel through Python": measure_openspiel,
    "EnvPool, 1,024 games (wall clock)": measure_envpool,
    "pgx, 1,024 games (wall clock)": measure_pgx,
}


if __name__ == "__main__":
    raise SystemExit(main())
