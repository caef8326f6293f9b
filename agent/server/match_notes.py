"""Collects notes on a match, and makes the record of the match from them.

A player is told less than a manager: it knows neither the names of the others nor whether the rules are scrambled, and
facts and moves stand in the record in the words of the START message.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import takewhile

from ludens.agent.protocol.match import Match
from ludens.agent.protocol.thoughts import thought
from ludens.agent.protocol.wire import History, Joint, SearchReport, StateFacts
from ludens.agent.records.record import MatchRecord, now


@dataclass(slots=True)
class MatchNotes:
    """One match, from the START message on."""

    now: Callable[[], int] = now
    warnings: list[str] = field(default_factory=list)  # what keeps this player from playing its best
    remarks: list[str] = field(default_factory=list)  # how it plays, and why
    goals: list[int] = field(default_factory=list)  # in role order; empty until the end is known
    aborted: bool = False
    refused: bool = False  # START was answered by `busy`, since we cannot play this
    start_time: int = field(init=False)
    _states: dict[tuple[int, Joint], tuple[int, StateFacts]] = field(init=False, default_factory=dict)
    _reports: dict[int, SearchReport] = field(init=False, default_factory=dict)  # by step

    def __post_init__(self) -> None:
        """Notes when the match began."""
        self.start_time = self.now()

    def add_state(self, state: StateFacts) -> None:
        """Notes a state, and when it was first known; of two for the same step the one that was told last counts."""
        at = state.step, state.last
        if at not in self._states or self._states[at][1] != state:
            self._states[at] = self.now(), state

    def add_report(self, report: SearchReport) -> None:
        """Notes what our search thinks, if it does; of two reports for the same step the one told last counts."""
        if report.value is not None:
            self._reports[report.step] = report

    def has_state(self, history: History) -> bool:
        """Says whether the state after a history is known."""
        return (len(history), history[-1] if history else ()) in self._states

    def record(self, match: Match, name: str) -> MatchRecord:
        """Returns the record of `match`, in which we are called `name` and the others nothing."""
        history, start = match.history, match.start
        steps = zip(range(len(history) + 1), ((), *history), strict=True)
        states = [self._states[step] for step in takewhile(self._states.__contains__, steps)]
        record = MatchRecord(
            match_id=start.match_id,
            random_token=secrets.token_hex(20),
            start_time=self.start_time,
            start_clock=_whole(start.start_clock),
            play_clock=_whole(start.play_clock),
            players=[name if role == start.role else "" for role in match.roles or (start.role,)],
            scrambled=False,
            completed=bool(self.goals),
            aborted=self.aborted,
            states=[list(state.facts) for _, state in states],
            moves=[list(moves) for moves in history],
            state_times=[known for known, _ in states],
            errors=[[""] * len(match.roles) for _ in range(len(history) + 1)],
            goals=list(self.goals),
            warnings=list(self.warnings),
            remarks=list(self.remarks),
            rules=start.rules,
        )
        if start.role in match.roles:
            for step, report in self._reports.items():
                if step <= len(history):
                    record.note_thought(step, dict(thought(report, match.roles.index(start.role))))
        return record


def _whole(seconds: float) -> float:
    """Returns a clock as records have it: a whole number unless it has a fraction."""
    return int(seconds) if seconds.is_integer() else seconds
