"""Streams of server-sent events: what happens in a match, to each page that looks at it.

A browser allows six connections to a host over HTTP/1.1, and each stream takes one: pages close theirs while they are
hidden, and begin with a new snapshot when they are seen again. WebSockets would need another package, and what pages
say is rare: it goes by POST.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

from ludens.agent.play.feed import Feed, MatchEvent

_KEEP_ALIVE_SECONDS = 15.0
_PATIENCE = 4  # times that nothing was read between two signs of life, after which a page has gone
_MOST_WAITING = 1000  # events
_RETRY = b"retry: 1000\n\n"
_ALIVE = b"event: alive\ndata: 1\n\n"


class Stream:
    """One page that listens. For one that reads so slowly that too many events wait, a snapshot takes their place."""

    def __init__(self, reactor: Any, request: Any, feed: Feed, snapshot: Callable[[], Mapping[str, Any]]) -> None:
        """Sends a snapshot, and all events of the feed from now on until the page goes away."""
        self._snapshot = snapshot
        self._reactor = reactor
        self._request = request
        request.is_stream = True
        self._feed = feed
        self._full = False  # nothing more can be written for now
        self._unread = 0  # times in a row that this was so, and nothing was read meanwhile
        self._behind = True  # the page has to begin with a snapshot
        self._waiting: deque[list[bytes]] = deque()  # the pieces of events
        self._begun: deque[bytes] = deque()  # what is left of the event that is being written
        self.ended = request.notifyFinish()
        self.ended.addErrback(lambda _: None).addCallback(lambda _: self._end())
        _begin(request)
        request.registerProducer(self, True)
        feed.add(self, self._send)
        self._timer = reactor.callLater(_KEEP_ALIVE_SECONDS, self._keep_alive)
        self._write()

    def pauseProducing(self) -> None:  # noqa: N802 - twisted's name
        """Stops writing."""
        self._full = True

    def resumeProducing(self) -> None:  # noqa: N802
        """Goes on writing, since all has been taken that was written."""
        self._full = False
        self._unread = 0
        self._write()

    def stopProducing(self) -> None:  # noqa: N802
        """Ends writing, since the page has gone."""
        self._full = True

    def _send(self, event: MatchEvent) -> None:
        if len(self._waiting) < _MOST_WAITING:
            self._waiting.append(event.pieces)
        else:
            self._behind = True
        self._write()

    def _write(self) -> None:
        """Writes as much as can be for now."""
        while not self._full and (self._begun or self._next()):
            self._request.write(self._begun.popleft())

    def _next(self) -> bool:
        """Begins with the next event; says whether there is one."""
        if self._behind:
            self._behind = False
            self._waiting.clear()
            self._begun.extend(MatchEvent(self._snapshot()).pieces)
        elif self._waiting:
            self._begun.extend(self._waiting.popleft())
        return bool(self._begun)

    def _keep_alive(self) -> None:
        if self._full:
            self._unread += 1
        else:
            self._request.write(_ALIVE)
        if self._unread < _PATIENCE:
            self._timer = self._reactor.callLater(_KEEP_ALIVE_SECONDS, self._keep_alive)
        elif self._request.channel is not None:
            self._request.channel.forceAbortClient()

    def _end(self) -> None:
        self._feed.remove(self)
        if self._timer.active():
            self._timer.cancel()


def refuse(request: Any, reason: str) -> None:
    """Tells a page why there is no stream: of a reply that is none, its browser hands on nothing."""
    _begin(request)
    request.write(b"event: refused\ndata: " + json.dumps(reason).encode() + b"\n\n")
    request.finish()


def _begin(request: Any) -> None:
    request.setHeader("Content-Type", "text/event-stream")
    request.setHeader("Cache-Control", "no-store")
    request.write(_RETRY)
