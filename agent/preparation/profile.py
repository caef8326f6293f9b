"""Finds out what kind of game it is: a profile, made from the network while the start clock runs.

Some of it is *proven*, from the gates alone (`propnet.analysis`, `propnet.policies`), and holds
in every match. The rest is *sampled*: it held in all of so many random games, or is a mean over them.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from ludens.agent.search.decomposition import NotDecomposableError, decompose
from ludens.native.core import Game, Simulator, States, unpack_bits
from ludens.propnet.analysis.boards import Board, Transitions, boards
from ludens.propnet.analysis.composition import CompositionError
from ludens.propnet.analysis.control import Control, autonomous, ternary
from ludens.propnet.analysis.dynamics import Changes, changes, stays
from ludens.propnet.analysis.factors import Factor, NotFactoredError, factorise
from ludens.propnet.analysis.lookahead import movers
from ludens.propnet.base.arrays import BoolArray
from ludens.propnet.network.circuit import Circuit
from ludens.propnet.network.propnet import Propnet
from ludens.propnet.passes import reopen
from ludens.propnet.policies.decisive import winning_moves

T = TypeVar("T")
U = TypeVar("U")

_LANES, _ROUNDS = 64, 4  # games that are looked at state by state: so many at once, and so often
_MOST_STATES = 20_000
_MOST_STEPS = 1000


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether something holds, and whether that is proven or was merely so in all samples."""

    holds: bool
    proven: bool


@dataclass(frozen=True, slots=True)
class ControlCycle:
    """Propositions that run by themselves: `line` states passed once, then a cycle of `cycle` states.

    A cycle of one state is no cycle: the propositions count steps and come to rest.
    """

    propositions: tuple[str, ...]
    line: int
    cycle: int
    choosers: tuple[tuple[str, ...], ...]  # in each state of the cycle the roles that may have a choice; proven


@dataclass(frozen=True, slots=True)
class GameProfile:
    """What kind of game it is. Fields that could not be worked out in time are None."""

    roles: tuple[str, ...]
    puzzle: bool
    alternating: Verdict  # never two roles have a choice at once
    constant_sum: Verdict
    control: tuple[ControlCycle, ...]  # proven
    factors: tuple[tuple[tuple[str, ...], int], ...] | None  # propositions, different moves; () in one piece; proven
    apart: str | None  # how it is played by its factors, or why not; empty where there are none
    flips: tuple[str, ...] | None  # proven, as are the latches
    latches_true: tuple[str, ...] | None
    latches_false: tuple[str, ...] | None
    settled_goals: tuple[tuple[str, int], ...] | None  # goals that, once they hold, hold for good; proven
    killer_moves: tuple[tuple[str, str], ...] | None  # that win wherever they are legal and others wait; proven
    winning_moves: int | None  # number of moves that may win at once; no other can: proven
    playouts: int  # that the following are means over
    length: float  # state changes
    branching: float  # legal moves of those who have a choice
    goal_means: tuple[float, ...]
    goal_deviations: tuple[float, ...]
    goal_shares: tuple[tuple[tuple[int, ...], float], ...]  # outcomes and how often; -1: no goal
    first_player_bias: float | None  # mean goal of who chooses first less that of the others
    boards: tuple[Board, ...]  # sampled
    sampled_states: int


def profile(net: Propnet, seconds: float = 5.0, seed: int = 0) -> GameProfile:
    """Analyses a network in about `seconds`."""
    deadline = time.monotonic() + seconds
    circuit = reopen(net)
    samples = _sample(net, seed)
    played = Simulator(samples.game, seed=seed).playouts(10**9, seconds=seconds / 20, max_steps=_MOST_STEPS)
    controls = autonomous(circuit)
    dynamics = _in_time(lambda: changes(circuit, time.monotonic() + seconds / 4))
    parts = _in_time(lambda: _parts(net, seconds / 8))
    wins = _in_time(lambda: winning_moves(net, seconds=max(0.0, deadline - time.monotonic())))
    cycles = tuple(_cycle(net, circuit, control) for control in controls)
    many = samples.choices > 1
    shares = Counter(map(tuple, samples.goals.tolist()))
    return GameProfile(
        roles=net.roles,
        puzzle=len(net.roles) == 1,
        alternating=_alternating(cycles, many),
        constant_sum=_constant_sum(samples),
        control=cycles,
        factors=_made(parts, lambda p: tuple((_texts(net, f.propositions), len(f.moves)) for f in p[0])),
        apart=_made(parts, lambda p: p[1]),
        flips=_made(dynamics, lambda d: _texts(net, d.flip)),
        latches_true=_made(dynamics, lambda d: _texts(net, d.latch_true)),
        latches_false=_made(dynamics, lambda d: _texts(net, d.latch_false)),
        settled_goals=_made(dynamics, lambda d: _settled_goals(circuit, d)),
        killer_moves=_made(wins, lambda w: tuple((net.roles[r], net.moves[r][m]) for r, m in _moves(w, [True]))),
        winning_moves=_made(wins, lambda w: len(_moves(w, [True, None]))),
        playouts=played.count,
        length=played.mean_length,
        branching=float(samples.choices[many].mean()) if many.any() else 1.0,
        goal_means=tuple(played.goal_means.tolist()),
        goal_deviations=tuple(played.goal_deviations.tolist()),
        goal_shares=tuple((goals, count / len(samples.goals)) for goals, count in shares.most_common()),
        first_player_bias=_bias(many, played.goal_means),
        boards=boards(net, Transitions(samples.states, samples.following, samples.mover)),
        sampled_states=len(samples.states),
    )


