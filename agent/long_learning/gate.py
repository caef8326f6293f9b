"""The matches of a run of long learning: with the best evaluation before, and of the best one with fixed opponents.

A candidate plays the best evaluation before until Wald's sequential test decides, whose verdict stands, or all games
are played: then it is better if it scores above one half. When the time of a match is over no further game begins, but
at least two games are played against each opponent; of so few it must be certain, at 5 % error, that a candidate is
better. The best one is rated against UCT and a reference, with as much processor time a move.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from ludens.agent.learning.fit import Learned, Weights
from ludens.agent.long_learning.curve import LearnPoint, Score
from ludens.agent.long_learning.learned_game import LearnedGame
from ludens.agent.long_learning.options import LearnOptions
from ludens.agent.long_learning.reference import Reference
from ludens.agent.long_learning.search_match import LimitedSearch, SearchMatch
from ludens.agent.search.config import SearchConfig
from ludens.agent.statistics.intervals import exceeds, uncertainty
from ludens.agent.statistics.sprt import decided

_BOUNDS = (0.48, 0.56)  # scores between which the test decides
_EVEN = 0.5  # the score of equals, and where nothing was played, since there was no evaluation before

Wait: TypeAlias = Callable[[Callable[[], None], Callable[[], None], str], None]
"""Waits until something is done, which a second function ends early, and tells what."""


@dataclass(frozen=True, slots=True)
class GateResult:
    """What matches have shown."""

    games: int  # of the candidate against the best before,
    score: Score  # ... its score,
    better: bool  # ... and whether it is the best now
    against_uct: Score  # of the best,
    against_reference: Score  # ... and against the reference


class Gate:
    """Plays the matches of a run. For one thread."""

    def __init__(self, game: LearnedGame, options: LearnOptions, threads: int, wait: Wait) -> None:
        self._game, self._options, self._wait = game, options, wait
        self._match = SearchMatch(game.game, options.seed, threads)

    def play(
        self,
        candidate: Learned[Any],
        before: Learned[Any] | None,
        reference: Reference,
        last: LearnPoint | None,
        seconds: float,
    ) -> GateResult:
        """Plays a candidate against the best `before`, and rates it if it is better; has so many seconds in all.

        What is no better leaves the scores of the `last` match as they are.
        """
        end, *rated_ends = self._match_ends(seconds)
        games, score, better = self._against(candidate, before, end)
        if last is not None and not better:
            return GateResult(games, score, better, *_rated_before(last))
        best = candidate if better or before is None else before
        return GateResult(games, score, better, *self._rated(best, reference, rated_ends))

    def _match_ends(self, seconds: float) -> list[float]:
        """Returns until when a candidate that has so many seconds may play the best before, UCT and the reference.

        Each has the part of its games in all games.
        """
        games = np.array([self._options.gate_games, self._options.rated_games, self._options.rated_games])
        ends: list[float] = (time.monotonic() + seconds * games.cumsum() / games.sum()).tolist()
        return ends

    def _against(self, candidate: Learned[Any], before: Learned[Any] | None, end: float) -> tuple[int, Score, bool]:
        """Returns how many games a candidate has played against the best before, its score, and whether it is better.

        From `end` of `time.monotonic` on no further game begins.
        """
        if before is None:
            return 0, Score(_EVEN), True
        first, second = (LimitedSearch(self._guided(each), self._options.gate_leaves) for each in (candidate, before))
        scores = list[float]()

        def work() -> None:
            scores.extend(self._match.decide(first, second, _BOUNDS, self._options.gate_games, end))

        self._wait(work, self._match.stop, "a match with the best evaluation so far")
        return 2 * len(scores), _score(scores), self._is_better(scores)

    def _is_better(self, scores: Sequence[float]) -> bool:
        """Says whether a candidate is better than the best before, by its scores in openings of two games each.

        As the sequential test decides. Where it does not, one half is enough if all games were played; if there was no
        time for all, it must be exceeded beyond doubt.
        """
        if (verdict := decided(scores, _BOUNDS)) is not None:
            return verdict == "high"
        was_cut = 2 * len(scores) + 1 < self._options.gate_games
        return exceeds(scores, _EVEN) if was_cut else float(np.mean(scores)) > _EVEN

    def _rated(self, best: Learned[Any], reference: Reference, ends: Sequence[float]) -> tuple[Score, Score]:
        """Returns the scores of an evaluation against UCT and the reference, by as much processor time a move.

        From the `ends` of `time.monotonic` on no further game begins against each.
        """
        openings, found = range(self._options.rated_games // 2), list[Score]()
        configs = (self._guided(best), self._game.uct(), reference.config())
        ours, *others = (LimitedSearch(config, 0, self._options.rated_seconds) for config in configs)

        def work() -> None:
            for other, end in zip(others, ends, strict=True):
                found.append(_score(self._match.play(ours, other, openings, end)))

        self._wait(work, self._match.stop, "matches that show how much was learned")
        return found[0], found[1]

    def _guided(self, learned: Learned[Any]) -> SearchConfig:
        """Returns a search that an evaluation guides."""
        weights: Weights = learned.weights
        return self._game.guided(weights.evaluation(self._game.game))


def _score(scores: Sequence[float]) -> Score:
    """Returns the score of some openings, two games each."""
    return Score(float(np.mean(scores)), uncertainty(scores))


def _rated_before(point: LearnPoint) -> tuple[Score, Score]:
    """Returns the scores that the best evaluation had against UCT and the reference."""
    return (
        Score(point.against_uct, point.against_uct_within),
        Score(point.against_reference, point.against_reference_within),
    )
