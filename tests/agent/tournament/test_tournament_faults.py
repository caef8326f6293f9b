"""What goes wrong in a tournament: players that are gone, games that do not begin or end."""

from __future__ import annotations

from pathlib import Path

from ludens.agent.settings.players import RemotePlayer
from ludens.agent.tournament.plan import Contestant, Settings, new_plan
from ludens.agent.tournament.results_file import ResultsFile
from ludens.agent.tournament.standings import standings
from tests.support.fake_player import FakePlayer
from tests.support.talk import TALK
from tests.support.tournaments import NO, YES, MakePlayer, game, play


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
