"""Why a process is gone that ended without a word is said by another one."""

from __future__ import annotations

import subprocess
import sys

import pytest

from ludens.agent.cluster.connection import LOOPBACK
from tests.support.waiting import PATIENCE

HEAD = f"{LOOPBACK}:1"  # where nothing answers
CODE = "import os\nfrom ludens.agent.cluster.last_words import last_words\nwith last_words({!r}):\n    {}\n"


@pytest.mark.parametrize(
    ("end", "status", "said"),
    [
        ("os._exit(1)", 1, f"ludens: no head of a cluster answers at {HEAD}"),
        ("os.kill(os.getpid(), 9)", -9, f"ludens: no head of a cluster answers at {HEAD}"),
        ("pass", 0, ""),
        ("raise SystemExit(3)", 3, ""),
    ],
)
def test_only_a_process_that_could_say_nothing_is_spoken_for(end: str, status: int, said: str) -> None:
    command = [sys.executable, "-c", CODE.format(HEAD, end)]
    found = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert found.returncode == status
    assert found.stderr.startswith(said) and bool(found.stderr) == bool(said)
