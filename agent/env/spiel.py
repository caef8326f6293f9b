"""Games of OpenSpiel: `pyspiel.load_game("ludens(game=connect_four)")`, once `ludens.openspiel` has been imported.

Utilities are goals from -1 to 1. A game that lasts longer than `max_game_length` is cut, as a draw.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pyspiel
from open_spiel.python.observation import IIGObserverForPublicInfoGame

from ludens.agent.api.errors import IllegalMoveError
from ludens.agent.api.game import Game, State, load
from ludens.agent.api.numbers import whole
from ludens.agent.env.turns import TurnOrder, turn_order
from ludens.agent.playable.text_game import NetworkGame
from ludens.games.view.planes import Observations, flat
from ludens.games.view.sample import play_sample
from ludens.native.core import unpack_bits
from ludens.propnet.analysis.constant_sum import has_constant_sum

_NAME = "ludens"
_PARAMETERS = {"game": "tic_tac_toe", "max_game_length": 10_000}
_SAMPLE_SECONDS = 60.0
_MOST_PLAYERS = 100
_MIDDLE = 50


def _game_type(dynamics: Any, utility: Any, least: int, most: int) -> Any:
    return pyspiel.GameType(
        short_name=_NAME,
        long_name="A game whose rules are written in GDL",
        dynamics=dynamics,
        chance_mode=pyspiel.GameType.ChanceMode.DETERMINISTIC,
        information=pyspiel.GameType.Information.PERFECT_INFORMATION,
        utility=utility,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=most,
        min_num_players=least,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=_PARAMETERS,
    )


@cache
def _known(game: Game) -> tuple[TurnOrder, Observations, bool]:
    """Returns the turns and observations of a game, and whether it is proven that its utilities sum to 0."""
    sample = play_sample(NetworkGame(game.net, game.native), game.roles, _SAMPLE_SECONDS)
    sums_to_zero = game.native.constant_sum or has_constant_sum(game.net)
    return turn_order(game.net, sample), flat(game.net), sums_to_zero


class SpielGame(pyspiel.Game):
    """A game for OpenSpiel: by turns if roles never choose at the same time, else simultaneous."""

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        given = {**_PARAMETERS, **(params or {})}
        self.rules = load(str(given["game"]))  # a sheet may have changed since another was made of it
        self.turns, self.layout, sums_to_zero = _known(self.rules)
        self.by_turns = self.turns.by_turns
        utilities, dynamics = pyspiel.GameType.Utility, pyspiel.GameType.Dynamics
        roles = len(self.rules.roles)
        kind = _game_type(
            dynamics.SEQUENTIAL if self.by_turns else dynamics.SIMULTANEOUS,
            utilities.ZERO_SUM if sums_to_zero else utilities.GENERAL_SUM,
            roles,
            roles,
        )
        info = pyspiel.GameInfo(
            num_distinct_actions=max(map(len, self.rules.moves)),
            max_chance_outcomes=0,
            num_players=roles,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0 if sums_to_zero else None,
            max_game_length=whole("max_game_length", given["max_game_length"], least=1),
        )
        super().__init__(kind, info, given)

    def new_initial_state(self, state: Any = None) -> SpielState:
        """Returns the state in which the game begins."""
        return SpielState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Any:
        """Returns what sees the facts of a state, as a tensor of bits."""
        if iig_obs_type is None or (iig_obs_type.public_info and not iig_obs_type.perfect_recall):
            return FactObserver(self, params)
        return IIGObserverForPublicInfoGame(iig_obs_type, params)


class SpielState(pyspiel.State):
    """A state of a game for OpenSpiel."""

    def __init__(self, game: SpielGame) -> None:
        super().__init__(game)
        self.at = _Held(game.rules.initial)
        self._by_turns = game.by_turns
        self._left = game.max_game_length()
        self._waiting = _Held(game.turns.waiting)

    def current_player(self) -> Any:
        """Returns the player to move."""
        if self.is_terminal():
            return pyspiel.PlayerId.TERMINAL
        return self._mover() if self._by_turns else pyspiel.PlayerId.SIMULTANEOUS

    def is_terminal(self) -> bool:
        """Says whether the game is over."""
        return self._left <= 0 or self._state.terminal

    def returns(self) -> list[float]:
        """Returns the utilities; 0 before the end."""
        if not self._state.terminal:
            return [0.0] * len(self._state.game.roles)
        return [(_MIDDLE if goal is None else goal) / _MIDDLE - 1.0 for goal in self._state.goals]

    def __str__(self) -> str:
        return " ".join(self._state.facts)

    @property
    def _state(self) -> State:
        state: State = self.at.value
        return state

    def _mover(self) -> int:
        state = self._state
        legal = [state.legal_indices(role) for role in range(len(state.game.roles))]
        choosing = [role for role, moves in enumerate(legal) if len(moves) > 1]
        if choosing:
            return choosing[0]
        first = np.cumsum([0, *map(len, state.game.moves)])
        waits = unpack_bits(self._waiting.value, int(first[-1]))
        able = (role for role, moves in enumerate(legal) if any(not waits[first[role] + move] for move in moves))
        return next(able, 0)

    def _legal_actions(self, player: int) -> list[int]:
        return sorted(self._state.legal_indices(player)) if not self.is_terminal() else []

    def _apply_action(self, action: int) -> None:
        roles = self._state.game.roles
        self._go_on({roles[self._mover()]: int(action)})

    def _apply_actions(self, actions: list[int]) -> None:
        self._go_on(dict(zip(self._state.game.roles, map(int, actions), strict=True)))

    def _go_on(self, moves: dict[str, Any]) -> None:
        self.at = _Held(self._state.play(moves))
        self._left -= 1

    def _action_to_string(self, player: int, action: int) -> str:
        game = self._state.game
        role = game.roles[game.role_index(player)]
        if not 0 <= action < len(game.moves[player]):
            raise IllegalMoveError(f"{action} is no action of {role}: there are {len(game.moves[player])}")
        return game.moves[player][action]


class _Held:
    """Something that never changes, so that copies of its owner share it: OpenSpiel copies states attribute by one."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __deepcopy__(self, memo: dict[int, Any]) -> _Held:
        return self


class FactObserver:
    """Sees the facts of a state as a tensor, and as text."""

    def __init__(self, game: SpielGame, params: Any) -> None:
        if params:
            raise ValueError(f"observations have no parameters, but these were given: {params}")
        self._bits = game.rules.native.state_bits
        self.tensor = np.zeros(max(1, self._bits), np.float32)
        self.dict = {"facts": self.tensor}

    def set_from(self, state: SpielState, player: int) -> None:
        """Writes the facts of a state in the tensor."""
        self.tensor[: self._bits] = state.at.value.bits

    def string_from(self, state: SpielState, player: int) -> str:
        """Returns the facts of a state as text."""
        return str(state)


pyspiel.register_game(
    _game_type(pyspiel.GameType.Dynamics.SEQUENTIAL, pyspiel.GameType.Utility.GENERAL_SUM, 1, _MOST_PLAYERS), SpielGame
)
