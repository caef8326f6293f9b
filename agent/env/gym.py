"""Environments of Gymnasium: many games at once, and one game.

>>> import gymnasium, ludens.env
>>> envs = gymnasium.make_vec("ludens/connect_four", num_envs=64, opponent="random")
>>> observations, infos = envs.reset(seed=1)
>>> observations, rewards, over, cut, infos = envs.step(infos["action_mask"].argmax(axis=1))
"""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import Any, ClassVar, TypeAlias

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.spaces import Box, Discrete
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from ludens.agent.api.game import Game, State
from ludens.agent.api.numbers import seed_of
from ludens.agent.env.batch import WAIT, Batch
from ludens.agent.env.entry import Entry
from ludens.agent.env.errors import ArrayError, IllegalActionError, LayoutError, NotResetError
from ludens.agent.env.layouts import as_array
from ludens.agent.env.opponents import read_opponent
from ludens.agent.env.role_views import RoleViews
from ludens.agent.env.uncopied import Uncopied

Bytes: TypeAlias = npt.NDArray[np.uint8]
Bools: TypeAlias = npt.NDArray[np.bool_]
Stepped: TypeAlias = tuple[Bytes, npt.NDArray[np.float64], Bools, Bools, dict[str, Any]]

SELF = "self"
"""An opponent: nobody; the agent moves for all roles, and is rewarded as the one for which it has just moved."""


