"""Plays random games on any machine, and says how each of them ended and what kind of game they show.

Games go side by side, one step of all at a time, so that a slow machine can be stopped after any step. The same seed
gives the same games; how many of them are played is a matter of time.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple, TypeAlias
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from ludens.native.core import Game, JointMoves, Simulator, States
from ludens.native.defaults import MAX_STEPS
from ludens.propnet.base.arrays import BoolArray
from ludens.propnet.base.clock import now

Numbers: TypeAlias = npt.NDArray[np.int64]

_FIRST_LANES, MOST_LANES = 16, 256  # games at once: few at first, since games may be long, or without end
_FEW_GAMES, _FEW_STEPS = 64, 100  # of games that show what a game is like, the longest of which need not end
_ONE_WAY_SHARE = 0.9  # of the bits; where pieces move less than half of them are only set or only cleared
_LEAST_STEPS = 3  # that show whether a bit is both set and cleared
_ROUND_WORDS = 8192  # of the states of a round's games together, since all states of a round are kept

_few: WeakKeyDictionary[Game, tuple[int, Round]] = WeakKeyDictionary()  # by game, with the seed


class Ending(StrEnum):
    """How a random game ended."""

    PROPER = "proper"  # it was over, and every role had a goal
    NO_GOAL = "no-goal"  # it was over, and some role had no goal, or several
    STUCK = "stuck"  # it was not over, and some role had no legal move
    ENDLESS = "endless"  # it was not over after the most steps


@dataclass(frozen=True, slots=True)
class Step:
    """One step of those games that went on; arrays are for reading alone."""

    games: Numbers  # [n] their numbers
    states: States  # [n, state_words]
    choices: Numbers  # [n, roles] how many legal moves each role had
    joint: JointMoves  # [n, roles]
    following: States  # [n, state_words]

    def __post_init__(self) -> None:
        """Protects the arrays."""
        _protect(self.games, self.states, self.choices, self.joint, self.following)


@dataclass(frozen=True, slots=True)
class Round:
    """Games that were played side by side from the first state on; arrays are for reading alone."""

    steps: tuple[Step, ...]
    lengths: Numbers  # [games] steps
    ended: BoolArray  # [games] those that are over, stuck, or without end; the time was up before others were
    terminal: BoolArray  # [games]
    goals: npt.NDArray[np.int32]  # [games, roles] -1: none, or several
    movable: BoolArray  # [games, roles] who had a legal move in the last state

    def __post_init__(self) -> None:
        """Protects the arrays."""
        _protect(self.lengths, self.ended, self.terminal, self.goals, self.movable)

    @property
    def choices(self) -> Numbers:
        """[n, roles] how many legal moves each role had, for all states in which a game went on, step by step."""
        return np.concatenate([np.empty((0, self.goals.shape[1]), np.int64), *(step.choices for step in self.steps)])

    def ending(self, game: int) -> Ending:
        """Returns how a game ended that did."""
        if self.terminal[game]:
            return Ending.NO_GOAL if (self.goals[game] < 0).any() else Ending.PROPER
        return Ending.ENDLESS if self.movable[game].all() else Ending.STUCK

    def moves(self, game: int) -> list[JointMoves]:
        """Returns the joint moves of a game."""
        return [step.joint[step.games == game][0] for step in self.steps if game in step.games]


def rounds(
    game: Game,
    deadline: float,
    *,
    most_lanes: int = MOST_LANES,
    most_steps: int = MAX_STEPS,
    seed: int = 0,
    unplayed: Sequence[int] = (),
) -> Iterator[Round]:
    """Yields rounds of up to `most_lanes` games each, of `most_steps` at most, until `deadline` (`clock.now()`).

    The last round may hold games that the time did not suffice for. The first role never makes the moves `unplayed`.
    """
    simulator, random = Simulator(game, seed=seed), np.random.default_rng(seed)
    most_lanes = _lanes_of(game, most_lanes)
    lanes = min(_FIRST_LANES, most_lanes)
    while True:
        yield _round(simulator, random, lanes, most_steps, deadline, list(unplayed))
        lanes = most_lanes
        if now() >= deadline:
            return


def one_round(
    game: Game, most_lanes: int = MOST_LANES, *, deadline: float = math.inf, most_steps: int = MAX_STEPS, seed: int = 0
) -> Round:
    """Plays a round of up to `most_lanes` games, of `most_steps` at most, until `deadline` (`clock.now()`).

    On a machine that plays them side by side they take hardly longer than a few.
    """
    lanes, random = _lanes_of(game, most_lanes), np.random.default_rng(seed)
    return _round(Simulator(game, seed=seed), random, lanes, most_steps, deadline, [])


def few_games(game: Game, seed: int = 0) -> Round:
    """Plays some random games for a number of steps, whether or not all end: the same ones however slow the machine is.

    It takes a fraction of a second. Those of the last seed are kept as long as the game.
    """
    known = _few.get(game)
    if known is None or known[0] != seed:
        simulator, random = Simulator(game, _FEW_GAMES, seed), np.random.default_rng(seed)
        known = seed, _round(simulator, random, _lanes_of(game, _FEW_GAMES), _FEW_STEPS, math.inf, [])
        _few[game] = known
    return known[1]


class ChoiceFigures(NamedTuple):
    """Figures of the positions of random games in which somebody has a choice."""

    moves: float  # their mean number for whoever has most; 1 where nobody ever has a choice
    at_once: float  # the share of these positions in which several roles have a choice


def choice_figures(game: Game, seed: int = 0) -> ChoiceFigures:
    """Returns the figures of a few random games."""
    choices = few_games(game, seed).choices
    moves = choices[(choices > 1).any(axis=1)]
    if not moves.size:
        return ChoiceFigures(1.0, 0.0)
    return ChoiceFigures(float(moves.max(axis=1).mean()), float(((moves > 1).sum(axis=1) > 1).mean()))


def takes_turns(game: Game, seed: int = 0) -> bool:
    """Says whether one role at most chooses at a time, as far as a few random games show."""
    return not choice_figures(game, seed).at_once


def only_places(game: Game, seed: int = 0) -> bool:
    """Says whether moves only ever put something down, as in hex, as far as a few random games show.

    There almost all bits of a state are only ever set, or only ever cleared. Bits that are the same in all games, such
    as whose turn it is, are not counted; games of a step or two show nothing.
    """
    steps = few_games(game, seed).steps
    if len(steps) < _LEAST_STEPS:
        return False
    set_, cleared, varied = (np.zeros(game.state_words, np.uint64) for _ in range(3))
    for step in steps:
        set_ |= np.bitwise_or.reduce(step.following & ~step.states, axis=0)
        cleared |= np.bitwise_or.reduce(step.states & ~step.following, axis=0)
        varied |= np.bitwise_or.reduce(step.following ^ step.following[0], axis=0)
    one_way = varied & ~(set_ & cleared)
    return bool(np.bitwise_count(one_way).sum() > _ONE_WAY_SHARE * np.bitwise_count(varied).sum())


def _lanes_of(game: Game, most_lanes: int) -> int:
    """Returns how many games go side by side, at most so many."""
    return min(most_lanes, max(_FIRST_LANES, _ROUND_WORDS // max(1, game.state_words)))


def _round(
    simulator: Simulator, random: np.random.Generator, lanes: int, most_steps: int, deadline: float, unplayed: list[int]
) -> Round:
    states = np.repeat(simulator.game.initial[None], lanes, axis=0)
    roles = simulator.game.roles
    lengths, ended, terminal = np.zeros(lanes, np.int64), np.zeros(lanes, np.bool_), np.zeros(lanes, np.bool_)
    movable = np.ones((lanes, roles), np.bool_)
    on = np.arange(lanes)
    steps: list[Step] = []
    while len(on):
        terminal[on] = simulator.terminal(states[on])
        allowed = simulator.legal(states[on])
        allowed[0][:, unplayed] = False
        legal = [_listed(moves) for moves in allowed]
        choices = np.stack([counts for counts, _ in legal], axis=1)
        movable[on] = choices > 0
        ended[on] = terminal[on] | ~movable[on].all(axis=1) | (lengths[on] == most_steps)
        goes_on = ~ended[on]
        joint = np.stack([_chosen(counts, moves, goes_on, random) for counts, moves in legal], axis=1)
        on = on[goes_on]
        if not len(on) or now() >= deadline:
            break
        following = simulator.next(states[on], joint)
        steps.append(Step(on, states[on], choices[goes_on], joint, following))
        states[on] = following
        lengths[on] += 1
    return Round(tuple(steps), lengths, ended, terminal, simulator.goals(states), movable)


def _protect(*arrays: npt.NDArray[Any]) -> None:
    for each in arrays:
        each.flags.writeable = False


def _listed(legal: BoolArray) -> tuple[Numbers, Numbers]:
    """Returns how many moves of a role are legal in each state `legal[n, moves]`, and their numbers one after another.

    The rule interpreter has room for a million moves of which a few are legal: hence one pass over the flat array.
    """
    states, moves = np.divmod(np.flatnonzero(legal), max(1, legal.shape[1]))
    return np.bincount(states, minlength=len(legal)), moves


def _chosen(counts: Numbers, moves: Numbers, goes_on: BoolArray, random: np.random.Generator) -> JointMoves:
    """Returns one of the legal moves in each state that goes on; see `_listed`."""
    first = np.cumsum(counts) - counts
    chosen: JointMoves = moves[first[goes_on] + random.integers(counts[goes_on])].astype(np.int32)
    return chosen
