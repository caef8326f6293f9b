"""Ways in which a caller who knows no rules draws a legal action for each game from masks, in numpy alone.

All are uniform but for less than one in two hundred: a number of 16 random digits times the number of legal actions,
the digits above kept, as network/choice.hpp explains. Which is quickest depends on the game and on the number of games,
so that `numpy_choice` tries all.

* rejection: draw from all actions, and again where it is not legal; the few rows that are left in one of the next ways
* listing: list all legal actions, and take one of each row's part of the list
* columns: of masks of bits, count those of each byte for all games at once, find the byte, and the bit by a table
* table: of masks of up to 16 actions, look the mask up
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

Actions = npt.NDArray[np.integer[Any]]
Choice = Callable[[Any], Actions]

_ROWS = 2048  # that stay in the nearest cache
_TRIALS, _ROUNDS = 20, 4


def numpy_choice(masks: npt.NDArray[Any], actions: int, packed: bool) -> Choice:
    """Returns the quickest way on masks like these: int8[n, actions], or `packed` uint8[n, ceil(actions / 8)]."""
    rng = np.random.Generator(np.random.SFC64(1))
    ways: list[Choice] = []
    if packed:
        ways.append(lambda given: _in_parts(given, lambda part: _columns(part, rng)))
        ways.append(lambda given: _rejection(given, rng, actions, _bit_at, _columns))
        if actions <= 16:
            ways.append(lambda given: _table(given, rng, actions))
    else:
        ways.append(lambda given: _in_parts(given, lambda part: _listing(part, rng)))
        ways.append(lambda given: _rejection(given, rng, actions, _byte_at, _listing))
        if actions <= 16:
            ways.append(lambda given: _table(_packed(given), rng, actions))
    return min(ways, key=lambda way: _seconds(way, masks))


def _seconds(way: Choice, masks: npt.NDArray[Any]) -> float:
    times = []
    for _ in range(_TRIALS):
        began = time.perf_counter()
        way(masks)
        times.append(time.perf_counter() - began)
    return min(times)


def _in_parts(masks: npt.NDArray[Any], way: Choice) -> Actions:
    if len(masks) <= _ROWS:
        return way(masks)
    return np.concatenate([way(masks[first : first + _ROWS]) for first in range(0, len(masks), _ROWS)])


def _ranks(rng: np.random.Generator, counts: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """Draws a number below each count."""
    digits = rng.integers(0, 1 << 16, len(counts), dtype=np.uint16)
    return (digits.astype(np.uint32) * counts >> 16).astype(np.uint8)


def _rejection(
    masks: npt.NDArray[Any], rng: np.random.Generator, actions: int, legal_at: Any, otherwise: Any
) -> Actions:
    chosen = rng.integers(actions, size=len(masks), dtype=np.int16)
    flat, width = masks.reshape(-1), masks.shape[1]
    left = np.flatnonzero(legal_at(flat, np.arange(0, flat.size, width), chosen) == 0)
    for _ in range(_ROUNDS):
        drawn = rng.integers(actions, size=len(left), dtype=np.int16)
        chosen[left] = drawn
        left = left[legal_at(flat, left * width, drawn) == 0]
    if len(left):
        chosen[left] = otherwise(masks[left], rng)
    return chosen


def _byte_at(flat: npt.NDArray[Any], starts: npt.NDArray[np.intp], action: Actions) -> npt.NDArray[Any]:
    found: npt.NDArray[Any] = flat.take(starts + action)
    return found


def _bit_at(flat: npt.NDArray[Any], starts: npt.NDArray[np.intp], action: Actions) -> npt.NDArray[Any]:
    found: npt.NDArray[Any] = flat.take(starts + (action >> 3)) >> (action & 7).astype(np.uint8) & 1
    return found


def _listing(masks: npt.NDArray[Any], rng: np.random.Generator) -> Actions:
    rows, width = masks.shape
    listed = np.flatnonzero(masks.reshape(-1).view(np.bool_))
    ends = np.searchsorted(listed, np.arange(width, rows * width + 1, width))
    counts = np.diff(ends, prepend=0)
    at = ends - counts + (rng.random(rows, dtype=np.float32) * counts).astype(np.int32)
    chosen: Actions = listed.take(at) % width
    return chosen


def _columns(masks: npt.NDArray[np.uint8], rng: np.random.Generator) -> Actions:
    rows = len(masks)
    columns = np.ascontiguousarray(masks.T)
    counts = np.bitwise_count(columns)
    sums = np.cumsum(counts, axis=0, dtype=np.uint8)  # an action at least is not legal: no sum is 256
    ranks = _ranks(rng, sums[-1])
    byte = (sums <= ranks).sum(axis=0, dtype=np.uint8)
    at = byte.astype(np.int32) * rows + np.arange(rows, dtype=np.int32)
    bits = columns.reshape(-1).take(at).astype(np.int32)
    ranks += counts.reshape(-1).take(at)
    ranks -= sums.reshape(-1).take(at)
    chosen: Actions = (byte.astype(np.int16) << 3) + _places(8).take(bits << 3 | ranks)
    return chosen


def _table(masks: npt.NDArray[np.uint8], rng: np.random.Generator, actions: int) -> Actions:
    mask = masks[:, 0] if actions <= 8 else masks.view("<u2")[:, 0]
    ranks = _ranks(rng, _counts(actions).take(mask))
    chosen: Actions = _places(actions).take(mask.astype(np.int32) << (3 if actions <= 8 else 4) | ranks)
    return chosen


@cache
def _counts(bits: int) -> npt.NDArray[np.uint8]:
    """Returns how many bits are set in each mask."""
    return np.bitwise_count(np.arange(1 << bits))


@cache
def _places(bits: int) -> npt.NDArray[np.uint8]:
    """Returns the place of the bit of each rank in each mask, a row of 8 or 16 ranks for each mask."""
    masks, found = np.arange(1 << bits), np.zeros((1 << bits, 8 if bits <= 8 else 16), np.uint8)
    ranks = np.zeros(1 << bits, np.intp)
    for place in range(bits):
        has = masks >> place & 1 == 1
        found[masks[has], ranks[has]] = place
        ranks[has] += 1
    return found.reshape(-1)


def _packed(masks: npt.NDArray[Any]) -> npt.NDArray[np.uint8]:
    """Packs masks of up to 16 actions into rows of one byte or two."""
    rows, actions = masks.shape
    square = masks.view(np.bool_)
    if actions not in (8, 16):
        square = np.zeros((rows, 8 if actions < 8 else 16), np.bool_)
        square[:, :actions] = masks
    return np.packbits(square.reshape(-1), bitorder="little").reshape(rows, -1)
