"""Decides how a player searches a game: the same way for the engine and for all measurements of strength.

The stages, within one `TimeBudget`; what is proven of a game, such as its factors, has a few seconds of its own:

    decomposition   whether the game falls into factors that are searched apart (search/decomposition.py)
    model           the game's variants and features, what roles play for, and what is known before any trial
                    (game_model.py, feature_choice.py, variants/opponents.py)
    training        an evaluation, learned by self-play (training.py)
    kernel          who plays random games, compared while the rest goes on (kernel_choice.py)
    candidates      the searches that come into question (candidates.py)
    choice          what each can expect, and games between them (strength_model.py, trial.py)

An evaluation that was learned makes a search far stronger in most games, and useless in those whose value does not
show in what it sees. Two thirds of the time go into learning. Then a model of strength, which was fitted to many games
(strength_model.py), says what each search can expect, and the rest goes into trial games or more learning, whichever
promises more. The search with the highest expected score plays.

Where a start clock is too short for that, or to find out what the evaluation foretells, the decision is `rushed`: what
was chosen plays, and the engine has it decided anew with more time while others move (`prepare_later`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from ludens.agent.cluster.search_link import SearchLink
from ludens.agent.learning.features import FeatureNetwork
from ludens.agent.preparation.board_network import prepare_by_planes
from ludens.agent.preparation.budget import TimeBudget
from ludens.agent.preparation.candidates import candidates_of
from ludens.agent.preparation.game_model import GameModel, network_model, recognised_model
from ludens.agent.preparation.kernel_choice import NO_BATCHES, KernelTrial
from ludens.agent.preparation.ratings import Ratings
from ludens.agent.preparation.reasons import why_chosen
from ludens.agent.preparation.repeatable_learning import learned_repeatably
from ludens.agent.preparation.training import Training
from ludens.agent.preparation.trial import Candidate, trial
from ludens.agent.search.assembly import why_alone
from ludens.agent.search.config import SearchConfig
from ludens.agent.search.decomposition import decomposition_of, factors_of
from ludens.agent.search.strategy_choice import GUIDED, PUZZLE, learns, needs_core, resolve_strategy
from ludens.agent.settings.levels import LEARNING_SECONDS
from ludens.agent.settings.options import PLANES, UNIFORM, PlayerOptions
from ludens.agent.settings.strategies import AUTO
from ludens.agent.variants.early_wins import GameVariant
from ludens.agent.variants.policy_networks import playable
from ludens.games.recognised_game import GameOnCore, RecognisedGame
from ludens.native.core import Evaluation, Game
from ludens.native.kernels.kernel_search import KernelGames
from ludens.native.strategies import STRATEGIES
from ludens.propnet.analysis.factors import Factorisation
from ludens.propnet.base.errors import KernelError, LudensError
from ludens.propnet.gdl.syntax import RuleSheet
from ludens.propnet.network.propnet import Propnet

_LEARNING_SHARE = 2 / 3
_KERNEL_SHARE = 1 / 3  # of what is left after learning, for trying a kernel
_POLICY_SECONDS = 600.0  # for a policy that a repeatable search was asked for: it must not depend on how busy all is
_REPEATABLE_LANES = 64  # few, since games side by side do not learn from each other
_INTERIM_SHARE = 4  # of the memory is that of an agent that plays until there is a better one


def prepare(
    net: Propnet,
    settings: PlayerOptions,
    budget: TimeBudget,
    *,
    sheet: RuleSheet | None = None,
    recognised: RecognisedGame | None = None,
) -> SearchConfig:
    """Decides how the game of a network is searched, within a budget of time, and tells it with the reason.

    With its `sheet` what was learned of the game before is used, and kept again, as the settings say. A `recognised`
    game is played on its own core. Raises what making the game does.
    """
    cluster = SearchLink(settings.cluster, budget.tell) if settings.cluster else None  # it connects meanwhile
    config = _decide(net, settings, budget, sheet, recognised)
    if config.reason:
        budget.tell(f"plays by {config}: {config.reason}")
    return config if cluster is None else _with_cluster(config, cluster)


def _with_cluster(config: SearchConfig, cluster: SearchLink) -> SearchConfig:
    """Has other machines search too, where they can."""
    reason = why_alone(config)
    if not reason:
        return replace(config, cluster=cluster)
    cluster.close(reason)
    return config


def _decide(
    net: Propnet,
    settings: PlayerOptions,
    budget: TimeBudget,
    sheet: RuleSheet | None,
    recognised: RecognisedGame | None,
) -> SearchConfig:
    if settings.network:
        try:
            return prepare_by_network(recognised, settings, budget.tell)
        except LudensError as error:
            budget.tell(f"the network is not used: {error}")
            settings = replace(settings, network="")
    if recognised is not None and settings.features == PLANES:
        budget.tell("no network over the board is used: the game is played on a core of its own")
    if recognised is not None and recognised.strategy and settings.strategy in (AUTO, recognised.strategy):
        return prepare_on_core(recognised, settings)
    if recognised is not None:
        return choose_search(recognised_model(recognised, settings, budget.tell), settings, budget)
    factoring = _factors(net, settings)
    if factoring is not None and len(net.roles) == 2:
        found = decomposition_of(net, factoring, settings.policy, budget.tell)
        if found is not None:
            decomposition, policy = found
            config = SearchConfig.from_settings(settings, _plain(net), policy)
            return replace(config, decomposition=decomposition, reason=f"the game is played {decomposition}")
    if settings.features == PLANES and learns(settings.strategy, len(net.roles)):
        try:
            return prepare_by_planes(net, sheet, settings, budget.explain)
        except LudensError as error:
            budget.tell(f"no network over the board is used: {error}")
            settings = replace(settings, features="all")
    config = choose_search(network_model(net, sheet, settings, budget), settings, budget)
    return replace(config, factoring=factoring if config.strategy == PUZZLE else None)


def choose_search(model: GameModel, settings: PlayerOptions, budget: TimeBudget) -> SearchConfig:
    """Settles how a game is searched whose variants are known: trains, and tries what comes into question."""
    variant = model.variants.playing(model.policy)
    plain = replace(SearchConfig.from_settings(settings, variant, model.policy), knowledge=model.knowledge)
    make_kernel = None if settings.strategy == GUIDED else model.make_kernel  # it plays no random games
    kernel_trial = KernelTrial(plain, make_kernel, budget)
    if not learns(settings.strategy, variant.game.roles):
        why = "the search for this number of roles" if settings.strategy == AUTO else ""
        if needs_core(settings.strategy):
            why = f"{settings.strategy} plays only on its own game core, and this game has none"
        return replace(plain, kernel=kernel_trial.settle(budget.left()), reason=why)
    try:
        return _choose_with_learning(model, settings, budget, plain, kernel_trial)
    except (LudensError, MemoryError) as error:  # such as for want of memory in the native core
        return replace(plain, reason=f"learning this game failed: {error or 'out of memory'}")


def prepare_on_core(game: GameOnCore, settings: PlayerOptions) -> SearchConfig:
    """Settles how a game is searched on its core by the settings alone; `auto` is the strategy that is made for it.

    Raises NativeError for want of memory, and LudensError for weights that are none of this game.
    """
    asked = replace(settings, strategy=game.strategy) if settings.strategy == AUTO else settings
    config = SearchConfig.from_settings(asked, GameVariant.plain(game.native_game()), game.policy, on_core=True)
    weighted = config.strategy == game.strategy
    weights = game.weights(settings.weights) if weighted else None
    return replace(config, weights=weights, reason=f"the game is {game}")


def prepare_by_network(
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


def prepare_later(
    net: Propnet,
    settings: PlayerOptions,
    budget: TimeBudget,
    *,
    sheet: RuleSheet | None = None,
    recognised: RecognisedGame | None = None,
    relative: bool | None = None,
    features: FeatureNetwork | None = None,
) -> SearchConfig:
    """Decides anew how a game is searched that was to be searched in a hurry (`SearchConfig.rushed`).

    With half of the memory: the other half is that of the search in a hurry. Whether it was for `relative` goals, and
    which `features` its evaluation sees, need not be found out again. Raises what making the game does.
    """
    if recognised is not None:
        model = recognised_model(recognised, settings, budget.tell)
    else:
        seen = "all" if settings.features == PLANES else settings.features  # a network over the board is kept, or none
        model = network_model(
            net, sheet, replace(settings, features=seen), budget, relative=relative, features=features
        )
    config = choose_search(replace(model, make_kernel=None), settings, budget)
    return with_half_the_memory(config, settings)


def with_half_the_memory(config: SearchConfig, settings: PlayerOptions) -> SearchConfig:
    """Returns the configuration of one of two searches of which one may take over from the other."""
    return replace(config, memory_mb=max(1, settings.tree_mb // 2))


def prepare_candidates(
    net: Propnet, settings: PlayerOptions, budget: TimeBudget, *, relative: bool | None = None
) -> tuple[GameModel, list[Candidate]]:
    """Returns the game and the searches that `auto` would choose from after learning for the whole budget, UCT first.

    For measurements of each of them. They play for `relative` goals if that is so, or None and found out. Raises what
    making the game and learning do.
    """
    model = network_model(net, None, settings, budget, relative=relative)
    training = Training(model, settings.workers, budget)
    training.learn(budget.left())
    plain = SearchConfig.from_settings(settings, model.variants.playing(model.policy), model.policy)
    untimed = budget.part(math.inf, budget.move_seconds)
    return model, candidates_of(model, plain, _evaluation(training), untimed, training.learned_seconds)


def prepare_interim(net: Propnet, settings: PlayerOptions) -> SearchConfig:
    """Settles how a network is searched before it is known how that is done best, with a part of the memory."""
    config = SearchConfig.from_settings(settings, _plain(net), settings.policy)
    return replace(config, memory_mb=_interim_memory(settings), reason="nothing has been tried yet")


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
        variant = _plain(net)
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
    return SearchConfig.from_settings(settings, GameVariant.plain(Game.from_propnet(played)), policy)


def prepare_guided(evaluated: GameVariant, settings: PlayerOptions, evaluation: Evaluation) -> SearchConfig:
    """Settles how a game is searched by the settings and an evaluation, which sees the features of its variant."""
    config = SearchConfig.from_settings(settings, evaluated, UNIFORM)
    strategy = resolve_strategy(settings.strategy, evaluated.game.roles, learned=True)
    return replace(config, strategy=strategy, evaluation=evaluation)


def prepare_rules(game: Game, settings: PlayerOptions) -> SearchConfig:
    """Settles how a game of the rule machine is searched: too slow for a solver, and for several games from a leaf.

    More games side by side than a leaf needs would save no time, and end later.
    """
    config = SearchConfig.from_settings(settings, GameVariant.plain(game), settings.policy)
    games = settings.playouts_per_leaf or 1
    return replace(
        config,
        memory_mb=_interim_memory(settings),
        lanes=games,
        playouts_per_leaf=games,
        solver_share=0.0,
        reason="there is no network",
    )


def _choose_with_learning(
    model: GameModel, settings: PlayerOptions, budget: TimeBudget, plain: SearchConfig, kernel_trial: KernelTrial
) -> SearchConfig:
    """Trains an evaluation, compares the kernel, and has the candidates play. Raises what learning and playing do."""
    training = Training(model, settings.workers, budget)
    training.learn(budget.left() * (_LEARNING_SHARE if settings.strategy == AUTO else 1.0))
    left = budget.left()
    plain = replace(plain, kernel=kernel_trial.settle(left * _KERNEL_SHARE if training.learned else left))
    if settings.strategy == AUTO:
        config = _best(model, plain, training, budget)
        config = replace(config, rushed=config.rushed or training.is_short())
        config = replace(config, features=training.reached() if config.rushed else None)
    elif training.learned is None:
        config = replace(plain, reason="nothing was learned of the game")
    else:
        config = replace(plain, variant=model.variants.evaluated(), strategy=GUIDED, kernel=None)
    training.save()
    training.tell()
    return replace(config, evaluation=_evaluation(training)) if config.strategy == GUIDED else config


def _evaluation(training: Training) -> Evaluation | None:
    return Evaluation(training.learned.weights) if training.learned else None


def _best(model: GameModel, plain: SearchConfig, training: Training, budget: TimeBudget) -> SearchConfig:
    """Returns the configuration that is expected to be the strongest, without the kernel should that fail."""
    try:
        return _strongest(model, plain, training, budget)
    except KernelError as error:
        budget.tell(f"{NO_BATCHES}: {error}")
        return _strongest(model, replace(plain, kernel=None), training, budget)


def _strongest(model: GameModel, plain: SearchConfig, training: Training, budget: TimeBudget) -> SearchConfig:
    """Compares the candidates; time that no trial needs goes into learning.

    The choice is rushed where an evaluation is not used of which nothing could be found out.
    """
    candidates = candidates_of(model, plain, _evaluation(training), budget, training.learned_seconds)
    if len(candidates) == 1:
        return replace(plain, reason="no other search suits the game")

    def gain_of_learning(ratings: Ratings, seconds: float) -> float:
        chances = [ratings.chance(i) for i, c in enumerate(candidates) if c.config.strategy == GUIDED]
        return max(chances, default=0.0) * training.gain(seconds)

    number, ratings = trial(candidates, budget, gain_of_learning)
    chosen = candidates[number].config
    if chosen.strategy == GUIDED:
        training.learn(budget.left())
    unknown = not ratings.games and any(c.evidence and not c.evidence.foresight for c in _guided(candidates))
    return replace(
        chosen,
        rushed=unknown and chosen.strategy != GUIDED,
        reason=why_chosen(candidates, number, ratings, budget.explain),
    )


def _guided(candidates: Sequence[Candidate]) -> list[Candidate]:
    return [candidate for candidate in candidates if candidate.config.strategy == GUIDED]


def _factors(net: Propnet, settings: PlayerOptions) -> Factorisation | None:
    """Returns the factors of a game whose strategy can make use of them: a puzzle, or a search of each factor."""
    if settings.factored == "off":
        return None
    if len(net.roles) == 1:
        uses = resolve_strategy(settings.strategy, 1, learned=False) == PUZZLE
    else:
        strategy = STRATEGIES.get(settings.strategy)
        uses = len(net.roles) == 2 and (strategy.searches_factors if strategy else settings.strategy == AUTO)
    return factors_of(net) if uses else None


def _plain(net: Propnet) -> GameVariant:
    return GameVariant.plain(Game.from_propnet(net))


def _interim_memory(settings: PlayerOptions) -> int:
    return max(1, settings.tree_mb // _INTERIM_SHARE)
