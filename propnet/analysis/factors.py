"""Independent sub-games of a network, its *factors*: which propositions are whose, and what each move does in
each.

Control states that run by themselves, such as whose turn it is, are the *phases* of a game. In each of them
their propositions are constants, and much that the gates say drops out. What is left joins propositions:

* one that the next value of another depends on is in the same factor as that;
* the legality of a move is a conjunction; propositions that one conjunct depends on are in the same factor.

So a move is legal if it is in every factor, and its effect is one of its effects in each. Two moves of a role
are the same to a factor, in a phase, if they are legal in it on the same condition, and turn its propositions
into the same functions of the present state and the moves of the others: equal literals, after one of them is
made and the role's others are not, in a network where equal gates are shared. One move of each such class
*represents* it. A move of the whole game is thus a vector of such moves, one for each factor. Which vectors
there are tells the kind of game: all that can be formed, if the factors are played at the same time; those that
differ from one in a single place, if a move is made in one factor and the others are left alone.

The end and the goals may depend on all factors (`subgames`). Of three partitions the first is taken in
which factors have choices of their own: one that keeps together what a single conjunct, or disjunct, of the end
depends on; one that leaves out those that depend on most, such as an end where all boards are full; and one that does
not ask for the end.

Sources: E. Cox, E. Schkufza, R. Madsen, M. Genesereth, "Factoring General Games using Propositional Automata",
2009; M. Günther, S. Schiffel, M. Thielscher, "Factoring General Games", 2009; D. Zhao, S. Schiffel, M.
Thielscher, "Decomposition of Multi-Player Games", 2009.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

from ludens.propnet.analysis.composition import Composition, CompositionError, check_time
from ludens.propnet.analysis.control import Control, autonomous, control_of, inputs_of
from ludens.propnet.base.clock import now
from ludens.propnet.network.circuit import Circuit, Gate
from ludens.propnet.network.propnet import FALSE, TRUE, Propnet
from ludens.propnet.passes import reopen

_GROWTH = 50  # of the gates, while moves are compared
_MOST_ROWS = 20_000_000  # phases × moves × propositions: what is compared at most


class NotFactoredError(CompositionError):
    """A game in one piece, or one that is not taken apart; the text says why."""


@dataclass(frozen=True, slots=True)
class Factor:
    """Propositions that are independent of all others, and the moves that represent all moves in them.

    `representative[phase][m]` is the move that represents move m, counted over all roles; -1 if m is never legal.
    `legal[phase][m]` is for moves that represent others the literal of being legal as far as this factor goes.
    """

    propositions: tuple[int, ...]
    representative: tuple[tuple[int, ...], ...]
    legal: tuple[Mapping[int, int], ...]

    @property
    def moves(self) -> tuple[int, ...]:
        """The moves that represent others in some phase, counted over all roles."""
        return tuple(sorted({move for legal in self.legal for move in legal}))


@dataclass(frozen=True, slots=True)
class Factorisation:
    """A game in factors. `gates` are those of `circuit`, followed by those that literals of factors need besides."""

    circuit: Circuit
    gates: Sequence[Gate]
    free: tuple[int, ...]  # propositions that run by themselves, and belong to all factors
    control: Control  # those of them that say which phase it is
    factors: tuple[Factor, ...]

    def roles(self) -> list[range]:
        """The moves of each role, counted over all."""
        return self.circuit.move_spans()

    def vectors(self, phase: int, role: range) -> dict[tuple[int, ...], int]:
        """What represents a role's moves: a move in each factor; and the first move that each vector represents."""
        found: dict[tuple[int, ...], int] = {}
        for move in role:
            vector = tuple(factor.representative[phase][move] for factor in self.factors)
            if vector[0] >= 0:
                found.setdefault(vector, move)
        return found


Box = tuple[tuple[int, ...], ...]
"""A product of sets: for each factor some of the moves that represent others."""


