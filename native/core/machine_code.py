"""Machine code of networks, to look at: for any back end, and with the gates that it is made of."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
import numpy.typing as npt
from ludens.native._core import ffi, lib

from ludens.native.core.binding import Arrays, check
from ludens.native.core.game import Game


class Purpose(IntEnum):
    """What a function is for."""

    NETWORK = 0  # gates of the network
    CHOICE = 1  # the choice of moves
    STATE = 2  # ends of games, and new states
    ON_DEMAND = 3  # goals and features


@dataclass(frozen=True, slots=True)
class Function:
    """Straight-line code over rows, as gates and as bytes."""

    purpose: Purpose
    inputs: npt.NDArray[np.int32]  # [gates, 3] rows, which may repeat
    outputs: npt.NDArray[np.int32]  # [gates] rows
    tables: npt.NDArray[np.int32]  # [gates] of outputs, in which inputs a, b, c are bit 4 a + 2 b + c
    kept: npt.NDArray[np.bool_]  # [gates] whether the output is read elsewhere
    code: bytes


def functions(game: Game, back_end: str, most_gates: int = 0) -> tuple[list[Function], int]:
    """Returns all functions of a network, and how many rows they work on, for rows of 128 bits.

    `back_end` is avx512-jit, avx2-jit, neon-jit or neon-jit+sha3, whether this processor has it or not. Functions of
    more than `most_gates` gates, 0 for no limit, are cut into several, but for loops. Raises NativeError for other
    names, and for games that are no networks.
    """
    out = ffi.new("ludens_code **")
    check(lib.ludens_code_new(game.handle, back_end.encode(), most_gates, out))
    handle = ffi.gc(out[0], lib.ludens_code_free)
    sizes, rows = ffi.new("int64_t[3]"), ffi.new("int32_t *")
    lib.ludens_code_sizes(handle, sizes, sizes + 1, sizes + 2, rows)
    arrays = Arrays()
    parts, gates = np.empty((sizes[0], 3), np.int64), np.empty((sizes[1], 6), np.int32)
    code = np.empty(sizes[2], np.uint8)
    pointers = arrays.pointer("int64_t[]", parts), arrays.pointer("int32_t[]", gates), arrays.pointer("uint8_t[]", code)
    lib.ludens_code_write(handle, *pointers)
    ends = [*parts[1:, 1:].tolist(), [len(gates), len(code)]]
    return [
        Function(
            purpose=Purpose(purpose),
            inputs=gates[first_gate:last_gate, :3],
            outputs=gates[first_gate:last_gate, 3],
            tables=gates[first_gate:last_gate, 4],
            kept=gates[first_gate:last_gate, 5] != 0,
            code=code[first_byte:last_byte].tobytes(),
        )
        for (purpose, first_gate, first_byte), (last_gate, last_byte) in zip(parts.tolist(), ends, strict=True)
    ], rows[0]
