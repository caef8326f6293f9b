"""The player on the network: HTTP as Game Managers speak it, good and bad.

Every reply carries its length and closes the connection, since one of the real managers reads to the end of
the stream. A message is the body of a POST, or a GET's path. The other manager counts the length of a body in
characters: where some of these take several bytes, it is read on beyond its length. Connections have one
absolute limit of time for the whole request, so that a peer that drips bytes cannot stay. Where too many wait for the
rest of a request the oldest goes, first of those that have sent nothing. Waiting for our answer is not limited. A peer
that ends its sending half behind a request may still read, and is answered; one that has gone altogether looks the
same.
"""

from __future__ import annotations

import codecs
import logging
import os
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import unquote_to_bytes, urlsplit

from twisted.internet.defer import CancelledError, Deferred, DeferredList, maybeDeferred
from twisted.internet.interfaces import IHalfCloseableProtocol
from twisted.internet.protocol import connectionDone
from twisted.python.failure import Failure
from twisted.web.http import HTTPChannel, HTTPFactory, Request
from zope.interface.declarations import implementer

from ludens.agent.protocol.clock import UNHURRIED_CLOCK
from ludens.agent.protocol.messages import BUSY, Message, parse
from ludens.agent.reactor.in_thread import in_thread
from ludens.agent.records.archive import Archive
from ludens.agent.server import status_page
from ludens.agent.server.engine_process import SPARES, EnginePool
from ludens.agent.server.listening import listen_on
from ludens.agent.server.match_archive import MatchArchive
from ludens.agent.server.player import MatchKeeper, Player
from ludens.agent.server.record_folder import RecordFolder
from ludens.agent.server.registration import host_and_port
from ludens.agent.server.round_trip import ROUND_TRIPS, round_trip
from ludens.agent.server.session import OnNews
from ludens.agent.server.web_access import WebAccess
from ludens.agent.settings.options import PlayerOptions

log = logging.getLogger("ludens")

