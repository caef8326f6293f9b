"""Exclusion: groups of propositions of which at most one holds, or at least one, in every state of play: proven.

Facts of one form that differ in one argument are a group: what stands on a square, the step that has been reached. A
claim about a group is proven by induction over the steps of play, all claims at once: those that hold in the first
state are assumed of a state, and clingo, as a SAT solver, looks for legal moves after which one of them does not hold.
Claims that fail are given up until none does. What is left holds in all states that play can reach. Random games come
first, since each state of theirs may give up many claims at once. The effort is bounded in conflicts and in moves, not
in time, so that the answer is the same on every machine.

Source: C. Flanagan, K. R. M. Leino, "Houdini, an Annotation Assistant for ESC/Java", 2001.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import inf

import numpy as np
from clingo.backend import HeuristicType

from ludens.propnet.analysis.network_rules import MOST_GATES, NetworkRules, new_solver
from ludens.propnet.gdl.parser import read_fact
from ludens.propnet.gdl.syntax import Function
from ludens.propnet.network.propnet import Propnet
from ludens.propnet.network.sampling import sample_states

_MOST_GROUPS = 2000
_GAMES, _STEPS = 32, 50  # random games, and moves of each


@dataclass(frozen=True, slots=True)
class Exclusion:
    """What is proven of groups of propositions, each by their indices in ascending order."""

    at_most_one: frozenset[tuple[int, ...]]
    at_least_one: frozenset[tuple[int, ...]]

    def at_most(self, group: Iterable[int]) -> bool:
        """Whether at most one of a group that was asked for ever holds."""
        return tuple(sorted(group)) in self.at_most_one

    def exactly(self, group: Iterable[int]) -> bool:
        """Whether always exactly one of a group that was asked for holds, so that each follows from the others."""
        return self.at_most(group) and tuple(sorted(group)) in self.at_least_one


def exclusion(net: Propnet, wanted: Iterable[Iterable[int]]) -> Exclusion:
    """Returns what can be proven of some groups, at first by themselves, and if that fails, with those of all forms."""
    asked = list(dict.fromkeys(tuple(sorted(group)) for group in wanted))
    found = _proven(net, asked)
    if all(group in found.at_most_one for group in asked) or len(net.gates) > MOST_GATES:
        return found
    return _proven(net, list(dict.fromkeys([*asked, *groups_of(net)])))


def _proven(net: Propnet, groups: Sequence[tuple[int, ...]]) -> Exclusion:
    if not 0 < len(groups) <= _MOST_GROUPS:
        return Exclusion(frozenset(), frozenset())
    played, _ = sample_states(net, _GAMES, _STEPS, seconds=inf)
    states = np.concatenate([net.initial[None], played])
    counts = [states[:, list(group)].sum(axis=1) for group in groups]
    claims = [_Claim(group, True) for group, count in zip(groups, counts, strict=True) if count.max() <= 1]
    claims += [_Claim(group, False) for group, count in zip(groups, counts, strict=True) if count.min() >= 1]
    proven = _Step(net, claims).proven()
    return Exclusion(
        frozenset(claim.group for claim in proven if claim.at_most),
        frozenset(claim.group for claim in proven if not claim.at_most),
    )


def groups_of(net: Propnet) -> list[tuple[int, ...]]:
    """Returns the groups: propositions of one form that differ in one argument alone."""
    found: dict[tuple[str, int, tuple[str, ...]], list[int]] = defaultdict(list)
    for proposition, text in enumerate(net.propositions):
        term = read_fact(text)
        if isinstance(term, Function):
            words = tuple(map(str, term.args))
            for place in range(len(words)):
                found[f"{term.name}/{len(words)}", place, words[:place] + words[place + 1 :]].append(proposition)
    return list(dict.fromkeys(tuple(group) for group in found.values() if len(group) > 1))


@dataclass(frozen=True, slots=True)
class _Claim:
    group: tuple[int, ...]
    at_most: bool  # at most one of the group holds, else at least one


class _Step:
    """One step of play as a logic program, from any state of which the assumed claims hold."""

    def __init__(self, net: Propnet, claims: Sequence[_Claim]) -> None:
        self._net, self._claims = net, claims
        self._control = new_solver()
        self._control.configuration.solver.heuristic = "Domain"  # type: ignore[union-attr]  # see _add_claims
        with self._control.backend() as backend:
            self._rules = NetworkRules(backend, net)
            self._add_moves()
            self._assumed = [backend.add_atom() for _ in claims]
            self._failed = [backend.add_atom() for _ in claims]
            self._add_claims()

    def proven(self) -> list[_Claim]:
        """Returns the claims that follow from each other; none if the solver gives up."""
        left = set(range(len(self._claims)))
        while left:
            assumptions = [atom if i in left else -atom for i, atom in enumerate(self._assumed)]
            with self._control.solve(assumptions, yield_=True) as handle:
                model = handle.model()
                if model is None:
                    return [self._claims[i] for i in sorted(left)] if handle.get().unsatisfiable else []
                left -= {i for i in left if model.is_true(self._failed[i])}
        return []

    def _add_moves(self) -> None:
        """Lets every role make one legal move, where the game is not over."""
        net, rules = self._net, self._rules
        rules.forbid(rules.literal(net.terminal))
        first = 1 + net.state_bits
        for move, legal in enumerate(net.legal.tolist(), first):
            rules.forbid(rules.atoms[move], -rules.literal(legal))
        for moves in net.moves:
            made = rules.atoms[first : first + len(moves)]
            rules.forbid(rules.counted(made, 2))
            rules.forbid(-rules.counted(made, 1))
            first += len(moves)

    def _add_claims(self) -> None:
        rules = self._rules
        rules.backend.add_rule(self._assumed, choice=True)
        for claim, assumed, failed in zip(self._claims, self._assumed, self._failed, strict=True):
            before = rules.propositions(claim.group)
            after = [rules.literal(int(self._net.next[proposition])) for proposition in claim.group]
            count = 2 if claim.at_most else 1
            sign = 1 if claim.at_most else -1
            rules.forbid(assumed, sign * rules.counted(before, count))
            rules.backend.add_rule([failed], [assumed, sign * rules.counted(after, count)])
            rules.backend.add_heuristic(
                failed, HeuristicType.Sign, 1, 1, []
            )  # many at once, where it is free to choose
        rules.forbid(-rules.either(*([failed] for failed in self._failed)))
