"""Adds to a network the features that an evaluation sees of a state besides its propositions."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import NamedTuple

import numpy as np

from ludens.agent.learning.averaged_fit import TrainedWeights
from ludens.agent.learning.random_games import one_round
from ludens.agent.settings.options import FEATURES
from ludens.native.core import Game, unpack_bits
from ludens.propnet.analysis.composition import CompositionError, OutOfTimeError
from ludens.propnet.base.clock import now
from ludens.propnet.features.distance import with_distance
from ludens.propnet.features.mobility import with_mobility
from ludens.propnet.features.territory import with_territory
from ludens.propnet.features.threats import with_threats
from ludens.propnet.network.propnet import FeatureName, Propnet
from ludens.propnet.network.sampling import StatesByStep

_LEAST_GATES = 20_000  # that are allowed whatever the network
_GROWTH = 8  # gates of the features for each gate of the network
_DISTANCE_GATES = 60_000  # nothing else tells anything where distance is seen, but each needs another shortest path
_SECONDS = 15.0  # for all kinds together,
_SHARE = 3 / 8  # ... but of the time before the first turn no more than that: what is seen has to be learned yet
_GAMES_SHARE = 1 / 4  # of the time for all kinds: for random games, which show what tells anything
_ENDED_SHARE = 0.9  # of them, with fewer of which there was no time: openings alone do not show it
_STATES = 4096  # of them that are looked at
_PLAINEST = {"moves"}  # where there is no time for these, there is none for any others


class _Kind(NamedTuple):
    """A kind of features, and how a network gets them."""

    add: Callable[[Propnet, int, float, StatesByStep, Callable[[FeatureName], bool] | None], Propnet]
    word: str  # the first of its features' names
    share: float  # that it may take of the time that is left
    by_games: bool = True  # whether random games show which of its features tell anything


_KINDS = {
    "mobility": _Kind(with_mobility, "moves", 1 / 2),
    "threats": _Kind(with_threats, "threat", 1 / 2),
    "territory": _Kind(with_territory, "territory", 1.0),
    "distance": _Kind(with_distance, "distance", 1.0, by_games=False),
}


def is_feature(name: str) -> bool:
    """Says whether a name of what an evaluation sees is that of a feature, and not of a proposition.

    >>> is_feature("moves (control white)"), is_feature("(control white)")
    (True, False)
    """
    word, blank, _ = name.partition(" ")
    return bool(blank) and word in {kind.word for kind in _KINDS.values()}


class FeatureNetwork(NamedTuple):
    """The network of a game with the features that its evaluation sees."""

    net: Propnet
    timed_out: frozenset[str] = frozenset()  # first words of the names of kinds left out for want of time
    complete: bool = True  # it is known which kinds gain
    hurried: bool = False  # there was no time to try territory
    plain: Propnet | None = None  # the network without territory, where it is open whether that gains
    learned: TrainedWeights | None = None  # what has been learned from these features already
    recalled_seconds: float = 0.0  # ... in earlier matches, which is a part of its seconds

    def without_territory(self) -> FeatureNetwork:
        """Returns the network without territory, if that is open."""
        return self if self.plain is None else self._replace(net=self.plain, plain=None)


class SavedFeatures(NamedTuple):
    """The features that a saved evaluation was trained on."""

    wanted: Callable[[FeatureName], bool]
    kinds: frozenset[str]  # first words of their names
    timed_out: frozenset[str] = frozenset()  # ... and of kinds for which there was no time


def feature_seconds(left: float) -> float:
    """Returns the time for all kinds of features, if so many seconds are left before the first turn."""
    return min(_SECONDS, _SHARE * left)


def with_features(
    net: Propnet, features: str, seconds: float = _SECONDS, saved: SavedFeatures | None = None, *, trying: bool = True
) -> FeatureNetwork:
    """Adds the features of one of `FEATURES` to a network, all kinds made in about `seconds` at most.

    Takes of each kind the features that tell something in random games; of `saved` ones exactly those, for which
    there is always time. Leaves out a kind that would be too many gates, or cannot be made of this game. Whether
    territory gains is open unless it was asked for (see `feature_choice`): it is added if there is time for `trying`.
    """
    if features not in FEATURES:
        raise ValueError(f"{features} are no features of a network")
    gates = max(_LEAST_GATES, _GROWTH * len(net.gates))
    found, states = FeatureNetwork(net), cache(partial(whole_games, net, _GAMES_SHARE * seconds))
    end = now() + seconds
    for kind, (add, word, share, by_games) in _KINDS.items():
        is_saved = saved is not None and word in saved.kinds
        is_settled = saved is not None and word not in saved.timed_out
        is_open = kind == "territory" and features == "all" and not is_saved
        if features not in (kind, "all") or (is_settled and not is_saved) or (is_open and not trying):
            continue
        needs_games = by_games and not is_saved
        if (not is_saved and found.timed_out & _PLAINEST) or (needs_games and not states()):
            found = found._replace(timed_out=found.timed_out | {word})
            continue
        try:
            limit, wanted = max(0.0, end - now()) * (share if features == "all" else 1.0), None
            if saved and is_saved:
                limit, wanted = max(limit, _SECONDS), saved.wanted
            most = _DISTANCE_GATES if kind == "distance" else gates
            made = add(found.net, most, limit, states() if needs_games else (), wanted)
        except OutOfTimeError:
            found = found._replace(timed_out=found.timed_out | {word})
            continue
        except CompositionError:
            continue
        if made is not found.net:
            found = found._replace(net=made, plain=found.net if is_open else found.plain)
    return found


def whole_games(net: Propnet, seconds: float) -> StatesByStep:
    """Returns some states of random games for each step of them: from the first to the last.

    Returns none where many are not over after so many seconds.
    """
    played = one_round(Game.from_propnet(net), deadline=now() + seconds)
    if played.ended.mean() < _ENDED_SHARE:
        return ()
    every = -(-sum(len(step.states) for step in played.steps) // _STATES)
    shown = [unpack_bits(step.states[::every], net.state_bits) for step in played.steps]
    return shown or [np.empty((0, net.state_bits), np.bool_)]
