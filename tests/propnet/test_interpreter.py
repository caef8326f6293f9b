"""The oracle itself: against games known by heart, against brute force, and against recorded playouts."""

import gzip
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludens import games
from ludens.propnet.base.errors import GdlError
from ludens.propnet.gdl.interpreter import Interpreter, State
from ludens.propnet.gdl.parser import parse_rules, parse_term
from ludens.propnet.gdl.syntax import Term
from tests.support.paths import real_sheets, traces

TRACED = ["ticTacToe", "connectFour", "nim3", "eightPuzzle", "roshambo2", "hanoi", "futoshiki4", "tictactoe_3player"]


def interpret(rules: str) -> Interpreter:
    return Interpreter(parse_rules(rules))


def answers(rules: str) -> set[str]:
    """What `rules` derive as facts of the first state."""
    return set(map(str, interpret(rules).initial()))


def terms(*texts: str) -> list[Term]:
    return [parse_term(text) for text in texts]


def state(*texts: str) -> State:
    return frozenset(terms(*texts))


def test_tic_tac_toe_is_played_to_its_end() -> None:
    game = Interpreter(parse_rules(games.read("tic_tac_toe")))
    position = game.initial()
    first, second = game.roles
    assert len(game.legal(position, first)) == 9
    assert len(game.legal(position, second)) == 1
    lengths = 0
    while not game.terminal(position):
        position = game.next(position, [game.legal(position, role)[0] for role in game.roles])
        lengths += 1
    assert lengths == 7
    assert sorted(game.goals(position), key=str) == [0, 100]


def test_moves_come_once_and_in_the_order_of_their_text() -> None:
    game = interpret("(role r) (legal r b) (legal r (a 2)) (<= (legal r b) (true on)) (legal s c)")
    assert game.legal(state("on"), "r") == terms("(a 2)", "b")


def test_a_joint_move_may_be_given_by_name_or_in_order() -> None:
    game = interpret("(role x) (role y) (<= (next (did ?r ?m)) (does ?r ?m))")
    expected = state("(did x 1)", "(did y 2)")
    assert game.next(state(), terms("1", "2")) == expected
    assert game.next(state(), {"y": parse_term("2"), "x": parse_term("1")}) == expected
    with pytest.raises(ValueError, match="shorter"):
        game.next(state(), terms("1"))


def test_answers_of_one_state_or_move_do_not_leak_into_the_next() -> None:
    game = interpret(
        "(role r) (<= (legal r ?m) (open ?m)) (<= (open ?m) (true (free ?m)))"
        "(<= (next (free ?m)) (open ?m) (not (taken ?m))) (<= (taken ?m) (does r ?m))"
    )
    position = state("(free a)", "(free b)")
    assert game.next(position, terms("a")) == state("(free b)")
    assert game.next(position, terms("b")) == state("(free a)")
    assert game.legal(game.next(position, terms("b")), "r") == terms("a")
    assert game.legal(position, "r") == terms("a", "b")


