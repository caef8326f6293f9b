"""Ratings of players of known strength."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pytest

from ludens.agent.tournament.ratings import rate
from ludens.agent.tournament.result import Comparison, Result, comparisons, score_of


def simulated(true: Sequence[float], rounds: int, seed: int, draws: float = 0.0, bias: float = 0.0) -> list[Comparison]:
    """Matches of all pairs from both seats, by players of known ratings.

    Of equal players `draws` is how often they draw; openings favour a seat by some rating of deviation `bias`.
    """
    rng = np.random.default_rng(seed)
    found = []
    for number in range(rounds):
        favour = rng.normal(0, bias)
        for (i, first), (j, second) in combinations(enumerate(true), 2):
            for side in (1, -1):
                wins = 1 / (1 + 10 ** ((second - first - side * favour) / 400))
                drawn = draws * 4 * wins * (1 - wins)
                threw = rng.random()
                score = 1.0 if threw < wins - drawn / 2 else 0.5 if threw < wins + drawn / 2 else 0.0
                found.append(Comparison(str(i), str(j), score, 1.0, ("game", number)))
    return found


def covered(true: Sequence[float], rounds: int, draws: float = 0.0, series: int = 100) -> float:
    """How often the intervals hold the true ratings."""
    names, mean = [str(i) for i in range(len(true))], float(np.mean(true))
    hits = [
        rating.low <= true[int(rating.player)] - mean <= rating.high
        for seed in range(series)
        for rating in rate(names, simulated(true, rounds, seed, draws))
    ]
    return float(np.mean(hits))


@pytest.mark.parametrize("true", [(0, 0), (0, 100), (0, 400), (0, 50, 150, 300), (0, 0, 0, 800)], ids=str)
@pytest.mark.parametrize("rounds", [10, 40])
def test_intervals_hold_the_true_ratings_as_often_as_they_say(true: tuple[float, ...], rounds: int) -> None:
    assert covered(true, rounds) >= 0.9


def test_intervals_are_no_wider_than_they_need_be() -> None:
    assert covered((0, 50, 150, 300), 20) < 0.985


def test_draws_tell_more_than_wins_and_losses_and_intervals_still_hold() -> None:
    names = ["0", "1"]
    (sharp, *_), (drawish, *_) = (rate(names, simulated((0, 0), 100, 1, draws)) for draws in (0.0, 0.8))
    assert drawish.half < 0.85 * sharp.half
    assert covered((0, 100), 20, draws=0.7) >= 0.9


def test_ratings_come_near_the_truth_and_nearer_with_more_matches() -> None:
    true, names = (0.0, 100.0, 300.0), ["0", "1", "2"]
    for rounds, near in ((50, 100), (2000, 15)):
        found = {rating.player: rating for rating in rate(names, simulated(true, rounds, 3))}
        assert all(abs(found[name].elo - (value - 400 / 3)) < near for name, value in zip(names, true, strict=True))
    assert sum(rating.elo for rating in found.values()) == pytest.approx(0, abs=1e-6)


def test_the_first_matches_are_rated_as_the_model_says() -> None:
    for count in range(1, 30):
        (best, _) = rate(["a", "b"], [Comparison("a", "b", 1.0, 1.0, ("g", n)) for n in range(count)])
        assert best.elo == pytest.approx(200 * math.log10((count + 0.125) / 0.125), abs=0.1)


def test_who_has_lost_every_match_has_a_rating_with_a_wide_interval() -> None:
    found = rate(["a", "b"], [Comparison("a", "b", 1.0, 1.0, ("g", n)) for n in range(10)])
    assert [rating.player for rating in found] == ["a", "b"]
    assert 100 < found[0].elo < 1000
    assert found[0].low < found[0].elo < found[0].high < math.inf


def test_players_who_have_not_met_each_other_or_nobody() -> None:
    apart = [Comparison("a", "b", 1.0, 1.0, ("g", 1)), Comparison("c", "d", 0.5, 1.0, ("g", 1))]
    found = rate(["a", "b", "c", "d", "e"], apart)
    assert {rating.player for rating in found} == {"a", "b", "c", "d"}
    assert all(math.isfinite(rating.elo) and rating.half > 500 for rating in found)
    assert rate(["a", "b"], []) == []


def match(players: tuple[str, ...], goals: tuple[int, ...], number: int = 1) -> Result:
    return Result("g", number, players, goals, "", 5, 0, ((),) * len(players), (), 1, 1.0)


def test_a_match_of_several_seats_tells_who_did_better_than_whom() -> None:
    found = comparisons([match(("a", "b", "c"), (100, 50, 50))])
    assert [(c.first, c.second, c.score) for c in found] == [("a", "b", 1.0), ("a", "c", 1.0), ("b", "c", 0.5)]
    assert sum(c.weight for c in found) == pytest.approx(2)


def test_in_games_for_one_players_are_compared_in_the_same_round() -> None:
    alone = [match(("a",), (100,), 1), match(("b",), (0,), 1), match(("a",), (30,), 2), match(("b",), (30,), 2)]
    assert [(c.first, c.second, c.score) for c in comparisons(alone)] == [("a", "b", 1.0), ("a", "b", 0.5)]


def test_a_player_is_not_compared_with_itself() -> None:
    assert {(c.first, c.second) for c in comparisons([match(("a", "b", "a"), (100, 0, 50))])} == {
        ("a", "b"),
        ("b", "a"),
    }


def test_a_score_is_the_goal_less_those_of_the_others() -> None:
    assert [score_of((100, 0), seat) for seat in (0, 1)] == [1.0, 0.0]
    assert score_of((40, 0, 20), 0) == 0.65
    assert score_of((70,), 0) == 0.7
