"""What is learned of a game, and what fits it to the positions of self-play, of whatever kind its weights are."""

from __future__ import annotations

from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from ludens.native.core import Evaluation, Game, TrainingSamples


class Weights(Protocol):
    """The numbers of an evaluation."""

    def evaluation(self, game: Game) -> Evaluation:
        """Returns the evaluation of the game that they are of; raises NativeError for numbers that are none."""


WeightsT = TypeVar("WeightsT", bound=Weights)


class Learned(NamedTuple, Generic[WeightsT]):
    """The weights of an evaluation: their mean over so many rounds of training, and the seconds that these took.

    The seconds are those of all threads together. `gated`: in matches it was better than what was learned before.
    """

    weights: WeightsT
    rounds: int
    seconds: float = 0.0
    gated: bool = False


class Round(NamedTuple):
    """A fit to positions of self-play: how many, and the mean squared error of what was told of them before, in goals.

    So it is an error on positions not seen until then (Dawid, "Prequential theory", 1984). `games` have ended in it.
    """

    positions: int
    error: float
    games: int


class Fit(Protocol[WeightsT]):
    """Weights that are being fitted, round by round."""

    rounds: int
    history: list[Round]  # all that were taken

    @property
    def weights(self) -> WeightsT:
        """Those after the last round."""

    def take(self, samples: TrainingSamples, seed: int, rate: float) -> None:
        """Fits to the samples of a round."""

    def learned(self) -> Learned[WeightsT]:
        """Returns what has been learned so far."""

    def state(self) -> Any:
        """Returns all that the fit goes on from."""
