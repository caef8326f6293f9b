"""Random playouts of a network on a graphics processor; `Simulator` of native/core in all but its memory.

>>> CudaSimulator(net, seed=1).playouts(10_000_000).goal_means
>>> KernelSearch(game, NetworkKernel(net), games=64)
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import numpy.typing as npt

from ludens.native.core import JointMoves, Playouts, States, pack_bits
from ludens.native.cuda.device import cuda, processors
from ludens.native.cuda.program import DeviceProgram, lay_out
from ludens.native.defaults import MAX_STEPS
from ludens.propnet.base.errors import NativeError
from ludens.propnet.network.propnet import Propnet

_BLOCK = 128  # threads
_BLOCKS_OF_A_PROCESSOR = 4
_MEMORY_BYTES = 1 << 30  # for the games that are played
_LAUNCH_SECONDS = 0.02  # what a launch is to take: far from any watchdog, and long beside its overhead
_RESTARTS_A_GAME = 8  # how often a game's length games are counted and started


class CudaSimulator:
    """Plays `lanes` games of one network side by side on the GPU; for one thread at a time.

    `lanes` is a multiple of 64 up to 4096 and of 4096 above, or 0 for what suits this GPU. Everything random
    follows from `seed`: lane n plays what lane n of the native simulator of the same seed plays. NativeError where
    numba or a GPU is missing.
    """

    def __init__(self, net: Propnet, lanes: int = 0, seed: int = 0) -> None:
        from ludens.native.cuda import network_kernels

        self._cuda = cuda()
        if not self._cuda.is_available():
            raise NativeError("numba finds no GPU that it can use")
        self._kernels: Any = network_kernels
        self._net = net
        program = lay_out(net)
        self.lanes = lanes or self._suitable_lanes(program)
        self._threads = self.lanes // 32
        self._block = min(_BLOCK, self._threads)
        if self.lanes < 64 or self.lanes % 64 or self._threads % self._block:
            raise NativeError(f"lanes must be a multiple of 64, and of {32 * _BLOCK} above that, not {lanes}")
        tables = {name: getattr(program, name) for name in network_kernels.Tables._fields if hasattr(program, name)}
        tables |= {"gates": _addressed(program, self._block)}
        tables |= {
            "terminal": np.array([program.terminal], np.int32),
            "state_bits": np.array([net.state_bits], np.int32),
        }
        self._tables = network_kernels.Tables(
            **{name: self._cuda.to_device(_never_empty(table)) for name, table in tables.items()}
        )
        self._lanes = self._new_lanes(program, seed)
        self._blocks = self._threads // self._block  # of the last launch

    def playouts(
        self, count: int, *, seconds: float = 0.0, state: States | None = None, max_steps: int = MAX_STEPS
    ) -> Playouts:
        """Plays `count` random games from `state` (the initial one if None); starts no more after `seconds`.

        Times of evaluation and choice are not told apart: both are NaN.
        """
        began = time.monotonic()
        self._begin(self._batch(state), _shares(count, self._threads), np.zeros(self._threads, np.int64))
        self._finish(count, seconds, max_steps)
        return self._playouts(time.monotonic() - began)

    def goals(
        self, states: States, games: int, *, seed: int = 0, max_steps: int = MAX_STEPS
    ) -> npt.NDArray[np.float64]:
        """Mean goals `float64[n, roles]`, 0 … 100, of `games` random games from each of `uint64[n, words]`.

        The games of a thread begin from the same state; one with more than 32 games has several threads, if there
        are. All that is random follows from `seed`.
        """
        self._lanes.random.copy_to_device(_random_state(seed, self._threads))
        parts = range(0, len(states), self._threads)
        return np.concatenate([self._goals(states[at : at + self._threads], games, max_steps) for at in parts])

    def record(self, states: States | None = None, max_steps: int = MAX_STEPS) -> list[JointMoves]:
        """One random game in every lane, each as its joint moves `int32[length, roles]`.

        Those of thread t begin from `states[t % n]`, or all from the initial state.
        """
        batch = self._batch(states)
        self._begin(batch, np.full(self._threads, 32), np.arange(self._threads) % len(batch))
        moves = self._cuda.to_device(np.full((self.lanes, max_steps, len(self._net.roles)), -1, np.int32))
        lengths = self._cuda.to_device(np.zeros(self.lanes, np.int32))
        for step in range(max_steps):
            if not self._lanes.playing.copy_to_host().any():
                break
            self._launch(self._kernels.record, step, moves, lengths)
        games = moves.copy_to_host()
        return [games[lane, :length].copy() for lane, length in enumerate(lengths.copy_to_host())]

    def _goals(self, states: States, games: int, max_steps: int) -> npt.NDArray[np.float64]:
        """`goals` of no more states than there are threads."""
        shares = max(1, min(-(-games // 32), self._threads // len(states)))
        start = np.repeat(np.arange(len(states)), shares)
        self._begin(self._batch(states), np.tile(_shares(games, shares), len(states)), start)
        self._finish(games * len(states), 0.0, max_steps)
        first, roles = self._kernels.FIRST_SUM, len(self._net.roles)
        sums = self._lanes.tally.copy_to_host()[first : first + roles, : len(start)]
        means: npt.NDArray[np.float64] = sums.reshape(roles, len(states), shares).sum(axis=2).T / games
        return means

    def _new_lanes(self, program: DeviceProgram, seed: int) -> Any:
        device, threads = self._cuda, self._threads
        sums = self._kernels.FIRST_SUM + 2 * len(self._net.roles)
        rows = device.device_array((threads // self._block, program.slots, self._block), np.uint32)
        return self._kernels.Lanes(
            rows=rows,
            words=rows.ravel(),
            random=device.to_device(_random_state(seed, threads)),
            playing=device.device_array(threads, np.uint32),
            ended=device.device_array(threads, np.uint32),
            remaining=device.device_array(threads, np.int64),
            born=device.device_array((32, threads), np.int64),
            oldest=device.device_array(threads, np.int64),
            tally=device.device_array((sums, threads), np.int64),
            starts=device.to_device(self._batch(None)),
            start=device.device_array(threads, np.int32),
            report=device.device_array(3, np.int64),
        )

    def _batch(self, states: States | None) -> States:
        """States as `uint64[n, words]`, the initial one if None; a network without propositions has one word."""
        net, words = self._net, -(-self._net.state_bits // 64)
        batch = np.atleast_2d(pack_bits(net.initial) if states is None else states)
        if batch.shape[1] != words:
            raise NativeError(f"a state of {batch.shape[1]} words was given where {words} are needed")
        return batch if words else np.zeros((len(batch), 1), np.uint64)

    def _begin(self, states: States, games: npt.NDArray[np.int64], start: npt.NDArray[np.int64]) -> None:
        """Starts games [threads in use], each thread's from the state of the number in `start`."""
        self._blocks = -(-len(games) // self._block)
        self._lanes = self._lanes._replace(starts=self._cuda.to_device(np.ascontiguousarray(states)))
        self._lanes.remaining.copy_to_device(_filled(games, self._threads, np.int64))
        self._lanes.start.copy_to_device(_filled(start, self._threads, np.int32))
        self._lanes.report.copy_to_device(np.zeros(3, np.int64))
        self._launch(self._kernels.begin)

    def _finish(self, count: int, seconds: float, max_steps: int) -> None:
        """Plays until `count` games are over; none begins after `seconds`, if not 0."""
        began = time.monotonic()
        now, steps, restart_every, draining = 0, 1, 1, False
        while True:
            launched = time.monotonic()
            self._launch(self._kernels.play, now, steps, restart_every, max_steps)
            counted, changes, faults = self._lanes.report.copy_to_host().tolist()
            if faults:
                raise NativeError("network: a loop denies itself")
            if counted >= count:
                return
            now += steps
            elapsed = time.monotonic() - launched
            steps = max(1, round(steps * min(2.0, _LAUNCH_SECONDS / max(elapsed, 1e-9))))
            restart_every = max(1, changes // max(counted, 1) // _RESTARTS_A_GAME)
            if seconds > 0 and not draining and time.monotonic() - began > seconds:
                draining = True
                left = self._lanes.remaining.copy_to_host()  # that have not been started and will not be
                self._lanes.remaining.copy_to_device(np.zeros_like(left))
                count -= int(left.sum())

    def _launch(self, kernel: Any, *arguments: Any) -> None:
        kernel[self._blocks, self._block](self._tables, self._lanes, *arguments)

    def _playouts(self, seconds: float) -> Playouts:
        count, changes, stuck, *goals = self._lanes.tally.copy_to_host().sum(axis=1).tolist()
        sums, squares = np.array(goals, np.float64).reshape(2, -1) / max(count, 1)
        return Playouts(
            count=count,
            state_changes=changes,
            stuck=stuck,
            seconds=seconds,
            evaluation_seconds=float("nan"),
            choice_seconds=float("nan"),
            goal_means=sums,
            goal_deviations=np.sqrt(np.maximum(squares - sums**2, 0)),
        )

    def _suitable_lanes(self, program: DeviceProgram) -> int:
        bytes_a_thread = 4 * program.slots + 8 * (40 + 2 * len(self._net.roles))  # the rows, and all else of Lanes
        blocks = min(_BLOCKS_OF_A_PROCESSOR * processors(), _MEMORY_BYTES // (_BLOCK * bytes_a_thread))
        if blocks == 0:
            raise NativeError(f"the network needs {bytes_a_thread:,} bytes a thread, too many for the device")
        return 32 * _BLOCK * int(blocks)


class NetworkKernel:
    """Random games from states of `Game.from_propnet(net)`; a `ludens.native.kernels.kernel_search.Kernel`."""

    def __init__(self, net: Propnet, *, lanes: int = 0, max_steps: int = MAX_STEPS) -> None:
        """As `CudaSimulator`; games are cut after `max_steps`."""
        self._simulator = CudaSimulator(net, lanes)
        self._max_steps = max_steps

    def play(self, states: States, games: int, seed: int) -> npt.NDArray[np.float64]:
        """See `Kernel`."""
        return self._simulator.goals(states, games, seed=seed, max_steps=self._max_steps)


def _shares(count: int, threads: int) -> npt.NDArray[np.int64]:
    """`count` games in equal parts, the first ones larger by one where that does not come out even."""
    return np.int64(count) // threads + (np.arange(threads) < count % threads)


def _filled(values: npt.NDArray[Any], length: int, kind: type[np.generic]) -> npt.NDArray[Any]:
    """The values, and zeros up to a length."""
    return np.concatenate([values, np.zeros(length - len(values), values.dtype)]).astype(kind)


def _addressed(program: DeviceProgram, block: int) -> npt.NDArray[np.uint32]:
    """Returns the gates as the kernels read them, for blocks of so many threads: see `Tables`."""
    gates = program.gates.astype(np.uint32)
    signs = gates[:, :2] & 1
    gates[:, :2] = (gates[:, :2] >> 1) * (2 * block) + signs
    gates[:, 2] *= block
    return gates.reshape(-1)


def _never_empty(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The array, or a row of zeros, which does nothing wherever it is read: the device cannot hold no elements."""
    return array if array.size else np.zeros((1, *array.shape[1:]), array.dtype)


def _random_state(seed: int, threads: int) -> npt.NDArray[np.uint64]:
    """[2, threads] xoroshiro128+ seeded through splitmix64, as RandomLanes of network/lane_vectors.hpp; pairs alike."""
    words = np.arange(1, threads // 2 + 1, dtype=np.uint64)
    x = np.uint64(seed % 2**64) + words * np.uint64(0x632BE59BD9B4E019)
    states = []
    for _ in range(2):
        x = x + np.uint64(0x9E3779B97F4A7C15)
        z = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        states.append(np.repeat(z ^ (z >> np.uint64(31)), 2))
    return np.stack(states)
