"""The mind on the propositional network: the native tree search.

The only part of an engine that needs the native core, and imported no earlier than that: an engine which just
knows the rules cannot be brought down by it.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from agent.options import PlayerOptions
from agent.thinking import SEARCHES, Mind, Path, new_random
from agent.wire import Joint, Position, Thought
from native.core import Game, JointMoves, Search, Simulator, States
from propnet.network import Propnet

_LINE_STEPS = 12
_NOISE = 0.1  # moves with less than this share of the most visits were only looked at, and are not played


class NetworkMind(Mind):
    """Plays on the propositional network with the native search, which keeps its tree from turn to turn."""

    def __init__(self, net: Propnet, role: str, options: PlayerOptions) -> None:
        """Builds the native machines; raises `NativeError` or `MemoryError` if there is no room for them."""
        self._net = net
        self._seat = net.roles.index(role)
        self._random = new_random(options)
        game = Game.from_propnet(net)
        self._simulator = Simulator(game, lanes=64)
        self._strategy = options.strategy
        self._search = new_search(game, options, self._random.getrandbits(63))
        self._index = [{move: i for i, move in enumerate(moves)} for moves in net.moves]
        self._path = Path(game.initial, self._after)

    def go_to(self, history: tuple[Joint, ...]) -> Position:
        """See `Mind`."""
        state = self._path.follow(history)
        legal = [np.flatnonzero(moves[0]) for moves in self._simulator.legal(state)]
        terminal = bool(self._simulator.terminal(state)[0])
        goals = tuple(None if g < 0 else int(g) for g in self._simulator.goals(state)[0]) if terminal else ()
        self._legal = legal[self._seat]
        self._hidden = sum(len(moves) > 1 for moves in legal) > 1 and len(self._legal) > 1
        self._lot = self._random.random()
        if not terminal and self._search is not None:
            self._search.set_root(state)
            self._playouts = self._search.stats().playouts  # those of earlier positions
        texts = tuple(self._net.moves[self._seat][move] for move in self._legal)
        self.position = Position(len(history), texts, terminal, goals)
        return self.position

    def think(self, seconds: float) -> Thought:
        """See `Mind`."""
        assert self._search is not None
        self._search.run(seconds)
        known = self._search.root_moves(self._seat)
        chosen = draw(known.visits, self._lot) if self._hidden else known.best(self._strategy)
        value = float(known.values[chosen])
        return Thought(
            step=self.position.step,
            move=self._net.moves[self._seat][known.moves[chosen]],
            playouts=self._search.stats().playouts - self._playouts,
            value=None if math.isnan(value) else value,
            line=tuple(map(self._texts, self._search.expected_line(_LINE_STEPS))),
            machine="network",
            final=len(self._legal) == 1,
        )

    def interrupt(self) -> None:
        """See `Mind`."""
        if self._search is not None:
            self._search.stop()

    def _texts(self, joint: JointMoves) -> Joint:
        return tuple(moves[i] if i >= 0 else "none" for moves, i in zip(self._net.moves, joint, strict=True))

    def _after(self, state: States, moves: Joint) -> States:
        """The next state; a move that the network does not know counts as none."""
        joint = [index.get(move, -1) for index, move in zip(self._index, moves, strict=True)]
        successors = self._simulator.next(state, np.array(joint, np.int32))
        return successors.reshape(-1)


def draw(visits: npt.NDArray[np.int64], lot: float) -> int:
    """The index that `lot`, in [0, 1), falls on when moves are chosen in proportion to their visits.

    Where others choose at the same moment, the most visited move alone can be foreseen and answered; the
    visits of decoupled UCT approach a mixed strategy. A position keeps its lot while visits grow, so that the
    choice settles as they do. Moves that were hardly visited are left out.
    """
    weights = np.where(visits >= _NOISE * visits.max(), visits, 0) + (visits.max() == 0)
    bounds = np.cumsum(weights)
    return int(np.searchsorted(bounds, lot * bounds[-1], side="right"))


def new_search(game: Game, options: PlayerOptions, seed: int) -> Search | None:
    """The native search that these settings ask for; none for a strategy that does not search."""
    if options.strategy not in SEARCHES:
        return None
    return Search(
        game,
        strategy=options.strategy,
        threads=options.threads,
        lanes=options.lanes,
        memory_bytes=options.nodes_mb << 20,
        exploration=options.exploration,
        playouts_per_leaf=options.playouts_per_leaf,
        expand_after=options.expand_after,
        max_steps=options.max_steps,
        seed=seed,
    )
