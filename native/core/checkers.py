"""Checkers in the native core: perft, endgame tables, and a baseline to measure players by."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import numpy.typing as npt
from ludens.native._core import ffi, lib

from ludens.native.core.binding import Arrays, States, check, shaped
from ludens.native.core.game import Game
from ludens.propnet.base.errors import NativeError


def checkers_perft(
    depth: int, board: Sequence[int] = (0x00000FFF, 0xFFF00000, 0, 0), instruction_set: str | None = None
) -> int:
    """Counts the sequences of `depth` moves of English draughts, a whole chain of captures being one move.

    `board` is (black, red, kings, 1 if red is to move) as sets of squares; see native/src/checkers/board.hpp.
    `instruction_set` is one of avx512, avx2 and baseline, or None for the best here. Raises NativeError if the
    board is no position or the instruction set is not there.
    """
    out = ffi.new("int64_t *")
    name = ffi.NULL if instruction_set is None else ffi.new("char[]", instruction_set.encode())
    check(lib.ludens_checkers_perft(ffi.new("uint32_t[4]", list(board)), depth, name, out))
    return int(out[0])


class EndgameTable:
    """What every position of English draughts with few pieces is worth; see `ludens.h` for what a byte means.

    The values are used where they are, so that they can be a file mapped into memory.

    >>> table = EndgameTable(4, 0, np.empty(EndgameTable.size(4), np.uint8))
    >>> for step in range(len(table.work)):
    ...     table.build(step)
    """

    def __init__(self, pieces: int, limit: int, values: npt.NDArray[np.uint8]) -> None:
        """A table of positions with 2 to `pieces` pieces; `limit` plies without progress are a draw, if not 0."""
        self.pieces = pieces
        self.limit = limit
        self.values = shaped(values, (self.size(pieces),))
        if values.dtype != np.uint8:
            raise NativeError(f"an endgame table of {values.dtype} was given where bytes are needed")
        arrays = Arrays()
        out = ffi.new("ludens_endgame **")
        check(lib.ludens_endgame_new(pieces, limit, arrays.pointer("uint8_t[]", values), len(values), out))
        self.handle = ffi.gc(out[0], lib.ludens_endgame_free)
        count = ffi.new("int32_t *")
        check(lib.ludens_endgame_steps(self.handle, count, ffi.NULL))
        self.work = np.empty(count[0], np.int64)  # positions of each step
        check(lib.ludens_endgame_steps(self.handle, count, arrays.pointer("int64_t[]", self.work)))

    @staticmethod
    def size(pieces: int) -> int:
        """Returns how many values a table of positions with 2 to `pieces` pieces has."""
        out = ffi.new("int64_t *")
        check(lib.ludens_endgame_size(pieces, out))
        return int(out[0])

    def build(self, step: int, threads: int = 1) -> None:
        """Works out the values of one step; raises NativeError if the values may only be read.

        Those of the earlier steps must be there already. A KeyboardInterrupt ends it within moments; the table can
        neither be built nor checked any more then.
        """
        if not self.values.flags.writeable:
            raise NativeError("an endgame table that may only be read cannot be built")
        self._work(lambda: lib.ludens_endgame_build(self.handle, step, threads))

    def contradictions(self, step: int, threads: int = 1) -> int:
        """Counts the positions of a step whose value does not follow from those of their children.

        A KeyboardInterrupt ends it as it ends `build`.
        """
        out = ffi.new("int64_t *")
        self._work(lambda: lib.ludens_endgame_check(self.handle, step, threads, out))
        return int(out[0])

    def _work(self, call: Callable[[], int]) -> None:
        """Makes a long native call in a thread of its own: this one heeds Ctrl-C meanwhile."""
        with ThreadPoolExecutor(1) as pool:
            try:
                pool.submit(lambda: check(call())).result()
            except KeyboardInterrupt:
                lib.ludens_endgame_stop(self.handle)
                raise

    def probe(self, boards: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint8]:
        """Returns values `uint8[n]` of boards `uint32[n, 4]`: squares of black, of red, of kings, and the turn."""
        boards = np.ascontiguousarray(boards, np.uint32)
        values = np.empty(len(boards), np.uint8)
        arrays = Arrays()
        pointers = (arrays.pointer("uint32_t[]", shaped(boards, (len(boards), 4))), arrays.pointer("uint8_t[]", values))
        check(lib.ludens_endgame_probe(self.handle, len(boards), *pointers))
        return values


class Knowledge:
    """Proven values of states of a game, which searches need not work out; immutable, shared by searches."""

    def __init__(self, game: Game, table: EndgameTable) -> None:
        """Takes what a table proves of a game `from_checkers`; raises NativeError if it says nothing of that game."""
        out = ffi.new("ludens_knowledge **")
        check(lib.ludens_knowledge_from_endgame(game.handle, table.handle, out))
        self._game, self._table = game, table  # neither the values nor their numbering are copied
        self.handle = ffi.gc(out[0], lib.ludens_knowledge_free)

    def find(self, states: States) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
        """Returns goals `int32[n, roles]` after perfect play and distances `int32[n]`; no state may be terminal.

        A distance is in plies to the end, or in tables with a limit to the next progress; 0 for draws, -1 where
        nothing is known and the goals mean nothing.
        """
        batch = np.atleast_2d(np.ascontiguousarray(states, np.uint64))
        goals = np.zeros((len(batch), self._game.roles), np.int32)
        distances = np.empty(len(batch), np.int32)
        arrays = Arrays()
        words = arrays.uint64(shaped(batch, (len(batch), self._game.state_words)))
        check(lib.ludens_knowledge_find(self.handle, len(batch), words, arrays.int32(goals), arrays.int32(distances)))
        return goals, distances


def checkers_baseline_move(game: Game, state: States, depth: int, seed: int = 0) -> int:
    """Returns the move that plain alpha-beta to `depth` plays in a state of a game `from_checkers`, by English rules.

    A baseline to measure players by: it counts material alone, and follows captures to their end. Of equally good
    moves `seed` decides. Raises NativeError for other games and where there is no move.
    """
    out = ffi.new("int32_t *")
    arrays = Arrays()
    check(lib.ludens_checkers_baseline_move(game.handle, arrays.state(game.state_words, state), depth, seed, out))
    return int(out[0])
