"""Settles how a game is searched by a network over its board that was learned before, by `ludens learn`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ludens.agent.board_networks.weights import BoardEntry
from ludens.agent.learning.evaluation_cache import EvaluationCache
from ludens.agent.search.config import SearchConfig
from ludens.agent.search.strategy_choice import resolve_strategy
from ludens.agent.settings.options import PLANES, UNIFORM, PlayerOptions
from ludens.agent.variants.game_variants import NetworkVariants
from ludens.propnet.base.errors import LudensError
from ludens.propnet.base.words import duration_of_threads
from ludens.propnet.gdl.syntax import RuleSheet
from ludens.propnet.network.propnet import Propnet


def prepare_by_planes(
    net: Propnet, sheet: RuleSheet | None, settings: PlayerOptions, explain: Callable[[str], None]
) -> SearchConfig:
    """Returns guided search by the network that is kept of a game; raises `LudensError` where there is none.

    `explain` takes what is found out of the game.
    """
    if sheet is None:
        raise LudensError("the rule sheet, by which it is kept, is not at hand")
    cache = EvaluationCache.of_sheet(sheet, PLANES)
    learned = BoardEntry(cache, net).read()
    if learned is None:
        fault = "none has been learned of this game"
        if cache.load() is not None:
            fault = f"{cache.path}: this evaluation is of another network of this game than this Ludens makes"
        elif cache.path.exists():
            fault = f"{cache.path}: {cache.fault('this game')}"
        raise LudensError(f"{fault}: `ludens learn GAME --features planes` learns one")
    ends_early = settings.early_wins == "on"
    variant = NetworkVariants(net, net, UNIFORM, ends_early=ends_early, explain=explain).evaluated()
    return replace(
        SearchConfig.from_settings(settings, variant, UNIFORM),
        strategy=resolve_strategy(settings.strategy, variant.game.roles, learned=True),
        evaluation=learned.weights.evaluation(variant.full_game),
        reason=f"a network over the board judges positions, learned in {duration_of_threads(learned.seconds)}",
    )
