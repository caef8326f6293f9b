"""Plays one match: connects the match, its engine and the clock.

The rule that everything here serves: a legal move leaves before the clock, whatever the engine does. The
engine thinks in its own process and keeps telling its best move; the reactor answers with the last one at the
deadline. Where no legal move is known by then, on a busy machine, it waits for one as long as managers do.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, TypeAlias

from twisted.internet.defer import Deferred, succeed

from ludens.agent.protocol.clock import deadline, silence_limit
from ludens.agent.protocol.findings import findings
from ludens.agent.protocol.match import Match, Turn
from ludens.agent.protocol.messages import ABORTED, BUSY, DONE, READY, Start
from ludens.agent.protocol.wire import (
    Begin,
    Event,
    Joint,
    LogMessage,
    NetworkReady,
    NoNetwork,
    NoStates,
    Position,
    Ready,
    Refused,
    RulesRead,
    SearchReport,
    StateFacts,
)
from ludens.agent.records.record import MISSING_GOAL, counted_goals
from ludens.agent.server.match_notes import MatchNotes
from ludens.agent.server.supervisor import EngineSource, Supervisor
from ludens.agent.settings.options import PlayerOptions

log = logging.getLogger("ludens")

_RESULT_SECONDS = 5.0  # how long an engine may take to say how a match has ended
_LINE_SHOWN = 3

OnNews: TypeAlias = Callable[[Match, SearchReport | LogMessage], None]
Timeout: TypeAlias = tuple[float, Callable[[], None]]


class Session:
    """A match from START to its end, all on the reactor's thread.

    `on_end` is told once, when the manager has ended the match, and `on_close` once, when nothing more is to be learned
    of it.
    """

    def __init__(
        self,
        start: Start,
        options: PlayerOptions,
        reactor: Any,
        engines: EngineSource,
        on_end: Callable[[Session], None],
        on_close: Callable[[Session], None],
        on_news: OnNews | None = None,
        waited: float = 0.0,
        way: float = 0.0,
        *,
        recorded: bool = False,
    ) -> None:
        """Sets an engine to work at once; `on_news` gets the match and what the engine reports and logs.

        A `recorded` match has its states noted. So many seconds of the clock START has `waited` since it began to
        arrive; its `way` and that of the answer take so many, as those of each move will. Below all that is `gone`.
        """
        self.match = Match(start)
        self._margin = options.margin
        self._patience = options.patience
        self._reactor = reactor
        self._on_end = on_end
        self._on_close = on_close
        self._on_news = on_news
        self._pending: Deferred[str] | None = None  # the request that waits for its answer
        self._timers: list[Any] = []  # its timers
        self._overdue = False  # its time has come, and nothing was in hand
        self._prepared = False  # the engine has no more use for the start clock
        self._ready = False  # START has been answered, or can be at once
        self._over = False  # STOP has come, or the match has ended otherwise
        self._end_timer: Any = None  # the timer of a match about which nothing is heard any more
        self.notes = MatchNotes()  # for the record
        self._recorded = recorded
        start_seconds, move_seconds = (
            max(0.0, deadline(clock, options.margin).answer - gone)
            for clock, gone in ((start.start_clock, waited + way), (start.play_clock, way))
        )
        begin = Begin(start.rules, start.role, start_seconds, move_seconds, tells_states=recorded)
        self._engines = Supervisor(reactor, engines, begin, self._heard, self._warn)

    # ---- What the manager says ----

    def start(self, gone: float = 0.0) -> Deferred[str]:
        """Answers START with `ready`, at the latest on time, or with `busy` if the rules cannot be played.

        Before its time only once a legal move is known.
        """
        clock = self.match.start.start_clock
        self._end_after(silence_limit(clock, self._patience), "the manager has gone silent")
        if self._ready:
            return succeed(READY)
        due = deadline(clock, self._margin)
        return self._ask([(due.answer, self._become_ready)], gone)

    def play(self, moves: Joint | None, gone: float = 0.0) -> Deferred[str]:
        """Answers PLAY with a move before the clock."""
        clock = self.match.start.play_clock
        self._end_after(silence_limit(clock, self._patience), "the manager has gone silent")
        self._become_ready()
        self._log_turn(self.match.play(moves), moves)
        if self.match.reply is not None:
            self._reply(BUSY)
            return succeed(self.match.reply)
        due = deadline(clock, self._margin)
        asked = self._ask(
            [(due.check, self._engines.check), (due.answer, self._become_overdue), (due.give_up, self._answer)], gone
        )
        self._engines.go_to(self.match.target)
        self._answer_in_time()
        return asked

    def stop(self, moves: Joint | None) -> str:
        """Answers STOP; the engine is asked for the result, then let go."""
        self._over = True
        self._reply(BUSY)
        self._on_end(self)
        if self.match.play(moves) is Turn.ADVANCED:
            self._engines.go_to(self.match.target)
        self._cancel_end()
        self._end_timer = self._reactor.callLater(_RESULT_SECONDS, self._end_with_what_is_known)
        self._end_with_result()
        return DONE

    def abort(self) -> str:
        """Answers ABORT; a request that waits is answered too."""
        self._finish("aborted")
        return ABORTED

    def close(self) -> None:
        """Ends the match at once, since the player ends."""
        if self._over:
            self._end_with_what_is_known()
        else:
            self._finish("aborted: the player ends")

    # ---- What the engine says ----

    def _heard(self, event: Event) -> None:
        match event:
            case RulesRead(roles) if not self.match.roles:
                self._learn_roles(roles)
            case Refused(reason):
                self.notes.refused = not self._ready
                self._warn(f"cannot play: {reason}")
                self._finish("refused")
            case NetworkReady(gates, seconds):
                self._log(f"network of {gates:,} gates after {seconds:.1f} s", logging.DEBUG)
            case NoNetwork(reason):
                self._warn(f"plays without a network, and so more weakly: {reason}")
            case Ready():
                self._prepared = True
                self._answer_in_time()
            case LogMessage(text, warning=True):
                self._warn(text)
            case LogMessage(text, expert=expert):
                self._log(text, logging.DEBUG if expert else logging.INFO)
                if not expert and text not in self.notes.remarks:
                    self.notes.remarks.append(text)
                self._pass_on(event)
            case StateFacts():
                self.notes.add_state(event)
                if self._over:
                    self._end_with_result()
            case NoStates(reason):
                self._warn(f"the record will lack states: {reason}")
                self._recorded = False
                if self._over:
                    self._end_with_result()
            case Position() | SearchReport() if self.match.update(event):
                self._learned(event)

    def _learn_roles(self, roles: tuple[str, ...]) -> None:
        """Takes note of the roles, and of the moves that were told before."""
        for turn, moves in self.match.learn_roles(roles):
            self._log_turn(turn, moves)
        if self.match.step:
            self._engines.go_to(self.match.target)

    def _learned(self, news: Position | SearchReport) -> None:
        if isinstance(news, SearchReport):
            self.notes.add_report(news)
            self._pass_on(news)
        if self._over:
            self._end_with_result()
        else:
            self._answer_in_time()

    def _pass_on(self, news: SearchReport | LogMessage) -> None:
        if self._on_news:
            self._on_news(self.match, news)

    # ---- Answers ----

    def _ask(self, timeouts: list[Timeout], gone: float) -> Deferred[str]:
        """Begins to wait for the answer to a new request; answers an older one that still waits with `busy`."""
        self._reply(BUSY)
        self._overdue = False
        self._pending = Deferred(lambda _: self._forget())
        self._timers = [self._reactor.callLater(max(0.0, seconds - gone), action) for seconds, action in timeouts]
        return self._pending

    def _forget(self) -> None:
        """Stops waiting, since the request is answered or whoever asked has gone; the match goes on."""
        for timer in self._timers:
            if timer.active():
                timer.cancel()
        self._timers = []
        self._pending = None

    def _reply(self, reply: str) -> None:
        """Answers the request that waits, if one does."""
        asked = self._pending
        self._forget()
        if asked is not None:
            asked.callback(reply)

    def _become_ready(self) -> None:
        if not self._ready:
            self._ready = True
            self._reply(READY)

    def _become_overdue(self) -> None:
        self._overdue = True
        self._answer_in_time()

    def _answer_in_time(self) -> None:
        """Answers START once all is prepared, and PLAY if waiting longer is no use, or not allowed."""
        if self._prepared and self.match.current_position:
            self._become_ready()
        waiting = self._pending is not None and self._ready
        if waiting and (self.match.is_final or (self._overdue and self.match.current_position)):
            self._answer()

    def _answer(self) -> None:
        reply = self.match.commit_answer()
        self._reply(reply)  # before anything is logged
        report = self.match.current_report
        if (told := self.match.doubted_move) is not None:
            impossible = f"the manager tells that we played {told}, which the rules do not allow"
            self._log(f"{impossible}: going on as if it was {self.match.replaced_move}, until a message shows which")
        thoughts = f" ({describe(report, len(self.match.roles))})" if report else ""
        self._log(f"step {self.match.step + 1}: {reply}{thoughts}")

    # ---- The end ----

    def _end_after(self, seconds: float, why: str) -> None:
        self._cancel_end()
        self._end_timer = self._reactor.callLater(seconds, self._finish, why)

    def _cancel_end(self) -> None:
        if self._end_timer is not None and self._end_timer.active():
            self._end_timer.cancel()

    def _end_with_result(self) -> None:
        """Ends the match once the engine has told the last position, and its facts if there is to be a record."""
        if self.match.current_position and (not self._recorded or self.notes.has_state(self.match.history)):
            self._end_with_what_is_known()

    def _end_with_what_is_known(self) -> None:
        """Ends a match that is over, with its goals if they are known."""
        position, steps = self.match.current_position, self.match.step
        if position is None:
            self._finish("over; the result is not known")
        elif not position.terminal:
            self._finish(f"stopped after {steps} steps, before the end of the game")
        else:
            self._finish(f"over after {steps} steps: {self._result(position)}")

    def _result(self, position: Position) -> str:
        """Notes the goals of the last position, and returns them in words."""
        roles = self.match.roles
        goals = dict(zip(roles, position.goals or [None] * len(roles), strict=True))
        missing = [role for role, goal in goals.items() if goal is None]
        if missing:
            self._log(f"no goal for {', '.join(missing)}: counted as {MISSING_GOAL}")
        self.notes.goals = counted_goals(goals.values())
        return ", ".join(f"{role} {goal}" for role, goal in zip(roles, self.notes.goals, strict=True))

    def _finish(self, why: str) -> None:
        """Ends the match; a request that waits gets what is in hand."""
        self._cancel_end()
        self._engines.kill()
        self._reply(self.match.commit_answer() if self._ready else BUSY)
        self._log(why)
        if not self._over:
            self._over = self.notes.aborted = True
            self._on_end(self)
        self._on_close(self)

    # ---- The log ----

    def _log(self, text: str, level: int = logging.INFO) -> None:
        log.log(level, "%s: %s", self.match.start.match_id, text)

    def _warn(self, text: str) -> None:
        """Says once what keeps this player from playing its best: in the log, the record, and to who wants news."""
        if text not in self.notes.warnings:
            self.notes.warnings.append(text)
            log.warning("%s: %s", self.match.start.match_id, text)
            self._pass_on(LogMessage(text, warning=True))

    def _log_turn(self, turn: Turn, moves: Joint | None) -> None:
        if turn is Turn.OUT_OF_STEP:
            self._log(f"{moves} is no joint move of this game: staying at step {self.match.step}")
        elif turn is Turn.ADVANCED and self.match.replaced_move is not None:
            self._log(f"the manager replaced our move {self.match.replaced_move}")


def describe(report: SearchReport, roles: int) -> str:
    """Returns a report in words, in a game of so many roles: `12,345 playouts, value 57.0, on the network`."""
    parts = findings(report, roles)
    if report.playouts:
        parts.append(f"on the {report.machine}")
    if report.line:
        parts.append("expects " + ", ".join(" / ".join(joint) for joint in report.line[:_LINE_SHOWN]))
    return ", ".join(parts) or "no search"
