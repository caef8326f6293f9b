"""The game that is learned, as its players meet it: on its network with features, or on a game core of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from ludens.agent.learning.evaluation_cache import EvaluationCache
from ludens.agent.learning.features import SavedFeatures, with_features
from ludens.agent.long_learning.approximation import Approximation, BoardApproximation, FeatureApproximation
from ludens.agent.preparation.budget import TimeBudget
from ludens.agent.preparation.feature_choice import settle_territory
from ludens.agent.preparation.prepare_untimed import prepare_at_once, prepare_guided, prepare_on_core
from ludens.agent.preparation.recognition import recognised_game
from ludens.agent.search.config import SearchConfig
from ludens.agent.search.decomposition import Decomposition, decomposition_of, factors_of
from ludens.agent.search.strategy_choice import GUIDED, RANDOM_GAMES, learns
from ludens.agent.settings.options import PLANES, UNIFORM, PlayerOptions
from ludens.agent.settings.strategies import AUTO
from ludens.agent.training.checkpoint import TrainingError
from ludens.agent.variants.game_variant import GameVariant, searched_network
from ludens.agent.variants.game_variants import NetworkVariants
from ludens.agent.variants.opponents import are_opponents, explain_core_goals
from ludens.games.recognised_game import RecognisedGame
from ludens.native.core import Evaluation, Game
from ludens.propnet.base.child import Limits
from ludens.propnet.compile.loader import load
from ludens.propnet.gdl.syntax import RuleSheet
from ludens.propnet.network.propnet import Propnet

_SECONDS = 600.0  # for each thing that is found out before learning begins,
_FEATURE_SECONDS = 180.0  # ... but for all kinds of features where none were seen before
_OPPONENTS_SECONDS = 10.0  # to find out whether two roles are opponents
_MEMORY_MB = 64  # of the tree of a search
_STATE = "state"  # of `FEATURES`: none


@dataclass(frozen=True, slots=True)
class KnownGame:
    """A game by its rules, and where the evaluation of it is kept that all players use."""

    name: str
    sheet: RuleSheet
    net: Propnet
    recognised: RecognisedGame | None  # it is played on a core of its own
    features: str  # of `FEATURES`, that evaluations of networks see, or `PLANES`
    kept: EvaluationCache
    relative: bool = False  # roles play for relative goals

    @classmethod
    def of(
        cls, name: str, sheet: RuleSheet, features: str, tell: Callable[[str], None], limits: Limits | None = None
    ) -> KnownGame:
        """Makes the network of a rule sheet. Raises `LudensError`, for games of which nothing is learned too."""
        tell("making a network of the rules")
        net = load(sheet, limits)
        if not learns(AUTO, len(net.roles)):
            raise TrainingError(f"{name} has one player: puzzles are searched, and nothing is learned of them")
        tell("finding out what kind of game it is")
        recognised = recognised_game(net, PlayerOptions(), lambda _text: None, _SECONDS)
        if recognised is None:
            known = cls(name, sheet, net, None, features, EvaluationCache.of_sheet(sheet, features))
            opponents = features != PLANES and are_opponents(net, tell, _OPPONENTS_SECONDS)
            return known.for_goals(relative=opponents)
        if features == PLANES:
            raise TrainingError(
                f"{name} is played on a game core of its own, without planes of its board: {recognised}"
            )
        if not recognised.identity:
            raise TrainingError(
                f"{name} is played by {recognised.strategy} on a game core of its own, which nothing that is learned "
                f"here helps: {recognised}"
            )
        explain_core_goals(recognised.native_game(), tell)
        return cls(name, sheet, net, recognised, features, EvaluationCache.of_core(recognised.identity))

    def check_new(self) -> None:
        """Raises `TrainingError` for features that an evaluation of the game has not."""
        if self.recognised is not None and self.features != "all":
            raise TrainingError(
                f"{self.name} is played on a game core of its own, whose evaluation sees the state alone, without "
                f"features: {self.recognised}"
            )

    def parts(self) -> Decomposition | None:
        """Returns the parts in which `auto` plays the game, without an evaluation of the whole; None if it has none."""
        if self.recognised is not None or self.features == PLANES or len(self.net.roles) != 2:
            return None
        factoring = factors_of(self.net, _SECONDS)
        return None if factoring is None else decomposition_of(self.net, factoring, _SECONDS)

    def propositions(self) -> list[str]:
        """Returns the canonical names of what evaluations of the game see of a state, without features."""
        if self.recognised is not None:
            return list(map(str, self.kept.core_entry(self.recognised.native_game()).names))
        return [self.kept.canonical(text) for text in self.net.propositions]

    def for_goals(self, *, relative: bool) -> KnownGame:
        """Returns the game as it is played for relative goals, or for those of the rules."""
        if self.recognised is not None or relative == self.relative:
            return self
        kept = EvaluationCache.of_sheet(self.sheet, self.features, relative=relative)
        return replace(self, relative=relative, kept=kept)


@dataclass(frozen=True, slots=True)
class GameSource:
    """What the game of guided search is made of, in any process: a core of its own, or networks."""

    recognised: RecognisedGame | None
    net: Propnet
    seen: Propnet  # with features
    relative: bool = False  # roles play for relative goals

    def variant(self) -> GameVariant:
        """Makes the game."""
        if self.recognised is not None:
            return GameVariant.plain(self.recognised.native_game())
        return NetworkVariants(
            self.seen, self.net, UNIFORM, relative=self.relative, symmetry_seconds=_SECONDS
        ).evaluated()


@dataclass(frozen=True, slots=True)
class LearnedGame:
    """A game as evaluations see it."""

    known: KnownGame
    source: GameSource
    variant: GameVariant  # that guided search plays
    approximation: Approximation  # the kind of its evaluation

    @classmethod
    def of(
        cls, known: KnownGame, seed: int, tell: Callable[[str], None], saved: SavedFeatures | None = None
    ) -> LearnedGame:
        """Finds what evaluations see, or takes what `saved` ones do. Raises what making features does.

        By default that is what the evaluation sees that is kept, unless there was no time for some kinds of features.
        """
        if known.recognised is not None:
            source = GameSource(known.recognised, known.net, known.net)
            variant = source.variant()
            return cls(known, source, variant, FeatureApproximation(lambda at: at.core_entry(variant.full_game)))
        if known.features == PLANES:
            source = GameSource(None, known.net, known.net)
            return cls(known, source, source.variant(), BoardApproximation(known.name, known.sheet, known.net))
        tell("looking for what tells who wins")
        budget = TimeBudget(_SECONDS, 1.0, seed=seed)
        if saved is None and (saved := known.kept.saved_features()) and saved.timed_out:
            saved = None
        feature_seconds = _FEATURE_SECONDS if saved is None else _SECONDS  # what was seen must be seen again
        found = with_features(known.net, known.features, feature_seconds, saved)
        settings = PlayerOptions(features=known.features, seed=seed)
        found = settle_territory(found, settings, budget, relative=known.relative)
        source = GameSource(None, known.net, found.net, known.relative)
        return cls(known, source, source.variant(), FeatureApproximation(lambda at: at.entry(found.net)))

    def without_board(self) -> LearnedGame:
        """Returns the game as evaluations see it that are no networks over its board: the state alone instead."""
        if self.known.features != PLANES:
            return self
        kept = EvaluationCache.of_sheet(self.known.sheet, _STATE)
        return LearnedGame.of(replace(self.known, features=_STATE, kept=kept), 0, lambda _text: None)

    @property
    def name(self) -> str:
        """The name of the game."""
        return self.known.name

    @property
    def game(self) -> Game:
        """The game as it is played out, with what evaluations see."""
        return self.variant.full_game

    def guided(self, evaluation: Evaluation) -> SearchConfig:
        """Returns a search that an evaluation guides."""
        return prepare_guided(self.variant, _settings(GUIDED), evaluation)

    def uct(self) -> SearchConfig:
        """Returns UCT with uniform random games."""
        settings = _settings(RANDOM_GAMES)
        if self.known.recognised is not None:
            return prepare_on_core(self.known.recognised, settings)
        return prepare_at_once(
            searched_network(self.known.net, relative=self.known.relative), settings, lambda _text: None
        )


def _settings(strategy: str) -> PlayerOptions:
    return PlayerOptions(strategy=strategy, policy=UNIFORM, threads=1, nodes_mb=_MEMORY_MB)
