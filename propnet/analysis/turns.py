"""Games by turns: what a role may do when it has its turn, and what its moves may bring about, at most.

Where several roles move at the same time each is looked at as if the others made no move at all.

What several moves of one role may have made true is bounded from above by a relaxation: a move is possible if
nothing certain forbids it, and possible moves never take back what earlier ones have made possible (the relaxed
planning graph of J. Hoffmann, B. Nebel, "The FF Planning System", 2001). All of it becomes gates over the present
state.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from ludens.propnet.analysis.composition import Composition, CompositionError
from ludens.propnet.analysis.control import autonomous
from ludens.propnet.analysis.three_values import Inputs, Known
from ludens.propnet.network.circuit import Circuit
from ludens.propnet.network.propnet import FALSE, TRUE

_LONGEST_CYCLE = 8  # that is told apart; what comes round later is a counter


@dataclass(frozen=True)
class Turn:
    """The states in which one role moves and all others wait."""

    role: int
    control: Mapping[int, int]  # input variables that are constant in them
    legal: Mapping[int, int]  # for each move (input variable) that there may be, the literal of its being legal
    effects: Mapping[int, Mapping[int, int]]  # for each move the state variables it changes, and to what literals

    @cached_property
    def makes(self) -> Mapping[int, Sequence[tuple[int, int]]]:
        """For each literal of a state variable the moves that may make it true, each with where it does not."""
        makes: dict[int, list[tuple[int, int]]] = {}
        for move, effect in self.effects.items():
            for variable, after in effect.items():
                if after != FALSE:
                    makes.setdefault(2 * variable, []).append((move, after ^ 1))
                if after != TRUE:
                    makes.setdefault(2 * variable + 1, []).append((move, after))
        return makes

    def common(self, variable: int) -> int | None:
        """The literal that a state variable has next if that is the same for all moves, else None."""
        if not self.effects:
            return None
        literals, moves = self._changed.get(variable, (set(), 0))
        after = literals | {2 * variable} if moves < len(self.effects) else literals
        return next(iter(after)) if len(after) == 1 else None

    @cached_property
    def _changed(self) -> Mapping[int, tuple[set[int], int]]:
        """For each state variable that some move changes the literals that it may have next, and how many moves do."""
        changed: dict[int, tuple[set[int], int]] = {}
        for effect in self.effects.values():
            for variable, after in effect.items():
                literals, moves = changed.get(variable, (set(), 0))
                literals.add(after)
                changed[variable] = literals, moves + 1
        return changed


def cycle(circuit: Circuit) -> list[dict[int, int]]:
    """For each state of control as it comes round, from the first on, the input variables constant there, by value.

    A single state without variables where control does not come round.
    """
    turning = [c for c in autonomous(circuit) if c.back == 0 and 1 < c.cycle <= _LONGEST_CYCLE]
    length = math.lcm(*(c.cycle for c in turning))
    if length > _LONGEST_CYCLE:
        return [{}]
    return [
        {1 + p: int(holds) for c in turning for p, holds in zip(c.propositions, c.states[step % c.cycle], strict=True)}
        for step in range(length)
    ]


def turn(composition: Composition, control: Mapping[int, int]) -> Turn:
    """The turn at one control of a `cycle`. Raises `CompositionError` if several roles may have a choice there."""
    options = _Options(composition, control)
    if len(options.movers) != 1:
        raise CompositionError("it is not known whose turn it is")
    return options.turn(options.movers[0])


def turns(composition: Composition, control: Mapping[int, int]) -> list[Turn]:
    """A turn for each role that may have a choice at one control of a `cycle`, as if no other of these moved."""
    options = _Options(composition, control)
    return [options.turn(role) for role in options.movers]


class _Options:
    """The moves that there may be at one control of a cycle."""

    def __init__(self, composition: Composition, control: Mapping[int, int]) -> None:
        circuit = composition.circuit
        self._composition, self._control = composition, control
        self._legal = dict(enumerate(composition.under(control, circuit.legal), circuit.first_move))
        self._moves = [[move for move in moves if self._legal[move] != FALSE] for moves in circuit.role_moves()]
        literals = [[self._legal[move] for move in moves] for moves in self._moves]
        self.movers = [role for role, legal in enumerate(literals) if legal != [TRUE]]

    def turn(self, role: int) -> Turn:
        """The turn of one of the movers; roles without a choice make their only move."""
        composition, control, moves = self._composition, self._control, self._moves[role]
        idle = {move for other, only in enumerate(self._moves) if other not in self.movers for move in only}
        still = {**control, **{move: int(move in idle) for move in self._legal}}
        following, changes = composition.changes(still, composition.circuit.next, moves)
        without = {v: literal for v, literal in enumerate(following, 1) if literal != 2 * v}
        effects = {}
        for move, changed in zip(moves, changes, strict=True):
            after = without | {place + 1: literal for place, literal in changed.items()}
            effects[move] = {v: literal for v, literal in after.items() if literal != 2 * v}
        return Turn(role, control, {move: self._legal[move] for move in moves}, effects)


def located(composition: Composition, turn: Turn, places: Sequence[int]) -> Turn:
    """The turn with each move told apart by where it is made from: of `places`, state variables, only one ever holds.

    A piece that goes a step east may do so where the square east of it is free; that some square is, from which it may
    just as well have gone, says nothing. What moves change wherever they are made from is left out, and so are places
    at which the game would be over.
    """
    changed = [(move, variable) for move, effect in turn.effects.items() for variable in effect]
    outputs = [
        composition.circuit.terminal,
        *turn.legal.values(),
        *(turn.effects[move][variable] for move, variable in changed),
    ]
    nowhere, changes = composition.changes(dict.fromkeys(places, 0), outputs, places)
    at_place = dict(zip(places, changes, strict=True))
    goes_on = {place: here.get(0, nowhere[0]) ^ 1 for place, here in at_place.items()}
    legal: dict[int, int] = {}
    effects: dict[int, dict[int, int]] = {}
    for place, here in at_place.items():
        numbers = {move: number for number, move in enumerate(turn.legal, len(legal))}
        for position, move in enumerate(turn.legal, 1):
            legal[numbers[move]] = composition.both(2 * place, here.get(position, nowhere[position]))
            effects[numbers[move]] = {}
        for position, (move, variable) in enumerate(changed, 1 + len(turn.legal)):
            if position in here:
                effects[numbers[move]][variable] = composition.both(here[position], goes_on.get(variable, TRUE))
    return replace(turn, legal=legal, effects=effects)


def shortest(composition: Composition, turn: Turn) -> Turn:
    """The turn with its shortest moves alone: none is legal by all that another one needs, and more besides.

    A queen that goes far needs every square on its way to be free, and so all that it needs to stop sooner.
    """
    needs = {move: frozenset(composition.inputs(literal)) for move, literal in turn.legal.items()}
    readers = Counter(variable for need in needs.values() for variable in need)
    by_rarest: dict[int, set[frozenset[int]]] = {}  # so that few needs are compared
    for need in filter(None, needs.values()):
        by_rarest.setdefault(min(need, key=readers.__getitem__), set()).add(need)

    def is_shortest(need: frozenset[int]) -> bool:
        return not any(other < need for variable in need for other in by_rarest.get(variable, ()))

    moves = [move for move, need in needs.items() if is_shortest(need)]
    return replace(
        turn, legal={move: turn.legal[move] for move in moves}, effects={move: turn.effects[move] for move in moves}
    )


def wins(composition: Composition) -> Iterator[tuple[int, int]]:
    """The roles whose goals differ, with the literal of the game being over with the best one."""
    circuit = composition.circuit
    for role in range(len(circuit.roles)):
        goals = [(value, literal) for player, value, literal in circuit.goals if player == role]
        best = max((value for value, _ in goals), default=0)
        if len({value for value, _ in goals}) > 1:
            won, over = composition.any(literal for value, literal in goals if value == best), circuit.terminal
            yield role, won if composition.implies(won, over) else composition.both(won, over)


def at(autonomous: Mapping[int, int], other: Inputs) -> Inputs:
    """What is known of state variables: of autonomous ones their literals at some ply, of all others `other`."""
    return lambda v: (autonomous[v], autonomous[v] ^ 1) if v in autonomous else other(v)


class Relaxation:
    """What the moves that a role has made so far may have changed, at most."""

    def __init__(self, composition: Composition) -> None:
        self._composition = composition
        self._may: dict[int, int] = {}  # for literals of state variables where moves may have made them true
        self._last: dict[int, int] = {}  # the same of the last move alone

    def make(self, turn: Turn, autonomous: Mapping[int, int], wanted: Container[int] | None = None) -> None:
        """Makes some move of a turn; `autonomous`: the literals of variables whose value there is known anyway.

        If it is the last move, only literals that are `wanted` need be found out; `may` and `undone` do not hold of
        others then.
        """
        composition = self._composition
        makes = {
            literal: ways
            for literal, ways in turn.makes.items()
            if literal >> 1 not in autonomous and (wanted is None or literal in wanted)
        }
        moves = {move for ways in makes.values() for move, _ in ways}
        asked = {turn.legal[move] ^ 1 for move in moves}
        asked |= {prevented for ways in makes.values() for _, prevented in ways}
        order = sorted(asked)
        certain = dict(zip(order, composition.certain(order, at(autonomous, self._possibly)), strict=True))
        possible = {move: certain[turn.legal[move] ^ 1] ^ 1 for move in moves}
        joined: dict[frozenset[int], int] = {}  # what leaves a square and what comes to it are many literals each
        self._last = {}
        for literal, ways in makes.items():
            somehow = frozenset(
                possible[move] if prevented == FALSE else composition.both(possible[move], certain[prevented] ^ 1)
                for move, prevented in ways
            )
            if somehow not in joined:
                joined[somehow] = composition.any(somehow)
            self._last[literal] = joined[somehow]
            self._may[literal] = composition.any([self.may(literal), joined[somehow]])

    def may(self, literal: int) -> int:
        """The literal of moves possibly having made a literal of a state variable true."""
        return self._may.get(literal, FALSE)

    def untouched(self, variable: int) -> Known:
        """What is known of a variable that only these moves can have changed."""
        true, both = 2 * variable, self._composition.both
        return both(true, self.may(true ^ 1) ^ 1), both(true ^ 1, self.may(true) ^ 1)

    def undone(self, literal: int) -> int:
        """The literal of the last move possibly having made a literal of a state variable false."""
        return self._last.get(literal ^ 1, FALSE)

    def _possibly(self, variable: int) -> Known:
        """What is known of a variable before the next move."""
        return self.untouched(variable)
