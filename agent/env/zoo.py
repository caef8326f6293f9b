"""Environments of PettingZoo: one agent after the other (AEC), and all at once (Parallel).

>>> from ludens.env import aec_env, parallel_env
>>> env = aec_env("connect_four")
>>> env.reset(seed=1)
>>> observation, reward, over, cut, info = env.last()
>>> env.step(int(observation["action_mask"].argmax()))

Observations are `{"observation", "action_mask"}`. Rewards are 0 until the game ends, then from -1 to 1. With
`egocentric=True` each agent sees the game as the first one does, and acts so (`role_views`).
"""

from __future__ import annotations

import operator
from collections.abc import Mapping
from os import PathLike
from typing import Any, TypeAlias

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete
from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.utils import wrappers

from ludens.agent.api.game import Game, State
from ludens.agent.env.batch import FORCED, Batch
from ludens.agent.env.entry import Entry
from ludens.agent.env.errors import ArrayError, LayoutError, NotResetError
from ludens.agent.env.role_views import RoleViews
from ludens.agent.env.uncopied import Uncopied

Observation: TypeAlias = dict[str, Any]

NO_ACTION = -3  # neither an action nor `FORCED` or `WAIT`


class _Table:
    """One game with an agent for each role, in joint moves."""

    def __init__(self, game: Game | str | PathLike[str], observation: str, egocentric: bool) -> None:
        self.batch = Batch(game, 1, observation=observation, joint=True, autoreset="never", also=("states",))
        self.game = self.batch.game
        if self.game.initial.terminal:
            raise LayoutError(f"{self.game.name} is over before its first move: there is nothing to play")
        self.agents = list(self.game.roles)
        self._views = RoleViews(self.game, self.batch.observation_layout, self.batch.actions) if egocentric else None
        layout = self.batch.observation_layout
        self.spaces = {
            agent: Dict(
                {
                    "observation": Box(0, layout.high, layout.shape, np.uint8),
                    "action_mask": Box(0, 1, (self.batch.actions,), np.int8),
                }
            )
            for agent in self.agents
        }
        self.action_spaces = {agent: Discrete(self.batch.actions) for agent in self.agents}

    def mask(self, agent: str) -> Any:
        role = self.game.role_index(agent)
        mask = self.batch.legal[:, role]
        return mask[0].copy() if self._views is None else self._views.legal(mask, np.array([role]))[0]

    def observe(self, agent: str, mask: Any) -> Observation:
        seen = self.batch.observations
        if self._views is not None:
            seen = self._views.observe(seen, np.array([self.game.role_index(agent)]))
        return {"observation": seen[0].copy(), "action_mask": mask}

    def choosing(self) -> list[str]:
        """The agents that have a choice; where nobody has, the one to move."""
        if self.batch.done[0]:
            return []
        free = [agent for i, agent in enumerate(self.agents) if self.batch.legal[0, i].sum() > 1]
        return free or [self.agents[self.batch.to_move[0]]]

    def step(self, actions: Mapping[str, int]) -> None:
        """Makes a joint move; who has no choice may be left out. Raises `IllegalActionError`."""
        joint = np.array([actions.get(agent, FORCED) for agent in self.agents])
        if self._views is not None:
            joint = self._views.actions(joint, np.arange(len(joint)))
        self.batch.step(joint[None])

    def rewards(self) -> dict[str, float]:
        return dict(zip(self.agents, map(float, self.batch.rewards[0]), strict=True))

    def text(self) -> str:
        return "\n".join(State(self.game, self.batch.states[0]).facts)


