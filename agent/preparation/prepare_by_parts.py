"""Settles how a game in independent parts is searched: each part in a way of its own.

A part in which a role chooses whenever it has the move is a game like any other: `auto` learns it, and compares
searches for it, in its share of the start clock. Where roles may leave a part alone for another, and where goals add,
each part is searched by plain UCT: what counts then is the value of every move, and not only which is best.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ludens.agent.preparation.budget import TimeBudget
from ludens.agent.preparation.game_model import GameModel, network_model, plays_for_relative_goals
from ludens.agent.search.config import SearchConfig
from ludens.agent.search.decomposition import Decomposition
from ludens.agent.settings.options import PlayerOptions
from ludens.agent.variants.game_variant import GameVariant, compile_variant
from ludens.agent.variants.policy_networks import playable
from ludens.propnet.gdl.syntax import RuleSheet
from ludens.propnet.network.propnet import Propnet

ChooseSearch = Callable[[GameModel, PlayerOptions, TimeBudget], SearchConfig]


def prepare_by_parts(
    net: Propnet,
    decomposition: Decomposition,
    sheet: RuleSheet | None,
    settings: PlayerOptions,
    budget: TimeBudget,
    choose: ChooseSearch,
    *,
    relative: bool | None = None,
) -> SearchConfig:
    """Returns the search of a game by its parts; `choose` settles that of a game by itself.

    Evaluations of parts are kept and used again if the `sheet` is given and the settings allow it. Whether roles play
    for `relative` goals is found out if it is None. Raises what making the games does.
    """
    if decomposition.compares:
        relative, parts = False, _plain_parts(decomposition, settings, budget)
    else:
        relative = plays_for_relative_goals(net, budget) if relative is None else relative
        parts = _chosen_parts(decomposition, sheet, settings, budget, choose, relative=relative)
    whole = SearchConfig.from_settings(settings, compile_variant(net, None, relative=relative), settings.policy)
    return replace(
        whole,
        decomposition=decomposition,
        parts=parts,
        rushed=any(part.rushed for part in parts),
        reason=f"the game is played {decomposition}",
    )


def _chosen_parts(
    decomposition: Decomposition,
    sheet: RuleSheet | None,
    settings: PlayerOptions,
    budget: TimeBudget,
    choose: ChooseSearch,
    *,
    relative: bool,
) -> tuple[SearchConfig, ...]:
    """Returns the search of each part, chosen as that of a game by itself in a share of the time.

    They are played out, without a solver: a win that is proven may come too late, since another part may end sooner.
    And without kernels: searches of parts take turns every few milliseconds, less than a batch of a kernel takes.
    """
    count, settings = len(decomposition.games), replace(settings, early_wins="off", solver_share=0.0)
    parts = []
    for number, sub in enumerate(decomposition.games):
        part = replace(
            budget.part(budget.left() / (count - number), budget.move_seconds / count),
            tell=_named(budget.tell, number),
            explain=_named(budget.explain, number),
        )
        model = network_model(sub.net, sheet, settings, part, relative=relative, is_part=True)
        config = choose(replace(model, make_kernel=None), settings, part)
        if config.reason:
            part.tell(f"plays by {config}: {config.reason}")
        parts.append(config)
    return tuple(parts)


def _named(tell: Callable[[str], None], number: int) -> Callable[[str], None]:
    return lambda text: tell(f"part {number + 1}: {text}")


def _plain_parts(decomposition: Decomposition, settings: PlayerOptions, budget: TimeBudget) -> tuple[SearchConfig, ...]:
    """Returns the search that the settings alone say for each part, without a solver.

    Whoever proves the best move of a part has no more than bounds for the others.
    """
    reasons = list[str]()
    played = [playable(sub.net, settings.policy, reasons.append) for sub in decomposition.games]
    for reason in dict.fromkeys(reasons):  # parts that are alike have the same
        budget.tell(f"in some parts, {reason}" if len(reasons) < len(played) else reason)
    made = (SearchConfig.from_settings(settings, GameVariant.of_network(net), policy) for net, policy in played)
    return tuple(replace(config, solver_share=0.0) for config in made)
