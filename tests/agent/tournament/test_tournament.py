"""Tournaments of players over real HTTP: what is played, and how one goes on after it was stopped."""

from __future__ import annotations

import re
import threading
from collections import Counter
from pathlib import Path

import pytest
from twisted.internet.defer import Deferred
from twisted.internet.task import Clock

from ludens import games
from ludens.agent.records.archive import Archive, Query
from ludens.agent.tournament.match_host import HostedMatch
from ludens.agent.tournament.plan import Settings, TournamentGame, new_plan
from ludens.agent.tournament.plan_file import contestants
from ludens.agent.tournament.results_file import ResultsFile
from ludens.agent.tournament.standings import standings
from ludens.agent.tournament.tournament import Tournament
from ludens.propnet.gdl.parser import parse_rules
from tests.support.talk import TALK
from tests.support.tournaments import NO, YES, MakePlayer, News, game, keys, play, result
from tests.support.waiting import PATIENCE

THREE = TALK.replace("(role black)", "(role black) (role red)")
ALONE = TALK.replace("(role black)", "")


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


def test_records_tell_why_players_of_ours_play_as_they_do(tmp_path: Path) -> None:
    sheet = games.read("tic_tac_toe")
    settings = Settings(rounds=1, opening_moves=2, startclock=PATIENCE, playclock=PATIENCE)
    players = contestants(["auto:iterations=50", "random"])
    plan = new_plan(settings, players, [TournamentGame("tic_tac_toe", sheet, parse_rules(sheet))])
    archive = Archive(tmp_path / "archive.sqlite")
    play(plan, tmp_path / "results.jsonl", archive=archive)
    for number in (1, 2):
        remarks = archive.read(number).record["remarks"]
        assert [remark.startswith(f"{players[0].name}: plays by ") for remark in remarks].count(True) == 1


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


def test_all_matches_are_ended_at_once_and_none_of_them_counts(
    contestant: MakePlayer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hosts = [StuckHost(), StuckHost()]
    free = iter(hosts)
    monkeypatch.setattr("ludens.agent.tournament.tournament.MatchHost", lambda *_: next(free))
    players = [contestant(name, YES) for name in "abcd"]
    plan = new_plan(Settings(opening_moves=0, jobs=2), players, [game()])
    news = News()
    with ResultsFile(tmp_path / "results.jsonl", plan.conditions()) as file:
        tournament = Tournament(Clock(), plan, file, news, archive=None)
        over = Deferred.fromCoroutine(tournament.play())
        Deferred.fromCoroutine(tournament.stop())
        assert [host.aborted for host in hosts] == [True, True]
        for host in hosts:  # as the random moves for players that are gone have ended it
            host.match.callback(HostedMatch(result(), None))
        assert over.called
        assert not file.results
        assert not news.results


class StuckHost:
    """A host of a match in which nobody hears that it is to end."""

    def __init__(self) -> None:
        self.match: Deferred[HostedMatch] = Deferred()
        self.aborted = False

    async def play(self) -> HostedMatch:
        return await self.match

    async def abort(self) -> None:
        self.aborted = True
        await Deferred()


def test_more_rounds_and_players_may_be_added_later(contestant: MakePlayer, tmp_path: Path) -> None:
    players = [contestant("yes", YES), contestant("no", NO)]
    path = tmp_path / "results.jsonl"
    play(new_plan(Settings(rounds=1, opening_moves=0), players, [game()]), path)
    more = new_plan(Settings(rounds=2, opening_moves=0), [*players, contestant("also", YES)], [game()])
    assert len(play(more, path).results) == 3 * 2 * 2 - 2
