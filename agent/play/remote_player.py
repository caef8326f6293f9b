"""A player elsewhere, asked over HTTP as a Game Manager does.

The protocol knows no way back. Where the match has gone to another position, the player is told ABORT, then a new
START, and all moves that led there, one after the other.
"""

from __future__ import annotations

import secrets
from typing import Any

from ludens.agent.manager.client import Address, CallError, NoAnswerError, ask
from ludens.agent.protocol.messages import BUSY
from ludens.agent.protocol.wire import History, Joint
from ludens.propnet.base.errors import GdlError, LudensError
from ludens.propnet.gdl.parser import parse_term

_GRACE_SECONDS = 1.0
_COURTESY_SECONDS = 1.0


class RemotePlayer:
    """Asks one player for the moves of one role."""

    def __init__(self, reactor: Any, address: Address, rules: str, role: str, clocks: tuple[float, float]) -> None:
        """Sends nothing yet; `clocks` are start clock and play clock in seconds."""
        self._reactor = reactor
        self._address = address
        self._rules = rules
        self._role = role
        self._clocks = clocks
        self._match = ""  # its name; empty: there is none
        self._history: History = ()  # as far as the player has been told
        self._plays = 0  # messages of its match, the one before the first move included

    async def move(self, history: History) -> str:
        """Returns its move after a history; raises `LudensError` if none comes."""
        if not self._leads_to(history):
            await self.stop("ABORT")
            await self._start()
        reply = ""
        for step in range(self._plays, len(history) + 1):
            self._history, self._plays = history[:step], step + 1
            reply = await self._play(history[step - 1] if step else ())
        try:
            return str(parse_term(reply))
        except GdlError as error:
            raise LudensError(f"{self._address.place} answers with no move") from error

    def _leads_to(self, history: History) -> bool:
        """Says whether the match that it plays goes on to the end of `history`."""
        done = len(self._history)
        return bool(self._match) and self._plays <= len(history) and history[:done] == self._history

    async def stop(self, verb: str, moves: Joint = ()) -> None:
        """Ends its match by STOP or ABORT, if there is one."""
        if self._match:
            match, self._match = self._match, ""
            text = f"( STOP {match} ({' '.join(moves)}) )" if verb == "STOP" else f"( ABORT {match} )"
            try:
                await ask(self._reactor, self._address, text, _COURTESY_SECONDS)
            except (CallError, NoAnswerError):
                return

    async def _start(self) -> None:
        start, play = self._clocks
        self._match = f"Ludens.play.{secrets.token_hex(6)}"
        rules = self._rules.replace("\n", " ")
        message = f"( START {self._match} {self._role} ({rules}) {start:g} {play:g} )"
        reply = await ask(self._reactor, self._address, message, start + _GRACE_SECONDS)
        if reply.strip().lower() == BUSY:
            self._match = ""
            raise LudensError(f"{self._address.place} is busy")
        self._history, self._plays = (), 0

    async def _play(self, moves: Joint) -> str:
        told = f"({' '.join(moves)})" if moves else "NIL"
        return await ask(
            self._reactor, self._address, f"( PLAY {self._match} {told} )", self._clocks[1] + _GRACE_SECONDS
        )
