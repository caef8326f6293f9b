"""From ground rules to a circuit: an atom is the disjunction of its rules' bodies.

Atoms are taken in depth-first order from what the game asks for (terminal, goals, legal moves, next state),
so the circuit comes out in topological order. An atom that depends on itself is cut at a feedback input (see
`network.Propnet`). That is right for positive recursion, whose meaning is the least fixpoint; an atom that
depends on its own negation has none, and the rules are refused.

Sources: K. Clark, "Negation as Failure", 1978 (completion); E. Cox et al., "Factoring General Games using
Propositional Automata", 2009.
"""

from __future__ import annotations

import re
from collections import Counter

from ludens.propnet.base.errors import GdlError
from ludens.propnet.compile.grounder import ALWAYS, GroundRules
from ludens.propnet.gdl.check import GOAL_VALUES
from ludens.propnet.gdl.recursion import Bodies, components, depth_first
from ludens.propnet.network.circuit import Circuit
from ludens.propnet.network.propnet import FALSE, TRUE
from ludens.propnet.passes.sharing import Conjunctions


def build(ground: GroundRules, cut_all: bool = False) -> Circuit:
    """The circuit of a ground program, as the rules give it: constants are folded, and no gate is there twice.

    With `cut_all` every atom that depends on itself is a feedback input, not just as many as suffice. Moves are those
    that are legal in the relaxed domain. Goals whose value is not a whole number from 0 to 100 cannot be paid out by
    any Game Manager and are left out. Raises `GdlError` if `init` depends on the state, and `RecursiveNegationError`.
    """
    return _Builder(ground).circuit(cut_all)


def natural(text: str) -> list[str | int]:
    """A sort key that takes runs of digits as numbers: (cell 2 1) before (cell 10 1)."""
    parts: list[str | int] = [*_DIGITS.split(text)]
    parts[1::2] = map(int, parts[1::2])
    return parts


_DIGITS = re.compile(r"([0-9]+)")


class _Builder:
    def __init__(self, ground: GroundRules) -> None:
        self._ground = ground
        self._propositions = tuple(sorted(ground.true, key=natural))
        self._moves = tuple(
            tuple(sorted((move for role, move in ground.legal if role == player), key=natural))
            for player in ground.roles
        )
        self._joint = [(r, m) for r, moves in zip(ground.roles, self._moves, strict=True) for m in moves]
        self._goals = [
            (ground.roles.index(role), int(value), atom)
            for (role, value), atom in ground.goal.items()
            if role in ground.roles and value in GOAL_VALUES
        ]
        self._literal = {ALWAYS: TRUE}  # of each atom a, and of -a, its negation

    def circuit(self, cut_all: bool) -> Circuit:
        ground = self._ground
        legal = [ground.legal[pair] for pair in self._joint]
        inputs = [ground.true[text] for text in self._propositions]
        inputs += [ground.does[pair] for pair in self._joint]
        self._number(inputs, 1)

        bodies = ground.bodies
        goal_atoms = [atom for _, _, atom in self._goals]
        asked = [*ground.init.values(), *ground.terminal, *goal_atoms, *legal, *ground.next.values()]
        order, closing = depth_first(asked, bodies, self._literal)
        loop = components(order, closing, bodies)
        if cut_all:
            sizes = Counter(loop.values())
            closing |= {atom for atom, component in loop.items() if sizes[component] > 1}
        cuts = sorted(closing, key=lambda atom: (loop[atom], atom))
        self._number(cuts, 1 + len(inputs))
        gates = Conjunctions(1 + len(inputs) + len(cuts))
        drivers = self._drivers(order, bodies, gates)

        return Circuit(
            roles=ground.roles,
            propositions=self._propositions,
            moves=self._moves,
            initial=self._initial(),
            gates=gates.gates,
            next=[self._literal[ground.next[p]] if p in ground.next else FALSE for p in self._propositions],
            legal=[self._literal[atom] for atom in legal],
            terminal=max((self._literal[atom] for atom in ground.terminal), default=FALSE),
            goals=[(role, value, self._literal[atom]) for role, value, atom in self._goals],
            feedback=[drivers[atom] for atom in cuts],
            loop=[loop[atom] for atom in cuts],
        )

    def _initial(self) -> tuple[bool, ...]:
        init = {text: self._literal[atom] for text, atom in self._ground.init.items()}
        for text, literal in init.items():
            if literal not in (FALSE, TRUE):
                raise GdlError(f"(init {text}) depends on the state, but init describes the first state")
        return tuple(init.get(text) == TRUE for text in self._propositions)

    def _number(self, atoms: list[int], first: int) -> None:
        """Makes the atoms variables, from `first` on."""
        for variable, atom in enumerate(atoms, first):
            self._literal[atom], self._literal[-atom] = 2 * variable, 2 * variable + 1

    def _drivers(self, order: list[int], bodies: Bodies, gates: Conjunctions) -> dict[int, int]:
        """Adds the gates of the atoms and returns the literal of each atom that has rules of its own."""
        literals = self._literal
        drivers = {}
        for atom in order:
            rules = [
                literals[body[0]] if len(body) == 1 else gates.literal(set(map(literals.__getitem__, body)))
                for body in bodies.get(atom, ())
            ]
            driver = rules[0] if len(rules) == 1 else gates.literal({rule ^ 1 for rule in rules}) ^ 1
            drivers[atom] = driver
            if atom not in literals:
                literals[atom], literals[-atom] = driver, driver ^ 1
        return drivers
