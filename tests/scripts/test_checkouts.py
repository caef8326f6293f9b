"""Matches between two checkouts: the same search on both sides is as good as itself, and seats are told apart."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ludens.native.core import Game
from ludens.propnet.base.errors import LudensError
from ludens.propnet.compile.loader import load
from ludens.propnet.gdl.parser import parse_rules
from scripts.strength import checkouts
from scripts.strength.checkouts import Opponent, play, scores


def test_a_checkout_is_as_good_as_itself() -> None:
    """An opening is the same game from both seats."""
    found = scores(sys.executable, "breakthrough_small", 6, 100)
    assert [first + second for first, second in zip(found[::2], found[1::2], strict=True)] == [1.0] * 3


def test_the_goals_are_those_of_the_roles() -> None:
    rules = """
        (role a) (role b) (init (step 1)) (next (step 2)) (legal a win) (legal b wait)
        (<= terminal (true (step 2))) (goal a 100) (goal b 0)
    """
    opponents = [Opponent(sys.executable, "tic_tac_toe") for _ in range(2)]
    assert play(Game.from_propnet(load(parse_rules(rules))), opponents, 1, 10) == [100, 0]
    for opponent in opponents:
        opponent.close()


def test_checkouts_that_number_states_and_moves_otherwise_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    networks = iter(["one", "another"])
    monkeypatch.setattr(Opponent, "network", lambda _self: next(networks))
    with pytest.raises(LudensError, match="networks of tic_tac_toe differ"):
        scores(sys.executable, "tic_tac_toe", 2, 10)


def test_a_search_that_cannot_run_is_told(tmp_path: Path) -> None:
    with pytest.raises(LudensError, match="cannot start"):
        scores(str(tmp_path / "missing"), "tic_tac_toe", 2, 10)
    with pytest.raises(LudensError, match="has ended"):
        scores("/bin/false", "tic_tac_toe", 2, 10)


def test_games_that_are_not_for_two_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(LudensError, match="not played by two roles"):
        scores(sys.executable, "eight_puzzle", 2, 10)
    monkeypatch.setattr(sys, "argv", ["checkouts", sys.executable, "eight_puzzle"])
    assert checkouts.main() == 1
