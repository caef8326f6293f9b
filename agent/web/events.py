"""Streams of server-sent events: what happens in a match, to each page that looks at it.

A browser allows six connections to a host over HTTP/1.1, and each stream takes one: pages close theirs while they are
hidden, and begin with a new snapshot when they are seen again. WebSockets would need another package, and what pages
say is rare: it goes by POST.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ludens.agent.play.feed import Feed, MatchEvent

_KEEP_ALIVE_SECONDS = 15.0
_RETRY = b"retry: 1000\n\n"
_ALIVE = b"event: alive\ndata: 1\n\n"


class Stream:
    """One page that listens. One that reads more slowly than is written misses events, and gets a snapshot then."""

    def __init__(self, reactor: Any, request: Any, feed: Feed, snapshot: Callable[[], Mapping[str, Any]]) -> None:
        """Sends a snapshot, and all events of the feed from now on until the page goes away."""
        self._snapshot = snapshot
        self._reactor = reactor
        self._request = request
        request.is_stream = True
        self._feed = feed
        self._full = False  # nothing more can be written for now
        self._behind = False  # so that something was not
        self.ended = request.notifyFinish()
        self.ended.addErrback(lambda _: None).addCallback(lambda _: self._end())
        request.setHeader("Content-Type", "text/event-stream")
        request.setHeader("Cache-Control", "no-store")
        request.registerProducer(self, True)
        request.write(_RETRY + MatchEvent(snapshot()).encoded)
        feed.add(self, self._send)
        self._timer = reactor.callLater(_KEEP_ALIVE_SECONDS, self._keep_alive)

    def pauseProducing(self) -> None:  # noqa: N802 - twisted's name
        """Stops writing."""
        self._full = True

    def resumeProducing(self) -> None:  # noqa: N802
        """Writes again, and first of all what the page has missed."""
        self._full = False
        if self._behind:
            self._behind = False
            self._request.write(MatchEvent(self._snapshot()).encoded)

    def stopProducing(self) -> None:  # noqa: N802
        """Ends writing, since the page has gone."""
        self._full = True

    def _send(self, event: MatchEvent) -> None:
        if self._full:
            self._behind = True
        else:
            self._request.write(event.encoded)

    def _keep_alive(self) -> None:
        if self._full:
            self._cut_off()
            return
        self._request.write(_ALIVE)
        self._timer = self._reactor.callLater(_KEEP_ALIVE_SECONDS, self._keep_alive)

    def _cut_off(self) -> None:
        if self._request.channel is not None:
            self._request.channel.forceAbortClient()

    def _end(self) -> None:
        self._feed.remove(self)
        if self._timer.active():
            self._timer.cancel()
