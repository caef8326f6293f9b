"""The propositional network: a game as a Boolean circuit, in one frozen struct of integer arrays.

The circuit is an and-inverter graph in the numbering of the AIGER format (Biere, "The AIGER And-Inverter
Graph Format", 2007): variable 0 is the constant false, then come the inputs, then the gates in topological
order; a *literal* is twice a variable, plus one if it is negated. Hence literal 0 is false and 1 is true.

    variables   0 | 1 … S          | S+1 … S+M        | S+M+1 … S+M+F | S+M+F+1 … S+M+F+G
                  | state bits     | moves, by role   | feedback      | gates

S state bits (propositions), M moves of all roles together, F feedback inputs, G gates.
Strings stand in the name tables only: between reading rules and answering a move, all is integers.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import NamedTuple

import numpy as np

from ludens.propnet.base.arrays import BoolArray, Int32Array

FALSE, TRUE = 0, 1
"""The constant literals."""


class FeatureName(NamedTuple):
    """The name of a feature of evaluations, which does not change when the rules are scrambled."""

    what: str  # what it tells, without symbols of the rules: roles and phases of control by their numbers
    about: str = ""  # the text of the proposition that it is about, if any


@dataclass(frozen=True, slots=True, eq=False)
class Propnet:
    """One game as a circuit, immutable: its arrays are read-only. Literals are those of the module docstring.

    Loops: some games derive ground atoms from themselves through positive recursion. Each strongly connected
    component is cut at feedback inputs; its gates stand together as `gates[first_gate:last_gate]`. Its meaning
    is the least fixpoint: set its feedback inputs to false, evaluate those gates, copy `feedback` literals to
    the inputs, and repeat until nothing changes (they only ever rise, so it ends).
    """

    roles: tuple[str, ...]
    propositions: tuple[str, ...]  # S texts of facts, such as "(cell 1 1 b)"; the index is the state bit
    moves: tuple[tuple[str, ...], ...]  # for each role the texts of its moves; the index is the move
    initial: BoolArray  # [S] the first state
    gates: Int32Array  # [G, 2] the two literals whose conjunction gate g is
    next: Int32Array  # [S] literal of each proposition in the next state
    legal: Int32Array  # [M] literal of each move being legal, role after role
    terminal: int  # literal
    goal_role: Int32Array  # [K] role index of each goal
    goal_value: Int32Array  # [K] its value, 0 … 100
    goal_literal: Int32Array  # [K] its literal
    feedback: Int32Array  # [F] literal that drives each feedback input
    loops: Int32Array  # [L, 4] first and past-last gate, first and past-last feedback input, of each loop
    playable: Int32Array | None = None  # [M] literal of each move being one that random play may choose; None: legal
    machine_policy: str = ""  # what random games prefer of these moves, in `native/playout_policies.h`; empty: nothing
    features: Int32Array = field(default_factory=lambda: np.empty(0, np.int32))  # literals that evaluations see as well
    feature_names: tuple[FeatureName, ...] = ()  # of each of these

    def __post_init__(self) -> None:
        for value in self._values():
            if isinstance(value, np.ndarray):
                value.setflags(write=False)

    def __reduce__(self) -> tuple[type[Propnet], tuple[object, ...]]:
        return Propnet, self._values()  # unpickled arrays are writable, unless they pass through __init__

    def _values(self) -> tuple[object, ...]:
        return tuple(getattr(self, each.name) for each in fields(self))

    @property
    def state_bits(self) -> int:
        """S, the number of propositions."""
        return len(self.propositions)

    @property
    def move_count(self) -> int:
        """M, the number of moves of all roles together."""
        return sum(map(len, self.moves))

    def by_role(self, rows: BoolArray) -> list[BoolArray]:
        """Splits rows [..., M] over all moves: for each role [..., its moves]."""
        return np.split(rows, np.cumsum([*map(len, self.moves)])[:-1], axis=-1)

    @property
    def choices(self) -> Int32Array:
        """[M] literal of each move being playable in random games; there is one wherever a move is legal."""
        return self.legal if self.playable is None else self.playable

    @property
    def first_gate(self) -> int:
        """The variable of gate 0."""
        return 1 + self.state_bits + self.move_count + len(self.feedback)
