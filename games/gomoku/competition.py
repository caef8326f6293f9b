"""Games of two policies against each other, turn by turn, on the numpy reference."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ludens.games.gomoku.policies.policy import Policy
from ludens.games.gomoku.policies.windows import actions_of, candidates
from ludens.games.gomoku.state import MAX, Action, GomokuState


@dataclass(frozen=True, slots=True)
class Turn:
    """A move that was made."""

    number: int  # from 1
    policy: Policy
    seconds: float  # that it took
    action: Action
    state: GomokuState  # after it


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """A game that is over."""

    actions: tuple[Action, ...]  # those of the opening first
    state: GomokuState
    seconds: tuple[float, float]  # run times of both policies, of the one that plays x first


def play_game(
    policies: Sequence[Policy],
    start: GomokuState,
    seconds: float,
    tell: Callable[[Turn], None],
    opening: Sequence[Action],
) -> PlayedGame:
    """Plays a game to its end from the position after an opening; the first policy plays x.

    Policies have so many seconds for each move, and `tell` takes every turn. Raises LudensError for an action that is
    not valid.
    """
    state, actions, times = start.play_seq(opening, midgame=True), list(opening), [0.0, 0.0]
    while not state.is_game_over:
        side = 0 if state.current_player == MAX else 1
        began = time.perf_counter()
        action = policies[side].choose(state, seconds)
        took = time.perf_counter() - began
        state = state.perform(action)
        actions.append(action)
        times[side] += took
        tell(Turn(len(actions), policies[side], took, action, state))
    return PlayedGame(tuple(actions), state, (times[0], times[1]))


def random_opening(start: GomokuState, moves: int, seed: int) -> tuple[Action, ...]:
    """Returns an opening of so many random stones near each other, or fewer if the game would be over."""
    rng, state, actions = random.Random(seed), start, []
    for _ in range(moves):
        action = rng.choice(actions_of(state, candidates(state)))
        after = state.perform(action)
        if after.is_game_over:
            break
        state = after
        actions.append(action)
    return tuple(actions)
