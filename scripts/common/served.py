"""Runs players as `ludens serve` and lets `ludens match` play between them, as a Game Manager does."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from ludens.agent.records import record as records
from ludens.agent.records.record import MatchRecord
from ludens.propnet.base.errors import LudensError

_LUDENS = ("-P", "-m", "ludens.agent.commands.cli")
_STOP_SECONDS = 10.0
_TIDY_SECONDS = 60.0


@contextmanager
def serving(
    log: Path,
    options: Sequence[str] = (),
    environment: Mapping[str, str] | None = None,
    processors: Collection[int] = (),
    python: str = sys.executable,
) -> Iterator[str]:
    """Runs a `ludens serve` process within the context and yields its address; its output goes to `log`.

    `environment` is added to that of this process. With `processors` it and all that it starts run on these alone.
    `python` is the interpreter in whose environment it is installed. Raises `LudensError` when it ends at once.
    """
    command = [python, *_LUDENS, "serve", "--port", "0", "--no-archive", *options]
    variables = os.environ | dict(environment or {})
    with log.open("w") as output, ExitStack() as stack:
        with told_later(signal.SIGTERM):  # whoever is told to end has to know what has been started
            process = stack.enter_context(_started(command, stdout=output, stderr=output, env=variables))
            stack.callback(_end, process)
        if processors:
            os.sched_setaffinity(process.pid, processors)
        yield _address(log, process)


@contextmanager
def told_later(number: signal.Signals) -> Iterator[None]:
    """Keeps a signal that comes meanwhile until the end; only the main thread has any."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    before = signal.signal(number, lambda *_: came.append(1))
    try:
        yield
    finally:
        signal.signal(number, before)
        if came:
            signal.raise_signal(number)


def _end(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGTERM)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(_STOP_SECONDS)
    process.kill()


def await_player(address: str, seconds: float = _TIDY_SECONDS) -> None:
    """Waits until a player answers that it is not busy, as it may be for a while after a match; it need not say so.

    Raises `LudensError` when it does not within `seconds`.
    """
    end, reply = time.monotonic() + seconds, ""
    while time.monotonic() < end:
        with contextlib.suppress(OSError, HTTPException):
            reply = urlopen(address, b"( INFO )", timeout=seconds).read().decode("utf-8", "replace")
            if reply and "busy" not in reply.lower():
                return
        time.sleep(0.2)
    raise LudensError(f"{address} is not ready within {seconds:g} s: {reply.strip() or 'no answer'}")


def play_match(
    game: str, players: Sequence[str], path: Path, options: Sequence[str] = (), seconds: float | None = None
) -> tuple[MatchRecord | None, str]:
    """Plays one match between addresses, in `seconds` at the most; its record is written to `path`.

    Returns the record, None if there is none, and what `ludens match` complained of.
    """
    return run_manager(
        [sys.executable, *_LUDENS, "match", game, *players, "--record", str(path), "--quiet", "--no-archive", *options],
        path,
        seconds,
    )


def run_manager(command: Sequence[str], path: Path, seconds: float | None = None) -> tuple[MatchRecord | None, str]:
    """Runs a program that plays one match, in `seconds` at the most, and leaves its record, as ggp-base's, at `path`.

    Returns the record, None if there is none, and what the program complained of.
    """
    path.unlink(missing_ok=True)
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False)
        complaint = f"exit code {done.returncode}: {_last_line(done.stderr)}" if done.returncode else ""
    except subprocess.TimeoutExpired:
        complaint = f"no end after {seconds:g} s"
    return records.read(path) if path.exists() else None, complaint


def _last_line(text: str) -> str:
    return (text.strip().splitlines() or [""])[-1]


def _started(command: Sequence[str], **options: Any) -> subprocess.Popen[bytes]:
    """Starts a program; raises `LudensError` where there is none."""
    try:
        return subprocess.Popen(command, **options)
    except OSError as error:
        raise LudensError(f"cannot start {command[0]}: {error.strerror}") from error


def _address(log: Path, process: subprocess.Popen[bytes]) -> str:
    """Waits until the log says where the player listens; raises `LudensError` when it ends before that."""
    while process.poll() is None:
        found = re.search(r"http://[\d.]+:\d+", log.read_text())
        if found:
            return found[0]
        time.sleep(0.1)
    raise LudensError(f"ludens serve has ended: {log.read_text().strip()}")
