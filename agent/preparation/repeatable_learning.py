"""Learns an evaluation in a number of rounds, so that the highest levels play the same however busy the machine is.

What is learned follows from the game, the seed and the number of rounds, unless the positions of a game are worked out
so slowly that they take longer than whoever plays against a level should wait.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from ludens.agent.learning.averaged_fit import RATE
from ludens.agent.learning.learning import Learner
from ludens.agent.learning.self_play_learner import LearningPace, LearningRate
from ludens.agent.preparation.evidence import evidence_of_iterations
from ludens.agent.preparation.foresight import LONGEST, foresight
from ludens.agent.preparation.strength_coefficients import STRENGTH_MODELS
from ludens.agent.search.strategy_choice import GUIDED
from ludens.native.core import Evaluation, Game

_POSITIONS = 300  # by which it is judged: more would take long in slow games
_RATE = LearningRate(RATE)  # with which the strength of levels was measured
_PACE = LearningPace(
    random_games=20_000,
    random_seconds=0.0,
    round_states=1 << 17,
    round_seconds=1.0,  # of a part of a round, between two looks whether the time is over
    processor_seconds=math.inf,
)


def learned_repeatably(
    game: Game, rounds: int, iterations: int, seed: int, most_seconds: float, tell: Callable[[str], None]
) -> Evaluation | None:
    """Returns what was learned in so many rounds, if a search of `iterations` with it is expected to be stronger.

    Stronger than one of as many random games; None otherwise. Learning stops after `most_seconds` of this thread's
    processor time. `tell` takes why something is of no use.
    """
    end = time.thread_time() + most_seconds

    def is_over() -> bool:
        return time.thread_time() >= end

    learner = Learner(game, seed, pace=_PACE, rate=_RATE, stopped=is_over)
    for _ in range(rounds):
        learner.round(is_over)
    evaluation = Evaluation(learner.learned().weights)
    seconds = LONGEST if is_over() else math.inf
    known = foresight(game, evaluation, seed, seconds, positions=_POSITIONS)
    expected = STRENGTH_MODELS[GUIDED].predict(evidence_of_iterations(game, iterations, known, seed))
    if known is None or expected.strength <= 0:
        tell("what was learned is not used: random games are expected to be worth more")
        return None
    return evaluation
