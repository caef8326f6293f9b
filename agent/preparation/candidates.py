"""Lists the searches that can play a game, and how strong each is expected to be before any game is played."""

from __future__ import annotations

from dataclasses import replace

from ludens.agent.preparation.budget import TimeBudget
from ludens.agent.preparation.evidence import EvidenceFinder
from ludens.agent.preparation.game_model import GameModel
from ludens.agent.preparation.strength_coefficients import STRENGTH_MODELS
from ludens.agent.preparation.trial import Candidate
from ludens.agent.search.config import SearchConfig
from ludens.agent.search.strategy_choice import GUIDED
from ludens.native.core import Evaluation

RAVE = "rave"


def candidates_of(
    model: GameModel, plain: SearchConfig, evaluation: Evaluation | None, budget: TimeBudget
) -> list[Candidate]:
    """Returns the candidates, `plain` first; once the budget is over only those that may be chosen untried."""
    is_over, found = budget.is_over(), [Candidate(plain)]
    others = _guided(model, plain, evaluation) if is_over else _others(model, plain, evaluation)
    if not others:
        return found
    finder = EvidenceFinder(plain, budget, places=model.variants.only_places())
    for config in others:
        evidence = finder.of(config)
        budget.explain(f"{config}: {evidence}")
        found.append(Candidate(config, STRENGTH_MODELS[kind_of(config)].predict(evidence), evidence))
    return found


def kind_of(config: SearchConfig) -> str:
    """Returns the name of a search's model of strength: its strategy, or for UCT the policy of its random games."""
    return config.strategy if config.strategy in (GUIDED, RAVE) else config.policy


def _guided(model: GameModel, plain: SearchConfig, evaluation: Evaluation | None) -> list[SearchConfig]:
    if evaluation is None:
        return []
    variant = model.variants.evaluated()
    return [replace(plain, kernel=None, variant=variant, strategy=GUIDED, evaluation=evaluation)]


def _others(model: GameModel, plain: SearchConfig, evaluation: Evaluation | None) -> list[SearchConfig]:
    native, found = replace(plain, kernel=None), _guided(model, plain, evaluation)
    if model.variants.only_places():
        found.append(replace(native, strategy=RAVE))
    for policy in model.variants.other_policies():
        found.append(replace(native, variant=model.variants.playing(policy), policy=policy))
    return found
