"""Finds facts that may form a board in random games: what is empty, whose the pieces are, what moves take.

Facts are grouped by shape, so names do not matter. A group may be the board if two of its arguments are
coordinates and the rest tells what stands there, at most one thing at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from ludens.games.checkers.recognition.sampled_games import SampledTransitions
from ludens.games.checkers.recognition.term_shapes import TermGroup
from ludens.games.checkers.rules.parameters import HEIGHT
from ludens.games.checkers.rules.positions import Bools, Ints
from ludens.propnet.base.errors import NotRecognisedError

Place = tuple[str, str]  # two coordinates, as the sheet names them
_WIDTHS = (4, 6, 8)


@dataclass(frozen=True, slots=True, eq=False)
class BoardLayout:
    """One reading of a group of facts as a board: P places and K kinds of things that may stand there."""

    group: TermGroup
    places: tuple[Place, ...]
    kinds: tuple[tuple[str, ...], ...]
    bits: Ints  # [P, K] state bits, -1 for none

    def contents(self, states: Bools) -> Ints:
        """Returns what stands in each place of states [n, state bits]: the kind, K for nothing at all, [n, P]."""
        held = read_bits(states, self.bits)
        if (held.sum(axis=2) > 1).any():
            raise NotRecognisedError(f"({self.group.name} …) can hold for several pieces on one square")
        return np.where(held.any(axis=2), held.argmax(axis=2), len(self.kinds))


@dataclass(frozen=True, slots=True, eq=False)
class MoveEffects:
    """What moves of random games do on a layout, rows [n] of `SampledTransitions`; numbers of places and kinds."""

    layout: BoardLayout
    empty: int  # the kind that is none
    men: tuple[int, int]  # of each role
    kings: tuple[int, int] | None  # of each role, where there are any
    first: Ints  # [P] what stands where in the beginning
    source: Ints  # [n] the place a piece leaves
    landing: Ints  # [n] the place where it ends
    victims: Ints  # [n] how many pieces are taken
    royal: Bools  # [n] whether a king moves
    crowned: Bools  # [n] whether a man becomes a king


def read_bits(states: Bools, bits: Ints) -> Bools:
    """Returns the bits of states [n, state bits] that an array of bit numbers names; false for -1."""
    return np.concatenate([states, np.zeros((len(states), 1), np.bool_)], axis=1)[:, bits]


def find_layouts(facts: list[TermGroup]) -> Iterator[BoardLayout]:
    """Yields the readings of facts as a board of 4, 6 or 8 by 8 on which every other square is in use."""
    for group in facts:
        for one, two in combinations(range(group.arity), 2):
            rest = [i for i in range(group.arity) if i not in (one, two)]
            places = sorted({(args[one], args[two]) for args in group.arguments})
            kinds = sorted({tuple(args[i] for i in rest) for args in group.arguments})
            width, height = sorted((len({a for a, _ in places}), len({b for _, b in places})))
            if height != HEIGHT or width not in _WIDTHS or 2 * len(places) != width * height or len(kinds) < 2:
                continue
            bits = np.full((len(places), len(kinds)), -1)
            for member, args in zip(group.members, group.arguments, strict=True):
                bits[places.index((args[one], args[two])), kinds.index(tuple(args[i] for i in rest))] = member
            yield BoardLayout(group, tuple(places), tuple(kinds), bits)


def read_move_effects(samples: SampledTransitions, layout: BoardLayout) -> MoveEffects:
    """Finds what the moves do; raises NotRecognisedError if it is not what moves of checkers do."""
    before, after = layout.contents(samples.before), layout.contents(samples.after)
    empty = _empty(before, after)
    filled = (before == empty) & (after != empty)
    emptied = (before != empty) & (after == empty)
    if (filled.sum(axis=1) != 1).any() or ((before != after) & ~filled & ~emptied).any():
        raise NotRecognisedError("some moves do more than move one piece and capture others")
    landing = filled.argmax(axis=1)
    arrived = np.take_along_axis(after, landing[:, None], 1)[:, 0]
    owned = [sorted(set(arrived[samples.mover == role].tolist())) for role in (0, 1)]
    if set(owned[0]) & set(owned[1]):
        raise NotRecognisedError("the two roles move the same pieces")
    if not np.isin(before, [empty, *owned[0], *owned[1]]).all():
        raise NotRecognisedError("there are pieces that never move")
    mine = np.where((samples.mover == 0)[:, None], np.isin(before, owned[0]), np.isin(before, owned[1]))
    if ((emptied & mine).sum(axis=1) != 1).any():
        raise NotRecognisedError("a move captures pieces of its own side, or adds a piece")
    source = (emptied & mine).argmax(axis=1)
    men, kings = _kinds(owned, before[0])
    royal = np.isin(np.take_along_axis(before, source[:, None], 1)[:, 0], kings or ())
    return MoveEffects(
        layout=layout,
        empty=empty,
        men=men,
        kings=kings,
        first=before[0],
        source=source,
        landing=landing,
        victims=emptied.sum(axis=1) - 1,
        royal=royal,
        crowned=~royal & np.isin(arrived, kings or ()),
    )


def _empty(before: Ints, after: Ints) -> int:
    """Finds the empty kind: wherever just two contents change places, it is one of them."""
    changed = before != after
    two = changed.sum(axis=1) == 2
    was, is_now = before[two][changed[two]].reshape(-1, 2), after[two][changed[two]].reshape(-1, 2)
    swaps = {frozenset(pair) for pair in was[(was == is_now[:, ::-1]).all(axis=1)].tolist()}
    common = frozenset.intersection(*swaps) if swaps else frozenset()
    if len(swaps) < 2 or len(common) != 1:
        raise NotRecognisedError("some steps do not lead from one square to an empty one")
    return int(next(iter(common)))


def _kinds(owned: list[list[int]], first: Ints) -> tuple[tuple[int, int], tuple[int, int] | None]:
    """Returns the kinds of the men of both roles, with which they begin, and of their kings, if both have them."""
    men = [[kind for kind in kinds if kind in first] for kinds in owned]
    kings = [[kind for kind in kinds if kind not in first] for kinds in owned]
    if [len(kinds) for kinds in men] != [1, 1]:
        raise NotRecognisedError("a side starts with more than one kind of piece")
    match [len(kinds) for kinds in kings]:
        case [0, 0]:
            return (men[0][0], men[1][0]), None
        case [1, 1]:
            return (men[0][0], men[1][0]), (kings[0][0], kings[1][0])
    raise NotRecognisedError("the two sides do not have the same number of kinds of pieces, one or two")
