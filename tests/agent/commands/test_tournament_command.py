"""The command `ludens tournament`: its displays, reports, files and mistakes."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from twisted.internet.selectreactor import SelectReactor

from ludens.agent.commands import tournament as tournament_command
from ludens.agent.commands.cli import main
from ludens.agent.commands.exit_codes import ExitCode
from ludens.agent.commands.tournament import TournamentOptions
from ludens.agent.commands.tournament_table import Display
from ludens.agent.records.archive import Archive, Query
from ludens.agent.tournament.plan import Settings, new_plan
from ludens.agent.tournament.plan_file import contestants
from ludens.agent.tournament.result import Result
from ludens.agent.tournament.results_file import ResultsFile
from ludens.agent.tournament.standings import Standings, standings
from ludens.propnet.base.errors import LudensError
from tests.support.fake_player import run
from tests.support.paths import ROOT
from tests.support.talk import TALK
from tests.support.tournaments import NO, YES, MakePlayer, game, keys, result
from tests.support.waiting import PATIENCE, until


class Reports(Display):
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.warnings: list[str] = []
        self.looks: list[Standings | None] = []  # None: nothing was new

    def show(self, found: Standings) -> None:
        """See `Display`."""
        self.looks.append(found)

    def refresh(self) -> None:
        """See `Display`."""
        self.looks.append(None)

    def on_warning(self, text: str) -> None:
        """See `Display`."""
        self.warnings.append(text)


def test_a_report_that_cannot_be_written_meanwhile_is_told_of_and_the_tournament_goes_on(
    contestant: MakePlayer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown, fails = Reports(), iter([True])

    def write(*_: object) -> None:
        if next(fails, False):
            raise LudensError("the disk is full")

    monkeypatch.setattr(tournament_command, "new_display", lambda quiet: shown)
    monkeypatch.setattr(tournament_command, "_write", write)
    monkeypatch.setattr(tournament_command, "_SHOW_SECONDS", 0.05)
    monkeypatch.setattr(tournament_command, "_REPORT_SECONDS", 0.0)
    plan = new_plan(Settings(rounds=2, opening_moves=0), [contestant("yes", YES), contestant("no", NO)], [game()])
    options = TournamentOptions(None, (), (), {}, None, None, None, False, True, None)

    async def played(reactor: Any) -> None:
        with ResultsFile(tmp_path / "results.jsonl", plan.conditions()) as file:
            found = await tournament_command._TournamentRun(reactor, options, plan, file, None).play()
        assert len(found.results) == 4

    run(played, SelectReactor)
    assert shown.warnings == ["the disk is full"]


def test_standings_are_made_anew_for_each_result_and_only_then(
    contestant: MakePlayer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file has a match that is not in the plan, and one that could not be played is tried again, in vain."""
    shown = Reports()
    monkeypatch.setattr(tournament_command, "new_display", lambda quiet: shown)
    plan = new_plan(Settings(rounds=2, opening_moves=0), [contestant("yes", YES), contestant("no", NO)], [game()])
    options = TournamentOptions(None, (), (), {}, None, None, None, False, True, None)

    async def looked(reactor: Any) -> None:
        with ResultsFile(tmp_path / "results.jsonl", plan.conditions()) as file:
            file.add(result(3))
            file.add(replace(result(1), goals=()))
            tournament = tournament_command._TournamentRun(reactor, options, plan, file, None)
            for _ in range(2):
                await tournament._show()
            file.add(replace(result(1), goals=()))
            for _ in range(2):
                await tournament._show()

    run(looked, SelectReactor)
    assert [found is not None for found in shown.looks] == [True, False, True, False]


LUNCH = """
name = "lunch"
rounds = 2
games = ["tic_tac_toe"]

[players]
strong = "uct:iterations=40"
weak = "random"
"""


def ludens(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "ludens.agent.commands.cli", "tournament", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE, check=False, **options)


