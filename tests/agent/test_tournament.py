"""Tournaments of players over real HTTP: what is played, what is kept, and what goes wrong."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import re
import resource
import signal
import subprocess
import sys
import threading
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
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
from ludens.agent.manager.players import RemotePlayer
from ludens.agent.records.archive import Archive, Query
from ludens.agent.tournament import match_host
from ludens.agent.tournament import tournament as tournaments
from ludens.agent.tournament.plan import Contestant, Fixture, Plan, Settings, TournamentGame, new_plan
from ludens.agent.tournament.plan_file import contestants
from ludens.agent.tournament.result import Result
from ludens.agent.tournament.results_file import ResultsError, ResultsFile
from ludens.agent.tournament.standings import Standings, standings
from ludens.agent.tournament.tournament import Tournament, left
from ludens.propnet.base.errors import LudensError
from ludens.propnet.gdl.parser import parse_rules
from tests.support.fake_player import Answer, FakePlayer, on_play, run
from tests.support.paths import ROOT
from tests.support.talk import TALK
from tests.support.waiting import PATIENCE, until

THREE = TALK.replace("(role black)", "(role black) (role red)")
ALONE = TALK.replace("(role black)", "")
YES, NO = on_play("(say yes)"), on_play("(say (no 1))")

MakePlayer = Callable[[str, Answer], Contestant]


def game(text: str = TALK, name: str = "talk") -> TournamentGame:
    return TournamentGame(name, text, parse_rules(text))


class News:
    """An observer that remembers what it was told, and may stop the tournament."""

    def __init__(self, stop_after: int = 1 << 30) -> None:
        self.results: list[Result] = []
        self.warnings: list[str] = []
        self.stop: Callable[[], object] = lambda: None
        self._stop_after = stop_after

    def on_begin(self, fixture: Fixture) -> None: ...

    def on_turn(self, fixture: Fixture, turn: int) -> None: ...

    def on_result(self, result: Result) -> None:
        self.results.append(result)
        if len(self.results) >= self._stop_after:
            self.stop()

    def on_warning(self, text: str) -> None:
        self.warnings.append(text)


def play(plan: Plan, path: Path, news: News | None = None, archive: Archive | None = None) -> News:
    """Plays what is left of a plan; results go to a file."""
    told = news or News()

    async def played(reactor: Any) -> None:
        with ResultsFile(path, plan.conditions()) as file:
            tournament = Tournament(reactor, plan, file, told, archive)
            told.stop = lambda: setattr(tournament, "_stopped", True)
            await tournament.play()

    run(played, SelectReactor)
    return told


@pytest.fixture
def contestant() -> Iterator[MakePlayer]:
    """Makes players elsewhere that are gone when the test is over."""
    with ExitStack() as stack:

        def make(name: str, answer: Answer) -> Contestant:
            address = stack.enter_context(FakePlayer(answer)).address
            return Contestant(name, f"http://{address.place}", RemotePlayer(name, address))

        yield make


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Players elsewhere are asked again at once."""
    monkeypatch.setattr(match_host, "_PAUSE_SECONDS", 0.001)


def keys(results: Sequence[Result]) -> Counter[str]:
    return Counter(result.fixture.key for result in results)


# ---- What is played ----


def test_every_pairing_is_played_from_every_seat_in_every_round(contestant: MakePlayer, tmp_path: Path) -> None:
    players = [contestant("yes", YES), contestant("no", NO), contestant("also", YES)]
    plan = new_plan(Settings(rounds=2, opening_moves=0, jobs=2), players, [game()])
    news = play(plan, tmp_path / "results.jsonl")
    assert len(news.results) == 3 * 2 * 2
    assert keys(news.results) == Counter(fixture.key for fixture in plan.fixtures())
    goals = {(result.players, result.goals) for result in news.results}
    assert (("yes", "no"), (100, 0)) in goals
    assert (("no", "yes"), (0, 100)) in goals
    assert (("yes", "also"), (100, 100)) in goals
    assert all(result.ending == "terminal state" and not any(result.faults) for result in news.results)


