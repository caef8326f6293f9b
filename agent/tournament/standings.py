"""What a tournament has come to so far: ratings, scores against each player and in each game, and faults."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ludens.agent.records.archive import results as outcomes
from ludens.agent.tournament.plan import Plan
from ludens.agent.tournament.ratings import Rating, rate
from ludens.agent.tournament.result import Result, comparisons
from ludens.agent.tournament.tournament import counted, left, sprt_verdicts


@dataclass(slots=True)
class Tally:
    """What one player has done; a match in which it had several roles counts for each."""

    matches: int = 0
    won: int = 0
    drawn: int = 0
    lost: int = 0
    score: float = 0.0  # the sum
    faults: int = 0
    marks: dict[str, int] = field(default_factory=dict)  # faults by kind: TO, CE, IL

    @property
    def mean(self) -> float:
        """The mean score, 0 … 1."""
        return self.score / self.matches if self.matches else 0.0


@dataclass(frozen=True, slots=True)
class Standings:
    """All that tables and pages show."""

    plan: Plan
    results: tuple[Result, ...]  # of matches that count
    unplayed: tuple[Result, ...]  # of those that could not be played
    left: int
    tallies: dict[str, Tally]  # by player
    ratings: list[Rating]
    game_ratings: dict[str, list[Rating]]  # by game
    against: dict[tuple[str, str], float]  # mean score of a player against another
    in_game: dict[tuple[str, str], float]  # mean score of a player in a game
    verdicts: dict[tuple[str, str], str | None]  # of the sequential test

    @property
    def over(self) -> bool:
        """Whether nothing more will come."""
        return not self.left


def standings(plan: Plan, results: dict[str, Result]) -> Standings:
    """Returns what some results, by the keys of their fixtures in the order in which they came, have come to."""
    found = counted(plan, results)
    played = [result for result in found if result.played]
    names = [player.name for player in plan.players]
    by_game = {game.name: [result for result in played if result.game == game.name] for game in plan.games}
    return Standings(
        plan,
        tuple(played),
        tuple(result for result in found if not result.played),
        len(left(plan, results)),
        _tallies(names, played),
        rate(names, comparisons(played)),
        {game: rate(names, comparisons(some)) for game, some in by_game.items()},
        _means(((c.first, c.second), c.score) for c in _both_ways(played)),
        _means(((name, result.game), score) for result in played for name, score in result.scores()),
        sprt_verdicts(plan, results),
    )


def _tallies(names: Sequence[str], played: Iterable[Result]) -> dict[str, Tally]:
    tallies = {name: Tally() for name in names}
    for result in played:
        ends = outcomes(result.goals, len(result.players))
        for (name, score), end, marks in zip(result.scores(), ends, result.faults, strict=True):
            tally = tallies[name]
            tally.matches += 1
            tally.won += end == "won"
            tally.drawn += end == "drawn"
            tally.lost += end == "lost"
            tally.score += score
            tally.faults += len(marks)
            for mark in marks:
                kind = mark.split()[0]
                tally.marks[kind] = tally.marks.get(kind, 0) + 1
    return tallies


@dataclass(frozen=True, slots=True)
class _Side:
    first: str
    second: str
    score: float


def _both_ways(played: Sequence[Result]) -> Iterable[_Side]:
    for each in comparisons(played):
        yield _Side(each.first, each.second, each.score)
        yield _Side(each.second, each.first, 1 - each.score)


def _means(pairs: Iterable[tuple[tuple[str, str], float]]) -> dict[tuple[str, str], float]:
    found: dict[tuple[str, str], list[float]] = defaultdict(list)
    for key, score in pairs:
        found[key].append(score)
    return {key: sum(scores) / len(scores) for key, scores in found.items()}