class _Seats(Uncopied):
    """What both kinds of environments have: the agents, their spaces, and the game as text."""

    def __init__(
        self,
        game: Game | str | PathLike[str],
        *,
        observation: str = "planes",
        egocentric: bool = False,
        render_mode: str | None = None,
    ) -> None:
        """`observation` is as of a `Batch`; `egocentric`: each agent sees the game as if it were the first.

        With `render_mode` `ansi` a position is shown as its facts. Raises what `Batch` and `RoleViews` raise.
        """
        super().__init__()
        if render_mode not in (None, "ansi"):
            raise LayoutError(f"render_mode {render_mode!r} is unknown: it is ansi")
        self._table = _Table(game, observation, egocentric)
        self._entry = Entry(self._table.batch)
        self.metadata: dict[str, Any] = {"name": self._table.game.name, "render_modes": ["ansi"]}
        self.render_mode = render_mode
        self.possible_agents = list(self._table.agents)
        self.agents: list[str] = []

    def observation_space(self, agent: str) -> Any:
        """Returns the space of observations, the same object each time."""
        return self._table.spaces[agent]

    def action_space(self, agent: str) -> Any:
        """Returns the space of actions, the same object each time."""
        return self._table.action_spaces[agent]

    def render(self) -> str | None:
        """Returns the facts of the position, with `render_mode` `ansi`."""
        return self._table.text() if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Frees the game."""
        self._table.batch.close()

    def _is_legal(self, agent: str, action: int) -> bool:
        mask = self._table.mask(agent)
        return 0 <= action < len(mask) and bool(mask[action])


class RawAECEnv(_Seats, AECEnv):
    """A game in which one agent acts after the other; `aec_env` adds the usual wrappers.

    Agents that have no choice are passed over. Where several choose at once, each acts without knowing of the others.
    """

    def __init__(self, game: Game | str | PathLike[str], **settings: Any) -> None:
        """`settings`: `observation`, `egocentric` and `render_mode`, see `aec_env`."""
        super().__init__(game, **settings)
        self.metadata["is_parallelizable"] = False

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begins the game anew; nothing in it is random."""
        with self._entry:
            self._reset()

    def _reset(self) -> None:
        self._table.batch.reset()
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._chosen: dict[str, int] = {}
        self._waiting = self._table.choosing()
        self.agent_selection = self._waiting[0]

    def observe(self, agent: str) -> Observation:
        """Returns what an agent sees; its mask is empty unless it is to act."""
        acts = agent == self.agent_selection and not self.terminations.get(agent, True)
        mask = self._table.mask(agent)
        return self._table.observe(agent, mask if acts else np.zeros_like(mask))

    def step(self, action: int | None) -> None:
        """Notes the action of the agent to act, and makes the joint move once all have acted."""
        with self._entry:
            self._step(action)

    def _step(self, action: int | None) -> None:
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        chosen = NO_ACTION if action is None else _whole(action, agent)
        if not self._is_legal(agent, chosen):
            self._table.step({agent: NO_ACTION if chosen < 0 else chosen})  # raises, which says why
        self._chosen[agent] = chosen
        left = [other for other in self._waiting if other not in self._chosen]
        if left:
            self.agent_selection = left[0]
            return
        self._table.step(self._chosen)
        self._chosen = {}
        self.rewards = self._table.rewards()
        self._waiting = self._table.choosing()
        if self._waiting:
            self.agent_selection = self._waiting[0]
        else:
            self.terminations = dict.fromkeys(self.agents, True)
            self.agent_selection = self.agents[0]
        self._accumulate_rewards()


class RawParallelEnv(_Seats, ParallelEnv):
    """A game in which all agents act in every step; the mask of one without a choice has a single action.

    An action that is not legal, or is missing where there is a choice, ends the game with a reward of -1.
    """

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        """Begins the game anew; nothing in it is random."""
        with self._entry:
            self._table.batch.reset()
            self.agents = list(self.possible_agents)
            return self._observed(), {agent: {} for agent in self.agents}

    def step(
        self, actions: Mapping[str, int | None]
    ) -> tuple[dict[str, Observation], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
        """Makes a joint move. Raises `ArrayError`, `NotResetError`, `ClosedError` and `InUseError`."""
        if not isinstance(actions, Mapping):
            raise ArrayError(f"actions must be a mapping from agents, not {actions!r:.80}")
        chosen = {agent: _whole(action, agent) for agent in self.agents if (action := actions.get(agent)) is not None}
        with self._entry:
            if not self.agents:
                raise NotResetError("no game is being played: call reset before the first step, and after the end")
            return self._step(chosen)

    def _step(
        self, chosen: Mapping[str, int]
    ) -> tuple[dict[str, Observation], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
        agents = self.agents
        wrong = [agent for agent in agents if not self._may_act(agent, chosen.get(agent))]
        if not wrong:
            self._table.step(chosen)
        rewards = {agent: -1.0 if agent in wrong else 0.0 for agent in agents} if wrong else self._table.rewards()
        over = bool(wrong) or bool(self._table.batch.done[0])
        observed = self._observed()
        if over:
            self.agents = []
        return (
            observed,
            {agent: rewards[agent] for agent in agents},
            dict.fromkeys(agents, over),
            dict.fromkeys(agents, False),
            {agent: {} for agent in agents},
        )

    def _may_act(self, agent: str, action: int | None) -> bool:
        return bool(self._table.mask(agent).sum() == 1) if action is None else self._is_legal(agent, action)

    def _observed(self) -> dict[str, Observation]:
        return {agent: self._table.observe(agent, self._table.mask(agent)) for agent in self.agents}


def _whole(action: Any, agent: str) -> int:
    try:
        return operator.index(action)
    except TypeError:
        raise ArrayError(f"the action of {agent} must be a whole number, not {action!r:.80}") from None


def aec_env(game: Game | str | PathLike[str], **settings: Any) -> AECEnv:
    """Returns a game as an AEC environment; who acts illegally loses, as in PettingZoo's own games.

    `settings` are `observation`, as of a `Batch`; `egocentric`, for agents that see the game as if each were the first;
    and `render_mode`, `ansi` for facts. Raises what `Batch` raises, and `LayoutError` for a game without such views.
    """
    env: AECEnv = RawAECEnv(game, **settings)
    env = wrappers.TerminateIllegalWrapper(env, illegal_reward=-1)
    env = wrappers.AssertOutOfBoundsWrapper(env)
    return wrappers.OrderEnforcingWrapper(env)


def parallel_env(game: Game | str | PathLike[str], **settings: Any) -> RawParallelEnv:
    """Returns a game as a Parallel environment; `settings` are those of `aec_env`."""
    return RawParallelEnv(game, **settings)
