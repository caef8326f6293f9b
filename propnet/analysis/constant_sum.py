"""Whether the goals of two roles sum to 100 wherever a game is over: proven, never sampled.

What holds of groups of propositions in every state of play (`exclusion`) is assumed of a state in which the game is
over, and clingo looks for one whose goals sum to anything else. A role of which no goal holds, or several, counts as
having 50.
"""

from __future__ import annotations

from collections import defaultdict

from ludens.propnet.analysis.exclusion import exclusion, groups_of
from ludens.propnet.analysis.network_rules import MOST_GATES, NetworkRules, new_solver
from ludens.propnet.network.propnet import Propnet

_SUM = 100


def has_constant_sum(net: Propnet) -> bool:
    """Returns whether a proof was found; games of other numbers of roles than two have none."""
    if len(net.roles) != 2 or len(net.gates) > MOST_GATES:
        return False
    known = exclusion(net, groups_of(net))
    solver = new_solver()
    with solver.backend() as backend:
        rules = NetworkRules(backend, net)
        rules.forbid(-rules.literal(net.terminal))
        for group in known.at_most_one:
            rules.forbid(rules.counted(rules.propositions(group), 2))
        for group in known.at_least_one:
            rules.forbid(-rules.counted(rules.propositions(group), 1))
        first, other = (_worth(rules, net, role) for role in (0, 1))
        for value, holds in first.items():
            if _SUM - value in other:
                rules.forbid(holds, other[_SUM - value])
    return bool(solver.solve().unsatisfiable)


def _worth(rules: NetworkRules, net: Propnet, role: int) -> dict[int, int]:
    """Returns by their values the atoms of what a state is worth to a role, of which always one holds."""
    ways: dict[int, list[list[int]]] = defaultdict(list)
    for of, value, literal in zip(net.goal_role, net.goal_value, net.goal_literal, strict=True):
        if of == role:
            ways[int(value)].append([rules.literal(int(literal))])
    goals = {value: rules.either(*literals) for value, literals in ways.items()}
    several = rules.counted(list(goals.values()), 2)
    worth = {value: [[goal, -several]] for value, goal in goals.items()}
    worth.setdefault(_SUM // 2, []).extend([[several], [-goal for goal in goals.values()]])
    return {value: rules.either(*literals) for value, literals in worth.items()}
