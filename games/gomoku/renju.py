"""The moves that renju forbids to black, by the rules of the Renju International Federation, section 9.

Black may not make an overline (six or more in a row), two fours or two threes at once, unless the same move makes a
five. A four is what one more stone makes a five, in one line also twice; a three what one more stone, which makes no
five and is not forbidden itself, makes a straight four: four in an unbroken row that two stones make a five. So
whether a stone is forbidden may depend on stones that would follow, and so on.

Source: https://www.renju.net/rifrules/ (9.1 to 9.3).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from ludens.games.gomoku.state import DIRECTIONS
from ludens.games.gomoku.stones import BLACK, FREE, Run, Stones

_FIVE = 5
_STRAIGHT = 5  # cells between those that make a five of a straight four
_ALL = range(len(DIRECTIONS))


def forbidden(stones: Stones, cell: int) -> str:
    """Says why black may not play on a free cell: "overline", "double four" or "double three"; else "".

    The stones are as before at the end.
    """
    stones.cells[cell] = BLACK
    try:
        lengths = [stones.run(cell, direction).length for direction in _ALL]
        if _FIVE in lengths:
            return ""
        if max(lengths) > _FIVE:
            return "overline"
        fours = [_fours(stones, cell, direction) for direction in _ALL]
        if sum(fours) > 1:
            return "double four"
        quiet = (direction for direction in _ALL if not fours[direction])
        if sum(_is_three(stones, cell, direction) for direction in quiet) > 1:
            return "double three"
        return ""
    finally:
        stones.cells[cell] = FREE


def _fours(stones: Stones, cell: int, direction: int) -> int:
    """Returns how many fours in a direction hold the black stone on a cell."""
    near = _near(stones, cell, direction, _FIVE - 1)
    fives = [place for place in near if _run_with(stones, place, direction).length == _FIVE]
    if len(fives) == 2 and _distance(stones, fives[0], fives[1]) == _STRAIGHT:
        return 1
    return len(fives)


def _is_three(stones: Stones, cell: int, direction: int) -> bool:
    """Says whether the black stone on a cell belongs to a three in a direction."""
    return any(
        _makes_straight_four(stones, place, direction)
        and not _makes_any_five(stones, place)
        and not forbidden(stones, place)
        for place in _near(stones, cell, direction, _FIVE - 2)
    )


def _near(stones: Stones, cell: int, direction: int, most: int) -> Iterator[int]:
    """Yields on either side of a black stone the first free cell behind black ones, at most so many cells away."""
    for sign in (-1, 1):
        line = itertools.islice(stones.beyond(cell, direction, sign), most)
        place, content = next(((place, content) for place, content in line if content != BLACK), (-1, BLACK))
        if content == FREE:
            yield place


def _makes_any_five(stones: Stones, place: int) -> bool:
    """Says whether a black stone on a free cell makes a five in some direction."""
    return any(_run_with(stones, place, direction).length == _FIVE for direction in _ALL)


def _makes_straight_four(stones: Stones, place: int, direction: int) -> bool:
    """Says whether a black stone on a free cell makes a straight four in a direction."""
    run = _run_with(stones, place, direction)
    if run.length != _FIVE - 1:
        return False
    stones.cells[place] = BLACK
    extends = all(content == FREE and _run_with(stones, end, direction).length == _FIVE for end, content in run.ends)
    stones.cells[place] = FREE
    return extends


def _run_with(stones: Stones, place: int, direction: int) -> Run:
    """Returns the row that a black stone on a free cell would make."""
    stones.cells[place] = BLACK
    run = stones.run(place, direction)
    stones.cells[place] = FREE
    return run


def _distance(stones: Stones, one: int, other: int) -> int:
    """Returns how many cells apart two cells of a line are."""
    rows, columns = (
        abs(a - b) for a, b in zip(divmod(one, stones.columns), divmod(other, stones.columns), strict=True)
    )
    return max(rows, columns)
