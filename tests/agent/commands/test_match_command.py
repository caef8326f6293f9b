"""`ludens match` from the command line: what it tells, matches that can be repeated, limits, failures, records."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ludens.agent.commands import match as match_command
from ludens.agent.commands.exit_codes import ExitCode
from ludens.agent.commands.interface.match import command
from ludens.agent.commands.match import exit_code
from ludens.agent.manager.seating import with_seeds
from ludens.agent.records import record as records
from ludens.agent.records.reading import read_record
from ludens.agent.records.record import Ending, MatchRecord
from ludens.agent.settings.players import LocalPlayer, read_player
from ludens.games.registry import Recognition
from ludens.propnet.base.child import Limits
from tests.support.command import CLOCKS, LUDENS, ludens, running, wait_for, without_progress
from tests.support.fake_player import FakePlayer
from tests.support.paths import ROOT
from tests.support.waiting import PATIENCE

ENDLESS = """
    (role red) (init here) (legal red wait) (legal red stay) (<= (next here) (true here))
    (<= terminal (true never)) (goal red 100)
"""


def match(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return ludens("match", *arguments, **environment)


def recorded(path: Path, *arguments: str) -> dict[str, Any]:
    """What is in the record of a match that went well, but for times and the name of the match."""
    done = match(*arguments, "--quiet", "--record", str(path))
    assert done.returncode == 0, done.stdout + done.stderr
    fields: dict[str, Any] = json.loads(path.read_text())
    return {name: value for name, value in fields.items() if name not in ("matchId", "startTime", "stateTimes")}


# ---- What is taken ----


@pytest.mark.parametrize(
    ("arguments", "times"), [("nim uct flat", 1), ("nim uct flat --quiet", 0), ("nim uct --quiet --record a.json", 0)]
)
def test_a_game_is_recognised_only_where_that_shows(
    arguments: str, times: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    nets: list[object] = []

    def recognised(net: object, *_: object, **__: object) -> Recognition:
        nets.append(net)
        return Recognition(None, None, {})

    monkeypatch.setattr(match_command, "recognise", recognised)
    found = command.make_context("match", arguments.split()).params
    limits = Limits(found.pop("grounding_seconds"), found.pop("grounding_mb"))
    choice: Any = SimpleNamespace(net="network", fallback_reason="")
    match_command._recognise(match_command.MatchOptions(limits=limits, **found), None, choice)
    assert nets == times * ["network"]


@pytest.mark.parametrize(
    ("arguments", "port"),
    [
        ("nim uct flat", None),
        ("nim uct flat --watch", 0),
        ("nim --watch uct flat", 0),
        ("--watch nim uct flat --quiet", 0),
        ("nim uct --watch 9181 flat", 9181),
        ("nim uct --watch=9181 flat", 9181),
    ],
)
def test_the_port_of_the_page_may_be_left_out_wherever_the_option_stands(arguments: str, port: int | None) -> None:
    found = command.make_context("match", arguments.split()).params
    assert (found["game"], found["players"], found["watch"]) == ("nim", ("uct", "flat"), port)


# ---- What is told ----


def test_a_match_of_rules_whose_network_takes_too_much_is_played_on_the_rules() -> None:
    done = match("tic_tac_toe", "first", "first", "--grounding-seconds", "0", "--quiet", *CLOCKS)
    assert done.returncode == 0
    told = " ".join(done.stdout.split())
    assert "the rules are interpreted, which is slower: " in told
    assert "--grounding-seconds allows more" in told


def test_a_game_whose_facts_vanish_is_played(tmp_path: Path) -> None:
    sheet = tmp_path / "vanishing.kif"
    sheet.write_text(
        "(role a) (role b) (init (p 1)) (legal a go) (legal a wait) (legal b go) (goal a 100) (goal b 0)\n"
        "(<= terminal (true (q 2)))"
    )
    done = match(str(sheet), "uct:iterations=100", "first", "--max-turns", "2", "--quiet", *CLOCKS)
    assert done.returncode == ExitCode.TURN_LIMIT
    assert "!" not in done.stdout


def test_a_match_between_local_players_is_told_and_recorded(tmp_path: Path) -> None:
    path = tmp_path / "match.json"
    done = match(
        *("tic_tac_toe", "uct", *CLOCKS), *("--scramble", "--seed", "7", "--id", "Told.1", "--record", str(path))
    )
    assert done.returncode == 0, done.stderr
    assert "no player was given for nought: random plays it" in done.stdout
    assert re.search(r"cross thinks: [^\n]*[\d,]+ playouts,[^\n]* expects\s+\(mark \d \d\)", done.stdout), done.stdout
    assert "The match completed without player errors." in done.stdout
    assert "  1  " in done.stdout
    record = records.read(path)
    assert record.match_id == "Told.1"
    assert record.completed
    assert record.scrambled
    assert record.error_count == 0
    assert sum(record.goals) == 100
    assert f"Result after {len(record.moves)} turns:" in done.stdout


def test_a_quiet_match_shows_the_result_only() -> None:
    done = match("tic_tac_toe", "random", "random", *CLOCKS, "--quiet")
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(r"\nResult after \d turns:\n.+\n.+\nThe match completed without .+\n", done.stdout)


def test_a_player_that_serves_can_be_invited() -> None:
    with running("serve", "--port", "0", "--strategy", "random") as server:
        port = wait_for(server, r"http://127\.0\.0\.1:(\d+)")[1]
        done = match("nim", f"http://127.0.0.1:{port}", "random", *CLOCKS)
    assert done.returncode == 0, done.stderr
    assert "completed without player errors" in done.stdout
    assert f"127.0.0.1:{port}" in done.stdout


def test_what_a_player_elsewhere_says_gives_the_terminal_no_orders() -> None:
    def answer(message: str) -> str:
        verb = message.split()[1]
        return {"INFO": "((name \x1b[2JAnn) (status available))", "PLAY": "\x1b]0"}.get(verb, "ready")

    with FakePlayer(answer) as player:
        done = match("nim", player.address.place, "random", *CLOCKS)
    assert done.returncode == ExitCode.PLAYER_FAILED
    assert "␛[2JAnn" in done.stdout and "no legal move: ␛]0 (IL)" in done.stdout
    assert "\x1b" not in done.stdout + done.stderr


def test_a_player_that_is_not_there_is_a_mistake_of_one_line() -> None:
    done = match("tic_tac_toe", "http://127.0.0.1:9", "random", "--quiet")
    assert done.returncode == ExitCode.PLAYER_FAILED
    assert done.stdout == ""
    assert re.fullmatch(
        r"ludens: no player for cross: nobody listens at 127\.0\.0\.1:9: Connection refused\n", done.stderr
    )


def test_an_interrupted_match_ends_cleanly_and_is_recorded_as_aborted(tmp_path: Path) -> None:
    path = tmp_path / "match.json"
    arguments = ("match", "connect_four", "uct", *CLOCKS, "--record", str(path))  # solved by no first turn
    with running(*arguments) as process:
        wait_for(process, r"^Start$")
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert without_progress(err) == "ludens: interrupted\n"
    assert "Aborted after 0 turns." in out
    assert records.read(path).aborted


# ---- Repeatable matches ----


@pytest.mark.parametrize(
    "players", [("uct:iterations=200", "random"), ("auto:iterations=100", "mcrd:iterations=50,policy=mast")]
)
def test_a_match_with_a_seed_and_iterations_is_the_same_again(players: tuple[str, ...], tmp_path: Path) -> None:
    first, second = (
        recorded(tmp_path / "match.json", "connect_four", *players, "--seed", "5", "--playclock", clock)
        for clock in ("600", "0")
    )
    assert first.pop("playClock") != second.pop("playClock")
    assert first == second
    assert first["seed"] == 5


def test_a_match_is_written_as_a_page_that_replays_it(tmp_path: Path) -> None:
    page = tmp_path / "match.HTML"
    done = match("tic_tac_toe", "auto:iterations=50", "random", "--seed", "1", "--quiet", "--record", str(page))
    assert done.returncode == 0, done.stdout + done.stderr
    found = read_record(page.read_text(encoding="utf-8"))
    assert (found.record.game, found.roles, found.notice) == ("tic_tac_toe", ("cross", "nought"), "")
    assert found.record.completed
    assert found.record.thoughts[0][0]["candidates"]
    assert any(remark.startswith("cross: plays by ") for remark in found.record.remarks)


def test_random_players_with_a_seed_make_the_same_moves_on_any_clock(tmp_path: Path) -> None:
    path = tmp_path / "match.json"
    first, second, other = (
        recorded(path, "tic_tac_toe", "random", "random", "--seed", seed, "--playclock", clock)["moves"]
        for seed, clock in (("5", "600"), ("5", "0"), ("6", "600"))
    )
    assert first == second != other


def test_each_seat_has_a_seed_of_its_own_that_follows_from_that_of_the_match() -> None:
    players = [read_player(text) for text in ("uct", "uct", "uct:seed=3", "http://host:1")]
    seeds = [player.options.seed for player in with_seeds(players, 7) if isinstance(player, LocalPlayer)]
    again = [player.options.seed for player in with_seeds(players, 7) if isinstance(player, LocalPlayer)]
    others = [player.options.seed for player in with_seeds(players, 8) if isinstance(player, LocalPlayer)]
    assert seeds == again
    assert seeds[0] != seeds[1]
    assert seeds[2] == others[2] == 3
    assert not {*seeds[:2]} & {*others[:2], 0}


def test_players_without_a_clock_are_those_whose_moves_do_not_depend_on_time() -> None:
    repeatable = {}
    for text in ("uct", "uct:iterations=9", "uct:level=2", "random", "first", "auto"):
        player = read_player(text)
        assert isinstance(player, LocalPlayer)
        repeatable[text] = player.options.needs_no_clock
    without_clock = [text for text, without in repeatable.items() if without]
    assert without_clock == ["uct:iterations=9", "uct:level=2", "random", "first"]


@pytest.mark.parametrize(
    ("player", "reason"),
    [
        ("uct:iterations=9,threads=2", "threads"),
        ("guided:iterations=9", "learns"),
        ("uct:level=3,threads=2", "threads"),
        ("guided:level=3", "learns"),
        ("uct:level=3,iterations=9", "choose one"),
        ("random:level=3", "does not search"),
        ("uct:level=11", "1 to 10"),
    ],
)
def test_what_could_not_be_repeated_is_refused(player: str, reason: str) -> None:
    done = match("tic_tac_toe", player)
    assert done.returncode == ExitCode.WRONG_USAGE
    assert reason in done.stderr


# ---- Matches that do not end ----


def test_a_match_that_does_not_end_is_stopped_and_says_so(tmp_path: Path) -> None:
    sheet, path = tmp_path / "endless.kif", tmp_path / "match.json"
    sheet.write_text(ENDLESS)
    done = match(str(sheet), "random", "--max-turns", "3", "--record", str(path))
    assert done.returncode == ExitCode.TURN_LIMIT
    assert "Stopped after 3 turns" in done.stdout
    record = records.read(path)
    assert record.ending == Ending.TURN_LIMIT
    assert (record.max_turns, len(record.moves), record.completed) == (3, 3, False)


# ---- Players and places that fail ----


@pytest.mark.parametrize("place", ["file/match.json", "."])
def test_a_record_that_cannot_be_written_is_found_out_before_the_match(place: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    done = match("tic_tac_toe", "random", "random", "--record", str(tmp_path / place))
    assert done.returncode == ExitCode.FAULTY_INPUT
    assert done.stdout == ""
    assert "cannot write" in done.stderr


def test_a_match_is_recorded_though_nobody_reads_its_output_any_more(tmp_path: Path) -> None:
    path = tmp_path / "match.json"
    reader, writer = os.pipe()
    os.close(reader)
    command = [*LUDENS, "match", "nim", "first", "first", *CLOCKS, "--quiet", "--record", str(path)]
    try:
        done = subprocess.run(command, cwd=ROOT, stdout=writer, stderr=subprocess.PIPE, timeout=PATIENCE, check=False)
    finally:
        os.close(writer)
    assert done.returncode == ExitCode.FAULTY_INPUT
    assert records.read(path).completed


def test_a_player_of_ours_that_cannot_start_is_told_at_once_and_fails_the_match(tmp_path: Path) -> None:
    """The engine cannot run: its interpreter dies of a module that stands in the place of one it needs."""
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "sitecustomize.py").write_text(
        "import sys\nif any('engine.engine' in word for word in sys.orig_argv): sys.exit('no engine today')\n"
    )
    path = tmp_path / "match.json"
    done = match(
        *("tic_tac_toe", "uct", "random", "--startclock", "600", "--playclock", "600", "--quiet"),
        *("--record", str(path)),
        PYTHONPATH=os.pathsep.join([str(tmp_path / "broken"), os.environ.get("PYTHONPATH", "")]),
    )
    assert done.returncode == ExitCode.PLAYER_FAILED
    assert re.search(r"no engine can be started: .*no engine today", done.stdout)
    assert "refuses to play" in done.stderr
    record: MatchRecord = records.read(path)
    assert record.ending == Ending.REFUSED
    assert any("no engine today" in warning for warning in record.warnings)


@pytest.mark.parametrize("encoding", ["latin-1", "ascii"])
def test_a_match_is_shown_on_a_terminal_that_lacks_arrows(encoding: str) -> None:
    done = match("tic_tac_toe", "uct:iterations=100", "random", "--seed", "1", PYTHONIOENCODING=encoding)
    assert done.returncode == 0, done.stderr
    assert " -> " in done.stdout


def test_a_match_that_did_not_begin_is_not_written_in_a_notation(tmp_path: Path) -> None:
    path = tmp_path / "game.pdn"
    done = match("english_draughts", "http://127.0.0.1:9", "random", "--quiet", "--record", str(path))
    assert done.returncode == ExitCode.PLAYER_FAILED
    assert done.stdout == "No match record: a match that did not begin cannot be written in pdn.\n"
    assert not path.exists()


# ---- Clocks ----


@pytest.mark.parametrize(("clock", "doubted"), [("0.5", True), ("2", False)])
def test_who_may_not_understand_fractions_is_told_before_the_match(clock: str, doubted: bool) -> None:
    done = match("nim", "127.0.0.1:9", "random", "--playclock", clock)
    assert done.returncode == ExitCode.PLAYER_FAILED
    assert ("a clock of 0.5 s: 127.0.0.1:9 may not understand it" in done.stdout) == doubted


@pytest.mark.parametrize(
    ("player", "doubted"), [("uct:iterations=5", True), ("auto:level=2", True), ("uct", False), ("random", False)]
)
def test_who_may_give_up_a_match_while_another_takes_its_time_is_told_before_it(player: str, doubted: bool) -> None:
    done = match("nim", player, "127.0.0.1:9")
    assert done.returncode == ExitCode.PLAYER_FAILED
    told = f"{player} takes the time that it needs: 127.0.0.1:9 may give up the match meanwhile"
    assert (told in done.stdout) == doubted


def test_a_quiet_match_tells_no_doubts() -> None:
    options = ("--playclock", "0.5", "--seed", "1", "--quiet")
    done = match("connect_four_three", "uct:iterations=5", "127.0.0.1:9", "uct", *options)
    assert done.returncode == ExitCode.PLAYER_FAILED
    assert done.stdout == ""


def test_a_clock_is_written_as_a_whole_number_where_it_is_one(tmp_path: Path) -> None:
    fields = recorded(tmp_path / "match.json", "nim", "first", "first", "--startclock", "600.0", "--playclock", "600.5")
    assert (fields["startClock"], fields["playClock"]) == (600, 600.5)
    assert '"startClock": 600,' in (tmp_path / "match.json").read_text()


@pytest.mark.parametrize(("player", "doubted"), [("uct", True), ("uct:iterations=5", False), ("random", False)])
def test_a_seed_that_does_not_make_a_match_repeatable_is_told(player: str, doubted: bool) -> None:
    done = match("tic_tac_toe", player, "random", "--seed", "1", "--max-turns", "1", "--playclock", "0.1")
    assert ("--seed: uct searches as long as the clock allows; with iterations=N" in done.stdout) == doubted


@pytest.mark.parametrize(
    ("ending", "expected"),
    [
        (Ending.TERMINAL, ExitCode.OK),
        (Ending.RULES, ExitCode.FAULTY_INPUT),
        (Ending.REFUSED, ExitCode.PLAYER_FAILED),
        (Ending.TURN_LIMIT, ExitCode.TURN_LIMIT),
    ],
)
def test_how_a_match_ended_is_told_by_the_exit_code_whoever_played(ending: Ending, expected: ExitCode) -> None:
    record = MatchRecord("m", "", 0, 1, 1, ["human", "random"], scrambled=False)
    record.ending = ending
    assert exit_code(record) == expected


# In a process of its own, whose main thread is that of the reactor.
_NOTES_THREADS = """
import sys
import threading
from ludens.agent.commands import match
from ludens.agent.commands.cli import main

def noted(name, function):
    def call(*arguments):
        print(name, "on the reactor's thread" if threading.current_thread() is threading.main_thread() else "elsewhere")
        return function(*arguments)
    return call

match._archive = noted("archived", lambda rules, record: None)
match.record_page = noted("page made", match.record_page)
match.records.write_text = noted("written", match.records.write_text)
main(sys.argv[1:])
"""


@pytest.mark.parametrize(("players", "said"), [(("human", "first"), "1\nquit\n"), (("first", "first"), "")])
def test_the_reactor_waits_neither_for_a_disk_nor_for_the_page_of_a_record(
    players: tuple[str, ...], said: str, tmp_path: Path
) -> None:
    command = [sys.executable, "-c", _NOTES_THREADS, "match", "tic_tac_toe", *players, "--quiet"]
    done = subprocess.run(
        [*command, "--record", str(tmp_path / "match.html")],
        cwd=ROOT,
        input=said,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=True,
    )
    for what in ("archived", "page made", "written"):
        assert f"{what} elsewhere" in done.stdout
    assert "on the reactor's thread" not in done.stdout
