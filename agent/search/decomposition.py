"""Decides whether a game of two is searched factor by factor, and what each of these searches plays for.

A *sum*: both move in all factors at once; the game goes on until all are done, or for so many steps; a factor
that is done stays as it is; and goals are sums over factors, which make up a constant. Then each player can
have in every factor what it is worth there, so what is best in each is best in all: the whole game's value is
the sum of theirs, whether factors are played in turn or at the same time. All this is checked in every position
that a factor can come to; so factors must be small enough for that.

*First to end*: a player moves in one factor and leaves the others alone, or passes; no two players choose in the same
factor at the same time; the game is over as soon as one factor is, with goals that depend on that one, or as all are
in a state that an end asks for, such as a full board. Who moves and when it is over is proven; that goals depend on
the factor that ends alone, and that a factor in such a state stays so, is tried in random games. What is best in a
factor need not be best here, since another factor may end first: how the factors' values are weighed against each other
is a rule of thumb (see `factored_search`), which gained in the games it was tried in (docs/experiments/factors.md).

Sources: D. Zhao, S. Schiffel, M. Thielscher, "Decomposition of Multi-Player Games", 2009; J. Conway, "On
Numbers and Games", 1976 (sums of games); A. Rose, S. Draper, Sancho, 2014, whose factors have a pseudo-move for
moves elsewhere.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import product

import numpy as np
import numpy.typing as npt

from ludens.native.core import Game, Simulator, States, pack_bits, unpack_bits
from ludens.propnet.analysis.composition import CompositionError
from ludens.propnet.analysis.factors import Factorisation, boxes, factorise
from ludens.propnet.analysis.subgames import Ends, Extraction, Outcome, SubGame, Vector
from ludens.propnet.base.arrays import BoolArray
from ludens.propnet.base.clock import now
from ludens.propnet.base.errors import LudensError
from ludens.propnet.network.propnet import Propnet

_SECONDS = 5.0  # for a game that has factors
_FACTOR_SECONDS = 2.0  # to find factors; most games that have some show them within a tenth of one
_SHARE = 1 / 4  # of the time that is left, at most, for either,
_LEAST_SECONDS = 1.0  # ... but so many even if the first turn has come
_LANES = 64
_MOST_POSITIONS = 200_000  # of one factor
_MOST_COMBINATIONS = 100_000
_SLICE = 100_000  # about so many joint moves, legal or not, are looked at together
_ROUNDS = 4  # of random games, in which the goals of such a game are tried


class NotDecomposableError(LudensError):
    """A game that is not played by its factors; the text says why."""


class Kind(Enum):
    """How what is best in the whole game follows from what is best in its factors."""

    SUM = "whose goals add up"
    FIRST_TO_END = "of which the first to end decides"


@dataclass(frozen=True, slots=True)
class Decomposition:
    """A game of two in factors.

    `offset`: what each role earns beside the sum of what it earns in the factors. `waits`: a role may leave a factor
    alone where it could move in it, to move in another or in none.
    """

    kind: Kind
    factoring: Factorisation
    games: tuple[SubGame, ...]
    offset: tuple[float, ...]
    waits: bool = False

    @property
    def compares(self) -> bool:
        """Whether values in different factors are added or compared, so that those of all moves must be known."""
        return self.kind is Kind.SUM or self.waits

    def __str__(self) -> str:
        """Says it to users."""
        return f"in {len(self.games)} independent parts, {self.kind.value}"


def decompose(net: Propnet, factoring: Factorisation, seconds: float) -> Decomposition:
    """Finds out how a game is played by its factors, within `seconds`. Raises `NotDecomposableError`."""
    if len(net.roles) != 2:
        raise NotDecomposableError("only games of two roles are searched part by part")
    decomposer = _Decomposer(net, factoring, now() + seconds)
    ends, apart = decomposer.ends(), decomposer.apart()
    if ends is not None and apart:
        return decomposer.first_to_end(ends)
    if decomposer.together():
        return decomposer.sum()
    if apart:
        raise NotDecomposableError("the game does not end when one part does")
    raise NotDecomposableError("some moves belong to several parts, but not to all of them")


def factors_of(net: Propnet, left: float) -> Factorisation | None:
    """Returns the factors of a game, if it has any and they are found soon: `left` seconds are until the first turn."""
    try:
        return factorise(net, _seconds(_FACTOR_SECONDS, left))
    except CompositionError:
        return None


def decomposition_of(net: Propnet, factoring: Factorisation, left: float) -> Decomposition | None:
    """Returns how a game is played by its factors; None where it is not. `left` seconds are until the first turn."""
    try:
        return decompose(net, factoring, _seconds(_SECONDS, left))
    except NotDecomposableError:
        return None


def _seconds(most: float, left: float) -> float:
    return min(most, max(_LEAST_SECONDS, _SHARE * left))


class _Decomposer:
    def __init__(self, net: Propnet, factoring: Factorisation, deadline: float) -> None:
        self._net, self._factoring, self._deadline = net, factoring, deadline
        self._outcome = Outcome(factoring)
        self._places = range(len(factoring.factors))

    def _vectors(self) -> Iterator[list[tuple[int, ...]]]:
        """Yields what stands for the moves of each role in each phase."""
        for phase in range(len(self._factoring.control.states)):
            for role in self._factoring.roles():
                yield [*self._factoring.vectors(phase, role)]

    def together(self) -> bool:
        """Says whether any moves in factors can be made at once."""
        return all(len(boxes(vectors)) == 1 for vectors in self._vectors())

    def apart(self) -> bool:
        """Says whether every move is made in one factor, and no two roles choose in the same one at a time."""
        for phase in range(len(self._factoring.control.states)):
            taken = set[int]()
            for role in self._factoring.roles():
                vectors = [*self._factoring.vectors(phase, role)]
                places = places_of_choice(vectors)
                if taken & places or (places and idle_vector(vectors) is None):
                    return False
                taken |= places
        return True

    def ends(self) -> Ends | None:
        """Returns what ends the game, if each factor can do so alone."""
        ends = self._outcome.ends()
        return ends if ends is not None and all(ends.alone[:-1]) else None

    # ---- Sums --------------------------------------------------------------------------------------------------

    def sum(self) -> Decomposition:
        """Returns the game as a sum."""
        explored = [self._explored(place) for place in self._places]
        control = self._explored(len(self._places)) if self._outcome.concepts[-1] else _Explored((), {})
        values = [e.vectors for e in explored]
        clocks = control.vectors or ((),)
        if math.prod(map(len, [*values, clocks])) > _MOST_COMBINATIONS:
            raise NotDecomposableError("the end of the game depends on too many facts")
        combinations = [*product(*values, clocks)]
        rows = [
            np.array([c[i] for c in combinations], np.bool_).reshape(len(combinations), -1)
            for i in range(len(values) + 1)
        ]
        terminal, goals = self._outcome.read(rows)
        over = dict(zip(combinations, terminal.tolist(), strict=True))
        last_clocks = {clock for clock in clocks if all(over[(*c, clock)] for c in product(*values))}
        done = [
            {v for v in mine if any(over[c] for c in combinations if c[i] == v and c[-1] not in last_clocks)}
            for i, mine in enumerate(values)
        ]
        for combination, ends in over.items():
            if ends != (combination[-1] in last_clocks or all(v in d for v, d in zip(combination, done, strict=False))):
                raise NotDecomposableError("the game does not end when all parts have ended")
        for e, d in zip(explored, done, strict=True):
            if any(after != {vector} for vector, after in e.following.items() if vector in d):
                raise NotDecomposableError("a part that has ended can continue")
        return self._summed(values, [*clocks], last_clocks, done, combinations, terminal, goals)

    def _summed(
        self,
        values: Sequence[Sequence[Vector]],
        clocks: list[Vector],
        last_clocks: set[Vector],
        done: Sequence[set[Vector]],
        combinations: Sequence[tuple[Vector, ...]],
        terminal: BoolArray,
        goals: npt.NDArray[np.int64],
    ) -> Decomposition:
        ended = [(c, g) for c, t, g in zip(combinations, terminal, goals, strict=True) if t]
        if not ended or any((g < 0).any() or g.sum() != ended[0][1].sum() for _, g in ended):
            raise NotDecomposableError("the goals of the two roles do not have a constant sum")
        base, ground = ended[0]
        by_end = dict(ended)
        worth: list[dict[Vector, npt.NDArray[np.int64]]] = []
        for place, mine in enumerate(values):
            ends = [v for v in mine if (*base[:place], v, *base[place + 1 :]) in by_end]
            worth.append({v: by_end[(*base[:place], v, *base[place + 1 :])] - ground for v in ends})
        for combination, g in ended:
            parts = [worth[i].get(v) for i, v in enumerate(combination[:-1])]
            if any(p is None for p in parts) or (ground + sum(p for p in parts if p is not None) != g).any():
                raise NotDecomposableError("the goals are not sums of goals of the parts")
        lowest = [min(int(gain[0]) for gain in w.values()) for w in worth]
        least = [np.array([low, -low - 100]) for low in lowest]  # so that goals sum to 100: searches rely on that
        offset = ground + np.sum(least, axis=0)
        subs = []
        for place in self._places:
            ends = [(*v, *clock) for v in values[place] for clock in clocks if v in done[place] or clock in last_clocks]
            cases: dict[tuple[int, int], list[Vector]] = {}
            for v, gain in worth[place].items():
                for role, value in enumerate((gain - least[place]).tolist()):
                    cases.setdefault((role, value), []).extend((*v, *clock) for clock in clocks)
            subs.append(Extraction(self._factoring, self._outcome, place).ending(ends, cases))
        return Decomposition(Kind.SUM, self._factoring, tuple(subs), tuple(float(o) for o in offset))

    def _explored(self, place: int) -> _Explored:
        """Finds all concepts that a factor can come to, whatever is played, and what can follow each."""
        sub = Extraction(self._factoring, self._outcome, place).observed()
        simulator = Simulator(Game.from_propnet(sub.net), _LANES)
        roles = len(self._net.roles)
        together = 1 + _SLICE // (1 + math.prod(simulator.game.moves[:roles]))  # positions
        vectors: dict[bytes, Vector] = {}  # of all positions that were found
        following: dict[Vector, set[Vector]] = {}

        def found(states: States) -> States:
            fresh = np.unique(states, axis=0)
            fresh = fresh[[state.tobytes() not in vectors for state in fresh]]
            concepts = (simulator.goals(fresh)[:, roles:] == 100).tolist()
            vectors.update({state.tobytes(): tuple(row) for state, row in zip(fresh, concepts, strict=True)})
            return fresh

        waiting = found(simulator.game.initial[None])
        while len(waiting):
            if len(vectors) > _MOST_POSITIONS or now() > self._deadline:
                raise NotDecomposableError("a part has too many positions to examine all of them")
            states, waiting = waiting[:together], waiting[together:]
            legal = simulator.legal(states)[:roles]
            if not all(moves.any(axis=1).all() for moves in legal):
                raise NotDecomposableError("a part has positions without a legal move")
            origins, joint = _all_joint(legal, len(sub.net.roles))
            after = simulator.next(states[origins], joint)
            waiting = np.concatenate([waiting, found(after)])
            for origin, state in zip(origins.tolist(), after, strict=True):
                following.setdefault(vectors[states[origin].tobytes()], set()).add(vectors[state.tobytes()])
        return _Explored(tuple(dict.fromkeys(vectors.values())), following)

    # ---- First to end ------------------------------------------------------------------------------------------

    def first_to_end(self, ends: Ends) -> Decomposition:
        """Returns the game as one that ends with the first of its factors."""
        idle = self._idle_moves()
        games = tuple(
            Extraction(self._factoring, self._outcome, place).first_to_end(ends, moves)
            for place, moves in enumerate(idle)
        )
        found = Decomposition(Kind.FIRST_TO_END, self._factoring, games, (0.0, 0.0), waits=any(idle))
        self._try_goals(found)
        return found

    def _idle_moves(self) -> list[set[int]]:
        """Returns for each factor what stands for moves in others, where a role may move in either."""
        idle: list[set[int]] = [set() for _ in self._places]
        for vectors in self._vectors():
            vector = idle_vector(vectors) if len(places_of_choice(vectors)) > 1 else None
            for moves, move in zip(idle, vector or (), strict=False):
                moves.add(move)
        return idle

    def _try_goals(self, decomposition: Decomposition) -> None:
        """Raises unless random games are told by the part that ends alone, and parts that have ended stay so."""
        simulator = Simulator(Game.from_propnet(self._net), _LANES)
        parts = [Simulator(Game.from_propnet(sub.net), _LANES) for sub in decomposition.games]
        ends_alone = False
        for _ in range(_ROUNDS):
            for joint_moves in simulator.record():
                states = [simulator.game.initial]
                for joint in joint_moves:
                    states.append(simulator.next(states[-1], joint)[0])
                ends_alone |= self._tells(decomposition, simulator, parts, np.array(states))
            if now() > self._deadline:
                break
        if not ends_alone:
            raise NotDecomposableError("several parts end at the same time")

    def _tells(
        self, decomposition: Decomposition, simulator: Simulator, parts: Sequence[Simulator], states: States
    ) -> bool:
        """Says whether a game, in so many states, is over by one part alone. Raises where it shows what must not be."""
        mine = [project(states, sub, self._net.state_bits) for sub in decomposition.games]
        ended = np.array([part.terminal(states) for part, states in zip(parts, mine, strict=True)])  # [parts, states]
        if (ended[:, :-1] & ~ended[:, 1:]).any():
            raise NotDecomposableError("a part that has ended can continue")
        if not simulator.terminal(states[-1])[0] or ended[:, -1].sum() != 1:
            return False
        place = int(ended[:, -1].argmax())
        if (parts[place].goals(mine[place][-1]) != simulator.goals(states[-1])).any():
            raise NotDecomposableError("goals depend on more than the part that ends")
        return True


@dataclass(frozen=True, slots=True)
class _Explored:
    """The values that a factor's concepts can take, and which can follow which."""

    vectors: tuple[Vector, ...]
    following: dict[Vector, set[Vector]]


