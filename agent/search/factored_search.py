"""Searches a game of two by its factors: one search for each factor, whose results are combined.

In a sum the best move is best in every factor, and the values add (see `decomposition`, which proves it). Where a role
alone can choose in a factor it plays what is best there; where both can, it mixes as that factor's search does.

Where the first factor that ends decides, a move is worth what it is in its own factor, together with what it is worth
in each of the others to make no move there. The factors' values are taken for independent evidence of who will win,
so their log-odds add. A role that cannot choose between factors plays what the search of its factor plays. For one that
can, the best move is the one that gains most log-odds over making none in its factor, its *temperature*. A factor in
which to make no move loses calls for an answer at once, and one in which every move is worse than none is left alone.
In a factor that is won whatever is played, the quickest win is worth a little more than the rest, or it would never be
made. Moves that end the game count as what they earn. Nothing but an immediate win is taken for proven.

Factors that are played like games by themselves have equal time. Where values are compared, the time goes to the factor
whose search has fewest visits; where a role may leave factors alone, most are left alone for long, and visits of those
that would not be moved in count for more. Trees are kept, so a factor that rests soon costs nothing, and one in which
the other side has moved is looked at first.

Sources: as for `decomposition`; I. Good, "Probability and the Weighing of Evidence", 1950 (log-odds); E. Berlekamp,
D. Wolfe, "Mathematical Go", 1994 (temperature).
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ludens.agent.search.contract import GameSearch
from ludens.agent.search.decomposition import Decomposition, Kind, idle_vector, project
from ludens.native.core import Game, JointMoves, RootMoves, SearchStats, Simulator, States, unpack_bits

_WITHOUT_END = 1e8  # seconds
_ROUND_SECONDS = 0.01  # that one factor is searched before the next is chosen
_OTHERS_WEIGHT = 5  # of a visit in a factor that would not be moved in, where the first to end decides
_LANES = 64
_SURE_WIN, _SURE_LOSS = 0.999, 0.0001  # a loss that is certain weighs more than a win that is still to be made
_LATER_WIN = 0.99  # by another move than the best
_UNSEEN = 50.0  # value of what was never visited
_BEST = 100
_WHOLE = 1_000_000  # in which shares are given as visits


class FactoredSearch:
    """A `GameSearch` of a game in factors."""

    def __init__(self, game: Game, decomposition: Decomposition, searches: Sequence[GameSearch]) -> None:
        """`game` is the whole one; `searches` are those of its factors."""
        self.game = game
        self._decomposition = decomposition
        self._simulator = Simulator(game, _LANES)
        self._simulators = [Simulator(search.game, _LANES) for search in searches]
        self._searches = searches
        self._first_moves = [sum(game.moves[:role]) for role in range(game.roles)]
        self._stopped = False
        self.set_root()

    def set_root(self, state: States | None = None) -> None:
        """See `GameSearch`."""
        self._state = self.game.initial if state is None else state.reshape(-1)
        bits = unpack_bits(self._state, self.game.state_bits)
        control = self._decomposition.factoring.control
        self._phase = control.states.index(tuple(bits[list(control.propositions)].tolist()))
        self._legal = [np.flatnonzero(moves[0]) for moves in self._simulator.legal(self._state)]
        self._parts = [project(self._state, sub, self.game.state_bits)[0] for sub in self._decomposition.games]
        self._over = [bool(s.terminal(part)[0]) for s, part in zip(self._simulators, self._parts, strict=True)]
        self._choosers = [
            [int(moves[0].sum()) for moves in s.legal(part)]
            for s, part in zip(self._simulators, self._parts, strict=True)
        ]
        for search, part, over in zip(self._searches, self._parts, self._over, strict=True):
            if not over:
                search.set_root(part)
        self._spent = dict.fromkeys(self._searches, 0.0)  # seconds
        self._ends = self._endings() if self._decomposition.kind is Kind.FIRST_TO_END else None

    @property
    def mixes(self) -> bool:
        """See `GameSearch`."""
        return all(search.mixes for search in self._searches)

    @property
    def unguided_visits(self) -> int:
        """See `GameSearch`."""
        return max(search.unguided_visits for search in self._searches)

    def run(self, seconds: float = 0.0, playouts: int = 0) -> None:
        """See `GameSearch`; searches the factors one after the other."""
        self._stopped = False
        end = time.monotonic() + (seconds or _WITHOUT_END)
        most = self.stats().playouts + playouts if playouts else math.inf
        while not self._stopped and not self._wins():
            open_ones = [s for s, over in zip(self._searches, self._over, strict=True) if not over]
            open_ones = [s for s in open_ones if not s.stats().solved]
            left, wanted = end - time.monotonic(), most - self.stats().playouts
            if left <= 0 or wanted <= 0 or not open_ones:
                return
            neediest, began = self._neediest(open_ones), time.monotonic()
            neediest.run(min(_ROUND_SECONDS, left), int(wanted) if playouts else 0)
            self._spent[neediest] += time.monotonic() - began

    def suggest(self, moves: JointMoves) -> None:
        """See `GameSearch`; a line is of no use to the search of a factor."""

    def _neediest(self, searches: Sequence[GameSearch]) -> GameSearch:
        """Returns the search to go on with."""
        if not self._decomposition.compares:
            return min(searches, key=self._spent.__getitem__)
        mine = self._moved_in() if self._decomposition.waits else None

        def visits(search: GameSearch) -> int:
            return search.stats().root_visits * (1 if mine in (None, search) else _OTHERS_WEIGHT)

        return min(searches, key=visits)

    def _moved_in(self) -> GameSearch | None:
        """Returns the search of the factor in which the best move is made, as far as that is known."""
        role = max(range(self.game.roles), key=lambda r: len(self._legal[r]))
        vectors = [*self._decomposition.factoring.vectors(self._phase, [*self._decomposition.factoring.roles()][role])]
        idle, known = idle_vector(vectors), self.root_moves(role)
        if idle is None or known.best < 0:
            return None
        move = int(known.moves[known.best])
        for place, search in enumerate(self._searches):
            if self._stands(place, role, move) != idle[place]:
                return search
        return None

    def stop(self) -> None:
        """See `GameSearch`."""
        self._stopped = True
        for search in self._searches:
            search.stop()

    def stats(self) -> SearchStats:
        """See `GameSearch`; summed over the factors; visits of the root are those of the factor with fewest.

        Solved is where it is proven what to play in each factor, though which of them ends first be unknown.
        """
        all_stats = [search.stats() for search in self._searches]
        unsolved = [s for s, over in zip(all_stats, self._over, strict=True) if not (over or s.solved)]
        return SearchStats(
            playouts=sum(s.playouts for s in all_stats),
            iterations=sum(s.iterations for s in all_stats),
            state_changes=sum(s.state_changes for s in all_stats),
            root_visits=min((s.root_visits for s in unsolved or all_stats), default=0),
            nodes=sum(s.nodes for s in all_stats),
            recycled=sum(s.recycled for s in all_stats),
            memory_bytes=sum(s.memory_bytes for s in all_stats),
            depth=max(s.depth for s in all_stats),
            bytes_per_node=max(s.bytes_per_node for s in all_stats),
            solved=self._wins() or not (unsolved or self._decomposition.waits),
        )

    def root_moves(self, role: int) -> RootMoves:
        """See `GameSearch`; visits are shares of a million in which the moves should be played."""
        known = [self._known(place, role) for place in range(len(self._parts))]
        if self._decomposition.kind is Kind.SUM:
            return self._sum(role, known)
        return self._first_to_end(role, known)

    def expected_line(self, room: int = 20) -> JointMoves:
        """See `GameSearch`; the best joint move alone, as what follows in a factor depends on the others."""
        if not room or not all(map(len, self._legal)):
            return np.empty((0, self.game.roles), np.int32)
        known = [self.root_moves(role) for role in range(self.game.roles)]
        return np.array([[k.moves[k.best] for k in known]], np.int32)

    # ---- One factor --------------------------------------------------------------------------------------------

    def _known(self, place: int, role: int) -> dict[int, FactorMove]:
        """Returns what is known of a role's moves in a factor, by the move of the whole game that stands for others."""
        search, sub = self._searches[place], self._decomposition.games[place]
        first = sum(map(len, sub.net.moves[:role]))
        if self._over[place]:
            goal = float(self._simulators[place].goals(self._parts[place])[0, role])
            legal = np.flatnonzero(self._simulators[place].legal(self._parts[place])[role][0])
            return {int(sub.moves[first + m]): FactorMove(goal, 1.0 / len(legal), int(goal)) for m in legal}
        known = search.root_moves(role)
        mixes = sum(count > 1 for count in self._choosers[place]) > 1
        shares = known.visits / max(1, known.visits.sum()) if mixes else np.zeros(len(known.moves))
        if not mixes and known.best >= 0:
            shares[known.best] = 1.0
        values = np.where(np.isnan(known.values), _UNSEEN, known.values)
        values = np.where(known.proven >= 0, known.proven, values)
        return {
            int(sub.moves[first + m]): FactorMove(float(value), float(share), int(proven))
            for m, value, share, proven in zip(known.moves, values, shares, known.proven, strict=True)
        }

    def _stands(self, place: int, role: int, move: int) -> int:
        return self._decomposition.factoring.factors[place].representative[self._phase][self._first_moves[role] + move]

    # ---- Together ----------------------------------------------------------------------------------------------

    def _sum(self, role: int, known: Sequence[dict[int, FactorMove]]) -> RootMoves:
        moves = self._legal[role]
        rows = [[k[self._stands(i, role, int(m))] for i, k in enumerate(known)] for m in moves]
        offset = self._decomposition.offset[role]
        values = np.array([offset + sum(k.value for k in row) for row in rows])
        shares = np.array([np.prod([k.share for k in row]) for row in rows])
        proven = np.array(
            [round(offset) + sum(k.proven for k in row) if all(k.proven >= 0 for k in row) else -1 for row in rows]
        )
        return self._told(moves, shares, values, proven, int(shares.argmax()) if len(moves) else -1)

    def _first_to_end(self, role: int, known: Sequence[dict[int, FactorMove]]) -> RootMoves:
        assert self._ends is not None
        moves = self._legal[role]
        vectors = [[self._stands(i, role, int(move)) for i in range(len(known))] for move in moves]
        odds = [sum(log_odds(k.get(m)) for k, m in zip(known, vector, strict=True)) for vector in vectors]
        values = 100 / (1 + np.exp(-np.array(odds)))
        proven = np.full(len(moves), -1)
        for i, move in enumerate(moves):
            if (goal := self._ends.get((role, int(move)))) is not None:
                values[i] = proven[i] = goal
        if self._decomposition.waits or _BEST in proven:
            shares = np.zeros(len(moves))
            shares[np.argsort(-values, kind="stable")[:1]] = 1.0
        else:
            shares = np.array([np.prod([k[m].share for k, m in zip(known, v, strict=True)]) for v in vectors])
        return self._told(moves, shares, values, proven, int(shares.argmax()) if len(moves) else -1)

    def _told(
        self,
        moves: npt.NDArray[np.int64],
        shares: npt.NDArray[np.float64],
        values: npt.NDArray[np.float64],
        proven: npt.NDArray[np.int64],
        best: int,
    ) -> RootMoves:
        visits = np.round(shares * _WHOLE).astype(np.int64)
        return RootMoves(moves.astype(np.int32), visits, values, proven.astype(np.int32), best)

    def _endings(self) -> dict[tuple[int, int], int]:
        """Returns the goals of moves that end the whole game, where one role chooses."""
        choosers = [role for role, moves in enumerate(self._legal) if len(moves) > 1]
        if len(choosers) != 1 or not all(map(len, self._legal)):
            return {}
        [role] = choosers
        joint = np.array([[moves[0] for moves in self._legal]] * len(self._legal[role]), np.int32)
        joint[:, role] = self._legal[role]
        after = self._simulator.next(np.repeat(self._state[None], len(joint), axis=0), joint)
        over, goals = self._simulator.terminal(after), self._simulator.goals(after)[:, role]
        return {(role, int(m)): int(g) for m, o, g in zip(self._legal[role], over, goals, strict=True) if o and g >= 0}

    def _wins(self) -> bool:
        """Says whether there is a move that ends the game with the best goal."""
        return self._ends is not None and _BEST in self._ends.values()


@dataclass(frozen=True, slots=True)
class FactorMove:
    """What is known of a move in one factor."""

    value: float  # 0 … 100
    share: float  # in which it should be played
    proven: int  # goal with perfect play in the factor; -1 while unknown


def log_odds(known: FactorMove | None) -> float:
    """Returns the logarithm of the odds that one wins with a move; 0 if nothing is known."""
    if known is None:
        return 0.0
    chance = min(max(known.value / 100, _SURE_LOSS), _SURE_WIN if known.share else _LATER_WIN)
    return float(np.log(chance / (1 - chance)))
