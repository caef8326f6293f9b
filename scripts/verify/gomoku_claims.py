"""Checks claims of threat-space search in gomoku: every proof of a win is played out against every answer.

    python -m scripts.verify.gomoku_claims --claims 100000 --minutes 20

Positions are those of random games on 15 x 15 cells, whose moves are near stones and answer rows that are about to be
completed. What a win is, is known from stones and rows alone (`scripts.common.gomoku_rows`). Where the search says
that there is no win by fours, trying all fours must agree. Prints how many claims were checked, and fails at the first
that is false.
"""

from __future__ import annotations

import argparse
import random
import time
from dataclasses import dataclass

import numpy as np

from ludens.games.gomoku.policies.windows import OTHER, actions_of, candidates, winning_cells
from ludens.games.gomoku.rules import GomokuRules, native_game, pack
from ludens.games.gomoku.state import MAX, MIN, GomokuState
from ludens.native.core import ThreatSearch
from ludens.propnet.base.errors import LudensError
from scripts.common import arguments
from scripts.common.gomoku_rows import LENGTH, refutation, wins_by_fours
from scripts.common.progress import tell

_SIZE = 15
_RULES = GomokuRules(_SIZE, _SIZE, LENGTH)
_POSITIONS = 20_000  # of a search
_BUDGET = 2_000  # positions in which all fours are tried
_NOTED = 1_000  # claims from one line of progress to the next


@dataclass(slots=True)
class Checked:
    """How many claims were checked, and how many could not be for want of time."""

    wins: int = 0
    none: int = 0  # claims that there is no win by fours
    open: int = 0

    @property
    def claims(self) -> int:
        """All that were checked."""
        return self.wins + self.none


def check(state: GomokuState, threats: ThreatSearch, checked: Checked) -> None:
    """Checks what the search claims of a position; raises LudensError if it is false."""
    side = 1 if state.current_player == MAX else 2
    board = state.board[[MAX, MIN]].reshape(2, -1).astype(np.bool_)
    packed = pack(board[None], np.array([side == 2]))[0]
    plain = (board[0] + 2 * board[1]).astype(np.int8)
    for threes in (False, True):
        found = threats.run(packed, threes=threes, most_positions=_POSITIONS)
        if found.proof is not None:
            if wrong := refutation(plain, _SIZE, found.proof, side):
                raise LudensError(f"{wrong}, in\n{state}")
            checked.wins += 1
        elif not threes and found.verdict == "none":
            answer = wins_by_fours(plain, _SIZE, side, np.array([_BUDGET]))
            if answer > 0:
                raise LudensError(f"a win by fours is missed, in\n{state}")
            checked.none += answer == 0
            checked.open += answer < 0


def random_game(rng: random.Random, threats: ThreatSearch, checked: Checked) -> None:
    """Plays a random game and checks its positions."""
    state = GomokuState.blank(_SIZE, LENGTH)
    while not state.is_game_over:
        forced = winning_cells(state, OTHER[state.current_player])
        action = rng.choice(actions_of(state, sorted(forced) or candidates(state)))
        state = state.perform(action)
        if not state.is_game_over and not winning_cells(state, state.current_player):
            check(state, threats, checked)


def main() -> int:
    """Plays games and checks what is claimed of their positions."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--claims", type=arguments.count, default=100_000, help="to check (%(default)s)")
    parser.add_argument("--minutes", type=arguments.minutes, default=20.0, help="at most (%(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    rng, threats, checked = random.Random(args.seed), ThreatSearch(native_game(_RULES)), Checked()
    end = time.monotonic() + 60 * args.minutes
    noted = 0
    while checked.claims < args.claims and time.monotonic() < end:
        random_game(rng, threats, checked)
        if checked.claims >= noted + _NOTED:
            noted = checked.claims
            tell(f"{noted:,} claims")
    print(
        f"{checked.claims:,} claims, none false: {checked.wins:,} wins, {checked.none:,} positions without a win by "
        f"fours; {checked.open:,} more were not decided"
    )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
