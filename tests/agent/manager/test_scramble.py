"""Scrambling: a bijection on symbols that leaves the game as it was."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludens import games
from ludens.agent.manager.scramble import NoScrambler, Scrambler
from ludens.propnet.gdl.interpreter import Interpreter
from ludens.propnet.gdl.parser import parse_rules, parse_term
from ludens.propnet.gdl.syntax import (
    And,
    Atom,
    Constant,
    Distinct,
    Formula,
    Function,
    Not,
    Or,
    Rule,
    RuleSheet,
    Term,
    Variable,
)

_NAMES = st.sampled_from(["cell", "x", "Red", "red", "100", "-3", "bab", "true", "goal", "a+b", "random"])
_LEAVES = st.one_of(_NAMES.map(Constant), _NAMES.map(Variable))
_TERMS: st.SearchStrategy[Term] = st.recursive(
    _LEAVES, lambda terms: st.builds(Function, _NAMES, st.lists(terms, min_size=1, max_size=3).map(tuple)), max_leaves=5
)
_ATOMS = st.builds(Atom, _NAMES, st.lists(_TERMS, max_size=3).map(tuple))
_FORMULAS: st.SearchStrategy[Formula] = st.recursive(
    st.one_of(_ATOMS, st.builds(Distinct, _TERMS, _TERMS)),
    lambda formulas: st.one_of(
        st.builds(Not, formulas),
        st.builds(Or, st.lists(formulas, min_size=1, max_size=2).map(tuple)),
        st.builds(And, st.lists(formulas, min_size=1, max_size=2).map(tuple)),
    ),
    max_leaves=4,
)
_RULES = st.builds(Rule, _ATOMS, st.lists(_FORMULAS, max_size=3).map(tuple))
_SHEETS = st.lists(_RULES, max_size=4).map(lambda rules: RuleSheet(tuple(rules)))
_SEEDS = st.integers(0, 2**32)


@given(sheet=_SHEETS, seed=_SEEDS)
def test_unscrambling_gives_the_sheet_back(sheet: RuleSheet, seed: int) -> None:
    scrambler = Scrambler(sheet, seed)
    assert scrambler.unscramble(scrambler.scramble(sheet)) == sheet


@given(sheet=_SHEETS, seed=_SEEDS)
def test_no_name_of_the_sheet_survives_but_keywords_and_numbers(sheet: RuleSheet, seed: int) -> None:
    words = set(re.findall(r"[^\s()?]+", str(Scrambler(sheet, seed).scramble(sheet))))
    assert not words & {"cell", "x", "Red", "red", "bab", "a+b", "random"}


@given(term=_TERMS, seed=_SEEDS)
def test_a_move_comes_back_in_its_own_spelling(term: Term, seed: int) -> None:
    scrambler = Scrambler(RuleSheet((Rule(Atom("legal", (Constant("x"), term))),)), seed)
    assert scrambler.unscramble(scrambler.scramble(term)) == term


@pytest.mark.parametrize("seed", range(3))
def test_a_scrambled_game_plays_the_same(seed: int) -> None:
    sheet = parse_rules(games.read("tic_tac_toe"))
    scrambler = Scrambler(sheet, seed)
    plain, scrambled = Interpreter(sheet), Interpreter(parse_rules(str(scrambler.scramble(sheet))))
    rng = random.Random(seed)
    here, there = plain.initial(), scrambled.initial()
    while not plain.terminal(here):
        assert {scrambler.scramble(fact) for fact in here} == there
        joint = [rng.choice(plain.legal(here, role)) for role in plain.roles]
        here, there = (plain.next(here, joint), scrambled.next(there, [scrambler.scramble(m) for m in joint]))
    assert scrambled.terminal(there)
    assert scrambled.goals(there) == plain.goals(here)


def test_the_seed_decides_the_words() -> None:
    sheet = parse_rules(games.read("tic_tac_toe"))
    texts = [str(Scrambler(sheet, seed).scramble(sheet)) for seed in (1, 1, 2)]
    assert texts[0] == texts[1] != texts[2]


def test_names_are_words_that_can_be_spoken_and_goals_stay_numbers() -> None:
    sheet = parse_rules("(role White) (<= (goal White 100) (true (Cell 1 ?x)))")
    assert re.fullmatch(
        r"\(role ([a-z]+)\)\n\(<= \(goal \1 100\) \(true \([a-z]+ 1 \?[a-z]+\)\)\)\n",
        str(Scrambler(sheet, 5).scramble(sheet)),
    )


def test_a_symbol_that_the_sheet_does_not_have_is_left_alone() -> None:
    scrambler = Scrambler(parse_rules("(role white)"), 0)
    assert str(scrambler.unscramble(parse_term("(jump 1)"))) == "(jump 1)"


@given(sheet=_SHEETS)
@settings(max_examples=20)
def test_the_plain_renaming_changes_nothing(sheet: RuleSheet) -> None:
    assert NoScrambler().scramble(sheet) == NoScrambler().unscramble(sheet) == sheet
