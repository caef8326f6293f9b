"""Measures a learner: games side by side against an opponent, from every seat, with a 95 % interval.

Games against a search begin with random moves, so that no two need be alike. A win counts 1, a draw ½; the interval is
Wilson's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ludens import Batch, Game
from ludens.agent.statistics.intervals import wilson
from ludens.env import FORCED, Actions, Opponent, random_actions, read_opponent

Choose = Callable[[Batch], Actions]
"""Chooses an action for the role to move in every game of a batch; where a game is over it may be any."""

OPENING_MOVES = 2  # random ones, of games against a search


class Score(NamedTuple):
    """The mean result of some games, 0 to 1, and the interval that holds the true one with a probability of 95 %."""

    mean: float
    low: float
    high: float
    games: int

    def __str__(self) -> str:
        return f"{self.mean:.1%} ({self.low:.1%} to {self.high:.1%}, {self.games} games)"


def score(game: Game, choose: Choose, opponent: str, games: int, seed: int, tell: Callable[[str], None]) -> Score:
    """Plays `games` games, the learner as each role in as many, and `opponent` (`uct:iterations=1000`) all others.

    `tell` is told after every move how many games are over.
    """
    rng = np.random.default_rng(seed)
    other = read_opponent(opponent, game)
    other.seed(seed)
    batch = Batch(game, games, joint=False, autoreset="never", also=("states",))
    seats = np.arange(games, dtype=np.int32) % len(game.roles)
    results = np.zeros(games)
    moves, opening = 0, 0 if opponent == "random" else OPENING_MOVES
    while not batch.done.all():
        going_on = ~batch.done
        if moves < opening:
            batch.step(np.where(going_on, random_actions(batch.legal, rng), FORCED))
        else:
            batch.step(_moves(batch, choose, other, seats))
        ended = going_on & batch.done
        results[ended] = (batch.rewards[ended, seats[ended]] + 1) / 2
        moves += 1
        tell(f"{batch.done.sum()} of {games} games against {opponent}")
    mean = float(results.mean())
    return Score(mean, *wilson(mean, games), games)


def _moves(batch: Batch, choose: Choose, other: Opponent, seats: Actions) -> Actions:
    """Returns the moves of all games: of the learner where its seat is to move, else of the opponent."""
    actions = np.full(batch.count, FORCED, np.int32)
    own = batch.to_move == seats
    if own.any():
        actions[own] = choose(batch)[own]
    theirs = (batch.to_move >= 0) & ~own
    if theirs.any():
        actions[theirs] = other.choose(batch.states[theirs], batch.to_move[theirs], batch.legal[theirs])
    return actions
