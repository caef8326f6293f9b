"""Games searched as if they were over at an unstoppable win (`propnet.unstoppable_wins`), and played out all the same.

Such a search knows unstoppable wins at once, and what leads to them sooner. But it does not know how to play them to
the end: where such a win is on the board it has nothing to search, and among moves that all allow one it cannot tell
which puts up the most resistance. There the whole game is searched, in a tree of its own. Evaluations are learned
from whole games, too: from games that end early they come to be much worse (docs/experiments/unstoppable-wins.md).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ludens.native.core import Game, JointMoves, RootMoves, Search, SearchStats, Simulator, States
from ludens.propnet.analysis.composition import CompositionError
from ludens.propnet.network.propnet import Propnet
from ludens.propnet.unstoppable_wins.ending import with_unstoppable_wins
from ludens.propnet.unstoppable_wins.finding import (
    NoUnstoppableWinsError,
    UnstoppableWins,
    find_unstoppable_wins,
)

_LONGEST = 2  # chain of moves; longer ones win little more, and cost many gates (docs/experiments/unstoppable-wins.md)
_LEAST_GATES = 20_000  # that are allowed whatever the network
_GROWTH = 8  # gates of unstoppable wins for each gate of the network
_SECONDS = 4.0  # most games take less than one
_WHOLE_SHARE = 4  # of the memory is for the game as it is
_EVEN = 50


class RacedGame(Game):
    """A game that is over at an unstoppable win; `whole` is the same played out, with the same states and moves."""

    whole: Game


def races_of(net: Propnet, tell: Callable[[str], None]) -> UnstoppableWins | None:
    """The unstoppable wins of a game, in all its networks; None where there are none, or too many to find."""
    try:
        races = find_unstoppable_wins(net, _LONGEST, max(_LEAST_GATES, _GROWTH * len(net.gates)), _SECONDS)
    except NoUnstoppableWinsError:
        return None
    except CompositionError as error:
        tell(f"played without unstoppable wins: {error}")
        return None
    tell(f"unstoppable wins count as ends of the game, which takes {len(races.gates):,} gates")
    return races


def as_raced(net: Propnet, races: UnstoppableWins) -> RacedGame:
    """The game of a network, over at unstoppable wins."""
    game = RacedGame.from_propnet(with_unstoppable_wins(net, races))
    game.whole = Game.from_propnet(net)
    return game


def whole(game: Game) -> Game:
    """The game as it is played out."""
    return game.whole if isinstance(game, RacedGame) else game


class RacedSearch:
    """Has what a `ludens.native.core.Search` has for those that play with it."""

    def __init__(self, game: RacedGame, make: Callable[[Game, int], Search], memory_mb: int) -> None:
        """`make` makes the search of a game with so much memory, in MB."""
        self.game = game
        whole_mb = max(1, memory_mb // _WHOLE_SHARE)
        self._raced = make(game, max(1, memory_mb - whole_mb))
        self._whole = make(game.whole, whole_mb)
        self._search = self._raced  # the one at work
        self._simulator = Simulator(game, 64)
        self._state = game.initial
        self._lost = False  # as is proven of the root
        self.set_root()

    def set_root(self, state: States | None = None) -> None:
        """Makes `state` (the initial one if None) the root; what is known of it is kept."""
        self._state = self.game.initial if state is None else state
        self._lost = False
        if self._simulator.terminal(self._state.reshape(-1))[0]:
            self._turn_to_whole()
        else:
            self._raced.set_root(self._state)
            self._search = self._raced

    def run(self, seconds: float = 0.0, playouts: int = 0) -> None:
        """See `ludens.native.core.Search`."""
        self._search.run(seconds, playouts)
        if self._search is self._raced and self._is_lost():
            self._turn_to_whole()
            self._lost = True

    def stop(self) -> None:
        """Ends a run in progress, soon; like all that reports, from any thread."""
        self._search.stop()

    def stats(self) -> SearchStats:
        """The counters so far; visits of the root are those of the tree at work, or of both if it changed."""
        search = self._search
        one, other = search.stats(), (self._whole if search is self._raced else self._raced).stats()
        sums = ["playouts", "iterations", "state_changes", "nodes", "recycled", "memory_bytes"]
        if self._lost:
            sums.append("root_visits")
        return replace(one, **{name: getattr(one, name) + getattr(other, name) for name in sums})

    def root_moves(self, role: int) -> RootMoves:
        """The legal moves of a role at the root, in order of their index; of a lost one all that is proven."""
        known = self._search.root_moves(role)
        return known._replace(proven=self._raced.root_moves(role).proven) if self._lost else known

    def expected_line(self, room: int = 20) -> JointMoves:
        """See `ludens.native.core.Search`; as far as the first unstoppable win."""
        return self._search.expected_line(room)

    def _turn_to_whole(self) -> None:
        self._whole.set_root(self._state)
        self._search = self._whole

    def _is_lost(self) -> bool:
        """Whether it is proven that the role to move has lost."""
        if not self._raced.stats().solved:
            return False
        known = [self._raced.root_moves(role) for role in range(self.game.roles)]
        moves = known[int(np.argmax([len(each.moves) for each in known]))]
        return bool(0 <= moves.proven[moves.best] < _EVEN)
