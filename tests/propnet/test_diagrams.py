"""Diagrams in place of large static relations: the game stays the same by the oracle, and it can be grounded."""

from __future__ import annotations

import pytest

from ludens.propnet.compile.grounder import ground
from ludens.propnet.compile.loader import load
from ludens.propnet.gdl.parser import parse_rules
from ludens.propnet.gdl.syntax import RuleSheet
from ludens.propnet.rewrite import Namer, diagrams, narrow, plain
from tests.support.agreement import assert_agreement

COLOURS = ("red", "green", "blue", "grey", "white")
VARIABLES = [f"?m{i}" for i in range(10)]  # 5^10 instances are too many to be listed
MARKS = " ".join(f"(true (mark {i} {v}))" for i, v in enumerate(VARIABLES))
ALL = " ".join(VARIABLES)

# Ten cells are painted in any order; the end is good or not.
CELLS = (
    " ".join(f"(cell {i})" for i in range(10))
    + " ".join(f"(colour {c}) (same {c} {c})" for c in COLOURS)
    + """
(role pen)
(<= (legal pen (paint ?c ?x)) (cell ?c) (colour ?x) (not (full ?c))) (<= (full ?c) (true (mark ?c ?x)))
(<= (next (mark ?c ?x)) (does pen (paint ?c ?x))) (<= (next (mark ?c ?x)) (true (mark ?c ?x)))
(<= open (cell ?c) (not (full ?c))) (<= terminal (not open))
(<= (goal pen 100) good) (<= (goal pen 0) (not good))
"""
)


def coloured(*others: int) -> str:
    return " ".join(f"(colour {VARIABLES[i]})" for i in range(10) if i not in others)


SOME_PAIR = "".join(f"(<= (wide {ALL}) (same {VARIABLES[i]} {VARIABLES[i + 5]}) {coloured(i)})" for i in range(0, 5, 2))

GAMES = {
    "one of several": SOME_PAIR + f"(<= good {MARKS} (wide {ALL}))",
    "none of several": SOME_PAIR + f"(<= good {MARKS} (not (wide {ALL})))",
    "two at once": SOME_PAIR
    + f"(<= (other {ALL}) (distinct ?m0 ?m9) (not (same ?m3 red)) {coloured()})"
    + f"(<= good {MARKS} (wide {ALL}) (other {ALL}))",
    "a relation of relations": SOME_PAIR
    + f"(<= (upper {ALL}) {coloured()} (not (wide {ALL})) (not (same ?m1 grey)))"
    + f"(<= (upper {ALL}) (wide {ALL}) (same ?m2 red))"
    + f"(<= good {MARKS} (upper {ALL}))",
    "constants and a variable twice": SOME_PAIR
    + f"(<= good {MARKS} (wide red ?m1 ?m2 ?m2 ?m4 ?m5 ?m6 ?m7 blue ?m9) (wide {ALL}))",
    "values that facts bind": SOME_PAIR
    + "(link 0 1) (link 4 5) (link 6 7)"
    + f"(<= (fit ?a) (link ?a ?b) (true (mark ?a ?x)) (true (mark ?b ?x)) {MARKS} (wide {ALL}))"
    + "(<= good (fit 0)) (<= good (fit 4))",
    "values that facts with functions bind": SOME_PAIR
    + "(link (pair 0 1)) (link (pair 4 5)) (link 7) (link (pair 8)) (link (trio 2 3))"
    + f"(<= good (link (pair ?a ?b)) (true (mark ?a ?x)) (true (mark ?b ?x)) {MARKS} (wide {ALL}))",
    "a condition on constants alone": SOME_PAIR
    + f"(<= good (wide {'red ' * 10}) (true (mark 1 blue))) (<= good {MARKS} (wide {ALL}) (not (wide {'red ' * 10})))",
    "variables that are digits": "(<= (wide ?2 ?1 red ?4 ?5 ?6 ?7 ?8 ?9 ?a)"
    + "".join(f"(colour ?{v})" for v in "12456789a")
    + f") (<= good {MARKS} (wide {ALL}))",
    "what never holds": f"(<= (wide {ALL}) (same ?m0 red) (same ?m0 blue) {coloured()})"
    + f"(<= good {MARKS} (wide {ALL})) (<= good (true (mark 1 blue)))",
}

# Relations of which no diagram is made: one with a variable of its own, a recursive one, one over functions.
REFUSED = {
    "own variable": f"(<= (wide {ALL}) {coloured()} (same ?own ?m0) (same ?own ?m1)) (<= good {MARKS} (wide {ALL}))",
    "recursive": f"(<= (wide {ALL}) {coloured()}) (<= (wide {ALL}) (wide {' '.join(reversed(VARIABLES))}))"
    + f"(<= good {MARKS} (wide {ALL}))",
    "function": f"(<= (wide {ALL.replace('?m0', '(f ?m0)')}) {coloured()})"
    + f"(<= good {MARKS} (wide {ALL.replace('?m0', '(f ?m0)')}))",
}


def instances(sheet: RuleSheet) -> int:
    return sum(map(len, ground(sheet).bodies.values()))


@pytest.mark.parametrize("name", GAMES)
def test_the_game_is_what_the_oracle_plays_and_grounds_to_little(name: str) -> None:
    text = CELLS + GAMES[name]
    sheet = parse_rules(text)
    assert instances(narrow(sheet)) < 10_000
    assert_agreement(load(text), text, games=8)


def test_large_relations_are_gone_and_small_ones_stay() -> None:
    small = "(<= (near ?a ?b ?c ?d) (same ?a ?b) (same ?c ?d))"
    text = CELLS + small + SOME_PAIR + f"(<= good {MARKS} (wide {ALL}) (near ?m0 ?m0 ?m1 ?m1))"
    found = {rule.head.name for rule in diagrams(plain(parse_rules(text)), Namer()).rules}
    assert "wide" not in found
    assert "near" in found


@pytest.mark.parametrize("name", REFUSED)
def test_rules_stay_as_they_are_where_there_is_no_diagram(name: str) -> None:
    sheet = plain(parse_rules(CELLS + REFUSED[name]))
    assert diagrams(sheet, Namer()) == sheet
