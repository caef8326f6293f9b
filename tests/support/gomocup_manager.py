"""A manager of the Gomocup protocol: runs `ludens gomocup` and talks to it."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

from tests.support.command import LUDENS
from tests.support.paths import ROOT
from tests.support.waiting import PATIENCE

MOVE = re.compile(r"(\d+),(\d+)")


class Brain:
    """A brain that runs; what it says on standard error is a mistake."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process

    def send(self, data: bytes | str) -> None:
        """Sends bytes, or a text as one line that ends as managers end it."""
        assert self.process.stdin
        self.process.stdin.write(data if isinstance(data, bytes) else f"{data}\r\n".encode())
        self.process.stdin.flush()

    def line(self) -> str:
        """The next line that it says."""
        assert self.process.stdout
        return self.process.stdout.readline().decode().rstrip("\n")

    def ask(self, line: str) -> str:
        """Sends a line and returns the answer."""
        self.send(line)
        return self.line()

    def close(self) -> None:
        """Closes its input."""
        assert self.process.stdin
        self.process.stdin.close()

    def rest(self) -> tuple[bytes, bytes, int]:
        """What it still says, on both outputs, until it ends, and its exit status."""
        assert self.process.stdout and self.process.stderr
        said, complaints = self.process.stdout.read(), self.process.stderr.read()
        return said, complaints, self.process.wait(PATIENCE)


@contextmanager
def brain(player: str = "uct:iterations=64") -> Iterator[Brain]:
    """Starts a brain, which is killed at the end if it is still there."""
    pipe = subprocess.PIPE
    process = subprocess.Popen([*LUDENS, "gomocup", player], cwd=ROOT, stdin=pipe, stdout=pipe, stderr=pipe)
    with process:
        try:
            yield Brain(process)
        finally:
            process.kill()


def say(data: bytes, player: str = "uct:iterations=64") -> tuple[list[str], str, int]:
    """Sends everything at once and closes the input: lines of the answer, complaints and exit status."""
    done = subprocess.run(
        [*LUDENS, "gomocup", player], cwd=ROOT, input=data, capture_output=True, timeout=PATIENCE, check=False
    )
    return done.stdout.decode().splitlines(), done.stderr.decode(), done.returncode
