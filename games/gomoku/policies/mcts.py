"""Monte Carlo tree search with UCT (Kocsis and Szepesvari 2006), written to be read.

Each iteration selects edges from the root by their upper confidence bounds, ties broken at random; expands the first
edge that was never followed; plays a random game from there; and adds its result to every edge on the way. The edge
with most visits is played. Three things make it stronger without changing this:

* Nodes are memoised by their positions, which several orders of moves lead to, and are kept from turn to turn, until
  half of the room for them is taken. Where all is taken within a turn, the tree grows no more in it.
* Random games end early: a side that can complete a row does so.
* Where rows or double threats, such as open threes, have to be answered, only the answers are edges (`candidates`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from ludens.games.gomoku.policies.policy import Deadline
from ludens.games.gomoku.policies.windows import OTHER, Ints, candidates, windows_of
from ludens.games.gomoku.state import EMPTY, MAX, MIN, Action, GomokuState

_MOST_NODES = 50_000  # that are kept, each of some kilobytes


class _Node:
    """A position with its edges."""

    def __init__(self, state: GomokuState) -> None:
        self.state = state
        self.cells = [] if state.is_game_over else candidates(state)
        self.visits = np.zeros(len(self.cells), np.int64)
        self.totals = np.zeros(len(self.cells))  # of results, as the player to move sees them


@dataclass(slots=True)
class MctsPolicy:
    """Plays by Monte Carlo tree search: for so many iterations if they are not 0, else for the time."""

    name: ClassVar[str] = "MCTS"

    seed: int = 0
    iterations: int = 0
    exploration: float = 0.7
    _random: np.random.Generator = field(init=False, repr=False)
    _nodes: dict[bytes, _Node] = field(init=False, repr=False, default_factory=dict)

    def __post_init__(self) -> None:
        self._random = np.random.default_rng(self.seed)

    def choose(self, state: GomokuState, seconds: float) -> Action:
        """See `Policy`."""
        if len(self._nodes) >= _MOST_NODES // 2:
            self._nodes.clear()
        root, deadline, done = self._node(state), Deadline.after(seconds), 0
        while len(root.cells) > 1 and (done < self.iterations if self.iterations else not deadline.is_over):
            self._iterate(root)
            done += 1
        row, column = divmod(root.cells[self._best(root.visits)], state.board_size)
        return row, column

    def _iterate(self, root: _Node) -> None:
        """Selects, expands, simulates, and adds the result to the edges on the way."""
        path, node, is_new = [], root, False
        while node.cells and not is_new:
            edge = self._select(node)
            path.append((node, edge))
            is_new = node.visits[edge] == 0
            action = divmod(node.cells[edge], node.state.board_size)
            node = self._node(node.state.perform(action))
        result = score_of(node.state) if node.state.is_game_over else play_randomly(node.state, self._random)
        for passed, edge in path:
            passed.visits[edge] += 1
            passed.totals[edge] += result if passed.state.current_player == MAX else -result

    def _select(self, node: _Node) -> int:
        """Returns an edge that was never followed, or that with the highest upper confidence bound."""
        fresh = np.flatnonzero(node.visits == 0)
        if len(fresh):
            return int(self._random.choice(fresh))
        bonus = self.exploration * np.sqrt(math.log(node.visits.sum()) / node.visits)
        return self._best(node.totals / node.visits + bonus)

    def _best(self, values: npt.NDArray[np.int64] | npt.NDArray[np.float64]) -> int:
        """Returns the index of the greatest value; of several one at random."""
        return int(self._random.choice(np.flatnonzero(values == values.max())))

    def _node(self, state: GomokuState) -> _Node:
        """Returns the node of a position: an old one where there is one, else a new one, kept if there is room."""
        key = bytes((state.board_size, state.win_size)) + state.board.tobytes()
        node = self._nodes.get(key)
        if node is None:
            node = _Node(state)
            if len(self._nodes) < _MOST_NODES:
                self._nodes[key] = node
        return node


def score_of(state: GomokuState) -> float:
    """Returns the result of a game that is over for max, from -1 to 1: quick wins count more, and a draw is 0."""
    return _result(state.winner, state.current_score, state.board_size**2)


def play_randomly(state: GomokuState, random: np.random.Generator) -> float:
    """Plays a random game on from a position that is not over, and returns its result as `score_of` does.

    All moves are uniform but the last, which completes a row. A uniform game is a random order of the empty cells, so
    it is drawn at once: a window whose first k - 1 stones have one colour is completed in the next turn of that side,
    unless its last cell is taken by then. The first of these turns ends the game.
    """
    size, player = state.board_size, state.current_player
    empty = np.flatnonzero(state.board[EMPTY])
    order = random.permutation(len(empty))
    step = np.full(size * size, -1)
    step[empty] = order
    owner = state.board.reshape(3, -1).argmax(axis=0)
    owner[empty] = np.where(order % 2 == 0, player, OTHER[player])
    return _first_win(windows_of(size, state.win_size).cells, step, owner, player, len(empty))


def _first_win(windows: Ints, step: Ints, owner: Ints, player: int, empty: int) -> float:
    """Returns the result of the first row: cells get stones of `owner` in the turns `step`, -1 for those before."""
    if not len(windows):
        return 0.0
    steps, owners = step[windows], owner[windows]
    last = steps.argmax(axis=1)
    rows = np.arange(len(windows))
    moment = steps[rows, last]
    steps[rows, last] = -1
    begun = steps.max(axis=1)
    side = owners[:, 0] if windows.shape[1] == 1 else owners[rows, (last == 0).astype(np.int64)]
    owners[rows, last] = side
    turn = begun + 1 + (((begun + 1) % 2 == 0) != (side == player))
    wins = (owners == side[:, None]).all(axis=1) & (moment >= turn)
    if not wins.any():
        return 0.0
    first = np.flatnonzero(wins)[turn[wins].argmin()]
    winner = int(side[first])
    left = empty - int(turn[first]) - 1
    return _result(winner, (left + 1) * (1 if winner == MAX else -1), len(step))


def _result(winner: int, score: int, cells: int) -> float:
    """Returns a result for max from the winner and the score of the last position."""
    return 0.5 * ({MAX: 1, MIN: -1}.get(winner, 0) + score / cells)
