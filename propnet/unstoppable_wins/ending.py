"""Adds unstoppable wins to a network, as ends of the game."""

from __future__ import annotations

from dataclasses import replace

from ludens.propnet.analysis.composition import Composition
from ludens.propnet.network.propnet import Propnet
from ludens.propnet.passes import finish, reopen
from ludens.propnet.unstoppable_wins.finding import UnstoppableWins


def with_unstoppable_wins(net: Propnet, wins: UnstoppableWins) -> Propnet:
    """The network of the same game, over as soon as the role to move has one of the `wins`.

    States and moves are the same, and so is what the game is worth in every state.
    """
    circuit = reopen(net)
    composition = Composition(circuit)
    both, either = composition.both, composition.any
    won = composition.insert(wins.gates, [literal for *_, literal in wins.goals])
    early = either(won)
    earned: dict[tuple[int, int], list[int]] = {}
    for (role, value, _), literal in zip(wins.goals, won, strict=True):
        earned.setdefault((role, value), []).append(literal)
    goals = [(role, value, both(literal, early ^ 1)) for role, value, literal in circuit.goals]
    goals += [(*goal, either(literals)) for goal, literals in earned.items()]
    terminal = either([circuit.terminal, early])
    made = replace(circuit, gates=composition.gates, terminal=terminal, goals=goals)
    return replace(finish(made), machine_policy=net.machine_policy)
