"""The configuration of a search, which preparation decides."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ludens.agent.cluster.search_link import SearchLink
from ludens.agent.learning.features import FeatureNetwork
from ludens.agent.search.contract import GameSearch
from ludens.agent.search.decomposition import Decomposition
from ludens.agent.search.strategy_choice import resolve_strategy
from ludens.agent.settings.options import PlayerOptions
from ludens.agent.settings.strategies import AUTO
from ludens.agent.variants.game_variant import GameVariant
from ludens.native.core import Evaluation, Knowledge
from ludens.native.defaults import SOLVER_STEPS
from ludens.native.kernels.kernel_search import KernelGames
from ludens.native.strategies import STRATEGIES
from ludens.propnet.analysis.factors import Factorisation


@dataclass(frozen=True, slots=True)
class SearchConfig:
    """How a game is searched. Made by `preparation` alone; `assembly.new_search` makes the search."""

    variant: GameVariant
    strategy: str  # of `STRATEGIES`, or of `INSTANT`: a move is chosen without a search
    policy: str  # of random games
    threads: int
    lanes: int  # of each thread; 0: the best
    memory_mb: int
    exploration: float
    expand_after: int
    max_steps: int
    playouts_per_leaf: int  # 0: by what they cost
    solver_share: float
    solver_steps: int = SOLVER_STEPS  # of random games from a position that is near the end
    evaluation: Evaluation | None = None  # what has been learned of the game
    weights: npt.NDArray[np.float32] | None = None  # of the network by which the strategy `td` judges positions
    knowledge: Knowledge | None = None  # what is proven of how the game ends
    solved: GameSearch | None = None  # the search itself, if it has solved the game in advance
    kernel: KernelGames | None = None  # what plays the random games
    decomposition: Decomposition | None = None  # into factors that are searched each alone,
    parts: tuple[SearchConfig, ...] = ()  # ... and how each of them is
    factoring: Factorisation | None = None  # of a puzzle, for planners
    cluster: SearchLink | None = None  # to other machines that search too
    rushed: bool = False  # too little time to learn the game, or to judge that: it is worth deciding again with more,
    features: FeatureNetwork | None = None  # ... from what was found and learned by then, if all was found
    reason: str = ""  # why the game is searched so; empty if the user asked for it

    @classmethod
    def from_settings(
        cls, settings: PlayerOptions, variant: GameVariant, policy: str, *, on_core: bool = False
    ) -> SearchConfig:
        """Returns what the settings alone say about the search of a game of which nothing has been learned.

        `on_core`: it is played on the game core for which the strategy is made, if it is made for one.
        """
        return cls(
            variant=variant,
            strategy=resolve_strategy(settings.strategy, variant.game.roles, learned=False, on_core=on_core),
            policy=policy,
            threads=settings.workers,
            lanes=settings.lanes,
            memory_mb=settings.tree_mb,
            exploration=settings.exploration,
            expand_after=settings.expand_after,
            max_steps=settings.max_steps,
            playouts_per_leaf=settings.playouts_per_leaf,
            solver_share=settings.solver_share,
        )

    def __str__(self) -> str:
        """Says what plays, as users write it: a strategy, and the policy of its random games if it is not `auto`."""
        if self.parts:
            return " and ".join(dict.fromkeys(map(str, self.parts)))
        plays_games = self.strategy in STRATEGIES and STRATEGIES[self.strategy].plays_random_games
        return f"{self.strategy}:policy={self.policy}" if plays_games and self.policy != AUTO else self.strategy

    @property
    def evaluates(self) -> bool:
        """Whether something learned judges positions, in some part at least."""
        return self.evaluation is not None or any(part.evaluates for part in self.parts)

    def fallback(self) -> SearchConfig:
        """Returns the same without what may have failed: first the kernel or the search, then what is known."""
        if self.parts:
            return replace(self, parts=tuple(part.fallback() for part in self.parts))
        if self.kernel is not None:
            return replace(self, kernel=None)
        if self.solved is not None:
            return replace(self, solved=None)
        strategy = resolve_strategy(self.strategy, self.variant.game.roles, learned=False)
        return replace(self, strategy=strategy, evaluation=None, knowledge=None)