_METHODS = "GET, HEAD, OPTIONS, POST"
_MESSAGE_HEADERS = {"Content-Type": "text/acl"}
_PREFLIGHT_HEADERS = {
    "Access-Control-Allow-Methods": _METHODS,
    "Access-Control-Allow-Headers": "Content-Type, Sender, Receiver, Accept",
    "Access-Control-Max-Age": "86400",
}
_LONGEST_LINE = 1 << 20  # a START may come as the path of a GET
_QUICK_TEXT = 4096  # longer messages are read in a thread
_UTF_8, _LATIN_1 = "utf-8", "latin-1"
_BYTE_ORDER_MARKS = {codecs.BOM_UTF8: _UTF_8, codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
_PAUSE_SECONDS = 0.2  # a peer that has sent nothing for so long has said all
_MOST_INCOMPLETE = 200  # connections whose request is not whole: far more than managers have, fewer than open files


class Listening:
    """A player that listens for Game Managers; made by `listen`."""

    def __init__(self, reactor: Any, port: Any, player: Player, engines: EnginePool) -> None:
        """Takes what `stop` has to end, which it also does when the reactor ends."""
        self._reactor = reactor
        self._port = port
        self._player = player
        self._engines = engines
        self.prepared = engines.prepare()  # fires when the first match could begin at once
        self.host: str = port.getHost().host
        self.port: int = port.getHost().port
        self._trigger = reactor.addSystemEventTrigger("before", "shutdown", self.stop)

    @property
    def address(self) -> str:
        """The URL of the player, such as `http://127.0.0.1:9147`."""
        return f"http://{host_and_port(self.host, self.port)}"

    def stop(self) -> Deferred[Any]:
        """Ends all matches, the port and all engine processes; fires when they are gone and records are written."""
        records = self._player.close()
        return DeferredList([maybeDeferred(self._port.stopListening), self._engines.close(), records])

    def retire(self) -> Deferred[Any]:
        """As `stop`, for one of many players on a reactor that goes on."""
        self._reactor.removeSystemEventTrigger(self._trigger)
        return self.stop()


def listen(
    reactor: Any,
    options: PlayerOptions,
    on_news: OnNews | None = None,
    archive: Archive | None = None,
    processors: Collection[int] = (),
    keeper: MatchKeeper | None = None,
    *,
    once: bool = False,
) -> Listening:
    """Starts a player on `reactor`; it ends with the reactor, or by `stop`.

    `on_news` gets the match and each report and log message of its engines. Its matches go into `archive` and
    to `keeper`, and its engines run on `processors` alone, if these are given. `once`: it plays one match, which begins
    as soon as one engine is ready, and no engine waits for another; the match is not given up while other players
    think, since whoever manages it also ends the player. Raises `ListenError`, or `RecordError` where records cannot be
    written.
    """
    if once:
        options = replace(options, patience=UNHURRIED_CLOCK)
    engines = EnginePool(reactor, options, processors, spares=1 if once else SPARES)
    keepers = [] if keeper is None else [keeper]
    if options.records:
        keepers.append(RecordFolder(reactor, Path(options.records), options.name))
    if archive is not None:
        keepers.append(MatchArchive(reactor, archive, options.name))
    on_idle = (lambda: None) if once else engines.prepare
    player = Player(options, reactor, engines, on_news, keepers, on_idle, recorded=bool(options.records or archive))
    factory = PlayerFactory(player, options, reactor)
    port = listen_on(reactor, options.port, factory, options.interface)
    return Listening(reactor, port, player, engines)


@implementer(IHalfCloseableProtocol)
class PlayerChannel(HTTPChannel):
    """One connection, for one request. A line may end with LF alone, as some managers write it (RFC 9112, 2.2)."""

    delimiter = b"\n"
    MAX_LENGTH = _LONGEST_LINE
    totalHeadersSize = _LONGEST_LINE  # noqa: N815
    factory: PlayerFactory
    _limit: Any = None
    _began: float | None = None

    def connectionMade(self) -> None:  # noqa: N802 - twisted's name
        """Gives the whole request one limit of time."""
        super().connectionMade()
        self._limit = self.callLater(self.factory.options.request_seconds, self.forceAbortClient)
        self.factory.add_incomplete(self)

    def dataReceived(self, data: bytes) -> None:  # noqa: N802
        """Notes when the request begins to arrive."""
        if self._began is None:
            self._began = self.factory.now()
        super().dataReceived(data)

    def lineReceived(self, line: bytes) -> None:  # noqa: N802
        """Takes a line of the head without its CR."""
        super().lineReceived(line.removesuffix(b"\r"))

    def rawDataReceived(self, data: bytes) -> None:  # noqa: N802
        """Takes a body, and what comes beyond its length, which twisted would keep for another request."""
        if self._is_incomplete:
            body, data = self.requests[-1].split(data)
            super().rawDataReceived(body)
        if data and self.requests:
            self.requests[-1].take_beyond(data)

    @property
    def is_silent(self) -> bool:
        """Whether nothing of a request has arrived."""
        return self._began is None

    @property
    def waited(self) -> float:
        """Returns how many seconds ago the request began to arrive."""
        return 0.0 if self._began is None else self.factory.now() - self._began

    @property
    def way(self) -> float:
        """Returns how many seconds of the manager's clock its connection, its request and the answer are on the way."""
        return ROUND_TRIPS * round_trip(self.transport)

    def allContentReceived(self) -> None:  # noqa: N802
        """Ends the time limit, since the request is whole and its reply may take longer."""
        self._end_limit()
        super().allContentReceived()

    def readConnectionLost(self) -> None:  # noqa: N802
        """Closes the connection of a peer that has ended its sending half, unless its request is whole."""
        if self._is_incomplete:
            self.loseConnection()

    def writeConnectionLost(self) -> None:  # noqa: N802
        """Does nothing: our half ends with the connection."""

    def connectionLost(self, reason: Failure = connectionDone) -> None:  # noqa: N802
        """Ends the time limit."""
        self._end_limit()
        super().connectionLost(reason)

    def checkPersistence(self, request: Request, version: bytes) -> bool:  # noqa: N802
        """Says that no connection serves a second request."""
        return False

    @property
    def _is_incomplete(self) -> bool:
        """Whether more of the request is to come."""
        return self._limit is not None and self._limit.active()

    def _end_limit(self) -> None:
        self.factory.remove_incomplete(self)
        if self._is_incomplete:
            self._limit.cancel()


class PlayerRequest(Request):
    """Reads one message and sends its reply."""

    channel: Any  # a PlayerChannel; None once the peer has gone
    content: BinaryIO
    _length: int | None = None  # of the body, as the peer says; None for one in chunks
    _taken = 0  # bytes, those beyond the length too
    _unclosed = 0  # brackets
    _is_ascii = True
    _pause: Any = None  # the timer until a body that may be cut short is taken as it is

    def gotLength(self, length: int | None) -> None:  # noqa: N802
        """Takes note of the length of the body."""
        super().gotLength(length)
        self._length = length

    def split(self, data: bytes) -> tuple[bytes, bytes]:
        """Returns what belongs to the body by its length, and what comes beyond."""
        left = len(data) if self._length is None else self._length - self._taken
        return data[:left], data[left:]

    def handleContentChunk(self, data: bytes) -> None:  # noqa: N802
        """Keeps a body up to its limit; refuses no earlier than the end, since a peer that sends does not read."""
        self._taken += len(data)
        self._unclosed += data.count(b"(") - data.count(b")")
        self._is_ascii = self._is_ascii and data.isascii()
        if not self._too_long:
            super().handleContentChunk(data)

    def take_beyond(self, data: bytes) -> None:
        """Takes what comes beyond the length of the body, as part of it if that may be cut short."""
        if self._is_paused:
            self._pause.cancel()
            self.content.seek(0, os.SEEK_END)
            self.handleContentChunk(data)
            self._read_on()
        else:
            self._taken += len(data)
            if self._too_long:
                self.channel.transport.pauseProducing()  # until it is answered

    def connectionLost(self, reason: Failure) -> None:  # noqa: N802
        """Waits for nothing more."""
        if self._is_paused:
            self._pause.cancel()
        super().connectionLost(reason)

    @property
    def _is_paused(self) -> bool:
        """Whether more of the body may come."""
        return self._pause is not None and self._pause.active()

    @property
    def _too_long(self) -> bool:
        channel: PlayerChannel = self.channel
        return self._taken > channel.factory.options.body_mb << 20

    def process(self) -> None:
        """Answers the request; called by twisted when it is whole."""
        factory: PlayerFactory = self.channel.factory
        in_path = unquote_to_bytes(self.uri.lstrip(b"/?").replace(b"+", b" ")) if self.method == b"GET" else b""
        looks = self.method == b"GET" and not in_path and "text/html" in self._header("accept")
        refusal = factory.access.refusal(
            self._header, self.getHost().port, message=not looks, in_address=self.method in (b"GET", b"HEAD")
        )
        if refusal:
            self._reply(403, f"error: {refusal}".encode())
        elif self._too_long:
            self._reply(413, b"")
        elif looks:
            self._reply(200, factory.page(*self._place).encode(), status_page.HEADERS)
        else:
            self._take(in_path)

    def _take(self, in_path: bytes) -> None:
        """Answers a request that may be a message."""
        match self.method:
            case b"POST":
                self._read_on()
            case b"GET":
                self._answer(in_path)
            case b"HEAD":
                self._answer(b"")
            case b"OPTIONS":
                self._reply(200, b"", _PREFLIGHT_HEADERS)
            case _:
                self._reply(405, b"", {"Allow": _METHODS})

    @property
    def _place(self) -> tuple[str, int]:
        """The host and port by which this player has been reached."""
        ours = self.getHost()
        try:
            asked = urlsplit(f"//{self._header('host')}")
            return asked.hostname or ours.host, asked.port or ours.port
        except ValueError:
            return ours.host, ours.port

    def _header(self, name: str) -> str:
        return (self.getHeader(name.encode()) or b"").decode("utf-8", "replace")

    def _read_on(self) -> None:
        """Answers a body; one that may be cut short only once its brackets balance or the peer pauses."""
        channel: PlayerChannel = self.channel
        is_late = channel.waited > channel.factory.options.request_seconds
        if self._too_long:
            self._reply(413, b"")
        elif self._is_ascii or self._unclosed <= 0 or is_late:
            self._answer_content()
        else:
            self._pause = channel.callLater(_PAUSE_SECONDS, self._answer_content)

    def _answer_content(self) -> None:
        self.content.seek(0)
        self._answer(self.content.read())

    def _answer(self, body: bytes) -> None:
        channel: PlayerChannel = self.channel
        answer = channel.factory.answer(body, channel)
        self.notifyFinish().addErrback(lambda _: answer.cancel())
        answer.addCallbacks(lambda reply: self._reply(200, reply), self._fail)

    def _fail(self, failure: Failure) -> None:
        """Ends a request whose peer has gone, or in which the player has failed."""
        if not failure.check(CancelledError):
            log.error("fault in answering: %s", failure.getTraceback())
            self._reply(500, BUSY.encode())

    def _reply(self, status: int, body: bytes, headers: Mapping[str, str] = _MESSAGE_HEADERS) -> None:
        self.setResponseCode(status)
        factory: PlayerFactory = self.channel.factory
        granted = factory.access.headers(self._header)
        for name, value in {**headers, **granted, "Content-Length": str(len(body)), "Connection": "close"}.items():
            self.setHeader(name, value)
        self.write(body)
        self.finish()


class PlayerFactory(HTTPFactory):
    """Connects requests to the player, and bytes to text."""

    protocol: Any = PlayerChannel

    def __init__(self, player: Player, options: PlayerOptions, reactor: Any) -> None:
        """Messages go to `player`."""
        super().__init__(timeout=options.request_seconds, reactor=reactor)
        self.options = options
        self.access = WebAccess(options.allow_origin, options.interface)
        self.now: Callable[[], float] = reactor.seconds
        self._player = player
        self._encodings: dict[str, str | None] = {}  # of matches, as far as it is known
        self._incomplete: dict[PlayerChannel, None] = {}  # connections whose request is not whole, the oldest first

    def buildProtocol(self, addr: Any) -> Any:  # noqa: N802
        """Makes a connection with our kind of request."""
        channel: Any = super().buildProtocol(addr)
        channel.requestFactory = PlayerRequest
        return channel

    def log(self, request: Request) -> None:
        """Keeps no access log: INFO comes every second."""

    def page(self, host: str, port: int) -> str:
        """Returns what browsers are shown that reach us at this host and port."""
        return status_page.status_page(self.options, self._player.matches, host, port)

    def add_incomplete(self, channel: PlayerChannel) -> None:
        """Takes note of a connection that is to send its request; where there are too many, another one goes.

        That is the oldest of those that have sent nothing, or of all where each has begun.
        """
        if len(self._incomplete) == _MOST_INCOMPLETE:
            silent = (each for each in self._incomplete if each.is_silent)
            ended = next(silent, next(iter(self._incomplete)))
            self.remove_incomplete(ended)
            ended.forceAbortClient()
        self._incomplete[channel] = None

    def remove_incomplete(self, channel: PlayerChannel) -> None:
        """Takes note that a connection has sent its request, or has ended."""
        self._incomplete.pop(channel, None)

    def answer(self, body: bytes, channel: PlayerChannel) -> Deferred[bytes]:
        """Answers a message that has come by a connection."""
        text, encoding = _decoded(body)
        reading = in_thread(self.reactor, parse, text) if len(text) > _QUICK_TEXT else maybeDeferred(parse, text)
        return reading.addCallback(self._reply, encoding, channel)

    def _reply(self, message: Message, encoding: str | None, channel: PlayerChannel) -> Deferred[bytes]:
        """Answers in the encoding of the message; in plain ASCII (None) of the last of its match that was none."""
        answer = self._player.answer(message, channel.waited, channel.way)
        match_id = getattr(message, "match_id", "")
        if encoding:
            kept = {match.start.match_id: self._encodings.get(match.start.match_id) for match in self._player.matches}
            self._encodings = kept | {match_id: encoding}
        used = encoding or self._encodings.get(match_id) or _UTF_8
        return answer.addCallback(str.encode, used)


def _decoded(body: bytes) -> tuple[str, str | None]:
    """Returns the text of a body, in the encoding that its byte order mark says, else UTF-8, else Latin-1.

    Also returns the encoding of the answer; None where plain ASCII leaves it open.
    """
    for mark, encoding in _BYTE_ORDER_MARKS.items():
        if body.startswith(mark):
            return body.removeprefix(mark).decode(encoding, "replace"), _UTF_8
    try:
        return body.decode(_UTF_8), None if body.isascii() else _UTF_8
    except UnicodeDecodeError:
        return body.decode(_LATIN_1), _LATIN_1
