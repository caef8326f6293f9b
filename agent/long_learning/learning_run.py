"""A run of long learning in its folder: self-play, matches with the best so far, checkpoints, and a curve.

The evaluation is that of a start clock (agent/learning), with more hidden units and for hours. On one thread what is
learned follows from the options and from what evaluations see, as long as no round of self-play takes five seconds,
after which it goes on with searches of its own, nor the random games before a minute, when they end early. A run that
was ended goes on with other games than those that were under way. From time to time the mean of the weights plays the
best evaluation before (gate.py); if it is better it is kept for all players. Matches change nothing of what is learned,
and have a small part of the time, however slow the machine: a match has half of what is left of that part, and the one
at the end of the run has the rest. So it depends on the machine which evaluations play.
"""

from __future__ import annotations

import dataclasses
import math
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ludens.agent.learning.fit import Learned
from ludens.agent.learning.random_games import takes_turns
from ludens.agent.learning.self_play_learner import LearningPace, LearningRate, SearchedPlayOptions, SelfPlayLearner
from ludens.agent.long_learning.approximation import SavedFit, SelfPlayOptions
from ludens.agent.long_learning.cluster_play import ClusterPlay
from ludens.agent.long_learning.curve import LearnPoint, picture
from ludens.agent.long_learning.gate import Gate, GateResult
from ludens.agent.long_learning.learned_game import LearnedGame
from ludens.agent.long_learning.options import LearnOptions, as_toml
from ludens.agent.long_learning.reference import Reference
from ludens.agent.training.checkpoint import Checkpoint, TrainingError, of_this_version
from ludens.agent.training.curve import to_csv, to_json
from ludens.agent.training.folder import TrainingFolder
from ludens.propnet.base.errors import NativeError
from ludens.propnet.base.interruptible import running

LATEST, BEST, REFERENCE = "latest.npz", "best.npz", "reference.npz"
"""Files of evaluations in the folder of a run: the last one, the best one, and what the best one is rated against."""

CONFIG = "config.toml"
KIND = "long learning"
"""What checkpoints of these runs say that they are."""

_HALF_AFTER = 1500  # rounds of players who look one move ahead, after which the rate of learning is half of the first,
_HALF_AFTER_SEARCHED = 3000  # ... and rounds of players who search
_GATE_GROWTH = 1.3  # until the next match there are so many times as many rounds as until the last one
_REFERENCE_SHARE = 1 / 20  # of the time of a run that learning the reference takes at most
_RANDOM_SECONDS = 60.0  # that random games take at most,
_PART_SECONDS = 5.0  # ... a part of a round of self-play,
_ROUND_SECONDS = 60.0  # ... and all parts of it, of processor time
_SAVED_SECONDS = 1.0  # of learning between two checkpoints, or more where to write one took longer than this share
_SAVING_SHARE = 1 / 50
_PATIENCE_SECONDS = 600.0  # beyond its time until a run is given up in which no game has ended yet
_LOOK_SECONDS = 0.2  # until interrupts are noticed and progress is told


@dataclass(frozen=True, slots=True)
class Totals:
    """What was learned in all: positions, the sum of their squared errors in goals, seconds without matches, games.

    `thread_seconds` are the seconds of all threads together.
    """

    positions: int = 0
    squared_error: float = 0.0
    seconds: float = 0.0
    games: int = 0
    thread_seconds: float = 0.0

    @classmethod
    def of(cls, known: Mapping[str, Any]) -> Totals:
        """Returns what a checkpoint says; an older one does not know the threads, of which there was one at least."""
        return cls(**{"thread_seconds": known["seconds"], **known})


