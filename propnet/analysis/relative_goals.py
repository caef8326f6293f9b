"""Relative goals: what a role of two gets less what the other one gets, as gates over the present state.

Whoever plays for them plays a game of constant sum, in which what one gains the other loses: minimax, regret matching
and proofs by one role's goal then hold as they do nowhere else (von Neumann, "Zur Theorie der Gesellschaftsspiele",
1928). To get as much as the other is worth 50, whether both get much or little.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from itertools import product

import numpy as np

from ludens.propnet.base.errors import LudensError
from ludens.propnet.network.propnet import FALSE, Propnet
from ludens.propnet.passes.binary import Gates

_MOST_PAIRS = 4096  # of both roles' goals, each of which is a gate
_EVEN = 50  # what both get that get the same; and what a role without a goal has


class RelativeGoalsError(LudensError):
    """The goals of a network cannot be compared."""


def relative_goal(mine: int, theirs: int) -> int:
    """Returns 50 and half of what a role of two is ahead; halves are rounded away from 50, so that it stays ahead."""
    half = (abs(mine - theirs) + 1) // 2
    return _EVEN + half if mine > theirs else _EVEN - half


def with_relative_goals(net: Propnet) -> Propnet:
    """Returns the network of the same game with the relative goals of two roles (`relative_goal`), which sum to 100.

    A role without a goal counts as having 50. Raises `RelativeGoalsError` for other numbers of roles than two, and for
    very many goals.
    """
    if len(net.roles) != 2:
        raise RelativeGoalsError(f"relative goals are for two roles, and this game has {len(net.roles)}")
    gates = Gates(net.first_gate + len(net.gates))
    own, other = (_goals(net, role, gates) for role in (0, 1))
    if len(own) * len(other) > _MOST_PAIRS:
        raise RelativeGoalsError(f"{len(own)} and {len(other)} different goals are too many to compare")
    pairs: dict[int, list[int]] = defaultdict(list)
    for (mine, holds), (theirs, also) in product(own.items(), other.items()):
        if (both := gates.conjunction(holds, also)) != FALSE:
            pairs[relative_goal(mine, theirs)].append(both)
    values = np.array(sorted(pairs), np.int32)
    literals = np.array([_either(gates, pairs[value]) for value in sorted(pairs)], np.int32)
    return replace(
        net,
        gates=np.concatenate([net.gates, np.array(gates.gates, np.int32).reshape(-1, 2)]),
        goal_role=np.repeat(np.array([0, 1], np.int32), len(values)),
        goal_value=np.concatenate([values, 2 * _EVEN - values]),
        goal_literal=np.tile(literals, 2),
    )


def sums_to_100(net: Propnet) -> bool:
    """Says whether goals of two roles sum to 100 since each goal of one is, by its literal, the rest for the other.

    As `NetworkGame::constant_sum` of the native core does, before a game is made. `constant_sum` proves more.
    """
    first, second = (
        sorted(
            (int(value) if role == 0 else 2 * _EVEN - int(value), int(literal))
            for of, value, literal in zip(net.goal_role, net.goal_value, net.goal_literal, strict=True)
            if of == role and literal != FALSE
        )
        for role in (0, 1)
    )
    return len(net.roles) == 2 and first == second


def goal_range(net: Propnet) -> tuple[int, int]:
    """Returns the lowest and the highest relative goal of the first of two roles, if goals come in all pairs."""
    own, other = ([_EVEN, *net.goal_value[net.goal_role == role].tolist()] for role in (0, 1))
    return relative_goal(min(own), max(other)), relative_goal(max(own), min(other))


def _goals(net: Propnet, role: int, gates: Gates) -> dict[int, int]:
    """Returns the literal of each value that a role's goal may have."""
    ways: dict[int, list[int]] = defaultdict(list)
    for of, value, literal in zip(net.goal_role, net.goal_value, net.goal_literal, strict=True):
        if of == role and literal != FALSE:
            ways[int(value)].append(int(literal))
    none = _either(gates, (literal for literals in ways.values() for literal in literals)) ^ 1
    if none != FALSE:
        ways[_EVEN].append(none)
    return {value: _either(gates, literals) for value, literals in ways.items()}


def _either(gates: Gates, literals: Iterable[int]) -> int:
    """Returns the literal of a disjunction, which is false of nothing."""
    inputs = sorted({literal ^ 1 for literal in literals})
    return gates.tree(inputs) ^ 1 if inputs else FALSE
