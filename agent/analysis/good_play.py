"""Has a good player play both sides of a game, to see how balanced it is between players who know what they do."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, replace

from ludens.agent.analysis.balance import Goals, RoleResults, most_frequent_first, results
from ludens.agent.analysis.course import Course, course_of, summary
from ludens.agent.analysis.self_play import MoveBudget, SelfPlayedGame, self_play
from ludens.agent.learning.random_games import Ending
from ludens.agent.playable.playable_game import PlayableGame
from ludens.agent.preparation.budget import TimeBudget
from ludens.agent.preparation.prepare import prepare
from ludens.agent.preparation.prepare_untimed import prepare_repeatable, prepare_rules
from ludens.agent.search.config import SearchConfig
from ludens.agent.settings.options import PlayerOptions
from ludens.agent.settings.processors import processors
from ludens.agent.statistics.intervals import wilson
from ludens.native.core import Game
from ludens.propnet.base.child import Tell

_LESS = 16  # times less to spend on a move has the weaker self of a player


@dataclass(frozen=True, slots=True)
class Thinking:
    """What a player scores against itself with less to spend on each move, in all seats in turn."""

    less: int  # times
    games: int
    score: float  # 0 … 1; 0.5 where thinking more is of no use
    interval: tuple[float, float]  # at 95 %


@dataclass(frozen=True, slots=True)
class GoodPlay:
    """Games of a player against itself."""

    roles: tuple[str, ...]
    games: int
    mean_length: float  # steps
    lengths: tuple[tuple[int, int], ...]  # steps, and how many games had so many
    branching: float  # legal moves of those who have a choice; 1 where nobody ever has one
    forced: float  # share of the steps at which nobody has a choice, 0 … 1
    outcomes: tuple[tuple[Goals, int], ...]  # of those that ended as games should; the most frequent first
    improper: tuple[tuple[Ending, int], ...]  # other endings in their order, and in how many games
    course: Course | None  # of those that ended as games should; None for games of one role
    thinking: Thinking | None  # None for games of one role, too

    @property
    def results(self) -> tuple[RoleResults, ...]:
        """What each role made of the games that ended as games should."""
        return results(self.roles, dict(self.outcomes))


def good_play(
    playable: PlayableGame, options: PlayerOptions, move_seconds: float, games: int, tell: Tell, seed: int = 0
) -> GoodPlay:
    """Plays `games` of the player of `options` against itself, as many at a time as there are processors.

    A move takes `move_seconds`, or on a network `options.iterations` if these are not 0: then the same seed gives the
    same games on any machine. A player that learns has `options.unclocked_seconds` for that first. As many games more
    show what thinking is worth. Raises `LudensError` for players that do not search, and where the game fails.
    """
    at_once = min(games, processors())
    share = max(1, options.tree_mb // (2 * at_once))  # a game has two searches where one side thinks less
    options = replace(options, kernel="off", nodes_mb=share)
    budget = MoveBudget(options.iterations if playable.loaded else 0, move_seconds)
    config = _config(playable, options, budget, seed, tell)
    rules = playable.game.game
    roles, played = len(playable.game.roles), list[SelfPlayedGame]()
    for number, game in enumerate(self_play(config, [[budget] * roles] * games, at_once, seed, rules), start=1):
        played.append(game)
        tell(f"game {number} of {games} of good play is over")
    played.sort(key=lambda game: game.number)
    proper = [game for game in played if game.ending is Ending.PROPER]
    endings = Counter(game.ending for game in played)
    courses = (course_of(game.expected, config.variant.searched_goals(game.goals)) for game in proper)
    choices, steps = [count for game in played for count in game.choices], sum(game.steps for game in played)
    return GoodPlay(
        roles=playable.game.roles,
        games=games,
        mean_length=steps / games,
        lengths=tuple(sorted(Counter(game.steps for game in played).items())),
        branching=sum(choices) / len(choices) if choices else 1.0,
        forced=sum(game.forced for game in played) / steps if steps else 0.0,
        outcomes=most_frequent_first(Counter(game.goals for game in proper)),
        improper=tuple((e, endings[e]) for e in Ending if e in endings and e is not Ending.PROPER),
        course=summary(courses) if roles > 1 else None,
        thinking=_thinking(config, rules, budget, games, at_once, seed, tell) if roles > 1 else None,
    )


def _thinking(
    config: SearchConfig, rules: Game, budget: MoveBudget, games: int, at_once: int, seed: int, tell: Tell
) -> Thinking | None:
    """Has the player play against itself with less to spend, in each seat equally often; None if no game counts."""
    roles, weak = rules.roles, MoveBudget(math.ceil(budget.playouts / _LESS), budget.seconds / _LESS)
    count = roles * math.ceil(games / roles)
    seatings = [[budget if role == number % roles else weak for role in range(roles)] for number in range(count)]
    scores = []
    for number, game in enumerate(self_play(config, seatings, at_once, seed, rules), start=1):
        if game.ending is Ending.PROPER:
            scores.append(_score(game.goals, game.number % roles))
        tell(f"game {number} of {count} against itself with less thought is over")
    if not scores:
        return None
    mean = sum(sorted(scores)) / len(scores)
    return Thinking(_LESS, len(scores), mean, wilson(mean, len(scores)))


def _score(goals: Goals, seat: int) -> float:
    """Returns what a seat made of a game: from 0, all lost, to 1."""
    others = [goal for role, goal in enumerate(goals) if role != seat]
    return 0.5 + (goals[seat] - sum(others) / len(others)) / 200


def _config(playable: PlayableGame, options: PlayerOptions, budget: MoveBudget, seed: int, tell: Tell) -> SearchConfig:
    if playable.loaded is None:
        return prepare_rules(playable.game.game, options)
    if options.iterations:
        return prepare_repeatable(playable.loaded.net, options, tell)
    return prepare(playable.loaded.net, options, TimeBudget(options.unclocked_seconds, budget.seconds, seed, tell=tell))