@dataclass(slots=True)
class Progress:
    """How far a run has come, in what JSON can hold."""

    next_gate: int  # rounds
    seconds: float = 0.0  # in all,
    match_seconds: float = 0.0  # ... those of matches,
    longest_match: float = 0.0  # ... and of the longest of these
    beaten_seconds: float = 0.0  # for which was learned what was kept for all players and lost a match
    unkept_rounds: int = 0  # of the best evaluation, where it is not kept for all players yet
    reference: str = ""  # the fixed opponent, as users describe players
    totals: Totals = Totals()
    at_last_gate: Totals = Totals()
    curve: list[LearnPoint] = field(default_factory=list)

    @classmethod
    def of(cls, known: Mapping[str, Any]) -> Progress:
        """Returns what a checkpoint says."""
        totals = {name: Totals.of(known[name]) for name in ("totals", "at_last_gate")}
        return cls(**{**known, **totals, "curve": [LearnPoint(**point) for point in known["curve"]]})


@dataclass(frozen=True, slots=True)
class Reached:
    """What the checkpoint of a run says of it."""

    name: str  # of the game
    names: list[str]  # of what its evaluations see, as all sheets of the game have it
    relative: bool  # roles play for relative goals
    rounds: int
    shape: Mapping[str, Any]  # of the fit
    progress: Progress

    @classmethod
    def of(cls, checkpoint: Checkpoint, path: Path) -> Reached:
        """Reads the checkpoint in the folder `path`; raises `TrainingError` for one of another version of Ludens."""
        known = checkpoint.progress
        with of_this_version(path):
            shape, progress = known["shape"], Progress.of(known["progress"])
            return cls(known["name"], known["names"], known.get("relative", False), shape["rounds"], shape, progress)


