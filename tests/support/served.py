"""A player that runs as `ludens serve`, spoken to over real sockets in the bytes of the two real Game Managers."""

from __future__ import annotations

import random
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from ludens.propnet.gdl.interpreter import Interpreter
from ludens.propnet.gdl.parser import parse_rules, parse_term
from tests.support.paths import ROOT
from tests.support.waiting import PATIENCE

TIC_TAC_TOE = (ROOT / "games/sheets/tic_tac_toe.kif").read_text()

# A player that never answers without a legal move, however late that is: a busy machine may make its engines late.
# When it must answer all the same is tested on a clock of our own (`test_match`, `test_engine_faults`).
UNHURRIED = """
import sys
from ludens.agent.protocol import clock

by_the_clock = clock.deadline

class Unhurried(clock.Deadline):
    check = 2.0

clock.deadline = lambda seconds, margin: Unhurried(by_the_clock(seconds, margin).answer, 1e6)
from ludens.agent.commands.cli import main
sys.exit(main())
"""


class Served:
    """A `ludens serve` process."""

    def __init__(self, *flags: str, code: Sequence[str] = ("-m", "ludens.agent.commands.cli")) -> None:
        settings = ["--port", "0", "--nodes-mb", "16", "--strategy", "uct"]
        command = [sys.executable, *code, "serve", *settings, *flags]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=ROOT)
        assert self.process.stdout
        self.greeting = ""
        while "0.0.0.0" not in self.greeting and (line := self.process.stdout.readline()):
            self.greeting += line
        found = re.search(r"http://127\.0\.0\.1:(\d+)", self.greeting)
        assert found, self.greeting
        self.port = int(found[1])

    @classmethod
    def refused(cls, *flags: str) -> tuple[int, str]:
        """Starts `ludens serve` with flags that it refuses; returns the exit status and what it says."""
        command = [sys.executable, "-m", "ludens.agent.commands.cli", "serve", "--port", "0", *flags]
        done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=ROOT, timeout=PATIENCE)
        assert not done.stdout
        return done.returncode, done.stderr

    def stop(self, by: signal.Signals = signal.SIGINT) -> str:
        """Ctrl-C, or another signal; returns the rest of what was printed."""
        self.process.send_signal(by)
        printed, _ = self.process.communicate(timeout=PATIENCE)
        return printed

    def engines(self) -> list[int]:
        """The process numbers of its engines, the oldest first."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text()
        return list(map(int, children.split()))

    def connect(self, request: bytes) -> socket.socket:
        connection = socket.create_connection(("127.0.0.1", self.port), PATIENCE)
        connection.sendall(request)
        return connection

    def exchange(self, request: bytes) -> tuple[bytes, bytes]:
        """Head and body of the reply, read to the end of the stream as Dresden's manager does."""
        with self.connect(request) as connection:
            head, _, body = read_to_end(connection).partition(b"\r\n\r\n")
        return head, body

    def dresden(self, message: str) -> str:
        return self.exchange(dresden(message))[1].decode()

    def ggp_base(self, message: str) -> str:
        return self.exchange(ggp_base(message))[1].decode()


def read_to_end(connection: socket.socket) -> bytes:
    return b"".join(iter(lambda: connection.recv(65536), b""))


def dresden(message: str) -> bytes:
    """What the Dresden GameController writes: no Host."""
    return (
        "POST / HTTP/1.0\r\nAccept: text/delim\r\nSender: Gamecontroller\r\nReceiver: 127.0.0.1\r\n"
        f"Content-type: text/acl\r\nContent-length: {len(message)}\r\n\r\n{message}"
    ).encode()


def ggp_base(message: str) -> bytes:
    """What ggp-base's manager writes."""
    return (
        "POST / HTTP/1.0\r\nAccept: text/delim\r\nHost: 127.0.0.1\r\nSender: GAMESERVER\r\nReceiver: Ludens\r\n"
        f"Content-Type: text/acl\r\nContent-Length: {len(message)}\r\n\r\n{message}"
    ).encode()


class Rules:
    """A match in progress by the interpreter; the other role plays at random."""

    def __init__(self, text: str, role: str) -> None:
        self._rules = Interpreter(parse_rules(text))
        self._state = self._rules.initial()
        self._seat = self._rules.roles.index(role)
        self._random = random.Random(1)
        self.joints: list[list[str]] = []
        self.states = [self._facts()]

    @property
    def over(self) -> bool:
        return self._rules.terminal(self._state)

    def legal(self) -> list[str]:
        return list(map(str, self._rules.legal(self._state, self._rules.roles[self._seat])))

    def play(self, move: str) -> Sequence[str]:
        moves = [self._random.choice(self._rules.legal(self._state, role)) for role in self._rules.roles]
        moves[self._seat] = parse_term(move)
        self._state = self._rules.next(self._state, moves)
        self.joints.append(list(map(str, moves)))
        self.states.append(self._facts())
        return self.joints[-1]

    def goals(self) -> list[int | None]:
        return list(self._rules.goals(self._state))

    def _facts(self) -> list[str]:
        return sorted(map(str, self._state))


def in_one_line(rules: str) -> str:
    return " ".join(re.sub(";[^\n]*", "", rules).split())
