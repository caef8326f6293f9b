"""Finds what the moves of a network mean: the path of each, and whether its name says if a man or a king makes it.

A group of moves is read by choosing which of its arguments name squares. Every path must be one that a piece can
go on the board, and lead from where random games show it to begin to where it ends.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations, pairwise

import numpy as np

from ludens.games.checkers.recognition.board import KING, MAN, Board
from ludens.games.checkers.recognition.history import History
from ludens.games.checkers.recognition.sampled_games import SampledTransitions
from ludens.games.checkers.recognition.term_shapes import TermGroup, group_by_shape
from ludens.games.checkers.rules.parameters import DIRECTIONS, CheckersRules, Jumps, MoveTable, Path
from ludens.games.checkers.rules.positions import Ints
from ludens.propnet.base.errors import NotRecognisedError

_MOST_SQUARES = 4  # on the path of a triple jump


@dataclass(frozen=True, slots=True, eq=False)
class MoveEncoding:
    """The moves of both roles, in the network's numbers and in those of `MoveTable`."""

    table: MoveTable
    network: Ints  # [2 roles, MAN or KING, moves of the table] the network's move, -1 for none
    ends: Ints  # [2, moves of the table] the squares where a move begins and ends; 0 for those that are none

    def numbers(self, role: int, texts: tuple[str, ...]) -> dict[str, int]:
        """Returns the number in the table of each of the network's moves of a role, by the text of the move."""
        return {
            texts[self.network[role, kind, number]]: number
            for kind, number in np.argwhere(self.network[role] >= 0).tolist()
        }


def read_moves(
    samples: SampledTransitions, board: Board, history: History, texts: tuple[tuple[str, ...], ...]
) -> tuple[CheckersRules, MoveEncoding]:
    """Finds the moves, and adds to the rules what an action may be; raises NotRecognisedError for other moves."""
    named = [_read_role(samples, board, role, texts[role]) for role in (0, 1)]
    longest = max(len(path) for moves in named for path, _ in moves)
    rules = replace(board.rules, jumps=_jumps(bool((history.chain >= 0).any()), longest))
    table = MoveTable(rules)
    network = np.full((2, 2, table.count), -1)
    for role, moves in enumerate(named):
        for move, (path, kind) in enumerate(moves):
            for each in (MAN, KING) if kind is None else (kind,):
                if network[role, each, table.numbers[path]] >= 0:
                    raise NotRecognisedError(f"another move has the same effect as {texts[role][move]}")
                network[role, each, table.numbers[path]] = move
    ends = np.array([(path[0], path[-1]) if path else (0, 0) for path in table.paths]).T
    return rules, MoveEncoding(table, network, ends)


def _read_role(
    samples: SampledTransitions, board: Board, role: int, texts: tuple[str, ...]
) -> list[tuple[Path, int | None]]:
    """Returns for each move of a role its path, and MAN or KING where its name says so."""
    found: dict[int, tuple[Path, int | None]] = {samples.waiting[role]: ((), None)}
    for group in group_by_shape(texts):
        if samples.waiting[role] not in group.members:
            readings = list(_readings(samples, board, role, group))
            if not readings:
                raise NotRecognisedError(f"moves like {texts[group.members[0]]} do not exist in checkers")
            if len(readings) > 1:
                raise NotRecognisedError(f"moves like {texts[group.members[0]]} can be read in several ways")
            found |= dict(zip(group.members, readings[0], strict=True))
    return [found[move] for move in range(len(texts))]


def _readings(
    samples: SampledTransitions, board: Board, role: int, group: TermGroup
) -> Iterator[list[tuple[Path, int | None]]]:
    """Yields the ways to read a group that fit the board and the games."""
    rows = np.flatnonzero((samples.mover == role) & np.isin(samples.joint[:, role], group.members))
    member = {number: i for i, number in enumerate(group.members)}
    ends = {
        (member[move], source, landing, taken)
        for move, source, landing, taken in zip(
            samples.joint[rows, role].tolist(),
            board.source[rows].tolist(),
            board.landing[rows].tolist(),
            board.victims[rows].tolist(),
            strict=True,
        )
    }
    for length in range(2, _MOST_SQUARES + 1):
        for starts in combinations(range(group.arity - 1), length):
            if any(b - a < 2 for a, b in pairwise(starts)):
                continue
            for swapped in (False, True):
                read = [_path(board, args, starts, swapped) for args in group.arguments]
                paths = [path for path in read if path is not None]
                if len(paths) < len(read) or not _fit(board.rules, paths, ends):
                    continue
                used = {place for start in starts for place in (start, start + 1)}
                names = [tuple(arg for i, arg in enumerate(args) if i not in used) for args in group.arguments]
                if all(not name or board.pieces.get(name, (-1, 0))[0] == board.rules.role(role) for name in names):
                    kinds = [board.pieces[name][1] if name else None for name in names]
                    yield list(zip(paths, kinds, strict=True))


def _path(board: Board, args: tuple[str, ...], starts: tuple[int, ...], swapped: bool) -> Path | None:
    """Returns the squares that pairs of arguments name; None if they are not squares of the board."""
    squares = []
    for start in starts:
        pair = args[start], args[start + 1]
        square = board.squares.get(pair[::-1] if swapped else pair)
        if square is None:
            return None
        squares.append(square)
    return tuple(squares)


def _fit(rules: CheckersRules, paths: list[Path], ends: set[tuple[int, int, int, int]]) -> bool:
    """Says whether all paths are steps or chains of jumps, and begin, end and capture as the games show."""
    steps, jumps = _hops(rules, 1), _hops(rules, 2)
    for path in paths:
        hops = set(pairwise(path))
        if not (hops <= jumps or (len(path) == 2 and hops <= steps)):
            return False
    return all(
        (paths[i][0], paths[i][-1], len(paths[i]) - 1 if (paths[i][0], paths[i][1]) in jumps else 0) == tuple(played)
        for i, *played in ends
    )


def _hops(rules: CheckersRules, length: int) -> set[Path]:
    """Returns the pairs of squares that one step, or one jump, joins."""
    hops: set[Path] = set()
    for square in range(rules.squares):
        for way in range(len(DIRECTIONS)):
            near = rules.neighbour(square, way)
            end = near if length == 1 or near is None else rules.neighbour(near, way)
            if end is not None:
                hops.add((square, end))
    return hops


def _jumps(goes_on: bool, longest: int) -> Jumps:
    """Finds what one capturing action is, from the longest path and from whether the same side ever goes on."""
    if longest == _MOST_SQUARES:
        return Jumps.UP_TO_THREE
    if longest != 2:
        raise NotRecognisedError("a move has up to two jumps, as in no known game of the family")
    return Jumps.BY_PLIES if goes_on else Jumps.ONE