def test_a_tournament_that_is_killed_goes_on_and_ends_with_a_report(tmp_path: Path) -> None:
    plan, results, page = tmp_path / "lunch.toml", tmp_path / "lunch.jsonl", tmp_path / "report.html"
    plan.write_text(LUNCH)
    command = [sys.executable, "-m", "ludens.agent.commands.cli", "tournament", str(plan), "--jobs", "2"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL) as killed:
        until(lambda: killed.poll() is not None or (results.exists() and len(results.read_text().splitlines()) > 1))
        killed.send_signal(signal.SIGKILL)
    assert killed.returncode == -signal.SIGKILL, "it ended before it was killed"
    before = results.read_text().rpartition("\n")[0].splitlines()
    done = ludens(str(plan), "--html", str(page), "--plots", str(tmp_path / "plots"))
    assert done.returncode == 0, done.stdout + done.stderr
    lines = results.read_text().splitlines()
    assert lines[: len(before)] == before
    played = [Result.from_json(json.loads(line)) for line in lines[1:]]
    assert set(keys(played).values()) == {1}
    assert len(played) == 4
    assert re.search(r"^strong +[+-]\d+ +± \d+", done.stdout, re.MULTILINE)
    assert f"{len(before) - 1} of them played already" in done.stdout
    for svg in (tmp_path / "plots").iterdir():
        ElementTree.parse(svg)
    assert {path.name for path in (tmp_path / "plots").iterdir()} == {
        *("ratings.svg", "cross.svg", "scores.svg", "lengths.svg")
    }
    assert "strong" in page.read_text()
    archived = Archive().search(Query(tournament="lunch"))
    assert {entry.match_id for entry in archived} >= {each.match_id for each in played}


PLAYER = """
import ludens


class Yes(ludens.Player):
    def choose(self, state, seconds):
        return "(say yes)"
"""


def test_players_and_sheets_beside_the_file_of_a_tournament_take_part(tmp_path: Path) -> None:
    (tmp_path / "lunch.toml").write_text(
        'games = ["talk.kif"]\nopening_moves = 0\nstartclock = 60\nplayclock = 60\n'
        '[players]\nmine = "my_player.py:Yes"\nfirst = "first"\n'
    )
    (tmp_path / "talk.kif").write_text(TALK)
    (tmp_path / "my_player.py").write_text(PLAYER)
    results = tmp_path / "results.jsonl"
    done = ludens(str(tmp_path / "lunch.toml"), "--rounds", "1", "--out", str(results), "--no-archive")
    assert done.returncode == 0, done.stdout + done.stderr
    played = [Result.from_json(json.loads(line)) for line in results.read_text().splitlines()[1:]]
    assert {(result.players, result.goals) for result in played} == {
        (("mine", "first"), (100, 0)),
        (("first", "mine"), (0, 100)),
    }
    assert not any(any(result.faults) or result.warnings for result in played)


def test_who_may_give_up_a_match_is_told_before_the_tournament(capsys: pytest.CaptureFixture[str]) -> None:
    plan = new_plan(Settings(), contestants(["uct:iterations=5", "127.0.0.1:9"]), [game()])
    tournament_command._introduce(plan, standings(plan, {}), Path("results.jsonl"))
    told = "uct:iterations=5 takes the time that it needs: 127.0.0.1:9 may give up the match meanwhile"
    assert told in capsys.readouterr().out


def test_players_on_the_command_line_are_refused_where_they_make_no_sense(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for arguments, said in (
        ((), "name a file, or --players and --games"),
        (("--players", "uct", "flat"), "name a file, or --players and --games"),
        (("--players", "uct", "--games", "nim"), "two players at least"),
        (("--players", "uct", "uct", "--games", "nim"), "two players are called 'uct'"),
        (("--players", "uct", "mtcs", "--games", "nim"), "did you mean"),
        (("--players", "uct", "flat", "--games", "nimm"), "did you mean nim?"),
        (("--players", "uct", "flat", "--games", "nim", "--sprt", "0.6", "0.5"), "the lower one first"),
        (("--players", "uct", "flat", "--games", "nim", "--rounds", "0"), "rounds"),
    ):
        assert main(["tournament", *arguments, "--out", str(tmp_path / "out.jsonl")]) == ExitCode.WRONG_USAGE
        complaint = capsys.readouterr().err
        assert said in complaint
        assert len(complaint.splitlines()) == 1
    assert not (tmp_path / "out.jsonl").exists()
