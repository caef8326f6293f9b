"""Sends one message to a player over HTTP, in the same bytes as ggp-base's manager.

The reply ends where Content-Length says, or else where the connection does; the status line is ignored, as it
is by both real managers. What is longer than any move is cut short, since reading a term takes time.
"""

from __future__ import annotations

import os
import re
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.endpoints import HostnameEndpoint, connectProtocol
from twisted.internet.error import ConnectError, ConnectionClosed, DNSLookupError
from twisted.internet.error import TimeoutError as NoConnectionError
from twisted.internet.protocol import Protocol, connectionDone
from twisted.python.failure import Failure

from ludens.agent.settings.addresses import Address
from ludens.propnet.base.errors import LudensError

_CONNECT_SECONDS = 5.0
_HEAD_END = re.compile(rb"\r?\n\r?\n")
_REPLY_BYTES = 1 << 14
_REPLY_SHOWN = 100  # characters
_WEB_PAGE = "a web page"


class CallError(LudensError):
    """A player that cannot be reached, or does not stay on the line."""


class HungUpError(CallError):
    """A player that hung up before it had answered."""


class NoAnswerError(LudensError):
    """A player that did not answer in time."""


def shortened(reply: str) -> str:
    """Returns what a reply says, in one short line: a web page, as servers of other kinds send, is just named."""
    line = " ".join(reply.split())
    if line.startswith("<"):
        return _WEB_PAGE
    return line if len(line) <= _REPLY_SHOWN else f"{line[:_REPLY_SHOWN]}..."


async def ask(reactor: Any, address: Address, message: str, seconds: float) -> str:
    """Sends `message` to a player and returns the reply.

    The clock of `seconds` starts once the connection stands. Raises `CallError` or `NoAnswerError`.
    """
    endpoint = HostnameEndpoint(reactor, address.host, address.port, timeout=_CONNECT_SECONDS)
    exchange = _Exchange(reactor, _request(address, message), seconds)
    connecting = connectProtocol(endpoint, exchange).addErrback(exchange.fail)
    try:
        return await exchange.reply
    except ConnectionClosed as error:
        raise HungUpError(f"{address.place}: the connection was closed before an answer came") from error
    except (ConnectError, DNSLookupError, OSError, ValueError) as error:
        raise CallError(f"{address.place}: {_reason(error)}") from error
    finally:
        connecting.cancel()
        exchange.disconnect()


def _reason(error: Exception) -> str:
    """Returns why there is no connection."""
    match error:
        case DNSLookupError():
            return "no host of this name was found"
        case NoConnectionError():
            return f"no connection within {_CONNECT_SECONDS:g} s"
        case ConnectError(osError=int(number)):
            return os.strerror(number)
        case ValueError():
            return "no host can have this name"
        case _:
            return str(error)


def _request(address: Address, message: str) -> bytes:
    body = message.encode()
    lines = (
        f"POST {address.path} HTTP/1.0",
        "Accept: text/delim",
        f"Host: {address.host}",
        "Sender: GAMESERVER",
        "Receiver: PLAYER",
        "Content-Type: text/acl",
        f"Content-Length: {len(body)}",
    )
    return "\r\n".join([*lines, "", ""]).encode() + body


class _Exchange(Protocol):
    """Sends one request and fires `reply` with the body of the answer."""

    transport: Any = None

    def __init__(self, reactor: Any, request: bytes, seconds: float) -> None:
        self._reactor = reactor
        self._request = request
        self._seconds = seconds
        self._clock: Any = None
        self._received = b""
        self.reply: Deferred[str] = Deferred()

    def connectionMade(self) -> None:  # noqa: N802 - twisted's name
        self.transport.write(self._request)
        late = NoAnswerError(f"no answer within {self._seconds:g} s")
        self._clock = self._reactor.callLater(self._seconds, self.fail, Failure(late))

    def dataReceived(self, data: bytes) -> None:  # noqa: N802
        self._received += data
        head, gap, body = _parts(self._received)
        length = _content_length(head) if gap else None
        if length is not None and len(body) >= length:
            self._finish(body[:length])
        elif len(self._received) > _REPLY_BYTES:
            self.disconnect()

    def connectionLost(self, reason: Failure = connectionDone) -> None:  # noqa: N802
        _, gap, body = _parts(self._received)
        if gap:
            self._finish(body)
        else:
            self.fail(reason)

    def fail(self, reason: Failure) -> None:
        """Makes `reason` the outcome, unless there is an answer already."""
        if not self.reply.called:
            self.reply.errback(reason)

    def disconnect(self) -> None:
        """Ends the connection, whatever its state."""
        if self._clock is not None and self._clock.active():
            self._clock.cancel()
        if self.transport:
            self.transport.abortConnection()

    def _finish(self, body: bytes) -> None:
        if not self.reply.called:
            self.reply.callback(body[:_REPLY_BYTES].decode("utf-8", "replace"))


def _parts(received: bytes) -> tuple[bytes, bool, bytes]:
    """Returns the head of an answer, whether it is whole, and what follows; lines may end with LF (RFC 9112, 2.2)."""
    end = _HEAD_END.search(received)
    return (received[: end.start()], True, received[end.end() :]) if end else (received, False, b"")


def _content_length(head: bytes) -> int | None:
    for line in head.lower().splitlines():
        name, _, value = line.partition(b":")
        if name == b"content-length" and value.strip().isdigit():
            return int(value)
    return None
