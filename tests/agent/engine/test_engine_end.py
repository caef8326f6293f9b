"""How engines end: with their pipe, with their player, or by a failure that they tell."""

from __future__ import annotations

import dataclasses
import json
import os
import signal
import subprocess
import sys

import pytest

from ludens.agent.protocol.wire import Begin, NetworkReady, Think, encode
from ludens.agent.settings.options import PlayerOptions
from tests.support.engine_driver import TIC_TAC_TOE, Driver
from tests.support.paths import ROOT
from tests.support.processor import is_running
from tests.support.waiting import PATIENCE, until


def test_an_engine_that_fails_on_its_main_thread_says_why() -> None:
    command = [sys.executable, "-m", "ludens.agent.engine.engine", json.dumps(dataclasses.asdict(PlayerOptions()))]
    ended = subprocess.run(command, input=b"nonsense\n", capture_output=True, timeout=PATIENCE, cwd=ROOT, check=False)
    assert ended.returncode == -signal.SIGKILL
    assert ended.stderr.splitlines()[-1].startswith(b"WireError: ")


def test_an_engine_dies_when_its_pipe_ends() -> None:
    it = Driver()
    it.send(Begin(TIC_TAC_TOE, "cross"), Think())
    it.next(NetworkReady)
    assert it.close() == -signal.SIGKILL


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a process of its parent's death")
def test_an_engine_dies_with_its_player_even_when_it_hangs() -> None:
    code = (
        "import subprocess, sys, time\n"
        "engine = subprocess.Popen([sys.executable, '-m', 'ludens.agent.engine.engine', sys.argv[1]],"
        " stdin=subprocess.PIPE, stdout=subprocess.PIPE)\n"
        "engine.stdin.write(sys.argv[2].encode()); engine.stdin.flush()\n"
        "engine.stdout.readline()\n"
        "print(engine.pid, flush=True)\n"
        "time.sleep(3600)\n"
    )
    options = json.dumps(dataclasses.asdict(PlayerOptions()))
    begin = encode(Begin(TIC_TAC_TOE, "cross")).decode()
    player = subprocess.Popen([sys.executable, "-c", code, options, begin], stdout=subprocess.PIPE, cwd=ROOT)
    with player:
        assert player.stdout
        pid = int(player.stdout.readline())
        os.kill(pid, signal.SIGSTOP)
        player.kill()
    until(lambda: not is_running(pid))
