"""The board found in the facts of a network: its squares in the family's order, and what moves do to them.

Which coordinates are neighbours follows from the moves that take nothing, which of them is the rank from the men,
which only go one way. The board is turned so that the role that moves first moves up, and mirrored so that its
first square is in use.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ludens.games.checkers.recognition.board_layouts import (
    BoardLayout,
    MoveEffects,
    Place,
    read_bits,
    read_move_effects,
)
from ludens.games.checkers.recognition.sampled_games import SampledTransitions
from ludens.games.checkers.recognition.term_shapes import TermGroup
from ludens.games.checkers.rules.parameters import DOWN, HEIGHT, UP, CheckersRules
from ludens.games.checkers.rules.positions import Bools, Ints
from ludens.propnet.base.errors import NotRecognisedError

MAN, KING = 0, 1
Texts = npt.NDArray[np.str_]


@dataclass(frozen=True, slots=True, eq=False)
class Board:
    """The facts of the board, S squares, and what moves of random games do on it, rows [n] of `SampledTransitions`."""

    rules: CheckersRules  # width, wrapping, kings, roles and first position; the rest is yet to be found
    group: TermGroup
    squares: dict[Place, int]
    pieces: dict[tuple[str, ...], tuple[int, int]]  # how moves and facts name a piece → its side, MAN or KING
    piece_bits: Ints  # [2 sides, 2 kinds, S] state bits, -1 for none
    empty_bits: Ints  # [S]
    turn: Ints  # [n] the side to move
    source: Ints  # [n] the square a piece leaves
    landing: Ints  # [n] the square where it ends
    victims: Ints  # [n] how many pieces are taken
    royal: Bools  # [n] whether a king moves
    crowned: Bools  # [n] whether a man becomes a king

    def sets(self, states: Bools) -> Ints:
        """Returns the bit sets of UP, of DOWN and of kings in states [n, state bits]: [n, 3]."""
        held = read_bits(states, self.piece_bits).astype(np.int64) << np.arange(self.rules.squares)
        sums = held.sum(axis=-1)
        return np.stack([sums[:, UP].sum(axis=1), sums[:, DOWN].sum(axis=1), sums[:, :, KING].sum(axis=1)], axis=1)


@dataclass(frozen=True, slots=True)
class _Line:
    """The values of one coordinate in order; in a cyclic one the last is next to the first."""

    values: tuple[str, ...]
    cyclic: bool

    def reversed(self) -> _Line:
        return _Line(self.values[::-1], self.cyclic)

    def ending_with(self, last: str) -> _Line:
        """Returns the same cycle, cut behind `last`."""
        cut = self.values.index(last) + 1
        return _Line(self.values[cut:] + self.values[:cut], self.cyclic)

    def ways(self, start: Texts, end: Texts) -> set[int]:
        """Returns the differences, ±1, that steps from `start` to `end` make."""
        number = {value: i for i, value in enumerate(self.values)}
        half, length = len(self.values) // 2, len(self.values)
        pairs = set(zip(start.tolist(), end.tolist(), strict=True))
        return {(number[b] - number[a] + half) % length - half for a, b in pairs}


def find_board(samples: SampledTransitions, candidates: Sequence[BoardLayout]) -> Board:
    """Finds the board among these layouts; raises NotRecognisedError if checkers is played on none of them."""
    reason = NotRecognisedError("there is no board")
    for layout in candidates:
        try:
            return _board(samples, read_move_effects(samples, layout))
        except NotRecognisedError as refusal:
            reason = refusal
    raise reason


def _board(samples: SampledTransitions, effects: MoveEffects) -> Board:
    layout = effects.layout
    rules, squares = _orient(samples, effects)
    number = np.array([squares[place] for place in layout.places])
    columns = np.concatenate([layout.bits, np.full((len(layout.bits), 1), -1)], axis=1)[np.argsort(number)]
    pieces: dict[tuple[str, ...], tuple[int, int]] = {}
    piece_bits = np.full((2, 2, rules.squares), -1)
    for kind, owned in ((MAN, effects.men), (KING, effects.kings or ())):
        for role, value in enumerate(owned):
            pieces[layout.kinds[value]] = rules.role(role), kind
            piece_bits[rules.role(role), kind] = columns[:, value]
    board = Board(
        rules=rules,
        group=layout.group,
        squares=squares,
        pieces=pieces,
        piece_bits=piece_bits,
        empty_bits=columns[:, effects.empty],
        turn=samples.mover ^ rules.first_role,
        source=number[effects.source],
        landing=number[effects.landing],
        victims=effects.victims,
        royal=effects.royal,
        crowned=effects.crowned,
    )
    up, down, kings = board.sets(samples.before[:1])[0].tolist()
    start = None if (up, down, kings) == rules.initial else (up, down, kings)
    return replace(board, rules=replace(rules, start=start))


def _orient(samples: SampledTransitions, effects: MoveEffects) -> tuple[CheckersRules, dict[Place, int]]:
    """Finds the square of each place: which coordinate is the rank, how both are ordered and where they begin."""
    places = np.array(effects.layout.places)
    start, end = places[effects.source], places[effects.landing]
    steps = effects.victims == 0
    lines = [_line(start[steps, axis], end[steps, axis], places[:, axis]) for axis in (0, 1)]
    rank_axis, ranks = _ranks(samples, effects, start, end, lines)
    files = lines[1 - rank_axis]
    if ranks.cyclic:
        ranks = ranks.ending_with(_last_rank(samples, effects, ranks, places[:, rank_axis]))
    for mirrored in (files, files.ending_with(files.values[-2]) if files.cyclic else files.reversed()):
        squares: dict[Place, int] = {}
        for place in effects.layout.places:
            rank, file = ranks.values.index(place[rank_axis]), mirrored.values.index(place[1 - rank_axis])
            if (rank + file) % 2 == 0:
                squares[place] = rank * (len(files.values) // 2) + file // 2
        if len(squares) == len(places):
            rules = CheckersRules(
                width=len(files.values),
                wrap_files=files.cyclic,
                wrap_ranks=ranks.cyclic,
                kings=effects.kings is not None,
                first_role=int(samples.mover[0]),
            )
            return rules, squares
    raise NotRecognisedError("not every second square of the board is used")


def _line(start: Texts, end: Texts, everywhere: Texts) -> _Line:
    """Finds the order of the values that a coordinate has `everywhere` from the steps, which join neighbours."""
    beside: dict[str, set[str]] = {}
    for a, b in set(zip(start.tolist(), end.tolist(), strict=True)):
        beside.setdefault(a, set()).add(b)
        beside.setdefault(b, set()).add(a)
    if beside.keys() != set(everywhere.tolist()):
        raise NotRecognisedError("no step begins or ends in some rows or columns")
    ends = sorted(value for value, near in beside.items() if len(near) == 1)
    values = [ends[0] if ends else min(beside)]
    while further := sorted(beside[values[-1]] - set(values)):
        values.append(further[0])
    joined = sum(map(len, beside.values())) // 2
    if len(values) != len(beside) or joined != len(values) - bool(ends):
        raise NotRecognisedError("steps do not lead to the next row and the next column")
    return _Line(tuple(values), not ends)


def _ranks(
    samples: SampledTransitions, effects: MoveEffects, start: Texts, end: Texts, lines: list[_Line]
) -> tuple[int, _Line]:
    """Finds which coordinate is the rank, and its order: the men of the first mover go up, the others down."""
    walks = (effects.victims == 0) & ~effects.royal
    first = samples.mover == samples.mover[0]
    for axis, line in enumerate(lines):
        up, down = (line.ways(start[walks & who, axis], end[walks & who, axis]) for who in (first, ~first))
        if len(line.values) == HEIGHT and (up, down) in (({1}, {-1}), ({-1}, {1})):
            return axis, line if up == {1} else line.reversed()
    raise NotRecognisedError("the men of the two sides do not move in opposite directions")


def _last_rank(samples: SampledTransitions, effects: MoveEffects, ranks: _Line, rank_of: Texts) -> str:
    """Finds the last of cyclic ranks: where men going up are crowned, else the farthest from where they start."""
    role = int(samples.mover[0])
    crowned = effects.crowned & (samples.mover == role)
    if crowned.any():
        return str(rank_of[effects.landing[crowned][0]])
    there = rank_of[effects.first == effects.men[role]].tolist()
    cuts = {last: ranks.ending_with(last).values for last in ranks.values}
    return min(cuts, key=lambda last: sum(map(cuts[last].index, there)))
