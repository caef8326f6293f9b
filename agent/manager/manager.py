"""The Game Manager: plays one match between HTTP players, as ggp-base's manager does.

START goes to all players, then PLAY with the last joint move until the game is over, then STOP. A player that
does not answer, cannot be reached or names an illegal move gets a random legal one and an entry in the
record: `TO`, `CE` or `IL move`. All answers have a second of grace. A match that is interrupted is
ended by ABORT, sent while the PLAY is still outstanding; so is one that has had all its turns, and one that a
player refuses to begin.
"""

from __future__ import annotations

import random
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any, Protocol, TypeVar

from twisted.internet.defer import CancelledError, Deferred

from ludens.agent.manager.client import CallError, NoAnswerError, ask, shortened
from ludens.agent.manager.greeting import UnavailableError
from ludens.agent.manager.referee import MatchState, Referee
from ludens.agent.manager.scramble import Scrambler
from ludens.agent.protocol.clock import UNHURRIED_CLOCK
from ludens.agent.protocol.messages import (
    BUSY,
    COURTESY_SECONDS,
    GRACE_SECONDS,
    Start,
    abort_text,
    play_text,
    start_text,
    stop_text,
)
from ludens.agent.protocol.thoughts import thought
from ludens.agent.protocol.wire import SearchReport
from ludens.agent.reactor.in_thread import in_thread
from ludens.agent.records.record import (
    MISSING_GOAL,
    TIMED_OUT,
    UNREACHABLE,
    Ending,
    MatchRecord,
    counted_goals,
    illegal_mark,
    now,
)
from ludens.agent.settings.addresses import Address
from ludens.agent.settings.options import PlayerOptions
from ludens.propnet.base.errors import GdlError, LudensError
from ludens.propnet.gdl.parser import parse_term
from ludens.propnet.gdl.syntax import RuleSheet

T = TypeVar("T")


class NoMoveError(LudensError):
    """Rules that leave a role without a legal move before the end."""


@dataclass(frozen=True, slots=True)
class Participant:
    """A role, the name of its player, and where that listens."""

    role: str
    name: str
    address: Address
    play_clock: float | None = None  # seconds; None: that of the match


def own_participant(role: str, name: str, address: Address, options: PlayerOptions) -> Participant:
    """Returns a player of ours; one whose moves do not depend on the time that it has may take a day for each."""
    return Participant(role, name, address, UNHURRIED_CLOCK if options.needs_no_clock else None)


@dataclass(frozen=True, slots=True)
class MatchSettings:
    """The name, clocks (in seconds), scrambler, seed and longest duration of a match."""

    match_id: str
    start_clock: float
    play_clock: float
    scrambler: Scrambler
    seed: int = field(default_factory=lambda: random.SystemRandom().getrandbits(64))
    max_turns: int = 0  # after which it is stopped; 0: never


class MatchObserver(Protocol):
    """Is told how a match goes, on the reactor's thread."""

    def on_start(self, position: MatchState) -> None:
        """Takes the first position, after the start clock."""

    def on_turn(self, turn: int, moves: Sequence[str], errors: Sequence[str], position: MatchState) -> None:
        """Takes the joint move of a turn, counted from 1, error marks by role, and the position after it."""

    def on_warning(self, text: str) -> None:
        """Takes a warning of something that does not end the match."""


