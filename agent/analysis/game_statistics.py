"""Statistics of random games: how long they last, how many moves there are, who wins, and how they end.

Endings that no well-made game has are kept with an example each: a role without a legal move, a role without a goal,
and games that go on and on.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from ludens.agent.analysis.balance import Goals, RoleResults, most_frequent_first, results
from ludens.agent.learning.random_games import Ending, Round
from ludens.agent.playable.text_game import TextGame
from ludens.native.core import JointMoves


@dataclass(frozen=True, slots=True)
class ImproperEnding:
    """An ending that no game should have, and the shortest game found that has it."""

    ending: Ending
    games: int
    roles: tuple[tuple[str, int], ...]  # who had no legal move, or no goal, and in how many games
    example: tuple[tuple[str, ...], ...]  # joint moves, a text for each role


@dataclass(frozen=True, slots=True)
class GameStatistics:
    """Means over all random games that ended; outcomes of those alone in which every role got a goal."""

    roles: tuple[str, ...]
    games: int
    unfinished: int  # for want of time; they do not count,
    unfinished_steps: int  # ... and the longest of them had come so far
    mean_length: float  # steps
    shortest: int
    longest: int
    lengths: tuple[tuple[int, int], ...]  # steps, and how many games had so many
    branching: float  # legal moves of those who have a choice; 1 where nobody ever has one
    choices: tuple[tuple[int, int], ...]  # legal moves of those who have a choice, and how often there were so many
    forced: float  # share of the steps at which nobody has a choice, 0 … 1
    simultaneous: bool  # in some state several roles had a choice
    first_mover: str | None  # who alone has a choice in the first state
    outcomes: tuple[tuple[Goals, int], ...]  # goals of all roles, and in how many games; the most frequent first
    improper: tuple[ImproperEnding, ...]

    @property
    def results(self) -> tuple[RoleResults, ...]:
        """What each role made of the games that ended as games should."""
        return results(self.roles, dict(self.outcomes))


class StatisticsTally:
    """Collects the statistics of a game, round by round."""

    def __init__(self, game: TextGame) -> None:
        self._game = game
        self._lengths: list[int] = []
        self._unfinished = self._unfinished_steps = 0
        self._choices: Counter[int] = Counter()
        self._steps = self._forced = 0
        self._simultaneous = False
        self._first_mover: str | None = None
        self._outcomes: Counter[Goals] = Counter()
        self._endings: Counter[Ending] = Counter()
        self._roles: dict[Ending, Counter[str]] = {}
        self._examples: dict[Ending, list[JointMoves]] = {}

    def add(self, played: Round) -> None:
        """Counts the games of a round."""
        self._note_choices(played)
        ended = np.flatnonzero(played.ended)
        unfinished = played.lengths[~played.ended]
        self._unfinished += len(unfinished)
        self._unfinished_steps = max(self._unfinished_steps, int(unfinished.max(initial=0)))
        for number in sorted(ended.tolist(), key=lambda number: int(played.lengths[number])):
            self._lengths.append(int(played.lengths[number]))
            ending = played.ending(number)
            self._endings[ending] += 1
            if ending is Ending.PROPER:
                self._outcomes[tuple(played.goals[number].tolist())] += 1
            else:
                self._note_improper(played, number, ending)

    def summary(self) -> GameStatistics:
        """Returns the statistics of all games so far."""
        lengths = self._lengths
        return GameStatistics(
            roles=self._game.roles,
            games=len(lengths),
            unfinished=self._unfinished,
            unfinished_steps=self._unfinished_steps,
            mean_length=float(np.mean(lengths)) if lengths else 0.0,
            shortest=min(lengths, default=0),
            longest=max(lengths, default=0),
            lengths=tuple(sorted(Counter(lengths).items())),
            branching=_mean(self._choices),
            choices=tuple(sorted(self._choices.items())),
            forced=self._forced / self._steps if self._steps else 0.0,
            simultaneous=self._simultaneous,
            first_mover=self._first_mover,
            outcomes=most_frequent_first(self._outcomes),
            improper=tuple(self._improper(ending) for ending in Ending if ending in self._examples),
        )

    def _note_choices(self, played: Round) -> None:
        for step in played.steps:
            many = step.choices > 1
            counts, times = np.unique(step.choices[many], return_counts=True)
            self._choices.update(dict(zip(counts.tolist(), times.tolist(), strict=True)))
            self._steps += len(many)
            self._forced += int((~many.any(axis=1)).sum())
            self._simultaneous |= bool((many.sum(axis=1) > 1).any())
        if played.steps:
            first = np.flatnonzero(played.steps[0].choices[0] > 1)
            self._first_mover = self._game.roles[int(first[0])] if len(first) == 1 else None

    def _note_improper(self, played: Round, number: int, ending: Ending) -> None:
        self._examples.setdefault(ending, played.moves(number))
        lacking = {Ending.STUCK: ~played.movable[number], Ending.NO_GOAL: played.goals[number] < 0}.get(ending)
        for role in np.flatnonzero(lacking) if lacking is not None else ():
            self._roles.setdefault(ending, Counter())[self._game.roles[role]] += 1

    def _improper(self, ending: Ending) -> ImproperEnding:
        line = tuple(self._game.line(self._game.game.initial, self._examples[ending]))
        return ImproperEnding(
            ending, self._endings[ending], tuple(self._roles.get(ending, Counter()).most_common()), line
        )


def _mean(choices: Counter[int]) -> float:
    return sum(moves * times for moves, times in choices.items()) / choices.total() if choices else 1.0
