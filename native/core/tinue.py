"""Forced wins by a road in Tak, which its players call tinuë, searched for in the native core."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ludens.native._core import ffi, lib

from ludens.native.core.binding import Arrays, States, check
from ludens.native.core.game import Game

_VERDICTS = ("won", "none", "unknown")
_MOST_POSITIONS = (1 << 63) - 1


@dataclass(frozen=True, slots=True)
class TinueNode:
    """A move of the attacker, and what follows.

    `road` completes a road after every answer that has no node of its own; None where the move has completed one.
    Answers that complete a road of the attacker have no node either.
    """

    move: int
    road: int | None
    answers: dict[int, TinueNode]


@dataclass(frozen=True, slots=True)
class Tinue:
    """What a search of forced wins by roads has found for the side to move."""

    verdict: str  # won; none with so many moves; or unknown, since the search was ended
    move: int | None  # the first one of the win
    moves: int  # of the attacker until the road, at most; 0: no win was found
    positions: int  # looked at


class TinueSearch:
    """Looks for forced wins by roads in games of `Game.from_tak`; see native/src/tak/tinue.hpp.

    For one thread at a time, but for `stop`. What it finds out is kept for later runs.

    >>> search = TinueSearch(native_game(TakRules(5)))
    >>> found = search.run(pack(position), most_moves=8)
    >>> proof = search.proof() if found.verdict == "won" else None
    """

    def __init__(self, game: Game, memory_bytes: int = 64 << 20) -> None:
        """Takes no more memory than so much for what it finds out. Raises NativeError for other games."""
        out = ffi.new("ludens_tinue_search **")
        check(lib.ludens_tinue_search_new(game.handle, memory_bytes, out))
        self._game = game
        self._handle = ffi.gc(out[0], lib.ludens_tinue_search_free)

    def run(
        self, state: States, *, most_moves: int = 100, most_positions: int = _MOST_POSITIONS, seconds: float = 0.0
    ) -> Tinue:
        """Looks for a win of the side to move with at most so many of its moves, 1 to 100.

        Ends before with an unknown verdict after so many positions, after `seconds` (0: no limit), or at `stop`. Raises
        NativeError for words that are no state, and for limits that make no sense.
        """
        arrays, found = Arrays(), ffi.new("ludens_tinue *")
        words = arrays.state(self._game.state_words, state)
        check(lib.ludens_tinue_search_run(self._handle, words, seconds, most_positions, most_moves, found))
        move = found.move if found.move >= 0 else None
        return Tinue(_VERDICTS[found.verdict], move, found.moves, found.positions)

    def stop(self) -> None:
        """Ends a run, or what `proof` searches again; from any thread."""
        lib.ludens_tinue_search_stop(self._handle)

    def proof(self, most: int = 10_000_000) -> TinueNode:
        """Returns the proof of the win that was found last.

        Raises NativeError if there is none, if it takes more than `most` numbers to write down, and after `stop`.
        """
        numbers, length = ffi.new("int32_t **"), ffi.new("int64_t *")
        check(lib.ludens_tinue_search_proof(self._handle, most, numbers, length))
        return _node(iter(ffi.unpack(numbers[0], length[0])))


def _node(numbers: Iterator[int]) -> TinueNode:
    """Reads a node of a proof, and those below it."""
    move, road = next(numbers), next(numbers)
    answers = {}
    for _ in range(next(numbers)):
        answer = next(numbers)
        answers[answer] = _node(numbers)
    return TinueNode(move, road if road >= 0 else None, answers)
