"""Answers what a designer asks of a game: is it fair, long, drawish, dull? Each answer with the figures behind it.

Games of good players tell more than random ones, and count where there are any. The measures follow C. Browne,
"Automatic Generation and Evaluation of Recombination Games", 2008; the bounds in words are ours.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ludens.agent.analysis.balance import RoleResults, Share, draws
from ludens.agent.analysis.game_statistics import GameStatistics
from ludens.agent.analysis.good_play import GoodPlay

_MANY_DRAWS, _SOME_DRAWS = 0.5, 0.2  # of the games
_MUCH_FORCED = 0.3  # of the steps
_EARLY, _LATE = 0.4, 0.75  # of a game, when it is settled
_FEW_CHANGES = 0.3  # of the lead, in a game
_LITTLE_USE = 0.55  # of all points: what a player scores against one who thinks less
_LONG = 100  # steps


@dataclass(frozen=True, slots=True)
class Answer:
    """A question of a designer, a short answer, and why."""

    question: str
    answer: str
    reason: str


def answers(statistics: GameStatistics, played: GoodPlay | None) -> list[Answer]:
    """Returns the answers that there are games for."""
    games = played or statistics
    found = []
    if len(statistics.roles) > 1 and games.results:
        found.append(_fairness(games.results, good=played is not None))
        found += _drawishness(games)
    if statistics.games:
        found.append(_length(statistics, played))
    if played is not None:
        found += [*_liveliness(played), *_depth(played)]
    return found


def percent(share: float) -> str:
    """Returns a share in per cent, rounded as a reader wants it."""
    return f"{100 * share:.0f} %"


def interval(low: float, high: float) -> str:
    """Returns an interval of shares."""
    return f"{100 * low:.0f}-{100 * high:.0f} %"


def _fairness(results: Sequence[RoleResults], *, good: bool) -> Answer:
    """Tells whether a role gets more than its part, with 95 % confidence for all roles together with the others."""
    who = "under strong play" if good else "in random games"
    mean = sum(each.mean_goal for each in results) / len(results)
    ahead = [each for each in results if each.mean_goal_interval[0] > mean]
    reason = ", ".join(
        f"{each.role} wins {percent(each.wins.value)} ({interval(*each.wins.interval)})" for each in results
    )
    if not ahead:
        return Answer("Is it fair?", f"no seat has an advantage that shows in {results[0].wins.games} games", reason)
    best = max(ahead, key=lambda each: each.mean_goal)
    return Answer("Is it fair?", f"{best.role} has an advantage {who}", reason)


def _drawishness(games: GameStatistics | GoodPlay) -> Iterator[Answer]:
    drawn = draws(dict(games.outcomes))
    if drawn is None:
        return
    grade = "yes" if drawn.value >= _MANY_DRAWS else "somewhat" if drawn.value >= _SOME_DRAWS else "no"
    yield Answer("Is it drawish?", grade, f"{_share(drawn)} of the games have no winner")


def _length(statistics: GameStatistics, played: GoodPlay | None) -> Answer:
    games = played or statistics
    forced, branching = games.forced, games.branching
    grade = "long" if games.mean_length > _LONG else "not long"
    if forced > _MUCH_FORCED:
        grade += ", and often there is nothing to choose"
    reason = f"{games.mean_length:.0f} steps on average, {branching:.1f} moves to choose from, {percent(forced)} forced"
    if played:
        reason += f"; {statistics.mean_length:.0f} steps at random"
    return Answer("Is it long?", grade, reason)


def _liveliness(played: GoodPlay) -> Iterator[Answer]:
    course = played.course
    if course is None:
        return
    early, late = course.mean_settled < _EARLY, course.mean_settled > _LATE
    if early and course.lead_changes < _FEW_CHANGES:
        grade = "rather: it is settled early, and the lead stays"
    elif late or course.lead_changes >= 1:
        grade = "no: it is open for long" if late else "no: the lead changes"
    else:
        grade = "neither dull nor dramatic"
    reason = (
        f"settled after {percent(course.mean_settled)} of a game on average, {course.lead_changes:.1f} lead changes, "
        f"{_share(course.comebacks)} won from behind"
    )
    yield Answer("Is it dull?", grade, reason)


def _depth(played: GoodPlay) -> Iterator[Answer]:
    thinking = played.thinking
    if thinking is None:
        return
    low, high = thinking.interval
    grade = "yes" if low > 0.5 and thinking.score > _LITTLE_USE else "not that it shows"
    reason = (
        f"a player scores {percent(thinking.score)} ({interval(low, high)}) against itself with {thinking.less} times "
        f"less thought, in {thinking.games} games"
    )
    yield Answer("Does thinking help?", grade, reason)


def _share(share: Share) -> str:
    return f"{percent(share.value)} ({interval(*share.interval)})"
