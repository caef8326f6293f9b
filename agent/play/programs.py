"""The programs that play a match at the page: engines of ours, and players elsewhere.

They are asked for moves at the present position; what they still say of an earlier one is not passed on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twisted.internet.defer import Deferred, DeferredList

from ludens.agent.play.pace import Pace
from ludens.agent.play.remote_match import RemoteMatch
from ludens.agent.play.shown_match import ShownMatch
from ludens.agent.play.thinker import Thinker
from ludens.agent.protocol.clock import deadline
from ludens.agent.protocol.wire import History, SearchReport
from ludens.agent.reactor.timers import Timers, first_of
from ludens.agent.records.record import TIMED_OUT, UNREACHABLE
from ludens.agent.settings.players import LocalPlayer, PlayerSpec, RemotePlayer
from ludens.propnet.base.errors import LudensError

_CHECK_SECONDS = 5.0  # from one look whether an engine that is asked hangs to the next
_LATE_SECONDS = 30.0  # beyond its time, until an engine that has no move at all is given up


class Programs:
    """Those of one match, by the roles that they play; on the reactor's thread."""

    def __init__(
        self,
        match: ShownMatch,
        pace: Pace,
        on_move: Callable[[int, str], None],
        on_failure: Callable[[int, str, str], None],
        on_report: Callable[[int, SearchReport], None],
    ) -> None:
        """Starts nothing yet.

        `on_move` gets roles with their moves, which may be illegal; `on_failure` roles that have none, with an error
        mark and the reason; `on_report` what engines find out about the present position.
        """
        self._match = match
        self._pace = pace
        self._on_move = on_move
        self._on_failure = on_failure
        self._on_report = on_report
        self.due: dict[int, float] = {}  # by when a role has to move, or to be ready for it
        self.doing: dict[int, str] = {}  # what those do who are not ready to be asked, and empty texts of others
        self._thinkers: dict[int, Thinker] = {}
        self._remote_matches: dict[int, RemoteMatch] = {}
        self._timers = Timers(match.reactor)
        self._turn = 0  # numbers the positions, so that late answers are known as such
        self._asked: set[int] = set()  # engines that think about their moves
        self._overdue: set[int] = set()  # of them those that had no move when their time was over
        self._start_clock_over = False

    def prepare(self, role: int, player: PlayerSpec) -> None:
        """Starts an engine; players elsewhere begin when they are asked."""
        if isinstance(player, LocalPlayer):
            self._thinker(role, player).prepare()

    def ask(self, role: int, player: PlayerSpec, history: History) -> None:
        """Asks a player for its move after a history."""
        if isinstance(player, LocalPlayer):
            self._match.run(self._ask_engine(role, player, history))
        else:
            self._match.run(self._ask_elsewhere(role, player, history))

    def let_go(self, role: int) -> None:
        """Lets an engine search no further, as its move is known."""
        self._asked.discard(role)
        if role in self._thinkers:
            self._thinkers[role].let_go()

    def leave(self) -> None:
        """Gives up all that was asked, as the match leaves its position."""
        self._turn += 1
        self._timers.cancel()
        self.due, self._asked, self._overdue = {}, set(), set()
        for thinker in self._thinkers.values():
            thinker.let_go()

    def finish(self, history: History) -> None:
        """Tells players elsewhere how the match has ended."""
        for remote in self._remote_matches.values():
            self._match.run(remote.finish(history))

    def set_pace(self, pace: Pace) -> None:
        """Changes the clocks; engines keep what they have learned, players elsewhere begin anew."""
        self._pace = pace
        for remote in self._remote_matches.values():
            remote.set_clocks(pace.clocks_elsewhere)

    def dismiss(self, role: int) -> None:
        """Ends the program that plays a role, if there is one."""
        self._asked.discard(role)
        if thinker := self._thinkers.pop(role, None):
            thinker.close()
        if remote := self._remote_matches.pop(role, None):
            self._match.run(remote.abort())

    def close(self) -> Deferred[Any]:
        """Ends all; fires when the engines are gone."""
        self._turn += 1
        self._timers.cancel()
        for role in list(self._remote_matches):
            self.dismiss(role)
        thinkers, self._thinkers = self._thinkers, {}
        return DeferredList([thinker.close() for thinker in thinkers.values()])

    # ---- Engines ----

    async def _ask_engine(self, role: int, player: LocalPlayer, history: History) -> None:
        turn, thinker = self._turn, self._thinker(role, player)
        ready = thinker.prepare()
        if waits := not self._start_clock_over and self._pace.start_clock > 0:
            self._run_clock(role, self._pace.start_clock)
            await first_of(self._match.reactor, ready, self._pace.start_clock)
        self._start_clock_over = True
        if turn != self._turn:
            return
        keeps_time = not player.options.needs_no_clock
        self._run_clock(role, self._pace.play_clock if keeps_time else 0.0)
        if waits:
            self._match.changed()
        self._asked.add(role)
        if keeps_time:
            clock = self._pace.play_clock
            seconds = deadline(clock, player.options.margin).answer if clock else self._pace.think
            self._timers.after(seconds, self._answer, role)
        thinker.go_to(history)
        self._timers.after(_CHECK_SECONDS, self._check, role)

    def _check(self, role: int) -> None:
        """Has an engine that hangs replaced, as long as its move is awaited."""
        if role in self._asked:
            self._thinkers[role].check()
            self._timers.after(_CHECK_SECONDS, self._check, role)

    def _answer(self, role: int) -> None:
        """Takes the best move that an engine knows when its time is over, or the first one that it finds after that."""
        if role not in self._asked:
            return
        report = self._thinkers[role].report
        if report and report.move:
            self._on_move(role, report.move)
        else:
            self._overdue.add(role)
            self._timers.after(_LATE_SECONDS, self._on_failure, role, TIMED_OUT, "the engine has no move in time")

    def _reported(self, role: int, report: SearchReport) -> None:
        self._on_report(role, report)
        if report.move and (report.final or role in self._overdue):
            self._on_move(role, report.move)

    def _thinker(self, role: int, player: LocalPlayer) -> Thinker:
        if role not in self._thinkers:
            match, name = self._match, self._match.game.roles[role]
            self._thinkers[role] = Thinker(
                match.reactor,
                player.options,
                match.game.text,
                name,
                lambda report: self._reported(role, report),
                lambda text: match.note(f"{name}: {text}"),
                lambda reason: self._on_failure(role, UNREACHABLE, f"cannot play: {reason}"),
                self._pace.clocks_of_players,
                lambda doing: self._progress(role, doing),
            )
        return self._thinkers[role]

    # ---- Players elsewhere ----

    async def _ask_elsewhere(self, role: int, player: RemotePlayer, history: History) -> None:
        turn = self._turn
        try:
            move = await self._remote_match(role, player).move(history)
        except LudensError as error:
            if turn == self._turn:
                self._on_failure(role, UNREACHABLE, str(error))
        else:
            if turn == self._turn:
                self._on_move(role, move)

    def _remote_match(self, role: int, player: RemotePlayer) -> RemoteMatch:
        if role not in self._remote_matches:
            match = self._match

            def tell(doing: str) -> None:
                self._run_clock(role, self._pace.start_clock if doing else self._pace.play_clock)
                self.doing[role] = doing
                match.changed()

            self._remote_matches[role] = RemoteMatch(
                match.reactor,
                player.address,
                match.game.plain_rules,
                match.game.roles[role],
                self._pace.clocks_elsewhere,
                tell,
            )
        return self._remote_matches[role]

    # ---- What is told of them ----

    def _run_clock(self, role: int, seconds: float) -> None:
        """Lets a clock of a role run from now on; one of no seconds is none."""
        self.due.pop(role, None)
        if seconds:
            self.due[role] = self._match.reactor.seconds() + seconds

    def _progress(self, role: int, doing: str) -> None:
        """Tells all what a program does before it is ready, empty once it is."""
        if doing != self.doing.get(role, ""):
            self.doing[role] = doing
            self._match.changed()
