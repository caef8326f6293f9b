"""Requests of pages: read within bounds, answered in JSON, refused with a reason."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Coroutine, Mapping
from contextlib import nullcontext
from functools import cached_property
from typing import Any, TypeAlias
from weakref import WeakSet

from twisted.internet.defer import Deferred, DeferredLock
from twisted.internet.interfaces import IHalfCloseableProtocol
from twisted.python.failure import Failure
from twisted.web.http import HTTPChannel
from twisted.web.resource import Resource
from twisted.web.server import NOT_DONE_YET, Request, Site
from zope.interface.declarations import implementer

from ludens.agent.server.web_access import Header, is_this_machine
from ludens.agent.web.access import HEADERS, AccessError, PageAccess
from ludens.agent.web.static import PageFile
from ludens.propnet.base.errors import LudensError

log = logging.getLogger("ludens")

MOST_BODY = 2 << 20  # bytes
MOST_OWN_BODY = 32 << 20  # from our pages on this machine, which open matches that were saved as pages
MOST_CONNECTIONS = 1000
_CUT_OFF = 2  # times as many bytes as a body may have end the connection

Answer: TypeAlias = Mapping[str, Any] | PageFile | None
"""JSON, a file, or None for a request that goes on."""

Handler: TypeAlias = Callable[[Any, list[str], Mapping[str, Any]], Coroutine[Any, Any, Answer]]
"""Takes the request, the parts of its path behind the handler's own, and its body; raises `LudensError`."""


class NotFoundError(LudensError):
    """Nothing is at this address."""


class Handlers(Resource):
    """Answers requests by the first parts of their paths; GET reads, POST changes something."""

    isLeaf = True  # noqa: N815 - twisted's name

    def __init__(self, access: PageAccess, reads: Mapping[str, Handler], changes: Mapping[str, Handler]) -> None:
        """Takes handlers by the first part of the path behind the method's own."""
        super().__init__()
        self._access = access
        self._reads = reads
        self._changes = changes
        self._long = DeferredLock()
        self._let_in: WeakSet[Any] = WeakSet()  # connections of who may ask

    def render(self, request: Any) -> Any:
        """Begins to answer; twisted's name."""
        for name, value in HEADERS.items():
            request.setHeader(name, value)
        gone: list[object] = []
        request.notifyFinish().addBoth(gone.append)
        answer = Deferred.fromCoroutine(self._answer(request))
        answer.addCallbacks(lambda found: None if gone else _send(request, 200, found))
        answer.addErrback(lambda failure: None if gone else _fail(request, failure))
        return NOT_DONE_YET

    def most_body(self, request: Any) -> int:
        """Returns how many bytes the body of a request may have, of which the headers are known."""
        try:
            self._access.check_change(_headers(request))
        except AccessError:
            return MOST_BODY
        return MOST_OWN_BODY if is_this_machine(request.getClientAddress().host) else MOST_BODY

    async def _answer(self, request: Any) -> Answer:
        header = _headers(request)
        self._check_user(request)
        self._access.check(header, request.getHost().port)
        first, *rest = [part.decode("ascii", "replace") for part in request.postpath] or [""]
        match request.method:
            case b"GET" | b"HEAD" if first in self._reads:
                return await self._reads[first](request, rest, {})
            case b"POST" if first in self._changes:
                self._access.check_change(header)
                async with self._long if request.is_long else nullcontext():  # each takes much memory
                    return await self._changes[first](request, rest, _body(request))
        raise NotFoundError("there is nothing here")

    def _check_user(self, request: Any) -> None:
        """Finds out whose a connection is when it is first used: the kernel takes some milliseconds to tell."""
        if request.channel not in self._let_in:
            peer, here = request.getClientAddress(), request.getHost()
            try:
                self._access.check_user((peer.host, peer.port), (here.host, here.port))
            except AccessError:
                request.channel.persistent = False  # it is closed after the answer, and nobody asks the kernel again
                raise
            self._let_in.add(request.channel)


class BoundedRequest(Request):
    """A request of whose body no more is kept than it may have."""

    channel: Any  # a PageChannel; None once the page has gone
    content: Any
    is_stream = False  # which ends when the page goes
    _taken = 0

    @cached_property
    def most_body(self) -> int:
        """How many bytes its body may have."""
        handlers: Handlers = self.channel.site.resource
        return handlers.most_body(self)

    @property
    def is_long(self) -> bool:
        """Whether its body has more bytes than anybody may send."""
        return self._taken > MOST_BODY

    @property
    def is_too_long(self) -> bool:
        """Whether its body has more bytes than it may have."""
        return self._taken > self.most_body

    def handleContentChunk(self, data: bytes) -> None:  # noqa: N802 - twisted's name
        """Keeps a piece of the body, unless there are too many.

        A page that sends does not read before the end why; only what is far longer is cut off.
        """
        self._taken += len(data)
        if not self.is_too_long:
            super().handleContentChunk(data)
        elif self._taken > _CUT_OFF * self.most_body:
            self.channel.forceAbortClient()


