"""Tak Positional System: positions as people write them, such as `x3/x,12C,x/1S,x2 1 5`.

The ranks from the last one to the first, divided by `/`; on each the squares from file a on, divided by commas: `x` is
an empty one, `x3` are three of them, and a stack is the numbers of its owners from below to the top, with `S` behind it
for a wall on top and `C` for a capstone. Then who is to move, and the number of the move.

Source: https://ustak.org/tak-positional-system-tps/
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import accumulate, groupby

from ludens.games.tak.notation.faults import shown
from ludens.games.tak.rules.parameters import Kind, TakError, TakRules
from ludens.games.tak.rules.reference import EMPTY, OPENING_PLIES, Position, Stack
from ludens.propnet.base.words import counted

MOST_MOVES = 9999
"""Numbers of moves go no further."""

_SYMBOLS = {Kind.FLAT: "", Kind.WALL: "S", Kind.CAPSTONE: "C"}
_KINDS = {symbol: kind for kind, symbol in _SYMBOLS.items()}
_SQUARE = re.compile(r"x([1-9]?)|([12]+)([SC]?)")
_FIELDS = ("a board", "who is to move", "the number of the move")

_Placed = tuple[int, Stack]  # the column at which it is written, and a stack


def write_tps(position: Position) -> str:
    """Returns a position in TPS."""
    size = position.rules.size
    ranks = [position.board[first : first + size] for first in range(0, position.rules.squares, size)]
    board = "/".join(",".join(_squares_of(rank)) for rank in reversed(ranks))
    return f"{board} {position.turn + 1} {position.ply // 2 + 1}"


def read_tps(text: str, half_komi: int = 0) -> Position:
    """Returns the position that TPS describes; raises `TakError`, which tells the column of what is wrong."""
    fields = list(re.finditer(r"\S+", text))
    if len(fields) < len(_FIELDS):
        missing = _FIELDS[len(fields)]
        raise _fault(len(text.rstrip()) + 1, f"{missing} is missing; it needs {', '.join(_FIELDS)}")
    board, turn, number, *more = fields
    if more:
        raise _fault(more[0].start() + 1, f"{shown(more[0][0])} stands behind the number of the move")
    ranks = _parts(board[0], "/", board.start() + 1)
    rules = _rules(ranks, half_komi)
    written = [_read_rank(column, rank, rules.size) for column, rank in ranks]
    reserves = _reserves(rules, [stack for rank in written for stack in rank])
    stacks = tuple(stack for rank in reversed(written) for _, stack in rank)
    ply = _read_ply(turn, number)
    _check_ply(stacks, ply, number.start() + 1)
    return Position(rules, stacks, reserves, ply)


def _fault(column: int, says: str) -> TakError:
    return TakError(f"TPS, column {column}: {says}")


def _rules(ranks: Sequence[tuple[int, str]], half_komi: int) -> TakRules:
    try:
        return TakRules(len(ranks), half_komi)
    except TakError as error:
        raise _fault(ranks[0][0], f"the board has {counted(len(ranks), 'rank')}: {error}") from None


def _squares_of(rank: tuple[Stack, ...]) -> list[str]:
    found = []
    for empty, group in groupby(rank, key=lambda stack: not stack.owners):
        stacks = list(group)
        if empty:
            found.append("x" if len(stacks) == 1 else f"x{len(stacks)}")
        else:
            found += ["".join(str(owner + 1) for owner in stack.owners) + _SYMBOLS[stack.top] for stack in stacks]
    return found


def _parts(text: str, separator: str, column: int) -> list[tuple[int, str]]:
    """Splits a text that begins at a column; returns the column of each part with it."""
    parts = text.split(separator)
    begins = accumulate((len(part) + 1 for part in parts[:-1]), initial=column)
    return list(zip(begins, parts, strict=True))


def _read_rank(column: int, text: str, size: int) -> list[_Placed]:
    stacks: list[_Placed] = []
    for at, word in _parts(text, ",", column):
        square = _SQUARE.fullmatch(word)
        if square is None:
            raise _fault(at, f"{shown(word)} is no square: {_why_no_square(word)}")
        if square[2] is None:
            stacks += [(at, EMPTY)] * int(square[1] or 1)
        else:
            stacks.append((at, Stack(tuple(int(digit) - 1 for digit in square[2]), _KINDS[square[3]])))
    if len(stacks) != size:
        raise _fault(
            column, f"{shown(text)} has {counted(len(stacks), 'square')}; there are {size} ranks, so each has {size}"
        )
    return stacks


def _why_no_square(word: str) -> str:
    if re.fullmatch(r"[12]*[SC][12SC]+", word):
        return "a wall or a capstone is the top piece, so that S or C stands once, behind all numbers"
    return "such are x, x3, 1, 21S and 12C"


def _read_ply(turn: re.Match[str], number: re.Match[str]) -> int:
    if turn[0] not in ("1", "2"):
        raise _fault(turn.start() + 1, f"{shown(turn[0])} is to move; that is 1 or 2")
    if not re.fullmatch(r"[0-9]{1,9}", number[0]) or not 1 <= int(number[0]) <= MOST_MOVES:
        raise _fault(number.start() + 1, f"{shown(number[0])} is no number of a move, from 1 to {MOST_MOVES}")
    return 2 * (int(number[0]) - 1) + int(turn[0]) - 1


def _reserves(rules: TakRules, written: Sequence[_Placed]) -> tuple[tuple[int, int], tuple[int, int]]:
    """Returns the flats and capstones that each player has left; raises `TakError` where more are on the board."""
    left = [list(rules.reserve), list(rules.reserve)]
    for column, stack in written:
        for player in (0, 1):
            capstone = stack.controller == player and stack.top == Kind.CAPSTONE
            left[player][0] -= stack.owners.count(player) - capstone
            left[player][1] -= capstone
            for kind, name in enumerate(("flats and walls", "capstones")):
                if left[player][kind] < 0:
                    most = f"{rules.reserve[kind]} {name} of size {rules.size}"
                    raise _fault(column, f"with this stack player {player + 1} has more than the {most}")
    (flats, capstones), (other_flats, other_capstones) = left
    return (flats, capstones), (other_flats, other_capstones)


def _check_ply(stacks: Sequence[Stack], ply: int, column: int) -> None:
    """Raises `TakError` where so many moves cannot have brought these pieces on the board."""
    pieces = sorted((stack for stack in stacks if stack.owners), key=lambda stack: stack.owners)
    placed = sum(stack.height for stack in pieces)
    opening = [Stack((1,))], [Stack((0,)), Stack((1,))]
    if ply > OPENING_PLIES:
        possible = placed <= ply and all(any(_has_flat(stack, player) for stack in pieces) for player in (0, 1))
    else:
        possible = pieces == (opening[ply - 1] if ply else [])
    if not possible:
        raise _fault(
            column,
            f"these pieces, {placed}, cannot be on the board after {counted(ply, 'move')}, counting both players': the "
            "first two are a flat of each, and no move brings more than one",
        )


def _has_flat(stack: Stack, player: int) -> bool:
    """Says whether a stack has a flat of a player."""
    other_kind = stack.controller == player and stack.top != Kind.FLAT
    return stack.owners.count(player) > other_kind
