"""Batches: games that are stepped side by side, with moves from outside, and written into arrays of the caller."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from ludens.native._core import ffi, lib

from ludens.native.core.binding import Arrays, States, batch_of, check, shaped
from ludens.native.core.game import Game

AUTORESETS = ("same_step", "next_step", "never")
"""When a game that is over begins anew: in the step that ends it, in the next one, or when it is reset."""

FORMATS = ("bytes", "bits", "slices")
"""How arrays hold what is true or false: a byte each; eight to a byte, a row a game; or a row of bits for each fact."""


_NO_ACTION = -(2**31)  # an action that no game has
_ILLEGAL = 2  # a status of ludens_batch_step


@dataclass(frozen=True, slots=True)
class BatchLayout:
    """How the arrays of a batch are laid out; see `ludens_batch_layout` in native/ludens.h."""

    actions: int
    joint: bool
    columns: npt.NDArray[np.int32]  # [of an observation] propositions, -1 for none
    fills: Sequence[tuple[int, int, int, int]]  # first byte, length, proposition, value
    waiting: States  # [move_words] moves with which a role lets another one play
    autoreset: str = "next_step"
    by_turns: bool = False  # two roles hardly ever have a choice at once
    format: str = "bytes"


class SteppedGames:
    """Games that are stepped side by side; for one thread at a time.

    Whoever steps them checks the sizes of actions and of the arrays that are written: a step takes no longer than that.
    """

    def __init__(
        self,
        game: Game,
        count: int,
        layout: BatchLayout,
        lanes: int = 0,
        seed: int = 0,
        instruction_set: str | None = None,
    ) -> None:
        """Takes `lanes`, `seed` and `instruction_set` as a `Simulator` does, but for the meaning of 0 lanes.

        These are the best for networks with many rows, or the fewest that there are if `count` games fit into them.
        Raises NativeError for a game that is no network, has a machine policy or more than 128 roles, and for no games.
        """
        arrays = Arrays()
        words = (-(-sum(game.moves) // 64),)
        described = ffi.new(
            "ludens_batch_layout *",
            {
                "format": FORMATS.index(layout.format),
                "autoreset": AUTORESETS.index(layout.autoreset),
                "actions": layout.actions,
                "joint": layout.joint,
                "by_turns": layout.by_turns,
                "columns": len(layout.columns),
                "column": arrays.int32(layout.columns),
                "fill_count": len(layout.fills),
                "fills": arrays.int32(np.array(layout.fills, np.int32).reshape(-1, 4)),
                "waiting": arrays.uint64(shaped(layout.waiting, words)),
            },
        )
        name = ffi.NULL if instruction_set is None else ffi.new("char[]", instruction_set.encode())
        out = ffi.new("ludens_batch **")
        check(lib.ludens_batch_new(game.handle, count, described, lanes, name, seed & 0xFFFF_FFFF_FFFF_FFFF, out))
        self.handle = ffi.gc(out[0], lib.ludens_batch_free)
        self._written: Any = None
        self._count, self._state_words = count, game.state_words
        self._step, self._step_one = lib.ludens_batch_step, lib.ludens_batch_step_one
        lanes_out, slices_out = ffi.new("int32_t *"), ffi.new("int32_t *")
        lib.ludens_batch_shape(self.handle, lanes_out, slices_out)
        self.lanes: int = lanes_out[0]  # games of a block
        self.slices: int = slices_out[0]  # of a block: propositions, moves, roles to move, done

    def write_to(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """Writes from now on into these arrays, by the names of `ludens_batch_arrays`; sizes are not checked."""
        pointers = {
            name: ffi.from_buffer("uint64_t[]" if name in ("states", "slices") else "uint8_t[]", array)
            for name, array in arrays.items()
        }
        check(lib.ludens_batch_write_to(self.handle, ffi.new("ludens_batch_arrays *", pointers)))
        self._written = pointers  # keeps the arrays alive

    def reset(self, rows: npt.NDArray[np.bool_] | None = None) -> None:
        """Begins the games of the rows `bool[count]` anew, all if None, and writes all arrays."""
        arrays, pointer = Arrays(), ffi.NULL
        if rows is not None:
            chosen = np.ascontiguousarray(rows, np.bool_)
            pointer = arrays.pointer("uint8_t[]", shaped(chosen, (self._count,)).view(np.uint8))
        check(lib.ludens_batch_reset(self.handle, pointer))

    def load(self, states: States) -> None:
        """Goes on from states `uint64[count, state_words]`, and writes all arrays."""
        arrays = Arrays()
        given = shaped(batch_of(self._state_words, states), (self._count, self._state_words))
        check(lib.ludens_batch_load(self.handle, arrays.uint64(given)))

    def step(self, actions: npt.NDArray[np.signedinteger[Any]] | None) -> bool:
        """Steps all games, at random if `actions`, int8, int16 or int32, are None; and writes all arrays.

        Returns whether actions are legal; if not, nothing happens, and `wrong_rows` tells where.
        """
        if actions is None:
            status = self._step(self.handle, ffi.NULL, 0)
        else:
            status = self._step(self.handle, ffi.from_buffer(actions), actions.itemsize)
        return status == 0 or _legal(status)

    def step_one(self, action: int) -> bool:
        """Steps the only game, as `step` does; without joint moves."""
        try:
            status = self._step_one(self.handle, action)
        except OverflowError:
            status = self._step_one(self.handle, _NO_ACTION)
        return status == 0 or _legal(status)

    def wrong_rows(self) -> npt.NDArray[np.int64]:
        """Returns all rows whose actions were not legal in the last step."""
        rows = np.empty(lib.ludens_batch_wrong_rows(self.handle, ffi.NULL), np.int64)
        lib.ludens_batch_wrong_rows(self.handle, ffi.from_buffer("int64_t[]", rows, require_writable=True))
        return rows

    def close(self) -> None:
        """Frees the games; any further use is a TypeError."""
        ffi.release(self.handle)
        self.handle = self._written = None


def choose_columns(masks: npt.NDArray[np.uint8], packed: bool, seed: int) -> npt.NDArray[np.int32]:
    """Chooses for each row of masks one of the columns that are set, all of them as likely; 0 where there is none.

    `masks`: uint8[n, columns], 0 or not; or `packed`, eight to a byte, the first one lowest. Returns int32[n].
    """
    rows, width = masks.shape
    chosen = np.empty(rows, np.int32)
    source, to = ffi.from_buffer("uint8_t[]", masks), ffi.from_buffer("int32_t[]", chosen, require_writable=True)
    check(lib.ludens_choose_columns(source, rows, width * 8 if packed else width, packed, seed, to))
    return chosen


def _legal(status: int) -> bool:
    if status != _ILLEGAL:
        check(status)
    return status != _ILLEGAL
