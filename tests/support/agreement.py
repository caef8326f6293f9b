"""Compares a network with the oracle: random games side by side, and what a line of moves earns."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np

from ludens.propnet.base.arrays import BoolArray
from ludens.propnet.gdl.interpreter import Interpreter, State
from ludens.propnet.gdl.parser import parse_rules, parse_term
from ludens.propnet.gdl.syntax import RuleSheet
from ludens.propnet.network.evaluate import Evaluator
from ludens.propnet.network.propnet import Propnet


def earned_by(rules: RuleSheet, net: Propnet, moves: Sequence[int]) -> int:
    """What moves of a puzzle earn by the oracle; fails if one is not legal or the last does not end the game."""
    oracle = Interpreter(rules)
    state = oracle.initial()
    for move in moves:
        assert not oracle.terminal(state)
        term = parse_term(net.moves[0][move])
        assert term in oracle.legal(state, net.roles[0])
        state = oracle.next(state, [term])
    assert oracle.terminal(state)
    [goal] = oracle.goals(state)
    assert goal is not None
    return goal


def assert_agreement(net: Propnet, rules: RuleSheet | str, games: int = 3, length: int = 12) -> None:
    """Fails unless the network says the same as the oracle of every state of some random games."""
    sheet = parse_rules(rules) if isinstance(rules, str) else rules
    oracle, evaluator, dice = Interpreter(sheet), Evaluator(net), random.Random(1)
    assert net.roles == sheet.roles
    for _ in range(games):
        state, bits = oracle.initial(), net.initial
        for _ in range(length):
            _assert_same_facts(net, bits, state)
            assert bool(evaluator.terminal(bits)) == oracle.terminal(state)
            assert _goals(evaluator, bits) == oracle.goals(state)
            legal = [sorted(map(str, oracle.legal(state, role))) for role in net.roles]
            assert _legal(net, evaluator, bits) == legal
            if oracle.terminal(state) or not all(legal):
                break
            joint = [dice.choice(moves) for moves in legal]
            bits = evaluator.next(bits, [moves.index(move) for moves, move in zip(net.moves, joint, strict=True)])
            state = oracle.next(state, [parse_term(move) for move in joint])


def _assert_same_facts(net: Propnet, bits: BoolArray, state: State) -> None:
    facts = set(map(str, state))
    assert dict(zip(net.propositions, bits.tolist(), strict=True)) == {p: p in facts for p in net.propositions}


def _goals(evaluator: Evaluator, bits: BoolArray) -> tuple[int | None, ...]:
    return tuple(None if goal < 0 else int(goal) for goal in evaluator.goals(bits))


def _legal(net: Propnet, evaluator: Evaluator, bits: BoolArray) -> list[list[str]]:
    holds = evaluator.legal_by_role(bits)
    return [sorted(np.array(moves, dtype=object)[h].tolist()) for moves, h in zip(net.moves, holds, strict=True)]
