"""The game that preparation works on: its variants, and what is known about it before any trial."""

from __future__ import annotations

from dataclasses import dataclass

from ludens.agent.learning.evaluation_cache import CacheEntry, EvaluationCache
from ludens.agent.learning.features import FeatureNetwork
from ludens.agent.preparation.budget import TimeBudget
from ludens.agent.preparation.feature_choice import choose_features
from ludens.agent.preparation.kernel_choice import network_kernel, recognised_kernel
from ludens.agent.search.strategy_choice import learns
from ludens.agent.settings.options import PlayerOptions
from ludens.agent.variants.game_variant import GameVariant, searched_network
from ludens.agent.variants.game_variants import GameVariants, NetworkVariants
from ludens.agent.variants.opponents import SECONDS, are_opponents, explain_core_goals
from ludens.agent.variants.policy_networks import playable
from ludens.games.recognised_game import RecognisedGame
from ludens.native.core import Knowledge
from ludens.native.kernels.kernel_process import MakeKernel
from ludens.propnet.gdl.syntax import RuleSheet
from ludens.propnet.network.propnet import Propnet

_SHARE = 1 / 20  # of the time that is left, to find out whether two roles are opponents,
_LEAST_SECONDS = 0.02  # ... but so many even if the first turn has come


@dataclass(frozen=True, slots=True)
class GameModel:
    """A game that is to be prepared for."""

    variants: GameVariants
    policy: str  # of random games: the one asked for, or `uniform` where the game cannot have that
    features: FeatureNetwork | None = None  # of its evaluation; None: the state alone
    learning_seconds: float = 0.0  # longest time for learning, in all,
    learned_seconds: float = 0.0  # ... and what of it is spent
    cache_entry: CacheEntry | None = None  # where its evaluation is kept
    make_kernel: MakeKernel | None = None  # what may come to play its random games
    knowledge: Knowledge | None = None  # of how it ends


def plays_for_relative_goals(net: Propnet, budget: TimeBudget) -> bool:
    """Finds out in a small part of the time whether two roles are opponents, who play for relative goals."""
    return are_opponents(net, budget.explain, max(_LEAST_SECONDS, min(SECONDS, _SHARE * budget.left())))


def network_model(
    net: Propnet,
    sheet: RuleSheet | None,
    settings: PlayerOptions,
    budget: TimeBudget,
    *,
    relative: bool | None = None,
    features: FeatureNetwork | None = None,
    is_part: bool = False,
) -> GameModel:
    """Returns the model of a network; finds its features, and by trial which of them an evaluation should see.

    Evaluations are kept and used again if the `sheet` is given and the settings allow it; `is_part`: as those of a part
    of its game. Whether roles play for `relative` goals is found out if it is None, and so are the `features`.
    """
    if relative is None:
        relative = plays_for_relative_goals(net, budget)
    played, policy = playable(net, settings.policy, budget.tell)
    features, spent, cache_entry = choose_features(
        net, sheet, settings, budget, relative=relative, known=features, is_part=is_part
    )
    ends_early = settings.early_wins == "on"
    return GameModel(
        NetworkVariants(features.net, played, policy, ends_early=ends_early, relative=relative, explain=budget.explain),
        policy,
        features,
        settings.learn,
        spent,
        cache_entry,
        network_kernel(searched_network(played, relative=relative), settings),
    )


def recognised_model(game: RecognisedGame, settings: PlayerOptions, budget: TimeBudget) -> GameModel:
    """Returns the model of a recognised game on its own core, with what is known of how it ends.

    It is played for the goals of the rules.
    """
    core = game.native_game()
    explain_core_goals(core, budget.explain)
    keeps = game.identity and settings.recall == "on" and learns(settings.strategy, core.roles)
    return GameModel(
        GameVariants(GameVariant.plain(core)),
        settings.policy,
        learning_seconds=settings.learn,
        cache_entry=EvaluationCache.of_core(game.identity).core_entry(core) if keeps else None,
        make_kernel=recognised_kernel(game, settings),
        knowledge=game.knowledge(settings.endgame_pieces, settings.workers, budget.tell),
    )
