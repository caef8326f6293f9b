"""Connect four on bitboards, compiled by numba: what `connect_four_solver` searches with.

* A board is two words, the stones of the player to move and those of both; column c holds bits c * (height + 1)
  and up, the topmost of which stays empty, so that no line runs over from one column into the next.
* Only moves are tried after which the opponent has no win at once, those that make most threats first.
* Claimeven (Allis, "A knowledge-based approach of connect-four", 1988): where every column has an even number of
  empty squares the player not to move may always answer on top of the other's stone. What so fills the board
  bounds the value.

Only for import where there is numba.
"""

from __future__ import annotations

import numpy as np
from numba import njit

TABLE_BITS = 25  # of the number of entries: 256 MB
_ZERO, _ONE, _TWO, _THREE, _FOUR = (np.uint64(n) for n in range(5))
_HASH = np.uint64(0x9E3779B97F4A7C15)
_HASH_SHIFT = np.uint64(64 - TABLE_BITS)
_FREE_SHIFT = np.uint64(53)  # of an entry: free squares, key of 49 bits, bounds of 2 bits each
_ENTRY_KEY = np.uint64((1 << 49) - 1)


@njit(cache=True)
def _bits(x):
    count = 0
    while x:
        x &= x - _ONE
        count += 1
    return count


@njit(cache=True, inline="always")
def _completes(stones, step):
    """Squares that are the fourth of a line in one direction and its opposite."""
    up = (stones << step) & (stones << (step + step))
    down = (stones >> step) & (stones >> (step + step))
    triple = step * _THREE
    return (up & ((stones << triple) | (stones >> step))) | (down & ((stones >> triple) | (stones << step)))


@njit(cache=True)
def _fourths(stones, column):
    """Squares that make four with `stones`, some of them off the board; `column`: bits from one to the next."""
    vertical = (stones << _ONE) & (stones << _TWO) & (stones << _THREE)
    sloping = _completes(stones, column - _ONE) | _completes(stones, column + _ONE)
    return vertical | _completes(stones, column) | sloping


@njit(cache=True)
def has_four(stones, column):
    """Whether four are in a row; `column`: bits from one to the next."""
    found = False
    for step in (_ONE, column - _ONE, column, column + _ONE):
        pairs = stones & (stones >> step)
        found |= (pairs & (pairs >> (step + step))) != _ZERO
    return found


@njit(cache=True)
def _claimeven(own, other, lower, board, column):
    """The most that the player to move can get where the other answers every stone with one on top of it.

    `lower`: the lower square of each pair, counted from the top, all of which are free or taken as a whole.
    """
    free = board & ~(own | other)
    if has_four(own | (free & lower), column):
        return 1
    return -1 if has_four(other | (free & ~lower), column) else 0


@njit("int64(uint64, uint64, int64, int64, uint64[:], uint64[:], int64[:, :], int64)", cache=True)
def negamax(own, both, low, high, shape, table, scratch, ply):
    """-1, 0 or 1 for the player to move, who has no win at once; right within (low, high), else a bound.

    `shape`: squares of the board; lowest squares; lower squares of `_claimeven`; bits from one column to the next.
    `scratch[ply]` is where moves are sorted, and its last row counts positions.
    """
    board, bottom, lower, column = shape[0], shape[1], shape[2], shape[3]
    scratch[len(scratch) - 1, 0] += 1
    other, free = both ^ own, board ^ both
    playable = (both + bottom) & board
    possible = playable
    threats = _fourths(other, column) & free
    forced = possible & threats
    if forced:
        if forced & (forced - _ONE):
            return -1
        possible = forced
    possible &= ~(threats >> _ONE)
    if not possible:
        return -1 if free else 0
    if not free & (free - _ONE):
        return 0  # the last square, which nobody wins with

    key = own + both + bottom
    place = (key * _HASH) >> _HASH_SHIFT
    for slot in (place, place ^ _ONE):
        entry = table[slot]
        if (entry >> _FOUR) & _ENTRY_KEY == key:
            low = max(low, np.int64((entry >> _TWO) & _THREE) - 1)
            high = min(high, np.int64(entry & _THREE) - 1)
    if low >= high:
        return low
    if not playable & ~lower:
        high = min(high, _claimeven(own, other, lower, board, column))
        if low >= high:
            return high

    count = 0
    while possible:
        move = possible & (~possible + _ONE)
        possible ^= move
        threatens = np.int64(_bits(_fourths(own | move, column) & (free ^ move)))
        side = np.int64(_bits(bottom & ((move << _ONE) - _ONE))) - 1  # how many columns are left of it
        merit = (threatens << 16) + (min(side, np.int64(_bits(bottom)) - 1 - side) << 8) + side
        at = count
        while at > 0 and scratch[ply, at - 1] < merit:
            scratch[ply, at] = scratch[ply, at - 1]
            at -= 1
        scratch[ply, at] = merit
        count += 1

    floor, ceiling, best = low, high, -1
    for i in range(count):
        chosen = np.uint64(scratch[ply, i] & 0xFF)
        stone = playable & (((_ONE << column) - _ONE) << (chosen * column))
        best = max(best, -negamax(other, both | stone, -high, -low, shape, table, scratch, ply + 1))
        low = max(low, best)
        if low >= high:
            break
    least, most = best if best > floor else -1, best if best < ceiling else 1
    fresh = (key << _FOUR) | np.uint64((least + 1) << 2) | np.uint64(most + 1)
    fresh |= np.uint64(_bits(free)) << _FREE_SHIFT
    if table[place] >> _FREE_SHIFT > fresh >> _FREE_SHIFT:
        place ^= _ONE
    table[place] = fresh
    return best