def boxes(vectors: Iterable[tuple[int, ...]]) -> list[Box]:
    """Covers vectors by disjoint products of sets: one if factors are played at the same time, else one a factor."""
    found: dict[Box, None] = {tuple((move,) for move in vector): None for vector in vectors}
    for place in range(len(next(iter(found), ()))):
        alike: dict[tuple[Box, Box], list[int]] = {}
        for box in found:
            alike.setdefault((box[:place], box[place + 1 :]), []).extend(box[place])
        found = {(*before, tuple(moves), *after): None for (before, after), moves in alike.items()}
    return [*found]


def factorise(net: Propnet, seconds: float = 2.0) -> Factorisation:
    """Divides a game into independent factors.

    Raises `NotFactoredError` if there are none, and `CompositionError` if that takes more than `seconds` or room.
    """
    circuit = reopen(net)
    if circuit.feedback:
        raise NotFactoredError("the network has loops, which come from recursive rules")
    free = {p for control in autonomous(circuit) for p in control.propositions}
    outputs = [*circuit.legal, *(lit for p, lit in enumerate(circuit.next) if p not in free)]
    known = [variable - 1 for variable in inputs_of(circuit, outputs) if variable - 1 in free]
    control = control_of(circuit, known)
    if control is None:
        raise CompositionError("there are too many control states")
    return _Factoriser(circuit, free, control, now() + seconds).factorisation()


