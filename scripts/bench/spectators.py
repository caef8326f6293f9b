"""Measures what spectators of a match cost, and how soon a page knows of a click.

    python -m scripts.bench.spectators

Starts `ludens play` with a match of two engines that report their thoughts all the time, and measures the processor
time of the server alone (engines are processes of their own) while nobody looks on, and while many do. Then makes moves
as a page does, and measures the time from the request to the event that shows the answer.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import json
import os
import re
import resource
import selectors
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_TICKS = os.sysconf("SC_CLK_TCK")


class Server:
    """A `ludens play` process."""

    def __init__(self, data: str) -> None:
        """Starts it with an empty folder for its matches."""
        command = [sys.executable, "-m", "ludens.agent.commands.cli", "play", "--no-browser", "--port", "0"]
        environment = os.environ | {"XDG_DATA_HOME": data}
        self.process = subprocess.Popen([*command, "--no-archive"], stdout=subprocess.PIPE, text=True, env=environment)
        assert self.process.stdout
        self.port = int(re.findall(r":(\d+)/", self.process.stdout.readline())[0])
        self._token = re.findall(rb'ludens-token" content="([^"]+)', self.ask("GET", "/"))[0].decode()

    def ask(self, method: str, path: str, body: dict[str, Any] | None = None) -> bytes:
        """Returns what the server answers."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port)
        headers = {"X-Ludens-Token": self._token} if method == "POST" else {}
        content = json.dumps({**(body or {}), "tab": "bench"})
        connection.request(method, path, content if method == "POST" else None, headers)
        with contextlib.closing(connection):
            return connection.getresponse().read()

    def match(self, game: str, players: list[str], **pace: float) -> str:
        """Begins a match and returns its name."""
        games = json.loads(self.ask("GET", "/games"))["games"]
        key = next(found["key"] for found in games if found["name"] == game)
        return str(json.loads(self.ask("POST", "/matches", {"game": key, "players": players, **pace}))["match"])

    @property
    def processor_seconds(self) -> float:
        """How much processor time the process itself has taken, without its children."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS


@contextlib.contextmanager
def spectators(server: Server, match: str, count: int) -> Iterator[selectors.BaseSelector]:
    """Lets so many look on; yields what tells which of them has something to read."""
    with selectors.DefaultSelector() as selector, contextlib.ExitStack() as stack:
        for number in range(count):
            peer = stack.enter_context(socket.create_connection(("127.0.0.1", server.port)))
            peer.sendall(
                f"GET /match/{match}/events?tab=s{number} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\n".encode()
            )
            selector.register(peer, selectors.EVENT_READ)
        yield selector


def cost(server: Server, match: str, count: int, seconds: float) -> tuple[float, int]:
    """Returns the share of a core that the server takes with so many spectators, and the bytes that they get."""
    with spectators(server, match, count) as selector:
        _read(selector, 2.0)
        before, began = server.processor_seconds, time.monotonic()
        received = _read(selector, seconds)
        return (server.processor_seconds - before) / (time.monotonic() - began), received


def _read(selector: selectors.BaseSelector, seconds: float) -> int:
    end, received = time.monotonic() + seconds, 0
    while (left := end - time.monotonic()) > 0:
        if not selector.get_map():
            time.sleep(left)
        for key, _ in selector.select(left):
            peer = key.fileobj
            assert isinstance(peer, socket.socket)
            received += len(peer.recv(1 << 20))
    return received


def answers(server: Server, game: str, moves: int) -> list[float]:
    """Returns the seconds from each move of a person to the event that shows the position after it."""
    match = server.match(game, ["person", "person"])
    connection = http.client.HTTPConnection("127.0.0.1", server.port)
    connection.request("GET", f"/match/{match}/events?tab=bench")
    found: list[float] = []
    stream, node = connection.getresponse(), 0
    while len(found) < moves:
        legal, look = _legal(server, match, node)
        if not legal:
            break
        began = time.perf_counter()
        server.ask("POST", f"/match/{match}/move", {"role": legal[0], "move": look, "node": node})
        while b'"type":"node"' not in stream.readline():
            pass
        found.append(time.perf_counter() - began)
        node += 1
    connection.close()
    return found


def _legal(server: Server, match: str, node: int) -> tuple[list[int], str]:
    """Returns whose turn it is at a position, and a legal move."""
    view = json.loads(server.ask("GET", f"/match/{match}/view/{node}"))
    snapshot = json.loads(server.ask("GET", f"/match/{match}/snapshot"))
    turn = snapshot["nodes"][node]["choosers"]
    if not turn or view["terminal"]:
        return [], ""
    role = turn[0]
    known = json.loads(server.ask("GET", f"/game/{snapshot['game']}"))["moves"][role]
    return turn, ([*known, *view.get("moves", [[]] * (role + 1))[role]])[view["legal"][role][0]]["text"]


def main() -> None:
    """Prints what was measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--spectators", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--moves", type=int, default=20)
    options = parser.parse_args()
    soft, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(most, 4096)), most))
    with tempfile.TemporaryDirectory() as data:
        server = Server(data)
        try:
            match = server.match("connect_four", ["uct", "uct"], think=5.0)
            for count in (0, 1, options.spectators):
                share, received = cost(server, match, count, options.seconds)
                rate = received / options.seconds / 1024
                print(f"{count:4} spectators: {100 * share:.1f} % of a core, {rate:,.0f} KiB/s", flush=True)
            server.ask("POST", f"/match/{match}/pause", {"paused": True})
            for game in ("tic_tac_toe", "connect_four", "amazons"):
                found = sorted(answers(server, game, options.moves))
                middle, worst = statistics.median(found), found[-1]
                print(f"{game}: a move is shown after {1000 * middle:.0f} ms (median), {1000 * worst:.0f} ms at most")
        finally:
            server.process.terminate()
            server.process.wait()


if __name__ == "__main__":
    main()
