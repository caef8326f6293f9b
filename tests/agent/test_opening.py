"""Openings: rules that begin after some moves are the same game from there on."""

from __future__ import annotations

import random

import pytest

from ludens import games
from ludens.agent.manager.referee import Referee
from ludens.agent.tournament import opening
from ludens.agent.tournament.opening import beginning_at, random_opening
from ludens.agent.variants.text_game import RulesGame
from ludens.propnet.base.errors import LudensError
from ludens.propnet.gdl.interpreter import Interpreter
from ludens.propnet.gdl.parser import parse_rules


@pytest.mark.parametrize("game", games.names())
def test_rules_that_begin_after_an_opening_go_on_as_the_game_does(game: str) -> None:
    sheet = parse_rules(games.read(game))
    found = random_opening(Referee(RulesGame(sheet)), 3, "seed")
    whole = Referee(RulesGame(sheet), found.moves)
    rest = Referee(RulesGame(beginning_at(sheet, found.start)))
    before, after, rng = whole.first(), rest.first(), random.Random(1)
    for _ in range(6):
        assert [set(moves) for moves in before.legal] == [set(moves) for moves in after.legal]
        assert (before.facts, before.terminal, before.goals) == (after.facts, after.terminal, after.goals)
        if before.terminal:
            break
        joint = [rng.choice(sorted(moves)) for moves in before.legal]
        before, after = whole.after(joint), rest.after(joint)


def test_the_oracle_begins_where_the_opening_ends() -> None:
    sheet = parse_rules(games.read("tic_tac_toe"))
    found = random_opening(Referee(RulesGame(sheet)), 2, "seed")
    assert {str(fact) for fact in Interpreter(beginning_at(sheet, found.start)).initial()} == set(found.start)


def test_an_opening_follows_from_its_seed() -> None:
    referee = Referee(RulesGame(parse_rules(games.read("connect_four"))))
    first, second, other = (random_opening(referee, 6, seed) for seed in ("1", "1", "2"))
    assert first == second
    assert first.moves != other.moves
    assert (len(first.moves), len(first.states)) == (6, 6)


def test_a_game_that_is_always_over_after_so_many_moves_has_no_opening(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "_TRIED", 20)
    with pytest.raises(LudensError, match="after 9 random moves the game is always over"):
        random_opening(Referee(RulesGame(parse_rules(games.read("tic_tac_toe")))), 9, "seed")
