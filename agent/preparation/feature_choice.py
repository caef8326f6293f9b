"""Chooses the features that an evaluation of a game sees; trial games decide whether territory is one of them.

Evaluations that see territory win nearly all games of amazons and reversi against those that do not, and lose most of
breakthrough (docs/experiments/learning-features.md); how well they foretell results does not tell which game is which.
So two of them learn for a short while, one with territory and one without, and play each other. The better one learns
on from there. Their moves are short, however long those of the match will be: it is evaluations that are compared.
"""

from __future__ import annotations

from dataclasses import replace

from ludens.agent.learning.evaluation_cache import CacheEntry, EvaluationCache
from ludens.agent.learning.features import FeatureNetwork, feature_seconds, with_features
from ludens.agent.learning.learning import LEAST_SECONDS, learn
from ludens.agent.preparation.budget import TimeBudget
from ludens.agent.preparation.ratings import StrengthPrior
from ludens.agent.preparation.trial import Candidate, trial
from ludens.agent.search.config import SearchConfig
from ludens.agent.search.strategy_choice import GUIDED, learns
from ludens.agent.settings.options import PlayerOptions
from ludens.agent.variants.early_wins import GameVariant
from ludens.native.core import Evaluation, Game
from ludens.propnet.base.errors import LudensError
from ludens.propnet.gdl.syntax import RuleSheet
from ludens.propnet.network.propnet import Propnet

_SHARE = 0.1  # of the time: for each of the two to learn, and for their games
_MOVE_SECONDS = 0.003
_UNTRIED = "the evaluation does not see territory"
_CAUTION = 1.0  # standard deviations by which territory must seem to gain: four games won of four


def choose_features(
    net: Propnet, sheet: RuleSheet | None, settings: PlayerOptions, budget: TimeBudget
) -> tuple[FeatureNetwork, float, CacheEntry | None]:
    """Finds the features of a network if something is to be learned of it; those that were saved, if there are any.

    Returns them, the seconds of learning spent on the choice, and where the evaluation is kept; without a `sheet`
    nothing is saved.
    """
    if not learns(settings.strategy, len(net.roles)):
        return FeatureNetwork(net), 0.0, None
    cache = EvaluationCache(sheet, settings.features) if sheet is not None and settings.recall == "on" else None
    saved, trying = cache.saved_features() if cache else None, can_try(settings, budget)
    if cache and not trying and not saved:
        cache = cache.variant("untried")  # what is learned in a hurry must not settle the features
        saved = cache.saved_features()
    found = with_features(net, settings.features, feature_seconds(budget.left()), saved, trying=trying)
    began = budget.clock()
    found = settle_territory(found, settings, budget)
    spent = budget.clock() - began
    entry = cache.entry(found.net, found.timed_out) if cache and found.complete else None
    return found, spent, entry


def can_try(settings: PlayerOptions, budget: TimeBudget) -> bool:
    """Says whether there is time to try territory."""
    return not budget.stopped() and _share(settings, budget) >= LEAST_SECONDS


def settle_territory(found: FeatureNetwork, settings: PlayerOptions, budget: TimeBudget) -> FeatureNetwork:
    """Settles whether the evaluation sees territory where that is open; keeps what was learned for that.

    The result is not `complete` where that could not be found out: then territory is left out.
    """
    if found.plain is None:
        return found
    try:
        return _tried(found, settings, budget)
    except (LudensError, MemoryError) as error:
        budget.explain(f"{_UNTRIED}: {error or 'out of memory'}")
        return found.without_territory()._replace(complete=False)


def _tried(found: FeatureNetwork, settings: PlayerOptions, budget: TimeBudget) -> FeatureNetwork:
    """Learns with territory and without, and has both play. Raises what learning and playing do."""
    rivals = [found.without_territory(), found._replace(plain=None, gains=True)]
    if not can_try(settings, budget):
        budget.explain(f"{_UNTRIED}: no time to try it")
        return rivals[0]._replace(complete=False)
    seconds, games = _share(settings, budget), [Game.from_propnet(rival.net) for rival in rivals]
    learned = [
        learn(game, seconds, budget.seed, budget.stopped, None, budget.clock, settings.workers) for game in games
    ]
    candidates = [
        Candidate(_guided(game, Evaluation(each.weights), settings), StrengthPrior())
        for game, each in zip(games, learned, strict=True)
    ]
    chosen, ratings = trial(candidates, budget.part(seconds, _MOVE_SECONDS), _CAUTION)
    if budget.stopped():
        budget.explain(f"{_UNTRIED}: the first turn came before it was tried")
        return rivals[0]._replace(complete=False)
    verdict = "this is what it sees" if chosen else "it is left out"
    budget.explain(
        f"an evaluation that sees territory can expect {ratings.expected_score(1)} of the points against one that "
        f"does not: {verdict}"
    )
    return rivals[chosen]._replace(learned=learned[chosen])


def _guided(game: Game, evaluation: Evaluation, settings: PlayerOptions) -> SearchConfig:
    config = SearchConfig.from_settings(settings, GameVariant.plain(game), settings.policy)
    return replace(config, strategy=GUIDED, evaluation=evaluation)


def _share(settings: PlayerOptions, budget: TimeBudget) -> float:
    """Returns the seconds of each part of the trial."""
    return _SHARE * min(settings.learn, budget.left())
