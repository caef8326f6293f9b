"""Which moves of a game of one role interfere: what each does by itself, what it needs, and what spoils that.

Moves of which none interferes with another can be made in any order, all of them, and lead to the same position: a
plan need only say which. A move *changes* a proposition if its next value, as a gate over the present state, is not
the proposition itself. Two moves interfere if one may spoil the other:

* it makes false (true) what the other needs to be true (false) to be legal, by the polarity in which the circuit of
  the other's legality reads the proposition;
* it changes what the other's effects depend on, or what the other changes to something else.

A *clock* is what depends on no move, at whatever distance, such as a counter of steps: every move drives it.

Sources: A. Blum, M. Furst, "Fast Planning Through Planning Graph Analysis", 1997 (interference); J. Rintanen,
K. Heljanko, I. Niemela, "Planning as satisfiability: parallel plans and algorithms for plan search", 2006 (plans
whose steps can be made in any order).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ludens.propnet.analysis.composition import Composition, CompositionError
from ludens.propnet.analysis.control import ternary, unmoved
from ludens.propnet.base.arrays import BoolArray
from ludens.propnet.network.circuit import cone
from ludens.propnet.network.propnet import FALSE, TRUE, Propnet

_MORE_GATES = 1 << 20


@dataclass(frozen=True, slots=True)
class Conflict:
    """If a move of `spoilers` is made, no other of `spoiled` may be made in the same set."""

    spoilers: tuple[int, ...]
    spoiled: tuple[int, ...]


class Interference:
    """What the moves of a game of one role do, and which of them interfere."""

    def __init__(self, net: Propnet, deadline: float) -> None:
        """Raises `CompositionError` after `deadline` (clock.now()), for loops, and if moves depend on a clock."""
        if len(net.loops):
            raise CompositionError("the network has loops")
        self.composition = Composition.from_network(net, _MORE_GATES, deadline)
        """The gates that `changes` are literals of: those of the network, and more."""
        circuit = self.composition.circuit
        self._circuit = circuit
        self.clock = unmoved(circuit)
        """The propositions that depend on no move."""
        ticking = set(self.clock)
        propositions = [p for p in range(net.state_bits) if p not in ticking]
        after = self.composition.after(
            [2 * (1 + p) for p in propositions], range(circuit.first_move, circuit.first_gate), ()
        )
        self.changes = [
            {p: new for p, new in zip(propositions, row, strict=True) if new != 2 * (1 + p)} for row in after
        ]
        """For each move the propositions that it changes, and the literal over the present state that they become."""
        self.conflicts = tuple(self._conflicts())
        """Pairs of sets of moves; two moves interfere if they are in one of these, one on each side."""

    def partners(self) -> bool:
        """Whether there are two moves that do not interfere."""
        against = [1 << move for move in range(len(self.changes))]
        for conflict in self.conflicts:
            for ours, theirs in ((conflict.spoilers, conflict.spoiled), (conflict.spoiled, conflict.spoilers)):
                mask = sum(1 << move for move in theirs)
                for move in ours:
                    against[move] |= mask
        return any(mask.bit_count() < len(against) for mask in against)

    def ticks(self, state: BoolArray, count: int) -> Iterator[dict[int, int]]:
        """Yields the constants that the variables of the clock are in a state, and after 1, 2 … `count` moves."""
        values = [bool(state[p]) for p in self.clock]
        for tick in range(count + 1):
            yield {1 + p: TRUE if value else FALSE for p, value in zip(self.clock, values, strict=True)}
            if tick < count:
                now = dict(zip(self.clock, values, strict=True))
                values = [v == 1 for v in ternary(self._circuit, now, [self._circuit.next[p] for p in self.clock])]

    def _conflicts(self) -> Iterator[Conflict]:
        true, false, other = _index(), _index(), _index()  # the moves that make a proposition so
        for move, row in enumerate(self.changes):
            for p, new in row.items():
                (true if new == TRUE else false if new == FALSE else other)[p].append(move)
        needs_true, needs_false, reads = self._needs()
        pairs: set[tuple[tuple[int, ...], tuple[int, ...]]] = set()
        for p in range(self._circuit.first_move - 1):
            any_way = true[p] + false[p] + other[p]
            for spoilers, spoiled in (
                (false[p], needs_true[p]),
                (true[p], needs_false[p]),
                (other[p], needs_true[p] + needs_false[p]),
                (any_way, reads[p]),
                (true[p], false[p]),
                (other[p], any_way),
            ):
                if spoilers and spoiled and len({*spoilers, *spoiled}) > 1:
                    pairs.add((tuple(sorted({*spoilers})), tuple(sorted({*spoiled}))))
        return (Conflict(*pair) for pair in sorted(pairs))

    def _needs(self) -> tuple[_Moves, _Moves, _Moves]:
        """For each proposition the moves that need it to be true, and to be false, and whose effects it changes."""
        new = [{*row.values()} - {FALSE, TRUE} for row in self.changes]
        read = _Reads(self.composition, [*self._circuit.legal, *(literal for literals in new for literal in literals)])
        needs_true, needs_false, reads = _index(), _index(), _index()
        ticking = set(self.clock)
        for move, (legal, literals) in enumerate(zip(self._circuit.legal, new, strict=True)):
            needed = [*_bits(read(legal))]
            effects = {literal >> 1 for each in literals for literal in _bits(read(each))}
            if not ticking.isdisjoint(variable - 1 for variable in {n >> 1 for n in needed} | effects):
                raise CompositionError("what moves do depends on a clock")
            for literal in needed:
                (needs_false if literal & 1 else needs_true)[(literal >> 1) - 1].append(move)
            for variable in effects:
                reads[variable - 1].append(move)
        return needs_true, needs_false, reads


class _Reads:
    """For literals, which literals of inputs they are monotone in, as bits of a number."""

    def __init__(self, composition: Composition, outputs: Iterable[int]) -> None:
        first_gate, gates = composition.circuit.first_gate, composition.gates
        self._masks: dict[int, int] = {FALSE: 0, TRUE: 0}
        for variable in sorted(cone(outputs, first_gate, gates)):
            for literal in (2 * variable, 2 * variable + 1):
                if variable >= first_gate:
                    a, b = gates[variable - first_gate]
                    self._masks[literal] = self._masks[a ^ literal & 1] | self._masks[b ^ literal & 1]
                elif variable:
                    self._masks[literal] = 1 << literal

    def __call__(self, literal: int) -> int:
        return self._masks[literal]


_Moves = defaultdict[int, list[int]]  # by proposition


def _index() -> _Moves:
    return defaultdict(list)


def _bits(mask: int) -> Iterator[int]:
    while mask:
        yield (mask & -mask).bit_length() - 1
        mask &= mask - 1
