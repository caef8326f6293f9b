"""The fixed opponent of a run of long learning: guided search by what a player has learned before a match."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from ludens.agent.learning.averaged_fit import TrainedWeights
from ludens.agent.learning.short_learning import learn
from ludens.agent.long_learning.learned_game import LearnedGame
from ludens.agent.search.config import SearchConfig


class Reference:
    """An evaluation that is learned on one thread as in a start clock, and kept in a file."""

    def __init__(self, game: LearnedGame, path: Path) -> None:
        """Reads what the file has; networks over the board are rated against an evaluation of the state alone."""
        self._game = game.without_board()
        self._entry = self._game.approximation.entry(self._game.known.kept.at(path))
        self._learned: TrainedWeights | None = self._entry.read()

    @property
    def is_learned(self) -> bool:
        """Whether it has learned."""
        return self._learned is not None

    def learn(
        self, seconds: float, seed: int, stopped: Callable[[], bool], clock: Callable[[], float] = time.process_time
    ) -> None:
        """Learns for so many seconds of processor time, and keeps it unless it was `stopped`; raises `OSError`."""
        learned = learn(self._game.game, seconds, seed, stopped, clock=clock)
        if not stopped():
            self._learned = learned._replace(seconds=seconds)
            self._entry.write(self._learned)

    def config(self) -> SearchConfig:
        """Returns how it searches, once it has learned."""
        assert self._learned is not None
        return self._game.guided(self._learned.weights.evaluation(self._game.game))

    def __str__(self) -> str:
        """Returns it as users describe such a player."""
        seconds, features = self._learned.seconds if self._learned else 0.0, self._game.known.features
        return f"guided:learn={seconds:g}" + (f",features={features}" if features != "all" else "")
