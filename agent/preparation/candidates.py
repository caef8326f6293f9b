"""Lists the searches that can play a game, and how strong each is expected to be before any game is played."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain

from ludens.agent.preparation.budget import TimeBudget
from ludens.agent.preparation.evidence import EvidenceFinder
from ludens.agent.preparation.game_model import GameModel
from ludens.agent.preparation.strength_coefficients import STRENGTH_MODELS
from ludens.agent.preparation.trial import Candidate
from ludens.agent.search.config import SearchConfig
from ludens.agent.search.strategy_choice import GUIDED
from ludens.agent.variants.policy_networks import START_SECONDS
from ludens.native.core import Evaluation

RAVE = "rave"
_COMPOSING_LEFT = 2 * START_SECONDS  # with less it is no use to compose what would have to be tried yet


def candidates_of(
    model: GameModel, plain: SearchConfig, evaluation: Evaluation | None, budget: TimeBudget
) -> list[Candidate]:
    """Returns the candidates, `plain` first; once the budget is over only those that may be chosen untried."""
    found, finder = [Candidate(plain)], None
    guided = _guided(model, plain, evaluation)
    for config in guided if budget.is_over() else chain(guided, _others(model, plain, found, budget)):
        if finder is None:
            finder = EvidenceFinder(plain, budget, places=model.variants.only_places())
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


def _others(
    model: GameModel, plain: SearchConfig, found: Sequence[Candidate], budget: TimeBudget
) -> Iterator[SearchConfig]:
    """Yields the searches by random games; policies are composed if there is time, or nothing `found` beats UCT."""
    native = replace(plain, kernel=None)
    if model.variants.only_places():
        yield replace(native, strategy=RAVE)
    composing = budget.left() >= _COMPOSING_LEFT or max(each.prior.strength for each in found) <= 0
    for policy in model.variants.other_policies(composing=composing):
        yield replace(native, variant=model.variants.playing(policy), policy=policy)
