"""Streams of what happens in a match, to pages that read as slowly as the test wants, on a clock of its own."""

from __future__ import annotations

import json
from typing import Any

import pytest
from twisted.internet.address import IPv4Address
from twisted.internet.interfaces import IPushProducer
from twisted.internet.task import Clock
from twisted.web.resource import Resource
from twisted.web.server import NOT_DONE_YET, Site
from zope import interface

from ludens.agent.play.feed import Feed
from ludens.agent.web import events as events_module
from ludens.agent.web.events import Stream

TICK = 15.0  # seconds between two signs of life
LONG = {"type": "snapshot", "text": "x" * 1_000_000}


class SlowPage:
    """A connection over which a page reads when the test says so; 64 kB are as much as may wait on the way."""

    disconnecting = False

    def __init__(self, reactor: Clock, feed: Feed, snapshot: dict[str, Any]) -> None:
        self.snapshot = snapshot
        self.gone = False
        self.took = b""  # what the page has read
        self._written = b""
        self._producer: Any = None
        untyped: Any = interface
        untyped.directlyProvides(self, IPushProducer)
        make_site: Any = Site
        make_stream: Any = Streams
        site = make_site(make_stream(reactor, feed, lambda: self.snapshot), reactor=reactor)
        channel = site.buildProtocol(None)
        channel.makeConnection(self)
        channel.dataReceived(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")

    def registerProducer(self, producer: Any, _streaming: bool) -> None:  # noqa: N802 - twisted's names
        self._producer = producer

    def resumeProducing(self) -> None:  # noqa: N802
        """Has more of the request read."""

    pauseProducing = stopProducing = resumeProducing  # noqa: N815

    def write(self, data: bytes) -> None:
        self._written += data
        if len(self._written) > 64 << 10:
            self._producer.pauseProducing()

    def writeSequence(self, data: list[bytes]) -> None:  # noqa: N802
        self.write(b"".join(data))

    def abortConnection(self) -> None:  # noqa: N802
        self.gone = True

    def getPeer(self) -> IPv4Address:  # noqa: N802
        return IPv4Address("TCP", "127.0.0.1", 50_000)

    getHost = getPeer  # noqa: N815

    def read(self) -> None:
        """Takes all that was written."""
        self.took += self._written
        self._written = b""
        self._producer.resumeProducing()

    def read_all(self) -> None:
        """Takes all that is written until there is no more."""
        while self._written:
            self.read()

    @property
    def told(self) -> list[dict[str, Any]]:
        """The events that were read, put together of their parts."""
        found, text, kind = [], "", ""
        for line in self.took.decode().splitlines():
            name, _, value = line.partition(": ")
            if name == "event":
                kind = value
            elif name == "data" and kind != "alive":
                text += value
                if kind != "part":
                    found.append(json.loads(text))
                    text = ""
            elif not line:
                kind = ""
        return found


class Streams(Resource):
    """Answers every request by a stream."""

    isLeaf = True  # noqa: N815 - twisted's name

    def __init__(self, *about: Any) -> None:
        self._reactor, self._feed, self._snapshot = about

    def render(self, request: Any) -> Any:
        """Begins one; twisted's name."""
        Stream(self._reactor, request, self._feed, self._snapshot)
        return NOT_DONE_YET


def test_a_page_that_reads_slowly_gets_a_long_snapshot_and_then_what_has_happened_meanwhile() -> None:
    clock, feed = Clock(), Feed(9)
    page = SlowPage(clock, feed, LONG)
    for number in range(10):
        clock.advance(TICK)
        feed.publish({"type": "state", "number": number})
        page.read()
    assert not page.gone
    page.read_all()
    assert page.told == [LONG, *({"type": "state", "number": number} for number in range(10))]


def test_a_page_that_reads_nothing_is_cut_off_once_it_was_silent_for_a_minute() -> None:
    clock, feed = Clock(), Feed(9)
    page = SlowPage(clock, feed, LONG)
    clock.advance(TICK)
    clock.advance(TICK)
    page.read()
    for _ in range(3):
        clock.advance(TICK)
        assert not page.gone
    clock.advance(TICK)
    assert page.gone


def test_a_page_for_which_too_much_waits_begins_anew_with_a_snapshot(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events_module, "_MOST_WAITING", 3)
    feed = Feed(9)
    page = SlowPage(Clock(), feed, LONG)
    for number in range(5):
        feed.publish({"type": "state", "number": number})
    page.snapshot = {"type": "snapshot", "text": "later"}
    page.read_all()
    feed.publish({"type": "state", "number": 5})
    page.read_all()
    assert page.told == [LONG, page.snapshot, {"type": "state", "number": 5}]


def test_a_page_with_nothing_to_read_gets_a_sign_of_life() -> None:
    clock = Clock()
    page = SlowPage(clock, Feed(9), {"type": "snapshot"})
    for _ in range(6):
        page.read()
        clock.advance(TICK)
    page.read()
    assert page.took.count(b"event: alive") == 6
    assert page.told == [{"type": "snapshot"}]
