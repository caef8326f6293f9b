"""Lets pages watch the matches of a player that waits for managers, and of `ludens match`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from twisted.internet.defer import Deferred, succeed

from ludens.agent.manager.manager import MatchObserver
from ludens.agent.manager.referee import MatchState
from ludens.agent.play.live_match import LiveMatch, LiveMatches
from ludens.agent.protocol.match import Match
from ludens.agent.protocol.thoughts import thought
from ludens.agent.protocol.wire import LogMessage, SearchReport
from ludens.agent.records.record import Ending
from ludens.agent.server.match_notes import MatchNotes


class ServedMatches:
    """Hears what a player plays and thinks. As a `MatchKeeper` it is told when a match is over."""

    def __init__(self, live: LiveMatches, name: str) -> None:
        """`name` is what the player is called."""
        self._live = live
        self._name = name
        self._known: dict[Match, LiveMatch] = {}  # the matches that are on; managers may call several the same

    def heard(self, match: Match, news: SearchReport | LogMessage) -> None:
        """Takes news of a match."""
        if not match.roles:
            return
        live = self._followed(match)
        live.moved(match.history)
        if isinstance(news, SearchReport):
            live.thinks(news.step, {**thought(news, match.roles.index(match.start.role))})

    def keep(self, match: Match, notes: MatchNotes) -> None:
        """See `MatchKeeper`."""
        if match.roles and not notes.refused:
            self._followed(match).moved(match.history)
        if live := self._known.pop(match, None):
            live.end(Ending.TERMINAL if notes.goals else Ending.INTERRUPTED)

    def close(self) -> Deferred[Any]:
        """See `MatchKeeper`."""
        return succeed(None)

    def _followed(self, match: Match) -> LiveMatch:
        start = match.start
        if match not in self._known:
            players = tuple(self._name if role == start.role else "" for role in match.roles)
            clocks = start.start_clock, start.play_clock
            live = LiveMatch(start.match_id, start.match_id, start.rules, players, clocks)
            self._known[match] = live
            self._live.add(live)
        return self._known[match]


class WatchingObserver:
    """Passes on how a match of a manager goes: to another observer, and to pages."""

    def __init__(self, live: LiveMatch, other: MatchObserver) -> None:
        """Takes the match as pages see it."""
        self._live = live
        self._other = other

    def on_start(self, position: MatchState) -> None:
        """See `MatchObserver`."""
        self._other.on_start(position)

    def on_turn(self, turn: int, moves: Sequence[str], errors: Sequence[str], position: MatchState) -> None:
        """See `MatchObserver`."""
        self._other.on_turn(turn, moves, errors, position)
        self._live.moved((*self._live.history, tuple(moves)))

    def on_warning(self, text: str) -> None:
        """See `MatchObserver`."""
        self._other.on_warning(text)
