"""Puts the search of a player together: the native search and the decorators around it.

Nothing else does. A native search without decorators is made elsewhere where no player searches: by peers in a cluster,
as is told here (cluster/peer_search.py), to measure speed alone (commands/bench.py), and to label training data, which
must be the same on every machine (checkers/move_values.py).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ludens.agent.cluster.peer_search import PeerPlan
from ludens.agent.search.cluster_search import ClusterSearch
from ludens.agent.search.config import SearchConfig
from ludens.agent.search.contract import GameSearch
from ludens.agent.search.early_win_search import EarlyWinSearch
from ludens.agent.search.factored_search import FactoredSearch
from ludens.native.core import MOST_PEERS, Game, Search
from ludens.native.kernels.leaf_playouts import choose_playouts_per_leaf
from ludens.native.strategies import STRATEGIES


def new_search(config: SearchConfig, seed: int) -> GameSearch | None:
    """Makes the search of a game; None for strategies that choose a move at once.

    A search that has solved the game in advance is that one. A game in factors has a search for each factor, which
    share the memory. If a kernel plays the random games, the tree grows in one thread, with no solver at its side, and
    the game is played out. A game that ends early has a second search of the full game, for positions where it is over.
    The native core adds the solvers and what is known of the end of the game.
    """
    if config.solved is not None:
        return config.solved
    return _search(config, seed) if config.strategy in STRATEGIES else None


def _search(config: SearchConfig, seed: int) -> GameSearch:
    if config.decomposition is not None:
        share = max(1, config.memory_mb // len(config.parts))
        parts = [_search(replace(part, memory_mb=share), seed) for part in config.parts]
        return FactoredSearch(config.variant.game, config.decomposition, parts)
    if config.kernel is not None:
        memory_bytes = config.memory_mb << 20
        return config.kernel.search(config.variant.full_game, memory_bytes=memory_bytes, seed=seed, **_common(config))
    if config.variant.ends_early:
        full = replace(config, cluster=None)  # peers search the game that ends early

        def make(game: Game, memory_mb: int) -> GameSearch:
            return _tree_search(config if game is config.variant.game else full, game, memory_mb, seed)

        return EarlyWinSearch(config.variant, make, config.memory_mb)
    return _tree_search(config, config.variant.game, config.memory_mb, seed)


def why_alone(config: SearchConfig) -> str:
    """Returns why a search cannot have peers in a cluster; empty if it can."""
    if config.strategy not in STRATEGIES or not STRATEGIES[config.strategy].shares:
        return f"{config.strategy} shares nothing with other machines"
    if config.decomposition is not None:
        return "the game is searched part by part"
    if config.kernel is not None:
        return "a kernel plays the random games"
    return "" if config.variant.game.can_be_sent else "there is no network"


def _tree_search(config: SearchConfig, game: Game, memory_mb: int, seed: int) -> GameSearch:
    """Makes the native search of a game, with peers if there is a cluster."""
    if config.cluster is None:
        return _native_search(config, game, memory_mb, seed)
    arguments = native_arguments(config, game, memory_mb) | {"knowledge": None}  # endgame tables stay on this machine
    plan = PeerPlan(game, arguments, config.threads, seed)
    return ClusterSearch(_native_search(config, game, memory_mb, seed, MOST_PEERS), config.cluster, plan)


def _native_search(config: SearchConfig, game: Game, memory_mb: int, seed: int, peers: int = 0) -> Search:
    arguments = native_arguments(config, game, memory_mb)
    return Search(game, threads=config.threads, seed=seed, peers=peers, **arguments)


def native_arguments(config: SearchConfig, game: Game, memory_mb: int) -> dict[str, Any]:
    """Returns what a native search is given beside threads, seed and peers."""
    return {
        "memory_bytes": memory_mb << 20,
        "playouts_per_leaf": config.playouts_per_leaf or choose_playouts_per_leaf(game, config.strategy),
        "solver_share": config.solver_share,
        "solver_steps": config.solver_steps,
        "td_weights": config.weights,
        **_common(config),
    }


def _common(config: SearchConfig) -> dict[str, Any]:
    """Returns what every native tree is given."""
    return {
        "strategy": config.strategy,
        "lanes": config.lanes,
        "exploration": config.exploration,
        "expand_after": config.expand_after,
        "max_steps": config.max_steps,
        "evaluation": config.evaluation,
        "knowledge": config.knowledge,
        "symmetries": config.variant.game.symmetries,
    }
