"""A game that is played on the page: its rules, its referee, and what its positions look like.

All of it blocks, so that a reactor calls it through `in_thread`.
"""

from __future__ import annotations

import hashlib
import re
import threading
from collections.abc import Callable, Mapping
from typing import Any

from ludens.agent.manager.referee import MatchState, Referee
from ludens.agent.play.replayed_game import Seen
from ludens.agent.playable.game_view import FullFacts, game_view
from ludens.agent.playable.playable_game import playable_game
from ludens.agent.protocol.wire import History, Joint
from ludens.games.view.hints import read_hints
from ludens.games.view.vocabulary import GameView
from ludens.propnet.base.child import Limits
from ludens.propnet.base.errors import LudensError
from ludens.propnet.gdl.syntax import RuleSheet

_SAMPLE_SECONDS = 2.0  # of random games, from which boards are found: enough for all of them in most games


_KEY = re.compile(r"[0-9a-f]{24}")


def key_of(text: str) -> str:
    """Returns a name for a rule sheet that follows from its text alone."""
    return hashlib.sha256(text.encode()).hexdigest()[:24]


def is_key(text: str) -> bool:
    """Says whether a text may be such a name, and so no path of a file."""
    return _KEY.fullmatch(text) is not None


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
        self.warning = playable.warning
        self._facts = _full_facts(sheet)
        self._reader = game_view(name, sheet, playable.net, _SAMPLE_SECONDS, read_hints(text, sheet.roles))
        self.look: Mapping[str, Any] = self._reader.view.to_json()

    def position(self, history: History) -> tuple[MatchState, Mapping[str, Any]]:
        """Returns the position after a history, and what it looks like in JSON. Raises `NativeError`."""
        seen = self._seen(history)
        return seen.state, seen.view.to_json()

    def line(self) -> PlayedLine:
        """Returns this game as it stands at its first position, to be followed from there."""
        return PlayedLine(self.roles, self._reader.view, self._seen)

    def _seen(self, history: History) -> Seen:
        with self._lock:
            state = self._referee.at(history)
            goals = state.goals if state.terminal else None
            facts = self._facts.at(history) if self._facts else state.facts
            return Seen(state, self._reader.read(facts, state.legal, state.terminal, goals))


class PlayedLine:
    """A line of positions of a game that is played: a `FollowedGame`."""

    def __init__(self, roles: tuple[str, ...], look: GameView, see: Callable[[History], Seen]) -> None:
        """Stands before the first position; `see` returns the position after a history."""
        self.roles = roles
        self.look = look
        self._see = see
        self._history: History = ()

    def first(self) -> Seen:
        """Goes to the first position and returns it."""
        return self._go_to(())

    def after(self, joint: Joint) -> Seen:
        """Goes on by a joint move of legal moves and returns the position. Raises `NativeError`."""
        return self._go_to((*self._history, joint))

    def _go_to(self, history: History) -> Seen:
        self._history = history
        return self._see(history)