class Manager:
    """Plays one match of `sheet`; make one for each match."""

    def __init__(
        self,
        reactor: Any,
        sheet: RuleSheet,
        referee: Referee,
        participants: Sequence[Participant],
        settings: MatchSettings,
        observer: MatchObserver,
    ) -> None:
        """Takes participants in role order, and sends nothing yet."""
        self._reactor = reactor
        self._sheet = sheet
        self._referee = referee
        self._participants = tuple(participants)
        self._settings = settings
        self._observer = observer
        self._random = random.Random(settings.seed)
        self._match: Deferred[None] | None = None
        self._choosing: set[int] = set()  # the roles with a choice in the last state
        self._remarks: list[tuple[int, str]] = []  # with the seats of those who made them
        self.record = new_record(settings, [participant.name for participant in participants])
        self.record.rules = str(sheet)

    async def play(self) -> MatchRecord:
        """Plays the match from START to STOP and returns its record, which says how it ended.

        Raises `UnavailableError` when a player answers START with `busy`, `NoMoveError`, other `LudensError`s when a
        position cannot be worked out, and whatever the observer raises; the players then get an ABORT.
        """
        self._match = Deferred.fromCoroutine(self._play())
        try:
            await self._match
        except CancelledError:
            pass
        except Exception as error:
            self.record.warnings.append(str(error) or repr(error))
            await self.abort(ending_by(error))
            raise
        return self.record

    def warn(self, text: str) -> None:
        """Tells the observer and the record, once, of something that should not be."""
        if text not in self.record.warnings:
            self.record.warnings.append(text)
            self._observer.on_warning(text)

    def note_remark(self, seat: int, text: str) -> None:
        """Notes in the record, once, what the player of a seat says of how it plays; by seats, not by who is first."""
        if (seat, text) not in self._remarks:
            self._remarks.append((seat, text))
            self.record.remarks = [told for _, told in sorted(self._remarks, key=itemgetter(0))]

    def note_thought(self, role: str, report: SearchReport) -> None:
        """Notes in the record what the player of a role thinks of the position, if it has a choice there.

        So the same moves of the same players leave the same thoughts: whoever chooses answers when it has thought.
        """
        seat = [participant.role for participant in self._participants].index(role)
        if report.value is not None and report.step == len(self.record.states) - 1 and seat in self._choosing:
            self.record.note_thought(report.step, dict(thought(report, seat, self._unscrambled)))

    async def abort(self, ending: Ending = Ending.INTERRUPTED) -> None:
        """Ends the match at once: tells all players, and the record why."""
        if self.record.completed or self.record.aborted:
            return
        self.record.aborted, self.record.ending = True, ending
        await self._tell(abort_text(self._settings.match_id))
        if self._match:
            self._match.cancel()

    def _check_going(self) -> None:
        """Raises `CancelledError` where the match was ended while something was waited for."""
        if self.record.aborted:
            raise CancelledError

    async def _play(self) -> None:
        position = await in_thread(self._reactor, self._referee.first)
        self._record_state(position)
        await self._start()
        self._observer.on_start(position)
        moves: Sequence[str] = ()
        while not position.terminal:
            if len(self.record.moves) == self._settings.max_turns > 0:
                await self.abort(Ending.TURN_LIMIT)
                return
            moves, errors = await self._turn(position, moves)
            position = await in_thread(self._reactor, self._referee.after, moves)
            self._record_state(position)
            self._observer.on_turn(len(self.record.moves), moves, errors, position)
        self._finish(position)
        await self._tell(stop_text(self._settings.match_id, self._told(moves)))

    async def _start(self) -> None:
        settings, scrambler, start_clock = self._settings, self._settings.scrambler, self._settings.start_clock
        rules = await in_thread(self._reactor, lambda: str(scrambler.scramble(self._sheet)))
        self._check_going()
        starts = [
            Start(settings.match_id, _renamed(scrambler, each.role), rules, start_clock, self._play_clock(each))
            for each in self._participants
        ]
        replies = await self._ask_all(list(map(start_text, starts)), [start_clock + GRACE_SECONDS] * len(starts))
        self.record.errors.append([_error_mark(reply) for reply in replies])
        for participant, reply in zip(self._participants, replies, strict=True):
            if isinstance(reply, str) and reply.strip().lower() == BUSY:
                raise UnavailableError(
                    f"{participant.role}: {participant.name} refuses to play: it answers START with busy"
                )

    async def _turn(self, position: MatchState, last: Sequence[str]) -> tuple[list[str], list[str]]:
        message = play_text(self._settings.match_id, self._told(last))
        clocks = [self._play_clock(participant) + GRACE_SECONDS for participant in self._participants]
        replies = await self._ask_all([message] * len(clocks), clocks)
        self._check_going()  # a player that hears of an end may still answer its PLAY
        judged = [self._judge(*pair) for pair in zip(self._participants, replies, position.legal, strict=True)]
        moves, errors = [move for move, _ in judged], [error for _, error in judged]
        self.record.moves.append(moves)
        self.record.errors.append(errors)
        return moves, errors

    def _judge(self, participant: Participant, reply: str | LudensError, legal: Sequence[str]) -> tuple[str, str]:
        """Returns the move that counts, and the error mark for the record."""
        if not legal:
            raise NoMoveError(f"the rules leave {participant.role} without a legal move before the end")
        error = _error_mark(reply)
        if not error and isinstance(reply, str):
            move = self._move(reply)
            if move in legal:
                return move, ""
            error = illegal_mark(shortened(move or reply))
        return self._random.choice(sorted(legal)), error

    def _play_clock(self, participant: Participant) -> float:
        return self._settings.play_clock if participant.play_clock is None else participant.play_clock

    def _move(self, reply: str) -> str:
        """Returns the move of a reply in the sheet's own spelling; empty if the reply is no term."""
        try:
            return self._unscrambled(reply)
        except GdlError:
            return ""

    def _unscrambled(self, text: str) -> str:
        return str(self._settings.scrambler.unscramble(parse_term(text)))

    def _told(self, moves: Sequence[str]) -> list[str]:
        """Returns a joint move as the players are told it."""
        return [_renamed(self._settings.scrambler, move) for move in moves]

    def _record_state(self, position: MatchState) -> None:
        self._choosing = {seat for seat, moves in enumerate(position.legal) if len(moves) > 1}
        self.record.states.append(list(position.facts))
        self.record.state_times.append(now())

    def _finish(self, position: MatchState) -> None:
        for participant, goal in zip(self._participants, position.goals, strict=True):
            if goal is None:
                self.warn(f"the rules give {participant.role} no goal: it counts as {MISSING_GOAL}")
        self.record.goals = counted_goals(position.goals)
        self.record.completed, self.record.ending = True, Ending.TERMINAL

    async def _tell(self, message: str) -> None:
        count = len(self._participants)
        await self._ask_all([message] * count, [COURTESY_SECONDS] * count)

    async def _ask_all(self, messages: Sequence[str], seconds: Sequence[float]) -> list[str | LudensError]:
        """Sends each player its message, and returns the replies, or the `CallError` or `NoAnswerError` of each."""
        asked = [
            self._ask(participant, message, clock)
            for participant, message, clock in zip(self._participants, messages, seconds, strict=True)
        ]
        return list(await _gather(asked))

    async def _ask(self, participant: Participant, message: str, seconds: float) -> str | LudensError:
        try:
            return await ask(self._reactor, participant.address, message, seconds)
        except (CallError, NoAnswerError) as error:
            return error


