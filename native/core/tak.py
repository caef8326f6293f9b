"""Tak in the native core: perft, and the training of an evaluation by temporal differences."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from ludens.native._core import ffi, lib

from ludens.native.core.binding import Arrays, States, batch_of, check
from ludens.native.core.game import Game


def tak_perft(game: Game, state: States, depth: int, *, count_ended: bool, instruction_set: str | None = None) -> int:
    """Returns how many sequences of `depth` moves follow a state of a game `from_tak`.

    Those that end the game earlier count if `count_ended` says so. `instruction_set` is one of avx512, avx2 and
    baseline, or None for the best here. Raises NativeError for other games, negative depths and instruction sets that
    are not there.
    """
    arrays, out = Arrays(), ffi.new("int64_t *")
    name = ffi.NULL if instruction_set is None else ffi.new("char[]", instruction_set.encode())
    check(lib.ludens_tak_perft(game.handle, arrays.state(game.state_words, state), depth, count_ended, name, out))
    return int(out[0])


def tak_moves_by_rank(game: Game, state: States, instruction_set: str | None = None) -> list[int]:
    """Returns the moves from a state of a game `from_tak`, in the order in which machines rank them for random games.

    Where the game is over, those that there would be if it were not. For `instruction_set` and errors see `tak_perft`.
    """
    arrays, count, room = Arrays(), ffi.new("int32_t *"), game.moves[0]
    numbers = ffi.new("int32_t[]", room)
    name = ffi.NULL if instruction_set is None else ffi.new("char[]", instruction_set.encode())
    words = arrays.state(game.state_words, state)
    check(lib.ludens_tak_moves_by_rank(game.handle, words, name, room, numbers, count))
    return list(numbers[0 : count[0]])


@dataclass(frozen=True, slots=True)
class TrainingStats:
    """How far a training has come: games, their moves that were learned from, and how games ended."""

    games: int
    plies: int
    roads: int
    flats: int
    ties: int
    squared_error: float  # sum over plies of the mean over both outputs


class TakTraining:
    """Training of an evaluation of Tak by temporal differences; see native/src/tak/td_training.hpp. For one thread.

    >>> training = TakTraining(5, weights, games=500_000)
    >>> training.run(seconds=10, threads=2)
    """

    def __init__(
        self,
        size: int,
        weights: npt.NDArray[np.float32],
        *,
        games: int,
        half_komi: int = 0,
        side_by_side: int = 16,
        random_plies: int = 8,
        most_plies: int = 200,
        rate: float = 0.005,
        end_rate: float = 0.01,
        trace: float = 0.0,
        symmetries: int = 1,
        seed: int = 0,
        instruction_set: str | None = None,
    ) -> None:
        """Begins with weights, float32[tak_weight_count(size)]. Raises NativeError for what makes no sense."""
        options = ffi.new(
            "ludens_td_options *",
            {
                "size": size,
                "half_komi": half_komi,
                "games": games,
                "side_by_side": side_by_side,
                "random_plies": random_plies,
                "most_plies": most_plies,
                "rate": rate,
                "end_rate": end_rate,
                "trace": trace,
                "symmetries": symmetries,
                "seed": seed,
            },
        )
        name = ffi.NULL if instruction_set is None else ffi.new("char[]", instruction_set.encode())
        begun = np.ascontiguousarray(weights, np.float32).reshape(-1)
        out = ffi.new("ludens_td **")
        check(lib.ludens_td_new(options, len(begun), ffi.from_buffer("float[]", begun), name, out))
        self._handle = ffi.gc(out[0], lib.ludens_td_free)
        self._weights = len(begun)

    def run(self, seconds: float = 0.0, threads: int = 1, games: int = 0) -> None:
        """Trains until so many games are over in all (0: those of the constructor).

        No longer than `seconds`, if they are not 0. Whole rounds are played, so that a few more games may be over.
        """
        check(lib.ludens_td_run(self._handle, seconds, games, threads))

    @property
    def stats(self) -> TrainingStats:
        """What has been trained."""
        out = ffi.new("ludens_td_stats *")
        lib.ludens_td_get_stats(self._handle, out)
        return TrainingStats(out.games, out.plies, out.roads, out.flats, out.ties, out.squared_error)

    @property
    def weights(self) -> npt.NDArray[np.float32]:
        """The weights, float32[tak_weight_count(size)]."""
        weights = np.empty(self._weights, np.float32)
        check(lib.ludens_td_weights(self._handle, self._weights, ffi.from_buffer("float[]", weights)))
        return weights

    def save(self) -> npt.NDArray[np.uint64]:
        """Returns all that training goes on from."""
        words = ffi.new("int64_t *")
        check(lib.ludens_td_saved_words(self._handle, words))
        saved = np.empty(words[0], np.uint64)
        check(lib.ludens_td_save(self._handle, len(saved), ffi.from_buffer("uint64_t[]", saved)))
        return saved

    def restore(self, saved: npt.NDArray[np.uint64]) -> None:
        """Goes on from what was saved; raises NativeError for a training with other options."""
        words = np.ascontiguousarray(saved, np.uint64)
        check(lib.ludens_td_restore(self._handle, len(words), ffi.from_buffer("uint64_t[]", words)))


def tak_estimates(game: Game, states: States) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float32]]:
    """Returns the terms int32[n, terms] of the evaluation of states uint64[n, words], and its values float32[n].

    native/src/tak/evaluation.hpp says what the terms are. Values are those for who is to move, from -1 to 1. Raises
    NativeError for other games, and words that are no state.
    """
    batch = batch_of(game.state_words, states)
    terms, values = np.zeros((len(batch), lib.LUDENS_TAK_TERMS), np.int32), np.zeros(len(batch), np.float32)
    arrays = Arrays()
    words, terms_at = arrays.pointer("uint64_t[]", batch), arrays.pointer("int32_t[]", terms)
    check(lib.ludens_tak_estimate(game.handle, len(batch), words, terms_at, arrays.pointer("float[]", values)))
    return terms, values


def tak_weight_count(size: int) -> int:
    """Returns how many weights the network for a size of the board has; raises NativeError if there is none."""
    weights, inputs = ffi.new("int32_t *"), ffi.new("int32_t *")
    check(lib.ludens_td_sizes(size, weights, inputs))
    return int(weights[0])
