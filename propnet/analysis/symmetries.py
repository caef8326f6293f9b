"""Symmetries of a game: permutations of its propositions and moves under which the network is the same.

Positions that a symmetry carries into one another are worth the same to every role, so a search need look at one
of them only (S. Schiffel, "Symmetry Detection in General Game Playing", 2010; there in the rules, here in what
they mean). A symmetry may also carry roles into one another, such as white into black, with the board turned round:
then a position is worth to the one what its image is worth to the other.

The network becomes a graph of conjunctions of any width, equal ones shared, so that it does not matter in which
order its gates join their inputs. Colours of its nodes are refined by those of their neighbours until that makes no
more of them differ; then a proposition is individualised in one copy of the graph and one of the same colour in
another, and so on until all nodes differ (B. McKay, "Practical Graph Isomorphism", 1981). What this finds is proven
before it counts: the network with its inputs permuted must come to the same nodes. Networks that were simplified in
an asymmetric way have symmetries that are not found. A network with loops is the same if its equations for the
feedback inputs are: then their least solutions are. Networks with several goals of one role and value are left alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
import numpy.typing as npt

from ludens.propnet.base.arrays import Int32Array
from ludens.propnet.base.clock import now
from ludens.propnet.network.propnet import Propnet

_MOST_EDGES = 2_000_000
_MOST_TRIED = 50  # permutations that colours allow: none need be a symmetry, and many may differ in moves alone
_CONJUNCTION = 1000  # first colour; those of inputs are smaller
_Colours = npt.NDArray[np.uint64]  # of variables


def symmetries(net: Propnet, most: int = 7, seconds: float = 2.0) -> Int32Array:
    """Finds permutations int32[K, S] of propositions, not the identity: `most`, or what `seconds` and tries allow.

    What a state is worth to each role, that state is also worth in which proposition `row[p]` holds for each p of
    the first. None for networks with loops, which `role_symmetry` alone looks at.
    """
    found: list[Int32Array] = []
    if not len(net.feedback):
        deadline = now() + seconds
        known = {np.arange(net.state_bits, dtype=np.int32).tobytes()}
        try:
            graph = _Graph(net, range(len(net.roles)), deadline)
            for permutation in islice(graph.permutations(), _MOST_TRIED):
                row = (permutation[1 : 1 + net.state_bits] - 1).astype(np.int32)
                if row.tobytes() not in known and graph.is_symmetry(permutation):
                    known.add(row.tobytes())
                    found.append(row)
                if len(found) == most:
                    break
        except (_UnfinishedError, RecursionError):
            pass
    return np.array(found, np.int32).reshape(len(found), net.state_bits)


@dataclass(frozen=True, slots=True)
class RoleSymmetry:
    """A symmetry that carries roles into one another, each proposition and move p into the one of number `p`."""

    roles: tuple[int, ...]
    propositions: Int32Array  # [S]
    moves: Int32Array  # [M] role after role, counted over all roles


def role_symmetry(net: Propnet, roles: Sequence[int], seconds: float = 20.0) -> RoleSymmetry | None:
    """Returns a proven symmetry that carries each role r into `roles[r]`; None if none is found in `seconds`."""
    try:
        graph = _Graph(net, roles, now() + seconds)
        for permutation in islice(graph.permutations(), _MOST_TRIED):
            if graph.is_symmetry(permutation):
                inputs = (permutation - 1).astype(np.int32)
                states, moves = net.state_bits, net.move_count
                return RoleSymmetry(tuple(roles), inputs[1 : 1 + states], inputs[1 + states :][:moves] - states)
    except (_UnfinishedError, RecursionError):
        pass
    return None


class _UnfinishedError(Exception):
    """The search for symmetries was out of time, or the graph too large."""


class _Nodes:
    """Conjunctions of any width by what they join, each only once; literals as those of networks."""

    def __init__(self, first: int, deadline: float) -> None:
        self.parts: dict[int, frozenset[int]] = {}  # of each, by its literal
        self._literals: dict[frozenset[int], int] = {}
        self._next = 2 * first
        self._deadline = deadline
        self._edges = 0

    def conjunction(self, *literals: int) -> int:
        """The literal of a conjunction."""
        parts: set[int] = set()
        for literal in literals:
            parts |= self.parts.get(literal, {literal})
        parts.discard(1)
        if 0 in parts or any(literal ^ 1 in parts for literal in parts):
            return 0
        if len(parts) < 2:
            return parts.pop() if parts else 1
        key = frozenset(parts)
        if key not in self._literals:
            self._edges += len(key)
            if self._edges > _MOST_EDGES or now() > self._deadline:
                raise _UnfinishedError
            self._literals[key] = self._next
            self.parts[self._next] = key
            self._next += 2
        return self._literals[key]


@dataclass(frozen=True, slots=True)
class _Edges:
    """Arrays of equal length: the colour of each target is refined by that of its source and the kind of the edge."""

    source: npt.NDArray[np.int64]
    target: npt.NDArray[np.int64]
    kind: npt.NDArray[np.uint64]  # a hash of it


class _Graph:
    """The conjunctions of a network, and what refers to them, with the roles that roles are to be carried into."""

    def __init__(self, net: Propnet, roles: Sequence[int], deadline: float) -> None:
        self._net, self._roles, self._deadline = net, roles, deadline
        self._nodes = _Nodes(net.first_gate, deadline)
        self._output_literals = self._literals_of_outputs()
        self._gates_read = self._gates_of_outputs()
        self._outputs = self._read(np.arange(net.first_gate))
        self._edges = self._links()

    def permutations(self) -> Iterator[npt.NDArray[np.int64]]:
        """Permutations of the input variables under which colours agree; the identity may be among them.

        None where goals do not tell which is carried into which.
        """
        same = range(len(self._net.roles))
        goals = self._goals(same)
        if sorted(goals) != sorted(self._goals(self._roles)) or len(set(goals)) < len(goals):
            return
        theirs = self._refined(self._coloured(same))
        mine = theirs if list(self._roles) == list(same) else self._refined(self._coloured(self._roles))
        yield from self._extensions(mine, theirs)

    def is_symmetry(self, permutation: npt.NDArray[np.int64]) -> bool:
        """Whether the network with its inputs permuted, and its roles exchanged, is the network."""
        net = self._net
        if not np.array_equal(self._kinds(range(len(net.roles)))[permutation], self._kinds(self._roles)):
            return False
        goals = self._goals(range(len(net.roles)))
        carried = self._goals(self._roles)
        place = [*(permutation[1:] - 1).tolist(), *(net.first_gate - 1 + goals.index(goal) for goal in carried)]
        return [self._outputs[i] for i in place] == self._read(permutation)

    def _kinds(self, roles: Sequence[int]) -> npt.NDArray[np.int64]:
        """What inputs are: states, moves by role, feedback."""
        net = self._net
        moves = [3 + roles[role] for role, moves in enumerate(net.moves) for _ in moves]
        return np.array([0, *[1] * net.state_bits, *moves, *[2] * len(net.feedback)])

    def _goals(self, roles: Sequence[int]) -> list[tuple[int, int]]:
        """The role and value of the end, which are -1 and 0, and of each goal."""
        net = self._net
        return [(-1, 0), *((roles[r], v) for r, v in zip(net.goal_role.tolist(), net.goal_value.tolist(), strict=True))]

    def _read(self, inputs: npt.NDArray[np.int64]) -> list[int]:
        """What the next state, legality, feedback, the end and goals come to where variables stand for the inputs."""
        values = dict(enumerate((2 * inputs).tolist()))
        for gate, a, b in self._gates_read:
            values[gate] = self._nodes.conjunction(values[a >> 1] ^ a & 1, values[b >> 1] ^ b & 1)
        return [values[literal >> 1] ^ literal & 1 for literal in self._output_literals]

    def _literals_of_outputs(self) -> list[int]:
        """What the next state, legality, feedback, the end and goals are in the network."""
        net = self._net
        outputs = [*net.next.tolist(), *net.legal.tolist(), *net.feedback.tolist()]
        return [*outputs, net.terminal, *net.goal_literal.tolist()]

    def _gates_of_outputs(self) -> list[tuple[int, int, int]]:
        """The gates that outputs depend on, in order, each with its two inputs; others are of features."""
        net, needed = self._net, np.zeros(self._net.first_gate + len(self._net.gates), np.bool_)
        needed[np.array(self._output_literals) >> 1] = True
        gates = net.gates.tolist()
        found = []
        for gate in range(len(gates) - 1, -1, -1):
            if needed[net.first_gate + gate]:
                a, b = gates[gate]
                needed[a >> 1] = needed[b >> 1] = True
                found.append((net.first_gate + gate, a, b))
        return found[::-1]

    def _coloured(self, roles: Sequence[int]) -> _Colours:
        """First colours: what variables are, and which end or goal a literal is."""
        net = self._net
        first = np.full(net.first_gate + len(self._nodes.parts), _CONJUNCTION, np.uint64)
        first[: net.first_gate] = self._kinds(roles)
        for literal, (role, value) in zip(self._outputs[net.first_gate - 1 :], self._goals(roles), strict=True):
            mark = np.array([_CONJUNCTION + 1 + value + 101 * (2 * (role + 1) + (literal & 1))])
            np.add.at(first, [literal >> 1], _mixed(mark))
        return _mixed(first)

    def _links(self) -> _Edges:
        """The edges from conjunctions to their parts and from outputs to the inputs that they belong to, and back."""
        net = self._net
        kinds = [1] * net.state_bits + [2] * net.move_count + [3] * len(net.feedback)
        links = [(part, whole >> 1, 0) for whole, parts in self._needed() for part in parts]
        outputs = zip(self._outputs[: net.first_gate - 1], kinds, strict=True)
        links += [(out, 1 + i, kind) for i, (out, kind) in enumerate(outputs)]
        source = np.array([literal >> 1 for literal, _, _ in links])
        target = np.array([variable for _, variable, _ in links])
        kind = np.array([2 * kind + (literal & 1) for literal, _, kind in links], np.uint64)
        hashed = _mixed(np.concatenate([kind, kind + np.uint64(8)]))
        return _Edges(np.concatenate([source, target]), np.concatenate([target, source]), hashed)

    def _needed(self) -> Iterator[tuple[int, frozenset[int]]]:
        """The conjunctions that outputs depend on, and their parts: others came up on the way to wider ones."""
        pending, visited = [literal & ~1 for literal in self._outputs], set[int]()
        while pending:
            literal = pending.pop()
            if literal not in visited and literal in self._nodes.parts:
                visited.add(literal)
                yield literal, self._nodes.parts[literal]
                pending += [part & ~1 for part in self._nodes.parts[literal]]

    def _refined(self, colours: _Colours) -> _Colours:
        """The coarsest refinement of colours in which nodes of one colour have neighbours of the same colours."""
        edges, count = self._edges, len(np.unique(colours))
        while True:
            if now() > self._deadline:
                raise _UnfinishedError
            after = _mixed(colours)
            np.add.at(after, edges.target, _mixed(colours[edges.source] + edges.kind))
            colours, before = _mixed(after), count
            count = len(np.unique(colours))
            if count == before:
                return colours

    def _extensions(self, one: _Colours, other: _Colours) -> Iterator[npt.NDArray[np.int64]]:
        """Permutations of the inputs that carry the colours `one` into `other`."""
        inputs = self._net.first_gate
        mine, theirs = one[:inputs], other[:inputs]
        if not np.array_equal(np.sort(mine), np.sort(theirs)):
            return
        _, first, counts = np.unique(mine, return_index=True, return_counts=True)
        if (counts == 1).all():
            permutation = np.empty(inputs, np.int64)
            permutation[np.argsort(mine)] = np.argsort(theirs)
            yield permutation
            return
        chosen = first[counts > 1][np.argmin(counts[counts > 1])]
        marked = self._individualised(one, chosen)
        for image in np.flatnonzero(theirs == mine[chosen]).tolist():
            yield from self._extensions(marked, self._individualised(other, image))

    def _individualised(self, colours: _Colours, variable: int) -> _Colours:
        marked = colours.copy()
        marked[variable] += np.uint64(1)
        return self._refined(marked)


def _mixed(colours: npt.NDArray[np.uint64] | npt.NDArray[np.int64]) -> _Colours:
    """A hash of each colour (the finaliser of S. Vigna's splitmix64)."""
    z = colours.astype(np.uint64)
    z += np.uint64(0x9E3779B97F4A7C15)
    z ^= z >> np.uint64(30)
    z *= np.uint64(0xBF58476D1CE4E5B9)
    z ^= z >> np.uint64(27)
    z *= np.uint64(0x94D049BB133111EB)
    z ^= z >> np.uint64(31)
    return z
