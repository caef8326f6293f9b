"""Random playouts of a network on a graphics processor, by the interface of `Simulator` of native/core.

>>> CudaSimulator(net, seed=1).playouts(10_000_000).goal_means
>>> KernelSearch(game, NetworkKernel(net), games=64)
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import numpy.typing as npt

from ludens.native.core import JointMoves, Playouts, States, pack_bits
from ludens.native.cuda.device import cuda, is_simulated, multiprocessors, shared_memory
from ludens.native.cuda.program import GAMES, DeviceProgram, lay_out
from ludens.native.defaults import MAX_STEPS
from ludens.propnet.base.errors import NativeError
from ludens.propnet.network.propnet import Propnet

THREADS = 64  # of a block, at least
_MOST_THREADS = 256
_BUSY = 1024  # threads that keep a multiprocessor busy
_RESERVED = 1 << 10  # bytes of shared memory that each block takes for the system
_BLOCKS_OF_A_MULTIPROCESSOR = 64  # several times as many as it works at once, so that it always has some
_MEMORY_BYTES = 1 << 30  # for the games that are played
_LAUNCH_SECONDS = 0.02  # what a launch is to take: far from any watchdog, and long beside its overhead
_FIRST_STEPS = 8  # of the first launch
_RESTARTS_A_GAME = 8  # how often a game's length games are counted and started


class CudaSimulator:
    """Plays `lanes` games of one network side by side on the GPU; for one thread at a time.

    `lanes` is a multiple of 32, or 0 for what suits this GPU; 32 games are played by a block of `threads`. The first
    game of each lane follows from `seed` and the number of the call; when the next ones begin depends on the device's
    speed. NativeError where numba or a GPU is missing, or the network needs too much of it.
    """

    def __init__(self, net: Propnet, lanes: int = 0, seed: int = 0, threads: int = 0) -> None:
        self._cuda = cuda()  # numba, or a clear word
        from ludens.native.cuda import network_kernels

        if not self._cuda.is_available():
            raise NativeError("numba finds no GPU that it can use")
        if lanes < 0 or lanes % GAMES:
            raise NativeError(f"lanes must be a multiple of {GAMES}, not {lanes}")
        self._kernels: Any = network_kernels
        self._net, self._seed, self._calls = net, seed, 0
        program = lay_out(net, threads) if threads else _suitable_program(net)
        self._threads = program.rows.shape[1]
        self._shared = 4 * program.words  # bytes
        self.lanes = lanes or GAMES * self._suitable_blocks()
        self._tables, self._lanes = self._on_device(program), self._new_lanes()
        self._fields: npt.NDArray[np.int64] = np.zeros(0, np.int64)  # of the blocks in use
        self._nowhere = self._cuda.device_array((1, 1, 1), np.int32), self._cuda.device_array(1, np.int32)
        self._steps = _FIRST_STEPS  # of the next launch

    def playouts(
        self, count: int, *, seconds: float = 0.0, state: States | None = None, max_steps: int = MAX_STEPS
    ) -> Playouts:
        """Plays `count` random games from `state` (the initial one if None); starts no more after `seconds`.

        Times of evaluation and choice are not told apart: both are NaN.
        """
        began = time.monotonic()
        blocks = self.lanes // GAMES
        self._begin(self._batch(state), _shares(count, blocks), np.zeros(blocks, np.int64))
        self._finish(count, self._next_seed(), seconds, max_steps)
        return self._playouts(time.monotonic() - began)

    def goals(
        self, states: States, games: int, *, seed: int = 0, max_steps: int = MAX_STEPS
    ) -> npt.NDArray[np.float64]:
        """Mean goals `float64[n, roles]`, 0 … 100, of `games` random games from each of `uint64[n, words]`.

        The games of a block begin from the same state; one with more than 32 games has several blocks, if there
        are. The first 32 games of each follow from `seed`.
        """
        if not len(states) or games < 1:
            raise NativeError("playouts need at least one state and one game")
        blocks = self.lanes // GAMES
        parts = (states[at : at + blocks] for at in range(0, len(states), blocks))
        return np.concatenate(
            [self._goals(part, games, _part_of(seed, number), max_steps) for number, part in enumerate(parts)]
        )

    def record(self, states: States | None = None, max_steps: int = MAX_STEPS) -> list[JointMoves]:
        """One random game in every lane, each as its joint moves `int32[length, roles]`.

        Those of block b begin from `states[b % n]`, or all from the initial state.
        """
        batch, blocks = self._batch(states), self.lanes // GAMES
        self._begin(batch, np.full(blocks, GAMES), np.arange(blocks) % len(batch))
        moves = self._cuda.to_device(np.full((self.lanes + 1, max_steps, len(self._net.roles)), -1, np.int32))
        lengths = self._cuda.to_device(np.zeros(self.lanes, np.int32))
        self._finish(self.lanes, self._next_seed(), 0.0, max_steps, moves, lengths)
        games = moves.copy_to_host()
        return [games[lane, :length].copy() for lane, length in enumerate(lengths.copy_to_host())]

    def _goals(self, states: States, games: int, seed: int, max_steps: int) -> npt.NDArray[np.float64]:
        """`goals` of no more states than there are blocks."""
        shares = max(1, min(-(-games // GAMES), self.lanes // GAMES // len(states)))
        start = np.repeat(np.arange(len(states)), shares)
        self._begin(self._batch(states), np.tile(_shares(games, shares), len(states)), start)
        self._finish(games * len(states), seed, 0.0, max_steps)
        first, roles = self._kernels.FIRST_SUM, len(self._net.roles)
        sums = self._fields[:, first : first + roles]
        means: npt.NDArray[np.float64] = sums.reshape(len(states), shares, roles).sum(axis=1) / games
        return means

    def _on_device(self, program: DeviceProgram) -> Any:
        """The tables that the kernels read."""
        tables = {name: getattr(program, name) for name in self._kernels.Tables._fields}
        left, right, out = np.moveaxis(program.rows.astype(np.uint64), 2, 0)
        tables["rows"] = (left | right << np.uint64(16) | out << np.uint64(32)).ravel()
        arrays = {name: _never_empty(np.atleast_1d(np.asarray(table))) for name, table in tables.items()}
        return self._kernels.Tables(**{name: self._cuda.to_device(array) for name, array in arrays.items()})

    def _new_lanes(self) -> Any:
        device, blocks = self._cuda, self.lanes // GAMES
        fields = self._kernels.FIRST_SUM + 2 * len(self._net.roles)
        return self._kernels.Lanes(
            states=device.device_array((blocks, max(1, self._net.state_bits)), np.uint32),
            born=device.device_array((blocks, GAMES), np.int64),
            blocks=device.device_array((blocks, fields), np.int64),
            starts=device.to_device(self._batch(None)),
        )

    def _batch(self, states: States | None) -> States:
        """States as `uint64[n, words]`, the initial one if None; a network without propositions has one word."""
        net, words = self._net, -(-self._net.state_bits // 64)
        batch = np.atleast_2d(pack_bits(net.initial) if states is None else states)
        if batch.shape[1] != words:
            raise NativeError(f"a state of {batch.shape[1]} words was given where {words} are needed")
        return batch if words else np.zeros((len(batch), 1), np.uint64)

    def _begin(self, states: States, games: npt.NDArray[np.int64], start: npt.NDArray[np.int64]) -> None:
        """Prepares games [blocks in use], each block's from the state of the number in `start`."""
        starts = self._cuda.to_device(np.ascontiguousarray(states))
        self._lanes = self._lanes._replace(starts=starts)
        self._fields = np.zeros((len(games), self._lanes.blocks.shape[1]), np.int64)
        self._fields[:, self._kernels.REMAINING], self._fields[:, self._kernels.START] = games, start
        self._lanes.blocks[: len(games)].copy_to_device(self._fields)

    def _finish(
        self, count: int, seed: int, seconds: float, max_steps: int, moves: Any = None, lengths: Any = None
    ) -> None:
        """Plays until `count` games are over; none begins after `seconds`, if not 0. Notes moves down, if it may."""
        began = time.monotonic()
        kernels, blocks = self._kernels, self._lanes.blocks[: len(self._fields)]
        play = kernels.play[len(self._fields), self._threads, 0, self._shared]
        if moves is None:
            moves, lengths = self._nowhere
        now, restart_every, draining, word = 0, 1, False, np.uint64(seed % 2**64)
        while True:
            launched = time.monotonic()
            play(self._tables, self._lanes, word, now, self._steps, restart_every, max_steps, moves, lengths)
            blocks.copy_to_host(self._fields)
            counted, changes = self._fields[:, [kernels.PLAYOUTS, kernels.CHANGES]].sum(axis=0).tolist()
            if self._fields[:, kernels.FAULTS].any():
                raise NativeError("network: a loop denies itself")
            if counted >= count:
                return
            now += self._steps
            elapsed = time.monotonic() - launched
            self._steps = max(1, round(self._steps * min(2.0, _LAUNCH_SECONDS / max(elapsed, 1e-9))))
            restart_every = max(1, min(now, changes // max(counted, 1)) // _RESTARTS_A_GAME)
            if seconds > 0 and not draining and time.monotonic() - began > seconds:
                draining = True
                count -= int(self._fields[:, kernels.REMAINING].sum())  # have not been started and will not be
                self._fields[:, kernels.REMAINING] = 0
                blocks.copy_to_device(self._fields)

    def _playouts(self, seconds: float) -> Playouts:
        count, changes, stuck, *goals = self._fields[:, self._kernels.PLAYOUTS :].sum(axis=0).tolist()
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

    def _next_seed(self) -> int:
        """The seed of a call, that of the first being the simulator's."""
        self._calls += 1
        return _part_of(self._seed, self._calls - 1)

    def _suitable_blocks(self) -> int:
        """How many blocks there are if nothing is said."""
        bytes_a_block = 4 * self._net.state_bits + 8 * (GAMES + 8 + 2 * len(self._net.roles))  # all of `Lanes`
        return max(1, min(_BLOCKS_OF_A_MULTIPROCESSOR * multiprocessors(), _MEMORY_BYTES // bytes_a_block))


class NetworkKernel:
    """Random games from states of `Game.from_propnet(net)`; a `ludens.native.kernels.kernel_search.Kernel`."""

    def __init__(self, net: Propnet, *, lanes: int = 0, max_steps: int = MAX_STEPS) -> None:
        """As `CudaSimulator`; games are cut after `max_steps`."""
        self._simulator = CudaSimulator(net, lanes)
        self._max_steps = max_steps

    def play(self, states: States, games: int, seed: int) -> npt.NDArray[np.float64]:
        """See `Kernel`."""
        return self._simulator.goals(states, games, seed=seed, max_steps=self._max_steps)


def _suitable_program(net: Propnet) -> DeviceProgram:
    """For few threads, of which most have a gate in each row; more where a multiprocessor has room for few blocks."""
    if is_simulated():
        return lay_out(net, 2)
    program = lay_out(net, THREADS)
    blocks = shared_memory() // (4 * program.words + _RESERVED)
    threads = THREADS
    while threads < _MOST_THREADS and blocks * threads < _BUSY:
        threads *= 2
    try:
        return lay_out(net, threads) if threads > THREADS else program
    except NativeError:  # longer rows need more words
        return program


def _part_of(seed: int, number: int) -> int:
    """The seed of a part of what has a seed, which is its own for the first."""
    if not number:
        return seed
    return int(np.random.SeedSequence((seed % 2**64, number)).generate_state(1, np.uint64)[0])


def _shares(count: int, parts: int) -> npt.NDArray[np.int64]:
    """`count` games in equal parts, the first ones larger by one where that does not come out even."""
    return np.int64(count) // parts + (np.arange(parts) < count % parts)


def _never_empty(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The array, or a row of zeros, which does nothing wherever it is read: the device cannot hold no elements."""
    return array if array.size else np.zeros((1, *array.shape[1:]), array.dtype)
