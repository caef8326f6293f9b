"""An engine process in the hands of a test."""

from __future__ import annotations

import dataclasses
import json
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from ludens import games
from ludens.agent.protocol.wire import Command, Joint, SearchReport, decode, encode
from ludens.agent.settings.options import PlayerOptions
from ludens.propnet.base.child import environment
from tests.support.paths import ROOT
from tests.support.waiting import PATIENCE

CONNECT_FOUR = games.read("connect_four")
TIC_TAC_TOE = games.read("tic_tac_toe")

WINNING: tuple[Joint, ...] = (
    ("(mark 1 1)", "noop"),
    ("noop", "(mark 1 2)"),
    ("(mark 2 2)", "noop"),
    ("noop", "(mark 1 3)"),
)
"""Moves of tic-tac-toe after which cross wins at (3 3)."""

E = TypeVar("E")


class Driver:
    """An engine process with its pipes."""

    def __init__(self, code: tuple[str, str] = ("-m", "ludens.agent.engine.engine"), **settings: Any) -> None:
        options = json.dumps(dataclasses.asdict(PlayerOptions(**{"nodes_mb": 16, "seed": 1, **settings})))
        self.process = subprocess.Popen(
            [sys.executable, *code, options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT, env=environment()
        )
        self._events: queue.Queue[Any] = queue.Queue()
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            self._events.put(decode(line))
        self._events.put(None)

    def send(self, *commands: Command) -> None:
        assert self.process.stdin
        self.process.stdin.write(b"".join(map(encode, commands)))
        self.process.stdin.flush()

    def next_of_all(self) -> Any:
        """The next event of any kind."""
        return self._events.get(timeout=PATIENCE)

    def next(self, kind: type[E], **wanted: object) -> E:
        """The next event of this kind whose fields are as wanted; others are passed over."""
        return self._next(kind, lambda event: all(getattr(event, name) == value for name, value in wanted.items()))

    def next_that(self, suits: Callable[[SearchReport], bool], **wanted: object) -> SearchReport:
        """The next report of a search that suits, and whose fields are as wanted."""
        return self._next(
            SearchReport,
            lambda report: all(getattr(report, name) == value for name, value in wanted.items()) and suits(report),
        )

    def _next(self, kind: type[E], suits: Callable[[E], bool]) -> E:
        deadline = time.monotonic() + PATIENCE
        while True:
            event = self._events.get(timeout=max(0.0, deadline - time.monotonic()))
            assert event is not None, f"the engine ended without {kind.__name__}"
            if isinstance(event, kind) and suits(event):
                return event

    def close(self) -> int:
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.close()
        try:
            return self.process.wait(PATIENCE)
        finally:
            self.process.kill()  # one that has not ended would keep the reader, and with it the tests, for ever
            self._reader.join()
            self.process.stdout.close()


@contextmanager
def engine(**settings: Any) -> Iterator[Driver]:
    driver = Driver(**settings)
    try:
        yield driver
    finally:
        driver.close()


def founded_report(it: Driver, **wanted: object) -> SearchReport:
    """The next report of the network, or of the core of a recognised game, that a visit stands behind.

    On a slow machine a slice may end before one.
    """
    return it.next_that(lambda report: report.value is not None and report.machine != "rules", **wanted)
