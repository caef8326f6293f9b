"""Fingerprints: the same for the same game in other words, another for any other game."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from ludens import games
from ludens.agent.manager.scramble import Scrambler
from ludens.propnet.compile.loader import load
from ludens.propnet.gdl import fingerprint as fingerprint_module
from ludens.propnet.gdl.fingerprint import fingerprint
from ludens.propnet.gdl.parser import parse_rules
from ludens.propnet.gdl.syntax import Formula, Or, RuleSheet
from ludens.propnet.network.evaluate import Evaluator

# Two doors that play the same part.
TWINS = """
(role p) (init (shut left)) (init (shut right)) (door left) (door right)
(<= (legal p (open ?d)) (true (shut ?d)))
(<= (next (shut ?d)) (true (shut ?d)) (not (does p (open ?d))))
(<= gone (true (shut ?d)) (true (shut ?e)) (distinct ?d ?e))
(<= terminal (not gone)) (<= (goal p 100) terminal) (<= (goal p 0) (not terminal))
"""


def shuffled(sheet: RuleSheet, seed: int) -> RuleSheet:
    """The sheet with its rules, and the conditions of each, in another order, but for the roles."""
    dice = random.Random(seed)

    def mixed(formula: Formula) -> Formula:
        if isinstance(formula, Or):
            return Or(tuple(dice.sample(formula.alternatives, len(formula.alternatives))))
        return formula

    roles = [rule for rule in sheet.rules if rule.head.name == "role"]
    others = [
        replace(rule, body=tuple(map(mixed, dice.sample(rule.body, len(rule.body)))))
        for rule in sheet.rules
        if rule.head.name != "role"
    ]
    return RuleSheet((*roles, *dice.sample(others, len(others))))


@pytest.mark.parametrize("name", games.names())
def test_other_names_and_another_order_make_no_difference(name: str) -> None:
    sheet = parse_rules(games.read(name))
    known = fingerprint(sheet)
    assert fingerprint(Scrambler(sheet, 1).scramble(sheet)).digest == known.digest
    assert fingerprint(shuffled(Scrambler(sheet, 2).scramble(sheet), 2)).digest == known.digest


def test_all_built_in_games_differ() -> None:
    assert len({fingerprint(parse_rules(games.read(name))).digest for name in games.names()}) == len(games.names())


@pytest.mark.parametrize("name", ["connect_four", "breakthrough", "english_draughts", "nim"])
def test_a_game_with_one_rule_changed_is_another(name: str) -> None:
    sheet, dice = parse_rules(games.read(name)), random.Random(1)
    places = [at for at, rule in enumerate(sheet.rules) if rule.head.name != "role"]
    for at in dice.sample(places, 12):
        rule = sheet.rules[at]
        without = RuleSheet((*sheet.rules[:at], *sheet.rules[at + 1 :]))
        assert fingerprint(without).digest != fingerprint(sheet).digest
        if rule.body:
            weaker = replace(rule, body=rule.body[1:])
            changed = RuleSheet((*sheet.rules[:at], weaker, *sheet.rules[at + 1 :]))
            assert fingerprint(changed).digest != fingerprint(sheet).digest


def test_goals_numbers_and_the_order_of_roles_count() -> None:
    sheet = parse_rules(games.read("tic_tac_toe"))
    text = str(sheet)
    roles = [rule for rule in sheet.rules if rule.head.name == "role"]
    others = tuple(rule for rule in sheet.rules if rule.head.name != "role")
    assert len(roles) == 2
    for other in (text.replace(" 50)", " 51)"), RuleSheet((*roles[::-1], *others))):
        changed = parse_rules(other) if isinstance(other, str) else other
        assert str(changed) != text
        assert fingerprint(changed).digest != fingerprint(sheet).digest


def test_variables_are_told_apart_by_their_part_in_the_rule() -> None:
    def digest(body: str) -> str:
        return fingerprint(parse_rules(f"(role p) (edge a b) (<= (far ?x) {body})")).digest

    assert digest("(edge ?x ?y) (edge ?y ?z)") == digest("(edge ?b ?a) (edge ?x ?b)")
    assert digest("(edge ?x ?y) (edge ?y ?z)") != digest("(edge ?x ?y) (edge ?z ?y)")
    assert digest("(edge ?x ?y) (edge ?x ?z) (distinct ?y ?z)") == digest("(distinct ?u ?v) (edge ?x ?u) (edge ?x ?v)")
    six = "(edge ?a ?b) (edge ?b ?c) (edge ?c ?d) (edge ?d ?e) (edge ?e ?f) (edge ?f ?a) (ring ?x)"
    three = "(edge ?a ?b) (edge ?b ?c) (edge ?c ?a) (edge ?d ?e) (edge ?e ?f) (edge ?f ?d) (ring ?x)"
    assert digest(six) != digest(three)  # which refinement alone does not see


def test_where_very_many_symbols_are_alike_the_text_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    hashed, made = fingerprint_module._hash, Counter[str]()

    def counted(*parts: object) -> int:
        made["hashes"] += 1
        return hashed(*parts)

    monkeypatch.setattr(fingerprint_module, "_hash", counted)
    monkeypatch.setattr(fingerprint_module, "_MOST_HASHES", 2_000)
    colours = " ".join(f"(colour c{i})" for i in range(100))
    sheet = parse_rules(f"(role r) (<= (legal r (paint ?c)) (colour ?c)) {colours}")
    known = fingerprint(sheet)
    assert made["hashes"] < 6_000
    assert known.canonical("(paint c7)") == "(paint c7)"
    assert fingerprint(sheet) == known
    assert fingerprint(Scrambler(sheet, 1).scramble(sheet)).digest != known.digest


@pytest.mark.parametrize("text", [games.read("connect_four"), games.read("tic_tac_toe"), TWINS])
def test_canonical_facts_and_moves_carry_one_game_over_to_the_other(text: str) -> None:
    sheet = parse_rules(text)
    other_sheet = shuffled(Scrambler(sheet, 5).scramble(sheet), 5)
    one, other = fingerprint(sheet), fingerprint(other_sheet)
    net, other_net = load(sheet), load(other_sheet)
    place = {other.canonical(fact): i for i, fact in enumerate(other_net.propositions)}
    facts = np.array([place[one.canonical(fact)] for fact in net.propositions])
    assert sorted(facts.tolist()) == list(range(len(place)))
    moves = []
    for texts, other_texts in zip(net.moves, other_net.moves, strict=True):
        number = {other.canonical(move): i for i, move in enumerate(other_texts)}
        moves.append(np.array([number[one.canonical(move)] for move in texts]))
    evaluator, other_evaluator, dice = Evaluator(net), Evaluator(other_net), random.Random(1)
    for _ in range(5):
        state = net.initial
        while not evaluator.terminal(state):
            legal = [row.nonzero()[0] for row in evaluator.legal_by_role(state)]
            turned = np.zeros_like(state)
            turned[facts] = state
            for mine, theirs, there in zip(legal, other_evaluator.legal_by_role(turned), moves, strict=True):
                assert sorted(there[mine].tolist()) == theirs.nonzero()[0].tolist()
            assert np.array_equal(evaluator.goals(state), other_evaluator.goals(turned))
            joint = [dice.choice(m.tolist()) for m in legal]
            state = evaluator.next(state, joint)
            after = other_evaluator.next(turned, [int(there[m]) for there, m in zip(moves, joint, strict=True)])
            assert np.array_equal(after[facts], state)


def test_numbers_and_keywords_keep_their_names() -> None:
    known = fingerprint(parse_rules("(role p) (init (cell 1 b)) (<= (legal p noop) (true (cell ?x b)))"))
    assert known.canonical("(cell 1 b)").split()[1] == "1"
    assert "b" not in known.canonical("(cell 1 b)")
    assert set(known.symbols) == {"p", "cell", "b", "noop"}
