"""What `scripts.bench.environments` measures: Ludens and other packages, each as games that are stepped from masks."""

from __future__ import annotations

import os
import random
import statistics
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

from ludens import games
from ludens.agent.api.game import Game, load
from ludens.agent.env.batch import Batch
from ludens.agent.env.opponents import random_actions
from ludens.native.core import Simulator
from scripts.bench.mask_choices import Choice, numpy_choice

MASKS, PACKED_MASKS, HELPED, INSIDE, PACKED, RAW = "masks", "packed masks", "helped", "inside", "packed", "raw"
"""Ways of Ludens, which `scripts.bench.environments` explains."""

_STEPS = 200
_TIMED_GAMES = 200_000  # of which each step is timed, to tell the caller's share
_HEX_SIZE = 11  # EnvPool has no other


@dataclass(slots=True)
class Contestant:
    """Games side by side, of which each call of `step` steps every one."""

    package: str
    way: str
    games: int
    step: Callable[[], object]
    choose: Callable[[], Any] | None = None  # what the caller does in a step
    act: Callable[[Any], object] | None = None  # the rest of the step, with what was chosen

    def share(self) -> float:
        """Returns the share of CPU time that is not spent in the caller's choice; 0 where that is not known.

        Both are timed in each step by itself, so that masks are those of the games; what looking at the clock takes is
        measured likewise, and taken off.
        """
        if self.choose is None or self.act is None:
            return 0.0
        looking, choosing, acting = [], [], []
        for _ in range(max(50, _TIMED_GAMES // self.games)):
            before, began = time.process_time_ns(), time.process_time_ns()
            chosen = self.choose()
            between = time.process_time_ns()
            self.act(chosen)
            ended = time.process_time_ns()
            looking.append(began - before)
            choosing.append(between - began)
            acting.append(ended - between)
        clock = statistics.median(looking)
        choice, rest = (max(0.0, statistics.median(times) - clock) for times in (choosing, acting))
        return rest / (choice + rest) if choice + rest else 0.0


# ---- Ludens ----


@cache
def game_of(name: str) -> Game:
    """Returns a built-in game; hex on the board that other packages have."""
    return load(_larger_hex() if name == "hex" else name)


def _larger_hex() -> str:
    """The rules of hex on a larger board."""
    text = games.read("hex").replace("(joined 9 ", f"(joined {_HEX_SIZE} ")
    more = range(9, _HEX_SIZE)
    return text + " ".join(f"(index {i + 1}) (succ {i} {i + 1})" for i in more)


def ludens(name: str, sizes: Sequence[int]) -> Iterator[Contestant]:
    """Yields batches of Ludens, and its simulator."""
    game = game_of(name)
    for size in sizes:
        yield _one_from_masks(game) if size == 1 else _from_masks(game, size, MASKS)
        if size > 1:
            yield _from_masks(game, size, PACKED_MASKS)
            yield _from_masks(game, size, HELPED)
        batch = Batch(game, size, seed=1)
        yield Contestant("Ludens", INSIDE, size, batch.step_randomly)
        packed = Batch(game, size, seed=1, observation="none", also=("states",))
        yield Contestant("Ludens", PACKED, size, packed.step_randomly)
    simulator = Simulator(game.native, seed=1)
    changes = simulator.playouts(2000).state_changes  # as good as the same each time
    yield Contestant("Ludens", RAW, changes, lambda: simulator.playouts(2000))


def _from_masks(game: Game, size: int, way: str) -> Contestant:
    packed = way != MASKS
    batch = Batch(game, size, seed=1, autoreset="same_step", layout="bits" if packed else "bytes")
    if way == HELPED:
        rng = np.random.default_rng(1)
        draw: Choice = lambda masks: random_actions(masks, rng, packed=True)  # noqa: E731
    else:
        for _ in range(_STEPS):  # until games are at different steps
            batch.step_randomly()
        draw = numpy_choice(batch.legal, batch.actions, packed)
    return Contestant("Ludens", way, size, lambda: batch.step(draw(batch.legal)), lambda: draw(batch.legal), batch.step)


def _one_from_masks(game: Game) -> Contestant:
    """One game, from whose mask plain Python draws until an action is legal."""
    batch = Batch(game, 1, seed=1, autoreset="same_step")
    legal, actions, draw = memoryview(batch.legal[0]), batch.actions, random.Random(1).random

    def choose() -> int:
        while not legal[action := int(draw() * actions)]:
            pass
        return action

    def step() -> None:
        while not legal[action := int(draw() * actions)]:
            pass
        batch.step(action)

    return Contestant("Ludens", MASKS, 1, step, choose, batch.step)


# ---- Other packages ----


@dataclass(frozen=True, slots=True)
class Peer:
    """Another package."""

    package: str  # to be installed
    module: str
    names: dict[str, str]  # of games
    make: Callable[[str, int], Callable[[], object]]  # the name of a game, games side by side: what steps them
    sizes: tuple[int, ...] = (1,)  # at which it is measured

    def installed(self) -> bool:
        """Whether it is there."""
        return find_spec(self.module) is not None

    def contestants(self, name: str, title: str) -> Iterator[Contestant]:
        """Yields its games of this kind under a title, if it has any and is installed."""
        if name in self.names and self.installed():
            for size in self.sizes:
                yield Contestant(title, MASKS, size, self.make(self.names[name], size))


def _pettingzoo(name: str, _size: int) -> Callable[[], object]:
    os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        env = import_module(f"pettingzoo.classic.{name}.{name}").env()
    rng = random.Random(1)
    env.reset(seed=1)

    def step() -> None:
        observation, _, over, cut, _ = env.last()
        if over or cut:
            env.reset()
        else:
            env.step(int(rng.choice(observation["action_mask"].nonzero()[0])))

    return step


def _openspiel(name: str, _size: int) -> Callable[[], object]:
    game = import_module("pyspiel").load_game(name)
    rng = random.Random(1)
    state = game.new_initial_state()

    def step() -> None:
        nonlocal state
        if state.is_terminal():
            state.returns()
            state = game.new_initial_state()
        state.observation_tensor()
        state.apply_action(rng.choice(state.legal_actions()))

    return step


def _envpool(name: str, size: int) -> Callable[[], object]:
    envs = import_module("envpool").make_gymnasium(name, num_envs=size, num_threads=1, seed=1)
    rng = np.random.default_rng(1)
    mask = envs.reset()[1]["legal_action_mask"]

    def step() -> None:
        nonlocal mask
        mask = envs.step(random_actions(mask, rng))[-1]["legal_action_mask"]

    return step


def _pgx(name: str, size: int) -> Callable[[], object]:
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    jax: Any = import_module("jax")
    pgx: Any = import_module("pgx")
    env = pgx.make(name)
    auto_reset = import_module("pgx.experimental").auto_reset
    many = jax.vmap(auto_reset(env.step, env.init))

    @jax.jit  # type: ignore[untyped-decorator]
    def advance(state: Any, key: Any) -> Any:
        key, drawing, stepping = jax.random.split(key, 3)
        weights = jax.numpy.log(state.legal_action_mask.astype(jax.numpy.float32))
        actions = jax.random.categorical(drawing, weights, axis=-1)
        return many(state, actions, jax.random.split(stepping, size)), key

    key = jax.random.PRNGKey(1)
    state = jax.jit(jax.vmap(env.init))(jax.random.split(key, size))

    def step() -> None:
        nonlocal state, key
        state, key = jax.block_until_ready(advance(state, key))

    return step


PEERS: dict[str, Peer] = {
    "PettingZoo": Peer(
        "pettingzoo", "pettingzoo", {"tic_tac_toe": "tictactoe", "connect_four": "connect_four"}, _pettingzoo
    ),
    "OpenSpiel": Peer(
        "open_spiel",
        "pyspiel",
        {
            "tic_tac_toe": "tic_tac_toe",
            "connect_four": "connect_four",
            "breakthrough": "breakthrough",
            "reversi": "othello",
            "hex": f"hex(board_size={_HEX_SIZE})",
            "gomoku": "gomoku",
        },
        _openspiel,
    ),
    "EnvPool": Peer(
        "envpool",
        "envpool",
        {"tic_tac_toe": "TicTacToe-v1", "connect_four": "ConnectFour-v1", "reversi": "Othello-v1", "hex": "Hex-v1"},
        _envpool,
        (64, 1024),
    ),
    "pgx": Peer(
        "pgx",
        "pgx",
        {"tic_tac_toe": "tic_tac_toe", "connect_four": "connect_four", "reversi": "othello", "hex": "hex"},
        _pgx,
        (64, 1024),
    ),
}
"""The other packages by their titles."""
