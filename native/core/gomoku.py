"""Gomoku in the native core: the shapes that stones make, and threat-space search."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from ludens.native._core import ffi, lib

from ludens.native.core.binding import Arrays, States, check
from ludens.native.core.game import Game

SHAPES = ("none", "two", "open two", "three", "open three", "four", "open four", "five")
"""What a stone makes of a line, in rising order; see native/src/gomoku/shapes.hpp."""

VERDICTS = ("won", "none", "unknown")


@dataclass(frozen=True, slots=True)
class ProofNode:
    """A move of the winner, and what follows: `line` wins against every answer that has no node of its own.

    Without either the move completes a row. A line has moves of both sides by turns, the winner's first.
    """

    move: int
    line: tuple[int, ...]
    answers: dict[int, ProofNode]


@dataclass(frozen=True, slots=True)
class Threats:
    """What a threat-space search has found for the side to move."""

    verdict: str  # of VERDICTS: won; none by such threats; or unknown, since the search was ended
    proof: ProofNode | None  # of a win, where it was asked for
    positions: int  # looked at


def gomoku_shapes(
    game: Game, cells: Sequence[int] = (), *, back: int = 0, state: States | None = None
) -> npt.NDArray[np.uint8]:
    """Returns shapes uint8[2, cells, 4] by side, cell and direction, after moves from a state.

    The state is the initial one if None. The last `back` moves are taken back. 0 where there is a stone. Raises
    NativeError for a cell that is not empty.
    """
    arrays = Arrays()
    shapes = np.zeros((2, game.moves[0] - 1, 4), np.uint8)
    start = arrays.state(game.state_words, game.initial if state is None else state)
    made = arrays.int32(np.asarray(cells, np.int32))
    check(lib.ludens_gomoku_shapes(game.handle, start, len(cells), made, back, arrays.pointer("uint8_t[]", shapes)))
    return shapes


class ThreatSearch:
    """Looks for wins by threats, in games of `Game.from_gomoku`; for one thread at a time."""

    def __init__(self, game: Game) -> None:
        """Raises NativeError for other games."""
        out = ffi.new("ludens_threat_search **")
        check(lib.ludens_threat_search_new(game.handle, out))
        self._game = game
        self._handle = ffi.gc(out[0], lib.ludens_threat_search_free)

    def run(
        self,
        state: States | None = None,
        *,
        threes: bool = True,
        most_positions: int = 1_000_000,
        with_proof: bool = True,
    ) -> Threats:
        """Looks for a win of the side to move by fours, and by threes unless they are left out.

        Without `with_proof` the proof is not read, which takes longer than to find it. Raises NativeError if the game
        is over.
        """
        arrays = Arrays()
        verdict, length, positions = ffi.new("int32_t *"), ffi.new("int32_t *"), ffi.new("int64_t *")
        start = arrays.state(self._game.state_words, self._game.initial if state is None else state)
        check(lib.ludens_threat_search_run(self._handle, start, threes, most_positions, verdict, length, positions))
        if not with_proof:
            return Threats(VERDICTS[verdict[0]], None, int(positions[0]))
        numbers = np.zeros(length[0], np.int32)
        check(lib.ludens_threat_search_proof(self._handle, arrays.int32(numbers)))
        proof = _node(iter(numbers.tolist())) if len(numbers) else None
        return Threats(VERDICTS[verdict[0]], proof, int(positions[0]))

    def relevant(self) -> npt.NDArray[np.int64]:
        """Returns the cells of which one more stone of the other side might undo the proof that was found last.

        With a stone anywhere else the proof holds as it is. None if the last search found no win.
        """
        arrays, cells = Arrays(), np.zeros(self._game.moves[0] - 1, np.uint8)
        check(lib.ludens_threat_search_relevant(self._handle, arrays.pointer("uint8_t[]", cells)))
        return np.flatnonzero(cells)


def _node(numbers: Iterator[int]) -> ProofNode:
    """Reads a node of a proof, and those below it."""
    move = next(numbers)
    line = tuple(next(numbers) for _ in range(next(numbers)))
    answers = {}
    for _ in range(next(numbers)):
        answer = next(numbers)
        answers[answer] = _node(numbers)
    return ProofNode(move, line, answers)