def test_all_matches_of_a_round_begin_in_the_same_state_and_rounds_in_others(
    contestant: MakePlayer, tmp_path: Path
) -> None:
    begun: list[set[str]] = []

    def hear(message: str) -> str:
        if message.split()[1] == "START":
            begun.append(set(re.findall(r"\(init ((?:[^()]|\([^()]*(?:\([^()]*\))?[^()]*\))*)\)", message)))
        return YES(message)  # type: ignore[return-value]

    plan = new_plan(Settings(rounds=6, opening_moves=1), [contestant("a", hear), contestant("b", YES)], [game()])
    archive = Archive(tmp_path / "archive.sqlite")
    news = play(plan, tmp_path / "results.jsonl", archive=archive)
    by_round = [begun[place : place + 2] for place in range(0, 12, 2)]
    assert all(first == second for first, second in by_round)
    assert len({frozenset(first) for first, _ in by_round}) > 1
    assert all("(step 1)" in facts for facts in begun)
    assert all((result.turns, result.opening) == (2, 1) for result in news.results)
    record = archive.read(1).record
    assert record["states"][0] == "( (step 0) )"
    assert record["rules"] == TALK  # which begins there, and not behind the opening
    assert record["gameName"] == "talk"
    assert len(record["states"]) == len(record["moves"]) + 1 == len(record["errors"]) == len(record["stateTimes"]) == 3
    assert [entry.tournament for entry in archive.search(Query(source="tournament"))] == ["tournament"] * 12


def test_games_for_one_and_for_three_are_played_and_rated(contestant: MakePlayer, tmp_path: Path) -> None:
    players = [contestant("yes", YES), contestant("no", NO), contestant("also", NO)]
    plan = new_plan(Settings(rounds=2, opening_moves=0), players, [game(ALONE, "alone"), game(THREE, "three")])
    play(plan, tmp_path / "results.jsonl")
    with ResultsFile(tmp_path / "results.jsonl", plan.conditions()) as file:
        found = standings(plan, file.results)
    assert next(rating.player for rating in found.ratings) == "yes"
    assert {name: next(r.player for r in ratings) for name, ratings in found.game_ratings.items()} == {
        "alone": "yes",
        "three": "yes",
    }
    assert found.over
    assert len(found.results) == 2 * (3 + 3)


def test_a_player_elsewhere_never_plays_two_matches_at_once(contestant: MakePlayer, tmp_path: Path) -> None:
    playing, most, lock = set[str](), 0, threading.Lock()

    def once(message: str) -> str:
        nonlocal most
        verb, name = message.split()[1], message.split()[2]
        with lock:
            if verb == "START":
                playing.add(name)
            elif verb == "STOP":
                playing.discard(name)
            most = max(most, len(playing))
        return YES(message)  # type: ignore[return-value]

    players = [contestant("once", once), *(contestant(name, NO) for name in "abc")]
    plan = new_plan(Settings(rounds=2, opening_moves=0, jobs=3), players, [game()])
    news = play(plan, tmp_path / "results.jsonl")
    assert len(news.results) == len(plan.fixtures())
    assert most == 1


def test_the_sequential_test_ends_matches_of_a_pair_that_is_decided(contestant: MakePlayer, tmp_path: Path) -> None:
    players = [contestant("yes", YES), contestant("no", NO)]
    plan = new_plan(Settings(rounds=50, opening_moves=0, sprt=(0.5, 0.75)), players, [game()])
    news = play(plan, tmp_path / "results.jsonl")
    assert 16 <= len(news.results) < 100
    with ResultsFile(tmp_path / "results.jsonl", plan.conditions()) as file:
        assert standings(plan, file.results).verdicts == {("yes", "no"): "high"}


def test_matches_that_are_on_when_the_sequential_test_decides_take_nothing_back(contestant: MakePlayer) -> None:
    """Though they end before others that were begun earlier."""
    players = [contestant("yes", YES), contestant("no", NO)]
    plan = new_plan(Settings(rounds=10, opening_moves=0, sprt=(0.4, 0.6)), players, [game()])
    results = {}
    for number, fixture in enumerate(plan.fixtures()[-2::-1]):
        goals = {"yes": 100, "no": 0} if number < 12 else {"yes": 0, "no": 100}
        played = tuple(goals[name] for name in fixture.players)
        results[fixture.key] = replace(result(fixture.round), players=fixture.players, goals=played)
    found = standings(plan, results)
    assert found.verdicts == {("yes", "no"): "high"}
    assert found.over


