"""The reactor of commands gives signals back."""

from __future__ import annotations

import subprocess
import sys

from tests.support.paths import ROOT
from tests.support.waiting import PATIENCE

# In a process of its own: in that of pytest, signals are given back between tests.
_PROGRAM = """
import signal
from ludens.agent.commands.cli import main

clocks = ["--startclock", "60", "--playclock", "60"]
assert main(["match", "tic_tac_toe", "random", "random", *clocks, "--no-archive", "--quiet"]) == 0
try:
    signal.raise_signal(signal.SIGINT)
except KeyboardInterrupt:
    print("interrupted")
"""


def test_ctrl_c_interrupts_a_program_that_has_played_a_match() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM], cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "interrupted"
