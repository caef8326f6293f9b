"""The game that is learned: its network with the features that an evaluation sees, and the searches that play it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from ludens.agent.learning.evaluation_cache import CacheEntry, EvaluationCache
from ludens.agent.learning.features import FeatureNetwork, feature_seconds, with_features
from ludens.agent.preparation.budget import TimeBudget
from ludens.agent.preparation.feature_choice import settle_territory
from ludens.agent.search.config import SearchConfig
from ludens.agent.search.strategy_choice import GUIDED, RANDOM_GAMES, learns
from ludens.agent.settings.options import UNIFORM, PlayerOptions
from ludens.agent.settings.strategies import AUTO
from ludens.agent.training.checkpoint import TrainingError
from ludens.agent.variants.early_wins import GameVariant
from ludens.agent.variants.game_variants import NetworkVariants
from ludens.native.core import Evaluation, Game
from ludens.propnet.gdl.syntax import RuleSheet
from ludens.propnet.network.propnet import Propnet

_FEATURE_SECONDS = 600.0  # of a start clock that would leave as much time to find features
_MEMORY_MB = 64  # of the tree of a search


@dataclass(frozen=True, slots=True)
class LearnedGame:
    """A game by its rules, and its network as evaluations see it."""

    name: str
    sheet: RuleSheet
    plain: Propnet  # without features
    found: FeatureNetwork
    variant: GameVariant
    features: str  # of `FEATURES`

    @classmethod
    def of(
        cls,
        name: str,
        sheet: RuleSheet,
        net: Propnet,
        features: str,
        seed: int,
        tell: Callable[[str], None],
        cache: EvaluationCache,
    ) -> LearnedGame:
        """Finds the features of a network: those that `cache` has an evaluation of, if it has one.

        Raises `TrainingError` for games of which nothing is learned, and what making features does.
        """
        if not learns(AUTO, len(net.roles)):
            raise TrainingError(f"{name} has one player: puzzles are searched, and nothing is learned of them")
        tell("looking for what tells who wins")
        budget = TimeBudget(_FEATURE_SECONDS, 1.0, seed=seed)
        saved = cache.saved_features()
        found = with_features(net, features, feature_seconds(budget.left()), saved)
        found = settle_territory(found, PlayerOptions(features=features, seed=seed), budget)
        return cls(name, sheet, net, found, NetworkVariants(found.net, net, UNIFORM).evaluated(), features)

    @property
    def game(self) -> Game:
        """The game as it is played out, with the features."""
        return self.variant.full_game

    def entry(self, cache: EvaluationCache) -> CacheEntry:
        """Returns where an evaluation of these features is kept in a file."""
        return cache.entry(self.found.net, self.found.timed_out)

    def guided(self, evaluation: Evaluation) -> SearchConfig:
        """Returns a search that an evaluation guides."""
        config = SearchConfig.from_settings(_settings(GUIDED), self.variant, UNIFORM)
        return replace(config, strategy=GUIDED, evaluation=evaluation)

    def uct(self) -> SearchConfig:
        """Returns UCT with uniform random games."""
        variant = GameVariant.plain(Game.from_propnet(self.plain))
        return SearchConfig.from_settings(_settings(RANDOM_GAMES), variant, UNIFORM)


def _settings(strategy: str) -> PlayerOptions:
    return PlayerOptions(strategy=strategy, threads=1, nodes_mb=_MEMORY_MB)
