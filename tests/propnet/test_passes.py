"""Passes keep what a circuit means, and make of it what they promise."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludens.propnet.network.circuit import Circuit, Gate, Pass
from ludens.propnet.network.evaluate import Evaluator
from ludens.propnet.passes import (
    PASSES,
    binary,
    factor,
    finish,
    needed,
    needed_gates,
    order,
    reopen,
    share,
    unchanging,
    uncut,
)

seeds = st.integers(0, 10**9)
FALSE, TRUE = 0, 1


@dataclass
class Answers:
    """What a circuit says of one state and joint move."""

    next: dict[str, bool]
    legal: set[tuple[int, str]]
    terminal: bool
    goals: set[tuple[int, int]]


def ask(circuit: Circuit, state: dict[str, bool], joint: Sequence[str]) -> Answers:
    moves = [(role, text) for role, texts in enumerate(circuit.moves) for text in texts]
    values = [False, *(state[text] for text in circuit.propositions)]
    values += [joint[role] == text for role, text in moves]

    def holds(literal: int) -> bool:
        return values[literal >> 1] != bool(literal & 1)

    for gate in circuit.gates:
        values.append(all(map(holds, gate)))
    return Answers(
        {text: holds(literal) for text, literal in zip(circuit.propositions, circuit.next, strict=True)},
        {move for move, literal in zip(moves, circuit.legal, strict=True) if holds(literal)},
        holds(circuit.terminal),
        {(role, value) for role, value, literal in circuit.goals if holds(literal)},
    )


def random_circuit(seed: int, gates: int = 30) -> Circuit:
    """Of 6 propositions and two roles with 3 moves each; literals are drawn from all that comes before."""
    dice = random.Random(seed)
    made: list[Gate] = []
    for gate in range(gates):
        width = dice.randint(2, 5)
        made.append(tuple(dice.choice([dice.randrange(26), dice.randrange(26 + 2 * gate)]) for _ in range(width)))

    def any_literals(count: int) -> list[int]:
        return [dice.randrange(2 * (13 + gates)) for _ in range(count)]

    return Circuit(
        roles=("white", "black"),
        propositions=tuple(f"p{i}" for i in range(6)),
        moves=(("a", "b", "c"), ("d", "e", "f")),
        initial=tuple(dice.random() < 0.5 for _ in range(6)),
        gates=made,
        next=any_literals(6),
        legal=any_literals(6),
        terminal=any_literals(1)[0],
        goals=[(role, value, any_literals(1)[0]) for role in (0, 1) for value in (0, 50, 100)],
    )


def joint_move(circuit: Circuit, dice: random.Random, legal: set[tuple[int, str]]) -> list[str]:
    choices = [[text for text in texts if (role, text) in legal] for role, texts in enumerate(circuit.moves)]
    return [dice.choice(choice or [""]) for choice in choices]


def assert_same_everywhere(one: Circuit, other: Circuit, seed: int) -> None:
    dice = random.Random(seed)
    for _ in range(20):
        state = {text: dice.random() < 0.5 for text in one.propositions}
        joint = [dice.choice(texts) for texts in one.moves]
        assert ask(one, state, joint) == ask(other, state, joint)


def assert_same_in_play(one: Circuit, other: Circuit, seed: int) -> None:
    """The same in every state that is met from the first, as far as the other has names for it."""
    dice = random.Random(seed)
    for _ in range(5):
        state = dict(zip(one.propositions, one.initial, strict=True))
        for _ in range(8):
            before = ask(one, state, ["", ""])
            joint = joint_move(one, dice, before.legal)
            expected, answers = ask(one, state, joint), ask(other, state, joint)
            assert (answers.legal, answers.terminal) == (expected.legal, expected.terminal)
            assert answers.goals == expected.goals
            assert answers.next.items() <= expected.next.items()
            state = expected.next


@pytest.mark.parametrize("one_pass", [share, factor, binary, needed_gates])
@given(seed=seeds)
@settings(max_examples=50)
def test_what_holds_stays_the_same_in_all_states(one_pass: Pass, seed: int) -> None:
    circuit = random_circuit(seed)
    assert_same_everywhere(circuit, one_pass(circuit), seed)


@pytest.mark.parametrize("one_pass", [needed, unchanging])
@given(seed=seeds)
@settings(max_examples=50)
def test_what_holds_stays_the_same_in_play(one_pass: Pass, seed: int) -> None:
    circuit = random_circuit(seed)
    assert_same_in_play(circuit, one_pass(circuit), seed)


@given(seeds)
@settings(max_examples=50)
def test_all_passes_together_keep_the_game(seed: int) -> None:
    circuit = random_circuit(seed)
    better = circuit
    for improve in PASSES:
        better = improve(better)
    assert_same_in_play(circuit, better, seed)
    assert all(len(gate) == 2 for gate in better.gates)


@given(seeds)
@settings(max_examples=30)
def test_the_final_arrays_say_what_the_circuit_said(seed: int) -> None:
    circuit = needed(binary(share(random_circuit(seed))))
    net, dice = order(circuit), random.Random(seed)
    evaluator = Evaluator(net)
    for _ in range(5):
        state = {text: dice.random() < 0.5 for text in circuit.propositions}
        bits = net.initial.copy()
        bits[:] = [state[text] for text in net.propositions]
        choice = [dice.randrange(max(1, len(texts))) for texts in net.moves]
        if not all(net.moves):
            continue
        answers = ask(circuit, state, [texts[i] for texts, i in zip(net.moves, choice, strict=True)])
        assert dict(zip(net.propositions, evaluator.next(bits, choice).tolist(), strict=True)) == answers.next
        assert bool(evaluator.terminal(bits)) == ask(circuit, state, ["", ""]).terminal


def game(gates: Sequence[Gate], next_literals: list[int], terminal: int, **fields: object) -> Circuit:
    """One role with the moves a and b (variables 3 and 4) over the propositions p and q (1 and 2)."""
    plain = Circuit(
        ("r",), ("p", "q"), (("a", "b"),), (False, True), gates, next_literals, [TRUE, TRUE], terminal, goals=[]
    )
    return replace(plain, **fields)  # type: ignore[arg-type]


P, Q, A, B, G0, G1, G2, G3, G4 = range(2, 20, 2)


def test_equal_gates_are_shared_and_constants_folded() -> None:
    circuit = share(game([(P, Q), (Q, P, TRUE), (P, P ^ 1), (G0, G1), (G2 ^ 1, Q)], [G3, G4], G2))
    assert circuit.gates == [(P, Q)]
    assert (circuit.next, circuit.terminal) == ([G0, Q], FALSE)


def test_a_common_literal_is_taken_out() -> None:
    ab_or_ac = [(P, A), (P, B), (G0 ^ 1, G1 ^ 1)]
    circuit = factor(game(ab_or_ac, [G2 ^ 1, Q], P))
    assert circuit.gates == [(A ^ 1, B ^ 1), (P, G0 ^ 1)]


def disjunction(cubes: Sequence[Gate], propositions: int) -> Circuit:
    """A game of one role without moves that is over where one of the cubes holds."""
    names, first = tuple(f"p{i}" for i in range(propositions)), 2 * (1 + propositions)
    denied = tuple(range(first + 1, first + 1 + 2 * len(cubes), 2))
    terminal = first + 2 * len(cubes) + 1
    initial, following = (False,) * propositions, [FALSE] * propositions
    return Circuit(("r",), names, ((),), initial, [*cubes, denied], following, [], terminal, [])


def holding(circuit: Circuit, variables: Iterable[int]) -> dict[str, bool]:
    """The state in which the propositions of these variables hold, and no others."""
    return {text: variable in variables for variable, text in enumerate(circuit.propositions, 1)}


def test_all_common_literals_are_taken_out_at_once() -> None:
    common = tuple(range(2, 1002, 2))
    circuit = disjunction([(*common, 1002), (*common, 1004), (*common, 1006)], 503)
    factored = factor(circuit)
    assert factored.gates == [(1003, 1005, 1007), (*common, 1009)]
    everything = {*range(1, 504)}
    for absent in ({1}, {500}, {501}, {501, 502}, {501, 502, 503}):
        state = holding(circuit, everything - absent)
        assert ask(factored, state, []) == ask(circuit, state, [])


def test_what_is_common_to_ever_fewer_conjunctions_is_taken_out_to_the_last() -> None:
    """As in ax + aby + abcz + ..., which is a(x + b(y + c(z + ...)))."""
    stairs = 400
    cubes = [(*range(2, 2 * stair + 2, 2), 2 * (stairs + stair)) for stair in range(1, stairs + 1)]
    circuit = disjunction(cubes, 2 * stairs)
    factored = factor(circuit)
    assert sum(map(len, factored.gates)) < 5 * stairs
    for stair in (1, 2, 399, 400):
        for last in (stair - 1, stair):
            state = holding(circuit, {*range(1, last + 1), stairs + stair})
            assert ask(factored, state, []).terminal == ask(circuit, state, []).terminal == (last == stair)


def test_factoring_does_not_copy_gates_that_others_read() -> None:
    shared = [(P, A), (P, B), (G0 ^ 1, G1 ^ 1)]
    circuit = factor(game(shared, [G2 ^ 1, G0], G1))
    assert len(circuit.gates) == 3


def test_wide_gates_share_all_but_a_few_of_many_literals() -> None:
    literals = range(2, 130, 2)
    moves = tuple(f"m{i}" for i in range(62))
    all_but_one = [tuple(literal for literal in literals if literal != left_out) for left_out in literals]
    gates = [2 * (65 + i) for i in range(64)]
    circuit = game(all_but_one, gates[:2], gates[2], goals=[(0, 0, gate) for gate in gates[3:]], legal=[TRUE] * 62)
    assert len(binary(replace(circuit, moves=(moves,))).gates) < 64 * 2 * 6


def test_trees_of_wide_gates_are_shallow() -> None:
    width = 1024
    names, wide = tuple(map(str, range(width))), [tuple(range(2, 2 * width + 2, 2))]
    tree = binary(Circuit(("r",), names, ((),), (False,) * width, wide, [FALSE] * width, [], P, []))
    depth = [0] * tree.first_gate
    for gate in tree.gates:
        depth.append(1 + max(depth[literal >> 1] for literal in gate))
    assert max(depth) <= 11


def test_a_proposition_that_never_changes_is_a_constant() -> None:
    circuit = needed(share(unchanging(game([(P, A), (Q, B)], [G0, Q], G1))))
    assert circuit.propositions == ()
    assert circuit.terminal == B - 4
    assert not circuit.gates


def test_a_chain_of_changes_is_followed_to_its_end() -> None:
    circuit = game([(Q, A)], [G0, Q ^ 1], P)
    assert unchanging(circuit).next == circuit.next


def test_moves_that_are_never_legal_go_and_unneeded_facts_with_them() -> None:
    circuit = needed(game([(P, A)], [G0, Q ^ 1], P, legal=[TRUE, FALSE]))
    assert circuit.moves == (("a",),)
    assert circuit.propositions == ("p",)


def test_finishing_a_network_again_drops_no_proposition_and_no_move() -> None:
    """Although b turns out never to be legal, since p cannot hold and not hold, and q matters nowhere else."""
    circuit = game([(P, Q), (P ^ 1, G0)], [P, Q ^ 1], P, legal=[TRUE, G1])
    net = finish(circuit)
    assert net.legal.tolist() == [TRUE, FALSE]
    again = finish(reopen(net))
    assert (again.propositions, again.moves) == (net.propositions, net.moves) == (circuit.propositions, circuit.moves)
    assert needed(reopen(net)).propositions == ("p",)


def test_a_loop_that_is_undone_takes_no_proposition_with_it() -> None:
    feedback, first, second = 10, 12, 14
    circuit = game([(feedback, Q), (P, first ^ 1)], [P, Q ^ 1], second, feedback=[FALSE], loop=[0])
    undone = uncut(circuit)
    assert (undone.propositions, undone.moves, undone.feedback) == (circuit.propositions, circuit.moves, [])
    assert undone.terminal == P
