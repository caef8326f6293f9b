"""Openings: rules that begin after some moves are the same game from there on."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from ludens import games
from ludens.agent.manager.referee import Referee
from ludens.agent.playable.text_game import NetworkGame, RulesGame, SheetGame
from ludens.agent.tournament import opening
from ludens.agent.tournament.opening import random_opening
from ludens.propnet.base.errors import LudensError
from ludens.propnet.compile.loader import load
from ludens.propnet.gdl.interpreter import Interpreter
from ludens.propnet.gdl.parser import parse_rules, parse_term
from ludens.propnet.gdl.syntax import RuleSheet

# Facts that never change, which a network does not have, keep the walker in.
WALLS = """
    (role walker) (init (at 2)) (init (wall 0)) (init (wall 4)) (init (step 0))
    (beside 0 1) (beside 1 2) (beside 2 3) (beside 3 4)
    (after 0 1) (after 1 2) (after 2 3) (after 3 4) (after 4 5) (after 5 6) (after 6 7)
    (<= (next (wall ?x)) (true (wall ?x)))
    (<= (neighbour ?x ?y) (beside ?x ?y))
    (<= (neighbour ?x ?y) (beside ?y ?x))
    (<= (legal walker (go ?y)) (true (at ?x)) (neighbour ?x ?y) (not (true (wall ?y))))
    (<= (next (at ?y)) (does walker (go ?y)))
    (<= (next (step ?m)) (true (step ?n)) (after ?n ?m))
    (<= terminal (true (step 7)))
    (<= (goal walker 100) (true (at 3)))
    (<= (goal walker 0) (not (true (at 3))))
"""


def in_network(sheet: RuleSheet) -> SheetGame:
    return NetworkGame(load(sheet))


def rules_of(game: str) -> RuleSheet:
    return parse_rules(WALLS if game == "walls" else games.read(game))


@pytest.mark.parametrize(
    ("game", "machine"),
    [*((name, RulesGame) for name in games.names()), ("connect_four", in_network), ("walls", in_network)],
)
def test_rules_that_begin_after_an_opening_go_on_as_the_game_does(
    game: str, machine: Callable[[RuleSheet], SheetGame]
) -> None:
    sheet = rules_of(game)
    found = random_opening(sheet, Referee(machine(sheet)), 3, "seed")
    whole = Referee(RulesGame(sheet), found.moves)
    rest = Referee(RulesGame(found.rules))
    before, after, rng = whole.first(), rest.first(), random.Random(1)
    for _ in range(6):
        assert [set(moves) for moves in before.legal] == [set(moves) for moves in after.legal]
        assert (before.facts, before.terminal, before.goals) == (after.facts, after.terminal, after.goals)
        if before.terminal:
            break
        joint = [rng.choice(sorted(moves)) for moves in before.legal]
        before, after = whole.after(joint), rest.after(joint)


@pytest.mark.parametrize("game", ["tic_tac_toe", "walls"])
def test_the_oracle_begins_where_the_opening_ends(game: str) -> None:
    sheet = rules_of(game)
    found = random_opening(sheet, Referee(in_network(sheet)), 2, "seed")
    oracle = Interpreter(sheet)
    state = oracle.initial()
    for joint in found.moves:
        state = oracle.next(state, tuple(map(parse_term, joint)))
    assert Interpreter(found.rules).initial() == state


def test_an_opening_follows_from_its_seed() -> None:
    sheet = rules_of("connect_four")
    referee = Referee(RulesGame(sheet))
    first, second, other = (random_opening(sheet, referee, 6, seed) for seed in ("1", "1", "2"))
    assert first == second
    assert first.moves != other.moves
    assert (len(first.moves), len(first.states)) == (6, 6)


@pytest.mark.parametrize("game", ["breakthrough_small", "tic_tac_toe"])
def test_an_opening_is_the_same_whatever_machine_works_it_out(game: str) -> None:
    sheet = rules_of(game)
    by_rules, by_network = (random_opening(sheet, Referee(m(sheet)), 4, "1").moves for m in (RulesGame, in_network))
    assert by_rules == by_network


def test_without_an_opening_rules_stay_as_they_are() -> None:
    sheet = rules_of("walls")
    assert random_opening(sheet, Referee(in_network(sheet)), 0, "seed").rules is sheet


def test_a_game_that_is_always_over_after_so_many_moves_has_no_opening(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "_TRIED", 20)
    sheet = rules_of("tic_tac_toe")
    with pytest.raises(LudensError, match="after 9 random moves the game is always over"):
        random_opening(sheet, Referee(RulesGame(sheet)), 9, "seed")


def test_rules_that_are_too_much_for_the_rule_machine_begin_without_an_opening(monkeypatch: pytest.MonkeyPatch) -> None:
    def too_much(_sheet: RuleSheet) -> None:
        raise LudensError("too many facts")

    sheet = rules_of("walls")
    referee = Referee(in_network(sheet))
    monkeypatch.setattr(opening, "FullFacts", too_much)
    assert random_opening(sheet, referee, 0, "seed").rules is sheet
    with pytest.raises(LudensError, match=r"too many facts; without one \(--opening-moves 0\) they can"):
        random_opening(sheet, referee, 1, "seed")
