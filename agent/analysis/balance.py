"""Computes how balanced a game is: wins, draws and losses of each role, with 95 % intervals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ludens.agent.statistics.intervals import wilson

Goals = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Share:
    """So many games of all, of which there is one at least."""

    count: int
    games: int

    @property
    def value(self) -> float:
        """The share, 0 … 1."""
        return self.count / self.games

    @property
    def interval(self) -> tuple[float, float]:
        """The interval that holds the true share with a probability of 95 %, by Wilson's score."""
        low, high = wilson(self.value, self.games)
        return 0.0 if self.count == 0 else low, 1.0 if self.count == self.games else high


@dataclass(frozen=True, slots=True)
class RoleResults:
    """What one role made of some games: it wins with the highest goal of all, and draws where it shares that."""

    role: str
    wins: Share
    draws: Share
    losses: Share
    goals: tuple[tuple[int, Share], ...]  # each goal it got, the highest first
    mean_goal: float
    mean_goal_interval: tuple[float, float]  # at 95 %


def draws(outcomes: Mapping[Goals, int]) -> Share | None:
    """Returns how many games had no winner, the highest goal being that of several roles; None without games."""
    games = sum(outcomes.values())
    shared = sum(count for goals, count in outcomes.items() if goals.count(max(goals)) > 1)
    return Share(shared, games) if games else None


def most_frequent_first(outcomes: Mapping[Goals, int]) -> tuple[tuple[Goals, int], ...]:
    """Sorts outcomes by how often they came, and equally frequent ones by their goals, whichever came first."""
    return tuple(sorted(outcomes.items(), key=lambda item: (-item[1], [-goal for goal in item[0]])))


def results(roles: Sequence[str], outcomes: Mapping[Goals, int]) -> tuple[RoleResults, ...]:
    """Counts results for each role; `outcomes` says how many games ended with which goals. Empty without games."""
    if not outcomes:
        return ()
    return tuple(_of_role(name, role, outcomes) for role, name in enumerate(roles))


def _of_role(name: str, role: int, outcomes: Mapping[Goals, int]) -> RoleResults:
    games = sum(outcomes.values())
    by_goal: Counter[int] = Counter()
    wins = draws = 0
    for goals, count in outcomes.items():
        by_goal[goals[role]] += count
        best = goals[role] == max(goals)
        shared = goals.count(goals[role]) > 1
        wins += count * (best and not shared)
        draws += count * (best and shared)
    mean = sum(goal * count for goal, count in by_goal.items()) / games
    low, high = wilson(mean / 100, games)
    return RoleResults(
        name,
        Share(wins, games),
        Share(draws, games),
        Share(games - wins - draws, games),
        tuple((goal, Share(by_goal[goal], games)) for goal in sorted(by_goal, reverse=True)),
        mean,
        (100 * low, 100 * high),
    )
