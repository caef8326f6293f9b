"""Batches: games that are stepped side by side, and written into numpy arrays that the caller may own.

>>> batch = Batch("connect_four", 1024)
>>> batch.observations.shape, batch.legal.shape
((1024, 4, 6, 7), (1024, 8))
>>> batch.step(batch.legal.argmax(axis=1))  # everybody makes the first legal move
>>> batch.rewards.shape, batch.done.any()
((1024, 2), False)

Arrays are always the same ones: a step writes them anew, without a copy. `torch.from_dlpack` and
`jax.dlpack.from_dlpack` take them as they are. With a layout of `bits` or `slices` they are much smaller, and steps
are that much faster:

>>> batch = Batch("connect_four", 1024, layout="slices")
>>> batch.observations.shape, batch.observations.dtype  # blocks of 512 games, one in each bit of 8 words
((2, 86, 8), dtype('uint64'))
>>> ludens.env.bytes_of_slices(batch.done, 1024).shape
(1024,)
"""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import combinations
from os import PathLike
from types import TracebackType
from typing import Any, Self
from weakref import WeakSet

import numpy as np
import numpy.typing as npt

from ludens.agent.api.errors import ClosedError, InUseError
from ludens.agent.api.game import Game, State, load
from ludens.agent.api.numbers import check_clocks, seed_of, whole
from ludens.agent.env.errors import ArrayError, IllegalActionError, LayoutError
from ludens.agent.env.layouts import Kinds, array_kinds, as_array, slice_views, zeros
from ludens.agent.env.role_views import RoleViews
from ludens.agent.env.turns import turn_order
from ludens.agent.env.uncopied import Uncopied
from ludens.agent.playable.text_game import NetworkGame
from ludens.games.view.planes import Observations, PlanesError, flat, planes
from ludens.games.view.sample import Sample, play_sample
from ludens.native.core import BatchLayout, JointMoves, Playouts, Simulator, States, SteppedGames
from ludens.native.core.batch import AUTORESETS, FORMATS
from ludens.propnet.base.errors import LudensError, NativeError

FORCED = -1
"""An action: the only legal move."""

WAIT = -2
"""An action: this game is not stepped."""

OBSERVATIONS = ("planes", "bits", "none")
_SAMPLE_SECONDS = 60.0  # for games so large that random games take long; their number is bounded too
_ACTION_TYPES = (np.dtype(np.int8), np.dtype(np.int16), np.dtype(np.int32))  # which are stepped with as they are
_MOST_LANES = 512
_CLOSED = "this batch is closed"
_OPTIONAL = ("final_observations", "states", "played")


_batches: WeakSet[Batch] = WeakSet()  # that can be used


def _refuse_after_fork() -> None:
    for batch in list(_batches):
        batch._refuse("this batch was made before its process was forked: make one in each process")


os.register_at_fork(after_in_child=_refuse_after_fork)


