"""Interference of moves, against playing them in both orders on the reference interpreter."""

from __future__ import annotations

import math
import random
from functools import cache
from itertools import combinations

import pytest

from ludens.games.rules import find_rules
from ludens.propnet.analysis.composition import CompositionError
from ludens.propnet.analysis.interference import Interference
from ludens.propnet.compile.loader import load
from ludens.propnet.gdl.interpreter import Interpreter, State
from ludens.propnet.gdl.parser import parse_rules, parse_term
from ludens.propnet.gdl.syntax import RuleSheet, Term
from ludens.propnet.network.propnet import FALSE, TRUE, Propnet
from tests.propnet.test_loops import A_LOOP_FOR_MOVES_AND_ONE_FOR_THE_END

# Two tokens on three places each, a lamp that a push of either turns over, and a bell.
TOKENS = """
(role hand) (init (at a 1)) (init (at b 1)) (init (time 0)) (after 0 1) (after 1 2) (after 2 3) (after 3 0)
(up 1 2) (up 2 3) (token a) (token b)
(<= (legal hand (push ?t)) (true (at ?t ?x)) (up ?x ?y)) (legal hand ring)
(<= (legal hand (drop ?t)) (token ?t) (not (true (at a 1))))
(<= (next (at ?t ?y)) (does hand (push ?t)) (true (at ?t ?x)) (up ?x ?y))
(<= (next (at ?t 1)) (does hand (drop ?t)))
(<= (next (at ?t ?x)) (true (at ?t ?x)) (not (does hand (push ?t))) (not (does hand (drop ?t))))
(<= (next lamp) (true lamp) (not pushed)) (<= (next lamp) (not (true lamp)) pushed)
(<= pushed (does hand (push ?t)))
(<= (next rung) (does hand ring)) (<= (next rung) (true rung))
(<= (next (time ?u)) (true (time ?t)) (after ?t ?u))
(<= terminal (true rung) (true (at a 3)) (true (at b 3)) (true lamp))
(<= terminal (true (time 3)) (true (at b 3))) (goal hand 50)
"""

# Marks on a square: all moves but those of the same cell or number commute.
MARKS = """
(role pen) (n 1) (n 2) (n 3)
(<= (legal pen (mark ?c ?n)) (n ?c) (n ?n) (not (used ?n)) (not (full ?c)))
(<= (used ?n) (true (cell ?c ?n))) (<= (full ?c) (true (cell ?c ?n)))
(<= (next (cell ?c ?n)) (does pen (mark ?c ?n))) (<= (next (cell ?c ?n)) (true (cell ?c ?n)))
(<= terminal (full 1) (full 2) (full 3)) (goal pen 100)
"""


@cache
def sheet(name: str) -> RuleSheet:
    own = {"tokens": TOKENS, "marks": MARKS}
    return parse_rules(own[name]) if name in own else find_rules(name).sheet()


@cache
def network(name: str) -> Propnet:
    return load(sheet(name))


@cache
def interference(name: str) -> Interference:
    return Interference(network(name), math.inf)


def pairs(found: Interference) -> set[tuple[int, int]]:
    """All pairs of moves that interfere, both ways round."""
    some = {(a, b) for conflict in found.conflicts for a in conflict.spoilers for b in conflict.spoiled}
    return some | {(b, a) for a, b in some}


def states(name: str, games: int = 3, length: int = 8) -> list[State]:
    """States that random games of the oracle meet."""
    rules, dice, found = Interpreter(sheet(name)), random.Random(1), []
    for _ in range(games):
        state = rules.initial()
        for _ in range(length):
            found.append(state)
            legal = sorted(rules.legal(state, rules.roles[0]), key=str)
            if rules.terminal(state) or not legal:
                break
            state = rules.next(state, [dice.choice(legal)])
    return found


@pytest.mark.parametrize("name", ["tokens", "marks", "peg_solitaire"])
def test_moves_that_do_not_interfere_can_be_made_in_any_order(name: str) -> None:
    rules, net, against = Interpreter(sheet(name)), network(name), pairs(interference(name))
    index = {parse_term(text): move for move, text in enumerate(net.moves[0])}
    role, dice = rules.roles[0], random.Random(2)
    for state in states(name):
        legal = sorted(rules.legal(state, role), key=str)
        for a, b in combinations(dice.sample(legal, min(4, len(legal))), 2):
            if (index[a], index[b]) not in against:
                after_a, after_b = rules.next(state, [a]), rules.next(state, [b])
                assert b in rules.legal(after_a, role)
                assert a in rules.legal(after_b, role)
                assert rules.next(after_a, [b]) == rules.next(after_b, [a])


def test_moves_with_their_own_cells_and_numbers_do_not_interfere() -> None:
    found, moves = interference("marks"), network("marks").moves[0]
    commute = {(a, b) for a in range(9) for b in range(9) if a != b} - pairs(found)
    expected = {
        (a, b) for a, (c, n) in enumerate(_marks(moves)) for b, (d, m) in enumerate(_marks(moves)) if c != d and n != m
    }
    assert commute == expected
    assert found.partners()


def _marks(moves: tuple[str, ...]) -> list[list[str]]:
    return [move.strip("()").split()[1:] for move in moves]


@pytest.mark.parametrize("name", ["tokens", "marks", "peg_solitaire"])
def test_what_moves_change_is_what_the_oracle_says(name: str) -> None:
    rules, net, found = Interpreter(sheet(name)), network(name), interference(name)
    propositions: list[Term] = [parse_term(text) for text in net.propositions]
    for state in states(name, games=2):
        for move in rules.legal(state, rules.roles[0]):
            number = net.moves[0].index(str(move))
            after = rules.next(state, [move])
            for p, proposition in enumerate(propositions):
                if p in found.clock:
                    continue
                new = found.changes[number].get(p)
                if new is None:
                    assert (proposition in after) == (proposition in state)
                elif new in (FALSE, TRUE):
                    assert (proposition in after) == (new == TRUE)


def test_a_clock_ticks_as_the_oracle_says() -> None:
    rules, net, found = Interpreter(sheet("tokens")), network("tokens"), interference("tokens")
    state = rules.initial()
    for constants in found.ticks(net.initial, 6):
        for p in found.clock:
            assert (parse_term(net.propositions[p]) in state) == (constants[1 + p] == TRUE)
        state = rules.next(state, [parse_term("ring")])
    assert {net.propositions[p] for p in found.clock} == {f"(time {t})" for t in range(4)}


def test_moves_that_depend_on_a_clock_have_no_interference_of_their_own() -> None:
    net = load(
        "(role hand) (init (time 0)) (after 0 1) (after 1 0) (<= (legal hand a) (true (time 0))) (legal hand b)"
        "(<= (next (time ?u)) (true (time ?t)) (after ?t ?u)) (<= (next done) (does hand a)) (<= terminal (true done))"
        "(goal hand 100)"
    )
    with pytest.raises(CompositionError, match="clock"):
        Interference(net, math.inf)


def test_networks_with_loops_have_no_interference() -> None:
    with pytest.raises(CompositionError, match="loops"):
        Interference(load(A_LOOP_FOR_MOVES_AND_ONE_FOR_THE_END), math.inf)
