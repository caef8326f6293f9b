"""How games go by what their players expect, on courses made by hand."""

from __future__ import annotations

import pytest

from ludens.agent.analysis.course import course_of, summary

STEADY = [(50, 50), (60, 40), (80, 20), (95, 5)]
"""The first role wins, and never looks back."""

TURNS = [(30, 70), (70, 30), (48, 52), (20, 80), (100, 0)]
"""The lead goes from the second role to the first, back, and to the first again; even for a step between."""


def test_a_lead_that_stays_changes_nothing() -> None:
    it = course_of(STEADY, (100, 0))
    assert (it.lead_changes, it.behind) == (0, 0)
    assert it.settled == 2 / 4  # from the third of four steps on 80 is near 100


def test_lead_changes_are_those_from_role_to_role_and_a_winner_was_behind_as_far_as_at_worst() -> None:
    it = course_of(TURNS, (100, 0))
    assert it.lead_changes == 3
    assert it.behind == 60
    assert it.settled == 4 / 5


def test_a_draw_has_no_winner_and_is_settled_when_all_expect_it() -> None:
    it = course_of([(90, 10), (55, 45), (50, 50)], (50, 50))
    assert (it.behind, it.settled) == (0, 1 / 3)


def test_a_game_whose_end_nobody_expected_is_settled_at_the_end() -> None:
    assert course_of([(50, 50), (20, 80)], (100, 0)).settled == 1.0


def test_a_game_without_a_thought_is_settled_from_the_beginning() -> None:
    assert course_of([], (100, 0)).settled == 0.0


def test_several_roles_lead_one_at_a_time() -> None:
    it = course_of([(60, 20, 20), (20, 60, 20), (40, 40, 20), (0, 0, 100)], (0, 0, 100))
    assert it.lead_changes == 2
    assert it.behind == 40


def test_the_summary_counts_games_won_from_behind() -> None:
    it = summary([course_of(STEADY, (100, 0)), course_of(TURNS, (100, 0))])
    assert it is not None
    assert (it.games, it.lead_changes, it.drama) == (2, 1.5, 30)
    assert (it.comebacks.count, it.comebacks.games) == (1, 2)
    assert it.settled == (0.5, 0.8)
    assert it.mean_settled == pytest.approx(0.65)
    assert summary([]) is None
