"""What a running player tells whoever runs it: in the terminal, and in a log file with dates."""

from __future__ import annotations

import logging
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from ludens.agent.records import record as records
from ludens.agent.server import log as server_log
from ludens.agent.server.log import logging_in_thread
from tests.support.paths import ROOT
from tests.support.player_harness import MARKS, PlayerHarness
from tests.support.served import TIC_TAC_TOE, Rules, Served
from tests.support.waiting import PATIENCE, until

log = logging.getLogger("ludens")

DATE = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d{4} "


def play_a_turn(player: Served, match_id: str = "m") -> str:
    assert player.ggp_base(f"( START {match_id} cross ({TIC_TAC_TOE}) 60 1 )") == "ready"
    return player.ggp_base(f"( PLAY {match_id} NIL )")


def test_the_log_file_has_every_line_of_the_terminal_with_a_date_and_is_added_to(tmp_path: Path) -> None:
    log = tmp_path / "logs" / "ludens.log"
    for number in (1, 2):
        player = Served("--log", str(log), "--strategy", "first")
        move = play_a_turn(player)
        printed = player.greeting + player.stop(signal.SIGTERM)
        lines = log.read_text(encoding="utf-8").splitlines()
        assert all(re.match(DATE, line) for line in lines)
        events = [re.sub(DATE, "", line) for line in lines]
        assert sum(f"m: step 1: {move}" in event for event in events) == number
        assert f"listens on http://127.0.0.1:{player.port}" in "".join(events)
        assert events[-1] == "Stopped."
        logged = [line.partition(" ")[2] for line in printed.splitlines() if re.match(r"\d\d:\d\d:\d\d ", line)]
        assert logged == events[-len(logged) :]


def test_a_log_file_that_is_moved_away_is_begun_anew(tmp_path: Path) -> None:
    log = tmp_path / "ludens.log"
    player = Served("--log", str(log), "--strategy", "first")
    until(log.exists)
    log.rename(tmp_path / "ludens.log.1")
    play_a_turn(player)
    player.stop()
    assert "step 1" in log.read_text(encoding="utf-8")
    assert "step 1" not in (tmp_path / "ludens.log.1").read_text(encoding="utf-8")


def test_others_can_change_neither_the_log_nor_the_folders_that_are_made_for_it(tmp_path: Path) -> None:
    log = tmp_path / "some" / "logs" / "ludens.log"
    before = os.umask(0)
    try:
        player = Served("--log", str(log), "--strategy", "first")
    finally:
        os.umask(before)
    until(log.exists)
    log.rename(log.with_suffix(".1"))
    play_a_turn(player)
    player.stop()
    modes = {each.name: each.stat().st_mode & 0o777 for each in (tmp_path / "some", *(tmp_path / "some").rglob("*"))}
    assert modes == {"some": 0o755, "logs": 0o755, "ludens.1": 0o644, "ludens.log": 0o644}


def test_what_managers_call_matches_cannot_forge_lines_or_colour_the_terminal(tmp_path: Path) -> None:
    log = tmp_path / "ludens.log"
    player = Served("--log", str(log), "--strategy", "first")
    play_a_turn(player, "\x1b[31mred\x07")
    printed = player.stop()
    assert "\x1b" not in printed + log.read_text(encoding="utf-8")
    assert "\\x1b[31mred\\x07: step 1" in printed