def test_the_sequential_test_never_keeps_the_reactor_waiting(
    contestant: MakePlayer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: list[int] = []
    verdicts = tournaments.sprt_verdicts

    def noted(plan: Plan, results: dict[str, Result]) -> dict[tuple[str, str], str | None]:
        threads.append(threading.get_ident())
        return verdicts(plan, results)

    monkeypatch.setattr(tournaments, "sprt_verdicts", noted)
    players = [contestant("yes", YES), contestant("no", NO)]
    play(new_plan(Settings(rounds=2, sprt=(0.5, 0.75)), players, [game()]), tmp_path / "results.jsonl")
    begun, *others = threads
    assert begun == threading.get_ident()
    assert len(others) == 4
    assert begun not in others


# ---- What goes wrong ----


def test_a_player_that_hangs_up_is_news_of_its_match_and_the_tournament_goes_on(
    contestant: MakePlayer, tmp_path: Path
) -> None:
    players = [contestant("gone", lambda m: None if m.split()[1] == "PLAY" else "ready"), contestant("yes", YES)]
    plan = new_plan(Settings(rounds=1, opening_moves=0), players, [game()])
    news = play(plan, tmp_path / "results.jsonl")
    assert [result.faults for result in news.results] == [(("CE", "CE"), ()), ((), ("CE", "CE"))]
    assert all(result.played for result in news.results)


def test_matches_of_an_absent_player_are_not_counted_and_are_tried_again(
    contestant: MakePlayer, tmp_path: Path
) -> None:
    here = [contestant("yes", YES), contestant("no", NO)]
    with FakePlayer(YES) as absent:
        address = absent.address
    away = Contestant("away", f"http://{address.place}", RemotePlayer("away", address))
    path, settings = tmp_path / "results.jsonl", Settings(rounds=1, opening_moves=0)
    plan = new_plan(settings, [*here, away], [game()])
    news = play(plan, path)
    assert sorted(result.played for result in news.results) == [False] * 4 + [True] * 2
    assert all("nobody listens" in result.warnings[0] for result in news.results if not result.played)
    with ResultsFile(path, plan.conditions()) as file:
        found = standings(plan, file.results)
        assert (len(found.results), len(found.unplayed), found.left) == (2, 4, 4)
        assert {rating.player for rating in found.ratings} == {"yes", "no"}
    assert len(play(plan, path).results) == 4


def test_a_game_that_is_over_after_every_opening_is_news_and_others_go_on(
    contestant: MakePlayer, tmp_path: Path
) -> None:
    players = [contestant("yes", YES), contestant("no", NO)]
    longer = TALK.replace("(succ 1 2)", "(succ 1 2) (succ 2 3)").replace("(true (step 2))", "(true (step 3))")
    plan = new_plan(Settings(rounds=1, opening_moves=2), players, [game(), game(longer, "longer")])
    news = play(plan, tmp_path / "results.jsonl")
    assert {(result.game, result.played) for result in news.results} == {("talk", False), ("longer", True)}
    assert "always over" in news.results[0].warnings[0]


def test_a_match_without_end_is_a_draw(contestant: MakePlayer, tmp_path: Path) -> None:
    players = [contestant("yes", YES), contestant("no", NO)]
    endless = TALK.replace("(true (step 2))", "(true (step 9))")
    plan = new_plan(Settings(rounds=1, opening_moves=0, max_turns=2), players, [game(endless)])
    news = play(plan, tmp_path / "results.jsonl")
    assert {(result.goals, result.ending, result.turns) for result in news.results} == {((50, 50), "turn limit", 2)}


# ---- Resuming ----


def test_a_tournament_that_is_stopped_goes_on_without_losing_or_repeating_a_match(
    contestant: MakePlayer, tmp_path: Path
) -> None:
    players = [contestant("yes", YES), contestant("no", NO)]
    plan = new_plan(Settings(rounds=5, opening_moves=1, jobs=2), players, [game()])
    path = tmp_path / "results.jsonl"
    first = play(plan, path, News(stop_after=3))
    assert 3 <= len(first.results) < 10
    second = play(plan, path)
    assert keys([*first.results, *second.results]) == Counter(fixture.key for fixture in plan.fixtures())
    assert not play(plan, path).results


def test_more_rounds_and_players_may_be_added_later(contestant: MakePlayer, tmp_path: Path) -> None:
    players = [contestant("yes", YES), contestant("no", NO)]
    path = tmp_path / "results.jsonl"
    play(new_plan(Settings(rounds=1, opening_moves=0), players, [game()]), path)
    more = new_plan(Settings(rounds=2, opening_moves=0), [*players, contestant("also", YES)], [game()])
    assert len(play(more, path).results) == 3 * 2 * 2 - 2


def test_the_sequential_test_takes_no_notice_of_players_that_were_taken_out(
    contestant: MakePlayer, tmp_path: Path
) -> None:
    players = [contestant("yes", YES), contestant("no", NO), contestant("gone", YES)]
    settings, path = Settings(rounds=1, opening_moves=0, sprt=(0.5, 0.75)), tmp_path / "results.jsonl"
    play(new_plan(settings, players, [game()]), path)
    fewer = new_plan(Settings(rounds=2, opening_moves=0, sprt=(0.5, 0.75)), players[:2], [game()])
    assert len(play(fewer, path).results) == 2


def result(number: int = 1) -> Result:
    return Result("talk", number, ("yes", "no"), (100, 0), "terminal state", 2, 0, ((), ()), (), 1, 0.5, "m")


def test_a_line_that_was_cut_short_is_removed_and_its_match_is_played_again(tmp_path: Path) -> None:
    path, conditions = tmp_path / "results.jsonl", {"playclock": 1}
    with ResultsFile(path, conditions) as file:
        file.add(result(1))
        file.add(result(2))
    whole = path.read_bytes()
    for cut in range(1, len(json.dumps(result(2).to_json())) + 1, 7):
        path.write_bytes(whole[:-cut])
        with ResultsFile(path, conditions) as file:
            assert list(file.results.values()) == [result(1)]
            file.add(result(2))
        assert path.read_bytes() == whole


def test_a_line_in_the_middle_that_is_no_result_is_named(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    path.write_text('{"conditions": {}}\nrubbish\n')
    with pytest.raises(ResultsError, match="line 2"):
        ResultsFile(path, {})


def test_results_of_other_conditions_are_not_continued(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    before = {"playclock": 1, "players": {"a": "uct"}, "games": {"talk": "12"}}
    ResultsFile(path, before).__exit__(None, None, None)
    for change, said in (
        ({"playclock": 2}, "playclock was 1, now 2"),
        ({"players": {"a": "uct:threads=2"}}, "player a was 'uct', now 'uct:threads=2'"),
        ({"games": {"talk": "13"}}, "game talk was other rules"),
    ):
        with pytest.raises(ResultsError, match=re.escape(said)):
            ResultsFile(path, before | change)
    ResultsFile(path, before | {"players": {"b": "rave"}}).__exit__(None, None, None)
    with pytest.raises(ResultsError, match="player b was 'rave'"):
        ResultsFile(path, before | {"players": {"b": "uct"}})


def test_two_processes_cannot_write_the_same_results(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    with ResultsFile(path, {}), pytest.raises(ResultsError, match="another tournament is writing"):
        ResultsFile(path, {})
    ResultsFile(path, {}).__exit__(None, None, None)


def test_a_file_system_without_locks_is_told_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(fcntl, "flock", refused)
    with pytest.raises(ResultsError, match=f"cannot lock .*{os.strerror(errno.ENOLCK)}"):
        ResultsFile(tmp_path / "results.jsonl", {})


def test_a_match_that_is_tried_again_has_ended_when_it_was_played(tmp_path: Path) -> None:
    path, conditions = tmp_path / "results.jsonl", {"playclock": 1}
    ended = [result(2), result(1)]
    with ResultsFile(path, conditions) as file:
        file.add(replace(result(1), goals=()))
        for each in ended:
            file.add(each)
        assert list(file.results.values()) == ended
    with ResultsFile(path, conditions) as file:
        assert list(file.results.values()) == ended


def test_a_full_disk_ends_the_tournament_and_what_was_written_counts(
    contestant: MakePlayer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    players = [contestant("yes", YES), contestant("no", NO)]
    plan = new_plan(Settings(rounds=3, opening_moves=0), players, [game()])
    path, news = tmp_path / "results.jsonl", News()
    synced = 0

    def full(_file: int) -> None:
        nonlocal synced
        synced += 1
        if synced > 3:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch, pytest.raises(ResultsError, match="No space left"):
        patch.setattr(os, "fsync", full)
        play(plan, path, news)
    assert len(news.results) == 2
    play(plan, path, news)
    with ResultsFile(path, plan.conditions()) as file:
        assert not left(plan, file.results)
        assert len(path.read_text().splitlines()) == 1 + 6


@contextmanager
def no_file_longer_than(size: int) -> Iterator[None]:
    """As on a full disk, of a line beyond this size only the beginning is written."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_result_for_which_there_is_no_room_leaves_nothing_and_may_be_added_later(tmp_path: Path) -> None:
    path, conditions = tmp_path / "results.jsonl", {"playclock": 1}
    with ResultsFile(path, conditions) as file:
        file.add(result(1))
        whole = path.read_bytes()
        with no_file_longer_than(len(whole) + 20), pytest.raises(ResultsError, match="No space left"):
            file.add(result(2))
        assert path.read_bytes() == whole
        file.add(result(3))
    with ResultsFile(path, conditions) as file:
        assert list(file.results.values()) == [result(1), result(3)]


def test_the_first_result_that_cannot_be_written_ends_the_matches_of_all_jobs(
    contestant: MakePlayer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first job plays ab, and meanwhile the second one cd."""
    plan = new_plan(Settings(rounds=5, opening_moves=0, jobs=2), [contestant(name, YES) for name in "abcd"], [game()])
    news, add = News(), ResultsFile.add

    def full(file: ResultsFile, result: Result) -> None:
        if (result.round, result.players) == (1, ("c", "d")):
            raise ResultsError("No space left")
        add(file, result)

    with monkeypatch.context() as patch, pytest.raises(ResultsError, match="No space left"):
        patch.setattr(ResultsFile, "add", full)
        play(plan, tmp_path / "results.jsonl", news)
    assert len(news.results) < len(plan.fixtures()) / 2


# ---- The command ----


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
