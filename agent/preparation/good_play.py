"""Has a good player play both sides of a game, to see how balanced it is between players who know what they do."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

from ludens.agent.preparation.balance import Goals, RoleResults, most_frequent_first, results
from ludens.agent.preparation.budget import TimeBudget
from ludens.agent.preparation.playable_game import PlayableGame
from ludens.agent.preparation.prepare import prepare, prepare_repeatable, prepare_rules
from ludens.agent.preparation.random_games import Ending
from ludens.agent.preparation.self_play import MoveBudget, self_play
from ludens.agent.search.config import SearchConfig
from ludens.agent.settings.options import PlayerOptions, processors
from ludens.propnet.base.child import Tell


@dataclass(frozen=True, slots=True)
class GoodPlay:
    """Games of a player against itself."""

    roles: tuple[str, ...]
    games: int
    mean_length: float  # steps
    outcomes: tuple[tuple[Goals, int], ...]  # of those that ended as games should; the most frequent first
    improper: tuple[tuple[Ending, int], ...]  # other endings in their order, and in how many games

    @property
    def results(self) -> tuple[RoleResults, ...]:
        """What each role made of the games that ended as games should."""
        return results(self.roles, dict(self.outcomes))


def good_play(
    playable: PlayableGame, options: PlayerOptions, move_seconds: float, games: int, tell: Tell, seed: int = 0
) -> GoodPlay:
    """Plays `games` of the player of `options` against itself, as many at a time as there are processors.

    A move takes `move_seconds`, or on a network `options.iterations` if these are not 0: then the same seed gives the
    same games on any machine. A player that learns has `options.learn` seconds for that first. Raises `LudensError`
    for players that do not search, and where the game fails.
    """
    at_once = min(games, processors())
    options = replace(options, kernel="off", nodes_mb=max(1, options.tree_mb // at_once))
    budget = MoveBudget(options.iterations if playable.loaded else 0, move_seconds)
    config = _config(playable, options, budget, seed, tell)
    outcomes, improper, steps = Counter[Goals](), Counter[Ending](), 0
    for number, played in enumerate(self_play(config, budget, games, at_once, seed), start=1):
        steps += played.steps
        if played.ending is Ending.PROPER:
            outcomes[played.goals] += 1
        else:
            improper[played.ending] += 1
        tell(f"game {number} of {games} of good play is over")
    endings = tuple((ending, improper[ending]) for ending in Ending if ending in improper)
    return GoodPlay(playable.game.roles, games, steps / games, most_frequent_first(outcomes), endings)


def _config(playable: PlayableGame, options: PlayerOptions, budget: MoveBudget, seed: int, tell: Tell) -> SearchConfig:
    if playable.loaded is None:
        return prepare_rules(playable.game.game, options)
    if options.iterations:
        return prepare_repeatable(playable.loaded.net, options, tell)
    return prepare(playable.loaded.net, options, TimeBudget(options.learn, budget.seconds, seed, tell=tell))
