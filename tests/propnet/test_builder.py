"""From ground rules to a circuit: every kind of rule means what the oracle says it means."""

from __future__ import annotations

from itertools import pairwise

import pytest

from ludens.propnet.base.errors import GdlError
from ludens.propnet.compile.builder import build, natural
from ludens.propnet.compile.grounder import ground
from ludens.propnet.compile.loader import compile_rules, load
from ludens.propnet.gdl.parser import parse_rules
from ludens.propnet.network.propnet import Propnet
from ludens.propnet.rewrite import plain
from tests.support.agreement import assert_agreement

BOARD = """
(role white) (role black)
(cell 1) (cell 2) (cell 3)
(init (control white)) (init (stone 2 black)) (init (step 1))
(<= (legal ?r (put ?c)) (true (control ?r)) (cell ?c) (not (taken ?c)))
(<= (legal ?r noop) (role ?r) (not (true (control ?r))))
(<= (legal white pass) (true (control white)))
(<= (next (control white)) (true (control black)))
(<= (next (control black)) (true (control white)))
(<= (next (stone ?c ?r)) (does ?r (put ?c)))
(<= (next (stone ?c ?r)) (true (stone ?c ?r)))
(<= (next (step 2)) (true (step 1)))
(<= (taken ?c) (true (stone ?c ?r)))
"""
END = "(<= terminal (not free)) (<= free (cell ?c) (not (taken ?c)))"

GAMES = {
    "negated does": BOARD
    + END
    + """
(<= (next (idle ?r)) (role ?r) (cell ?c) (not (does ?r (put ?c))))
(<= (goal white 50) (true (idle white)))
    """,
    "does of any move": BOARD
    + END
    + """
(<= (next (last ?m)) (does ?r ?m)) (<= (goal black 1) (true (last pass)))
    """,
    "true of any fact": BOARD
    + """
(<= (next (kept ?f)) (true (stone ?c ?f))) (<= terminal (true (kept (kept (control white)))))
    """,
    "a bare fact variable": BOARD
    + END
    + """
(<= (next ?f) (true ?f) (does white pass)) (<= (goal white 7) (true (step 1)))
    """,
    "legal in a body": BOARD
    + END
    + """
(<= (goal ?r 30) (legal ?r (put 3))) (<= (goal ?r 40) (role ?r) (not (legal ?r (put 3))))
    """,
    "goal in a body": BOARD
    + END
    + """
(<= (goal white 100) (taken 1)) (<= (goal white 0) (not (goal white 100)))
(<= (goal black 3) (goal white 0))
    """,
    "goals with variables": BOARD
    + END
    + """
(value 10 1) (value 20 2) (value 30 3) (<= (goal ?r ?v) (true (stone ?c ?r)) (value ?v ?c))
    """,
    "or of many": BOARD
    + """
(<= terminal (or (true (stone 1 white)) (taken 3) (and (taken 1) (not (taken 3)))))
    """,
    "or that leans on its rule": BOARD
    + END
    + """
(<= (goal ?r 60) (true (stone ?a ?r)) (true (stone ?b ?r)) (or (distinct ?a ?b) (distinct ?r black)))
    """,
    "not of or": BOARD
    + """
(<= terminal (not (or (not (taken 1)) (not (taken 3)))))
    """,
    "distinct of nested terms": BOARD
    + END
    + """
(<= (next (pair (f ?a (g ?b)))) (does white (put ?a)) (cell ?b) (distinct (g ?b) (g ?a)))
(<= (goal white 9) (true (pair (f 1 (g 3)))))
    """,
    "list terms": BOARD
    + END
    + """
(init (list (cons 1 (cons 2 (cons 3 nil))))) (<= (next (list ?t)) (true (list (cons ?h ?t))))
(<= (goal white 5) (true (list nil)))
    """,
    "a nullary relation in brackets": BOARD
    + """
(<= (some_win) (taken 1)) (<= terminal some_win) (<= (goal white 1) (some_win))
    """,
    "positive recursion": BOARD
    + END
    + """
(near 1 2) (near 2 3) (near 3 1) (<= (joined ?a ?b) (near ?a ?b) (taken ?a))
(<= (joined ?a ?c) (joined ?a ?b) (joined ?b ?c)) (<= (goal ?r 80) (role ?r) (joined 1 1))
    """,
    "recursion both ways": BOARD
    + END
    + """
(<= (up ?c) (true (stone ?c white))) (<= (up 1) (up 2)) (<= (up 2) (up 1)) (<= (up 3) (up 2))
(<= (up 2) (up 3) (taken 1)) (<= (goal white 2) (up 3)) (<= (goal black 2) (not (up 1)))
    """,
    "negation stratified on ground atoms": BOARD
    + END
    + """
(before 1 2) (before 2 3) (<= (win ?c) (before ?c ?d) (not (win ?d)) (taken ?d))
(<= (goal ?r 20) (role ?r) (win 1))
    """,
    "a step that is never undone": BOARD
    + END
    + """
(<= (next (step ?n)) (true (step ?n)) (true (step 2))) (<= (goal white 4) (true (step 2)))
    """,
}


