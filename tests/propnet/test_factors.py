"""Factors of games, as networks of their own, against the reference interpreter on the whole game."""

from __future__ import annotations

import random
from functools import cache
from itertools import pairwise

import numpy as np
import pytest

from ludens import games
from ludens.propnet.analysis.composition import CompositionError
from ludens.propnet.analysis.factors import Factorisation, NotFactoredError, boxes, factorise
from ludens.propnet.analysis.subgames import Extraction, Outcome, SubGame
from ludens.propnet.base.arrays import BoolArray
from ludens.propnet.compile.loader import load
from ludens.propnet.gdl.interpreter import Interpreter, State
from ludens.propnet.gdl.parser import parse_rules, parse_term
from ludens.propnet.gdl.syntax import RuleSheet
from ludens.propnet.network.evaluate import Evaluator
from ludens.propnet.network.propnet import Propnet
from tests.support.factored_sheets import PUZZLES, SHEETS

SECONDS = 60.0
GAMES = 30
LONGEST = 30


@cache
def sheet(name: str) -> RuleSheet:
    return parse_rules(SHEETS[name])


@cache
def network(name: str) -> Propnet:
    return load(sheet(name))


@cache
def factoring(name: str) -> Factorisation:
    return factorise(network(name), SECONDS)


def bits(net: Propnet, state: State) -> BoolArray:
    facts = {str(fact) for fact in state}
    return np.array([text in facts for text in net.propositions])


@pytest.mark.parametrize("name", SHEETS)
def test_each_game_has_its_two_factors(name: str) -> None:
    found = factoring(name)
    names = [{network(name).propositions[p] for p in factor.propositions} for factor in found.factors]
    assert len(names) == 2
    marks = ("a", "b") if name in PUZZLES else ("top", "low")
    for mark, other in (marks, marks[::-1]):
        assert sum(all(f" {mark}" in text and f" {other}" not in text for text in texts) for texts in names) == 1


@pytest.mark.parametrize(("name", "shape"), [("walkers", [3, 3]), ("dials", [3, 1]), ("rooms", [3, 1])])
def test_moves_are_made_in_all_factors_at_once_or_in_one(name: str, shape: list[int]) -> None:
    found = factoring(name)
    [role] = found.roles()
    sizes = [sorted(map(len, box)) for box in boxes(found.vectors(0, role))]
    if shape == [3, 3]:
        assert sizes == [[3, 3]]
    else:
        assert len(sizes) == 2
        assert all(size[0] == 1 and size[1] in (2, 3) for size in sizes)


def test_boxes_are_disjoint_and_hold_all_vectors() -> None:
    dice = random.Random(5)
    for _ in range(200):
        vectors = {tuple(dice.randrange(3) for _ in range(3)) for _ in range(dice.randrange(1, 20))}
        told = [v for box in boxes(vectors) for v in np.stack(np.meshgrid(*box), -1).reshape(-1, 3).tolist()]
        assert sorted(map(tuple, told)) == sorted(vectors)


@pytest.mark.parametrize("name", SHEETS)
def test_factors_go_their_way_as_the_oracle_says_and_their_concepts_tell_the_end(name: str) -> None:
    net, rules, found = network(name), Interpreter(sheet(name)), factoring(name)
    outcome = Outcome(found)
    subs = [Extraction(found, outcome, place).observed() for place in range(len(found.factors))]
    control = Extraction(found, outcome, len(found.factors)).observed() if outcome.concepts[-1] else None
    dice = random.Random(3)
    for _ in range(GAMES):
        state, phase = rules.initial(), 0
        for _ in range(LONGEST):
            check_state(net, rules, state, found, outcome, [*subs, *([control] if control else [])])
            if rules.terminal(state):
                break
            joint = [dice.choice(rules.legal(state, role)) for role in sheet(name).roles]
            numbers = [net.moves[role].index(str(move)) for role, move in enumerate(joint)]
            after = rules.next(state, joint)
            for factor, sub in zip(found.factors, subs, strict=True):
                check_step(net, state, after, numbers, factor.representative[phase], found, sub)
            state, phase = after, found.control.follow(phase)


