"""Decides how a player searches a game: the same way for the engine and for all measurements of strength.

The stages, within one `TimeBudget`; what is proven of a game, such as its factors, has a few seconds of its own. Each
of the first four, and a small game, settle the search where they apply:

    network         a trained network of checkers that the settings name (prepare_untimed.py)
    core            the strategy that is made for the core of a recognised game (prepare_untimed.py)
    planes          a network over the board that was learned before, if the settings say so (prepare_by_planes.py)
    parts           whether the game falls into factors that are searched apart, each as is found best for it
                    (search/decomposition.py, prepare_by_parts.py)
    model           the game's variants and features, what roles play for, and what is known before any trial
                    (game_model.py, feature_choice.py, variants/opponents.py)
    small           whether all positions of a game in which two choose at once can be solved (small_game.py)
    learning        an evaluation, learned by self-play (start_clock_learning.py)
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
from dataclasses import replace

from ludens.agent.cluster.search_link import SearchLink
from ludens.agent.learning.features import FeatureNetwork
from ludens.agent.learning.random_games import choice_figures
from ludens.agent.preparation.budget import CHOICE, TimeBudget
from ludens.agent.preparation.candidates import candidates_of
from ludens.agent.preparation.game_model import GameModel, network_model, recognised_model
from ludens.agent.preparation.kernel_choice import NO_BATCHES, KernelTrial
from ludens.agent.preparation.prepare_by_parts import prepare_by_parts
from ludens.agent.preparation.prepare_by_planes import prepare_by_planes
from ludens.agent.preparation.prepare_untimed import prepare_by_trained_network, prepare_on_core
from ludens.agent.preparation.ratings import Ratings
from ludens.agent.preparation.reasons import why_chosen
from ludens.agent.preparation.small_game import solve_small_game
from ludens.agent.preparation.start_clock_learning import StartClockLearning
from ludens.agent.preparation.strength_model import HARDLY_EVER
from ludens.agent.preparation.trial import Candidate, trial
from ludens.agent.search.assembly import why_alone
from ludens.agent.search.config import SearchConfig
from ludens.agent.search.decomposition import Decomposition, decomposition_of, factors_of
from ludens.agent.search.strategy_choice import GUIDED, PUZZLE, learns, needs_core, resolve_strategy
from ludens.agent.settings.memory_shares import TAKEOVER, memory_part
from ludens.agent.settings.options import PLANES, PlayerOptions
from ludens.agent.settings.strategies import AUTO
from ludens.games.recognised_game import RecognisedGame
from ludens.native.core import Evaluation
from ludens.native.strategies import STRATEGIES
from ludens.propnet.analysis.factors import Factorisation
from ludens.propnet.base.errors import KernelError, LudensError
from ludens.propnet.gdl.syntax import RuleSheet
from ludens.propnet.network.propnet import Propnet

_LEARNING_SHARE = 2 / 3
_KERNEL_SHARE = 1 / 3  # of what is left after learning, for trying a kernel


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
    return config if cluster is None else _with_cluster(config, cluster, settings.seed)


def _with_cluster(config: SearchConfig, cluster: SearchLink, seed: int) -> SearchConfig:
    """Has other machines search too, where they can, and find out something that can be shared."""
    reason = why_alone(config) or _why_nothing_is_shared(config, seed)
    if not reason:
        return replace(config, cluster=cluster)
    cluster.close(reason)
    return config


def _why_nothing_is_shared(config: SearchConfig, seed: int) -> str:
    """Returns why searches find out hardly anything that they can tell each other; empty if they do.

    They tell of positions in which one role chooses; guided search, of these as long as it meets no others.
    """
    most = HARDLY_EVER if config.strategy == GUIDED else 1 - HARDLY_EVER
    at_once = choice_figures(config.variant.game, seed).at_once
    return "where roles choose at the same time nothing is shared with other machines" if at_once > most else ""


def _decide(
    net: Propnet,
    settings: PlayerOptions,
    budget: TimeBudget,
    sheet: RuleSheet | None,
    recognised: RecognisedGame | None,
) -> SearchConfig:
    """Takes the trained network that the settings name, if it can be used; else decides by the kind of the game."""
    if settings.network:
        try:
            return prepare_by_trained_network(recognised, settings, budget.tell)
        except LudensError as error:
            budget.tell(f"the network is not used: {error}")
            settings = replace(settings, network="")
    if recognised is not None:
        return _decide_on_core(recognised, settings, budget)
    return _decide_on_propnet(net, sheet, settings, budget)


def _decide_on_core(recognised: RecognisedGame, settings: PlayerOptions, budget: TimeBudget) -> SearchConfig:
    """Decides how a game is searched that is played on a core of its own: by the strategy made for it, if any is."""
    if settings.features == PLANES:
        budget.tell("no network over the board is used: the game is played on a core of its own")
    if recognised.strategy and settings.strategy in (AUTO, recognised.strategy):
        return prepare_on_core(recognised, settings)
    return choose_search(recognised_model(recognised, settings, budget), settings, budget)


def _decide_on_propnet(
    net: Propnet, sheet: RuleSheet | None, settings: PlayerOptions, budget: TimeBudget
) -> SearchConfig:
    """Decides how a game is searched that is played on its propnet: by planes, part by part, or as is found best."""
    if settings.features == PLANES and learns(settings.strategy, len(net.roles)):
        try:
            return prepare_by_planes(net, sheet, settings, budget.explain)
        except LudensError as error:
            budget.tell(f"no network over the board is used: {error}")
            settings = replace(settings, features="all")
    factoring = _factors(net, settings, budget.left())
    if factoring is not None and len(net.roles) == 2:
        found = decomposition_of(net, factoring, budget.left())
        if found is not None:
            return prepare_by_parts(net, found, sheet, settings, budget, choose_search)
    config = choose_search(network_model(net, sheet, settings, budget), settings, budget)
    return replace(config, factoring=factoring if config.strategy == PUZZLE else None)


def choose_search(model: GameModel, settings: PlayerOptions, budget: TimeBudget) -> SearchConfig:
    """Settles how a game is searched whose variants are known: trains, and tries what comes into question."""
    variant = model.variants.playing(model.policy)
    plain = replace(SearchConfig.from_settings(settings, variant, model.policy), knowledge=model.knowledge)
    if settings.strategy == AUTO and (solved := solve_small_game(plain, budget)) is not None:
        return solved
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
        return replace(plain, reason=f"learning this game failed: {str(error) or 'out of memory'}")


def prepare_later(
    net: Propnet,
    settings: PlayerOptions,
    budget: TimeBudget,
    *,
    sheet: RuleSheet | None = None,
    recognised: RecognisedGame | None = None,
    relative: bool | None = None,
    features: FeatureNetwork | None = None,
    decomposition: Decomposition | None = None,
) -> SearchConfig:
    """Decides anew how a game is searched that was to be searched in a hurry (`SearchConfig.rushed`).

    With half of the memory: the other half is that of the search in a hurry. Whether it was for `relative` goals, which
    `features` its evaluation sees, and by which `decomposition` the game is played, need not be found out again. Raises
    what making the game does.
    """
    if settings.features == PLANES:  # a network over the board is kept, or none
        settings = replace(settings, features="all")
    if decomposition is not None:
        config = prepare_by_parts(net, decomposition, sheet, settings, budget, choose_search, relative=relative)
        return with_half_the_memory(config, settings)
    if recognised is not None:
        model = recognised_model(recognised, settings, budget)
    else:
        model = network_model(net, sheet, settings, budget, relative=relative, features=features)
    config = choose_search(replace(model, make_kernel=None), settings, budget)
    return with_half_the_memory(config, settings)


def with_half_the_memory(config: SearchConfig, settings: PlayerOptions) -> SearchConfig:
    """Returns the configuration of one of two searches of which one may take over from the other.

    It may come from another process, in which a search that has solved the game stays.
    """
    return replace(config, solved=None, memory_mb=memory_part(settings.tree_mb, TAKEOVER))


def prepare_candidates(
    net: Propnet, settings: PlayerOptions, budget: TimeBudget, *, relative: bool | None = None
) -> tuple[GameModel, list[Candidate]]:
    """Returns the game and the searches that `auto` would choose from after learning for the whole budget, UCT first.

    For measurements of each of them. They play for `relative` goals if that is so, or None and found out. Raises what
    making the game and learning do.
    """
    model = network_model(net, None, settings, budget, relative=relative)
    learning = StartClockLearning(model, settings.workers, budget)
    learning.learn(budget.left())
    plain = SearchConfig.from_settings(settings, model.variants.playing(model.policy), model.policy)
    untimed = budget.part(math.inf, budget.move_seconds)
    return model, candidates_of(model, plain, _evaluation(learning), untimed, learning.learned_seconds)


def _choose_with_learning(
    model: GameModel, settings: PlayerOptions, budget: TimeBudget, plain: SearchConfig, kernel_trial: KernelTrial
) -> SearchConfig:
    """Trains an evaluation, compares the kernel, and has the candidates play. Raises what learning and playing do."""
    learning = StartClockLearning(model, settings.workers, budget)
    learning.learn(budget.left() * (_LEARNING_SHARE if settings.strategy == AUTO else 1.0))
    left = budget.left()
    plain = replace(plain, kernel=kernel_trial.settle(left * _KERNEL_SHARE if learning.learned else left))
    if settings.strategy == AUTO:
        with budget.spending(CHOICE):
            config = _best(model, plain, learning, budget)
    elif learning.learned is None:
        config = replace(plain, reason="nothing was learned of the game")
    else:
        config = replace(plain, variant=model.variants.evaluated(), strategy=GUIDED, kernel=None)
    rushed = config.rushed or learning.is_short()
    config = replace(config, rushed=rushed, features=learning.reached() if rushed else None)
    learning.save()
    learning.tell()
    return replace(config, evaluation=_evaluation(learning)) if config.strategy == GUIDED else config


def _evaluation(learning: StartClockLearning) -> Evaluation | None:
    return Evaluation(learning.learned.weights) if learning.learned else None


def _best(model: GameModel, plain: SearchConfig, learning: StartClockLearning, budget: TimeBudget) -> SearchConfig:
    """Returns the configuration that is expected to be the strongest, without the kernel should that fail."""
    try:
        return _strongest(model, plain, learning, budget)
    except KernelError as error:
        budget.tell(f"{NO_BATCHES}: {error}")
        return _strongest(model, replace(plain, kernel=None), learning, budget)


def _strongest(model: GameModel, plain: SearchConfig, learning: StartClockLearning, budget: TimeBudget) -> SearchConfig:
    """Compares the candidates; time that no trial needs goes into learning, by which those that learn can expect more.

    They expect it of learning only if something is known of them. The choice is rushed where an evaluation is not used
    of which nothing could be found out.
    """
    candidates = candidates_of(model, plain, _evaluation(learning), budget, learning.learned_seconds)
    if len(candidates) == 1:
        return replace(plain, reason="no other search suits the game")
    guided = [number for number, candidate in enumerate(candidates) if candidate.config.strategy == GUIDED]
    unjudged = any((known := candidates[i].evidence) and not known.foresight for i in guided)

    def gain_of_learning(ratings: Ratings, seconds: float) -> float:
        if unjudged and not ratings.games:
            return 0.0
        return max(map(ratings.chance, guided), default=0.0) * learning.gain(seconds)

    ratings = trial(candidates, budget, gain_of_learning)
    unknown = unjudged and not ratings.games
    for number in () if unknown else guided:
        ratings.grow(number, learning.gain(budget.left()))
    number = ratings.best
    chosen = candidates[number].config
    if chosen.strategy == GUIDED or unknown:
        learning.learn(budget.left())
    return replace(
        chosen,
        rushed=unknown and chosen.strategy != GUIDED,
        reason=why_chosen(candidates, number, ratings, budget.explain),
    )


def _factors(net: Propnet, settings: PlayerOptions, left: float) -> Factorisation | None:
    """Returns the factors of a game whose strategy can make use of them: a puzzle, or a search of each factor.

    So many seconds are `left` until the first turn.
    """
    if settings.factored == "off":
        return None
    if len(net.roles) == 1:
        uses = resolve_strategy(settings.strategy, 1, learned=False) == PUZZLE
    else:
        strategy = STRATEGIES.get(settings.strategy)
        uses = len(net.roles) == 2 and (strategy.searches_factors if strategy else settings.strategy == AUTO)
    return factors_of(net, left) if uses else None
