"""Threats as features for evaluations: propositions that are all that a role lacks to have won.

For a proposition p and a role, the threat holds in states that are not over, in which p does not hold but still
may come to, and the role would have won if it did: the cofactor of its win with respect to p. In games of placing
stones these are the squares that complete a line, whose parity decides connect four (Allis, "A Knowledge-based
Approach of Connect-Four", 1988), and what threat-space search is about (Allis, van den Herik and Huntjens,
"Go-Moku Solved by New Search Techniques", 1996).

Rules may look for the lines of one role only, the one that has just moved. Where control comes round, a threat
therefore is one that holds at some phase of the cycle, as if it were that phase now (as in `mobility`).

What can come no more is read off the gates (`dynamics.Inhibitors`): a square that is taken for good is no threat.
A threat that holds in all states of random games, or in none, tells nothing and is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ludens.propnet.analysis.composition import Composition, check_growth
from ludens.propnet.analysis.control import inputs_of
from ludens.propnet.analysis.dynamics import Inhibitors
from ludens.propnet.analysis.turns import cycle, wins
from ludens.propnet.base.clock import now
from ludens.propnet.features.counts import with_features
from ludens.propnet.network.propnet import FALSE, TRUE, FeatureName, Propnet
from ludens.propnet.network.sampling import StatesByStep

_GROWTH = 4  # while composing, against the gates that may remain


@dataclass(frozen=True, slots=True)
class Threat:
    """The literal of a role having won if, besides, a proposition held that does not."""

    role: int
    proposition: int
    literal: int

    def name(self, net: Propnet) -> FeatureName:
        """The name of the feature: the same whatever symbols the rules use."""
        return FeatureName(f"threat {self.role}", net.propositions[self.proposition])


def with_threats(
    net: Propnet, gates: int, seconds: float, steps: StatesByStep, wanted: Callable[[FeatureName], bool] | None = None
) -> Propnet:
    """The network with threats as further `features`; no new ones where no role is ever one proposition short of a win.

    The features are those that are `wanted`, or if that is None those that vary in the states of `steps`. The network
    has at most `gates` gates more, and it takes about `seconds` at most. Raises `CompositionError` otherwise, and
    where the end of the game depends on a loop.
    """
    deadline = now() + seconds
    composition = Composition.from_network(net, _GROWTH * gates, deadline)
    threats = list(_threats(composition))
    if wanted is not None:
        threats = [t for t in threats if wanted(t.name(net))]
    else:
        threats = list(_informative(composition, threats, steps))
    inhibitors = Inhibitors(composition.circuit, deadline)
    literals = [_open(t, inhibitors, composition) for t in threats]
    if not literals:
        return net
    made = with_features(composition, literals, [t.name(net) for t in threats])
    check_growth(len(made.gates) - len(net.gates), gates)
    return made


def _threats(composition: Composition) -> Iterator[Threat]:
    """The threats of all propositions and roles, in states that are not over."""
    circuit = composition.circuit
    won_by = dict(wins(composition))
    turns = cycle(circuit)
    ends = [literal for turn in turns for literal in composition.under(turn, [circuit.terminal, *won_by.values()])]
    if not composition.assume(literal ^ 1 for literal in ends):
        return
    inputs = inputs_of(circuit, [circuit.terminal, *(literal for _, _, literal in circuit.goals)])
    variables = sorted(v for v in inputs if v < circuit.first_move and v not in turns[0])
    won = list(won_by.values())
    rows = [
        list(composition.cofactors(control, won, variables, passes=len(turns) - number))
        for number, control in enumerate(turns)
    ]
    completed = list(zip(*rows, strict=True))
    composition.forget()
    for variable, at_turns in zip(variables, completed, strict=True):
        for role, would_win in zip(won_by, zip(*at_turns, strict=True), strict=True):
            literal = composition.any(would_win)
            if literal not in (FALSE, TRUE):
                yield Threat(role, variable - 1, literal)


def _informative(composition: Composition, threats: Sequence[Threat], steps: StatesByStep) -> Iterator[Threat]:
    """The threats that hold in some states of random games, and not in others."""
    if not threats:
        return
    holds = composition.values([threat.literal for threat in threats], np.concatenate(steps))
    for threat, count in zip(threats, holds.sum(axis=0).tolist(), strict=True):
        if 0 < count < len(holds):
            yield threat


def _open(threat: Threat, inhibitors: Inhibitors, composition: Composition) -> int:
    """The literal of a threat whose proposition does not hold, but may still come to hold."""
    ruled_out = [literal ^ 1 for literal in inhibitors.of(threat.proposition)]
    return composition.all([threat.literal, 2 * (1 + threat.proposition) + 1, *ruled_out])
