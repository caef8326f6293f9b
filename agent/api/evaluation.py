"""Evaluations: what a game teaches whoever plays it against himself, as a function of its states.

evaluation = learn(game, seconds=10)
evaluation(game.initial)                  # float32[roles]: the goal that each role can expect, 0 to 100
evaluation.save("connect_four.evaluation")

Where the goals of two opponents do not sum to 100, it is 50 and half of what a role can expect to be ahead by.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from ludens.agent.api.errors import EvaluationError
from ludens.agent.api.game import Game, State, a_game
from ludens.agent.api.numbers import check_limits, seed_of, whole
from ludens.agent.learning.averaged_fit import TrainedWeights
from ludens.agent.learning.evaluation_cache import EvaluationCache
from ludens.agent.learning.features import SavedFeatures, feature_seconds, with_features
from ludens.agent.learning.short_learning import learn as learn_natively
from ludens.agent.settings.errors import OptionError
from ludens.agent.settings.options import FEATURES, PLANES
from ludens.agent.variants.game_variant import GameVariant, searched_network
from ludens.agent.variants.opponents import are_opponents
from ludens.native.core import Evaluation as NativeEvaluation
from ludens.native.core import EvaluationWeights, Floats, States, pack_bits, unpack_bits
from ludens.native.core import Game as NativeGame
from ludens.native.core.binding import batch_of
from ludens.propnet.base.array_file import read_arrays, write_arrays
from ludens.propnet.base.errors import NativeError
from ludens.propnet.base.interruptible import running
from ludens.propnet.gdl.fingerprint import fingerprint
from ludens.propnet.network.evaluate import Evaluator
from ludens.propnet.network.network_arrays import from_arrays, to_arrays
from ludens.propnet.network.propnet import Propnet

_KIND = {"holds": "evaluation", "version": 2}
_AT_ONCE = 1024  # states whose features are worked out at once: a byte for each gate and state
_LOOK_SECONDS = 0.1
_FEATURE_SECONDS = 15.0  # for all kinds, as in a long start clock

BatchOfStates = State | Sequence[State] | States
"""A state, several states of one game, or packed bits `uint64[n, state_words]`, as `State.words` and batches have."""


def learn(
    game: Game,
    seconds: float,
    *,
    threads: int = 1,
    seed: int = 0,
    features: str = "all",
    known: Evaluation | None = None,
) -> Evaluation:
    """Learns for `seconds` what the states of a game are worth, from its rules alone, by playing against itself.

    `threads` play at once. `features` is what is seen of a state besides its facts: `all`, `state` for nothing, or
    one of `mobility`, `threats`, `territory` and `distance`. Learning goes on from `known`, with its features. Raises
    `NoNetworkError` for interpreted games, `OptionError` for features that there are not, and `BudgetError` for a time
    that is none. Ctrl-C ends it.
    """
    a_game(game)
    check_limits(seconds=seconds)
    whole("threads", threads, 1)
    seed = seed_of(seed)
    _check_features(features)
    if known is not None and not isinstance(known, Evaluation):
        raise EvaluationError(f"{known!r} is no evaluation")
    if known is not None and known.game != game:
        raise EvaluationError(f"what is known is of {known.game.name}, not of {game.name}")
    end = time.monotonic() + seconds
    learned: list[TrainedWeights] = []
    net = known.net if known else _seen(game, features, feature_seconds(seconds), relative=are_opponents(game.net))
    stopped = threading.Event()

    def work() -> None:
        left, weights = max(0.0, end - time.monotonic()), known.trained if known else None
        native = NativeGame.from_propnet(net)
        learned.append(learn_natively(native, left, seed, stopped.is_set, weights, workers=threads))

    for _ in running(work, stopped.set, _LOOK_SECONDS):
        pass
    return Evaluation(game, net, learned[0])


def _seen(game: Game, features: str, seconds: float, saved: SavedFeatures | None = None, *, relative: bool) -> Propnet:
    """Returns the network of a game with what evaluations see, and the goals that they foretell."""
    net = with_features(game.net, features, seconds, saved, trying=False).net
    return searched_network(net, relative=relative)


def _check_features(features: str) -> None:
    if features == PLANES:
        raise OptionError(
            "networks over boards are no Evaluation: `ludens learn GAME --features {planes}` learns them, and players "
            "use them, such as StrategyPlayer('guided:features={planes}')",
            planes=PLANES,
        )
    if features not in FEATURES:
        raise OptionError("{given} are no features: they are {known}", given=repr(features), known=", ".join(FEATURES))


class Evaluation:
    """What each role can expect in states of a game, as learned; immutable, and good for any number of threads.

    Made by `learn`, `Evaluation.load` and `Evaluation.recall`. A search takes it as `Search(state, evaluation=…)`.
    """

    def __init__(self, game: Game, net: Propnet, trained: TrainedWeights) -> None:
        """Takes weights for the features of `net`, which is the network of the game with what is seen besides."""
        self.game = game
        self.net = net
        self.trained = trained
        self.native = NativeEvaluation(trained.weights)
        self.variant = GameVariant.plain(NativeGame.from_propnet(net))
        self._evaluator = Evaluator(net)

    @property
    def rounds(self) -> int:
        """How many rounds of self-play it was learned in."""
        return self.trained.rounds

    def __call__(self, states: BatchOfStates) -> Floats:
        """Returns the expected goals, 0 to 100: `float32[roles]` of one state, `float32[n, roles]` of several.

        Raises `EvaluationError` for states of another game, and `NativeError` for arrays of another shape or kind.
        """
        if isinstance(states, State):
            return self._values(self._words([states])).reshape(-1)
        if isinstance(states, np.ndarray):
            return self._values(batch_of(self.game.native.state_words, states))
        return self._values(self._words(states))

    def save(self, path: str | Path) -> None:
        """Writes the evaluation to a file, which needs nothing else to be loaded again. Raises `EvaluationError`."""
        weights = self.trained.weights
        arrays = to_arrays(self.net) | {
            "rules": np.array(fingerprint(self.game.sheet).digest),
            "rounds": np.array(self.rounds),
            "control": np.array(weights.control, np.int32),
            "linear": weights.linear,
            "inner": weights.inner,
            "output": weights.output,
        }
        try:
            write_arrays(Path(path), _KIND, arrays, compressed=True)
        except OSError as error:
            raise EvaluationError(f"cannot write {path}: {error.strerror}") from error

    @staticmethod
    def load(path: str | Path, game: Game) -> Evaluation:
        """Reads an evaluation of `game`; raises `EvaluationError` for a file that is none, or of other rules."""
        a_game(game)
        if not Path(path).exists():
            raise EvaluationError(f"there is no file {path}")
        stored = read_arrays(Path(path), _KIND)
        try:
            if stored is None:
                raise ValueError
            net = from_arrays(stored)
            weights = EvaluationWeights(
                tuple(stored["control"].astype(np.int64).tolist()),
                *(stored[name].astype(np.float32) for name in ("linear", "inner", "output")),
            )
            found = Evaluation(game, net, TrainedWeights(weights, int(stored["rounds"].astype(np.int64))))
            rules = str(stored["rules"])
        except (ValueError, TypeError, LookupError, NativeError) as error:
            raise EvaluationError(f"{path} is no evaluation, or damaged, or of another version") from error
        same = (net.roles, net.propositions, net.moves) == (game.roles, game.propositions, game.moves)
        if not same or rules != fingerprint(game.sheet).digest:
            raise EvaluationError(f"{path} is an evaluation of another game than {game.name}")
        return found

    @staticmethod
    def recall(game: Game, features: str = "all") -> Evaluation | None:
        """Returns what `ludens learn` and matches have taught of a game, whatever its names; None if nothing.

        `features` as for `learn`. What players learn of games that they play on cores of their own, as checkers, is not
        for networks, and networks over boards, the features `planes`, are for players: `guided:features=planes`.
        Raises `NoNetworkError` for interpreted games, and `OptionError` for features that there are not.
        """
        a_game(game)
        _check_features(features)
        relative = are_opponents(game.net)
        cache = EvaluationCache.of_sheet(game.sheet, features, relative=relative)
        if (saved := cache.saved_features()) is None:
            return None
        seen = saved._replace(timed_out=frozenset())
        net = _seen(game, features, _FEATURE_SECONDS, seen, relative=relative)
        trained = cache.entry(net, saved.timed_out).read()
        return None if trained is None else Evaluation(game, net, trained)

    def __reduce__(self) -> tuple[Callable[..., Evaluation], tuple[Game, Propnet, TrainedWeights]]:
        return Evaluation, (self.game, self.net, self.trained)

    def __repr__(self) -> str:
        return f"<ludens.Evaluation of {self.game.name}: {self.rounds} rounds>"

    def _words(self, states: Sequence[State]) -> States:
        """Returns states of this game as packed bits."""
        if not isinstance(states, Sequence):
            raise EvaluationError(f"{states!r} are no states: give one, a list of them, or packed bits")
        for state in states:
            if not isinstance(state, State) or state.game != self.game or not state.game.has_network:
                raise EvaluationError(f"{state!r} is no state of {self.game.name} with a network")
        words = self.game.native.state_words
        return np.stack([state.words for state in states]) if states else np.empty((0, words), np.uint64)

    def _values(self, words: States) -> Floats:
        parts = [self._part(words[i : i + _AT_ONCE]) for i in range(0, len(words), _AT_ONCE)]
        return np.concatenate(parts) if parts else np.empty((0, len(self.game.roles)), np.float32)

    def _part(self, words: States) -> Floats:
        if not len(self.net.features):
            return self.native.values(words)
        bits = unpack_bits(words, self.net.state_bits)
        return self.native.values(pack_bits(np.concatenate([bits, self._evaluator.features(bits)], axis=1)))
