"""A `ludens play` process, and its pages as a program asks for them."""

from __future__ import annotations

import http.client
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tests.support.paths import ROOT
from tests.support.waiting import PATIENCE


class Served:
    """A `ludens play` process."""

    def __init__(self, data: Path, *arguments: str, port: int = 0) -> None:
        command = [sys.executable, "-m", "ludens.agent.commands.cli", "play", "--no-browser", "--port", str(port)]
        environment = os.environ | {"XDG_DATA_HOME": str(data)}
        self.process = subprocess.Popen(
            [*command, *arguments], stdout=subprocess.PIPE, text=True, cwd=ROOT, env=environment
        )
        assert self.process.stdout
        self.address = self.process.stdout.readline().split()[-1]
        self.port = urlsplit(self.address).port or 0
        self.token = re.findall(r'name="ludens-token" content="([^"]+)"', self.text("/"))[0]

    def request(self, method: str, path: str, body: bytes = b"", **headers: str) -> tuple[int, bytes, dict[str, str]]:
        """Returns status, body and headers of an answer; `_` in the names of headers stands for `-`."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.request(method, path, body, {name.replace("_", "-"): text for name, text in headers.items()})
            answer = connection.getresponse()
            return answer.status, answer.read(), {name.lower(): text for name, text in answer.getheaders()}
        finally:
            connection.close()

    def text(self, path: str) -> str:
        return self.request("GET", path)[1].decode()

    def get(self, path: str) -> Any:
        return json.loads(self.text(path))

    def post(self, path: str, **body: Any) -> Any:
        """Returns what the server answers to an order of one of its own pages."""
        content = json.dumps({"tab": "tab-1"} | body).encode()
        return json.loads(self.request("POST", path, content, X_Ludens_Token=self.token)[1])

    def events(self, match: str, tab: str = "tab-1") -> EventStream:
        """Begins to follow a match."""
        return EventStream(self.port, match, tab)

    def kill(self) -> None:
        """Ends the process without a word."""
        self.process.kill()
        self.close()

    def close(self) -> None:
        self.process.terminate()
        self.process.wait(PATIENCE)
        assert self.process.stdout
        self.process.stdout.close()


class EventStream:
    """The events of a match, as a page gets them."""

    def __init__(self, port: int, match: str, tab: str) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        self._connection.request("GET", f"/match/{match}/events?tab={tab}")
        self._answer = self._connection.getresponse()
        assert self._answer.status == 200

    def next_of_all(self) -> dict[str, Any]:
        """Returns the next event of any kind, put together of its parts; passes over signs of life."""
        kind, text = b"", b""
        while True:
            line = self._answer.readline()
            assert line, "the stream has ended"
            name, _, value = line.rstrip(b"\n").partition(b": ")
            if name == b"event":
                kind = value
            elif name == b"data":
                text += value if kind in (b"", b"part") else b""
                if not kind:
                    event: dict[str, Any] = json.loads(text)
                    return event
                kind = b""

    def next(self, kind: str, **wanted: Any) -> dict[str, Any]:
        """Returns the next event of a kind whose fields are as wanted."""
        while True:
            event = self.next_of_all()
            if event["type"] == kind and all(event[name] == value for name, value in wanted.items()):
                return event

    def close(self) -> None:
        self._answer.close()
        self._connection.close()


def page_text(port: int, path: str, token: str = "", body: dict[str, Any] | None = None) -> str:
    """Returns what a page's server answers; a `body` is posted with the token of a page."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    try:
        if body is None:
            connection.request("GET", path)
        else:
            connection.request("POST", path, json.dumps(body).encode(), {"X-Ludens-Token": token})
        return connection.getresponse().read().decode()
    finally:
        connection.close()


def page_json(port: int, path: str, token: str = "", body: dict[str, Any] | None = None) -> Any:
    """Returns what a page's server answers in JSON."""
    return json.loads(page_text(port, path, token, body))


@contextmanager
def page_server(data: Path, *arguments: str) -> Iterator[Served]:
    served = Served(data, *arguments)
    try:
        yield served
    finally:
        served.close()