def check_state(
    net: Propnet, rules: Interpreter, state: State, found: Factorisation, outcome: Outcome, subs: list[SubGame]
) -> None:
    whole, rows = bits(net, state), []
    phase = found.control.states.index(tuple(whole[list(found.control.propositions)].tolist()))
    allowed = []
    for sub in subs:
        evaluator, mine = Evaluator(sub.net), whole[sub.propositions]
        rows.append(evaluator.goals(mine)[None, len(net.roles) :] == 100)
        allowed.append(set(sub.moves[evaluator.legal(mine)].tolist()) - {-1})
    rows += [np.empty((1, 0), np.bool_)] * (len(outcome.concepts) - len(rows))
    terminal, goals = outcome.read(rows)
    assert bool(terminal[0]) == rules.terminal(state)
    told = [-1 if goal is None else goal for goal in rules.goals(state)]
    assert goals[0].tolist() == told
    for role, span in enumerate(found.roles()):
        legal = {net.moves[role].index(str(move)) + span.start for move in rules.legal(state, net.roles[role])}
        for move in span:
            vector = [factor.representative[phase][move] for factor in found.factors]
            assert (move in legal) == all(m in moves for m, moves in zip(vector, allowed, strict=False))


def check_step(
    net: Propnet,
    state: State,
    after: State,
    numbers: list[int],
    representative: tuple[int, ...],
    found: Factorisation,
    sub: SubGame,
) -> None:
    place = [{int(m): i for i, m in enumerate(moves)} for moves in split(sub)]
    spans = list(found.roles())
    joint = [place[role][representative[spans[role].start + number]] for role, number in enumerate(numbers)]
    joint += [0] * (len(sub.net.roles) - len(numbers))
    mine = bits(net, state)[sub.propositions]
    told = Evaluator(sub.net).next(mine, joint)
    assert told.tolist() == bits(net, after)[sub.propositions].tolist()


def split(sub: SubGame) -> list[list[int]]:
    ends = np.cumsum([0, *map(len, sub.net.moves)])
    return [sub.moves[first:last].tolist() for first, last in pairwise(ends)]


@pytest.mark.parametrize("name", ["tic_tac_toe", "connect_four", "towers_of_hanoi", "lights_out", "hex_small"])
def test_games_in_one_piece_are_left_so(name: str) -> None:
    with pytest.raises(NotFactoredError):
        factorise(load(games.read(name)), SECONDS)


def test_heaps_are_factors_although_the_end_is_of_all_of_them() -> None:
    found = factorise(load(games.read("nim")), SECONDS)
    first, second = (boxes(found.vectors(0, role)) for role in found.roles())
    assert sorted(max(map(len, box)) for box in first) == [1, 3, 5, 7]
    assert len(second) == 1  # waits
    assert sorted(len(factor.propositions) for factor in found.factors) == [1, 3, 5, 7]


def test_parts_that_share_a_condition_of_a_move_are_one() -> None:
    joined = SHEETS["dials"].replace(
        "(<= (legal robot (turn ?d)) (which ?d)",
        "(<= (legal robot (turn ?d)) (which ?d) (or (true (dial a 0)) (true (dial b 0)))",
    )
    assert joined != SHEETS["dials"]
    with pytest.raises(NotFactoredError):
        factorise(load(parse_rules(joined)), SECONDS)


def test_parts_whose_moves_are_coupled_are_one() -> None:
    coupled = SHEETS["walkers"].replace("(can b ?n))", "(can b ?n) (fit ?m ?n))") + (
        "(fit left left) (fit left stay) (fit left right) (fit stay left) (fit right left) (fit right right)"
    )
    with pytest.raises(NotFactoredError):
        factorise(load(parse_rules(coupled)), SECONDS)


def test_an_analysis_keeps_to_its_time() -> None:
    with pytest.raises(CompositionError):
        factorise(load(games.read("breakthrough")), seconds=0.0)


def test_texts_of_moves_are_those_of_the_sheet() -> None:
    net, found = network("dials"), factoring("dials")
    for place in range(2):
        sub = Extraction(found, Outcome(found), place).observed()
        for text, move in zip(sub.net.moves[0], sub.moves, strict=False):
            assert parse_term(text) == parse_term(net.moves[0][move])
