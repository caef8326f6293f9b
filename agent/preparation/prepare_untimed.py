"""Settles how a game is searched where nothing is tried: by the settings, and by what was learned of it before.

What is composed or learned here has a generous limit of processor time, so that what these functions settle does not
depend on how fast a machine is. What a start clock is for is in prepare.py.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from ludens.agent.preparation.repeatable_learning import learned_repeatably
from ludens.agent.search.config import SearchConfig
from ludens.agent.search.strategy_choice import GUIDED, learns, needs_core, resolve_strategy
from ludens.agent.settings.levels import LEARNING_SECONDS
from ludens.agent.settings.memory_shares import INTERIM, memory_part
from ludens.agent.settings.options import UNIFORM, PlayerOptions
from ludens.agent.settings.strategies import AUTO
from ludens.agent.variants.game_variant import GameVariant
from ludens.agent.variants.policy_networks import playable
from ludens.games.recognised_game import GameOnCore, RecognisedGame
from ludens.native.core import Evaluation, Game
from ludens.native.kernels.kernel_search import KernelGames
from ludens.propnet.base.errors import LudensError
from ludens.propnet.network.propnet import Propnet

_POLICY_SECONDS = 600.0  # for a policy that a repeatable search was asked for: it must not depend on how busy all is
_ANSWERS_MB = 512  # of a rule machine, which forgets some where there are more (native/src/rules/evaluator.cpp)
_REPEATABLE_LANES = 64  # few, since games side by side do not learn from each other


def prepare_at_once(
    net: Propnet,
    settings: PlayerOptions,
    tell: Callable[[str], None],
    evaluation: Evaluation | None = None,
    evaluated: GameVariant | None = None,
) -> SearchConfig:
    """Settles how a network is searched by the settings alone, and by what has been learned of the game before.

    `evaluated` is the variant whose features the `evaluation` sees.
    """
    if evaluation is not None and evaluated is not None:
        return prepare_guided(evaluated, settings, evaluation)
    asked = UNIFORM if settings.policy == AUTO else settings.policy
    played, policy = playable(net, asked, tell, _POLICY_SECONDS)
    return SearchConfig.from_settings(settings, GameVariant.of_network(played), policy)


def prepare_guided(evaluated: GameVariant, settings: PlayerOptions, evaluation: Evaluation) -> SearchConfig:
    """Settles how a game is searched by the settings and an evaluation, which sees the features of its variant."""
    config = SearchConfig.from_settings(settings, evaluated, UNIFORM)
    strategy = resolve_strategy(settings.strategy, evaluated.game.roles, learned=True)
    return replace(config, strategy=strategy, evaluation=evaluation)


def prepare_on_core(game: GameOnCore, settings: PlayerOptions) -> SearchConfig:
    """Settles how a game is searched on its core by the settings alone; `auto` is the strategy that is made for it.

    Raises NativeError for want of memory, and LudensError for weights that are none of this game.
    """
    asked = replace(settings, strategy=game.strategy) if settings.strategy == AUTO else settings
    config = SearchConfig.from_settings(asked, GameVariant.plain(game.native_game()), game.policy, on_core=True)
    weighted = config.strategy == game.strategy
    weights = game.weights(settings.weights) if weighted else None
    return replace(config, weights=weights, reason=f"the game is {game}")


def prepare_by_trained_network(
    game: RecognisedGame | None, settings: PlayerOptions, tell: Callable[[str], None]
) -> SearchConfig:
    """Settles how a game is searched with a trained network, which judges positions or guides random games.

    Nothing is learned or tried. Raises LudensError for networks that cannot be used, and for games other than theirs,
    such as those that were not recognised (None).
    """
    if game is None:
        raise LudensError("it is for another game: this one is not recognised as one with a core of its own")
    path, variant = Path(settings.network), GameVariant.plain(game.native_game())
    config = replace(
        SearchConfig.from_settings(settings, variant, UNIFORM),
        knowledge=game.knowledge(settings.endgame_pieces, settings.workers, tell),
    )
    if settings.strategy in (AUTO, GUIDED):
        evaluation = game.network_evaluation(path)
        return replace(config, strategy=GUIDED, evaluation=evaluation, reason="a trained network judges positions")
    games = game.network_games(path, settings.network_share, settings.max_steps)
    return replace(
        config,
        kernel=KernelGames(games, settings.playouts_per_leaf or 1),
        reason=f"a trained network chooses {settings.network_share:.0%} of the moves in random games",
    )


def prepare_interim(net: Propnet, settings: PlayerOptions) -> SearchConfig:
    """Settles how a network is searched before it is known how that is done best, with a part of the memory."""
    config = SearchConfig.from_settings(settings, GameVariant.of_network(net), settings.policy)
    return replace(config, memory_mb=memory_part(settings.tree_mb, INTERIM), reason="nothing has been tried yet")


def prepare_rules(game: Game, settings: PlayerOptions) -> SearchConfig:
    """Settles how a game of the rule machine is searched: too slow for a solver, and for several games from a leaf.

    More games side by side than a leaf needs would save no time, and end later. Each thread has a rule machine, whose
    answers are counted nowhere else: they get half of the memory.
    """
    config = SearchConfig.from_settings(settings, GameVariant.plain(game), settings.policy)
    games = settings.playouts_per_leaf or 1
    return replace(
        config,
        threads=min(config.threads, max(1, settings.process_mb // 2 // _ANSWERS_MB)),
        memory_mb=memory_part(settings.tree_mb, INTERIM),
        lanes=games,
        playouts_per_leaf=games,
        solver_share=0.0,
        reason="there is no network",
    )


def prepare_repeatable(
    net: Propnet, settings: PlayerOptions, tell: Callable[[str], None], learning_seconds: float = LEARNING_SECONDS
) -> SearchConfig:
    """Settles how a network is searched for a number of iterations: by the settings alone, since all else takes time.

    Nothing is tried out or found in the rules within a time limit, so the same seed makes the same moves on every
    machine. Only the highest levels learn before, in rounds, for `learning_seconds` of processor time at most. Random
    games are uniform unless the settings name a policy. `tell` takes what plays.
    """
    level = settings.weakness
    if level is not None and level.rounds and learns(settings.strategy, len(net.roles)):
        variant = GameVariant.of_network(net)
        evaluation = learned_repeatably(
            variant.game, level.rounds, level.guided_iterations, settings.seed, learning_seconds, tell
        )
        if evaluation is not None:
            config = prepare_at_once(net, settings, tell, evaluation, variant)
            reason = f"each move is searched for {level.guided_iterations:,} iterations with what was learned before"
            return _told(replace(config, reason=reason), tell)
    reason = f"each move is searched for {settings.move_iterations:,} iterations, with nothing learned before"
    if needs_core(settings.strategy):
        reason += f"; {settings.strategy} plays only on its own game core, which is not looked for then"
    config = replace(
        prepare_at_once(net, settings, tell),
        lanes=settings.lanes or _REPEATABLE_LANES,
        playouts_per_leaf=settings.playouts_per_leaf or 1,
        reason=reason,
    )
    return _told(config, tell)


def _told(config: SearchConfig, tell: Callable[[str], None]) -> SearchConfig:
    """Tells what plays, and why."""
    tell(f"plays by {config}: {config.reason}")
    return config
