"""The two kinds of evaluation that long learning fits: of the features of a state, or a network over its board."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from ludens.agent.board_networks.board_planes import BoardPlanes, find_planes
from ludens.agent.board_networks.weights import BoardEntry
from ludens.agent.learning.evaluation_cache import CacheEntry, EvaluationCache
from ludens.agent.learning.fit import Learned
from ludens.agent.learning.learning import RANDOM_PASSES, Learner
from ludens.agent.learning.self_play_learner import (
    LearningPace,
    LearningRate,
    SearchedPlayOptions,
    SelfPlayLearner,
    new_seed,
    random_positions,
)
from ludens.agent.long_learning import fit_words
from ludens.agent.long_learning.options import LearnOptions
from ludens.agent.settings.options import PLANES
from ludens.agent.training.pytorch import check_pytorch
from ludens.native.core import Game
from ludens.propnet.gdl.syntax import RuleSheet
from ludens.propnet.network.propnet import Propnet

if TYPE_CHECKING:
    from ludens.agent.board_networks.network_fit import NetworkFit


class Entry(Protocol):
    """Where evaluations of a game are kept in a file."""

    names: npt.NDArray[np.str_]  # of what they see, as all sheets of the game have it

    def seconds(self) -> float:
        """Returns how long the evaluation there was learned; 0 if there is none."""

    def read(self) -> Learned[Any] | None:
        """Returns it; None if there is none that fits."""

    def write(self, learned: Any) -> None:
        """Replaces it. Raises `OSError`."""


class SavedFit(Protocol):
    """All that a fit goes on from."""

    @property
    def rounds(self) -> int:
        """How many rounds it has taken."""

    @property
    def mean(self) -> Any:
        """The mean of the weights."""


@dataclass(frozen=True, slots=True)
class SelfPlayOptions:
    """How a learner plays."""

    workers: int  # that play here; 0: others do
    fit_threads: int  # of a fit that can make use of several
    pace: LearningPace
    rate: LearningRate
    searched: SearchedPlayOptions | None
    stopped: Callable[[], bool] = lambda: False  # whether the learner is no longer wanted, while it is being made


class Approximation(Protocol):
    """A kind of evaluation."""

    def entry(self, place: EvaluationCache) -> Entry:
        """Returns where evaluations are kept in a file."""

    def learner(
        self, game: Game, seed: int, state: Any, options: LearnOptions, play: SelfPlayOptions
    ) -> SelfPlayLearner[Any]:
        """Returns a learner that begins, or goes on from a state if it is not None, with new games."""

    def to_words(self, state: Any) -> npt.NDArray[np.uint64]:
        """Returns the numbers of a state."""

    def shape_of(self, state: Any) -> dict[str, Any]:
        """Returns what `from_words` must know of a state, as JSON can hold it."""

    def from_words(self, words: npt.NDArray[np.uint64], shape: Mapping[str, Any], options: LearnOptions) -> SavedFit:
        """Returns the state of a shape; raises `TrainingError` or `NativeError` where there are not as many words."""


@dataclass(frozen=True, slots=True)
class FeatureApproximation:
    """An evaluation of the features of a state (agent/learning)."""

    at: Callable[[EvaluationCache], CacheEntry]

    def entry(self, place: EvaluationCache) -> Entry:
        """Returns where evaluations are kept in a file."""
        return self.at(place)

    def learner(
        self, game: Game, seed: int, state: Any, options: LearnOptions, play: SelfPlayOptions
    ) -> SelfPlayLearner[Any]:
        """Returns a learner that begins, or goes on from a state if it is not None, with new games."""
        return Learner(
            game,
            seed,
            state,
            play.workers,
            pace=play.pace,
            hidden=options.hidden,
            rate=play.rate,
            searched=play.searched,
            stopped=play.stopped,
        )

    def to_words(self, state: Any) -> npt.NDArray[np.uint64]:
        """Returns the numbers of a state."""
        return fit_words.to_words(state)

    def shape_of(self, state: Any) -> dict[str, Any]:
        """Returns what `from_words` must know of a state, as JSON can hold it."""
        return fit_words.shape_of(state)

    def from_words(self, words: npt.NDArray[np.uint64], shape: Mapping[str, Any], options: LearnOptions) -> SavedFit:
        """Returns the state of a shape; raises `TrainingError` where there are not as many words as it has."""
        return fit_words.from_words(words, shape)


@dataclass(frozen=True, slots=True)
class BoardApproximation:
    """A network over the board of a game (agent/board_networks), which is looked for when learning begins."""

    name: str
    sheet: RuleSheet
    net: Propnet

    def entry(self, place: EvaluationCache) -> Entry:
        """Returns where networks are kept in a file."""
        return BoardEntry(place, self.net)

    def learner(
        self, game: Game, seed: int, state: Any, options: LearnOptions, play: SelfPlayOptions
    ) -> SelfPlayLearner[Any]:
        """Returns a learner that begins with a fit to random games, or goes on from a state, with new games."""
        rng, threads = np.random.default_rng(seed), play.fit_threads
        if state is not None:
            fit = self._restored(state.words, state.shape, options, threads)
        else:
            fit, pace = self._fit(find_planes(self.name, self.sheet, self.net), options, threads), play.pace
            samples = random_positions(game, pace, rng, play.stopped)
            for _ in range(RANDOM_PASSES):
                if not play.stopped():
                    fit.fit(samples, new_seed(rng), options.rate)
        return SelfPlayLearner(game, fit, seed, rng, play.workers, play.pace, play.rate, play.searched)

    def to_words(self, state: Any) -> npt.NDArray[np.uint64]:
        """Returns the numbers of a state."""
        words: npt.NDArray[np.uint64] = state.words
        return words

    def shape_of(self, state: Any) -> dict[str, Any]:
        """Returns what `from_words` must know of a state, as JSON can hold it."""
        shape: dict[str, Any] = state.shape
        return shape

    def from_words(self, words: npt.NDArray[np.uint64], shape: Mapping[str, Any], options: LearnOptions) -> SavedFit:
        """Returns the state of a shape; raises `NativeError` where there are not as many words as it has."""
        return self._restored(words, shape, options, 1).state()

    def _restored(
        self, words: npt.NDArray[np.uint64], shape: Mapping[str, Any], options: LearnOptions, threads: int
    ) -> NetworkFit:
        """Returns the fit of a state, which sees what it saw before."""
        fit = self._fit(BoardPlanes.of(shape["planes"]), options, threads)
        fit.restore(words, shape)
        return fit

    def _fit(self, planes: BoardPlanes, options: LearnOptions, threads: int) -> NetworkFit:
        from ludens.agent.board_networks.network_fit import NetworkFit  # which needs PyTorch

        return NetworkFit(planes, len(self.net.roles), options.width, options.blocks, options.seed, threads)


def check_installed(features: str) -> None:
    """Raises `TrainingError` unless what learns evaluations that see `features` is installed, and can be used."""
    if features == PLANES:
        check_pytorch(f"learning with the features {PLANES}")
