"""Batches: games that are stepped side by side, and written into numpy arrays that the caller may own.

>>> batch = Batch("connect_four", 1024)
>>> batch.observations.shape, batch.legal.shape
((1024, 4, 6, 7), (1024, 8))
>>> batch.step(batch.legal.argmax(axis=1))  # everybody makes the first legal move
>>> batch.rewards.shape, batch.done.any()
((1024, 2), False)

Arrays are contiguous, and always the same ones: a step writes them anew, without a copy. `torch.from_dlpack` and
`jax.dlpack.from_dlpack` take them as they are.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from os import PathLike
from types import TracebackType
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from ludens.agent.api.errors import ClosedError, InUseError
from ludens.agent.api.game import Game, State, load
from ludens.agent.env.errors import ArrayError, IllegalActionError, LayoutError
from ludens.agent.env.planes import Observations, flat, planes
from ludens.agent.env.turns import turn_order
from ludens.agent.variants.text_game import NetworkGame
from ludens.games.view.sample import play_sample
from ludens.native.core import BatchLayout, JointMoves, Playouts, Simulator, States, SteppedGames
from ludens.native.core.batch import AUTORESETS

FORCED = -1
"""An action: the only legal move."""

WAIT = -2
"""An action: this game is not stepped."""

OBSERVATIONS = ("planes", "bits", "none")
_SAMPLE_SECONDS = 60.0  # for games so large that random games take long; their number is bounded too
_OPTIONAL = ("final_observations", "states", "played")


class Batch:
    """`count` games, stepped side by side; for one thread at a time, in the process that made it.

    Arrays, of which the row is the game: `observations` uint8[n, planes, height, width] or uint8[n, propositions];
    `legal` int8[n, actions], 1 for the actions of the role to move that are legal, or with `joint` [n, roles, actions];
    `to_move` int32[n], the role to move, -1 where the game is over; `rewards` float32[n, roles], where a game has just
    ended goals from -1 to 1, else 0; `done` bool[n], where it is over. On request also `final_observations`, like
    `observations`, of the games that ended in this step; `states` uint64[n, words], packed bits; and `played`
    int32[n, roles], the moves of this step, -1 where there was none. An action is the index of a move of its role.
    """

    observations: npt.NDArray[np.uint8]
    final_observations: npt.NDArray[np.uint8]
    states: States
    legal: npt.NDArray[np.int8]
    to_move: npt.NDArray[np.int32]
    rewards: npt.NDArray[np.float32]
    done: npt.NDArray[np.bool_]
    played: JointMoves

    def __init__(
        self,
        game: Game | str | PathLike[str],
        count: int,
        *,
        observation: str = "planes",
        joint: bool | None = None,
        autoreset: str = "next_step",
        seed: int = 0,
        also: tuple[str, ...] = (),
        arrays: Mapping[str, Any] | None = None,
    ) -> None:
        """Makes the games and writes what holds at their beginning.

        `observation`: one of `OBSERVATIONS`. `joint`: actions are moves of all roles, [n, roles]; by default only where
        roles choose at the same time. `autoreset`: a game that is over begins anew in the `same_step`, in the
        `next_step`, whatever its action, or `never`. Random games follow from `seed`. `also` names arrays that are
        written on request; `arrays` gives arrays of the caller by name, anything with dlpack, in place of new ones.

        Raises `LayoutError`, `ArrayError`, what `load` raises, and `NoNetworkError` for interpreted games.
        """
        self.game = game if isinstance(game, Game) else load(game)
        self.count = _positive(count)
        _one_of("autoreset", autoreset, AUTORESETS)
        net = self.game.net
        sample = play_sample(NetworkGame(net, self.game.native), self.game.roles, _SAMPLE_SECONDS)
        turns = turn_order(net, sample)
        self.by_turns = turns.by_turns
        self.joint = not turns.by_turns if joint is None else joint
        if not self.joint and not turns.by_turns:
            raise LayoutError(f"in {self.game.name} roles choose at the same time: their actions are joint moves")
        self.autoreset = autoreset
        self.actions = max(map(len, net.moves))
        self.layout = self._layout(observation, lambda: planes(self.game.name, self.game.sheet, net, sample))
        native = BatchLayout(self.actions, self.joint, self.layout.columns, self.layout.fills, turns.waiting, autoreset)
        self._lock, self._process = threading.Lock(), os.getpid()
        self._simulator: Simulator | None = None
        self._seed = seed
        self._games: SteppedGames | None = SteppedGames(self.game.native, self.count, native, seed=seed)
        self._arrays = self._chosen_arrays(observation, also, arrays or {})
        vars(self).update(self._arrays)
        self._games.write_to({name: _plain(array) for name, array in self._arrays.items()})
        self._games.reset()

    def reset(self, rows: npt.ArrayLike | None = None) -> None:
        """Begins games anew: those where `rows`, bool[n], is true, or all."""
        wanted = None if rows is None else self._checked(rows, "rows", np.dtype(np.bool_), (self.count,))
        with self._use() as games:
            games.reset(wanted)

    def load(self, states: State | States) -> None:
        """Goes on from packed states `uint64[n, words]`, or from one state in all games."""
        words = self.game.native.state_words
        if isinstance(states, State):
            if states.game != self.game:
                raise ArrayError(f"a state of {states.game.name} is none of {self.game.name}")
            given = np.tile(states.words, (self.count, 1))
        else:
            given = self._checked(states, "states", np.dtype(np.uint64), (self.count, words))
        with self._use() as games:
            games.load(given)

    def step(self, actions: npt.ArrayLike) -> None:
        """Steps every game with the action of the role to move, whole numbers [n], or with joint ones [n, roles].

        Meanwhile the others make the only move they have. `FORCED` is the only legal move, and `WAIT` leaves a game as
        it is. Where a game is over, actions are of no account, but with autoreset `never` must be one of these.
        Raises `IllegalActionError`, with the rows, and then has not stepped any game; and `ArrayError`.
        """
        shape = (self.count, len(self.game.roles)) if self.joint else (self.count,)
        given = self._action_array(actions, shape)
        with self._use() as games:
            wrong = games.step(given)
        if wrong is not None:
            raise IllegalActionError(wrong)

    def step_randomly(self) -> None:
        """Steps every game with moves drawn at random; `played` tells which, if it was asked for."""
        with self._use() as games:
            games.step(None)

    def playouts(self, count: int, state: State | None = None, seconds: float = 0.0) -> Playouts:
        """Plays random games to the end, from the initial state or another, and tells how they ended.

        No game begins after `seconds`, 0 for no limit. The games of the batch are not touched.
        """
        with self._use():
            return self._own_simulator().playouts(count, state=None if state is None else state.words, seconds=seconds)

    def random_games(self, state: State | None = None) -> list[JointMoves]:
        """Returns the joint moves of some hundred random games, each `int32[length, roles]`."""
        with self._use():
            return self._own_simulator().record(None if state is None else state.words)

    def close(self) -> None:
        """Frees the games; the arrays stay as they are."""
        if self._games is None:
            return
        with self._use() as games:
            games.close()
            self._games = None

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
        if self._process != os.getpid():
            raise ClosedError("this batch was made before its process was forked: make one in each process")
        if not self._lock.acquire(blocking=False):
            raise InUseError("this batch is in use by another thread: give each thread a batch of its own")
        try:
            if self._games is None:
                raise ClosedError("this batch is closed")
            yield self._games
        finally:
            self._lock.release()

    def _own_simulator(self) -> Simulator:
        if self._simulator is None:
            self._simulator = Simulator(self.game.native, seed=self._seed)
        return self._simulator

    def _layout(self, observation: str, make_planes: Any) -> Observations:
        _one_of("observation", observation, OBSERVATIONS)
        if observation == "none":
            return Observations((0,), (), np.empty(0, np.int32))
        made: Observations = flat(self.game.net) if observation == "bits" else make_planes()
        return made

    def _chosen_arrays(
        self, observation: str, also: tuple[str, ...], given: Mapping[str, Any]
    ) -> dict[str, npt.NDArray[Any]]:
        n, roles = self.count, len(self.game.roles)
        legal = (n, roles, self.actions) if self.joint else (n, self.actions)
        kinds: dict[str, tuple[Any, tuple[int, ...]]] = {
            "observations": (np.uint8, (n, *self.layout.shape)),
            "final_observations": (np.uint8, (n, *self.layout.shape)),
            "states": (np.uint64, (n, self.game.native.state_words)),
            "legal": (np.int8, legal),
            "to_move": (np.int32, (n,)),
            "rewards": (np.float32, (n, roles)),
            "done": (np.bool_, (n,)),
            "played": (np.int32, (n, roles)),
        }
        for name in (*also, *given):
            _one_of("array", name, tuple(kinds))
        chosen = {}
        for name, (dtype, shape) in kinds.items():
            if name in given:
                chosen[name] = self._writable(given[name], name, np.dtype(dtype), shape)
            elif name in also or name not in _OPTIONAL:
                chosen[name] = np.zeros(shape, dtype)
        if observation == "none":
            chosen.pop("final_observations", None)
        return chosen

    def _writable(self, given: Any, name: str, dtype: np.dtype[Any], shape: tuple[int, ...]) -> npt.NDArray[Any]:
        array = given if isinstance(given, np.ndarray) else np.from_dlpack(given)
        checked = self._checked(array, name, dtype, shape)
        if not checked.flags.writeable:
            raise ArrayError(f"{name}: the array is read-only")
        return checked

    def _checked(self, given: Any, name: str, dtype: np.dtype[Any], shape: tuple[int, ...]) -> npt.NDArray[Any]:
        array = np.asarray(given)
        if array.dtype != dtype:
            raise ArrayError(f"{name}: an array of {array.dtype} where {dtype} is needed")
        if array.shape != shape:
            raise ArrayError(f"{name}: an array of shape {array.shape} where {shape} is needed")
        if not array.flags.c_contiguous or not array.flags.aligned:
            raise ArrayError(f"{name}: the array is not contiguous: its strides are {array.strides}")
        return array

    def _action_array(self, actions: npt.ArrayLike, shape: tuple[int, ...]) -> npt.NDArray[np.int32]:
        array = np.asarray(actions)
        if array.dtype.kind not in "iu":
            raise ArrayError(f"actions: an array of {array.dtype} where whole numbers are needed")
        if array.shape != shape:
            raise ArrayError(f"actions: an array of shape {array.shape} where {shape} is needed")
        if array.dtype == np.int32:
            return np.ascontiguousarray(array, np.int32)
        converted = array.astype(np.int32)
        if (unlike := converted != array).any():
            raise IllegalActionError(np.unique(np.nonzero(unlike)[0]))
        return converted


def _plain(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    return array.view(np.uint8) if array.dtype == np.bool_ else array


def _positive(count: int) -> int:
    if not isinstance(count, int | np.integer) or isinstance(count, bool) or count < 1:
        raise LayoutError(f"a batch of {count!r} games: there must be one at least")
    return int(count)


def _one_of(what: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise LayoutError(f"{what} {value!r} is unknown: it is one of {', '.join(known)}")
