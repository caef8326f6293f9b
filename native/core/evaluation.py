"""Evaluations, which estimate the worth of a state from its features: their training, and the data for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from ludens.native._core import ffi, lib

from ludens.native.core.binding import Arrays, Floats, States, check, pack_bits, shaped, unpack_bits
from ludens.native.core.game import Game
from ludens.native.defaults import MAX_STEPS


class EvaluationWeights(NamedTuple):
    """The numbers of an evaluation; what they mean is said in native/src/evaluation/evaluation.hpp.

    float32 arrays; the last input of a set is constant. Set i of `len(control) + 1` is for states in which
    proposition `control[i]` is the first of these to hold, the last set for all others.
    """

    control: tuple[int, ...]
    linear: Floats  # [sets, features + 1, roles]
    inner: Floats  # [sets, features + 1, hidden]
    output: Floats  # [sets, hidden, roles]

    @property
    def features(self) -> int:
        """The number of bits that are seen: propositions, and what the game adds to them."""
        return int(self.linear.shape[1]) - 1

    @property
    def roles(self) -> int:
        """The number of roles."""
        return int(self.linear.shape[2])

    @property
    def hidden(self) -> int:
        """The number of hidden units."""
        return int(self.inner.shape[2])

    def evaluation(self, _game: Game) -> Evaluation:
        """Returns the evaluation of the game that they are of; raises NativeError as it does."""
        return Evaluation(self)


class Evaluation:
    """What a state is worth to each role, told from its features; immutable, shared by searches.

    Raises NativeError for weights that are not finite or do not fit together.
    """

    def __init__(self, weights: EvaluationWeights) -> None:
        self.weights = weights
        out = ffi.new("ludens_evaluation **")
        arrays = Arrays()
        check(lib.ludens_evaluation_new(_pointers(weights, arrays), out))
        self._take(out[0], weights.roles, -(-weights.features // 64))

    def _take(self, handle: Any, roles: int, words: int) -> None:
        """Takes over a native evaluation, of so many roles and words of features."""
        self.handle = ffi.gc(handle, lib.ludens_evaluation_free)
        self._roles, self._words = roles, words

    def __reduce__(self) -> tuple[type[Evaluation], tuple[Any, ...]]:
        """Pickles the weights."""
        return Evaluation, (self.weights,)

    def values(self, features: States) -> Floats:
        """Expected goals `float32[n, roles]`, between 0 and 100, of features `uint64[n, feature_words]`."""
        batch = np.atleast_2d(np.ascontiguousarray(features, np.uint64))
        out = np.empty((len(batch), self._roles), np.float32)
        arrays = Arrays()
        words = arrays.uint64(shaped(batch, (len(batch), self._words)))
        check(lib.ludens_evaluation_values(self.handle, len(batch), words, arrays.float32(out)))
        return out


class EvaluationFit:
    """Weights that are being fitted to positions and what came of them, by stochastic gradients."""

    def __init__(self, weights: EvaluationWeights) -> None:
        """Begins at `weights`; raises NativeError as `Evaluation` does."""
        self._first = weights
        out = ffi.new("ludens_fit **")
        arrays = Arrays()
        check(lib.ludens_fit_new(_pointers(weights, arrays), out))
        self.handle = ffi.gc(out[0], lib.ludens_fit_free)

    def fit(self, samples: TrainingSamples, rate: float, seed: int = 0) -> float:
        """One pass over `samples`, in an order that follows from `seed`; the mean squared error met, in goals."""
        error = ffi.new("double *")
        arrays = Arrays()
        shape = (len(samples.features), -(-self._first.features // 64))
        features = arrays.uint64(shaped(samples.features, shape))
        targets = arrays.float32(shaped(samples.targets, (len(samples.features), self._first.roles)))
        check(lib.ludens_fit_pass(self.handle, len(samples.features), features, targets, rate, seed, error))
        return float(error[0])

    @property
    def weights(self) -> EvaluationWeights:
        """What they are by now."""
        now = EvaluationWeights(self._first.control, *(np.empty(w.shape, np.float32) for w in self._first[1:]))
        arrays = Arrays()
        check(lib.ludens_fit_read(self.handle, *(arrays.float32(w) for w in now[1:])))
        return now

    @property
    def memory(self) -> FitMemory:
        """What the optimiser remembers by now."""
        moments = np.empty(lib.ludens_fit_memory_size(self.handle), np.float32)
        steps = np.empty(len(self._first.control) + 1, np.int64)
        arrays = Arrays()
        check(lib.ludens_fit_memory(self.handle, arrays.float32(moments), arrays.int64(steps)))
        return FitMemory(moments, steps)

    def remember(self, memory: FitMemory) -> None:
        """Goes on as the fit whose memory this was; raises NativeError if it was of another size."""
        arrays = Arrays()
        moments, steps = arrays.float32(memory.moments), arrays.int64(memory.steps)
        check(lib.ludens_fit_remember(self.handle, len(memory.moments), moments, len(memory.steps), steps))


class FitMemory(NamedTuple):
    """What the optimiser of a fit remembers besides its weights: moments of gradients, and steps of each set."""

    moments: Floats  # float32
    steps: npt.NDArray[np.int64]


class TrainingSamples(NamedTuple):
    """Positions to learn from, with what came of them."""

    features: States  # [n, feature_words]: a state, and then what evaluations see besides
    targets: Floats  # [n, roles], 0 … 100
    games: int

    @classmethod
    def joined(cls, parts: Sequence[TrainingSamples]) -> TrainingSamples:
        """Those of all `parts`, of which there is at least one: a fit then takes them in one order, mixed."""
        features, targets = (np.concatenate(arrays) for arrays in list(zip(*parts, strict=True))[:2])
        return cls(features, targets, sum(part.games for part in parts))

    def states(self, game: Game) -> States:
        """The states alone, `uint64[n, state_words]`."""
        return pack_bits(unpack_bits(self.features, game.state_bits))


def random_samples(
    game: Game, games: int, *, seconds: float = 0.0, max_steps: int = MAX_STEPS, seed: int = 0
) -> TrainingSamples:
    """One random position of each of `games` random games, with the goals it ended with; none after `seconds`."""
    return RandomGames(game, max_steps=max_steps, seed=seed).play(games, seconds)


class RandomGames:
    """Games whose moves are all random; they go on from call to call. Used by one thread."""

    def __init__(self, game: Game, *, max_steps: int = MAX_STEPS, seed: int = 0) -> None:
        """Raises NativeError for settings out of range."""
        self._game = game
        out = ffi.new("ludens_random_games **")
        check(lib.ludens_random_games_new(game.handle, max_steps, seed & 0xFFFF_FFFF_FFFF_FFFF, out))
        self.handle = ffi.gc(out[0], lib.ludens_random_games_free)

    def play(self, games: int, seconds: float = 0.0) -> TrainingSamples:
        """Plays on until so many games have ended, or for `seconds`; one random position of each game that ended."""
        out = ffi.new("ludens_samples **")
        check(lib.ludens_random_games_run(self.handle, games, seconds, out))
        return _read_samples(self._game, out[0])


class PositionImages:
    """Draws images of positions under the symmetries of a game, which teach as much as they do. Used by one thread.

    A position of a game whose symmetries are not known has no other image.
    """

    def __init__(self, game: Game, seed: int = 0) -> None:
        """Raises NativeError for symmetries that are no permutations."""
        known = np.empty((0, game.state_bits), np.int32) if game.symmetries is None else game.symmetries
        out, arrays = ffi.new("ludens_position_images **"), Arrays()
        symmetries = arrays.int32(known, (len(known), game.state_bits))
        check(lib.ludens_position_images_new(game.handle, len(known), symmetries, seed & 0xFFFF_FFFF_FFFF_FFFF, out))
        self.handle = ffi.gc(out[0], lib.ludens_position_images_free)
        self._words = game.feature_words

    def drawn(self, samples: TrainingSamples) -> TrainingSamples:
        """Returns samples with each position replaced by one of its images, or kept; all are equally likely.

        Raises NativeError for positions of another size.
        """
        features, arrays = shaped(samples.features.copy(), (len(samples.features), self._words)), Arrays()
        check(lib.ludens_position_images_draw(self.handle, len(features), arrays.uint64(features)))
        return samples._replace(features=features)


class SelfPlay:
    """Games in which all look ahead; they go on from call to call. Used by one thread.

    The first moves of a game, at most `random_moves`, are random and not recorded; later ones are drawn by the
    softmax of the expected goals at `temperature`, in goals. All look one move ahead or, in games by turns, search for
    so many `leaves` a move; then the positions of their trees with `learned_visits` or more are recorded too.
    """

    def __init__(
        self,
        game: Game,
        *,
        random_moves: int = 0,
        temperature: float = 1.0,
        lambda_: float = 1.0,
        max_steps: int = MAX_STEPS,
        seed: int = 0,
        leaves: int = 0,
        learned_visits: int = 0,
    ) -> None:
        """Begins no game yet; raises NativeError for settings out of range."""
        self._game = game
        options = ffi.new(
            "ludens_self_play_options *",
            {
                "random_moves": random_moves,
                "temperature": temperature,
                "lambda": lambda_,
                "max_steps": max_steps,
                "seed": seed & 0xFFFF_FFFF_FFFF_FFFF,
                "leaves": leaves,
                "learned_visits": learned_visits,
            },
        )
        out = ffi.new("ludens_self_play **")
        check(lib.ludens_self_play_new(game.handle, options, out))
        self.handle = ffi.gc(out[0], lib.ludens_self_play_free)

    def play(self, evaluation: Evaluation, states: int, seconds: float = 0.0) -> TrainingSamples:
        """Plays on until so many states have been made, or for `seconds`; all positions of the games that ended."""
        out = ffi.new("ludens_samples **")
        check(lib.ludens_self_play_run(self.handle, evaluation.handle, states, seconds, out))
        return _read_samples(self._game, out[0])

    @property
    def positions(self) -> int:
        """The positions looked at ahead so far, those of games that have not ended included."""
        return int(lib.ludens_self_play_positions(self.handle))

    @property
    def states(self) -> int:
        """The states made so far, as `play` counts them."""
        return int(lib.ludens_self_play_states(self.handle))


def _read_samples(game: Game, handle: Any) -> TrainingSamples:
    owned = ffi.gc(handle, lib.ludens_samples_free)
    count = lib.ludens_samples_count(owned)
    features = np.empty((count, game.feature_words), np.uint64)
    targets = np.empty((count, game.roles), np.float32)
    arrays = Arrays()
    check(lib.ludens_samples_read(owned, arrays.uint64(features), arrays.float32(targets)))
    return TrainingSamples(features, targets, lib.ludens_samples_games(owned))


def _pointers(weights: EvaluationWeights, arrays: Arrays) -> Any:
    sets, inputs, roles, hidden = len(weights.control) + 1, *weights.linear.shape[1:], weights.hidden
    return ffi.new(
        "ludens_evaluation_weights *",
        {
            "features": inputs - 1,
            "roles": roles,
            "hidden": hidden,
            "control_count": len(weights.control),
            "control": arrays.int32(weights.control),
            "linear": arrays.float32(weights.linear, (sets, inputs, roles)),
            "inner": arrays.float32(weights.inner, (sets, inputs, hidden)),
            "output": arrays.float32(weights.output, (sets, hidden, roles)),
        },
    )
