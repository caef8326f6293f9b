"""Learns the evaluation of a game during the start clock; continues an evaluation that was stored before."""

from __future__ import annotations

from ludens.agent.learning.averaged_fit import TrainedWeights
from ludens.agent.learning.evaluation_cache import CacheEntry
from ludens.agent.learning.features import FeatureNetwork
from ludens.agent.learning.learning import hidden_units
from ludens.agent.learning.short_learning import LEAST_SECONDS, ShortLearner
from ludens.agent.preparation.budget import CHOICE, FEATURES, LEARNING, TimeBudget
from ludens.agent.preparation.game_model import GameModel
from ludens.agent.preparation.strength_coefficients import STRENGTH_MODELS
from ludens.agent.preparation.strength_model import LEARNED, learned_figure
from ludens.agent.search.strategy_choice import GUIDED
from ludens.propnet.base.errors import LudensError
from ludens.propnet.base.words import duration_of_threads

_ENOUGH_SECONDS = 3.0  # of all threads: assumed; 10 s leave as much in most games (docs/experiments/start-clock.md)
_LEAST_MORE_SECONDS = 0.2  # of learning on: a few rounds
KNOWN_WELL = 20  # times as long as there is now: a start clock would gain next to nothing, and takes from trials


class StartClockLearning:
    """An evaluation that is being learned, for as long as there is nothing better to do."""

    def __init__(self, model: GameModel, workers: int, budget: TimeBudget) -> None:
        """Begins with what earlier matches taught, or what was learned while features were chosen."""
        self._model, self._workers, self._budget = model, workers, budget
        stored = model.cache_entry.read() if model.cache_entry else None
        if stored is None and model.cache_entry:
            self._explain_unused(model.cache_entry)
        reached = model.features.recalled_seconds if model.features else 0.0
        if stored is not None and 0 < reached + model.learned_seconds * workers >= stored.seconds:
            stored = None  # this match has learned on from that, or for as long
        self.learned: TrainedWeights | None = stored or (model.features.learned if model.features else None)
        self._before = stored.seconds if stored else reached  # of all threads, as everything that is kept
        self._recalled = stored is not None or reached > 0
        self._seconds = 0.0 if stored else model.learned_seconds  # of the clock
        self._learner: ShortLearner | None = None
        self._failed = False

    def learn(self, seconds: float) -> None:
        """Learns for so many seconds, no longer than the settings and the budget allow."""
        if not (allowed := self._allowed(seconds)):
            return
        began = self._budget.clock()
        with self._budget.spending(LEARNING):
            learned = self._learn_for(allowed)
        if learned:
            self._seconds += self._budget.clock() - began

    def _allowed(self, seconds: float) -> float:
        """Returns how many of so many seconds would be learned for now; 0 where that is not worth while."""
        seconds = min(seconds, self._most_seconds())
        least = LEAST_SECONDS if self._learner is None else _LEAST_MORE_SECONDS
        return 0.0 if self._budget.stopped() or seconds < least or self._knows_well(seconds) else seconds

    def _most_seconds(self) -> float:
        """Returns for how long may still be learned."""
        return 0.0 if self._failed else min(self._model.learning_seconds - self._seconds, self._budget.left())

    def tell(self) -> None:
        """Says how long has been learned, and what else took time."""
        others = self._budget.spent_in_words(FEATURES, CHOICE)
        self._budget.tell(self._learned_in_words() + (others and f"; {others}"))

    def _learned_in_words(self) -> str:
        if self._learner is not None or (self.learned is not None and not self._recalled):
            before = ", in addition to what earlier matches taught" if self._recalled else ""
            return f"learned for {self._seconds:.1f} s by playing itself{before}"
        if self._knows_well(LEAST_SECONDS):
            return f"what was learned of this game before, in {duration_of_threads(self._before)}, is used"
        return "no time to learn" + (": what earlier matches of this game taught is used" if self._recalled else "")

    def _knows_well(self, seconds: float) -> bool:
        """Says whether so much was learned before that so many seconds of the clock more would add nothing."""
        return self._before >= KNOWN_WELL * seconds * self._workers

    def is_short(self) -> bool:
        """Says whether so little was learned that it is too early to judge by that, or to rely on it."""
        allowed = self._model.learning_seconds
        return allowed >= LEAST_SECONDS and self.learned_seconds < min(_ENOUGH_SECONDS, allowed * self._workers)

    def gain(self, seconds: float) -> float:
        """Returns how much stronger, in logits, the evaluation will have become after so many seconds more."""
        before = learned_figure(self.learned_seconds)
        after = learned_figure(self.learned_seconds + self._allowed(seconds) * self._workers)
        return STRENGTH_MODELS[GUIDED].coefficients[LEARNED] * (after - before)

    @property
    def learned_seconds(self) -> float:
        """The time for which has been learned, of all threads, in this match and before."""
        return self._before + self._seconds * self._workers

    def reached(self) -> FeatureNetwork | None:
        """Returns what evaluations see and what was learned of it, if learning can go on from that; else None.

        It cannot where there was no time to find all that they may see.
        """
        features = self._model.features
        if features is None or not features.complete or features.hurried or features.timed_out:
            return None
        learned = self.learned._replace(seconds=self.learned_seconds) if self.learned else None
        return features._replace(learned=learned, recalled_seconds=self._before)

    def save(self) -> None:
        """Keeps what was learned for the next match of the game.

        Not in place of what took longer, as another match may have learned meanwhile; nor of what has won matches and
        took more than half as long: whether this is better nobody knows.
        """
        entry, seconds = self._model.cache_entry, self.learned_seconds
        if entry is None or self.learned is None or self._learner is None:
            return
        kept = entry.read()
        if entry.seconds() > seconds or (kept is not None and kept.gated and 2 * kept.seconds > seconds):
            return
        try:
            entry.write(self.learned._replace(seconds=seconds))
        except OSError as error:
            self._budget.tell(f"what was learned is not kept for the next match: {error.strerror or error}")

    def _explain_unused(self, entry: CacheEntry) -> None:
        """Says why what was learned before is not used, if something was."""
        if kept := entry.seconds():
            before = duration_of_threads(kept)
            self._budget.tell(f"not used, since it sees other features: what was learned before, in {before}")
        elif fault := entry.fault("this game"):
            self._budget.tell(f"what was learned before is not used: {fault}")

    def _learn_for(self, seconds: float) -> bool:
        """Says whether anything was learned: nothing is where the time is over before the first fit is."""
        budget, end = self._budget, self._budget.clock() + seconds
        learner = self._learner or self._new_learner(seconds)
        if budget.stopped():
            return False
        self._learner = learner
        try:
            learner.learn(end)
        except (LudensError, MemoryError) as error:  # such as for want of memory: searches need more of it
            if not learner.searches:
                raise
            budget.tell(f"self-play by search has failed, nothing more is learned: {str(error) or 'out of memory'}")
            self._failed = True
        self.learned = learner.learned()
        return True

    def _new_learner(self, seconds: float) -> ShortLearner:
        """Returns what learns for so many seconds, and maybe more, in addition to what earlier matches taught."""
        game, budget = self._model.variants.evaluated().full_game, self._budget
        in_all = self._before + (self._seconds + self._most_seconds()) * self._workers
        hidden = hidden_units(game, in_all, budget.seed, self.learned)
        known = self.learned and self.learned._replace(seconds=self.learned_seconds)
        return ShortLearner(game, seconds, hidden, budget.seed, known, self._workers, budget.clock, budget.stopped)
