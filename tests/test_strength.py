"""The strength script: fair openings, honest intervals, and nothing that makes no sense."""

from __future__ import annotations

import argparse
from collections.abc import Callable

import pytest

from native.core import Game, Simulator
from propnet.errors import LudensError
from scripts import arguments
from scripts.strength import Task, decided, interval, is_over, network, opening, play

PLAYERS = ("random", "random")


def task(game: str, opening_moves: int = 2, seat: int = 0, seed: int = 1) -> Task:
    return Task(game, PLAYERS, 0.01, seed, opening_moves, seat)


def simulator(game: str) -> Simulator:
    return Simulator(Game.from_propnet(network(game)), 64)


def test_both_games_of_an_opening_start_from_the_same_position() -> None:
    board = simulator("breakthrough_small")
    first, second = (opening(board, task("breakthrough_small", seat=seat)) for seat in (0, 1))
    assert first.tolist() == second.tolist()
    assert first.tolist() != opening(board, task("breakthrough_small", seed=2)).tolist()
    assert not is_over(board, first)


def test_openings_that_always_end_the_game_are_refused() -> None:
    with pytest.raises(LudensError, match="always over"):
        opening(simulator("tic_tac_toe"), task("tic_tac_toe", opening_moves=9))


def test_a_game_is_scored_from_the_first_players_seat() -> None:
    outcomes = [play(task("breakthrough_small", seat=seat)) for seat in (0, 1)]
    assert {outcome.score for outcome in outcomes} <= {0.0, 1.0}
    assert all(outcome.playouts == (0, 0) and outcome.moves > 5 for outcome in outcomes)


def test_the_interval_is_over_openings() -> None:
    assert interval([1.0, 0.0] * 10, group=2) == (0.5, 0.0)
    mean, half = interval([1.0, 1.0, 0.0, 0.0] * 10, group=2)
    assert mean == 0.5
    assert half == pytest.approx(1.96 * 0.513 / 20**0.5, rel=0.01)


def test_the_sequential_test_decides_for_what_is_likelier() -> None:
    bounds = [0.5, 0.6]
    assert decided([1.0] * 70 + [0.0] * 10, bounds) == "high"
    assert decided([1.0] * 10 + [0.0] * 70, bounds) == "low"
    assert decided([1.0] * 11 + [0.0] * 9, bounds) is None
    assert decided([1.0] * 70 + [0.0] * 10, None) is None


@pytest.mark.parametrize(
    ("read", "text"),
    [
        *((arguments.seconds, text) for text in ("0", "-1", "nan", "inf", "soon")),
        *((arguments.count, text) for text in ("0", "-1", "1.5", "many")),
    ],
)
def test_numbers_that_make_no_sense_are_refused(read: Callable[[str], float], text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="above 0"):
        read(text)