@pytest.mark.parametrize(
    ("rules", "value"), [("", None), ("(goal r 70)", 70), ("(goal r 0) (goal r 1)", None), ("(goal r many)", None)]
)
def test_a_goal_is_one_value_or_none(rules: str, value: int | None) -> None:
    assert interpret(f"(role r) {rules}").goals(state()) == (value,)


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ("(<= (init ?x) (not (q ?x)) (distinct ?x c) (p ?x)) (p a) (p b) (p c) (q a)", {"b"}),
        ("(<= (init ?x) (or (p ?x) (q ?x) (and (r ?x) (not (p ?x))))) (p a) (q b) (r a) (r c)", {"a", "b", "c"}),
        ("(<= (init ?x) (not (and (p ?x) (or (q ?x) (r ?x)))) (p ?x)) (p a) (p b) (p c) (q a) (r b)", {"c"}),
        ("(<= (init ?x) (p ?x) (or (distinct ?x a) (q ?x))) (p a) (p b) (q a)", {"a", "b"}),
        ("(<= (init ?x) (p ?x) (or (q ?y) (not (r ?x)))) (p a) (p b) (r b)", {"a"}),
        (
            "(<= (init ?x) (or (p ?x) (p (f ?x)))) (p a) (p (f b)) (p (f (g c)))",
            {"a", "b", "(g c)", "(f b)", "(f (g c))"},
        ),
        ("(<= (init (pair ?x ?y)) (p ?x ?y) (p ?y ?x)) (p a b) (p b a) (p b c)", {"(pair a b)", "(pair b a)"}),
        ("(<= (init ?x) (p ?x ?x)) (p a b) (p c c) (p (f a) (f a))", {"c", "(f a)"}),
        ("(<= (init yes) (not (not p))) p", {"yes"}),
        ("(<= (init yes) missing)", set()),
        (
            "(<= (init (at ?x ?y)) (p (f ?x ?y)) (q (f a ?y))) (p (f a b)) (p (f b b)) (q (f a b))",
            {"(at a b)", "(at b b)"},
        ),
        ("(<= (init yes) (p ?x) (q ?y)) (p a) (q b)", {"yes"}),
    ],
)
def test_formulas_mean_what_logic_says(rules: str, expected: set[str]) -> None:
    assert answers(rules) == expected


def test_an_atom_may_rest_on_the_negation_of_another_of_its_relation() -> None:
    rules = "(role r) (<= (goal r 100) (not (goal r 0))) (<= (goal r 0) (true bad))"
    assert interpret(rules).goals(state()) == (100,)
    assert interpret(rules).goals(state("bad")) == (0,)


def test_an_atom_that_rests_on_its_own_negation_is_an_error() -> None:
    with pytest.raises(GdlError, match="not stratified"):
        answers("(<= (init win) (w a)) (<= (w ?x) (m ?x ?y) (not (w ?y))) (m a b) (m b a)")


def test_an_atom_without_arguments_that_rests_on_its_own_negation_is_named_by_its_symbol() -> None:
    with pytest.raises(GdlError, match=r"^p depends on its own negation"):
        answers("(<= (init win) p) (<= p (not q)) (<= q (not p))")


@pytest.mark.parametrize("grown", ["(s ?x)", "(s (s (s (s (s (s (s (s (s (s ?x))))))))))"])
def test_terms_that_nest_deeper_than_python_recurses_are_an_error(grown: str) -> None:
    rules = interpret(f"(role r) (legal r go) (init (n a)) (<= (next (n {grown})) (true (n ?x)))")
    at = rules.initial()
    with pytest.raises(GdlError, match="nest too deeply"):
        while True:
            at = rules.next(at, [parse_term("go")])


def test_facts_are_looked_up_before_many_values_are_worked_out() -> None:
    """A test of nine values waits until they are known, rather than to be asked for all values that pass it."""
    numbers = range(1, 10)
    names = [f"?m{i}" for i in numbers]
    rules = [*(f"(number {i}) (mark {i} {10 - i})" for i in numbers), *(f"(next_to {i} {i + 1})" for i in range(1, 9))]
    rules.append(f"(<= (numbers {' '.join(names)}) {' '.join(f'(number {name})' for name in names)})")
    places = [f"(next_to ?c{i} ?c{i + 1})" for i in range(1, 9)]
    marks = [f"(mark ?c{i} ?m{i})" for i in numbers]
    rules.append(f"(<= (init solved) (numbers {' '.join(names)}) {' '.join(places + marks)})")
    game = Interpreter(parse_rules("(role r)" + " ".join(rules)), steps=5000)
    assert game.initial() == state("solved")


def test_how_an_answer_is_worked_out_does_not_depend_on_what_was_asked_before() -> None:
    numbers = " ".join(f"(number {i})" for i in range(9))
    rules = """
    (role r) (line 1 2 3 4) (<= terminal (line 1 ?b ?c ?d))
    (<= (numbers ?a ?b ?c ?d) (number ?a) (number ?b) (number ?c) (number ?d))
    (<= (init solved) (numbers ?a ?b ?c ?d) (line ?a ?b ?c ?d))
    """
    game = Interpreter(parse_rules(rules + numbers), steps=5000)
    assert game.terminal(frozenset())
    assert game.initial() == state("solved")


