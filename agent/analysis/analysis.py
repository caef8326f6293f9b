"""Analyses a game: its network, what kind of game it is, what random games show of it, and how good players fare.

A game without a network is analysed as far as random games on the rules themselves tell.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ludens.agent.analysis.game_statistics import GameStatistics, StatisticsTally
from ludens.agent.analysis.profile import GameProfile, profile
from ludens.agent.learning.random_games import MOST_LANES, Round, rounds
from ludens.agent.playable.playable_game import PlayableGame
from ludens.games.registry import recognise
from ludens.propnet.base.child import Tell
from ludens.propnet.base.clock import now
from ludens.propnet.compile.loader import Loaded, Stage
from ludens.propnet.network.propnet import Propnet

_RANDOM_SHARE = 1 / 3  # of the time, for random games
_MOST_GAMES = 20_000  # more would say no more: shares are known to 0.7 % then
_KEPT_ROUNDS = 4  # whose states are looked at one by one
_PROOF_SECONDS = 20.0  # for each game that it may be recognised as


@dataclass(frozen=True, slots=True)
class NetworkSize:
    """The size of a network, and how it came about."""

    propositions: int  # facts that can hold
    moves: tuple[int, ...]  # of each role
    gates: int
    levels: int  # gates one behind the other
    loops: int
    feedback: int  # inputs at which the loops are cut
    stages: tuple[Stage, ...]


@dataclass(frozen=True, slots=True)
class GameAnalysis:
    """What is known of a game; the network, and what only that tells, are None where there is none."""

    network: NetworkSize | None
    fallback_reason: str  # why there is no network
    profile: GameProfile | None
    statistics: GameStatistics
    recognised_as: str  # a game with a core of its own: its rules and what proves them; empty if none
    not_recognised_as: dict[str, str]  # games with a core of their own, and why it is not that game


def analyse(playable: PlayableGame, seconds: float, tell: Tell) -> GameAnalysis:
    """Analyses a game in about `seconds`; one that looks like a recognised game takes longer. `tell`: what is done."""
    tell("playing random games")
    statistics, kept = random_statistics(playable, (_RANDOM_SHARE if playable.loaded else 1.0) * seconds)
    if playable.loaded is None:
        return GameAnalysis(None, playable.fallback_reason, None, statistics, "", {})
    net = playable.loaded.net
    tell("finding out what kind of game it is")
    kind = profile(net, playable.game.game, statistics, kept, (1 - _RANDOM_SHARE) * seconds)
    tell("comparing it with games that have a core of their own")
    recognition = recognise(net, _PROOF_SECONDS)
    return GameAnalysis(
        network_size(playable.loaded), "", kind, statistics, str(recognition.game or ""), recognition.refusals
    )


def random_statistics(
    playable: PlayableGame, seconds: float, games: int = _MOST_GAMES
) -> tuple[GameStatistics, list[Round]]:
    """Plays `games` random games, or as many as fit into `seconds`; returns their statistics, and some of them."""
    tally, kept = StatisticsTally(playable.game), list[Round]()
    for played in random_rounds(playable, seconds, games):
        tally.add(played)
        kept = [*kept, played][:_KEPT_ROUNDS]
    return tally.summary(), kept


def random_rounds(
    playable: PlayableGame, seconds: float, games: int = _MOST_GAMES, unplayed: Sequence[int] = ()
) -> Iterator[Round]:
    """Yields rounds of random games for `seconds`, or until there are `games`: always the same ones.

    The first role never makes the moves `unplayed`.
    """
    lanes = MOST_LANES if playable.loaded else 1  # so that one game is over as soon as can be
    for played in rounds(playable.game.game, now() + seconds, most_lanes=lanes, unplayed=unplayed):
        yield played
        games -= int(played.ended.sum())
        if games <= 0:
            return


def network_size(loaded: Loaded) -> NetworkSize:
    """Returns the size of a network."""
    net = loaded.net
    return NetworkSize(
        net.state_bits,
        tuple(map(len, net.moves)),
        len(net.gates),
        _levels(net),
        len(net.loops),
        len(net.feedback),
        loaded.stages,
    )


def _levels(net: Propnet) -> int:
    """Returns the length of the longest chain of gates; a loop counts once."""
    level = [0] * (net.first_gate + len(net.gates))
    for variable, (left, right) in enumerate(net.gates.tolist(), net.first_gate):
        level[variable] = 1 + max(level[left >> 1], level[right >> 1])
    return max(level)
