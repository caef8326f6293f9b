"""The sequential test in tournaments: it ends matches of pairs that are decided."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import pytest

from ludens.agent.tournament import tournament as tournaments
from ludens.agent.tournament.plan import Plan, Settings, new_plan
from ludens.agent.tournament.result import Result
from ludens.agent.tournament.results_file import ResultsFile
from ludens.agent.tournament.standings import standings
from tests.support.tournaments import NO, YES, MakePlayer, game, play, result


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


def test_the_sequential_test_takes_no_notice_of_players_that_were_taken_out(
    contestant: MakePlayer, tmp_path: Path
) -> None:
    players = [contestant("yes", YES), contestant("no", NO), contestant("gone", YES)]
    settings, path = Settings(rounds=1, opening_moves=0, sprt=(0.5, 0.75)), tmp_path / "results.jsonl"
    play(new_plan(settings, players, [game()]), path)
    fewer = new_plan(Settings(rounds=2, opening_moves=0, sprt=(0.5, 0.75)), players[:2], [game()])
    assert len(play(fewer, path).results) == 2
