"""Matches between servers: how players are started, how matches are counted, and that they are played."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
from concurrent.futures.process import BrokenProcessPool
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from ludens.agent.protocol.wire import SearchReport
from ludens.agent.records.record import MatchRecord
from ludens.agent.server.session import describe
from ludens.agent.settings.processors import processors
from ludens.propnet.base.errors import LudensError
from scripts.common import match_runner, served
from scripts.common.match_runner import Outcome, Task
from scripts.strength import served_match
from scripts.strength.served_match import Places, ServedTask
from tests.support.waiting import PATIENCE, until


def test_a_player_is_described_as_in_a_match() -> None:
    options = served_match.server_options("uct:nodes_mb=64,threads=2", 7, threads=1, margin=0.5)
    given = dict(zip(options[::2], options[1::2], strict=True))
    common = {"--strategy": "uct", "--recall": "off", "--seed": "7", "--margin": "0.5"}
    assert given == common | {"--threads": "2", "--nodes-mb": "64"}
    with pytest.raises(LudensError, match="colour"):
        served_match.server_options("uct:colour=red", 7, threads=1, margin=0.5)


def test_a_player_of_another_program_is_recorded_by_its_name() -> None:
    assert served_match.read_players(["uct:threads=2", "Other 1.2=127.0.0.1:9147"]) == (
        ["uct:threads=2", "Other 1.2"],
        {"Other 1.2": "127.0.0.1:9147"},
    )
    before = "uct:threads=2@../before/.venv/bin/python"
    assert served_match.read_players(["auto", f"Before={before}"]) == (["auto", "Before"], {"Before": before})
    for wrong in (
        "uct=127.0.0.1:9147",
        "Other=guided",
        "uct=auto@python",
        "Other=auto@",
        "Other=127.0.0.1:9147@python",
    ):
        with pytest.raises(LudensError, match=r"NAME=HOST:PORT or NAME=STRATEGY@PYTHON"):
            served_match.read_players(["auto", wrong])
    with pytest.raises(LudensError, match=r"write NAME=auto@python"):
        served_match.read_players(["auto", "auto@python"])


def test_scores_and_faults_are_those_of_the_sides() -> None:
    errors = [["", "", ""], ["", "TO", "IL"], ["", "TO", ""]]
    record = MatchRecord("m", "00", 0, 5, 1, ["a", "b", "c"], False, goals=[0, 100, 50], errors=errors, completed=True)
    task = Task("none", ("one", "other"), 1.0, 1, 0, seat=1)
    logs = [
        f"12:00:00 m: plays by {choice}: {why}\n12:00:01 m: step 1: a ({playouts} playouts, value 50.0)\n"
        for choice, why, playouts in (("uct", "no time", 10), ("guided", "it won", 40), ("rave", "it lost: 2, 3", 30))
    ]
    outcome = served_match.outcome(task, record, numbers=[1, 0, 1], logs=logs)
    assert outcome.score == 0.5 + (100 - 25) / 200
    assert outcome.faults == (2, 1)
    assert outcome.playouts == (40, 20)
    assert outcome.choices == (("guided: it won",), ("uct: no time", "rave: it lost: 2, 3"))


def test_games_are_read_as_they_were_written(tmp_path: Path) -> None:
    outcome = match_runner.Outcome("key", 0.5, 3, (1, 2), (0, 4), (("guided: it won",), ()))
    match_runner.write(tmp_path / "games.jsonl", outcome)
    assert match_runner.read(tmp_path / "games.jsonl") == {"key": outcome}


def write_sheet(path: Path) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(
        "(role a) (role b) (legal a win) (legal b wait) (init on) (<= (next off) (true on))"
        "(<= terminal (true off)) (goal a 100) (goal b 0)"
    )


CLOCKS = ("--startclock", "60", "--playclock", "60")


def test_servers_play_all_sheets_of_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_sheet(tmp_path / "first.kif")
    write_sheet(tmp_path / "second" / "second.kif")
    assert served_match.main([str(tmp_path), "random", "first", "--games", "2", *CLOCKS]) == 0
    summaries = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [summary["game"] for summary in summaries] == ["first.kif", "second.kif"]
    assert [(summary["won"], summary["lost"], summary["faults"]) for summary in summaries] == [(1, 1, [0, 0])] * 2


def test_games_are_recorded_without_paths_and_not_played_again(tmp_path: Path) -> None:
    out = tmp_path / "games.jsonl"
    for folder in ("here", "there"):
        write_sheet(tmp_path / folder / "tiny.kif")
        place = str(tmp_path / folder / "tiny.kif")
        conditions = ("--instruction-set", "baseline", "--margin", "0.5", *CLOCKS)
        assert served_match.main([place, "random", "first", "--games", "2", "--out", str(out), *conditions]) == 0
    outcomes = list(match_runner.read(out).values())
    assert len(out.read_text().splitlines()) == len(outcomes) == 2
    task = json.loads(outcomes[0].key)
    assert (task["game"], task["instruction_set"], task["margin"]) == ("tiny.kif", "baseline", 0.5)


def test_an_interpreter_that_is_not_there_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_sheet(tmp_path / "tiny.kif")
    missing = tmp_path / "missing"
    assert served_match.main([str(tmp_path / "tiny.kif"), "random", f"Before=first@{missing}", *CLOCKS]) == 1
    assert str(missing) in capsys.readouterr().err


def test_a_player_of_another_checkout_is_started_by_its_interpreter(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sheet, python, called = tmp_path / "tiny.kif", tmp_path / "python", tmp_path / "called"
    write_sheet(sheet)
    python.write_text(f'#!/bin/sh\necho "$@" >> {called}\nexec {sys.executable} "$@"\n')
    python.chmod(0o755)
    assert served_match.main([str(sheet), "random", f"Before=first@{python}", "--games", "2", *CLOCKS]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert (summary["first"], summary["second"], summary["won"], summary["lost"]) == ("random", "Before", 1, 1)
    started = called.read_text().splitlines()
    assert len(started) == 2
    assert all("serve" in line and "--strategy first" in line for line in started)


MANAGER = """
import subprocess, sys
rules, start, play, scramble, record, *players = sys.argv[1:]
assert scramble == "1" and not any("/" in player for player in players)
options = ["--record", record, "--scramble", "--quiet", "--startclock", start, "--playclock", play]
sys.exit(subprocess.call([sys.executable, "-m", "ludens.agent.commands.cli", "match", rules, *players, *options]))
"""


def test_another_manager_plays_the_matches(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_sheet(tmp_path / "tiny.kif")
    (tmp_path / "manager.py").write_text(MANAGER)
    command = f"gm={sys.executable} {tmp_path / 'manager.py'}"
    conditions = ("--games", "2", "--scramble", "--manager", command, *CLOCKS)
    assert served_match.main([str(tmp_path / "tiny.kif"), "random", "first", *conditions]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert (summary["manager"], summary["won"], summary["lost"], summary["faults"]) == ("gm", 1, 1, [0, 0])


def test_each_player_has_processors_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {2, 3, 5, 7}, raising=False)
    assert [served_match.own_processors(seat, [2, 2]) for seat in (0, 1)] == [[2, 3], [5, 7]]
    assert [served_match.own_processors(seat, [3, 1]) for seat in (0, 1)] == [[2, 3, 5], [7]]
    monkeypatch.setattr(match_runner, "_worker", 1)
    assert [served_match.own_processors(seat, [1, 1]) for seat in (0, 1)] == [[5], [7]]
    assert served_match.own_processors(2, [1, 1, 1]) == [3], "more players than processors share them"


def task_of(first: str, second: str, game: str = "tiny.kif", seat: int = 0) -> ServedTask:
    """A game between players who have two threads unless they say otherwise."""
    conditions = (60.0, False, "baseline", 2, 1.0, 1, "")
    return ServedTask(game, (first, second), 60.0, 1, 0, seat, *conditions)


def test_a_player_has_the_threads_of_its_description() -> None:
    places = Places({}, {"Before": "uct:nodes_mb=64, threads = 3@python", "Other": "127.0.0.1:9147"})
    task = task_of("uct:threads=4", "uct", seat=1)
    assert served_match.threads_of_seats(task, 3, places) == [2, 4, 2]
    assert served_match.threads_of_seats(task_of("Before", "Other"), 2, places) == [3, 2]
    assert served_match.threads_of(task_of("uct:threads=0", "uct"), 0, places) == processors()


def test_a_player_has_a_processor_for_each_thread_of_its_description(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[list[int]] = []
    monkeypatch.setattr(os, "sched_getaffinity", lambda _pid: set(range(8)), raising=False)
    monkeypatch.setattr(os, "sched_setaffinity", lambda _pid, own: given.append(own), raising=False)
    write_sheet(tmp_path / "tiny.kif")
    served_match.play(task_of("uct:threads=4", "uct"), Places({"tiny.kif": str(tmp_path / "tiny.kif")}, {}))
    assert given == [[0, 1, 2, 3], [4, 5]]


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="this system does not bind programs to processors")
def test_a_server_stays_on_its_processors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started, bind = [], os.sched_setaffinity

    def noted(pid: int, processors: list[int]) -> None:
        started.append(pid)
        bind(pid, processors)

    monkeypatch.setattr(os, "sched_setaffinity", noted)
    own = min(os.sched_getaffinity(0))
    with served.serving(tmp_path / "log", ["--strategy", "first"], processors=[own]):
        assert [os.sched_getaffinity(pid) for pid in started] == [{own}]


@pytest.mark.parametrize("late", [b"( ( name X ) ( status busy ) )", b""])
def test_a_player_may_be_busy_for_a_while_after_a_match(late: bytes) -> None:
    answers = [late, b"( ( name X ) ( status available ) )"]

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.wfile.write(b"HTTP/1.0 200 OK\n\n" + answers.pop(0))

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        served.await_player(f"http://127.0.0.1:{server.server_port}", PATIENCE)
        server.shutdown()
        thread.join()
    assert not answers
    with pytest.raises(LudensError, match="no answer"):
        served.await_player(f"http://127.0.0.1:{server.server_port}", 0.01)


def test_more_games_at_once_than_there_are_pairs_of_processors_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert served_match.main(["nim", "random", "first", "--jobs", "1000", "--threads", "3"]) == 1
    assert "that takes 6000 processors" in capsys.readouterr().err
    assert served_match.main(["nim", "uct:threads=4", "uct", "--jobs", "1000"]) == 1
    assert "that takes 5000 processors" in capsys.readouterr().err


def test_the_effort_of_a_server_is_read_from_its_log() -> None:
    reports = (SearchReport(0, "a", 1200, 50.0), SearchReport(1, "a", 800, 100.0, proven=True), SearchReport(2, "a"))
    log = "".join(f"12:00:00 m: step {each.step}: a ({describe(each, roles=2)})\n" for each in reports)
    assert served_match.playouts_a_move(log) == 1000


@pytest.mark.skipif(sys.platform != "linux", reason="which processes there are is read from /proc")
def test_a_match_ends_with_a_script_that_is_told_to_end() -> None:
    match = ["tic_tac_toe", "uct", "uct", "--startclock", "7200"]
    command = [sys.executable, "-m", "scripts.strength.served_match", *match]
    root = Path(__file__).parents[2]
    script = subprocess.Popen(command, cwd=root, stderr=subprocess.DEVNULL, start_new_session=True)
    until(lambda: len(_players_of(script.pid)) == 2)
    script.terminate()
    assert script.wait(PATIENCE) == 128 + signal.SIGTERM
    assert not _players_of(script.pid)


def test_who_is_told_to_end_while_a_player_is_being_started_knows_of_it_first() -> None:
    order: list[str] = []
    before = signal.signal(signal.SIGTERM, lambda *_: order.append("told"))
    try:
        with served.told_later(signal.SIGTERM):
            signal.raise_signal(signal.SIGTERM)
            order.append("started")
    finally:
        signal.signal(signal.SIGTERM, before)
    assert order == ["started", "told"]


def _told_to_end(_task: object) -> Outcome:
    sys.exit(3)


def test_a_worker_ends_with_a_game_that_is_told_to_end() -> None:
    """The pool would have it wait for another game, deaf to the signal that it has had."""
    parser = argparse.ArgumentParser()
    match_runner.add_arguments(parser, "a player", opening_moves=0)
    args = parser.parse_args(["uct", "uct", "--games", "1"])
    args.game = "nim"
    with pytest.raises(BrokenProcessPool):
        match_runner.run(args, 2, _told_to_end)


def _players_of(session: int) -> list[int]:
    """Returns the processes of a session that are `ludens serve`."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, ProcessLookupError):
            arguments = (folder / "cmdline").read_bytes().split(b"\0")
            if b"serve" in arguments and os.getsid(int(folder.name)) == session:
                found.append(int(folder.name))
    return found
