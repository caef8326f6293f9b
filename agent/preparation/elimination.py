"""Finds the strongest of a few players by games between them, in a given time.

The player that seems strongest meets another one, with moves of some length: whatever promises the most if all the
time that is left went into games alike (`ratings.Ratings.gain`). So whoever is hopeless is left alone, short moves
come first where there is little time, and longer ones once they tell more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from ludens.agent.preparation.ratings import Pairing, Ratings, StrengthPrior

_LEAST_GAIN = 1e-4  # in logits, four games in a hundred thousand: for less nothing is played
CAUTION = 1.2  # standard deviations by which another must seem stronger than the baseline to be chosen


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
    caution: float = CAUTION,
) -> tuple[int, Ratings]:
    """Plays as long as there is time; returns the player to choose, and the ratings of all.

    Player 0 is the baseline, chosen where none seems better by `caution` standard deviations; `priors` are
    those of the others. `lengths` are the logarithms of moves' iterations, 0 being that of the match.
    """
    ratings, players = Ratings(priors), range(len(priors) + 1)
    while (left := time_left()) > 0:
        leader = max(players, key=lambda player: ratings.strength(player)[0])
        pairings = [Pairing(leader, player, x) for player in players if player != leader for x in lengths]
        counts = {pairing: left / contest.seconds(pairing) for pairing in pairings}
        gains = {pairing: ratings.gain(pairing, count) for pairing, count in counts.items() if count >= 1}
        if not gains or max(gains.values()) < _LEAST_GAIN:
            break
        best = max(gains, key=gains.__getitem__)
        score = contest.play(best)
        if score is not None:
            ratings.add(best, score)
    better = [p for p in players[1:] if ratings.strength(p)[0] > caution * ratings.strength(p)[1]]
    return max(better, key=lambda player: ratings.strength(player)[0], default=0), ratings