def _headers(request: Any) -> Header:
    """Returns what looks headers of a request up by their names."""
    return lambda name: (request.getHeader(name.encode()) or b"").decode("utf-8", "replace")


def _body(request: BoundedRequest) -> Mapping[str, Any]:
    if request.is_too_long:
        raise LudensError(f"that is too long: {request.most_body >> 20} MB are taken")
    content = request.content.read()
    try:
        data = json.loads(content or b"{}")
    except (ValueError, RecursionError) as error:
        raise LudensError("the request is no JSON") from error
    if not isinstance(data, dict):
        raise LudensError("the request is no JSON object")
    return data


def _fail(request: Any, failure: Failure) -> None:
    """Says why a request was not answered; whatever is not the visitor's fault goes to the log."""
    error = failure.value
    if isinstance(error, LudensError):
        status = 403 if isinstance(error, AccessError) else 404 if isinstance(error, NotFoundError) else 409
        _send(request, status, {"error": str(error)})
    else:
        log.error("fault in answering %s: %s", request.uri[:200], failure.getTraceback())
        _send(request, 500, {"error": "something went wrong in Ludens: its terminal says what"})


def _send(request: Any, status: int, answer: Answer) -> None:
    if answer is None:
        return
    if isinstance(answer, PageFile):
        _send_file(request, answer)
        return
    content = json.dumps(answer, separators=(",", ":")).encode()
    request.setResponseCode(status)
    request.setHeader("Content-Type", "application/json")
    if request.responseHeaders.getRawHeaders("cache-control") is None:
        request.setHeader("Cache-Control", "no-store")
    _finish(request, content)


def _send_file(request: Any, file: PageFile) -> None:
    request.setHeader("Content-Type", file.kind)
    request.setHeader("Cache-Control", "no-cache")
    request.setHeader("ETag", file.tag)
    request.setHeader("Vary", "Accept-Encoding")
    if request.getHeader(b"if-none-match") == file.tag.encode():
        request.setResponseCode(304)
        request.finish()
    elif b"gzip" in (request.getHeader(b"accept-encoding") or b""):
        request.setHeader("Content-Encoding", "gzip")
        _finish(request, file.compressed)
    else:
        _finish(request, file.content)


def _finish(request: Any, content: bytes) -> None:
    request.setHeader("Content-Length", str(len(content)))
    if request.method != b"HEAD":
        request.write(content)
    request.finish()


@implementer(IHalfCloseableProtocol)
class PageChannel(HTTPChannel):
    """One connection of a page. A peer that ends its sending half may still read, and has its answers.

    One that has gone altogether looks the same, so that no stream is sent to either.
    """

    has_ended = False
    """Whether the peer has ended its sending half."""

    def readConnectionLost(self) -> None:  # noqa: N802 - twisted's name
        """Closes the connection, unless there is something to answer."""
        self.has_ended = True
        if not self._handlingRequest:
            self.loseConnection()
        elif self.requests[0].is_stream:
            self.forceAbortClient()

    def writeConnectionLost(self) -> None:  # noqa: N802
        """Does nothing: our half ends with the connection."""

    def requestDone(self, request: Any) -> None:  # noqa: N802
        """Goes on with the next request, if there is one or may be one."""
        super().requestDone(request)
        if self.has_ended and not self._handlingRequest:
            self.loseConnection()


class BoundedSite(Site):
    """Twisted's site with a bound on connections, and without a log of accesses."""

    protocol: Any = PageChannel
    _open = 0

    def buildProtocol(self, addr: Any) -> Any:  # noqa: N802 - twisted's name
        """Makes a connection, unless there are too many."""
        if self._open >= MOST_CONNECTIONS:
            return None
        channel: Any = super().buildProtocol(addr)
        self._open += 1
        lost = channel.connectionLost

        def connection_lost(reason: Any) -> None:
            self._open -= 1
            lost(reason)

        channel.connectionLost = connection_lost
        return channel

    def log(self, request: Any) -> None:
        """Keeps no log: pages ask often."""