class Batch(Uncopied):
    """`count` games, stepped side by side; for one thread at a time, in the process that made it, and never copied.

    Arrays, of which the row is the game: `observations` uint8[n, planes, height, width] or uint8[n, propositions];
    `legal` int8[n, actions], 1 for the actions of the role to move that are legal, or with `joint` [n, roles, actions];
    `to_move` int32[n], the role to move, -1 where the game is over; `rewards` float32[n, roles], where a game has just
    ended goals from -1 to 1, else 0; `done` bool[n], where it is over. On request also `final_observations`, like
    `observations`, of the games that ended in this step; `states` uint64[n, words], packed bits; and `played`
    int32[n, roles], the moves of this step, -1 where there was none. An action is the index of a move of its role.

    With `layout="bits"` eight facts share a byte, as `numpy.packbits(bitorder="little")` packs them: `observations`
    uint8[n, ⌈propositions / 8⌉], `legal` uint8[n, ⌈actions / 8⌉] or [n, roles, ⌈actions / 8⌉], `done` uint8[⌈n / 8⌉];
    `to_move` is int8[n], `rewards` int8[n, roles] from -50 to 50, `played` the smallest type of int8, int16 and int32.

    With `layout="slices"` arrays are the simulator's own memory, and read-only: game i is bit i % 64 of word
    i % lanes // 64 of block i // lanes, where `lanes` games make a block. `observations` uint64[blocks, propositions,
    words], `legal` uint64[blocks, moves of all roles, words], `to_move` uint64[blocks, roles, words], `done`
    uint64[blocks, words]; `rewards` is int8[roles, n] from -50 to 50, `played` like `legal`. See `bytes_of_slices`.
    """

    observations: npt.NDArray[Any]
    final_observations: npt.NDArray[Any]
    states: States
    legal: npt.NDArray[Any]
    to_move: npt.NDArray[Any]
    rewards: npt.NDArray[Any]
    done: npt.NDArray[Any]
    played: npt.NDArray[Any]

    def __init__(
        self,
        game: Game | str | PathLike[str],
        count: int,
        *,
        layout: str = "bytes",
        observation: str | None = None,
        joint: bool | None = None,
        egocentric: bool = False,
        autoreset: str = "next_step",
        seed: int = 0,
        also: tuple[str, ...] = (),
        arrays: Mapping[str, Any] | None = None,
    ) -> None:
        """Makes the games and writes what holds at their beginning.

        `layout`: `bytes`, `bits` or `slices`. `observation`: one of `OBSERVATIONS`, by default `planes` where there are
        bytes, else `bits`, a bit for each proposition, which is what there is in other layouts. `joint`: actions are
        moves of all roles, [n, roles]; by default only where roles choose at the same time. `egocentric`: observations,
        legal moves and actions are those of the role to move as it sees them if it were the first (`role_views`), while
        `states`, `played` and `rewards` stay as they are; for bytes. `autoreset`: a game that is over begins anew in
        the `same_step`, in the `next_step`, whatever its action, or `never`. Random games follow from `seed`. `also`
        names arrays that are written on request; `arrays` gives arrays of the caller by name, anything with dlpack, in
        place of new ones.

        Raises `LayoutError`, `ArrayError`, what `load` raises, and `NoNetworkError` for interpreted games.
        """
        self.game = game if isinstance(game, Game) else load(game)
        self.count = _positive(count)
        _one_of("autoreset", autoreset, AUTORESETS)
        _one_of("layout", layout, FORMATS)
        if layout != "bytes" and observation == "planes":
            raise LayoutError(f"planes are bytes: with layout {layout!r} an observation is its bits")
        observation = observation or ("planes" if layout == "bytes" else "bits")
        net = self.game.net
        sample = play_sample(NetworkGame(net, self.game.native), self.game.roles, _SAMPLE_SECONDS)
        turns = turn_order(net, sample)
        self.by_turns = turns.by_turns
        self.joint = not turns.by_turns if joint is None else bool(joint)
        if not self.joint and not turns.by_turns:
            raise LayoutError(f"in {self.game.name} roles choose at the same time: their actions are joint moves")
        self.autoreset = autoreset
        self.actions = max(map(len, net.moves))
        self.observation_layout = self._layout(observation, sample)
        if egocentric and (self.joint or layout != "bytes"):
            raise LayoutError("egocentric views are those of the role to move, in bytes: joint moves have none")
        self._views = RoleViews(self.game, self.observation_layout, self.actions) if egocentric else None
        native = BatchLayout(
            self.actions,
            self.joint,
            self.observation_layout.columns,
            self.observation_layout.fills,
            turns.waiting,
            autoreset,
            turns.by_turns,
            layout,
        )
        self.layout = layout
        lock = threading.Lock()
        self._may_enter: Callable[[bool], bool] = lock.acquire
        self._leave, self._refused_for = lock.release, ""
        self._simulator: Simulator | None = None
        self._seed = seed_of(seed)
        _fits((np.dtype(dtype), shape) for dtype, shape in self._kinds(_MOST_LANES).values())
        try:
            self._games = SteppedGames(self.game.native, self.count, native, seed=self._seed)
        except NativeError as error:
            raise LayoutError(str(error)) from error
        self.lanes = self._games.lanes
        self._arrays = self._chosen_arrays(observation, also, arrays or {})
        vars(self).update(self._arrays)
        self._written = self._unseen_arrays()
        written = self._arrays | self._written
        if layout == "slices":
            words = self.lanes // 64
            written["slices"] = zeros((-(-self.count // self.lanes), self._games.slices, words))
            vars(self).update(slice_views(written["slices"], net.state_bits, net.move_count))
        self._action_shape = (self.count, len(self.game.roles)) if self.joint else (self.count,)
        self._single = self._action_shape == (1,) and self._views is None
        _batches.add(self)
        self._games.write_to({name: _plain(array) for name, array in written.items()})
        self.reset()

    def reset(self, rows: npt.ArrayLike | None = None) -> None:
        """Begins games anew: those where `rows`, bool[n], is true, or all."""
        wanted = None if rows is None else self._checked(rows, "rows", np.dtype(np.bool_), (self.count,))
        with self._use() as games:
            games.reset(wanted)
            self._see()

    def load(self, states: State | States) -> None:
        """Goes on from packed states `uint64[n, words]`, or from one state in all games."""
        words = self.game.native.state_words
        if isinstance(states, State):
            given = np.tile(self.game.own(states).words, (self.count, 1))
        else:
            given = self._checked(states, "states", np.dtype(np.uint64), (self.count, words))
        with self._use() as games:
            games.load(given)
            self._see()

    def step(self, actions: npt.ArrayLike) -> None:
        """Steps every game with the action of the role to move, whole numbers [n], or with joint ones [n, roles].

        One whole number does for one game.

        Meanwhile the others make the only move they have. `FORCED` is the only legal move, and `WAIT` leaves a game as
        it is. Where a game is over, actions are of no account, but with autoreset `never` must be one of these.
        Raises `IllegalActionError`, with the rows, and then has not stepped any game; and `ArrayError`.
        """
        one = type(actions) is int and self._single
        given: Any = actions if one else self._own_actions(self._action_array(actions))
        if not self._may_enter(False):
            raise self._refusal()
        try:
            legal = self._games.step_one(given) if one else self._games.step(given)
            if not legal:
                raise IllegalActionError(self._games.wrong_rows())
            if self._views:
                self._see()
        finally:
            self._leave()

    def step_randomly(self) -> None:
        """Steps every game with moves drawn at random; `played` tells which, if it was asked for."""
        if not self._may_enter(False):
            raise self._refusal()
        try:
            self._games.step(None)
            if self._views:
                self._see()
        finally:
            self._leave()

    def playouts(self, count: int, state: State | None = None, seconds: float = 0.0) -> Playouts:
        """Plays random games to the end, from the initial state or another, and tells how they ended.

        No game begins after `seconds`, 0 for no limit. The games of the batch are not touched. Raises `StateError`
        for a state of another game, and `BudgetError` for numbers that cannot be.
        """
        check_clocks(seconds=seconds)
        with self._use():
            return self._own_simulator().playouts(whole("count", count), state=self._start(state), seconds=seconds)

    def random_games(self, state: State | None = None) -> list[JointMoves]:
        """Returns the joint moves of some hundred random games, each `int32[length, roles]`."""
        with self._use():
            return self._own_simulator().record(self._start(state))

    def close(self) -> None:
        """Frees the games; the arrays stay as they are."""
        if self._refused_for:  # closed before, or a copy in a forked process
            return
        with self._use() as games:
            self._refuse(_CLOSED)
            games.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<ludens.Batch of {self.count} × {self.game.name}>"

    @contextmanager
    def _use(self) -> Iterator[SteppedGames]:
        """Holds the lock; `step` does the same in lines of its own: with one game a call takes as long as a step."""
        if not self._may_enter(False):
            raise self._refusal()
        try:
            yield self._games
        finally:
            self._leave()

    def _check_open(self) -> None:
        """Raises `ClosedError` if the games are freed, or this process was forked after they were made."""
        if self._refused_for:
            raise self._refusal()

    def _refuse(self, reason: str) -> None:
        """Allows no further use."""
        self._refused_for = reason
        self._may_enter = lambda _: False
        _batches.discard(self)

    def _refusal(self) -> LudensError:
        if self._refused_for:
            return ClosedError(self._refused_for)
        return InUseError("this batch is in use by another thread: give each thread a batch of its own")

    def _start(self, state: State | None) -> States | None:
        return None if state is None else self.game.own(state).words

    # ---- Views of the role to move ----

    def _unseen_arrays(self) -> dict[str, npt.NDArray[Any]]:
        """What is written as it is before it is seen by the role to move."""
        names = ("observations", "final_observations", "legal") if self._views else ()
        return {name: np.zeros_like(self._arrays[name]) for name in names if name in self._arrays}

    def _see(self) -> None:
        for name, array in self._written.items():
            see: Any = self._views.legal if name == "legal" else self._views.observe  # type: ignore[union-attr]
            see(array, self.to_move, self._arrays[name])

    def _own_actions(self, actions: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return actions if self._views is None else self._views.actions(actions, self.to_move).astype(np.int32)

    def _own_simulator(self) -> Simulator:
        if self._simulator is None:
            self._simulator = Simulator(self.game.native, seed=self._seed)
        return self._simulator

    def _layout(self, observation: str, sample: Sample) -> Observations:
        _one_of("observation", observation, OBSERVATIONS)
        if observation == "none":
            return Observations((0,), (), np.empty(0, np.int32))
        if observation == "bits":
            return flat(self.game.net)
        try:
            return planes(self.game.name, self.game.sheet, self.game.net, sample)
        except PlanesError as error:
            raise LayoutError(f"{error}: use observation='bits'") from error

    def _kinds(self, lanes: int) -> dict[str, tuple[Any, tuple[int, ...]]]:
        size = Kinds(self.count, lanes, len(self.game.roles), self.actions, self.game.net.move_count, self.joint)
        return array_kinds(self.layout, size, self.observation_layout.shape, self.game.native.state_words)

    def _chosen_arrays(
        self, observation: str, also: tuple[str, ...], given: Mapping[str, Any]
    ) -> dict[str, npt.NDArray[Any]]:
        if isinstance(also, str) or not isinstance(also, Iterable) or not isinstance(given, Mapping):
            raise LayoutError("`also` is a tuple of names of arrays, and `arrays` a mapping from names to arrays")
        kinds = self._kinds(self.lanes)
        for name in (*also, *given):
            _one_of("array", name, tuple(kinds))
        chosen = {}
        for name, (dtype, shape) in kinds.items():
            if name in given:
                chosen[name] = self._writable(given[name], name, np.dtype(dtype), shape)
            elif name in also or name not in _OPTIONAL:
                chosen[name] = zeros(shape, dtype)
        if observation == "none":
            chosen.pop("final_observations", None)
        _disjoint(chosen)
        return chosen

    def _writable(self, given: Any, name: str, dtype: np.dtype[Any], shape: tuple[int, ...]) -> npt.NDArray[Any]:
        if not isinstance(given, np.ndarray) and not hasattr(given, "__dlpack__"):
            raise ArrayError(f"{name}: {type(given).__name__} is no array that can be written")
        array = given if isinstance(given, np.ndarray) else np.from_dlpack(given)
        checked = self._checked(array, name, dtype, shape)
        if not checked.flags.writeable:
            raise ArrayError(f"{name}: the array is read-only")
        return checked

    def _checked(self, given: Any, name: str, dtype: np.dtype[Any], shape: tuple[int, ...]) -> npt.NDArray[Any]:
        array = as_array(given, name)
        if array.dtype != dtype:
            raise ArrayError(f"{name}: an array of {array.dtype} where {dtype} is needed")
        if array.shape != shape:
            raise ArrayError(f"{name}: an array of shape {array.shape} where {shape} is needed")
        if not array.flags.aligned:
            raise ArrayError(f"{name}: the array begins in the middle of a number: {array.itemsize} bytes make one")
        if not array.flags.c_contiguous:
            raise ArrayError(f"{name}: the array is not contiguous: its strides are {array.strides}")
        return array

    def _action_array(self, actions: npt.ArrayLike) -> npt.NDArray[Any]:
        array, shape = as_array(actions, "actions"), self._action_shape
        if array.shape == () and shape == (1,):
            array = array.reshape(1)
        if array.dtype.kind not in "iu":
            raise ArrayError(f"actions: an array of {array.dtype} where whole numbers are needed")
        if array.shape != shape:
            raise ArrayError(f"actions: an array of shape {array.shape} where {shape} is needed")
        if array.dtype in _ACTION_TYPES:
            return array if array.flags.c_contiguous and array.flags.aligned else array.copy()
        converted = array.astype(np.int32, order="C")
        if (unlike := converted != array).any():
            raise IllegalActionError(np.unique(np.nonzero(unlike)[0]))
        return converted


def _disjoint(arrays: Mapping[str, npt.NDArray[Any]]) -> None:
    """Raises `ArrayError` if two arrays share memory, so that one would be written over the other."""
    for (one, first), (other, second) in combinations(arrays.items(), 2):
        if np.may_share_memory(first, second):
            raise ArrayError(f"{one} and {other} share memory: give each an array of its own")


def _fits(arrays: Iterable[tuple[np.dtype[Any], tuple[int, ...]]]) -> None:
    """Raises `LayoutError` for arrays that are more than the memory of this machine."""
    needed = sum(dtype.itemsize * math.prod(shape) for dtype, shape in arrays)
    there = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    if needed > there:
        raise LayoutError(f"the arrays would be {needed / 2**30:,.0f} GiB, of {there / 2**30:,.0f} GiB of memory")


def _plain(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    return array.view(np.uint8) if array.dtype == np.bool_ else array


def _positive(count: int) -> int:
    if not isinstance(count, int | np.integer) or isinstance(count, bool) or count < 1:
        raise LayoutError(f"a batch of {count!r} games: there must be one at least")
    return int(count)


def _one_of(what: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise LayoutError(f"{what} {value!r} is unknown: it is one of {', '.join(known)}")
