"""Settles how a game in independent parts is searched: each part in a way of its own.

A part in which a role chooses whenever it has the move is a game like any other: `auto` learns it, and compares
searches for it, in its share of the start clock. Where roles may leave a part alone for another, and where goals add,
each part is searched by plain UCT: what counts then is the value of every move, and not only which is best.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from ludens.agent.preparation.budget import TimeBudget
from ludens.agent.preparation.game_model import GameModel, network_model
from ludens.agent.search.config import SearchConfig
from ludens.agent.search.decomposition import Decomposition
from ludens.agent.settings.options import PlayerOptions
from ludens.agent.variants.early_wins import GameVariant
from ludens.agent.variants.policy_networks import playable
from ludens.propnet.network.propnet import Propnet

ChooseSearch = Callable[[GameModel, PlayerOptions, TimeBudget], SearchConfig]


def prepare_by_parts(
    net: Propnet, decomposition: Decomposition, settings: PlayerOptions, budget: TimeBudget, choose: ChooseSearch
) -> SearchConfig:
    """Returns the search of a game by its parts, which share the memory; `choose` settles that of a game by itself."""
    whole = SearchConfig.from_settings(settings, GameVariant.of_network(net), settings.policy)
    make = _plain_parts if decomposition.compares else _chosen_parts
    share = max(1, whole.memory_mb // len(decomposition.games))
    parts = tuple(replace(part, memory_mb=share) for part in make(decomposition, settings, budget, choose))
    return replace(whole, decomposition=decomposition, parts=parts, reason=f"the game is played {decomposition}")


def _chosen_parts(
    decomposition: Decomposition, settings: PlayerOptions, budget: TimeBudget, choose: ChooseSearch
) -> Iterator[SearchConfig]:
    """Yields the search of each part, chosen as that of a game by itself in a share of the time.

    They are played out, without a solver: a win that is proven may come too late, since another part may end sooner.
    """
    count, settings = len(decomposition.games), replace(settings, early_wins="off", solver_share=0.0)
    for number, sub in enumerate(decomposition.games):
        part = replace(
            budget.part(budget.left() / (count - number), budget.move_seconds / count),
            tell=_named(budget.tell, number),
            explain=_named(budget.explain, number),
        )
        config = choose(network_model(sub.net, None, settings, part), settings, part)
        if config.reason:
            part.tell(f"plays by {config}: {config.reason}")
        yield config


def _named(tell: Callable[[str], None], number: int) -> Callable[[str], None]:
    return lambda text: tell(f"part {number + 1}: {text}")


def _plain_parts(
    decomposition: Decomposition, settings: PlayerOptions, budget: TimeBudget, _choose: ChooseSearch
) -> Iterator[SearchConfig]:
    """Yields the search that the settings alone say for each part, without a solver.

    Whoever proves the best move of a part has no more than bounds for the others.
    """
    reasons = list[str]()
    played = [playable(sub.net, settings.policy, reasons.append) for sub in decomposition.games]
    for reason in dict.fromkeys(reasons):  # parts that are alike have the same
        budget.tell(f"in some parts, {reason}" if len(reasons) < len(played) else reason)
    for net, policy in played:
        config = SearchConfig.from_settings(settings, GameVariant.of_network(net), policy)
        yield replace(config, solver_share=0.0)
