"""Simulators: inspect states, make moves, and play random games, many at the same time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from ludens.native._core import ffi, lib

from ludens.native.core.binding import Arrays, JointMoves, States, batch_of, check, decoded, shaped, unpack_bits, whole
from ludens.native.core.game import Game
from ludens.native.defaults import MAX_STEPS
from ludens.propnet.base.errors import NativeError


def instruction_sets() -> tuple[str, ...]:
    """Names of the instruction sets that this process may use, best first.

    None is better than the one that the environment variable LUDENS_INSTRUCTION_SET names, if it is set: avx512-jit,
    avx512, avx2-jit, avx2, neon-jit or baseline. NativeError if that is the name of none, or cannot be had.
    """
    out = ffi.new("const char **")
    check(lib.ludens_instruction_sets(out))
    return tuple(decoded(out[0]).split())


@dataclass(frozen=True, slots=True)
class Playouts:
    """Results of a run of random playouts. Times in seconds; goal arrays are float64[roles]."""

    count: int
    state_changes: int
    stuck: int  # ended because a role had no legal move, or at the step limit
    seconds: float
    evaluation_seconds: float
    choice_seconds: float
    goal_means: npt.NDArray[np.float64]
    goal_deviations: npt.NDArray[np.float64]  # standard deviations over the playouts

    @property
    def mean_length(self) -> float:
        """The mean number of state changes of a playout."""
        return self.state_changes / self.count if self.count else 0.0


class Simulator:
    """Plays `lanes` games of one game side by side; for one thread at a time.

    `lanes` 0 are as many as are best for the game here, and `instruction_set` None is the best that offers those lanes.
    Networks have 64, 128, 256 or 512 lanes (avx512-jit: 128 or 512, avx2-jit: 128, 256 or 512, neon-jit: 128) and the
    sets of `instruction_sets()`; checkers, Tak and gomoku multiples of 64 up to 16,384 and those of these sets without
    -jit; interpreted rules 1 to 65,536 and `scalar`. Everything random follows from `seed`. Raises NativeError for
    others.
    """

    def __init__(self, game: Game, lanes: int = 0, seed: int = 0, instruction_set: str | None = None) -> None:
        self.game = game
        name = ffi.NULL if instruction_set is None else ffi.new("char[]", instruction_set.encode())
        out = ffi.new("ludens_simulator **")
        check(lib.ludens_simulator_new(game.handle, lanes, name, seed & 0xFFFF_FFFF_FFFF_FFFF, out))
        self.handle = ffi.gc(out[0], lib.ludens_simulator_free)
        self.lanes: int = lib.ludens_simulator_lanes(self.handle)
        self.instruction_set = decoded(lib.ludens_simulator_instruction_set(self.handle))

    def legal(self, states: States) -> list[npt.NDArray[np.bool_]]:
        """Returns which moves are legal: for each role `bool[n, moves of the role]`."""
        batch, total = batch_of(self.game.state_words, states), sum(self.game.moves)
        out = np.zeros((len(batch), -(-total // 64)), np.uint64)
        self._inspect(batch, legal=out)
        return np.split(unpack_bits(out, total), np.cumsum(self.game.moves)[:-1], axis=1)

    def terminal(self, states: States) -> npt.NDArray[np.bool_]:
        """Returns which states are terminal: `bool[n]`."""
        batch = batch_of(self.game.state_words, states)
        out = np.zeros(len(batch), np.uint8)
        self._inspect(batch, terminal=out)
        return out.astype(np.bool_)

    def goals(self, states: States) -> npt.NDArray[np.int32]:
        """Returns goals `int32[n, roles]`, 0 … 100, or -1 where none or several values hold."""
        batch = batch_of(self.game.state_words, states)
        out = np.zeros((len(batch), self.game.roles), np.int32)
        self._inspect(batch, goals=out)
        return out

    def next(self, states: States, moves: JointMoves, *, only_legal: bool = True) -> States:
        """Returns successors `uint64[n, state_words]` under joint moves `int32[n, roles]`; terminal states stay.

        Raises NativeError if a move is out of range, or not legal in its state. Without `only_legal` moves are made
        whether they are legal or not, and -1 is none, as a Game Manager may have it.
        """
        batch = batch_of(self.game.state_words, states)
        given = whole(moves, "a joint move has the index of a move for each role")
        joint = np.atleast_2d(np.ascontiguousarray(given, np.int32))
        if joint.dtype != given.dtype and (joint != given).any():
            raise NativeError("a move index is out of range")
        out = np.empty_like(batch)
        arrays = Arrays()
        pointers = arrays.uint64(batch), arrays.int32(joint, (len(batch), self.game.roles))
        check(lib.ludens_simulator_next(self.handle, len(batch), *pointers, only_legal, arrays.uint64(out)))
        return out

    def playouts(
        self, count: int, *, seconds: float = 0.0, state: States | None = None, max_steps: int = MAX_STEPS
    ) -> Playouts:
        """Plays `count` random games from `state` (the initial one if None); starts no more after `seconds`."""
        sums = np.zeros(self.game.roles)
        squares = np.zeros(self.game.roles)
        stats = ffi.new("ludens_playout_stats *")
        arrays = Arrays()
        start, results = arrays.state(self.game.state_words, state), (arrays.double(sums), arrays.double(squares))
        check(lib.ludens_simulator_playouts(self.handle, start, count, seconds, max_steps, *results, stats))
        played = max(stats.playouts, 1)
        means = sums / played
        return Playouts(
            count=stats.playouts,
            state_changes=stats.state_changes,
            stuck=stats.stuck,
            seconds=stats.seconds,
            evaluation_seconds=stats.evaluation_seconds,
            choice_seconds=stats.choice_seconds,
            goal_means=means,
            goal_deviations=np.sqrt(np.maximum(squares / played - means**2, 0)),
        )

    def playouts_from(
        self, states: States, games: npt.NDArray[np.int64], *, max_steps: int = MAX_STEPS
    ) -> tuple[npt.NDArray[np.float64], int]:
        """Plays `games[i]` random games from the i-th of states [n, state_words], several side by side.

        Returns the sums of the goals at their ends, float64[n, roles], missing goals counted as 50, and the number of
        steps of all games.
        """
        batch = batch_of(self.game.state_words, states)
        wanted = shaped(np.ascontiguousarray(games, np.int64), (len(batch),))
        sums = np.zeros((len(batch), self.game.roles))
        steps = ffi.new("int64_t *")
        arrays = Arrays()
        pointers = arrays.uint64(batch), arrays.pointer("int64_t[]", wanted)
        check(
            lib.ludens_simulator_playouts_from(
                self.handle, len(batch), *pointers, max_steps, arrays.double(sums), steps
            )
        )
        return sums, int(steps[0])

    def record(self, state: States | None = None, max_steps: int = MAX_STEPS) -> list[JointMoves]:
        """Plays one random game in every lane and returns their joint moves, each `int32[length, roles]`."""
        moves = np.empty((self.lanes, max_steps, self.game.roles), np.int32)
        lengths = np.empty(self.lanes, np.int32)
        arrays = Arrays()
        start, results = arrays.state(self.game.state_words, state), (arrays.int32(moves), arrays.int32(lengths))
        check(lib.ludens_simulator_record(self.handle, start, max_steps, *results))
        return [moves[i, :n].copy() for i, n in enumerate(lengths)]

    def noted(self) -> npt.NDArray[np.uint64]:
        """Returns which moves each lane made in the games recorded last, as bit sets `uint64[lanes, move_words]`.

        Raises NativeError where none were recorded.
        """
        sets = np.empty((self.lanes, -(-sum(self.game.moves) // 64)), np.uint64)
        arrays = Arrays()
        check(lib.ludens_simulator_noted(self.handle, arrays.uint64(sets)))
        return sets

    def _inspect(self, batch: States, **outputs: npt.NDArray[Any]) -> None:
        arrays = Arrays()
        pointers = [
            arrays.pointer(ctype, outputs[name]) if name in outputs else ffi.NULL
            for name, ctype in (("legal", "uint64_t[]"), ("terminal", "uint8_t[]"), ("goals", "int32_t[]"))
        ]
        check(lib.ludens_simulator_inspect(self.handle, len(batch), arrays.uint64(batch), *pointers))
