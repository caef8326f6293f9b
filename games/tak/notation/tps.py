"""Tak Positional System: positions as people write them, such as `x3/x,12C,x/1S,x2 1 5`.

The ranks from the last one to the first, divided by `/`; on each the squares from file a on, divided by commas: `x` is
an empty one, `x3` are three of them, and a stack is the numbers of its owners from below to the top, with `S` behind it
for a wall on top and `C` for a capstone. Then who is to move, and the number of the move.

Source: https://ustak.org/tak-positional-system-tps/
"""

from __future__ import annotations

import re
from itertools import accumulate, groupby

from ludens.games.tak.rules.parameters import Kind, TakError, TakRules
from ludens.games.tak.rules.reference import EMPTY, Position, Stack

_SYMBOLS = {Kind.FLAT: "", Kind.WALL: "S", Kind.CAPSTONE: "C"}
_KINDS = {symbol: kind for kind, symbol in _SYMBOLS.items()}
_SQUARE = re.compile(r"x([1-9]?)|([12]+)([SC]?)")
_MOST_MOVES = 9999


def write_tps(position: Position) -> str:
    """Returns a position in TPS."""
    size = position.rules.size
    ranks = [position.board[first : first + size] for first in range(0, position.rules.squares, size)]
    board = "/".join(",".join(_squares_of(rank)) for rank in reversed(ranks))
    return f"{board} {position.turn + 1} {position.ply // 2 + 1}"


def read_tps(text: str, half_komi: int = 0) -> Position:
    """Returns the position that TPS describes; raises `TakError`, which tells the column of what is wrong."""
    fields = list(re.finditer(r"\S+", text))
    if len(fields) != 3:
        raise TakError(f"TPS {text!r}: it needs a board, who is to move, and the number of the move")
    board, turn, number = fields
    ranks = _parts(board[0], "/", board.start() + 1)
    rules = _rules(len(ranks), half_komi)
    stacks = [stack for column, rank in reversed(ranks) for stack in _read_rank(column, rank, rules.size)]
    ply = _read_ply(turn, number)
    return Position(rules, tuple(stacks), _reserves(rules, stacks, ply), ply)


def _rules(size: int, half_komi: int) -> TakRules:
    try:
        return TakRules(size, half_komi)
    except TakError as error:
        raise TakError(f"TPS has {size} ranks: {error}") from None


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


def _read_rank(column: int, text: str, size: int) -> list[Stack]:
    stacks: list[Stack] = []
    for at, word in _parts(text, ",", column):
        square = _SQUARE.fullmatch(word)
        if square is None:
            raise TakError(f"TPS, column {at}: {word!r} is no square, such as x, x3, 1, 21S or 12C")
        if square[2] is None:
            stacks += [EMPTY] * int(square[1] or 1)
        else:
            stacks.append(Stack(tuple(int(digit) - 1 for digit in square[2]), _KINDS[square[3]]))
    if len(stacks) != size:
        raise TakError(
            f"TPS, column {column}: {text!r} has {len(stacks)} squares; there are {size} ranks, so each has {size}"
        )
    return stacks


def _read_ply(turn: re.Match[str], number: re.Match[str]) -> int:
    if turn[0] not in ("1", "2"):
        raise TakError(f"TPS, column {turn.start() + 1}: {turn[0]!r} is to move; that is 1 or 2")
    if not re.fullmatch(r"[0-9]+", number[0]) or not 1 <= int(number[0]) <= _MOST_MOVES:
        raise TakError(
            f"TPS, column {number.start() + 1}: {number[0]!r} is no number of a move, from 1 to {_MOST_MOVES}"
        )
    return 2 * (int(number[0]) - 1) + int(turn[0]) - 1


def _reserves(rules: TakRules, stacks: list[Stack], ply: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """Returns what is left of each player's pieces; raises `TakError` where there are more than so many moves bring."""
    reserves = []
    for player in (0, 1):
        capstones = sum(stack.controller == player and stack.top == Kind.CAPSTONE for stack in stacks)
        flats = sum(stack.owners.count(player) for stack in stacks) - capstones
        left = rules.reserve[0] - flats, rules.reserve[1] - capstones
        for count, most, name in ((flats, rules.reserve[0], "flats"), (capstones, rules.reserve[1], "capstones")):
            if count > most:
                raise TakError(f"TPS: player {player + 1} has {count} {name}; on size {rules.size} there are {most}")
        reserves.append(left)
    _check_plies(stacks, ply)
    first, second = reserves
    return first, second


def _check_plies(stacks: list[Stack], ply: int) -> None:
    """Raises `TakError` where so few moves cannot have brought these pieces on the board."""
    pieces = sorted((stack for stack in stacks if stack.owners), key=lambda stack: stack.owners)
    placed = sum(stack.height for stack in pieces)
    opening = [Stack((1,))], [Stack((0,)), Stack((1,))]
    if placed > ply or (0 < ply <= 2 and pieces != opening[ply - 1]):
        raise TakError(f"TPS: these {placed} pieces cannot be on the board after {ply} moves, counting both players'")
