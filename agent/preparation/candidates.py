"""Lists the searches that can play a game, and how strong each is expected to be before any game is played.

The expectations are what matches against UCT have shown (docs/experiments); those of move averages come from gomoku
and a few short games.
"""

from __future__ import annotations

from dataclasses import replace

from ludens.agent.preparation.budget import TimeBudget
from ludens.agent.preparation.game_model import GameModel
from ludens.agent.preparation.ratings import StrengthPrior
from ludens.agent.preparation.trial import Candidate
from ludens.agent.search.config import SearchConfig
from ludens.agent.search.strategy_choice import GUIDED
from ludens.agent.settings.options import UNIFORM
from ludens.agent.variants.policy_networks import CAPTURES, MAST
from ludens.native.core import Evaluation

_GUIDED = StrengthPrior(0.5)
_GUIDED_WELL = StrengthPrior(1.3)  # by an evaluation that sees threats or distance, or territory because that gained
_TRAINED_SPREAD = 0.8  # of the strength of one that has learned for long
_MANY_ROUNDS = 40  # of learning: with 31, 5 s in connect four, it was hardly stronger than UCT, with 57 much
_RAVE = StrengthPrior(-0.5, slope=-1.0)  # where all that moves do is to put something down for good
_BY_POLICY = {  # UCT with the random games of another policy than the one asked for
    CAPTURES: StrengthPrior(0.3),
    MAST: StrengthPrior(0.3, slope=-0.2),
    UNIFORM: StrengthPrior(-1.0),
}


def candidates_of(
    model: GameModel, plain: SearchConfig, evaluation: Evaluation | None, rounds: int, budget: TimeBudget
) -> list[Candidate]:
    """Returns the candidates, `plain` first; once the budget is over only those that may be chosen untried.

    `rounds` is how long the evaluation has learned.
    """
    is_over = budget.is_over()
    candidates, native = [Candidate(plain)], replace(plain, kernel=None)
    if evaluation is not None:
        guided = replace(native, variant=model.variants.evaluated(), strategy=GUIDED, evaluation=evaluation)
        candidates.append(Candidate(guided, _guided_prior(model, rounds)))
    if is_over:
        return candidates
    if model.variants.only_places():
        candidates.append(Candidate(replace(native, strategy="rave"), _RAVE))
    for policy in model.variants.other_policies():
        other = replace(native, variant=model.variants.playing(policy), policy=policy)
        candidates.append(Candidate(other, _BY_POLICY[policy]))
    return candidates


def _guided_prior(model: GameModel, rounds: int) -> StrengthPrior:
    """Returns what is expected of guided search whose evaluation has learned for so many rounds."""
    seen = model.features
    if seen is None or not (seen.threats or seen.distance or seen.gains):
        return _GUIDED
    return replace(_GUIDED_WELL, spread=_TRAINED_SPREAD) if rounds >= _MANY_ROUNDS else _GUIDED_WELL
