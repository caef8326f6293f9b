"""Makes games that are over at an unstoppable win (`propnet.unstoppable_wins`), which no answer can prevent.

A search of such a game knows unstoppable wins at once, and what leads to them sooner. It cannot play them to the end;
`search.early_win_search` adds that.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ludens.agent.variants.opponents import searched_network
from ludens.native.core import Game
from ludens.propnet.analysis.composition import CompositionError
from ludens.propnet.analysis.relative_goals import goal_range, relative_goal
from ludens.propnet.base.arrays import Int32Array
from ludens.propnet.network.propnet import Propnet
from ludens.propnet.unstoppable_wins.ending import with_unstoppable_wins
from ludens.propnet.unstoppable_wins.finding import NoUnstoppableWinsError, UnstoppableWins, find_unstoppable_wins

_LONGEST = 2  # chain of moves; longer ones win little more, and cost many gates (docs/experiments/unstoppable-wins.md)
_LEAST_GATES = 20_000  # that are allowed whatever the network
_GROWTH = 8  # gates of unstoppable wins for each gate of the network
_SECONDS = 4.0  # most games take less than one


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


def early_wins(net: Propnet, explain: Callable[[str], None]) -> UnstoppableWins | None:
    """Finds the unstoppable wins of a game, in all its networks; None where there are none, or too many to find.

    `explain` takes what is found.
    """
    try:
        found = find_unstoppable_wins(net, _LONGEST, max(_LEAST_GATES, _GROWTH * len(net.gates)), _SECONDS)
    except NoUnstoppableWinsError:
        return None
    except CompositionError as error:
        explain(f"wins that nobody can prevent are not looked for: {error}")
        return None
    explain(f"a search ends at wins that nobody can prevent; {len(found.gates):,} more logic gates find them")
    return found


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