class _Factoriser:
    def __init__(self, circuit: Circuit, free: set[int], control: Control, deadline: float) -> None:
        self._circuit = circuit
        self._free = free
        self._own = [p for p in range(len(circuit.propositions)) if p not in free]
        self._control = control
        self._deadline = deadline
        self._composition = Composition(circuit, _GROWTH * (len(circuit.gates) + 1000), deadline)
        self._support = [0, *(0 if p in free else 1 << p for p in range(len(circuit.propositions)))]
        self._support += [0] * len(circuit.legal)
        self._phases = [self._phase(state) for state in control.states]
        self._parts = [[self._conjuncts(literal) for literal in phase.legal] for phase in self._phases]
        self._roles = circuit.move_spans()
        self._fine = self._by_dependence()

    def factorisation(self) -> Factorisation:
        if len(self._fine.groups()) > 1:
            if len(self._phases) * len(self._circuit.legal) * len(self._own) > _MOST_ROWS:
                raise CompositionError("there are too many moves to compare")
            self._moves = [self._moves_of(phase, parts) for phase, parts in zip(self._phases, self._parts, strict=True)]
            partitions = {tuple(map(tuple, groups)): groups for groups in self._partitions()}  # equal ones once
            for groups in partitions.values():
                factors = self._uncoupled(groups)
                if sum(self._most_choices(factor) > 2 for factor in factors) > 1:
                    gates, free = self._composition.gates, tuple(sorted(self._free))
                    return Factorisation(self._circuit, gates, free, self._control, tuple(factors))
        raise NotFactoredError("the game does not consist of independent parts")

    # ---- Phases ------------------------------------------------------------------------------------------------

    def _phase(self, state: tuple[bool, ...]) -> _Phase:
        circuit = self._circuit
        constants = {1 + p: int(value) for p, value in zip(self._control.propositions, state, strict=True)}
        legal = self._composition.under(constants, circuit.legal)
        never = {circuit.first_move + move for move, literal in enumerate(legal) if literal == FALSE}
        constants |= dict.fromkeys(never, FALSE)
        following = self._composition.under(constants, [circuit.next[p] for p in self._own])
        return _Phase(constants, legal, following)

    def _supported(self, literal: int) -> int:
        """The propositions, other than free ones, that a literal depends on, as a bit set."""
        gates, first = self._composition.gates, self._circuit.first_gate
        for a, b in gates[len(self._support) - first :]:
            self._support.append(self._support[a >> 1] | self._support[b >> 1])
        return self._support[literal >> 1]

    def _conjuncts(self, literal: int) -> _Conjuncts:
        """The literals that a literal is a conjunction of, each with its support."""
        parts = self._composition.implied(literal)
        atomic = [part for part in parts if part & 1 or part >> 1 < self._circuit.first_gate]
        return [(part, self._supported(part)) for part in atomic]

    # ---- Propositions ------------------------------------------------------------------------------------------

    def _by_dependence(self) -> _Partition:
        found = _Partition(self._own)
        for phase, parts in zip(self._phases, self._parts, strict=True):
            for p, literal in zip(self._own, phase.following, strict=True):
                found.join(self._supported(literal) | 1 << p)
            for move in parts:
                self._check()
                for _, support in move:
                    found.join(support)
        return found

    def _partitions(self) -> Iterator[list[list[int]]]:
        """The propositions by factor, first with those together that a part of the end depends on."""
        supports = {support for _, support in self._conjuncts(self._circuit.terminal & ~1)}
        largest = max(map(int.bit_count, supports), default=0)
        yield self._joined(supports)
        yield self._joined(support for support in supports if support.bit_count() < largest)
        yield self._fine.groups()

    def _joined(self, supports: Iterable[int]) -> list[list[int]]:
        partition = self._fine.copy()
        for support in supports:
            partition.join(support)
        return partition.groups()

    def _uncoupled(self, groups: list[list[int]]) -> list[Factor]:
        """The factors of these groups: those that moves couple are joined, and those that play no part left out."""
        while True:
            factors = [self._factor(group) for group in groups]
            moved = [self._moved(factor) for factor in factors]
            together = _Partition(range(len(factors)))
            for i, j in combinations(range(len(factors)), 2):
                self._check()
                if together.joined(i, j):
                    continue
                apart = not any(a & b for a, b in zip(moved[i], moved[j], strict=True))
                if not apart and not self._at_once(factors[i], factors[j]):
                    together.join(1 << i | 1 << j)
            merged = [[p for i in parts for p in groups[i]] for parts in together.groups()]
            if len(merged) == len(groups):
                return [factor for factor in factors if self._matters(factor)]
            groups = merged

    def _matters(self, factor: Factor) -> bool:
        asked = [self._circuit.terminal, *(literal for _, _, literal in self._circuit.goals)]
        ends = 0
        for literal in asked:
            ends |= self._supported(literal)
        conditional = any(condition != TRUE for legal in factor.legal for condition in legal.values())
        asked_for = any(ends >> p & 1 for p in factor.propositions)
        return conditional or asked_for or self._most_choices(factor) > 1

    # ---- Moves -------------------------------------------------------------------------------------------------

    def _moves_of(self, phase: _Phase, parts: Sequence[_Conjuncts]) -> _Moves:
        """What the moves change that may be legal in a phase, and which moves touch which proposition."""
        circuit = self._circuit
        following = [circuit.next[p] for p in self._own]
        changed: dict[int, dict[int, int]] = {}
        always: dict[int, int] = {}
        touching: dict[int, list[int]] = {p: [] for p in self._own}
        for moves in circuit.role_moves():
            possible = [v for v in moves if phase.legal[v - circuit.first_move] != FALSE]
            constants = phase.constants | dict.fromkeys(moves, FALSE)
            _, rows = self._composition.changes(constants, following, possible)
            for v, places in zip(possible, rows, strict=True):
                move = v - circuit.first_move
                changed[move] = {self._own[place]: literal for place, literal in places.items()}
                always[move] = self._composition.all(part for part, support in parts[move] if not support)
                lowest = {next(bits(support)) for _, support in parts[move] if support}
                for p in changed[move].keys() | lowest:
                    touching[p].append(move)
        return _Moves(changed, always, touching)

    def _factor(self, group: list[int]) -> Factor:
        self._check()
        mask = sum(1 << p for p in group)
        found = [self._classes(phase, mask, group) for phase in range(len(self._phases))]
        return Factor(tuple(group), tuple(moves for moves, _ in found), tuple(legal for _, legal in found))

    def _classes(self, phase: int, mask: int, group: list[int]) -> tuple[tuple[int, ...], dict[int, int]]:
        """For each move the first that is the same to a factor, and on what condition that is legal."""
        changed, always, touching = self._moves[phase]
        touched = {move for p in group for move in touching[p]}
        representative, legal = [-1] * len(self._circuit.legal), {}
        for moves in self._roles:
            firsts: dict[tuple[int, tuple[tuple[int, int], ...]], int] = {}
            for move in moves:
                if move not in changed:
                    continue
                condition = always[move]
                after: tuple[tuple[int, int], ...] = ()
                if move in touched:
                    condition = self._composition.all(
                        part for part, support in self._parts[phase][move] if not support & ~mask
                    )
                    after = tuple(sorted(item for item in changed[move].items() if mask >> item[0] & 1))
                representative[move] = firsts.setdefault((condition, after), move)
                legal[representative[move]] = condition
        return tuple(representative), legal

    def _most_choices(self, factor: Factor) -> int:
        return max(len({row[move] for move in moves} - {-1}) for row in factor.representative for moves in self._roles)

    def _moved(self, factor: Factor) -> list[int]:
        """For each phase and role the moves, as a bit set, that do something else in a factor than most moves do."""
        found = []
        for row in factor.representative:
            for moves in self._roles:
                present = [move for move in moves if row[move] >= 0]
                idle = Counter(row[move] for move in present).most_common(1)
                found.append(sum(1 << move for move in present if row[move] != idle[0][0]))
        return found

    def _at_once(self, one: Factor, other: Factor) -> bool:
        """Whether all pairs of moves in two factors can be made at once, in all phases."""
        for first, second in zip(one.representative, other.representative, strict=True):
            for moves in self._roles:
                pairs = {(first[move], second[move]) for move in moves if first[move] >= 0}
                if len(pairs) < len({a for a, _ in pairs}) * len({b for _, b in pairs}):
                    return False
        return True

    def _check(self) -> None:
        check_time(self._deadline)


