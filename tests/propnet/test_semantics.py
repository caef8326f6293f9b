"""What sloppy rule sheets mean: written down by hand, and the same on every machine.

Each test gives a sheet and the games that it should allow, state for state. The oracle, the network and the
machine that interprets rules must all see exactly these.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import pytest

from ludens.native.core import Game
from ludens.propnet.compile.loader import compile_rules
from ludens.propnet.gdl.check import check
from ludens.propnet.gdl.interpreter import Interpreter
from ludens.propnet.gdl.parser import parse_rules, parse_term
from ludens.propnet.gdl.syntax import RuleSheet
from ludens.propnet.rewrite import narrow, plain
from ludens.propnet.rewrite.rule_program import compile_program
from scripts.common.replay import Comparison, RulesNames, Step

Machine = Callable[[RuleSheet, Sequence[Step]], list[str]]


def on_the_oracle(sheet: RuleSheet, steps: Sequence[Step]) -> list[str]:
    return list(_oracle_differences(Interpreter(sheet), steps))


def _oracle_differences(oracle: Interpreter, steps: Sequence[Step]) -> Iterator[str]:
    state = oracle.initial()
    for place, step in enumerate(steps):
        legal = () if step.terminal else tuple(frozenset(oracle.legal(state, role)) for role in oracle.roles)
        if state != step.state:
            yield f"step {place}: state {sorted(map(str, state))}"
        if oracle.terminal(state) != step.terminal or legal != tuple(map(frozenset, step.legal)):
            yield f"step {place}: terminal {oracle.terminal(state)}, legal {legal}"
        if step.goals is not None and oracle.goals(state) != step.goals:
            yield f"step {place}: goals {oracle.goals(state)}"
        if step.moves is not None:
            state = oracle.next(state, step.moves)


def on_the_narrow_network(sheet: RuleSheet, steps: Sequence[Step]) -> list[str]:
    return Comparison.of_network(compile_rules(narrow(sheet), lambda _line: None).net).disagreements(steps)


def on_the_plain_network(sheet: RuleSheet, steps: Sequence[Step]) -> list[str]:
    return Comparison.of_network(compile_rules(plain(sheet), lambda _line: None).net).disagreements(steps)


def on_the_rule_machine(sheet: RuleSheet, steps: Sequence[Step]) -> list[str]:
    game = Game.from_rules(compile_program(sheet))
    return Comparison(game, RulesNames(game, sheet.roles)).disagreements(steps)


@pytest.fixture(params=[on_the_oracle, on_the_narrow_network, on_the_plain_network, on_the_rule_machine])
def machine(request: pytest.FixtureRequest) -> Machine:
    chosen: Machine = request.param
    return chosen


def state(
    *facts: str, legal: Sequence[str] = (), play: str | None = None, goals: tuple[int | None, ...] | None = None
) -> Step:
    """A state; `legal` is a text of moves for each role and `play` the joint move, none of them compound."""
    return Step(
        state=frozenset(map(parse_term, facts)),
        terminal=not legal,
        legal=tuple(tuple(map(parse_term, moves.split())) for moves in legal),
        goals=goals,
        moves=tuple(map(parse_term, play.split())) if play else None,
    )


def differences(machine: Machine, text: str, *steps: Step) -> list[str]:
    sheet = parse_rules(text)
    check(sheet)
    return machine(sheet, steps)


SWITCH = """
(<= (next on) (does p flip) (not (true on)))
(<= (next on) (does p wait) (true on))
(<= terminal (true over)) (<= (next over) (true on) (does p flip))
"""


def test_a_move_that_no_rule_reads_is_legal_all_the_same_and_changes_nothing(machine: Machine) -> None:
    text = "(role p) (legal p flip) (legal p wait) (legal p sing) (init on)" + SWITCH
    first = state("on", legal=["flip wait sing"], play="sing", goals=(None,))
    assert differences(machine, text, first, state(legal=["flip wait sing"])) == []


def test_a_move_needs_no_input_declaration(machine: Machine) -> None:
    text = "(role p) (input p wait) (legal p flip) (legal p wait)" + SWITCH
    assert differences(machine, text, state(legal=["flip wait"], play="flip"), state("on", legal=["flip wait"])) == []


def test_a_declared_input_that_is_never_legal_is_no_move(machine: Machine) -> None:
    text = "(role p) (input p wait) (input p flip) (input p fly) (legal p flip) (legal p wait)" + SWITCH
    assert differences(machine, text, state(legal=["flip wait"])) == []


def test_a_fact_needs_no_base_declaration_and_a_declared_one_need_not_be(machine: Machine) -> None:
    text = "(role p) (base off) (base ghost) (legal p flip) (legal p wait)" + SWITCH
    first = state(legal=["flip wait"], play="flip")
    assert differences(machine, text, first, state("on", legal=["flip wait"], play="flip"), state("over")) == []


def test_who_is_no_role_has_no_moves_and_no_goals(machine: Machine) -> None:
    text = "(role p) (legal p flip) (legal ghost fly) (goal ghost 100) (goal p 30)" + SWITCH
    assert differences(machine, text, state(legal=["flip"], goals=(30,))) == []


def test_one_goal_by_two_rules_is_one_goal(machine: Machine) -> None:
    text = "(role p) (init on) (legal p wait) (<= (goal p 70) (true on)) (goal p 70)" + SWITCH
    assert differences(machine, text, state("on", legal=["wait"], goals=(70,))) == []


def test_two_goals_of_different_value_are_none(machine: Machine) -> None:
    text = "(role p) (init on) (legal p wait) (<= (goal p 70) (true on)) (goal p 30)" + SWITCH
    assert differences(machine, text, state("on", legal=["wait"], goals=(None,))) == []


def test_goals_may_be_undefined_before_the_end(machine: Machine) -> None:
    text = "(role p) (role q) (init on) (legal p flip) (legal q noop) (<= (goal ?r 100) (role ?r) (true over))" + SWITCH
    first = state("on", legal=["flip", "noop"], play="flip noop", goals=(None, None))
    assert differences(machine, text, first, state("over", goals=(100, 100))) == []


def test_a_goal_that_no_manager_can_pay_out_is_none(machine: Machine) -> None:
    text = "(role p) (role q) (init on) (worth p 101) (worth q much) (legal p wait) (legal q wait)"
    text += "(<= (goal ?r ?v) (worth ?r ?v))" + SWITCH
    assert differences(machine, text, state("on", legal=["wait", "wait"], goals=(None, None))) == []


def test_goals_that_cannot_be_paid_out_do_not_count_beside_one_that_can(machine: Machine) -> None:
    text = "(role p) (legal p flip) (goal p 30) (<= (goal p ?v) (worth ?v))" + SWITCH
    text += "(worth 101) (worth -1) (worth 050) (worth much) (worth (a lot))"
    assert differences(machine, text, state(legal=["flip"], goals=(30,))) == []


def test_init_follows_rules(machine: Machine) -> None:
    text = "(role p) (legal p wait) (size 1) (size 2) (<= (init (pile ?n)) (size ?n) (not (small ?n))) (small 1)"
    text += "(<= (next (pile ?n)) (true (pile ?n))) (<= terminal (true (pile 1)))"
    assert (
        differences(machine, text, state("(pile 2)", legal=["wait"], play="wait"), state("(pile 2)", legal=["wait"]))
        == []
    )


def test_without_init_a_match_begins_with_nothing(machine: Machine) -> None:
    text = "(role p) (legal p flip) (legal p wait)" + SWITCH
    assert differences(machine, text, state(legal=["flip wait"], play="flip"), state("on", legal=["flip wait"])) == []


def test_roles_count_in_the_order_of_the_sheet_wherever_they_stand(machine: Machine) -> None:
    text = """
    (<= (next (said ?r ?m)) (does ?r ?m)) (legal a one) (role z) (legal z two) (<= terminal (true (said ?r ?m)))
    (goal a 1) (role a) (goal z 2) (role z)
    """
    first = state(legal=["two", "one"], play="two one", goals=(2, 1))
    assert differences(machine, text, first, state("(said z two)", "(said a one)", goals=(2, 1))) == []


def test_rules_may_stand_in_any_order_and_test_variables_before_they_are_bound(machine: Machine) -> None:
    text = """
    (<= (legal p ?m) (not (true (used ?m))) (distinct ?m c) (move ?m)) (<= terminal (true (used b)))
    (move a) (move b) (move c) (<= (next (used ?m)) (true (used ?m))) (<= (next (used ?m)) (does p ?m)) (role p)
    """
    first = state(legal=["a b"], play="a")
    assert (
        differences(machine, text, first, state("(used a)", legal=["b"], play="b"), state("(used a)", "(used b)")) == []
    )


def test_the_end_is_the_end_though_moves_are_still_legal(machine: Machine) -> None:
    text = "(role p) (init over) (legal p flip) (goal p 60)" + SWITCH
    assert differences(machine, text, state("over", goals=(60,))) == []


def test_case_tells_symbols_apart_but_not_keywords(machine: Machine) -> None:
    text = """
    (ROLE p) (INIT (Cell a)) (Legal p Go) (legal p go) (<= (NEXT (cell ?x)) (TRUE (Cell ?x)) (DOES p Go))
    (<= Terminal (true (cell a)))
    """
    first = state("(Cell a)", legal=["Go go"], play="Go")
    assert differences(machine, text, first, state("(cell a)")) == []


def test_an_atom_without_arguments_may_have_parentheses_or_not(machine: Machine) -> None:
    text = "(role p) (init (on)) (legal p (wait)) (<= (won) (true on)) (<= (goal p 90) won)" + SWITCH
    assert differences(machine, text, state("on", legal=["wait"], goals=(90,))) == []


def test_a_variable_may_stand_for_a_whole_fact_or_a_whole_move(machine: Machine) -> None:
    text = """
    (role p) (role q) (init (at 1)) (init here) (legal p stay) (legal p go) (legal q stay)
    (<= (next ?fact) (true ?fact) (does q ?m) (does p ?m)) (<= terminal (not (true here)))
    """
    first = state("(at 1)", "here", legal=["stay go", "stay"], play="stay stay")
    second = state("(at 1)", "here", legal=["stay go", "stay"], play="go stay")
    assert differences(machine, text, first, second, state()) == []


def test_what_a_role_did_not_do_can_be_asked(machine: Machine) -> None:
    text = """
    (role p) (init calm) (legal p shout) (legal p wait) (<= (next calm) (not (does p shout)))
    (<= terminal (not (true calm)))
    """
    first = state("calm", legal=["shout wait"], play="wait")
    assert differences(machine, text, first, state("calm", legal=["shout wait"], play="shout"), state()) == []


def test_a_goal_may_hold_for_want_of_another(machine: Machine) -> None:
    text = "(role p) (role q) (init on) (legal p flip) (legal q flip) (<= (goal p 0) (true on))"
    text += "(<= (goal ?r 100) (role ?r) (not (goal ?r 0)))" + SWITCH
    assert differences(machine, text, state("on", legal=["flip", "flip"], goals=(0, 100))) == []


def test_a_role_without_a_legal_move_has_none(machine: Machine) -> None:
    text = "(role p) (role q) (init on) (<= (legal q wait) (true off)) (legal p flip)" + SWITCH
    assert differences(machine, text, state("on", legal=["flip", ""])) == []


def test_disjunctions_may_share_a_variable_that_neither_binds_for_sure(machine: Machine) -> None:
    text = """
    (role p) (init on) (legal p flip) (left a) (right b)
    (<= (goal p 40) (or (left ?x) (true off)) (or (right ?x) (true off)))
    (<= (goal p 60) (or (left ?x) (true off)) (or (right ?x) (true on)))
    """
    assert differences(machine, text + SWITCH, state("on", legal=["flip"], goals=(60,))) == []
