"""What happened before each move of random games: facts may record it, and rules may depend on it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ludens.games.checkers.recognition.board import Board
from ludens.games.checkers.recognition.sampled_games import SampledTransitions
from ludens.games.checkers.rules.positions import Bools, Ints


@dataclass(frozen=True, slots=True, eq=False)
class History:
    """What happened before each move of random games, rows [n] of `SampledTransitions`."""

    last: Ints  # the side that moved before, -1 at the beginning
    capture: Ints  # the square on which a capture ended just before, unless a man was crowned there; -1 for none
    chain: Ints  # that square if the same side moves again, else -1
    idle: Ints  # plies in a row in which no man moved and nothing was taken
    progress: Bools  # whether this move ends such a row


def read_history(samples: SampledTransitions, board: Board) -> History:
    """Finds out what happened before each move."""
    begins = samples.ply == 0
    last = np.where(begins, -1, np.roll(board.turn, 1))
    took = np.where((board.victims > 0) & ~board.crowned, board.landing, -1)
    capture = np.where(begins, -1, np.roll(took, 1))
    progress = (board.victims > 0) | ~board.royal
    rows = np.arange(len(begins))
    fresh = np.where(begins | np.roll(progress, 1), rows, 0)
    return History(
        last=last,
        capture=capture,
        chain=np.where(last == board.turn, capture, -1),
        idle=rows - np.maximum.accumulate(fresh),
        progress=progress,
    )
