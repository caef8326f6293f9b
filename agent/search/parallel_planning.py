"""Plans whose steps are sets of moves: all orders of moves that do not interfere are one plan.

Where moves commute, such as marks on a grid, a plan of n moves is one of n! that differ in nothing but the order, and
a solver that plans move after move refutes each alone. Here a *layer* is a set of moves of which no two interfere (see
`propnet.analysis.interference`), all legal in the position before it: the solver sees the constraints between moves
and no time at all. Layers follow one another where a move needs what another brings about.

A plan that was found is put in order by playing it: of the moves that are left of a layer, the next is one that is
legal and does not end the game too early. What ends the game is not looked at by the solver within a layer, so not
every plan has such an order; one that does has been played, and its goal is real. Nothing follows from there being
no plan: that, the planner that goes move after move finds out.

A clock, such as a counter of steps, is driven by every move and would make all moves interfere. But its state follows
from the number of moves. The numbers fall into *spans* in which it does the same to the end and the goals, and a plan
for a span is one with so many moves.

Sources: H. Kautz, B. Selman, "Pushing the Envelope: Planning, Propositional Logic, and Stochastic Search", 1996;
J. Rintanen, K. Heljanko, I. Niemela, "Planning as satisfiability: parallel plans and algorithms for plan search",
Artificial Intelligence 170 (2006).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, product

import clingo
import numpy as np

from ludens.agent.search.circuit_copy import CircuitCopy, solve_within
from ludens.native.core import Game, Simulator, pack_bits
from ludens.propnet.analysis.interference import Conflict, Interference
from ludens.propnet.base.arrays import BoolArray
from ludens.propnet.base.errors import LudensError
from ludens.propnet.network.circuit import cone
from ludens.propnet.network.propnet import FALSE, TRUE, Propnet

_LAYERS = (1, 2, 3, 4, 6, 8)
_FIRST_SHARE = 16  # times the seconds of a sweep for the first number of layers; for each further one half as many
_MOST_GATES = 1_000_000  # of all layers
_MOST_MOVES = 400
_MOST_SPANS = 8
_MOST_PAIRS = 64  # of moves in conflict that are listed one by one
_LANES = 64


class NoParallelPlanError(LudensError):
    """In this game no moves can be made as a set."""


@dataclass(frozen=True, slots=True)
class _Span:
    """Numbers of moves after which the clock does the same to the end of the game and its goals."""

    first: int
    last: int | None  # None: there is no last
    terminal: int
    earned: int  # literal of the game having ended with the goal


class ParallelPlanner:
    """Looks for moves that earn a goal, by layers of moves that do not interfere."""

    def __init__(self, net: Propnet, interference: Interference, state: BoolArray, goal: int) -> None:
        """Raises `NoParallelPlanError`."""
        self._net, self._interference, self._start, self._goal = net, interference, state, goal
        self._simulator = Simulator(Game.from_propnet(net), _LANES)
        self._spans = self._find_spans(net.goal_literal[net.goal_value >= goal].tolist())
        self._control = clingo.Control(["--configuration=handy"])  # for large problems
        with self._control.backend() as backend:
            self._true: int = backend.add_atom()
            backend.add_rule([self._true])
        self._state = [self._true if bit else -self._true for bit in state]
        self._layers: list[dict[int, int]] = []  # the atom of each move
        self._met: list[list[int]] = []  # before each layer, for each span: the goal is met there
        self._refuted: set[int] = set()  # literals that no plan makes true
        legal = net.legal.tolist()
        new = [literal for row in interference.changes for literal in row.values()]
        outputs = [
            self._early,
            *legal,
            *new,
            *(literal for span in self._spans for literal in (span.terminal, span.earned)),
        ]
        first, self._gates = net.first_gate, interference.composition.gates
        self._needed = sorted(v - first for v in cone(outputs, first, self._gates) if v >= first)

    def sweep(self, seconds: float) -> tuple[int, ...] | None:
        """Tries all numbers of layers, with few layers most of the time; returns the moves if there are any."""
        share = seconds * _FIRST_SHARE
        for count in _LAYERS:
            if count * len(self._needed) > _MOST_GATES:
                break
            self._extend(count)
            for met in self._met[count]:
                layers = self._ask(met, count, share)
                if layers is not None and (moves := self._ordered(layers)) is not None:
                    return moves
            share /= 2
        return None

    # ---- The clock ---------------------------------------------------------------------------------------------

    def _find_spans(self, goals: Sequence[int]) -> list[_Span]:
        """The spans after which the game can have ended with one of the goals."""
        spans: list[_Span] = []
        composition = self._interference.composition
        ticks = _MOST_MOVES if self._interference.clock else 0
        for count, clock in enumerate(self._interference.ticks(self._start, ticks)):
            terminal, *met = composition.under(clock, [self._net.terminal, *goals])
            earned = composition.both(terminal, composition.any(met))
            if spans and (spans[-1].terminal, spans[-1].earned) == (terminal, earned):
                spans[-1] = _Span(spans[-1].first, count, terminal, earned)
            else:
                spans.append(_Span(count, count, terminal, earned))
            if terminal == TRUE:
                break
        else:
            last = spans[-1]
            spans[-1] = _Span(last.first, None, last.terminal, last.earned)
        self._early = spans[0].terminal
        found = [span for span in spans if span.earned != FALSE]
        if not 0 < len(found) <= _MOST_SPANS:
            raise NoParallelPlanError("the clock of this game knows too many times")
        return found

    # ---- Layers ------------------------------------------------------------------------------------------------

    def _extend(self, count: int) -> None:
        with self._control.backend() as backend:
            while len(self._layers) <= count:
                self._add_layer(backend)

    def _add_layer(self, backend: clingo.Backend) -> None:
        """Adds a position, what it has earned, and the moves made there."""
        moves = [-self._true] * self._net.move_count
        copy = CircuitCopy(backend, self._true, [*self._state, *moves], self._gates)
        copy.evaluate(self._needed)
        made = [atom for layer in self._layers for atom in layer.values()]
        self._met.append([self._earned(backend, copy, span, made) for span in self._spans])
        layer: dict[int, int] = {}
        for move, legal in enumerate(self._net.legal.tolist()):
            if copy.literal(legal) != -self._true:
                layer[move] = backend.add_atom()
                backend.add_rule([layer[move]], [copy.literal(legal), -copy.literal(self._early)], choice=True)
        for conflict in self._interference.conflicts:
            _forbid(backend, copy, conflict, layer)
        self._state = self._following(copy, layer)
        self._layers.append(layer)

    def _earned(self, backend: clingo.Backend, copy: CircuitCopy, span: _Span, made: Sequence[int]) -> int:
        """Returns a literal of the goal having been met by as many moves as a span says."""

        def at_least(count: int) -> int:
            if not 0 < count <= len(made):
                return self._true if count <= 0 else -self._true
            atom: int = backend.add_atom()
            backend.add_weight_rule([atom], count, [(each, 1) for each in made])
            return atom

        too_many = -self._true if span.last is None else at_least(span.last + 1)
        return copy.conjunction(copy.literal(span.earned), copy.conjunction(at_least(span.first), -too_many))

    def _following(self, copy: CircuitCopy, layer: dict[int, int]) -> list[int]:
        """Returns the literals of the state after a layer: what moves make of it, or else what it was."""
        new: dict[int, list[int]] = {}
        changed: dict[int, list[int]] = {}
        for move, atom in layer.items():
            for p, literal in self._interference.changes[move].items():
                changed.setdefault(p, []).append(atom)
                new.setdefault(p, []).append(copy.conjunction(atom, copy.literal(literal)))
        state = list(self._state)
        for p, atoms in changed.items():
            kept = copy.conjunction(state[p], -copy.disjunction(atoms))
            state[p] = copy.disjunction([kept, *new[p]])
        return state

    def _ask(self, met: int, count: int, seconds: float) -> list[list[int]] | None:
        """Returns the moves of each of so many layers, if there are any."""
        if met == -self._true or met in self._refuted:
            return None
        found: list[list[list[int]]] = []

        def read(model: clingo.Model) -> None:
            layers = self._layers[:count]
            found.append([[move for move, atom in layer.items() if model.is_true(atom)] for layer in layers])

        if solve_within(self._control, met, read, seconds):
            self._refuted.add(met)
        return found[0] if found else None

    # ---- Order -------------------------------------------------------------------------------------------------

    def _ordered(self, layers: Sequence[Sequence[int]]) -> tuple[int, ...] | None:
        """Returns an order of all moves of the layers in which they can be played and earn the goal, if it is found."""
        state, moves = pack_bits(self._start), list[int]()
        for layer in layers:
            left = list(layer)
            while left:
                legal = self._simulator.legal(state)[0][0]
                able = [move for move in left if legal[move]]
                if not able:
                    return None
                states = self._simulator.next(np.repeat(np.atleast_2d(state), len(able), axis=0), np.array([able]).T)
                over = self._simulator.terminal(states)
                goals = np.where(over, self._simulator.goals(states)[:, 0], -1)
                if goals.max() >= self._goal:
                    return (*moves, able[int(goals.argmax())])
                if over.all():
                    return None
                place = int(over.argmin())
                moves.append(able[place])
                left.remove(able[place])
                state = states[place]
        return None


def _forbid(backend: clingo.Backend, copy: CircuitCopy, conflict: Conflict, layer: dict[int, int]) -> None:
    """Has no spoiler be made together with another move that it spoils."""
    spoilers = {layer[move] for move in conflict.spoilers if move in layer}
    spoiled = {layer[move] for move in conflict.spoiled if move in layer}
    if len(spoilers) * len(spoiled) <= _MOST_PAIRS:
        for a, b in {tuple(sorted(pair)) for pair in product(spoilers, spoiled) if pair[0] != pair[1]}:
            backend.add_rule([], [a, b])
        return
    groups = [sorted(group) for group in (spoilers & spoiled, spoilers - spoiled, spoiled - spoilers)]
    if groups[0]:
        backend.add_weight_rule([], 2, [(atom, 1) for atom in groups[0]])
    some = [copy.disjunction(group) for group in groups]
    for a, b in combinations(some, 2):
        backend.add_rule([], [a, b])
