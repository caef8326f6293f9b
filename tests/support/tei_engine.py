"""A program that speaks the Tak engine interface: runs `ludens tei` and talks to it."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

from tests.support.command import LUDENS
from tests.support.paths import ROOT
from tests.support.waiting import PATIENCE


class Engine:
    """An engine that runs; what it says on standard error is a mistake."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process

    def send(self, *lines: str) -> None:
        """Sends lines."""
        assert self.process.stdin
        self.process.stdin.write("".join(f"{line}\n" for line in lines).encode())
        self.process.stdin.flush()

    def until(self, beginning: str) -> list[str]:
        """What it says up to a line that begins so, that line last; all to its end if there is none."""
        assert self.process.stdout
        lines: list[str] = []
        for line in self.process.stdout:
            lines.append(line.decode().rstrip("\n"))
            if lines[-1].startswith(beginning):
                break
        return lines

    def close(self) -> None:
        """Closes its input."""
        assert self.process.stdin
        self.process.stdin.close()

    def rest(self) -> tuple[list[str], str, int]:
        """What it still says until it ends, its complaints, and its exit status."""
        assert self.process.stdout and self.process.stderr
        said, complaints = self.process.stdout.read(), self.process.stderr.read()
        return said.decode().splitlines(), complaints.decode(), self.process.wait(PATIENCE)


@contextmanager
def engine(player: str = "td:nodes_mb=16") -> Iterator[Engine]:
    """Starts an engine, which is killed at the end if it is still there."""
    pipe = subprocess.PIPE
    process = subprocess.Popen([*LUDENS, "tei", player], cwd=ROOT, stdin=pipe, stdout=pipe, stderr=pipe)
    with process:
        try:
            yield Engine(process)
        finally:
            process.kill()


def say(data: bytes, player: str = "td:nodes_mb=16") -> tuple[list[str], str, int]:
    """Sends everything at once and closes the input: lines of the answer, complaints and exit status."""
    done = subprocess.run(
        [*LUDENS, "tei", player], cwd=ROOT, input=data, capture_output=True, timeout=PATIENCE, check=False
    )
    return done.stdout.decode().splitlines(), done.stderr.decode(), done.returncode
