"""Whether the evaluation of a game sees territory: found out by playing.

Evaluations that do win nearly all games of amazons and reversi against those that do not, and lose most of
breakthrough (docs/experiments/learning-features.md); how well they foretell results does not tell which game is which.
So two of them learn for a short while, one with territory and one without, and play each other. The better one learns
on from there. Their moves are short, however long those of the match will be: it is evaluations that are compared.
"""

from __future__ import annotations

from dataclasses import replace

from ludens.agent.learning.features import Seen
from ludens.agent.learning.learning import LEAST_SECONDS, learn
from ludens.agent.preparation.preparation import Meta
from ludens.agent.preparation.rating import Promise
from ludens.agent.preparation.trial import Candidate, trial
from ludens.agent.search.searches import Prepared
from ludens.agent.settings.options import PlayerOptions
from ludens.native.core import Evaluation, Game
from ludens.propnet.base.errors import LudensError

_SHARE = 0.1  # of the time: for each of the two to learn, and for their games
_MOVE_SECONDS = 0.003
_CAUTION = 1.0  # standard deviations by which territory must seem to gain: four games won of four


def can_choose(options: PlayerOptions, meta: Meta) -> bool:
    """Whether there is time for it."""
    return not meta.stopped() and _part(options, meta) >= LEAST_SECONDS


def choose_features(seen: Seen, options: PlayerOptions, meta: Meta) -> tuple[Seen, Meta]:
    """What the evaluation is to see where that is open, with what was learned of it; and the time that is left.

    It is not `complete` where that could not be found out: then territory is left out.
    """
    if seen.plain is None:
        return seen, meta
    begun = meta.clock()
    try:
        seen = _settled(seen, options, meta)
    except (LudensError, MemoryError) as error:
        meta.tell(f"territory is left out: {error or 'out of memory'}")
        seen = seen.without_territory()._replace(complete=False)
    spent = meta.clock() - begun
    return seen, replace(meta, seconds=max(0.0, meta.seconds - spent), spent=spent)


def _settled(seen: Seen, options: PlayerOptions, meta: Meta) -> Seen:
    """Raises what learning and playing do."""
    rivals = [seen.without_territory(), seen._replace(plain=None, gains=True)]
    if not can_choose(options, meta):
        meta.tell("territory is left out: no time to try it")
        return rivals[0]._replace(complete=False)
    seconds, games = _part(options, meta), [Game.from_propnet(rival.net) for rival in rivals]
    learned = [learn(game, seconds, meta.seed, meta.stopped, None, meta.clock, options.workers) for game in games]
    ways = [Prepared("guided", options.policy, Evaluation(each.weights)) for each in learned]
    candidates = [Candidate(game, way, Promise()) for game, way in zip(games, ways, strict=True)]
    terms = replace(meta, move_seconds=_MOVE_SECONDS).terms(meta.clock() + seconds)
    chosen, ratings = trial(candidates, options, terms, _CAUTION)
    if meta.stopped():
        meta.tell("territory is left out: the first turn came before it was tried")
        return rivals[0]._replace(complete=False)
    strength, spread = ratings.strength(1)
    meta.tell(f"territory: {strength:+.1f} ± {spread:.1f}, {'seen' if chosen else 'left out'}")
    return rivals[chosen]._replace(learned=learned[chosen])


def _part(options: PlayerOptions, meta: Meta) -> float:
    """The seconds that each has."""
    return _SHARE * min(options.learn, meta.seconds)
