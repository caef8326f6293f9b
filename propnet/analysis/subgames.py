"""Factors as networks of their own, and how the end and the goals depend on them.

The part of the network that says how the game ends is cut where it reads gates that depend on one factor alone:
what these gates stand for are the *concepts* of that factor, such as that there is a line on the left board.
The end and all goals are functions of the concepts of all factors, and of control states. Nothing else in a
factor matters.

A factor's network has its propositions, the free ones, and the moves that represent others in it. It can be
made to show its concepts, or to end and to earn goals where these take certain values.

Source: M. Günther, S. Schiffel, M. Thielscher, "Factoring General Games", 2009 (local and global concepts).
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ludens.propnet.analysis.factors import Factorisation
from ludens.propnet.base.arrays import BoolArray
from ludens.propnet.network.circuit import Circuit, Gate, cone
from ludens.propnet.network.propnet import FALSE, TRUE, Propnet
from ludens.propnet.passes import finish, needed
from ludens.propnet.passes.binary import Gates

Vector = tuple[bool, ...]
"""A value for each concept of a factor."""


@dataclass(frozen=True, slots=True)
class SubGame:
    """The network of one factor, and which state bits and moves of the whole game its own are."""

    net: Propnet
    propositions: npt.NDArray[np.int64]  # [S of net] index in the whole game
    moves: npt.NDArray[np.int64]  # [M of net] counted over all roles of the whole game; -1 for those it has not


class Ends(NamedTuple):
    """What ends a game: by factor, and last of control, the literals that do so alone; and ends of all together.

    `shared` has for each end that is of all factors the literals it asks for, by factor, and last of control.
    """

    alone: Sequence[Sequence[int]]
    shared: Sequence[Sequence[Sequence[int]]]


class Outcome:
    """The end and the goals of a game as functions of the concepts of its factors."""

    def __init__(self, factorisation: Factorisation) -> None:
        """Cuts the network where it reads gates that depend on one factor alone: these are the concepts."""
        self._circuit = circuit = factorisation.circuit
        self._goals = [literal for _, _, literal in circuit.goals]
        owner = {1 + p: i for i, factor in enumerate(factorisation.factors) for p in factor.propositions}
        free, shared = len(factorisation.factors), -1
        owners = [free] * circuit.first_gate  # of each variable
        for variable, place in owner.items():
            owners[variable] = place
        for gate in circuit.gates:
            found = {owners[literal >> 1] for literal in gate} - {free}
            owners.append(free if not found else found.pop() if len(found) == 1 else shared)
        self._mixed: list[int] = []  # variables above the cut, in topological order
        concepts: list[set[int]] = [set() for _ in range(free + 1)]
        pending, visited = [literal >> 1 for literal in (circuit.terminal, *self._goals)], {0}
        while pending:
            variable = pending.pop()
            if variable in visited:
                continue
            visited.add(variable)
            if owners[variable] != shared:
                concepts[owners[variable]].add(variable)
                continue
            self._mixed.append(variable)
            pending += [literal >> 1 for literal in circuit.gates[variable - circuit.first_gate]]
        self._mixed.sort()
        self._owners = owners
        self.concepts = tuple(tuple(sorted(found)) for found in concepts)
        """For each factor, and last for control alone, the variables that the end and the goals ask for."""

    def ends(self) -> Ends | None:
        """What ends the game; None unless each end is of one factor, of control, or asks for a state of each factor."""
        alone: list[list[int]] = [[] for _ in self.concepts]
        shared: list[list[list[int]]] = []
        pending = [self._circuit.terminal]
        while pending:
            literal = pending.pop()
            owner = self._owners[literal >> 1]
            if owner >= 0:
                alone[owner].append(literal)
            elif literal & 1:
                pending += [part ^ 1 for part in self._gate(literal)]
            elif (conjuncts := self._conjuncts(literal)) is not None:
                shared.append(conjuncts)
            else:
                return None
        return Ends(alone, shared)

    def _conjuncts(self, literal: int) -> list[list[int]] | None:
        """What a conjunction asks of each factor, and last of control; None if of some factor alone nothing."""
        found: list[list[int]] = [[] for _ in self.concepts]
        pending = [literal]
        while pending:
            literal = pending.pop()
            owner = self._owners[literal >> 1]
            if owner >= 0:
                found[owner].append(literal)
            elif literal & 1:
                return None
            else:
                pending += self._gate(literal)
        return found if all(found[:-1]) else None

    def _gate(self, literal: int) -> Gate:
        return self._circuit.gates[(literal >> 1) - self._circuit.first_gate]

    def read(self, rows: Sequence[npt.NDArray[np.bool_]]) -> tuple[BoolArray, npt.NDArray[np.int64]]:
        """Works out which rows are ends, bool[n], and the goals, int64[n, R], -1 where none or several hold.

        `rows` gives for each factor, and for control, its concepts: bool[n, concepts].
        """
        count = len(rows[0])
        values: dict[int, BoolArray] = {0: np.zeros(count, np.bool_)}
        for variables, columns in zip(self.concepts, rows, strict=True):
            values |= {variable: columns[:, i] for i, variable in enumerate(variables)}
        for variable in self._mixed:
            a, b = self._circuit.gates[variable - self._circuit.first_gate]
            values[variable] = _value(values, a) & _value(values, b)
        goals = np.full((count, len(self._circuit.roles)), -1)
        contradictory = np.zeros(goals.shape, np.bool_)
        for role, value, literal in self._circuit.goals:
            holds = _value(values, literal)
            contradictory[:, role] |= holds & (goals[:, role] >= 0) & (goals[:, role] != value)
            goals[holds, role] = value
        goals[contradictory] = -1
        return _value(values, self._circuit.terminal), goals


def _value(values: Mapping[int, BoolArray], literal: int) -> BoolArray:
    value: BoolArray = values[literal >> 1] ^ bool(literal & 1)
    return value


class Extraction:
    """Makes networks of one factor, by its place; the place past the last stands for the autonomous propositions."""

    def __init__(self, factorisation: Factorisation, outcome: Outcome, place: int) -> None:
        """Collects the propositions and moves that belong to the factor."""
        self._whole, self._outcome, self._place = factorisation, outcome, place
        self._concepts = outcome.concepts[place]
        self._control_concepts = outcome.concepts[-1] if place < len(factorisation.factors) else ()
        self._factor = factorisation.factors[place] if place < len(factorisation.factors) else None
        own = self._factor.propositions if self._factor else ()
        self._propositions = sorted([*own, *factorisation.free])
        chosen = set(self._factor.moves) if self._factor else set()
        self._moves = [[m for m in moves if m in chosen] or [-1] for moves in factorisation.roles()]
        self._all_moves = [m for moves in self._moves for m in moves]

    def observed(self) -> SubGame:
        """A game without end, with one role more for each concept: its goal is 100 where that holds, else 0."""
        build = self._build(extra_moves=len(self._concepts))
        goals = []
        for i, variable in enumerate(self._concepts, len(self._whole.circuit.roles)):
            literal = build.literal(2 * variable)
            goals += [(i, 100, literal), (i, 0, literal ^ 1)]
        return self._sub_game(build, self._legal(build), FALSE, goals, observers=len(self._concepts))

    def ending(self, ends: Iterable[Vector], goals: Mapping[tuple[int, int], Iterable[Vector]]) -> SubGame:
        """A game that is over where its concepts, followed by those of control, are one of `ends`.

        `goals` says for a role and a value in which cases the role earns that.
        """
        build = self._build(extra_moves=0)
        literals = [build.literal(2 * v) for v in (*self._concepts, *self._control_concepts)]
        legal, terminal = self._legal(build), build.one_of(literals, ends)
        earned = [(role, value, build.one_of(literals, cases)) for (role, value), cases in goals.items()]
        return self._sub_game(build, legal, terminal, earned)

    def first_to_end(self, ends: Ends, idle: Container[int]) -> SubGame:
        """A game that is over where this factor alone ends the whole one, or is as an end of all factors asks.

        Its goals are those of the whole game where other factors are as such ends ask, and otherwise what they are in
        the first state. `idle`: moves that represent moves in other factors. Random games do without them as long as
        they can: they could go on for ever, each side waiting for the other to make a bad move.
        """
        build = self._build(extra_moves=0)
        for place, variables in enumerate(self._outcome.concepts[:-1]):
            if place != self._place:
                build.fix(variables)
                build.assume(literal for shared in ends.shared for literal in shared[place])
        legal = self._legal(build)
        playable = self._eager(build, legal, idle)
        asked = [[literal] for literal in (*ends.alone[self._place], *ends.alone[-1])]
        asked += [[*shared[self._place], *shared[-1]] for shared in ends.shared]
        terminal = build.any(build.all(map(build.literal, literals)) for literals in asked)
        goals = [(role, value, build.literal(literal)) for role, value, literal in self._whole.circuit.goals]
        return self._sub_game(build, legal, terminal, goals, playable=playable)

    def _eager(self, build: _FactorGates, legal: Sequence[int], idle: Container[int]) -> list[int]:
        """The playable moves: all that are legal, but `idle` ones only where there are no others."""
        playable: list[int] = []
        for moves in self._moves:
            mine = dict(zip(moves, legal[len(playable) :], strict=False))
            here = build.any(literal for move, literal in mine.items() if move not in idle)
            playable += [build.both(row, here ^ 1) if move in idle else row for move, row in mine.items()]
        return playable

    def _build(self, extra_moves: int) -> _FactorGates:
        return _FactorGates(self._whole, self._propositions, self._all_moves, extra_moves)

    def _legal(self, build: _FactorGates) -> list[int]:
        return [self._legality(build, move) if self._factor and move >= 0 else TRUE for move in self._all_moves]

    def _legality(self, build: _FactorGates, move: int) -> int:
        """Where a move that represents others is legal in the factor: its condition, in each phase it has one."""
        assert self._factor is not None
        conditions = [legal.get(move, FALSE) for legal in self._factor.legal]
        if len(set(conditions)) == 1:
            return build.literal(conditions[0])
        return build.any(
            build.both(build.phase(phase), build.literal(condition))
            for phase, condition in enumerate(conditions)
            if condition != FALSE
        )

    def _sub_game(
        self,
        build: _FactorGates,
        legal: Sequence[int],
        terminal: int,
        goals: Sequence[tuple[int, int, int]],
        *,
        playable: Sequence[int] | None = None,
        observers: int = 0,
    ) -> SubGame:
        """The game of these literals over the gates that were built; `observers` are roles with a single move."""
        circuit = self._whole.circuit
        named = zip(circuit.moves, self._whole.roles(), self._moves, strict=True)
        texts = [tuple("none" if m < 0 else known[m - span.start] for m in moves) for known, span, moves in named]
        made = Circuit(
            roles=(*circuit.roles, *(f"observer {i}" for i in range(observers))),
            propositions=build.propositions,
            moves=(*texts, *[("observe",)] * observers),
            initial=build.initial,
            next=build.next,
            legal=[*legal, *[TRUE] * observers],
            playable=playable,
            terminal=terminal,
            goals=goals,
            gates=build.made.gates,
        )
        net = finish(needed(made))
        place = {text: i for i, text in enumerate(circuit.propositions)}
        kept: list[int] = []
        for chosen, known, moves in zip(net.moves, made.moves, [*self._moves, *[[-1]] * observers], strict=True):
            number = dict(zip(known, moves, strict=True))
            kept += [number[text] for text in chosen]
        propositions = np.array([place[text] for text in net.propositions], np.int64)
        return SubGame(net, propositions, np.array(kept, np.int64))


class _FactorGates:
    """Gates over the inputs of one factor, into which literals of the whole game are copied."""

    def __init__(self, whole: Factorisation, propositions: list[int], moves: list[int], extra_moves: int) -> None:
        self._whole = whole
        self.made = Gates(1 + len(propositions) + len(moves) + extra_moves)
        circuit = whole.circuit
        inputs = [*(1 + p for p in propositions), *(circuit.first_move + m if m >= 0 else -1 for m in moves)]
        self._copies = dict.fromkeys(range(circuit.first_gate), FALSE)
        self._copies |= {old: 2 * new for new, old in enumerate(inputs, 1) if old >= 0}
        self.propositions = tuple(circuit.propositions[p] for p in propositions)
        self.initial = tuple(circuit.initial[p] for p in propositions)
        self.next = [self.literal(circuit.next[p]) for p in propositions]

    def literal(self, literal: int) -> int:
        """The copy of a literal of the whole game, other factors' inputs being false."""
        first, gates, copies = self._whole.circuit.first_gate, self._whole.gates, self._copies
        pending = [literal >> 1]
        while pending:
            variable = pending[-1]
            if variable in copies:
                pending.pop()
                continue
            a, b = gates[variable - first]
            missing = [part >> 1 for part in (a, b) if part >> 1 not in copies]
            pending += missing
            if not missing:
                copies[variable] = self.both(copies[a >> 1] ^ a & 1, copies[b >> 1] ^ b & 1)
        return copies[literal >> 1] ^ literal & 1

    def fix(self, variables: Iterable[int]) -> None:
        """Replaces variables of the whole game by the constants that they are in its first state."""
        values = {1 + p: int(holds) for p, holds in enumerate(self._whole.circuit.initial)}
        first, gates = self._whole.circuit.first_gate, self._whole.gates
        for variable in sorted(cone((2 * variable for variable in variables), first, gates)):
            if variable >= first:
                a, b = gates[variable - first]
                values[variable] = (values.get(a >> 1, 0) ^ a & 1) & (values.get(b >> 1, 0) ^ b & 1)
        self._copies |= {variable: values[variable] for variable in variables}

    def assume(self, literals: Iterable[int]) -> None:
        """Replaces the variables of literals of the whole game by constants such that the literals hold."""
        self._copies |= {literal >> 1: TRUE ^ literal & 1 for literal in literals}

    def both(self, a: int, b: int) -> int:
        """The literal of a∧b."""
        return self.made.conjunction(a, b)

    def all(self, literals: Iterable[int]) -> int:
        """The literal of a conjunction."""
        return self.made.tree(sorted({*literals} or {TRUE}))

    def any(self, literals: Iterable[int]) -> int:
        """The literal of a disjunction."""
        return self.all(literal ^ 1 for literal in literals) ^ 1

    def one_of(self, literals: Sequence[int], cases: Iterable[Vector]) -> int:
        """The literal of the literals having the values of one of the cases."""
        return self.any(
            self.all(literal ^ (not value) for literal, value in zip(literals, case, strict=True)) for case in cases
        )

    def phase(self, phase: int) -> int:
        """The literal of control being in a phase."""
        control = self._whole.control
        return self.all(
            self._copies[1 + p] ^ (not value)
            for p, value in zip(control.propositions, control.states[phase], strict=True)
        )
