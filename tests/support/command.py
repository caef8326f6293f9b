"""The command `ludens` as a user runs it: in a process of its own, in the background, or in this process."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from ludens.agent.commands.cli import main
from tests.support.paths import ROOT
from tests.support.waiting import PATIENCE

LUDENS = [sys.executable, "-m", "ludens.agent.commands.cli"]
CLOCKS = ("--startclock", "600", "--playclock", "600")  # of which players that know their move need next to nothing


def ludens(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs the command in a process of its own, with these variables besides those of the environment."""
    env = os.environ | environment
    return subprocess.run(
        [*LUDENS, *arguments], cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE, check=False, env=env
    )


def status(*arguments: str) -> int:
    """The exit status of the command run in this process."""
    try:
        return main(arguments)
    except SystemExit as end:
        assert isinstance(end.code, int)
        return end.code


@contextmanager
def running(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    """The command in the background, killed at the end if it is still there."""
    process = subprocess.Popen(
        [*LUDENS, *arguments],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


def wait_for(process: subprocess.Popen[str], pattern: str) -> re.Match[str]:
    """The first line of output that matches."""
    assert process.stdout
    for line in process.stdout:
        if found := re.search(pattern, line):
            return found
    raise AssertionError(f"nothing matched {pattern!r}")


def without_progress(text: str) -> str:
    """What is said besides that something takes long, as it does on a busy machine."""
    return re.sub(r"(?m)^.* … \d+ s\n", "", text)