def new_record(settings: MatchSettings, players: Sequence[str]) -> MatchRecord:
    """Returns the record of a match that has not begun."""
    return MatchRecord(
        match_id=settings.match_id,
        random_token=f"{random.Random(settings.seed).getrandbits(160):040x}",
        start_time=now(),
        start_clock=settings.start_clock,
        play_clock=settings.play_clock,
        players=list(players),
        scrambled=settings.scrambler.renames,
        max_turns=settings.max_turns,
        seed=settings.seed,
    )


async def _gather(coroutines: Sequence[Coroutine[Any, Any, T]]) -> list[T]:
    """Runs coroutines at once and returns their results in order; cancelling this cancels them too."""
    started = [Deferred.fromCoroutine(coroutine) for coroutine in coroutines]
    try:
        return [await result for result in started]
    finally:
        for result in started:
            result.addErrback(lambda _: None)
            result.cancel()


def _error_mark(reply: str | LudensError) -> str:
    match reply:
        case NoAnswerError():
            return TIMED_OUT
        case CallError():
            return UNREACHABLE
    return ""


def ending_by(error: Exception) -> Ending:
    """Returns how a match ends in which this goes wrong."""
    match error:
        case UnavailableError():
            return Ending.REFUSED
        case NoMoveError():
            return Ending.RULES
        case LudensError():
            return Ending.FAILED
    return Ending.INTERRUPTED


def _renamed(scrambler: Scrambler, text: str) -> str:
    return str(scrambler.scramble(parse_term(text)))
