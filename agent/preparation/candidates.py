"""Lists the searches that can play a game, and how strong each is expected to be before any game is played."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ludens.agent.learning.random_games import only_places
from ludens.agent.preparation.budget import TimeBudget
from ludens.agent.preparation.evidence import EvidenceFinder, several_choose
from ludens.agent.preparation.game_model import GameModel
from ludens.agent.preparation.strength_coefficients import STRENGTH_MODELS
from ludens.agent.preparation.strength_model import Evidence
from ludens.agent.preparation.trial import Candidate
from ludens.agent.search.config import SearchConfig
from ludens.agent.search.strategy_choice import DECOUPLED, GUIDED, RAVE
from ludens.agent.variants.policy_networks import CAPTURES, START_SECONDS
from ludens.native.core import Evaluation

_COMPOSING_LEFT = 2 * START_SECONDS  # with less there is no time to compose a policy and then to try it


def candidates_of(
    model: GameModel, plain: SearchConfig, evaluation: Evaluation | None, budget: TimeBudget, learned_seconds: float
) -> list[Candidate]:
    """Returns the candidates, `plain` first; once the budget is over only those that may be chosen untried.

    The evaluation was learned for so many seconds of all threads.
    """
    found, is_over = [Candidate(plain)], budget.is_over()
    configs = _guided(model, plain, evaluation)
    if not is_over:
        configs += _others(model, plain, budget.seed)
    if not configs:
        return found
    finder = EvidenceFinder(plain, budget)
    found += [_candidate(config, finder.of(config, learned_seconds), budget) for config in configs]
    if not is_over and (budget.left() >= _COMPOSING_LEFT or _promises_more(CAPTURES, finder.of(plain), found)):
        ready = model.variants.other_policies(composing=False)
        policies = [policy for policy in model.variants.other_policies() if policy not in ready]
        composed = [_by_policy(model, plain, policy) for policy in policies]
        found += [_candidate(each, finder.of(each), budget) for each in composed]
    return found


def _candidate(config: SearchConfig, evidence: Evidence, budget: TimeBudget) -> Candidate:
    budget.explain(f"{config}: {evidence}")
    return Candidate(config, STRENGTH_MODELS[kind_of(config)].predict(evidence), evidence)


def _promises_more(kind: str, evidence: Evidence, found: Sequence[Candidate]) -> bool:
    """Says whether a search of some kind can expect more than all that were found."""
    return STRENGTH_MODELS[kind].predict(evidence).score > max(each.prior.score for each in found)


def kind_of(config: SearchConfig) -> str:
    """Returns the name of a search's model of strength: its strategy, or for UCT the policy of its random games."""
    return config.strategy if config.strategy in (GUIDED, RAVE, DECOUPLED) else config.policy


def _guided(model: GameModel, plain: SearchConfig, evaluation: Evaluation | None) -> list[SearchConfig]:
    if evaluation is None:
        return []
    variant = model.variants.evaluated()
    return [replace(plain, kernel=None, variant=variant, strategy=GUIDED, evaluation=evaluation)]


def _others(model: GameModel, plain: SearchConfig, seed: int) -> list[SearchConfig]:
    """Returns the searches by random games of which nothing has to be composed first."""
    found = [replace(plain, kernel=None, strategy=RAVE)] if only_places(plain.variant.game, seed) else []
    if several_choose(plain.variant.full_game, seed):
        found.append(replace(plain, kernel=None, strategy=DECOUPLED))
    return found + [_by_policy(model, plain, policy) for policy in model.variants.other_policies(composing=False)]


def _by_policy(model: GameModel, plain: SearchConfig, policy: str) -> SearchConfig:
    return replace(plain, kernel=None, variant=model.variants.playing(policy), policy=policy)
