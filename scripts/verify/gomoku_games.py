"""Plays gomoku games to full boards at all sizes on the numpy reference, and compares the native core move by move.

    python -m scripts.verify.gomoku_games --games 20         # of each size: boards of 3 to 22, 3 to 7 in a row

Half of the games are random; in the others both sides avoid rows, so that boards fill to the last cell. In each, the
native core must have the same state, legal moves, ends and goals after every move, and policies must have an action
for the last positions. Prints what was compared, and fails at the first difference.
"""

from __future__ import annotations

import argparse
import itertools
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ludens.games.gomoku.policies.policy import Policy
from ludens.games.gomoku.policies.table import read_policy
from ludens.games.gomoku.policies.windows import winning_cells
from ludens.games.gomoku.rules import GomokuRules, native_game, pack
from ludens.games.gomoku.state import EMPTY, MAX, MIN, GomokuState
from ludens.native.core import Simulator, States
from ludens.propnet.base.errors import LudensError
from scripts.common import arguments
from scripts.common.progress import tell

_BOARDS, _LENGTHS = range(3, 23), range(3, 8)
_LAST = 4  # empty cells from which policies choose the actions


@dataclass(slots=True)
class Compared:
    """How much was compared."""

    games: int = 0
    moves: int = 0
    full: int = 0  # boards

    def add(self, states: Sequence[GomokuState]) -> None:
        """Adds a game."""
        self.games += 1
        self.moves += len(states) - 1
        self.full += states[-1].empty_cells == 0


def play(start: GomokuState, policies: Sequence[Policy], rng: random.Random, *, avoid: bool) -> Iterator[GomokuState]:
    """Yields the positions of a game."""
    state = start
    yield state
    while not state.is_game_over:
        actions = list(state.valid_actions)
        if state.empty_cells <= _LAST:
            action = rng.choice(policies).choose(state, 1.0)
        elif avoid:
            rows = winning_cells(state, state.current_player)
            quiet = [each for each in actions if each[0] * state.board_size + each[1] not in rows]
            action = rng.choice(quiet or actions)
        else:
            action = rng.choice(actions)
        state = state.perform(action)
        yield state


def compare(states: Sequence[GomokuState], core: Simulator) -> None:
    """Raises LudensError unless the native core has the same game."""
    packed = np.concatenate([_packed(state) for state in states])
    size = states[0].board_size
    cells = [_placed(before, after) for before, after in itertools.pairwise(states)]
    joint = np.full((len(cells), 2), size * size, np.int32)
    joint[np.arange(len(cells)), np.arange(len(cells)) % 2] = cells
    _same(core.next(packed[:-1], joint), packed[1:], "states", states)
    _same(core.terminal(packed), [state.is_game_over for state in states], "ends", states)
    legal = core.legal(packed[:-1])
    for role in (0, 1):
        free = [state.board[EMPTY].ravel().astype(bool) & (ply % 2 == role) for ply, state in enumerate(states[:-1])]
        _same(legal[role][:, :-1], free, "legal moves", states)
    goal = {0: 50, 1: 100, -1: 0}[int(np.sign(states[-1].current_score))]
    _same(core.goals(packed[-1])[0], (goal, 100 - goal), "goals", states)


def _packed(state: GomokuState) -> States:
    stones = state.board[[MAX, MIN]].reshape(1, 2, -1).astype(np.bool_)
    return pack(stones, np.array([state.board[MAX].sum() > state.board[MIN].sum()]))


def _placed(before: GomokuState, after: GomokuState) -> int:
    return int(np.flatnonzero(before.board[EMPTY] != after.board[EMPTY])[0])


def _same(found: object, wanted: object, what: str, states: Sequence[GomokuState]) -> None:
    if not np.array_equal(np.asarray(found), np.asarray(wanted)):
        raise LudensError(f"{what} differ in the game that ends with\n{states[-1]}")


def main() -> int:
    """Plays and compares."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=arguments.count, default=20, help="of each size (%(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    rng, compared = random.Random(args.seed), Compared()
    policies = [read_policy(text, args.seed) for text in ("random", "mcts:iterations=8", "minimax:depth=2,width=4")]
    for size in _BOARDS:
        for length in _LENGTHS:
            core = Simulator(native_game(GomokuRules(size, size, length)), lanes=64, seed=args.seed)
            for game in range(args.games):
                states = list(play(GomokuState.blank(size, length), policies, rng, avoid=game % 2 == 1))
                compare(states, core)
                compared.add(states)
        tell(f"{size} x {size}: {compared.games:,} games")
    print(f"{compared.games:,} games, {compared.moves:,} moves, {compared.full:,} full boards: no difference")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
