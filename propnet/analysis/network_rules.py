"""The gates of a network as rules of a logic program, so that clingo can look for states, as a SAT solver."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import clingo

from ludens.propnet.network.propnet import Propnet

MOST_CONFLICTS = 30_000  # of one search: a bound that is the same on every machine, as none of time would be
MOST_GATES = 20_000  # of networks of which all groups of propositions are looked at


def new_solver() -> clingo.Control:
    """Returns a solver that gives up after `MOST_CONFLICTS`."""
    return clingo.Control([f"--solve-limit={MOST_CONFLICTS}"])


class NetworkRules:
    """The rules of a network: its propositions and moves hold or not, and its gates follow from them."""

    def __init__(self, backend: clingo.Backend, net: Propnet) -> None:
        """Adds the rules by way of `backend`, which must be open as long as more are added."""
        self.backend = backend
        self.atoms = [backend.add_atom() for _ in range(net.first_gate + len(net.gates))]
        backend.add_rule(self.atoms[1 : net.first_gate], choice=True)  # inputs; the constant has no rule
        for atom, (a, b) in zip(self.atoms[net.first_gate :], net.gates.tolist(), strict=True):
            backend.add_rule([atom], [self.literal(a), self.literal(b)])
        feedback = self.atoms[net.first_gate - len(net.feedback) : net.first_gate]
        for atom, driver in zip(feedback, net.feedback.tolist(), strict=True):  # any fixpoint, not just the least one
            self.forbid(atom, -self.literal(driver))
            self.forbid(-atom, self.literal(driver))

    def literal(self, literal: int) -> int:
        """Returns the literal of clingo for one of the network."""
        atom: int = self.atoms[literal >> 1]
        return -atom if literal & 1 else atom

    def propositions(self, group: Iterable[int]) -> list[int]:
        """Returns the atoms of some propositions in the present state."""
        return [self.atoms[1 + proposition] for proposition in group]

    def forbid(self, *literals: int) -> None:
        """Has literals never hold together."""
        self.backend.add_rule([], literals)

    def either(self, *ways: Sequence[int]) -> int:
        """Returns an atom that holds where all literals of one of these ways hold."""
        atom: int = self.backend.add_atom()
        for literals in ways:
            self.backend.add_rule([atom], literals)
        return atom

    def counted(self, literals: Sequence[int], least: int) -> int:
        """Returns an atom that holds where so many of some literals do."""
        atom: int = self.backend.add_atom()
        self.backend.add_weight_rule([atom], least, [(literal, 1) for literal in literals])
        return atom
