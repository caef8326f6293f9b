"""Trains the evaluation of a game during the start clock; continues an evaluation that was stored before."""

from __future__ import annotations

from ludens.agent.learning.learning import LEAST_SECONDS, CannotLearnError, TrainedWeights, learn
from ludens.agent.preparation.budget import TimeBudget
from ludens.agent.preparation.game_model import GameModel


def train(model: GameModel, workers: int, budget: TimeBudget, share: float) -> TrainedWeights | None:
    """Trains for a share of the budget, and saves the result; None, and why, where nothing can be learned."""
    known = model.cache_entry.read() if model.cache_entry else None
    known = known or (model.features.learned if model.features else None)
    seconds = min(model.learning_seconds, share * budget.left())
    if budget.stopped() or seconds < LEAST_SECONDS:
        budget.tell("no time to learn" + (": what earlier matches of this game taught is used" if known else ""))
        return known
    began, game = budget.clock(), model.variants.evaluated().full_game
    try:
        learned = learn(game, seconds, budget.seed, budget.stopped, known, budget.clock, workers)
        if model.cache_entry:
            model.cache_entry.write(learned)
    except CannotLearnError as error:
        budget.tell(f"cannot learn this game: {error}")
        return None
    except OSError as error:
        budget.tell(f"what was learned is not kept for the next match: {error}")
    before = ", in addition to what earlier matches taught" if known else ""
    budget.tell(f"learned for {budget.clock() - began:.1f} s by playing itself{before}")
    return learned
