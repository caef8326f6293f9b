"""Chooses the features that an evaluation of a game sees; how well it foretells results decides about territory.

Evaluations that see territory win all games of amazons against those that do not, and lose most of knightthrough
(docs/experiments/choice.md). So two of them learn from the same games for a moment, one with territory and one without,
and the one that foretells better learns on.
"""

from __future__ import annotations

from ludens.agent.learning.evaluation_cache import CacheEntry, EvaluationCache
from ludens.agent.learning.feature_comparison import FeatureComparison
from ludens.agent.learning.features import FeatureNetwork, feature_seconds, with_features
from ludens.agent.learning.learning import hidden_units
from ludens.agent.learning.short_learning import LEAST_SECONDS
from ludens.agent.preparation.budget import FEATURES, TimeBudget
from ludens.agent.search.strategy_choice import learns
from ludens.agent.settings.options import PlayerOptions
from ludens.agent.variants.game_variant import searched_network
from ludens.native.core import Game
from ludens.propnet.base.errors import LudensError
from ludens.propnet.gdl.syntax import RuleSheet
from ludens.propnet.network.propnet import Propnet

_SHARE = 0.3  # of the time, for both to learn,
_SECONDS = 2.5  # ... which takes no longer than that
_UNTRIED = "the evaluation does not see territory"


def choose_features(
    net: Propnet,
    sheet: RuleSheet | None,
    settings: PlayerOptions,
    budget: TimeBudget,
    *,
    relative: bool,
    known: FeatureNetwork | None = None,
    is_part: bool = False,
) -> tuple[FeatureNetwork, float, CacheEntry | None]:
    """Finds the features of a network if something is to be learned of it; those that were saved, if there are any.

    Returns them, the seconds of learning spent on the choice, and where the evaluation is kept; without a `sheet`
    nothing is saved; `is_part`: the network is of a part of its game. Evaluations foretell `relative` goals or those of
    the rules. Features that are `known` already are not looked for again.
    """
    if not learns(settings.strategy, len(net.roles)):
        return FeatureNetwork(net), 0.0, None
    cache = None
    if sheet is not None and settings.recall == "on":
        cache = EvaluationCache.of_sheet(sheet, settings.features, relative=relative)
        cache = cache.of_part(net) if is_part else cache
    if known is not None:
        learned = known.learned.seconds - known.recalled_seconds if known.learned else 0.0
        return known, learned / settings.workers, _entry(cache, known)
    saved, trying = cache.saved_features() if cache else None, can_try(settings, budget)
    hurried = settings.features == "all" and not trying and not saved
    if cache and not trying and not saved:
        cache = cache.variant("untried")  # what is learned in a hurry must not settle the features
        saved = cache.saved_features()
    with budget.spending(FEATURES):
        found = with_features(net, settings.features, feature_seconds(budget.left()), saved, trying=trying)
    began = budget.clock()
    found = settle_territory(found, settings, budget, relative=relative)._replace(hurried=hurried)
    return found, budget.clock() - began, _entry(cache, found)


def _entry(cache: EvaluationCache | None, found: FeatureNetwork) -> CacheEntry | None:
    """Returns where the evaluation of these features is kept; None if it is not, or should not settle them."""
    return cache.entry(found.net, found.timed_out) if cache and found.complete else None


def can_try(settings: PlayerOptions, budget: TimeBudget) -> bool:
    """Says whether there is time to try territory."""
    return not budget.stopped() and _share(settings, budget) >= LEAST_SECONDS


def settle_territory(
    found: FeatureNetwork, settings: PlayerOptions, budget: TimeBudget, *, relative: bool = False
) -> FeatureNetwork:
    """Settles whether the evaluation sees territory where that is open; keeps what was learned for that.

    The result is not `complete` where that could not be found out: then territory is left out.
    """
    if found.plain is None:
        return found
    try:
        return _tried(found, settings, budget, relative=relative)
    except (LudensError, MemoryError) as error:
        budget.explain(f"{_UNTRIED}: {str(error) or 'out of memory'}")
        return found.without_territory()._replace(complete=False)


def _tried(found: FeatureNetwork, settings: PlayerOptions, budget: TimeBudget, *, relative: bool) -> FeatureNetwork:
    """Learns with territory and without. Raises what learning does."""
    plainer = found.without_territory()
    if not can_try(settings, budget):
        budget.explain(f"{_UNTRIED}: no time to try it")
        return plainer._replace(complete=False)
    features = plainer.net.state_bits + len(plainer.net.features)
    game = Game.from_propnet(searched_network(found.net, relative=relative))
    hidden = hidden_units(game, min(settings.learn, budget.left()) * settings.workers, budget.seed)
    comparison = FeatureComparison(game, features, budget.seed, settings.workers, hidden, budget.stopped)
    end = budget.clock() + _share(settings, budget)
    comparison.learn(lambda: budget.stopped() or budget.clock() >= end)
    ratio = comparison.error_ratio()
    if budget.stopped():
        budget.explain(f"{_UNTRIED}: the first turn came before it was tried")
        return plainer._replace(complete=False)
    if ratio is None:
        budget.explain(f"{_UNTRIED}: no time for enough rounds of learning")
        return plainer._replace(complete=False, learned=comparison.learned(richer=False))
    gains = ratio < 1
    budget.explain(
        f"with territory the evaluation errs {ratio:.2f} times as much as without: "
        + ("this is what it sees" if gains else "it is left out")
    )
    chosen = found._replace(plain=None) if gains else plainer
    return chosen._replace(learned=comparison.learned(richer=gains))


def _share(settings: PlayerOptions, budget: TimeBudget) -> float:
    """Returns the seconds of the comparison."""
    return min(_SECONDS, _SHARE * min(settings.learn, budget.left()))
