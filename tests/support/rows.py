"""Rows of k stones found in the written lines of a board: what gomoku's cores are checked against."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence


def lines(board: Sequence[str]) -> Iterator[str]:
    """Yields the rows, columns and diagonals of a board that is given row by row, a letter a cell."""
    rows, columns = len(board), len(board[0])
    yield from board
    yield from ("".join(column) for column in zip(*board, strict=True))
    for sign in (1, -1):
        for first in range(-rows - columns, rows + columns):
            places = ((row, first + sign * row) for row in range(rows))
            line = "".join(board[row][column] for row, column in places if 0 <= column < columns)
            if line:
                yield line


def has_row(board: Sequence[str], mark: str, length: int, *, exact: bool = False) -> bool:
    """Says whether so many of a mark stand in a row, or more unless it is to be exact."""
    most = f"(?!{mark})" if exact else ""
    pattern = re.compile(f"(?<!{mark}){mark}{{{length}}}{most}" if exact else mark * length)
    return any(pattern.search(line) for line in lines(board))
