"""Computes the states, legal moves, end and goals of a match.

The network works that out, or the rule machine for games that cannot be grounded: slower, and the same answers.
Both block, so that a reactor calls them through `in_thread`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ludens.agent.playable.playable_game import playable_game
from ludens.agent.playable.text_game import SheetGame
from ludens.agent.protocol.state_history import StateHistory
from ludens.agent.protocol.wire import History
from ludens.native.core import States
from ludens.propnet.base.child import Limits
from ludens.propnet.gdl.syntax import RuleSheet
from ludens.propnet.network.propnet import Propnet


@dataclass(frozen=True, slots=True)
class MatchState:
    """One state of a match; texts in the spelling of the sheet, roles in its order."""

    facts: tuple[str, ...]  # sorted
    legal: tuple[tuple[str, ...], ...]  # [roles]
    terminal: bool
    goals: tuple[int | None, ...]  # [roles]; None where the rules give none, or more than one


class Referee:
    """The rules of one match in progress."""

    def __init__(self, game: SheetGame, opening: History = ()) -> None:
        """Takes the game; the first state of the match is that after some joint moves."""
        self._game = game
        self._opening = opening
        self._path = StateHistory(game.game.initial, game.after)
        self._state = game.game.initial

    def first(self) -> MatchState:
        """Goes back to the first state and returns it. Raises `NativeError`."""
        return self.at(self._opening)

    def after(self, moves: Sequence[str]) -> MatchState:
        """Returns the position after a joint move of legal moves, in role order. Raises `NativeError`."""
        return self._enter(self._game.after(self._state, moves))

    def at(self, history: History) -> MatchState:
        """Returns the position that joint moves lead to from the start of the game on. Raises `NativeError`.

        What this history shares with the one before is not played again.
        """
        return self._enter(self._path.follow(history))

    def _enter(self, state: States) -> MatchState:
        self._state = state
        game = self._game
        return MatchState(
            facts=game.facts(state),
            legal=tuple(game.texts(role, moves, state) for role, moves in enumerate(game.legal(state))),
            terminal=game.terminal(state),
            goals=game.goals(state),
        )


@dataclass(frozen=True, slots=True)
class RefereeChoice:
    """A referee with the network that it uses, or the reason why it uses the slow rule machine."""

    referee: Referee
    game: SheetGame  # that the referee plays, for who replays the match
    net: Propnet | None
    fallback_reason: str = ""


def choose_referee(sheet: RuleSheet, limits: Limits) -> RefereeChoice:
    """Returns a referee on the network, if there is one within the limits, else one on the rule machine."""
    playable = playable_game(sheet, limits, lambda _line: None)
    return RefereeChoice(Referee(playable.game), playable.game, playable.net, playable.warning)