def places_of_choice(vectors: Sequence[tuple[int, ...]]) -> set[int]:
    """Returns the factors in which a role has a choice whose moves these vectors stand for."""
    return {place for place, moves in enumerate(zip(*vectors, strict=True)) if len(set(moves)) > 1}


def idle_vector(vectors: Sequence[tuple[int, ...]]) -> tuple[int, ...] | None:
    """Returns what stands in each factor for moves elsewhere, if every vector differs from it in one place at most."""
    usual = [max(set(column), key=column.count) for column in map(list, zip(*vectors, strict=True))]
    for idle in (tuple(usual), *vectors):
        if all(sum(a != b for a, b in zip(vector, idle, strict=True)) <= 1 for vector in vectors):
            return idle
    return None


def project(states: States, sub: SubGame, state_bits: int) -> States:
    """Returns the states of a factor in states of the whole game."""
    return pack_bits(unpack_bits(np.atleast_2d(states), state_bits)[:, sub.propositions])


def _all_joint(legal: Sequence[BoolArray], roles: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
    """Returns every joint move in every state: the number of the state, and a move for each role, 0 for observers."""
    pairs = legal[0][:, :, None] & legal[1][:, None, :]
    origins, first, second = np.nonzero(pairs)
    joint = np.zeros((len(origins), roles), np.int32)
    joint[:, 0], joint[:, 1] = first, second
    return origins, joint
