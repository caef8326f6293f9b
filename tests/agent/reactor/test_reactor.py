"""The reactor of commands gives signals back, and its timers keep their time."""

from __future__ import annotations

import re
import subprocess
import sys

from tests.support.paths import ROOT
from tests.support.waiting import PATIENCE

# In processes of their own: in that of pytest, signals are given back between tests.
_INTERRUPTED = """
import signal
from ludens.agent.commands.cli import main

clocks = ["--startclock", "60", "--playclock", "60"]
assert main(["match", "tic_tac_toe", "random", "random", *clocks, "--no-archive", "--quiet"]) == 0
try:
    signal.raise_signal(signal.SIGINT)
except KeyboardInterrupt:
    print("interrupted")
"""

# The wall clock is set on by an hour whenever it is looked at.
_SET_ON = """
from itertools import count
from twisted.internet.base import ReactorBase
from twisted.internet.task import deferLater

ReactorBase.seconds = staticmethod(count(step=3600).__next__)
from ludens.agent.reactor.running import run_reactor

async def main(reactor):
    patience = reactor.callLater(600, print, "lost patience")
    await deferLater(reactor, 0.1)
    patience.active() and patience.cancel()

run_reactor(main)
print("ended")
"""


def last_lines(program: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_ctrl_c_interrupts_a_program_that_has_played_a_match() -> None:
    assert last_lines(_INTERRUPTED)[-1] == "interrupted"


def test_timers_keep_their_time_when_somebody_sets_the_clock_of_the_machine() -> None:
    assert last_lines(_SET_ON) == ["ended"]


def test_all_programs_take_the_reactor_whose_timers_keep_their_time() -> None:
    taking = re.compile(r"from twisted\.internet import .*\breactor\b")
    takers = [path.name for path in (ROOT / "agent").rglob("*.py") if taking.search(path.read_text(encoding="utf-8"))]
    assert takers == ["steady_reactor.py"]
