"""Finds the limit of plies and the komi of a network's Tak, and proves by play that it and the game core are one game.

The limit shows where two stacks go back and forth until the game is over; the komi in the flats that random games end
with. Then whole games are played in both, hundreds at once, and compared at every move: the legal moves of both roles,
the end and the goals. In half of the games those moves come first that move most pieces together, so that stacks grow.
Games that end with two roads at once or at the limit come before, since random ones hardly do.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from ludens.games.tak.native_game import native_game, unpack
from ludens.games.tak.recognition.moves import Bools, SideBySide, choose, first_positions, most_dropped, same
from ludens.games.tak.recognition.opening import Ints
from ludens.games.tak.rules.parameters import TakRules
from ludens.games.tak.rules.rare_ends import back_and_forth, rare_ends
from ludens.games.tak.rules.reference import flat_lead, outcome
from ludens.native.core import Simulator
from ludens.propnet.base.errors import NotRecognisedError, UnprovenError

_GAMES = 256  # at once
_MOST_PLIES = 2000  # for which a game without end is followed
_GREED = 0.2  # in half of the games


@dataclass(frozen=True, slots=True)
class Proof:
    """What was compared, without a difference."""

    games: int  # whole random games
    positions: int  # in them
    seconds: float


def find_ply_limit(network: Simulator, rules: TakRules, moves: Ints) -> int:
    """Returns after how many plies a game without progress is over; 0 if it goes on.

    `moves` are the network's, as `match_moves` returns them; those of `back_and_forth` must be known.
    """
    state = network.game.initial
    for ply, move in zip(range(_MOST_PLIES), back_and_forth(rules), strict=False):
        if network.terminal(state)[0]:
            return ply
        joint = moves[:, rules.waiting].copy()
        joint[ply % 2] = moves[ply % 2, rules.number(move)]
        state = network.next(state, joint.astype(np.int32))[0]
    return 0


def find_half_komi(network: Simulator, rules: TakRules, moves: Ints, seed: int) -> int:
    """Returns the komi by which the network decides games without a road, in halves of a flat.

    Raises NotRecognisedError if there is none, and UnprovenError where random games leave it open.
    """
    most = 2 * rules.squares
    possible = set(range(-most, most + 1))
    core = Simulator(native_game(rules), seed=seed)
    player, rng = SideBySide(network, core, moves, first_positions(network, core, _GAMES)), np.random.default_rng(seed)
    dropped = most_dropped(rules)
    while len(player.positions):
        legal, _ = player.legal()
        chosen = choose(legal, dropped, np.zeros(len(legal)), rng)
        positions, states = player.play(np.arange(len(legal)), chosen)
        over = player.go_on(positions, states)
        for position, goals in zip(positions[over], network.goals(states[over]).tolist(), strict=True):
            end = outcome(ended := unpack(rules, position))
            if end and not end.road and ended.ply != rules.ply_limit:
                lead = flat_lead(ended)
                possible = {komi for komi in possible if _goals(lead - komi) == tuple(goals)}
    if not possible:
        raise NotRecognisedError("no komi explains how games without a road end")
    if len(possible) > 1:
        raise UnprovenError(f"the komi may be {min(possible) / 2:g} to {max(possible) / 2:g} flats")
    return possible.pop()


def _goals(lead: int) -> tuple[int, int]:
    return (50, 50) if lead == 0 else (100, 0) if lead > 0 else (0, 100)


def prove(network: Simulator, rules: TakRules, moves: Ints, games: int, seconds: float, seed: int) -> Proof:
    """Compares so many games, or as many as the time allows; raises NotRecognisedError at a difference."""
    begun = time.monotonic()
    core, rng = Simulator(native_game(rules), seed=seed), np.random.default_rng(seed)
    dropped = most_dropped(rules)
    over = positions = 0
    for line in rare_ends(rules):
        pair, numbers = SideBySide(network, core, moves, first_positions(network, core, 1)), map(rules.number, line)
        while len(pair.positions):
            positions += _compare(pair, network, core, np.array([next(numbers)])).size
    while over < games and time.monotonic() - begun < seconds:
        count = min(_GAMES, games - over)
        pair = SideBySide(network, core, moves, first_positions(network, core, count))
        greed = np.where(np.arange(count) % 2, _GREED, 0.0)
        while len(pair.positions) and time.monotonic() - begun < seconds:
            legal, _ = pair.legal()
            ended = _compare(pair, network, core, choose(legal, dropped, greed[pair.games], rng))
            positions, over = positions + ended.size, over + int(ended.sum())
    return Proof(over, positions, time.monotonic() - begun)


def _compare(pair: SideBySide, network: Simulator, core: Simulator, chosen: Ints) -> Bools:
    """Makes a move in each game, and compares where it leads; returns which games are over."""
    after, states = pair.play(np.arange(len(chosen)), chosen)
    ended = pair.go_on(after, states)
    same(core.goals(after[ended]) == network.goals(states[ended]), "goals")
    return ended