def test_a_log_file_that_cannot_be_written_is_one_clear_line_and_a_failure(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    status, printed = Served.refused("--log", str(tmp_path / "file" / "ludens.log"))
    assert status == 1
    assert printed.count("\n") == 1
    assert "cannot write the log file" in printed


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_disk_that_is_full_is_told_of_once_and_play_goes_on() -> None:
    player = Served("--log", "/dev/full", "--strategy", "first")
    assert "(mark" in play_a_turn(player)
    printed = player.greeting + player.stop()
    assert printed.count("cannot write to the log file /dev/full") == 1
    assert "Traceback" not in printed
    assert "step 1" in printed


class StoppedTerminal(logging.Handler):
    """Takes a line, and is stuck with it until the terminal goes on."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []
        self.goes_on = threading.Event()

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())
        self.goes_on.wait(PATIENCE)


@pytest.fixture
def stopped_terminal() -> Iterator[StoppedTerminal]:
    terminal = StoppedTerminal()
    logging.root.addHandler(terminal)
    yield terminal
    logging.root.removeHandler(terminal)


def test_who_logs_does_not_wait_for_a_terminal_that_is_stopped(stopped_terminal: StoppedTerminal) -> None:
    lines = [f"line {number}" for number in range(100)]
    with logging_in_thread():
        for line in lines:
            log.warning("%s", line)
        stopped_terminal.goes_on.set()
    assert stopped_terminal.lines == lines


# In a process of its own, which is ended.
_LAST_LINE = """
import logging
import threading
from ludens.agent.server import log as server_log

class StoppedTerminal(logging.Handler):
    def emit(self, record):
        threading.Event().wait()

server_log._LAST_SECONDS = 0.0
logging.root.addHandler(StoppedTerminal())
with server_log.logging_in_thread():
    logging.warning("the last line")
    {last}
"""


@pytest.mark.parametrize(("last", "status"), [("pass", 0), ("raise OSError", 1)])
def test_a_program_ends_though_nobody_takes_its_last_lines(last: str, status: int) -> None:
    program = _LAST_LINE.format(last=last)
    assert subprocess.run([sys.executable, "-c", program], cwd=ROOT, timeout=PATIENCE, check=False).returncode == status


def test_lines_for_which_there_is_no_room_are_counted(
    stopped_terminal: StoppedTerminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_log, "_MOST_WAITING", 2)
    with logging_in_thread():
        log.warning("first")
        until(lambda: stopped_terminal.lines == ["first"])
        for number in range(5):
            log.warning("line %d", number)
        stopped_terminal.goes_on.set()
    left_out = "3 lines left out here: more were logged than could be written"
    assert stopped_terminal.lines == ["first", "line 0", "line 1", left_out]


def test_a_move_leaves_before_it_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "ludens")
    harness, answered = PlayerHarness(), list[bool]()
    engine = harness.begin()
    play = harness.post("( PLAY m1 NIL )")

    class Noted(logging.Filter):
        def filter(self, record: logging.LogRecord) -> bool:
            answered.append(play.answered)
            return True

    with caplog.filtering(Noted()):
        engine.thinks(0, MARKS[1], final=True)
    assert "m1: step 1: (mark 1 2)" in caplog.text
    assert answered == [True]


def with_engines_run_by(script: str, folder: Path) -> tuple[str, str]:
    """Code of a player whose engines are run by a script in place of Python."""
    python = folder / "python"
    python.write_text(script, encoding="utf-8")
    python.chmod(0o755)
    code = f"import sys; sys.executable = {str(python)!r}; from ludens.agent.commands.cli import main; sys.exit(main())"
    return "-c", code


def test_engines_that_cannot_start_are_told_of_at_once_before_any_match(tmp_path: Path) -> None:
    log = tmp_path / "ludens.log"
    script = "#!/bin/sh\necho 'ImportError: no libstdc++ here' >&2\nexit 1\n"
    player = Served("--log", str(log), code=with_engines_run_by(script, tmp_path))
    until(lambda: "warning: the engine for the next match has ended: ImportError: no libstdc++ here" in log.read_text())
    assert player.ggp_base(f"( START m cross ({TIC_TAC_TOE}) 10 1 )") in ("busy", "ready")
    assert "no libstdc++ here" in player.stop()


WITHOUT_NATIVE_CODE = f"""\
#!{sys.executable}
import runpy, sys
sys.modules["ludens.native._core"] = None
sys.argv = sys.argv[3:]
runpy.run_module("ludens.agent.engine.engine", run_name="__main__")
"""


def test_native_code_that_is_missing_is_told_of_at_once_and_in_the_record_and_legal_moves_are_made(
    tmp_path: Path,
) -> None:
    log, folder = tmp_path / "ludens.log", tmp_path / "matches"
    code = with_engines_run_by(WITHOUT_NATIVE_CODE, tmp_path)
    player = Served("--log", str(log), "--records", str(folder), code=code)
    until(lambda: "warning: native code is missing" in log.read_text())
    move = play_a_turn(player)
    assert move in Rules(TIC_TAC_TOE, "cross").legal()
    player.stop()
    (path,) = folder.iterdir()
    warnings = records.read(path).warnings
    assert "native code is missing" in warnings[0]
    assert len(set(warnings)) == len(warnings)
    events = [re.sub(DATE, "", line) for line in log.read_text().splitlines()]
    assert sum("native code is missing" in event for event in events if event.startswith("warning: native")) == 1
    assert sum("native code is missing" in event for event in events if event.startswith("warning: m: native")) == 1


def test_more_memory_than_there_is_is_warned_of_with_the_options_to_change() -> None:
    for flags, warned in {("--nodes-mb", "1000000", "--matches", "1000"): True, ("--nodes-mb", "1"): False}.items():
        player = Served(*flags)
        assert ("lower --nodes-mb or --matches" in player.greeting + player.stop()) == warned


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_that_comes_before_the_reactor_runs_ends_the_player_in_order(number: signal.Signals) -> None:
    command = [sys.executable, "-m", "ludens.agent.commands.cli", "serve", "--port", "0"]
    player = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=ROOT)
    assert player.stdout is not None
    assert any("listens on" in line for line in player.stdout)
    player.send_signal(number)
    printed, _ = player.communicate(timeout=PATIENCE)
    assert player.returncode == 0
    assert "Stopped." in printed
