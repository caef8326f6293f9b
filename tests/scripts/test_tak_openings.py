"""Pairs of first stones in Tak, up to symmetry."""

from __future__ import annotations

import pytest

from ludens.games.tak.rules.parameters import TakRules
from scripts.strength.tak_openings import game, images, main, opened, pairs, square_of


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


def test_two_stones_cannot_be_on_one_square(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["tak_openings", "4", "--pair", "b2", "b2"])
    with pytest.raises(SystemExit):
        main()
    assert "two stones cannot be on one square" in capsys.readouterr().err


def test_pairs_are_asked_for_by_name(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    given = ["3", "--games", "2", "--seconds", "0.001", "--pair", "a1", "c3", "--pair", "a1", "b2"]
    monkeypatch.setattr("sys.argv", ["tak_openings", *given])
    assert main() == 0
    rows = [line.split(" | ")[:2] for line in capsys.readouterr().out.splitlines()[2:]]
    assert sorted(rows) == [["| a1", "b2"], ["| a1", "c3"]]
