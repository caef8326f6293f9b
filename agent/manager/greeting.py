"""Asks a player before a match who it is, and whether it can play.

A player says so in its answer to INFO, `((name X) (status available))`. Players that do not know this message may
answer it with anything, or with nothing at all; but who is busy, absent or no player will not play.
"""

from __future__ import annotations

from typing import Any

from ludens.agent.manager.client import CallError, HungUpError, NoAnswerError, ask, shortened
from ludens.agent.protocol.messages import BUSY
from ludens.agent.settings.addresses import Address
from ludens.propnet.base.errors import GdlError, LudensError
from ludens.propnet.gdl.parser import parse_expressions

_SECONDS = 5.0


class UnavailableError(LudensError):
    """A player that cannot take part in a match."""


async def greet(reactor: Any, role: str, address: Address) -> str:
    """Returns the name that the player of a role gives itself, or its address if it gives none.

    Raises `UnavailableError` if nobody answers there, or no player does, or one that is busy.
    """
    place = address.place
    try:
        reply = await ask(reactor, address, "( INFO )", _SECONDS)
    except HungUpError as error:
        raise UnavailableError(f"no player for {role}: {place} takes calls, but hangs up without an answer") from error
    except CallError as error:
        raise UnavailableError(f"no player for {role}: nobody listens at {error}") from error
    except NoAnswerError as error:
        raise UnavailableError(f"no player for {role}: {place} takes calls, but gives {error}") from error
    told = _told(reply)
    if told is None:
        raise UnavailableError(f"no player for {role}: {place} answers, but not as a player does: {shortened(reply)}")
    if told.get("status", "").lower() == BUSY:
        raise UnavailableError(f"no player for {role}: {told.get('name', 'the one')} at {place} is busy")
    return told.get("name", place)


def _told(reply: str) -> dict[str, str] | None:
    """Returns what `((name X) (status available))` or a bare status says, by key; None for what no player says."""
    try:
        expressions = parse_expressions(reply)
    except GdlError:
        return None
    match expressions:
        case []:
            return {}
        case [str(status)] | [[str(status)]] if not status.startswith("<"):
            return {"status": status}
        case [list(pairs)]:
            return {
                str(pair[0]).lower(): " ".join(map(str, pair[1:])) for pair in pairs if isinstance(pair, list) and pair
            }
    return None
