"""One match being played: brings together the match, its engine and the clock.

The rule that everything here serves: a legal move leaves before the clock, whatever the engine does. The
engine thinks in its own process and keeps telling its best move; the reactor answers with the last one at the
deadline. An engine that dies, or that has told nothing for half of the time, is replaced by another, which is
told the whole history.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, Protocol

from twisted.internet.defer import Deferred, succeed

from agent.clock import Deadline, deadline, silence
from agent.match import Match, Turn
from agent.options import PlayerOptions
from agent.protocol import ABORTED, BUSY, DONE, READY, Start
from agent.wire import (
    Begin,
    Command,
    Event,
    GoTo,
    Heard,
    NetworkReady,
    NoNetwork,
    Note,
    Position,
    Refused,
    RulesRead,
    Thought,
)

log = logging.getLogger("ludens")

_MISSING_GOAL = 50
_RESULT_SECONDS = 5.0  # how long an engine may take to say how a match has ended
_NETWORK_CRASHES = 2  # after so many, the next engine plays without a network
_RESTART_SECONDS = 1.0  # between engines that keep crashing
_LINE_SHOWN = 3

OnThought = Callable[[str, Thought], None]


class Engine(Protocol):
    """An engine process as a session sees it."""

    def send(self, command: Command) -> None:
        """Tells the engine; never blocks, and does nothing once it is dead."""

    def kill(self) -> None:
        """Ends it at once; the session hears nothing of it any more."""


class Listener(Protocol):
    """Who hears what an engine says."""

    def heard(self, event: Event) -> None:
        """The engine has said something."""

    def lost(self, reason: str) -> None:
        """The engine has died."""


class Engines(Protocol):
    """Where engines come from."""

    def take(self, listener: Listener) -> Engine:
        """A fresh engine that reports to `listener`."""


class Session:
    """A match from START to its end, which `on_end` is told once; all on the reactor's thread."""

    def __init__(
        self,
        start: Start,
        options: PlayerOptions,
        reactor: Any,
        engines: Engines,
        on_end: Callable[[Session], None],
        on_thought: OnThought | None = None,
    ) -> None:
        self.match = Match(start)
        self._options = options
        self._reactor = reactor
        self._engines = engines
        self._on_end = on_end
        self._on_thought = on_thought
        self._asked: Deferred[str] | None = None  # the request that waits for its answer
        self._overdue = False  # the time to answer it has come, and nothing was in hand
        self._timers: list[Any] = []  # those of the request
        self._death: Any = None  # the timer of a silent match
        self._ready = False  # START has been answered, or can be at once
        self._network = False  # the engine in use has its network
        self._heard = -1  # the last step that the engine in use has taken notice of
        self._alive = False  # the engine in use has said anything at all
        self._crashes = 0
        self._ended = False
        self._engine: Engine = self._new_engine()

    # ---- What the manager says ----

    def start(self) -> Deferred[str]:
        """Answers START: `ready` as soon as the engine is, or on time; `busy` if the rules cannot be played."""
        clock = self.match.start.start_clock
        self._keep_alive(clock)
        if self._ready:
            return succeed(READY)
        due = deadline(clock, self._options.margin)
        return self._ask([(due.answer, self._be_ready)])

    def play(self, moves: tuple[str, ...] | None) -> Deferred[str]:
        """Answers PLAY with a move before the clock."""
        clock = self.match.start.play_clock
        self._keep_alive(clock)
        self._be_ready()
        self._take_note(self.match.play(moves), moves)
        if self.match.reply is not None:
            self._release(BUSY)
            return succeed(self.match.reply)
        due = deadline(clock, self._options.margin)
        asked = self._ask(self._alarms(due))
        self._engine.send(GoTo(self.match.history))
        self._answer_if_settled()
        return asked

    def stop(self, moves: tuple[str, ...] | None) -> str:
        """Answers STOP; the engine is asked for the result, then let go."""
        if self.match.play(moves) is Turn.ADVANCED:
            self._engine.send(GoTo(self.match.history))
        self._release(BUSY)
        self._cancel_death()
        self._death = self._reactor.callLater(_RESULT_SECONDS, self._finish, "its result is not known")
        self._ended = True
        self._on_end(self)
        self._log_result()
        return DONE

    def abort(self) -> str:
        """Answers ABORT; a PLAY that waits is answered too."""
        self._finish("aborted")
        return ABORTED

    # ---- What the engine says ----

    def heard(self, event: Event) -> None:
        """Takes in one event of the engine in use."""
        self._alive = True
        match event:
            case RulesRead(roles):
                self.match.roles = roles
            case Refused(reason):
                self._refuse(reason)
            case NetworkReady(gates, seconds):
                self._network = True
                self._say(f"network of {gates:,} gates after {seconds:.1f} s")
                self._be_ready()
            case NoNetwork(reason):
                self._say(f"plays on the interpreter: {reason}")
                self._be_ready()
            case Heard(step):
                self._heard = step
            case Position() | Thought():
                self._learn(event)
            case Note(text):
                self._say(text)

    def lost(self, reason: str) -> None:
        """Replaces an engine that has died; at once, unless engines keep dying."""
        self._crashes += 1
        self._say(f"engine lost ({reason}); starting another")
        if self._ended:
            self._finish("its result is not known")
        elif self._crashes <= _NETWORK_CRASHES:
            self._replace_engine()
        else:
            self._timers.append(self._reactor.callLater(_RESTART_SECONDS, self._replace_engine))

    # ---- Answers ----

    def _ask(self, alarms: list[tuple[float, Callable[[], None]]]) -> Deferred[str]:
        """A new request, which takes the place of an older one that still waits."""
        self._release(BUSY)
        self._overdue = False
        self._asked = Deferred(lambda _: self._forget())
        self._timers = [self._reactor.callLater(seconds, alarm) for seconds, alarm in alarms]
        return self._asked

    def _alarms(self, due: Deadline) -> list[tuple[float, Callable[[], None]]]:
        return [
            (due.answer / 2, self._look_after_engine),
            (due.answer, self._answer_if_in_hand),
            (due.give_up, self._answer),
        ]

    def _forget(self) -> None:
        """Stops waiting: whoever asked has gone. The match goes on."""
        for timer in self._timers:
            if timer.active():
                timer.cancel()
        self._timers = []
        self._asked = None

    def _release(self, reply: str) -> None:
        """Answers the request that waits, if one does."""
        asked = self._asked
        self._forget()
        if asked is not None:
            asked.callback(reply)

    def _be_ready(self) -> None:
        if not self._ready:
            self._ready = True
            self._release(READY)

    def _answer_if_in_hand(self) -> None:
        self._overdue = True
        if self.match.in_hand:
            self._answer()

    def _answer_if_settled(self) -> None:
        if self._asked and self._ready and (self.match.settled or (self._overdue and self.match.in_hand)):
            self._answer()

    def _answer(self) -> None:
        reply = self.match.settle()
        self._log_turn(reply)
        self._release(reply)

    # ---- The engine ----

    def _new_engine(self) -> Engine:
        start = self.match.start
        self._network = self._alive = False
        self._heard = -1
        engine = self._engines.take(self)
        engine.send(Begin(start.rules, start.role, network=self._crashes < _NETWORK_CRASHES))
        return engine

    def _replace_engine(self) -> None:
        self._engine.kill()
        self._engine = self._new_engine()
        self._engine.send(GoTo(self.match.history))

    def _look_after_engine(self) -> None:
        """Half of the time is gone: an engine that lives and yet has not reacted to this step hangs."""
        silent = self._heard < self.match.step or self._network
        if self._alive and silent and not self.match.in_hand:
            self.lost("no sign of life")

    def _learn(self, news: Position | Thought) -> None:
        if not self.match.learn(news):
            return
        if isinstance(news, Thought) and self._on_thought:
            self._on_thought(self.match.start.match_id, news)
        if self._ended:
            self._log_result()
        else:
            self._answer_if_settled()

    def _take_note(self, turn: Turn, moves: tuple[str, ...] | None) -> None:
        if turn is Turn.OUT_OF_STEP:
            self._say(f"{moves} is no joint move of {len(self.match.roles)} roles: staying at step {self.match.step}")
        elif turn is Turn.ADVANCED and self.match.overruled is not None:
            self._say(f"the manager replaced our move {self.match.overruled}")

    # ---- The end ----

    def _keep_alive(self, clock: float) -> None:
        self._cancel_death()
        patience = silence(clock, self._options.patience)
        self._death = self._reactor.callLater(patience, self._finish, "the manager has gone silent")

    def _cancel_death(self) -> None:
        if self._death is not None and self._death.active():
            self._death.cancel()

    def _refuse(self, reason: str) -> None:
        self._ready = True
        self._release(BUSY)
        self._finish(f"refused: {reason}")

    def _finish(self, why: str) -> None:
        """Ends the match; an unanswered request gets what is in hand."""
        self._say(why)
        if self._asked:
            self._release(self.match.settle() if self._ready else BUSY)
        self._cancel_death()
        self._engine.kill()
        if not self._ended:
            self._ended = True
            self._on_end(self)

    def _log_result(self) -> None:
        """Writes down the goals, once the engine has reached the last position."""
        position, roles = self.match.position, self.match.roles
        if position is None or not self.match.in_hand:
            return
        goals = position.goals if position.terminal else (None,) * len(roles)
        missing = [role for role, goal in zip(roles, goals, strict=True) if goal is None]
        if missing:
            self._say(f"no goal for {', '.join(missing)}: counted as {_MISSING_GOAL}")
        results = [
            f"{role} {_MISSING_GOAL if goal is None else goal}" for role, goal in zip(roles, goals, strict=True)
        ]
        self._finish(f"over after {self.match.step} steps: {', '.join(results)}")

    # ---- The log ----

    def _say(self, text: str) -> None:
        log.info("%s: %s", self.match.start.match_id, text)

    def _log_turn(self, reply: str) -> None:
        thought = self.match.thought
        details = describe(thought) if thought and thought.step == self.match.step else "no time to think"
        self._say(f"step {self.match.step + 1}: {reply} ({details})")


def describe(thought: Thought) -> str:
    """A thought for a person to read: `12,345 playouts, value 57, expects …`."""
    parts = [f"{thought.playouts:,} playouts"] if thought.playouts else []
    if thought.value is not None:
        parts.append(f"value {thought.value:.0f}")
    if thought.line:
        parts.append("expects " + ", ".join(" / ".join(joint) for joint in thought.line[:_LINE_SHOWN]))
    return ", ".join(parts) or "no search"