_Conjuncts = Sequence[tuple[int, int]]  # literals, each with its support


class _Moves(NamedTuple):
    """What the moves do that may be legal in a phase."""

    changed: Mapping[int, Mapping[int, int]]  # by move: propositions whose next value is another than if none is made
    always: Mapping[int, int]  # by move: on what condition it is legal, as far as that depends on no factor
    touching: Mapping[int, Sequence[int]]  # by proposition: the moves that may change it, or be legal because of it


@dataclass(frozen=True, slots=True)
class _Phase:
    """The network in one control state."""

    constants: dict[int, int]  # literals that input variables stand for
    legal: list[int]
    following: list[int]  # next values of the propositions that are not free


class _Partition:
    """Disjoint sets of numbers that are joined (union-find), each known as a bit set too."""

    def __init__(self, members: Iterable[int]) -> None:
        self._parent = {p: p for p in members}
        self._set = {p: 1 << p for p in self._parent}  # of those that stand for their set

    def copy(self) -> _Partition:
        other = _Partition(())
        other._parent, other._set = dict(self._parent), dict(self._set)
        return other

    def join(self, mask: int) -> None:
        """Puts the members of a bit set together."""
        if not mask:
            return
        root = self._root(next(bits(mask)))
        while outside := mask & ~self._set[root]:
            other = self._root(next(bits(outside)))
            self._parent[other] = root
            self._set[root] |= self._set.pop(other)

    def joined(self, one: int, other: int) -> bool:
        return self._root(one) == self._root(other)

    def groups(self) -> list[list[int]]:
        return [list(bits(self._set[root])) for root in dict.fromkeys(map(self._root, self._parent))]

    def _root(self, p: int) -> int:
        while self._parent[p] != p:
            self._parent[p] = self._parent[self._parent[p]]
            p = self._parent[p]
        return p


def bits(mask: int) -> Iterator[int]:
    """The places of the bits that are set in `mask`, lowest first."""
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest
