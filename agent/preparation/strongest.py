"""Finds the strongest of a few players by games between them, in a given time.

The player that can expect the highest score meets another one, with moves of some length: whatever promises the most if
all the time that is left went into games alike (`ratings.Ratings.gain`). So whoever is hopeless is left alone, short
moves come first where there is little time, and longer ones once they tell more. Where there is no time for four games
none is played.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeAlias

from ludens.agent.preparation.ratings import Pairing, Ratings, StrengthPrior

_LEAST_GAIN = 1e-4  # in logits, four games in a hundred thousand: for less nothing is played
_LEAST_GAMES = 4  # that there must be time for: fewer say little, and may last longer than is expected

GainElsewhere: TypeAlias = Callable[[Ratings, float], float]
"""What so many seconds would gain, in logits, if no games were played in them."""


def no_gain(_ratings: Ratings, _seconds: float) -> float:
    """Nothing: there is no other use for the time."""
    return 0.0


class Contest(Protocol):
    """Plays games."""

    def seconds(self, pairing: Pairing) -> float:
        """Returns how long a game is expected to last."""

    def play(self, pairing: Pairing) -> float | None:
        """Plays a game; returns the first player's score, 0 … 1, or None if it was not over in time."""


def strongest(
    contest: Contest,
    priors: Sequence[StrengthPrior],
    lengths: Sequence[float],
    time_left: Callable[[], float],
    gain_elsewhere: GainElsewhere = no_gain,
) -> Ratings:
    """Returns how strong all players seem in the end.

    Plays as long as there is time, and games promise more than the best other use of it, which is `gain_elsewhere`.
    Player 0 is the baseline; `priors` are those of the others. `lengths` are the logarithms of moves' iterations,
    0 being that of the match.
    """
    ratings, players = Ratings(priors), range(len(priors) + 1)
    while (left := time_left()) > 0:
        leader = ratings.best
        pairings = [Pairing(leader, player, x) for player in players if player != leader for x in lengths]
        counts = {pairing: left / contest.seconds(pairing) for pairing in pairings}
        least = 1 if ratings.games else _LEAST_GAMES
        gains = {pairing: ratings.gain(pairing, count) for pairing, count in counts.items() if count >= least}
        if not gains or max(gains.values()) < max(_LEAST_GAIN, gain_elsewhere(ratings, left)):
            break
        best = max(gains, key=gains.__getitem__)
        score = contest.play(best)
        if score is not None:
            ratings.add(best, score)
    return ratings