def test_rules_may_recurse_deeper_than_python() -> None:
    numbers = "".join(f"(succ {n} {n + 1})" for n in range(3000))
    rules = "(<= (init ?x) (up 0 ?x)) (<= (up ?x last) (top ?x)) (<= (up ?x ?z) (succ ?x ?y) (up ?y ?z)) (top 3000)"
    assert answers(rules + numbers) == {"last"}


edges = st.sets(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=12)


def reachable(graph: set[tuple[int, int]]) -> set[tuple[int, int]]:
    closure = set(graph)
    while more := {(a, d) for a, b in closure for c, d in closure if b == c} - closure:
        closure |= more
    return closure


@pytest.mark.parametrize(
    "recursion",
    [
        "(<= (path ?x ?z) (path ?x ?y) (edge ?y ?z))",
        "(<= (path ?x ?z) (edge ?x ?y) (path ?y ?z))",
        "(<= (path ?x ?z) (path ?x ?y) (path ?y ?z))",
        "(<= (path ?x ?y) (trip ?x ?y)) (<= (trip ?x ?z) (edge ?x ?y) (path ?y ?z))",
    ],
)
@given(graph=edges)
@settings(max_examples=40)
def test_positive_recursion_is_a_least_fixpoint(recursion: str, graph: set[tuple[int, int]]) -> None:
    rules = f"(<= (path ?x ?y) (edge ?x ?y)) {recursion}" + "".join(f"(edge {a} {b})" for a, b in graph)
    assert answers(f"{rules} (<= (init (to ?x ?y)) (path ?x ?y))") == {f"(to {a} {b})" for a, b in reachable(graph)}
    assert answers(f"{rules} (<= (init ?y) (path 0 ?y))") == {str(b) for a, b in reachable(graph) if a == 0}
    assert answers(f"{rules} (<= (init ?x) (path ?x 0))") == {str(a) for a, b in reachable(graph) if b == 0}
    assert answers(f"{rules} (<= (init ?x) (edge ?x ?y) (not (path ?y ?x)))") == {
        str(a) for a, b in graph if (b, a) not in reachable(graph)
    }


@given(graph=edges)
@settings(max_examples=60)
def test_negation_inside_recursion_is_decided_on_ground_atoms(graph: set[tuple[int, int]]) -> None:
    """A node is won if some edge leads to one that is not; edges go upwards, so there are no cycles."""
    upwards = {(a, b) for a, b in graph if a < b}
    won: set[int] = set()
    for node in reversed(range(6)):
        if any(a == node and b not in won for a, b in upwards):
            won.add(node)
    rules = "(<= (won ?x) (edge ?x ?y) (not (won ?y)))" + "".join(f"(edge {a} {b})" for a, b in upwards)
    assert answers(f"{rules} (<= (init ?x) (won ?x))") == set(map(str, won))


@pytest.mark.parametrize("name", TRACED)
def test_recorded_playouts_are_reproduced(name: str) -> None:
    text = real_sheets()[name].read_text(encoding="utf-8")
    with gzip.open(traces()[name]) as file:
        trace = json.load(file)
    game = Interpreter(parse_rules(text))
    assert list(game.roles) == trace["roles"]
    for playout in trace["playouts"][:2]:
        position = game.initial()
        for step in playout["steps"][:12]:
            assert position == {parse_term(fact).args[0] for fact in step["state"]}  # type: ignore[union-attr]
            assert game.terminal(position) == step["terminal"]
            if step["terminal"]:
                assert list(game.goals(position)) == step["goals"]
                break
            assert [set(game.legal(position, role)) for role in game.roles] == [set(terms(*m)) for m in step["legal"]]
            position = game.next(position, terms(*step["moves"]))