class VectorEnv(Uncopied, gymnasium.vector.VectorEnv[Bytes, npt.NDArray[np.int64], npt.NDArray[np.float64]]):
    """Many games of one kind; the agent plays one role, an opponent the others.

    Observations are those of a `Batch`; `infos["action_mask"]` int8[n, actions] has a 1 for each legal action. A reward
    is 0 until a game ends, then from -1 to 1. An action that is not legal loses the game at once, with a reward of -1.
    A game that others end before the agent's first move has an empty mask, and is over in the next step.
    """

    metadata: dict[str, Any] = {"render_modes": [], "autoreset_mode": AutoresetMode.NEXT_STEP}  # noqa: RUF012

    def __init__(
        self,
        game: Game | str | PathLike[str],
        num_envs: int = 1,
        *,
        role: str | int = 0,
        opponent: str = "random",
        observation: str = "planes",
        egocentric: bool = False,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        illegal: str = "lose",
        copy: bool = True,
    ) -> None:
        """`opponent` is `random`, `first`, a strategy such as `uct:iterations=1000`, or `self` in games by turns.

        `egocentric`: the agent sees the game, and acts, as if it moved for the first role, whichever it moves for; that
        takes a symmetry of the rules, without which there is a `LayoutError`.
        `illegal`: whether an action that is not legal will `lose`, or `raise` an `IllegalActionError`. Without `copy`
        observations and masks are the same arrays in every step, written anew.
        """
        if illegal not in ("lose", "raise"):
            raise LayoutError(f"illegal {illegal!r} is unknown: it is lose or raise")
        self._mode = _mode_of(autoreset_mode)
        self.batch = Batch(game, num_envs, observation=observation, autoreset="never", also=("states",))
        self.metadata = {**self.metadata, "autoreset_mode": self._mode}
        self.num_envs = self.batch.count
        self.game = self.batch.game
        self.role = self.game.role_index(role)
        self._alone = opponent == SELF or len(self.game.roles) == 1
        if self._alone and self.batch.joint:
            raise LayoutError(f"in {self.game.name} roles choose at the same time: an opponent is needed")
        self._opponent = read_opponent("random" if self._alone else opponent, self.game)
        self._views = RoleViews(self.game, self.batch.observation_layout, self.batch.actions) if egocentric else None
        self._view, self._view_mask = np.empty_like(self.batch.observations), np.empty_like(self._mask())
        self._raises, self._copies = illegal == "raise", copy
        shape, high = self.batch.observation_layout.shape, self.batch.observation_layout.high
        self.single_observation_space = Box(0, high, shape, np.uint8)
        self.single_action_space = Discrete(self.batch.actions)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._over, self._ended_early = np.zeros((2, self.num_envs), np.bool_)
        self._early_rewards = np.zeros(self.num_envs)
        self._begun, self._entry = False, Entry(self.batch)

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Bytes, dict[str, Any]]:
        """Begins all games anew, or those of `options["reset_mask"]`; a seed is that of the opponent.

        All games begin the first time, and where a step or a reset was broken off, as by Ctrl-C while others move.
        Raises `ArrayError`, `BudgetError` for what is no seed, `ClosedError` and `InUseError`.
        """
        rows = self._rows_of(options)
        seeds = [each if each is None else seed_of(each) for each in (seed if isinstance(seed, list) else [seed])]
        with self._entry:
            if seeds and seeds[0] is not None:
                self._opponent.seed(seeds[0])
            rows = rows if self._begun else np.ones_like(rows)
            self._begun = False
            self._begin(rows)
            self._begun = True
            return self._observed(), self._infos()

    def step(self, actions: npt.ArrayLike) -> Stepped:
        """Makes a move in every game, and those of the opponent until the agent is to move again.

        Raises `ArrayError`, `IllegalActionError` if it is to, and then has not stepped any game; `NotResetError`,
        `ClosedError` and `InUseError`.
        """
        chosen = self._checked(actions)
        with self._entry:
            if not self._begun:
                raise NotResetError("call reset before the first step, and after one that was broken off")
            return self._step(chosen)

    def close_extras(self, **kwargs: Any) -> None:
        """Frees the games, and what the opponent has."""
        self.batch.close()
        self._opponent.close()

    def _step(self, chosen: npt.NDArray[np.int64]) -> Stepped:
        if self._views is not None:
            chosen = self._views.actions(chosen, self._movers())
        fresh, early = self._over.copy(), self._ended_early & ~self._over
        if fresh.any() and self._mode is AutoresetMode.DISABLED:
            raise NotResetError(f"games are over and were not reset: rows {np.flatnonzero(fresh).tolist()}")
        wrong = ~fresh & ~early & ~self._legal(chosen)
        if self._raises and wrong.any():
            raise IllegalActionError(np.flatnonzero(wrong))
        self._begun = False  # until it is the agent's move everywhere, even if what is between raises
        if fresh.any():
            self._begin(fresh)
        moving = ~fresh & ~early & ~wrong
        movers = self._movers()
        rewards = self._play(chosen, moving)[np.arange(self.num_envs), movers].astype(np.float64)
        rewards[wrong] = -1.0
        rewards[early] = self._early_rewards[early]
        self._over = moving & self.batch.done | wrong | early
        over, infos = self._over.copy(), {}
        if self._mode is AutoresetMode.SAME_STEP and over.any():
            final = self.batch.observations.copy() if self._views is None else self._seen(movers)
            infos = {"final_obs": final, "_final_obs": over, "final_info": self._infos(over)}
            infos["_final_info"] = over
            self._begin(over)
        self._begun = True
        return self._observed(), rewards, over, np.zeros(self.num_envs, np.bool_), {**self._infos(), **infos}

    def _rows_of(self, options: dict[str, Any] | None) -> Bools:
        """Returns the games that options want to begin anew."""
        if not isinstance(options, Mapping | None):
            raise ArrayError(f"options must be a dictionary, not {options!r:.80}")
        rows = (options or {}).get("reset_mask")
        if rows is None:
            return np.ones(self.num_envs, np.bool_)
        if not isinstance(rows, np.ndarray) or rows.dtype != np.bool_ or rows.shape != (self.num_envs,):
            raise ArrayError(f"reset_mask must be an array bool[{self.num_envs}]")
        return rows

    def _checked(self, actions: npt.ArrayLike) -> npt.NDArray[np.int64]:
        chosen = as_array(actions, "actions")
        if chosen.dtype.kind not in "iu" or chosen.shape != (self.num_envs,):
            raise ArrayError(f"actions must be whole numbers [{self.num_envs}], not {chosen.dtype}{list(chosen.shape)}")
        return chosen.astype(np.int64)

    def _movers(self) -> npt.NDArray[np.int32]:
        """The roles for which the agent moves, of one that is over the first if they change."""
        if self._alone:
            movers: npt.NDArray[np.int32] = np.maximum(self.batch.to_move, 0)
            return movers
        return np.full(self.num_envs, self.role, np.int32)

    def _legal(self, actions: npt.NDArray[np.int64]) -> Bools:
        known = (actions >= 0) & (actions < self.batch.actions)
        rows = np.arange(self.num_envs)
        legal: Bools = known & (self._mask()[rows, np.where(known, actions, 0)] != 0)
        return legal

    def _mask(self) -> npt.NDArray[np.int8]:
        return self.batch.legal[:, self.role] if self.batch.joint else self.batch.legal

    def _begin(self, rows: Bools) -> None:
        """Begins games anew, up to the first move of the agent."""
        self.batch.reset(rows)
        self._over[rows] = False
        rewards = self._let_others_move()
        self._ended_early[rows] = self.batch.done[rows]
        self._early_rewards[rows] = rewards[rows, self.role]

    def _play(self, actions: npt.NDArray[np.int64], rows: Bools) -> npt.NDArray[np.float32]:
        """Makes the agent's moves in some games and those of others after them; returns the sums of their rewards."""
        if not self.batch.joint:
            self.batch.step(np.where(rows, actions, WAIT))
            return self._let_others_move(self.batch.rewards.copy())
        joint = np.empty((self.num_envs, len(self.game.roles)), np.int32)
        everybody = np.arange(self.num_envs)
        for role in range(len(self.game.roles)):
            joint[:, role] = actions if role == self.role else WAIT
            if role != self.role:
                joint[rows, role] = self._choice(everybody[rows], np.full(int(rows.sum()), role, np.int32))
        joint[~rows] = WAIT
        self.batch.step(joint)
        return self.batch.rewards.copy()

    def _let_others_move(self, rewards: npt.NDArray[np.float32] | None = None) -> npt.NDArray[np.float32]:
        """Has the opponent move where it is its turn, as long as it is."""
        total = np.zeros_like(self.batch.rewards) if rewards is None else rewards
        while not self._alone and not self.batch.joint:
            rows = np.flatnonzero((self.batch.to_move >= 0) & (self.batch.to_move != self.role))
            if not len(rows):
                break
            actions = np.full(self.num_envs, WAIT, np.int32)
            actions[rows] = self._choice(rows, self.batch.to_move[rows])
            self.batch.step(actions)
            total += self.batch.rewards
        return total

    def _choice(self, rows: npt.NDArray[np.int64], roles: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
        legal = self.batch.legal[rows, roles] if self.batch.joint else self.batch.legal[rows]
        return self._opponent.choose(self.batch.states[rows], roles, legal)

    def _observed(self) -> Bytes:
        if self._views is not None:
            return self._seen(self._movers(), None if self._copies else self._view)
        return self.batch.observations.copy() if self._copies else self.batch.observations

    def _seen(self, roles: npt.NDArray[np.int32], out: Bytes | None = None) -> Bytes:
        assert self._views is not None
        return self._views.observe(self.batch.observations, roles, out)

    def _seen_mask(self, fresh: bool) -> npt.NDArray[np.int8]:
        """The mask as the agent sees it: another array each time if `fresh`."""
        if self._views is not None:
            return self._views.legal(self._mask(), self._movers(), None if fresh else self._view_mask)
        return self._mask().copy() if fresh else self._mask()

    def _infos(self, rows: Bools | None = None) -> dict[str, Any]:
        everywhere = np.ones(self.num_envs, np.bool_) if rows is None else rows
        return {
            "action_mask": self._seen_mask(fresh=self._copies or rows is not None),
            "_action_mask": everywhere,
            "to_move": self.batch.to_move.copy(),
            "_to_move": everywhere,
        }


class Env(Uncopied, gymnasium.Env[Bytes, np.int64]):
    """One game; the agent plays one role, an opponent the others. See `VectorEnv`, of which it is a single row."""

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["ansi"]}

    def __init__(self, game: Game | str | PathLike[str], *, render_mode: str | None = None, **settings: Any) -> None:
        """`settings` are those of a `VectorEnv`; with `render_mode` `ansi` a position is shown as its facts."""
        if render_mode not in (None, "ansi"):
            raise LayoutError(f"render_mode {render_mode!r} is unknown: it is ansi")
        self.render_mode = render_mode
        self._row = VectorEnv(game, 1, autoreset_mode=AutoresetMode.DISABLED, **settings)
        self.game = self._row.game
        self.observation_space = self._row.single_observation_space
        self.action_space = self._row.single_action_space

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Bytes, dict[str, Any]]:
        """Begins the game anew; a seed is that of the opponent."""
        super().reset(seed=seed)
        observations, _ = self._row.reset(seed=seed)
        return observations[0], self._info()

    def step(self, action: Any) -> tuple[Bytes, float, bool, bool, dict[str, Any]]:
        """Makes a move, and those of the opponent until the agent is to move again."""
        observations, rewards, over, _, _ = self._row.step(np.array([action]))
        return observations[0], float(rewards[0]), bool(over[0]), False, self._info()

    def render(self) -> str | None:
        """Returns the facts of the position."""
        return "\n".join(State(self.game, self._row.batch.states[0]).facts) if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Frees the game, and what the opponent has."""
        self._row.close()

    def _info(self) -> dict[str, Any]:
        infos = self._row._infos()
        return {"action_mask": infos["action_mask"][0], "to_move": int(infos["to_move"][0])}


def _mode_of(mode: AutoresetMode | str) -> AutoresetMode:
    try:
        return AutoresetMode(mode)
    except ValueError:
        known = ", ".join(each.value for each in AutoresetMode)
        raise LayoutError(f"autoreset_mode {mode!r} is unknown: it is one of {known}") from None
