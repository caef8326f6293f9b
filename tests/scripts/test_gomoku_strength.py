"""Matches and problems of gomoku: openings, sides of every kind, and problems that are written and read."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

pytest.importorskip("numba")

from ludens.games.gomoku.competition import random_opening
from ludens.games.gomoku.rules import GomokuRules, native_game
from ludens.games.gomoku.state import GomokuState
from ludens.native.core import ThreatSearch
from ludens.propnet.base.errors import LudensError
from scripts.common.gomocup_brain import Brain
from scripts.strength import gomoku_problems as problems
from scripts.strength.gomoku_match import GomokuTask, balanced_opening, play
from tests.support.command import LUDENS

BRAIN = shlex.join([*LUDENS, "gomocup", "uct:iterations=64"])


def task(first: str, second: str, seat: int) -> GomokuTask:
    return GomokuTask("gomoku", (first, second), 0.001, opening=1, opening_moves=4, seat=seat)


@pytest.mark.parametrize("first", ["uct", "policy:minimax:depth=1", f"brain:{BRAIN}"])
def test_every_kind_of_player_plays_from_both_seats(first: str) -> None:
    for seat in (0, 1):
        outcome = play(task(first, "policy:random", seat))
        assert outcome.score in (0.0, 0.5, 1.0)
        assert outcome.moves > 8


def test_a_better_player_has_the_score_of_its_wins() -> None:
    assert [play(task("policy:minimax:depth=1", "policy:random", seat)).score for seat in (0, 1)] == [1.0, 1.0]
    assert [play(task("policy:random", "policy:minimax:depth=1", seat)).score for seat in (0, 1)] == [0.0, 0.0]


def test_openings_are_the_same_for_a_seed_and_nobody_wins_them_at_once() -> None:
    threats = ThreatSearch(native_game(GomokuRules(15, 15, 5)))
    for seed in range(5):
        opening = balanced_opening(5, seed)
        assert opening == balanced_opening(5, seed)
        assert len(set(opening)) == 5
        cells = [row * 15 + column for row, column in opening]
        assert threats.run(problems.state_of(cells), most_positions=10_000).verdict == "none"


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("/no/such/brain", "No such file"),
        ("true", "has ended"),
        ("bash -c 'read line; echo hello'", "answers START 15 with 'hello'"),
    ],
)
def test_programs_that_do_not_play_are_told(command: str, message: str) -> None:
    with pytest.raises(LudensError, match=message):
        play(task(f"brain:{command}", "policy:random", 0))


def test_a_brain_answers_the_position_that_it_is_told() -> None:
    brain = Brain(BRAIN, 15, 1.0)
    try:
        assert brain.choose([]) == 7 * 15 + 7
        assert brain.choose([0, 30, 1, 31, 2, 32, 3, 100]) == 4
        assert brain.choose([100, 0, 160, 1, 150, 2, 130, 3]) not in (100, 160, 150, 130)
        assert brain.choose([100, 0, 160, 1, 150, 2, 130, 3, 200]) == 4
    finally:
        brain.close()


def test_problems_come_back_as_they_were_written(tmp_path: Path) -> None:
    opening = [row * 15 + column for row, column in random_opening(GomokuState.blank(), 7, seed=3)]
    made = [problems.Problem("VCF", tuple(opening), 17), problems.Problem("VCT", tuple(opening[:4]), 900)]
    problems.write(tmp_path / "problems.csv", made)
    assert problems.read(tmp_path / "problems.csv") == made
