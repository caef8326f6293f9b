"""The first hour of somebody who runs a tournament: two servers, matches between them, a busy player, and the end."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ludens.agent.commands.exit_codes import ExitCode
from ludens.agent.records import record as records
from tests.support.served import TIC_TAC_TOE, Served
from tests.support.waiting import PATIENCE, until

LUDENS = Path(sys.executable).with_name("ludens")


@pytest.mark.skipif(not LUDENS.exists(), reason="the command is not installed")
def test_two_servers_play_a_match_refuse_one_while_busy_and_end_with_logs_and_records(tmp_path: Path) -> None:
    def ludens(*arguments: str) -> tuple[int, str]:
        done = subprocess.run(
            [LUDENS, *arguments], cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE, check=False
        )
        return done.returncode, done.stdout + done.stderr

    (tmp_path / "agent.py").write_text("raise ImportError('a file of the organiser')", encoding="utf-8")

    # Two servers, each with a log and records.
    names = ("Alpha", "Beta")
    servers = [
        Served("--name", name, "--log", str(tmp_path / f"{name}.log"), "--records", str(tmp_path / name))
        for name in names
    ]
    places = [f"127.0.0.1:{server.port}" for server in servers]
    for name, server, place in zip(names, servers, places, strict=True):
        assert f"ludens match GAME http://{place}" in server.greeting
        page = server.exchange(b"GET / HTTP/1.0\r\nAccept: text/html\r\n\r\n")[1].decode()
        assert f"<h1>{name}</h1>" in page
        assert "No match is on." in page

    # A match between them, recorded by all three.
    match = ("match", "tic_tac_toe", *places, "--startclock", "60", "--playclock", "60", "--quiet", "--id", "final")
    status, printed = ludens(*match, "--record", "final.json")
    assert status == ExitCode.OK, printed
    assert "without player errors" in printed
    ours = records.read(tmp_path / "final.json")
    for name in names:
        until(lambda folder=tmp_path / name: bool(list(folder.glob("[!.]*.json"))))  # type: ignore[misc]
        (path,) = (tmp_path / name).iterdir()
        theirs = records.read(path)
        assert (theirs.moves, theirs.states, theirs.goals) == (ours.moves, ours.states, ours.goals)
        assert sorted(theirs.players) == ["", name]

    # Another manager has taken Beta: the match is not begun, and the status says so.
    assert servers[1].dresden(f"(START other CROSS ({TIC_TAC_TOE.upper()}) 30 60)") == "ready"
    status, printed = ludens(*match)
    assert status == ExitCode.PLAYER_FAILED, printed
    assert places[1] in printed
    assert "busy" in printed

    # The end: the match that is on is recorded as far as it went.
    for server in servers:
        server.stop(signal.SIGTERM)
        assert server.process.returncode == ExitCode.OK
    endings = {records.read(path).match_id: records.read(path) for path in (tmp_path / "Beta").iterdir()}
    assert endings["other"].aborted
    assert endings["final"].completed
    for name in names:
        lines = (tmp_path / f"{name}.log").read_text(encoding="utf-8").splitlines()
        assert all(re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", line) for line in lines)
        assert not [line for line in lines if "warning" in line or "error" in line]
        assert lines[-1].endswith("Stopped.")
