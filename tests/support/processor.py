"""What processes do: how busy they are, what memory they have, whether they are stopped, and whose they are."""

from __future__ import annotations

import contextlib
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from tests.support.paths import ROOT
from tests.support.waiting import PATIENCE


def processor_ticks_of(pid: int, over: float) -> int:
    """How much processor time a process takes within some seconds; of Linux alone."""

    def taken() -> int:
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        return int(fields[11]) + int(fields[12])

    before = taken()
    time.sleep(over)
    return taken() - before


def resident_bytes() -> int:
    """How much memory this process has; of Linux alone."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def in_own_process(function: Callable[[], int]) -> int:
    """What a function of a module of tests returns in a process that has done nothing before."""
    code = f"from {function.__module__} import {function.__name__} as function; print(function())"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


def is_stopped(pid: int) -> bool:
    """Whether a process is stopped; of Linux alone."""
    return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "T"


def is_running(pid: int) -> bool:
    """Whether a process is there that has not ended; of Linux alone."""
    try:
        return "(zombie)" not in Path(f"/proc/{pid}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False


def processes_of(parent: int, word: str) -> list[int]:
    """The processes of a parent in whose command line a word occurs; of Linux alone."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it has ended
            stat = (folder / "stat").read_text().rsplit(")", 1)[1].split()
            if int(stat[1]) == parent and word in (folder / "cmdline").read_text():
                found.append(int(folder.name))
    return found
