"""Control states: propositions that follow one another whatever is played, such as whose turn it is.

A set of propositions is *autonomous* if the next value of each depends on no move and on no other proposition.
It then runs through states of its own, in a line that ends in a cycle, and can be enumerated exactly. What is
constant in all of them is so in every state of every match; that proves, say, that only one role can choose.

Source: J. Hopcroft, R. Motwani, J. Ullman, "Introduction to Automata Theory", 2001 (products of automata);
X. Sheng, D. Thuente, "Extending the General Game Playing Framework to Other Languages", 2011.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ludens.propnet.base.graphs import reachable
from ludens.propnet.network.circuit import Circuit, cone

_MOST_STATES = 256
_EITHER = 2


@dataclass(frozen=True, slots=True)
class Control:
    """An autonomous set of propositions and the states it runs through."""

    propositions: tuple[int, ...]
    states: tuple[tuple[bool, ...], ...]  # from the first on
    back: int  # index of the state that follows the last

    @property
    def cycle(self) -> int:
        """The number of states that come round again and again."""
        return len(self.states) - self.back

    def follow(self, place: int) -> int:
        """The index of the state after the one at `place`."""
        return place + 1 if place + 1 < len(self.states) else self.back


def control_of(circuit: Circuit, propositions: Iterable[int]) -> Control | None:
    """The least autonomous set that holds some propositions; None if there is none, or it has too many states."""
    members: set[int] = set()
    pending = list(propositions)
    while pending:
        proposition = pending.pop()
        if proposition in members:
            continue
        members.add(proposition)
        inputs = inputs_of(circuit, [circuit.next[proposition]])
        if any(variable >= circuit.first_move for variable in inputs) or len(members) > _MOST_STATES:
            return None
        pending += [variable - 1 for variable in inputs]
    chosen = tuple(sorted(members))
    state = tuple(circuit.initial[p] for p in chosen)
    place: dict[tuple[bool, ...], int] = {}
    while state not in place:
        if len(place) == _MOST_STATES:
            return None
        place[state] = len(place)
        values = dict(zip(chosen, state, strict=True))
        state = tuple(v == 1 for v in ternary(circuit, values, [circuit.next[p] for p in chosen]))
    return Control(chosen, tuple(place), place[state])


def autonomous(circuit: Circuit) -> list[Control]:
    """All least autonomous sets that hold a proposition no other does; a set inside another is left out."""
    reads = {p: [v - 1 for v in inputs_of(circuit, [circuit.next[p]])] for p in unmoved(circuit)}
    size = {p: len(_reached(reads, p)) for p in reads}
    found: list[Control] = []
    inside: set[int] = set()
    small = [p for p in reads if size[p] <= _MOST_STATES]  # others are None
    for proposition in sorted(small, key=lambda p: (-size[p], p)):  # the large ones first, to look at no others
        if proposition not in inside and (control := control_of(circuit, [proposition])):
            found.append(control)
            inside.update(control.propositions)
    return found


def unmoved(circuit: Circuit) -> list[int]:
    """Propositions that depend on no move and no loop, at whatever distance."""
    readers: dict[int, list[int]] = {}
    for variable, gate in enumerate(circuit.gates, circuit.first_gate):
        for literal in gate:
            readers.setdefault(literal >> 1, []).append(variable)
    for variable, literal in enumerate(circuit.next, 1):
        readers.setdefault(literal >> 1, []).append(variable)
    moved = reachable(range(circuit.first_move, circuit.first_gate), readers)
    return [variable - 1 for variable in range(1, circuit.first_move) if variable not in moved]


def _reached(reads: Mapping[int, Iterable[int]], proposition: int) -> set[int]:
    """The propositions that one depends on at whatever distance, and it; some of them if they are too many."""
    reached: set[int] = set()
    pending = [proposition]
    while pending and len(reached) <= _MOST_STATES:
        if (read := pending.pop()) not in reached:
            reached.add(read)
            pending += reads[read]
    return reached


def inputs_of(circuit: Circuit, literals: Iterable[int]) -> set[int]:
    """The input variables that the literals depend on, feedback inputs among them."""
    first_gate = circuit.first_gate
    return {variable for variable in cone(literals, first_gate, circuit.gates) if 0 < variable < first_gate}


def ternary(circuit: Circuit, state: Mapping[int, bool], literals: Sequence[int]) -> list[int]:
    """The value of each literal where some propositions are given and all else is unknown: 0, 1, or 2 for unknown."""
    values: dict[int, int] = {0: 0} | {1 + p: int(value) for p, value in state.items()}

    def value(literal: int) -> int:
        known = values[literal >> 1]
        return known if known == _EITHER else known ^ literal & 1

    pending = [literal >> 1 for literal in literals]
    while pending:
        variable = pending[-1]
        if variable in values:
            pending.pop()
        elif variable < circuit.first_gate:
            values[variable] = _EITHER
        else:
            gate = circuit.gates[variable - circuit.first_gate]
            missing = [literal >> 1 for literal in gate if literal >> 1 not in values]
            pending += missing
            if not missing:
                inputs = [value(literal) for literal in gate]
                values[variable] = 0 if 0 in inputs else _EITHER if _EITHER in inputs else 1
    return [value(literal) for literal in literals]
