"""Finds out what kind of game it is: a profile, made from its network and from random games.

Some of it is *proven*, from the gates alone (`propnet.analysis`, `propnet.policies`), and holds
in every match. The rest is *sampled*: it held in all of so many random games, or is a mean over them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

import numpy as np

from ludens.agent.analysis.game_statistics import GameStatistics
from ludens.agent.learning.random_games import Round
from ludens.agent.search.decomposition import NotDecomposableError, decompose
from ludens.native.core import Game, Simulator, unpack_bits
from ludens.propnet.analysis.boards import Board, Transitions, boards
from ludens.propnet.analysis.composition import CompositionError
from ludens.propnet.analysis.control import Control, autonomous, ternary
from ludens.propnet.analysis.dynamics import Changes, changes, stays
from ludens.propnet.analysis.factors import Factor, NotFactoredError, factorise
from ludens.propnet.analysis.lookahead import movers
from ludens.propnet.base.clock import now
from ludens.propnet.network.circuit import Circuit
from ludens.propnet.network.propnet import Propnet
from ludens.propnet.passes import reopen
from ludens.propnet.policies.decisive import winning_moves

T = TypeVar("T")
U = TypeVar("U")

_MOST_STATES = 20_000  # that are looked at


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
    constant_sum: Verdict | None
    control: tuple[ControlCycle, ...]  # proven
    factors: tuple[tuple[tuple[str, ...], int], ...] | None  # propositions, different moves; () in one piece; proven
    apart: str | None  # how it is played by its factors, or why not; empty where there are none
    flips: tuple[str, ...] | None  # proven, as are the latches
    latches_true: tuple[str, ...] | None
    latches_false: tuple[str, ...] | None
    settled_goals: tuple[tuple[str, int], ...] | None  # goals that, once they hold, hold for good; proven
    killer_moves: tuple[tuple[str, str], ...] | None  # that win wherever they are legal and others wait; proven
    winning_moves: int | None  # number of moves that may win at once; no other can: proven
    boards: tuple[Board, ...]  # sampled
    sampled_states: int


def profile(
    net: Propnet, game: Game, statistics: GameStatistics, played: Sequence[Round], seconds: float = 5.0
) -> GameProfile:
    """Analyses a network in about `seconds`; `game` is made of it, and some of its random games are `played`."""
    deadline = now() + seconds
    circuit = reopen(net)
    controls = autonomous(circuit)
    dynamics = _in_time(lambda: changes(circuit, now() + seconds / 4))
    parts = _in_time(lambda: _parts(net, seconds / 8))
    wins = _in_time(lambda: winning_moves(net, seconds=max(0.0, deadline - now())))
    cycles = tuple(_cycle(net, circuit, control) for control in controls)
    sample = _sample(net, game, played)
    return GameProfile(
        roles=net.roles,
        puzzle=len(net.roles) == 1,
        alternating=_alternating(cycles, statistics),
        constant_sum=_constant_sum(game, statistics),
        control=cycles,
        factors=_made(parts, lambda p: tuple((_texts(net, f.propositions), len(f.moves)) for f in p[0])),
        apart=_made(parts, lambda p: p[1]),
        flips=_made(dynamics, lambda d: _texts(net, d.flip)),
        latches_true=_made(dynamics, lambda d: _texts(net, d.latch_true)),
        latches_false=_made(dynamics, lambda d: _texts(net, d.latch_false)),
        settled_goals=_made(dynamics, lambda d: _settled_goals(circuit, d)),
        killer_moves=_made(wins, lambda w: tuple((net.roles[r], net.moves[r][m]) for r, m in _moves(w, [True]))),
        winning_moves=_made(wins, lambda w: len(_moves(w, [True, None]))),
        boards=boards(net, sample),
        sampled_states=len(sample.states),
    )


def _in_time(analysis: Callable[[], T]) -> T | None:
    """Returns what the analysis finds, or None if it was not done in time or its network is too large."""
    try:
        return analysis()
    except CompositionError:
        return None


def _made(found: T | None, make: Callable[[T], U]) -> U | None:
    return None if found is None else make(found)


def _cycle(net: Propnet, circuit: Circuit, control: Control) -> ControlCycle:
    bounds = list(pairwise(np.cumsum([0, *map(len, net.moves)]).tolist()))
    choosers = []
    for state in control.states[control.back :]:
        known = dict(zip(control.propositions, state, strict=True))
        able = [sum(map(bool, ternary(circuit, known, circuit.legal[first:last]))) for first, last in bounds]
        choosers.append(tuple(role for role, count in zip(net.roles, able, strict=True) if count > 1))
    return ControlCycle(_texts(net, control.propositions), control.back, control.cycle, tuple(choosers))


def _alternating(cycles: Sequence[ControlCycle], statistics: GameStatistics) -> Verdict:
    one_role = len(statistics.roles) == 1
    if one_role or any(cycle.line == 0 and max(map(len, cycle.choosers)) <= 1 for cycle in cycles):
        return Verdict(True, proven=True)
    return Verdict(not statistics.simultaneous, proven=statistics.simultaneous)


def _constant_sum(game: Game, statistics: GameStatistics) -> Verdict | None:
    """Says whether goals are of constant sum; proven where searches rely upon it. None: no game ended."""
    if game.constant_sum:
        return Verdict(True, proven=True)
    sums = {sum(goals) for goals, _ in statistics.outcomes}
    if not sums:
        return None
    same = game.roles > 1 and len(sums) == 1
    return Verdict(same, proven=not same)


def _sample(net: Propnet, game: Game, played: Sequence[Round]) -> Transitions:
    """Returns the first state, and those of some games of each round where the game went on."""
    before, after = [game.initial[None]], [game.initial[None]]
    for each in played:
        games = max(1, _MOST_STATES // (len(played) * max(1, len(each.steps))))
        for step in each.steps:
            before.append(step.states[step.games < games])
            after.append(step.following[step.games < games])
    states = np.concatenate(before)
    legal = np.concatenate(Simulator(game, 64).legal(states), axis=1)
    following = np.concatenate(after)
    return Transitions(unpack_bits(states, net.state_bits), unpack_bits(following, net.state_bits), movers(net, legal))


def _settled_goals(circuit: Circuit, found: Changes) -> tuple[tuple[str, int], ...]:
    return tuple((circuit.roles[role], value) for role, value, lit in circuit.goals if stays(circuit, found, lit))


def _parts(net: Propnet, seconds: float) -> tuple[tuple[Factor, ...], str]:
    """Finds the factors, and how the game is played by them; `seconds` for each."""
    try:
        factoring = factorise(net, seconds)
    except NotFactoredError:
        return (), ""
    if len(net.roles) == 1:
        return factoring.factors, "planned part by part"
    try:
        return factoring.factors, f"searched {decompose(net, factoring, seconds)}"
    except NotDecomposableError as reason:
        return factoring.factors, f"searched in one piece: {reason}"


def _moves(wins: list[list[bool | None]], wanted: Sequence[bool | None]) -> list[tuple[int, int]]:
    return [(role, move) for role, row in enumerate(wins) for move, win in enumerate(row) if win in wanted]


def _texts(net: Propnet, propositions: Sequence[int] | frozenset[int]) -> tuple[str, ...]:
    return tuple(net.propositions[p] for p in sorted(propositions))
