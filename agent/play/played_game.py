"""A game that is played on the page: its rules, its referee, and what its positions look like.

All of it blocks, so that a reactor calls it through `in_thread`.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Mapping
from typing import Any

from ludens.agent.manager.referee import MatchState, RefereeChoice, choose_referee
from ludens.agent.protocol.wire import History
from ludens.games.view.vocabulary import GameView, MoveView, PositionView
from ludens.propnet.base.child import Limits
from ludens.propnet.gdl.syntax import RuleSheet


def key_of(text: str) -> str:
    """Returns a name for a rule sheet that follows from its text alone."""
    return hashlib.sha256(text.encode()).hexdigest()[:24]


class PlayedGame:
    """The rules of a game with their referee; for any threads, one at a time."""

    def __init__(self, name: str, text: str, sheet: RuleSheet, limits: Limits) -> None:
        """Makes the referee, which takes as long as making the network does. Raises `LudensError`."""
        self.name = name
        self.text = text
        self.key = key_of(text)
        self.roles = sheet.roles
        self.plain_rules = str(sheet)
        self._lock = threading.Lock()
        self._choice: RefereeChoice = choose_referee(sheet, limits)
        self.warning = self._choice.fallback_reason
        self._look = GameView(name, sheet.roles, (), {}, tuple(() for _ in sheet.roles))
        self.look: Mapping[str, Any] = self._look.to_json()

    def position(self, history: History) -> tuple[MatchState, Mapping[str, Any]]:
        """Returns the position after a history, and what it looks like."""
        with self._lock:
            state = self._choice.referee.at(history)
            return state, self._view(state).to_json()

    def _view(self, state: MatchState) -> PositionView:
        moves = tuple(tuple(MoveView(text, text, ()) for text in legal) for legal in state.legal)
        return PositionView(
            boards=(),
            hands=(),
            counters=(),
            facts=state.facts,
            turn=tuple(role for role, legal in enumerate(state.legal) if len(legal) > 1),
            legal=tuple(tuple(range(len(legal))) for legal in state.legal),
            terminal=state.terminal,
            goals=state.goals if state.terminal else None,
            moves=moves,
        )