def net_of(text: str) -> Propnet:
    return compile_rules(plain(parse_rules(text)), lambda _line: None).net


@pytest.mark.parametrize("name", GAMES)
def test_networks_agree_with_the_oracle_about(name: str) -> None:
    assert_agreement(net_of(GAMES[name]), GAMES[name], games=6)


def test_positive_recursion_becomes_loops_in_one_piece_each() -> None:
    net = net_of(GAMES["recursion both ways"])
    assert len(net.loops) == 1
    (first, last, first_input, last_input) = net.loops[0].tolist()
    assert 0 <= first < last <= len(net.gates)
    assert (first_input, last_input) == (0, len(net.feedback))


@pytest.mark.parametrize(
    "body",
    [
        "(taken ?a) (near ?a ?b) (not (odd ?b))",
        "(near ?a ?b) (near ?b ?c) (true (stone ?d ?r)) (near ?d ?e) (or (not (odd ?b)) (taken 1))",
    ],
)
def test_an_atom_that_depends_on_its_own_negation_is_an_error_in_the_words_of_its_rule(body: str) -> None:
    text = f"{BOARD}(near 1 2) (near 2 1)\n(<= (odd ?a) {body})\n(<= terminal (odd 1))"
    with pytest.raises(GdlError, match=r"odd depends on its own negation through \(odd \?b\)") as caught:
        load(text)
    assert caught.value.line == text[: text.index("(<= (odd")].count("\n") + 1


def test_where_several_rules_may_depend_on_their_own_negation_none_is_blamed_alone() -> None:
    goals = "(<= (goal white 100) (not (goal white 0))) (<= (goal white 0) (taken 1))"
    text = f"{BOARD}(near 1 2) (near 2 1)\n{goals}\n(<= (odd ?a) (near ?a ?b) (not (odd ?b)))\n(<= terminal (odd 1))"
    lines = text[: text.index("(<= (goal")].count("\n") + 1, text[: text.index("(<= (odd")].count("\n") + 1
    with pytest.raises(GdlError) as caught:
        load(text)
    assert str(caught.value) == (
        "a rule depends on its own negation through one of these conditions: "
        f"(goal white 0) in line {lines[0]}, (odd ?b) in line {lines[1]}"
    )


def test_moves_and_facts_come_in_natural_order() -> None:
    text = """
    (role r) (n 10) (n 9) (n 1) (n b)
    (<= (legal r (go ?n)) (n ?n)) (<= (next (at ?n)) (does r (go ?n))) (<= terminal (true (at ?n)))
    """
    circuit = build(ground(plain(parse_rules(text))))
    assert circuit.moves == (("(go 1)", "(go 9)", "(go 10)", "(go b)"),)
    assert circuit.propositions == ("(at 1)", "(at 9)", "(at 10)", "(at b)")


def test_natural_order_is_total() -> None:
    texts = sorted(["", "a", "1", "a1", "a10", "a2", "-1", "(a 1)", "(a -1)", "1a", "10"], key=natural)
    assert all(natural(one) < natural(other) for one, other in pairwise(texts))


def test_roles_keep_the_order_of_the_sheet() -> None:
    assert net_of(BOARD + END).roles == ("white", "black")


def test_a_role_without_moves_has_none() -> None:
    net = net_of("(role a) (role b) (init p) (legal a go) (<= terminal (not (true p)))")
    assert net.moves == (("go",), ())


@pytest.mark.parametrize("value", ["101", "-1", "many", "1.5"])
def test_a_goal_that_cannot_be_paid_is_left_out(value: str) -> None:
    net = net_of(BOARD + END + f"(<= (goal white {value}) (taken 1)) (<= (goal white 50) (taken 3))")
    assert net.goal_value.tolist() == [50]


def test_facts_that_nothing_depends_on_are_no_state() -> None:
    net = net_of(BOARD + END + "(<= (next (noise ?c)) (does white (put ?c)))")
    assert not [text for text in net.propositions if "noise" in text]
    assert not [text for text in net.propositions if "step" in text]
