"""Fake players for Game Managers, which answer over real HTTP, and reactors on which managers run in tests."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeVar

from twisted.internet.defer import Deferred
from twisted.internet.selectreactor import SelectReactor
from twisted.python.failure import Failure

from ludens.agent.settings.addresses import Address
from tests.support.waiting import PATIENCE

T = TypeVar("T")
Answer = Callable[[str], str | bytes | None]


class _Server(ThreadingHTTPServer):
    def handle_error(self, *_: object) -> None:
        """A manager that does not wait for the answer is nothing to report."""


class FakePlayer:
    """Answers every message at once with what `answer` makes of it; bytes are sent raw, None hangs up."""

    def __init__(self, answer: Answer) -> None:
        self.taken = 0  # answers that have arrived: who asked has hung up
        self.messages: list[str] = []
        self.requests: list[str] = []
        player = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                player.messages.append(body)
                player.requests.append(f"{self.requestline}\n{self.headers}")
                reply = answer(body)
                if reply is not None:
                    self.wfile.write(reply if isinstance(reply, bytes) else http_reply(reply))
                    with suppress(OSError):  # as soon as the answer is there
                        self.connection.shutdown(socket.SHUT_WR)
                        self.rfile.read()
                    player.taken += 1

            def log_message(self, *_: object) -> None:
                pass

        self._server = _Server(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})
        self.address = Address("127.0.0.1", self._server.server_address[1])

    def __enter__(self) -> FakePlayer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def verbs(self) -> list[str]:
        return [message.split()[1] for message in self.messages]


def http_reply(reply: str) -> bytes:
    """An answer in HTTP."""
    return f"HTTP/1.0 200 OK\r\nContent-Length: {len(reply)}\r\n\r\n{reply}".encode()


def on_play(move: str) -> Answer:
    """Plays one move at every turn, and is ready for all else."""
    return lambda message: move if message.split()[1] == "PLAY" else "ready"


class SlowTime(SelectReactor):
    """For it a second lasts a thousand: no answer is late unless a test says that time has gone by."""

    skipped = 0.0  # seconds

    def seconds(self) -> float:
        return self.skipped + time.monotonic() / 1000


def run(main: Callable[[Any], Awaitable[T]], kind: type[SelectReactor] = SlowTime) -> T:
    """What `main` returns or raises, on a reactor of its own."""
    reactor = kind()
    outcome: list[Any] = []

    def finish(result: Any) -> None:
        outcome.append(result)
        reactor.callLater(0, reactor.stop)  # connections that have been cut are closed before

    async def wrapped() -> T:
        return await main(reactor)

    reactor.callWhenRunning(lambda: Deferred.fromCoroutine(wrapped()).addBoth(finish))
    hanging = threading.Timer(PATIENCE, reactor.callFromThread, [reactor.crash])
    hanging.start()
    reactor.run(installSignalHandlers=False)
    hanging.cancel()
    assert outcome, "the manager hangs"
    if isinstance(outcome[0], Failure):
        outcome[0].raiseException()
    result: T = outcome[0]
    return result