def _in_time(analysis: Callable[[], T]) -> T | None:
    """Returns what the analysis finds, or None if it was not done in time or its network is too large."""
    try:
        return analysis()
    except CompositionError:
        return None


def _made(found: T | None, make: Callable[[T], U]) -> U | None:
    return None if found is None else make(found)


# ---- Samples ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Samples:
    game: Game
    states: BoolArray  # [n, S] the first state, and those where the game went on
    following: BoolArray  # [n, S] what came next
    choices: npt.NDArray[np.int64]  # [n, R] number of legal moves
    mover: npt.NDArray[np.int64]  # [n] the role that alone has a legal move other than the one it waits with, or -1
    goals: npt.NDArray[np.int32]  # [games, R] at the end


def _sample(net: Propnet, seed: int) -> _Samples:
    game = Game.from_propnet(net)
    simulator = Simulator(game, _LANES, seed)
    states: list[States] = []
    following: list[States] = []
    ends: list[States] = []
    while len(ends) < _ROUNDS and sum(map(len, states)) < _MOST_STATES:
        recorded = simulator.record(max_steps=_MOST_STEPS)
        state = np.repeat(game.initial[None], len(recorded), axis=0)
        for step in range(max(map(len, recorded), default=0)):
            on = np.array([lane for lane, moves in enumerate(recorded) if len(moves) > step])
            after = simulator.next(state[on], np.array([recorded[lane][step] for lane in on]))
            states.append(state[on])
            following.append(after)
            state[on] = after
        ends.append(state)
    before = np.concatenate([game.initial[None], *states])
    after = np.concatenate([game.initial[None], *following])
    legal = simulator.legal(before)
    return _Samples(
        game,
        unpack_bits(before, net.state_bits),
        unpack_bits(after, net.state_bits),
        np.stack([rows.sum(axis=1) for rows in legal], axis=1),
        movers(net, np.concatenate(legal, axis=1)),
        simulator.goals(np.concatenate(ends)),
    )


# ---- What kind of game -----------------------------------------------------------------------------------------


def _cycle(net: Propnet, circuit: Circuit, control: Control) -> ControlCycle:
    bounds = list(pairwise(np.cumsum([0, *map(len, net.moves)]).tolist()))
    choosers = []
    for state in control.states[control.back :]:
        known = dict(zip(control.propositions, state, strict=True))
        able = [sum(map(bool, ternary(circuit, known, circuit.legal[first:last]))) for first, last in bounds]
        choosers.append(tuple(role for role, count in zip(net.roles, able, strict=True) if count > 1))
    return ControlCycle(_texts(net, control.propositions), control.back, control.cycle, tuple(choosers))


def _alternating(cycles: Sequence[ControlCycle], many: BoolArray) -> Verdict:
    if many.shape[1] == 1 or any(cycle.line == 0 and max(map(len, cycle.choosers)) <= 1 for cycle in cycles):
        return Verdict(True, proven=True)
    at_once = many.sum(axis=1) > 1
    return Verdict(not at_once.any(), proven=bool(at_once.any()))


def _constant_sum(samples: _Samples) -> Verdict:
    """Says whether goals are of constant sum; proven where searches rely upon it."""
    if samples.game.constant_sum:
        return Verdict(True, proven=True)
    goals = samples.goals
    sums = goals[(goals >= 0).all(axis=1)].sum(axis=1)
    same = len(goals.T) > 1 and len(sums) > 0 and bool((sums == sums[0]).all())
    return Verdict(same, proven=not same)


def _bias(many: BoolArray, means: npt.NDArray[np.float64]) -> float | None:
    first = np.flatnonzero(many[0])
    if len(means) < 2 or len(first) != 1:
        return None
    return float(means[first[0]] - np.delete(means, first[0]).mean())


def _settled_goals(circuit: Circuit, found: Changes) -> tuple[tuple[str, int], ...]:
    return tuple((circuit.roles[role], value) for role, value, lit in circuit.goals if stays(circuit, found, lit))


def _parts(net: Propnet, seconds: float) -> tuple[tuple[Factor, ...], str]:
    """Finds the factors, and how the game is played by them; `seconds` for each."""
    try:
        factoring = factorise(net, seconds)
    except NotFactoredError:
        return (), ""
    if len(net.roles) == 1:
        return factoring.factors, f"planned in {len(factoring.factors)} factors"
    try:
        return factoring.factors, f"played {decompose(net, factoring, seconds)}"
    except NotDecomposableError as reason:
        return factoring.factors, f"played in one piece: {reason}"


def _moves(wins: list[list[bool | None]], wanted: Sequence[bool | None]) -> list[tuple[int, int]]:
    return [(role, move) for role, row in enumerate(wins) for move, win in enumerate(row) if win in wanted]


def _texts(net: Propnet, propositions: Sequence[int] | frozenset[int]) -> tuple[str, ...]:
    return tuple(net.propositions[p] for p in sorted(propositions))
