"""Pairs of first stones in Tak, up to symmetry."""

from __future__ import annotations

import pytest

from ludens.games.tak.rules.parameters import TakRules
from scripts.strength.tak_openings import game, images, opened, pairs, square_of


@pytest.mark.parametrize("size", [3, 4, 5])
def test_all_pairs_are_images_of_those_that_are_played(size: int) -> None:
    squares = size * size
    found = [set(zip(images(first, size), images(second, size), strict=True)) for first, second in pairs(size)]
    assert sum(map(len, found)) == squares * (squares - 1) == len(set().union(*found))


def test_stones_are_those_of_the_other_player() -> None:
    position = opened(TakRules(4), (0, 5))
    assert (position.board[0].owners, position.board[5].owners, position.turn) == ((1,), (0,), 0)


def test_a_game_has_a_score() -> None:
    assert game(opened(TakRules(3), (0, 4)), 0.001, 1) in (0.0, 0.5, 1.0)


def test_squares_have_names() -> None:
    assert [square_of(name, 4) for name in ("a1", "d1", "a2", "d4")] == [0, 3, 4, 15]
    with pytest.raises(SystemExit, match="e1 is no square of a board of 4 x 4"):
        square_of("e1", 4)
