"""How a game is searched: what a player has settled on, and the searches that come of that and its options."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from ludens.agent.search.division import Division
from ludens.agent.search.factored_search import FactoredSearch
from ludens.agent.search.repertoire import suited
from ludens.agent.settings.options import AUTO, PlayerOptions
from ludens.agent.variants.races import RacedGame, RacedSearch, whole
from ludens.agent.variants.versions import Versions
from ludens.native.core import Evaluation, Game, Knowledge, Search
from ludens.native.kernels.kernel_search import KernelGames, KernelSearch
from ludens.native.kernels.leaf_playouts import suited_playouts
from ludens.native.strategies import STRATEGIES

AnySearch: TypeAlias = Search | KernelSearch | RacedSearch


@dataclass(frozen=True, slots=True)
class Prepared:
    """What plays a game: a strategy of the native core, what random games choose from, and what it rests on."""

    strategy: str
    policy: str
    evaluation: Evaluation | None = None  # what has been learned of the game
    knowledge: Knowledge | None = None  # of how it ends
    kernel: KernelGames | None = None  # that plays its random games

    def __str__(self) -> str:
        """What a log should call it."""
        return self.strategy if self.evaluation else f"{self.strategy} with {self.policy} random games"

    def options(self, options: PlayerOptions) -> PlayerOptions:
        """A player's options, settled."""
        return replace(options, strategy=self.strategy, policy=self.policy)

    def game(self, versions: Versions) -> Game:
        """The version that is played; a guided search plays no random games."""
        return versions.seen if self.evaluation else versions.playing(self.policy)


def new_search(
    game: Game,
    options: PlayerOptions,
    lanes: int,
    memory_mb: int,
    seed: int,
    evaluation: Evaluation | None = None,
    knowledge: Knowledge | None = None,
    kernel: KernelGames | None = None,
) -> AnySearch | None:
    """The search that a player with these options uses; None for strategies that choose a move at once.

    If a kernel plays its random games the tree grows in one thread, with no solver at its side, and races are
    played out.
    """
    if options.strategy not in (AUTO, *STRATEGIES):
        return None
    strategy = suited(options.strategy, game.roles, learned=evaluation is not None)
    common: dict[str, Any] = {
        "strategy": strategy,
        "lanes": lanes,
        "exploration": options.exploration,
        "expand_after": options.expand_after,
        "max_steps": options.max_steps,
        "seed": seed,
        "evaluation": evaluation,
        "knowledge": knowledge,
        "symmetries": game.symmetries,
    }
    if kernel is not None:
        return kernel.search(whole(game), memory_bytes=memory_mb << 20, **common)

    def make(version: Game, memory_mb: int) -> Search:
        return Search(
            version,
            threads=options.workers,
            memory_bytes=memory_mb << 20,
            playouts_per_leaf=options.playouts_per_leaf or suited_playouts(version, strategy),
            solver_share=options.solver_share,
            **common,
        )

    return RacedSearch(game, make, memory_mb) if isinstance(game, RacedGame) else make(game, memory_mb)


def factored_search(
    game: Game, division: Division, options: PlayerOptions, lanes: int, memory_mb: int, seed: int
) -> FactoredSearch:
    """The search of a game by its factors, which share the memory.

    They have no solver: what counts in the whole game is the value of every move in a factor, and whoever proves
    the best of them has no more than bounds for the others.
    """
    share = max(1, memory_mb // len(division.games))
    options = replace(options, solver_share=0.0)

    def make(part: Game) -> Search:
        search = new_search(part, options, lanes, share, seed)
        assert isinstance(search, Search)  # what is divided is searched, and by no kernel
        return search

    return FactoredSearch(game, division, make)
