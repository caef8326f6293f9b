"""A game that is played on the page: its rules, its referee, and what its positions look like.

All of it blocks, so that a reactor calls it through `in_thread`.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Mapping
from typing import Any

from ludens.agent.manager.referee import MatchState, Referee
from ludens.agent.preparation.game_view import FullFacts, game_view
from ludens.agent.preparation.playable_game import playable_game
from ludens.agent.protocol.wire import History
from ludens.games.view.hints import read_hints
from ludens.propnet.base.child import Limits
from ludens.propnet.base.errors import LudensError
from ludens.propnet.gdl.syntax import RuleSheet

_SAMPLE_SECONDS = 5.0  # of random games, from which boards are found: enough for all of them in most games


def key_of(text: str) -> str:
    """Returns a name for a rule sheet that follows from its text alone."""
    return hashlib.sha256(text.encode()).hexdigest()[:24]


def _full_facts(sheet: RuleSheet) -> FullFacts | None:
    """The facts of the rules; None where they are too much for the rule machine, and those of the network must do."""
    try:
        return FullFacts(sheet)
    except LudensError:
        return None


class PlayedGame:
    """The rules of a game with their referee and its view; for any threads, one at a time."""

    def __init__(self, name: str, text: str, sheet: RuleSheet, limits: Limits) -> None:
        """Makes the referee, which takes as long as making the network does. Raises `LudensError`."""
        self.name = name
        self.text = text
        self.key = key_of(text)
        self.roles = sheet.roles
        self.plain_rules = str(sheet)
        self._lock = threading.Lock()
        playable = playable_game(sheet, limits, lambda _line: None)
        self._referee = Referee(playable.game)
        reason = playable.fallback_reason
        self.warning = f"the rules are interpreted, which is slower: {reason}" if reason else ""
        self._facts = _full_facts(sheet)
        net = playable.loaded.net if playable.loaded else None
        self._reader = game_view(name, sheet, net, _SAMPLE_SECONDS, read_hints(text))
        self.look: Mapping[str, Any] = self._reader.view.to_json()

    def position(self, history: History) -> tuple[MatchState, Mapping[str, Any]]:
        """Returns the position after a history, and what it looks like. Raises `NativeError`."""
        with self._lock:
            state = self._referee.at(history)
            goals = state.goals if state.terminal else None
            facts = self._facts.at(history) if self._facts else state.facts
            return state, self._reader.read(facts, state.legal, state.terminal, goals).to_json()