class LearningRun:
    """A run in its folder. For one thread; a KeyboardInterrupt leaves it whole."""

    def __init__(
        self,
        folder: TrainingFolder,
        game: LearnedGame,
        options: LearnOptions,
        threads: int,
        tell: Callable[[str], None],
        elsewhere: ClusterPlay | None = None,
    ) -> None:
        """Begins a run; nothing is written yet. Self-play is in `threads` of this process if it is not `elsewhere`."""
        self.game, self.options, self.progress = game, options, Progress(options.first_gate)
        self._folder, self._threads, self._tell, self._elsewhere = folder, threads, tell, elsewhere
        self._kept_cache = game.known.kept
        self._kept = game.approximation.entry(self._kept_cache)
        self._latest, self._best = (
            game.approximation.entry(self._kept_cache.at(folder.path / name)) for name in (LATEST, BEST)
        )
        self._reference: Reference | None = None
        self._state: SavedFit | None = None
        self._learner: SelfPlayLearner[Any] | None = None
        self.not_kept = ""  # why players do not have the best evaluation
        self._saving_seconds = 0.0  # that the last checkpoint took
        self._said_options = False  # in a file
        self._gate = Gate(game, options, threads, self._wait)

    def restore(self, checkpoint: Checkpoint) -> None:
        """Goes on from a checkpoint; raises `TrainingError` for one of another network, or version."""
        reached = Reached.of(checkpoint, self._folder.path)
        if reached.names != self._latest.names.tolist():
            raise TrainingError(
                f"{self._folder.path}: the network of {self.game.name} has other propositions or features than when "
                "this run began, with another version of Ludens perhaps: begin another run with --out"
            )
        with of_this_version(self._folder.path):
            self._state = self.game.approximation.from_words(checkpoint.words, reached.shape, self.options)
        self.progress = reached.progress

    @property
    def rounds(self) -> int:
        """How many rounds were learned."""
        return self._state.rounds if self._state else 0

    def run(self, seconds: float) -> None:
        """Learns until the run has taken `seconds` in all, and something at least; raises `TrainingError`.

        A KeyboardInterrupt ends it: what was learned since the last checkpoint, a second or so, is lost.
        """
        self._keep_again()
        while True:
            if self._gate_is_due(seconds):
                self._match_before(seconds)
            if self._is_over(seconds):
                break
            self._learn(seconds)
        if not self.progress.curve:
            raise TrainingError(f"nothing was learned of {self.game.name}: none of its games came to an end in time")
        self._keep_again()
        self._save()  # once more: a run may have been killed before all was written
        self._save_curve()

    def _is_over(self, seconds: float) -> bool:
        """Says whether the time is over: a little later where nothing has been learned yet."""
        return self.progress.seconds >= seconds + (0 if self.rounds else _PATIENCE_SECONDS)

    def _gate_is_due(self, seconds: float) -> bool:
        """Says whether it is time for a match with the best evaluation before."""
        over, curve = self.progress.seconds >= seconds, self.progress.curve
        new = self.rounds > (curve[-1].rounds if curve else 0)
        return new and (over or self._may_gate(self.rounds, self.progress.seconds))

    def _may_gate(self, rounds: int, seconds: float) -> bool:
        """Says whether there may be a match, and another one at the end, after so many rounds and seconds.

        As far as matches take as long as those before.
        """
        progress = self.progress
        return rounds >= progress.next_gate and 2 * progress.longest_match <= self._match_seconds_left(seconds)

    def _match_seconds_left(self, seconds: float) -> float:
        """Returns how long further matches may take of a run of so many seconds."""
        return self.options.match_share * seconds - self.progress.match_seconds

    def _match_before(self, seconds: float) -> None:
        """Plays a match with the best evaluation before, of a run of so many seconds, and notes how it stands."""
        self._make_reference(seconds)
        began, progress = time.monotonic(), self.progress
        left = self._match_seconds_left(progress.seconds)
        self._play_gate(left if self._is_over(seconds) else left / 2)
        taken = time.monotonic() - began
        progress.seconds += taken
        progress.match_seconds += taken
        progress.longest_match = max(progress.longest_match, taken)
        self._save()
        self._save_curve()

    def _make_reference(self, seconds: float) -> None:
        """Has the reference learn, if it has not yet: for a small part of a run of so many seconds.

        Raises `TrainingError` where it cannot be written.
        """
        began, stopped = time.monotonic(), threading.Event()
        wanted = min(self.options.reference_seconds, _REFERENCE_SHARE * seconds)

        def work() -> None:
            reference = self._reference or Reference(self.game, self._folder.path / REFERENCE)
            if not reference.is_learned:
                with self._folder.writing(REFERENCE):
                    reference.learn(wanted, self.options.seed, stopped.is_set)
            self._reference = reference

        self._wait(work, stopped.set, "learning what a player learns before a match, to compare with")
        self.progress.reference = str(self._reference)
        self.progress.seconds += time.monotonic() - began

    def _learn(self, seconds: float) -> None:
        """Learns until the next match, or the end of a run of so many seconds; writes a checkpoint from time to time.

        Raises `TrainingError` if weights are no numbers any more.
        """
        began, before, stopped = time.monotonic(), self.progress.seconds, threading.Event()
        end = began + max(_LOOK_SECONDS, seconds - before)

        def work() -> None:
            learner = self._learner or self._new_learner(stopped.is_set)
            if stopped.is_set():  # before it was whole, perhaps
                return
            self._learner = learner

            def finished() -> bool:
                now = time.monotonic()
                return stopped.is_set() or now >= end or self._may_gate(learner.rounds, before + now - began)

            if self._elsewhere:
                self._elsewhere.learn(learner, finished)
            else:
                learner.learn(finished)

        def stop() -> None:
            stopped.set()
            if self._elsewhere:
                self._elsewhere.stop()

        saved = began
        try:
            for _ in running(work, stop, _LOOK_SECONDS):
                now = time.monotonic()
                self._tell(self._words(seconds, before + now - began))
                if self._learner and now >= saved + max(_SAVED_SECONDS, self._saving_seconds / _SAVING_SHARE):
                    self._count(self._learner, before + now - began)
                    self._save()
                    saved = time.monotonic()
        except NativeError as error:
            rate = "searched_rate (--config)" if self._learner and self._learner.searches else "--rate"
            ahead = (
                "what was learned until the last checkpoint is there, and --resume goes on from it"
                if self._folder.has_begun
                else "nothing was saved yet, so begin again"
            )
            raise TrainingError(
                f"learning failed after round {self.rounds:,}: {error}; {ahead}: if weights are not finite, with a "
                f"lower {rate}"
            ) from error
        assert self._learner is not None  # by work()
        self._count(self._learner, before + time.monotonic() - began)
        self._save()

    def _new_learner(self, stopped: Callable[[], bool] = lambda: False) -> SelfPlayLearner[Any]:
        """Returns a learner that begins, or goes on, with new games; soon, and one of no use, if it was `stopped`."""
        options = self.options
        seed = np.random.default_rng([options.seed, self.rounds]).integers(1 << 62)
        play = SelfPlayOptions(
            0 if self._elsewhere else self._threads,
            self._threads,
            LearningPace(options.random_games, _RANDOM_SECONDS, options.round_states, _PART_SECONDS, _ROUND_SECONDS),
            LearningRate(options.rate, _HALF_AFTER),
            self._searched_play(),
            stopped,
        )
        return self.game.approximation.learner(self.game.game, int(seed), self._state, options, play)

    def _searched_play(self) -> SearchedPlayOptions | None:
        """Returns how self-play searches; None where several roles choose at once, which such searches do not play."""
        return searched_play(self.options) if takes_turns(self.game.game) else None

    def _count(self, learner: SelfPlayLearner[Any], seconds: float) -> None:
        """Takes note of what was learned until the run has taken so many seconds; while it goes on, too."""
        self._state, totals = learner.state(), self.progress.totals
        new_seconds, self.progress.seconds = seconds - self.progress.seconds, seconds
        new = learner.forget_history()
        self.progress.totals = Totals(
            totals.positions + sum(each.positions for each in new),
            totals.squared_error + sum(each.positions * each.error for each in new),
            totals.seconds + new_seconds,
            totals.games + sum(each.games for each in new),
            totals.thread_seconds + new_seconds * self._playing,
        )

    @property
    def _playing(self) -> int:
        """How many threads play, or workers of a cluster in their place, at the moment."""
        return self._elsewhere.workers if self._elsewhere else self._threads

    def _play_gate(self, seconds: float) -> None:
        """Plays the best evaluation before, and takes its place if it is better; has so many seconds for all games."""
        progress, curve = self.progress, self.progress.curve
        candidate, best = self._learned(), self._best.read()
        before = best or self._kept.read()
        became_best = best is not None and best.rounds == candidate.rounds  # just before the run was killed
        assert self._reference is not None  # by _make_reference()
        against = None if became_best else before
        found = self._gate.play(candidate, against, self._reference, curve[-1] if curve else None, seconds)
        if found.better:
            won = found.games > 0 or (before is not None and before.gated)  # before a kill, perhaps
            self._keep(candidate._replace(gated=won), before)
        curve.append(self._point(found))
        progress.at_last_gate = progress.totals
        progress.next_gate = max(self.rounds + self.options.first_gate, math.ceil(self.rounds * _GATE_GROWTH))

    def _point(self, found: GateResult) -> LearnPoint:
        """Returns the point of the curve for what was learned until now, and what matches have shown."""
        progress, since, totals = self.progress, self.progress.at_last_gate, self.progress.totals
        positions = max(1, totals.positions - since.positions)
        taken = max(totals.seconds - since.seconds, 1e-9)
        return LearnPoint(
            minutes=progress.seconds / 60,
            rounds=self.rounds,
            positions=totals.positions,
            error=math.sqrt((totals.squared_error - since.squared_error) / positions),
            positions_per_second=positions / taken,
            games=found.games,
            score=found.score.mean,
            better=found.better,
            against_uct=found.against_uct.mean,
            against_reference=found.against_reference.mean,
            score_within=found.score.within,
            against_uct_within=found.against_uct.within,
            against_reference_within=found.against_reference.within,
            games_per_second=(totals.games - since.games) / taken,
        )

    def _wait(self, work: Callable[[], None], stop: Callable[[], None], what: str) -> None:
        """Waits until something is done that `stop` ends early, and tells what."""
        for _ in running(work, stop, _LOOK_SECONDS):
            self._tell(f"{self.progress.seconds / 60:.1f} min: {what}")

    def _learned(self) -> Learned[Any]:
        assert self._state is not None  # at least one generation was learned
        return Learned(self._state.mean, self._state.rounds, self.progress.totals.thread_seconds)

    def _keep(self, best: Learned[Any], before: Learned[Any] | None) -> None:
        """Writes the best evaluation, for all players too; raises `TrainingError`.

        A run may be killed between any two files, so the checkpoint first says what was beaten and what is to be kept.
        """
        seconds = self._kept.seconds()
        if before is not None and before.seconds == seconds:
            self.progress.beaten_seconds = seconds
        self.progress.unkept_rounds = best.rounds
        self._save()
        with self._folder.writing(BEST):
            self._best.write(best)
        self._keep_for_players(best)

    def _keep_for_players(self, best: Learned[Any]) -> None:
        """Writes the best evaluation for all players; where it cannot be written, that is said at the end.

        Not where these have one that took longer and was not beaten, from another run.
        """
        seconds = self._kept.seconds()
        if seconds > best.seconds and seconds != self.progress.beaten_seconds:
            self.not_kept = f"{self._kept_cache.path} has an evaluation that took longer"
            return
        try:
            self._kept.write(best)
        except OSError as error:
            file = self._folder.path / BEST
            self.not_kept = f"cannot write {self._kept_cache.path}: {error.strerror}; --import {file} keeps it later"
            return
        self.not_kept, self.progress.unkept_rounds = "", 0

    def _keep_again(self) -> None:
        """Keeps the best evaluation for all players if that has failed before, or was prevented by a kill."""
        best = self._best.read() if self.progress.unkept_rounds else None
        if best is not None and best.rounds == self.progress.unkept_rounds:
            self._keep_for_players(best)

    def _save(self) -> None:
        """Writes the checkpoint and the last evaluation, once a round was learned; raises `TrainingError`."""
        if not self.rounds:
            return
        assert self._state is not None
        began = time.monotonic()
        known = {
            "kind": KIND,
            "name": self.game.name,
            "names": self._latest.names.tolist(),
            "relative": self.game.known.relative,
            "shape": self.game.approximation.shape_of(self._state),
            "progress": dataclasses.asdict(self.progress),
        }
        words = self.game.approximation.to_words(self._state)
        self._folder.write(Checkpoint(self._kept_cache.digest, dataclasses.asdict(self.options), known, words))
        with self._folder.writing(LATEST):
            self._latest.write(self._learned())
        if not self._said_options:
            self._write(CONFIG, as_toml(dataclasses.asdict(self.options)).encode())
            self._said_options = True
        self._saving_seconds = time.monotonic() - began

    def _save_curve(self) -> None:
        """Writes how strong it has become, in numbers and as a picture; raises `TrainingError`."""
        curve, reference = self.progress.curve, self.progress.reference
        about = {"game": self.game.name, "options": dataclasses.asdict(self.options), "reference": reference}
        self._write("curve.json", to_json(curve, about).encode())
        self._write("curve.csv", to_csv(curve, LearnPoint).encode())
        self._write("curve.svg", picture(curve, f"Learning {self.game.name}", reference).encode())

    def _write(self, name: str, content: bytes) -> None:
        self._folder.write_file(name, content)

    def _words(self, seconds: float, taken: float) -> str:
        """Says how far a run of so many seconds is, which has taken some of them."""
        totals, curve = self.progress.totals, self.progress.curve
        words = [f"{taken / 60:.0f} of {math.ceil(seconds / 60)} min"]
        if totals.positions:
            words.append(f"{totals.positions / totals.seconds:,.0f} positions/s")
        if curve:
            words.append(f"{100 * curve[-1].against_uct:.0f} % against UCT")
        return ", ".join(words)


def searched_play(options: LearnOptions) -> SearchedPlayOptions:
    """Returns how the self-play of a game by turns searches."""
    return SearchedPlayOptions(
        options.searched_after,
        options.searched_leaves,
        options.searched_visits,
        options.searched_states,
        LearningRate(options.searched_rate, _HALF_AFTER_SEARCHED),
    )
