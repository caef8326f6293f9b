"""A game in the form that a search plays: over early at wins that nobody can prevent, or played for relative goals.

Wins that nobody can prevent are those of `propnet.unstoppable_wins`. A search of a game that ends there knows them at
once, and what leads to them sooner. It cannot play them to the end; `search.early_win_search` adds that.
"""

from __future__ import annotations

from dataclasses import dataclass

from ludens.native.core import Game
from ludens.propnet.analysis.relative_goals import goal_range, relative_goal, with_relative_goals
from ludens.propnet.base.arrays import Int32Array
from ludens.propnet.network.propnet import Propnet
from ludens.propnet.unstoppable_wins.ending import with_unstoppable_wins
from ludens.propnet.unstoppable_wins.finding import UnstoppableWins


@dataclass(frozen=True, slots=True)
class GameVariant:
    """A game in the form that a search plays, and the same played out by the rules; states and moves are equal."""

    game: Game
    full_game: Game
    relative: bool = False  # goals of both are relative ones, and not those of the rules

    @classmethod
    def plain(cls, game: Game) -> GameVariant:
        """Returns the variant that is played out anyway."""
        return cls(game, game)

    @classmethod
    def of_network(cls, net: Propnet) -> GameVariant:
        """Returns the plain variant of the game of a network; raises NativeError for want of memory."""
        return cls.plain(Game.from_propnet(net))

    def searched_goals(self, goals: tuple[int, ...]) -> tuple[int, ...]:
        """Returns what goals of the rules, one for each role, are worth to a search."""
        return (relative_goal(*goals), relative_goal(*reversed(goals))) if self.relative else goals

    @property
    def ends_early(self) -> bool:
        """Whether the searched game may be over where the full game is not."""
        return self.game is not self.full_game


def compile_variant(
    net: Propnet, wins: UnstoppableWins | None, symmetries: Int32Array | None = None, *, relative: bool = False
) -> GameVariant:
    """Compiles a network, to end early at any of the unstoppable `wins`, and to be played for `relative` goals.

    Where these can be better than at a win, games do not end at wins.
    """
    full_game = Game.from_propnet(searched_network(net, relative=relative), symmetries)
    if wins is None or (relative and not _are_best(wins, net)):
        return GameVariant(full_game, full_game, relative)
    ending = searched_network(with_unstoppable_wins(net, wins), relative=relative)
    return GameVariant(Game.from_propnet(ending, symmetries), full_game, relative)


def _are_best(wins: UnstoppableWins, net: Propnet) -> bool:
    """Says whether nobody can be further ahead than at these wins."""
    goals = {(literal, role): value for role, value, literal in wins.goals}
    reached = {relative_goal(goals[literal, 0], goals[literal, 1]) for literal, _ in goals}
    return reached <= set(goal_range(net))


def searched_network(net: Propnet, *, relative: bool) -> Propnet:
    """Returns the network whose goals searches play for."""
    return with_relative_goals(net) if relative else net
