"""A match that a player elsewhere plays, asked over HTTP as a Game Manager does.

The protocol knows no way back. Where the match has gone to another position, the player is told ABORT, then a new
START, and all moves that led there, one after the other. One that answers PLAY with `busy` is told START and all moves
too: it has given the match up, as players do that hear nothing for long while somebody thinks.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Coroutine
from typing import Any

from twisted.internet.defer import Deferred, DeferredLock

from ludens.agent.manager.client import CallError, NoAnswerError, ask
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
from ludens.agent.protocol.wire import History, Joint
from ludens.agent.settings.addresses import Address
from ludens.propnet.base.errors import GdlError, LudensError
from ludens.propnet.gdl.parser import parse_term


class OvertakenError(LudensError):
    """Another move is wanted by now, or none."""


class BusyError(LudensError):
    """The player does not play our match."""


class RemoteMatch:
    """Asks one player for the moves of one role, wherever the match at the page goes."""

    def __init__(
        self,
        reactor: Any,
        address: Address,
        rules: str,
        role: str,
        clocks: tuple[float, float],
        on_progress: Callable[[str], None] = lambda _text: None,
    ) -> None:
        """Sends nothing yet; `clocks` are start clock and play clock in seconds.

        `on_progress` gets what it does when its start clock begins to run, and an empty text when its play clock does.
        """
        self._reactor = reactor
        self._address = address
        self._rules = rules
        self._role = role
        self._clocks = clocks
        self._on_progress = on_progress
        self._begins_anew = False  # with the next move
        self._match = ""  # its name; empty: there is none
        self._history: History = ()  # as far as the player has been told
        self._plays = 0  # messages of its match, the one before the first move included
        self._reply = ""  # to the last of them; empty: there is none yet
        self._errand = 0  # numbers what was wanted, so that what is wanted no longer is known as such
        self._asking = DeferredLock()  # one errand at a time

    async def move(self, history: History) -> str:
        """Returns its move after a history; raises `LudensError` if none comes, or the match goes elsewhere before."""
        reply: str = await self._alone(self._move, history)
        try:
            return str(parse_term(reply))
        except GdlError as error:
            raise LudensError(f"{self._address.place} answers with no move") from error

    def set_clocks(self, clocks: tuple[float, float]) -> None:
        """Has its match begin anew with the next move if the clocks are others: there is no other way to tell them."""
        self._begins_anew |= clocks != self._clocks
        self._clocks = clocks

    async def finish(self, history: History) -> None:
        """Ends its match, if there is one, where it is over: tells it the moves up to there as a Game Manager does."""
        await self._alone(self._finish, history)

    async def abort(self) -> None:
        """Ends its match, if there is one, at once."""
        self._errand += 1
        await self._end("ABORT")

    async def _alone(self, work: Callable[[History, int], Coroutine[Any, Any, Any]], history: History) -> Any:
        """Begins a work once those before it have ended.

        A player that thinks where the match goes on to `history` no more is told so, and answers at once.
        """
        self._errand += 1
        errand = self._errand
        if self._asking.locked and not (self._is_at(history) or self._leads_to(history)):
            await self._end("ABORT")
        return await self._asking.run(lambda: Deferred.fromCoroutine(work(history, errand)))

    async def _move(self, history: History, errand: int) -> str:
        self._check(errand)
        if self._is_at(history) and self._reply and not self._begins_anew:  # as when the match was held in the meantime
            return self._reply
        if self._begins_anew or not self._leads_to(history):
            await self._begin(errand)
        try:
            return await self._tell(history, errand, self._on_progress)
        except BusyError:  # once: who is busy again plays another match
            await self._begin(errand)
            return await self._tell(history, errand, self._on_progress)

    async def _finish(self, history: History, errand: int) -> None:
        try:
            self._check(errand)
            if not self._plays or not self._leads_to(history):
                await self._end("ABORT")
                return
            await self._tell(history[:-1], errand, lambda _doing: None)  # nobody waits for its moves
            await self._end("STOP", history[-1] if history else ())
        except LudensError:
            if errand == self._errand:
                await self._end("ABORT")

    async def _tell(self, history: History, errand: int, on_progress: Callable[[str], None]) -> str:
        """Tells the moves of a history that it does not know; returns its last reply, which is kept."""
        for step in range(self._plays, len(history) + 1):
            self._history, self._plays, self._reply = history[:step], step + 1, ""
            on_progress("")
            message = play_text(self._match, history[step - 1] if step else ())
            self._reply = await self._ask(message, self._clocks[1])
            self._check(errand)
        return self._reply

    def _check(self, errand: int) -> None:
        if errand != self._errand:
            raise OvertakenError(f"{self._address.place} is not asked any more")

    def _is_at(self, history: History) -> bool:
        """Says whether the match that it plays is at the end of `history`."""
        return bool(self._match) and self._plays == len(history) + 1 and self._history == history

    def _leads_to(self, history: History) -> bool:
        """Says whether the match that it plays goes on to the end of `history`."""
        done = len(self._history)
        return bool(self._match) and self._plays <= len(history) and history[:done] == self._history

    async def _end(self, verb: str, moves: Joint = ()) -> None:
        if self._match:
            match, self._match = self._match, ""
            text = stop_text(match, moves) if verb == "STOP" else abort_text(match)
            try:
                await ask(self._reactor, self._address, text, COURTESY_SECONDS)
            except (CallError, NoAnswerError):
                return

    async def _begin(self, errand: int) -> None:
        """Begins a match, in place of the one that it plays, if there is one."""
        await self._end("ABORT")
        self._check(errand)
        await self._start()
        self._check(errand)

    async def _start(self) -> None:
        self._begins_anew = False
        start, play = self._clocks
        self._match = f"Ludens.play.{secrets.token_hex(6)}"
        self._history, self._plays = (), 0
        message = start_text(Start(self._match, self._role, self._rules, start, play))
        self._on_progress("prepares")
        try:
            await self._ask(message, start)
        finally:
            self._on_progress("")

    async def _ask(self, message: str, clock: float) -> str:
        """Returns the reply to a message about its match; forgets the match, and raises, where that is `busy`."""
        reply = await ask(self._reactor, self._address, message, clock + GRACE_SECONDS)
        if reply.strip().lower() == BUSY:
            self._match = ""
            raise BusyError(f"{self._address.place} is busy")
        return reply
