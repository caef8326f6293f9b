"""Finds out what a `StrengthModel` wants to know of a game and its searches: in three seconds, or more if busy."""

from __future__ import annotations

import math
from dataclasses import replace

from ludens.agent.learning.random_games import choice_figures, only_places
from ludens.agent.preparation.budget import TimeBudget
from ludens.agent.preparation.foresight import Foresight, foresight
from ludens.agent.preparation.independence import independence
from ludens.agent.preparation.search_speed import iterations_per_second
from ludens.agent.preparation.strength_model import HARDLY_EVER, Evidence
from ludens.agent.search.config import SearchConfig
from ludens.agent.search.strategy_choice import DECOUPLED
from ludens.native.core import Game, Simulator

_GAMES = 512
_GAMES_SECONDS = 0.2  # no game begins after,
_FORESIGHT_SHARE = 1 / 4  # of the time that is left,
_LEAST_FORESIGHT_SECONDS = 0.5  # ... but so many even if the first turn has come,
_OVERTIME = 2.0  # ... and so many more, or that share, where too few games have ended
_INDEPENDENCE_SECONDS = 0.5
_LEAST_MOVE_SECONDS = 0.001


class EvidenceFinder:
    """Knows the game and how UCT searches it."""

    def __init__(self, plain: SearchConfig, budget: TimeBudget) -> None:
        """`plain` is UCT."""
        self._budget = budget
        seconds = max(_LEAST_MOVE_SECONDS, budget.move_seconds)
        iterations = seconds * iterations_per_second(plain, budget.seed, budget.clock)
        self._plain = _evidence(plain.variant.game, iterations, budget.seed, _GAMES_SECONDS)

    def of(self, config: SearchConfig, learned_seconds: float = 0.0) -> Evidence:
        """Returns what is known of a search of the same game, whose evaluation was learned for so long."""
        budget = self._budget
        if config.strategy == DECOUPLED:
            seconds = min(_INDEPENDENCE_SECONDS, budget.left())
            found = independence(config.variant.full_game, budget.seed, seconds, budget.clock)
            return replace(self._plain, independence=found)
        if config.evaluation is None:
            return self._plain
        left = 0.0 if budget.is_over() else budget.left()
        seconds = max(_LEAST_FORESIGHT_SECONDS, _FORESIGHT_SHARE * left)
        overtime = min(max(0.0, left - seconds), max(_OVERTIME, seconds)) / 2
        game = config.variant.full_game
        known = foresight(game, config.evaluation, budget.seed, seconds, budget.clock, overtime)
        return replace(self._plain, foresight=known, learned=learned_seconds)


def evidence_of_iterations(game: Game, iterations: int, known: Foresight | None, seed: int) -> Evidence:
    """Returns what is known of a search for so many iterations, whatever the time: it follows from the seed."""
    return replace(_evidence(game, iterations, seed, 0.0), foresight=known)


def several_choose(game: Game, seed: int) -> bool:
    """Says whether several roles have a choice in more than a few of the positions in which anybody has one."""
    return choice_figures(game, seed).at_once > HARDLY_EVER


def _evidence(game: Game, iterations: float, seed: int, seconds: float) -> Evidence:
    """Returns what random games show, each kind of them played for so many `seconds` at most; 0 are no limit."""
    games = Simulator(game, seed=seed).playouts(_GAMES, seconds=seconds)
    branching, at_once = choice_figures(game, seed)
    return Evidence(
        playouts=math.log(iterations),
        branching=math.log(branching),
        length=math.log(max(1.0, games.mean_length)),
        roles=game.roles,
        at_once=at_once,
        places=only_places(game, seed),
        foresight=None,
    )
