"""Long runs of learning: matches, their time and what they decide, self-play by search, rates, and what is kept."""

from __future__ import annotations

import errno
import json
import math
from dataclasses import replace
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from ludens import games
from ludens.agent.learning.learning import Learner
from ludens.agent.learning.random_games import takes_turns
from ludens.agent.long_learning import gate, learning_run, search_match
from ludens.agent.long_learning.curve import Score
from ludens.agent.long_learning.gate import Gate
from ludens.agent.long_learning.learning_run import BEST, REFERENCE, LearningRun
from ludens.agent.long_learning.reference import Reference
from ludens.agent.long_learning.search_match import LimitedSearch, SearchMatch
from ludens.agent.training.checkpoint import TrainingError
from ludens.agent.training.folder import TrainingFolder
from ludens.native.core import EvaluationFit, Game, TrainingSamples
from ludens.propnet.base.errors import NativeError
from ludens.propnet.compile.loader import load
from ludens.propnet.gdl.parser import parse_rules
from tests.support.learning_runs import GAME, SMALL, best_kept, new_run, silent, the_game

pytestmark = pytest.mark.usefixtures("own_cache")


@pytest.mark.parametrize("match_seconds", [1.0, 100.0, 400.0])
def test_matches_have_a_small_part_of_the_time(
    tmp_path: Path, match_seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However slow they are; the last one, at the end, is part of it."""
    ticks = count(0.0, 10.0)  # each look at the clock takes ten seconds, as a round does
    lost = 0.0

    def match(*_: object) -> tuple[int, Score, bool]:
        nonlocal lost
        lost += match_seconds
        return 4, Score(0.25), False

    monkeypatch.setattr(learning_run, "time", SimpleNamespace(monotonic=lambda: next(ticks) + lost))
    monkeypatch.setattr(Gate, "_against", match)
    monkeypatch.setattr(Gate, "_rated", lambda *_: (Score(0.5), Score(0.5)))
    with TrainingFolder(tmp_path / "run", resume=False) as folder:
        run = new_run(folder)
        run.run(6000.0)
        again = new_run(folder)
        again.restore(folder.read())
    progress = run.progress
    assert progress.curve[-1].rounds == run.rounds and len(progress.curve) >= 2
    assert progress.match_seconds >= match_seconds * len(progress.curve)
    assert progress.match_seconds <= SMALL.match_share * progress.seconds
    assert again.progress == progress
    assert not (tmp_path / "run" / "best.npz").exists()


@pytest.mark.parametrize("later_seconds", [0.1, 1.0, 10.0])
def test_a_match_ends_when_its_time_is_over(
    tmp_path: Path, later_seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Though its games take many times as long as those of the first; each opponent has two games at least."""
    now = 0.0
    options = replace(SMALL, gate_games=120, rated_games=40)

    def look() -> float:
        nonlocal now
        now += 2.0  # that a round takes
        return now

    def play(*_: object) -> float:
        nonlocal now
        now += later_seconds if run.progress.curve else 0.1
        return 0.52  # which decides nothing

    monkeypatch.setattr(learning_run, "time", SimpleNamespace(monotonic=look))
    for module in (gate, search_match):
        monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: now))
    monkeypatch.setattr(SearchMatch, "_score", play)
    with TrainingFolder(tmp_path / "run", resume=False) as folder:
        run = new_run(folder, options)
        run.run(600.0)
    assert len(run.progress.curve) >= 2
    least = 6 * later_seconds
    assert run.progress.match_seconds <= options.match_share * run.progress.seconds + least


@pytest.mark.parametrize(
    ("scores", "better"),
    [
        ([0.75], False),
        ([1.0] * 2, False),
        ([1.0] * 8, True),
        ([0.52] * 60, True),
        ([0.5] * 60, False),
        ([0.5] * 39 + [0.75], False),
        ([1.0] * 16, True),
    ],
    ids=["one opening", "two openings", "beyond doubt", "all games", "all games, even", "rejected", "accepted"],
)
def test_an_evaluation_is_kept_if_the_test_says_so_or_it_is_better_in_all_games_or_beyond_doubt(
    tmp_path: Path, scores: list[float], better: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SearchMatch, "decide", lambda *_: scores)
    with TrainingFolder(tmp_path / "run", resume=False) as folder:
        run = new_run(folder, replace(SMALL, gate_games=120))
        learner = run._new_learner()
        while not learner.rounds:
            learner.round()
        before = learner.learned()
        candidate = before._replace(rounds=before.rounds + 1)
        games, score, found = run._gate._against(candidate, before, 0.0)
        assert (games, score.mean, found) == (2 * len(scores), float(np.mean(scores)), better)
        assert 0 < score.within < 1


def test_self_play_searches_from_some_round_on_if_the_game_is_by_turns(tmp_path: Path) -> None:
    with TrainingFolder(tmp_path / "run", resume=False) as folder:
        run = new_run(folder)
        learner = run._new_learner()
        for _ in range(SMALL.searched_after + 2):
            learner.round()
        searching = Learner(run.game.game, 1, learner.state(), pace=learner.pace, searched=learner.searched)
        looking = Learner(run.game.game, 1, learner.state(), pace=learner.pace)
        for each in (searching, looking):
            each.round()
    assert searching.rounds == looking.rounds == SMALL.searched_after + 3
    assert 0 < searching.history[0].positions != looking.history[0].positions


ENDLESS = """
    (role ann) (role bob) (other ann bob) (other bob ann)
    (init (lamp off)) (init (control ann))
    (<= (legal ?r turn) (true (control ?r)))
    (<= (legal ?r wait) (true (control ?r)))
    (<= (legal ?q noop) (true (control ?r)) (other ?r ?q))
    (<= (next (lamp on)) (does ?r turn) (true (lamp off)))
    (<= (next (lamp off)) (does ?r turn) (true (lamp on)))
    (<= (next (lamp ?x)) (does ?r wait) (true (lamp ?x)))
    (<= (next (control ?q)) (true (control ?r)) (other ?r ?q))
    (<= terminal (true (lamp broken)))
    (<= (goal ?r 50) (role ?r))
"""
BID_FIRST = """
    (role ann) (role bob) (init bidding)
    (<= (legal ?r high) (role ?r) (true bidding))
    (<= (legal ?r low) (role ?r) (true bidding))
    (<= (legal ann left) (not (true bidding)))
    (<= (legal ann right) (not (true bidding)))
    (<= (legal bob noop) (not (true bidding)))
    (<= (next over) (not (true bidding)))
    (<= terminal (true over))
    (<= (goal ?r 50) (role ?r))
"""


@pytest.mark.parametrize(
    ("rules", "expected"),
    [(games.read(GAME), True), (games.read("goofspiel"), False), (ENDLESS, True), (BID_FIRST, False)],
    ids=["board", "bids", "endless", "bid first"],
)
def test_a_game_is_by_turns_if_nobody_is_seen_to_choose_with_others(rules: str, expected: bool) -> None:
    assert takes_turns(Game.from_propnet(load(parse_rules(rules)))) == expected


def test_the_rate_of_learning_falls_with_the_rounds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it was is what was learned by."""
    rates, fit = list[float](), EvaluationFit.fit

    def told(self: EvaluationFit, samples: TrainingSamples, rate: float, seed: int) -> float:
        rates.append(rate)
        return fit(self, samples, rate, seed)

    with TrainingFolder(tmp_path / "run", resume=False) as folder:
        run = new_run(folder)
        learner = run._new_learner()
        monkeypatch.setattr(EvaluationFit, "fit", told)
        while learner.rounds < SMALL.searched_after + 4:
            learner.round()
    first = SMALL.rate / np.sqrt(1 + 3 * np.arange(SMALL.searched_after) / 1500)
    later = SMALL.searched_rate / np.sqrt(1 + 3 * np.arange(4) / 3000)
    np.testing.assert_allclose(rates, [*first, *later])


def test_what_another_run_has_kept_is_replaced_only_in_a_match_or_by_what_took_longer(tmp_path: Path) -> None:
    game = the_game()
    with TrainingFolder(tmp_path / "run", resume=False) as folder:
        run = new_run(folder)
        run.run(0.5)
        ours = best_kept()
        game.approximation.entry(game.known.kept).write(ours._replace(seconds=ours.seconds + 1000, rounds=9))
        run._keep(ours, None)
        assert best_kept().rounds == 9 and "took longer" in run.not_kept
        run._keep(ours, best_kept())
        assert best_kept().rounds == ours.rounds and run.not_kept == ""


def test_a_run_of_before_threads_were_counted_has_learned_for_its_seconds_at_least(tmp_path: Path) -> None:
    with TrainingFolder(tmp_path / "run", resume=False) as folder:
        run = new_run(folder)
        run.run(0.5)
        run.progress.totals = replace(run.progress.totals, seconds=3000.0)
        run._save()
        known = json.loads(json.dumps(folder.read().progress))
        for name in ("totals", "at_last_gate"):
            del known["progress"][name]["thread_seconds"]
        again = new_run(folder)
        again.restore(replace(folder.read(), progress=known))
        assert again.progress.totals.thread_seconds == 3000.0
        assert again._learned().seconds == 3000.0


@pytest.mark.parametrize(("workers", "expected"), [(None, 20.0), (0, 0.0), (3, 30.0)])
def test_the_seconds_of_all_who_play_are_counted(tmp_path: Path, workers: int | None, expected: float) -> None:
    """Those of threads, or of the workers of a cluster in their place, however many threads are here."""
    elsewhere: Any = None if workers is None else SimpleNamespace(workers=workers)
    with TrainingFolder(tmp_path / "run", resume=False) as folder:
        run = LearningRun(folder, the_game(), SMALL, 2, silent, elsewhere)
        run._count(run._new_learner(), 10.0)
    assert run.progress.totals.seconds == 10.0 and run.progress.totals.thread_seconds == expected


def test_what_beat_an_evaluation_that_took_longer_is_kept_however_late_it_can_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Though then it is itself what others are compared with."""
    game = the_game()
    with TrainingFolder(tmp_path / "run", resume=False) as folder:
        run = new_run(folder)
        run.run(0.5)
        ours = best_kept()
        game.approximation.entry(game.known.kept).write(ours._replace(seconds=ours.seconds + 1000, rounds=9))
        with monkeypatch.context() as patch:
            patch.setattr(run, "_kept", Unwritten(run._kept))
            run._keep(ours, best_kept())
        assert best_kept().rounds == 9 and "No space left" in run.not_kept
        run._save()
        again = new_run(folder)
        again.restore(folder.read())
        again._keep(ours._replace(rounds=ours.rounds + 1), ours)
        assert best_kept().rounds == ours.rounds + 1 and again.not_kept == ""


class Unwritten:
    """An entry on a disk that is full, until something is removed there if it is for so many writes."""

    def __init__(self, entry: Any, writes: float = math.inf, error: BaseException | None = None) -> None:
        self.seconds, self.read = entry.seconds, entry.read
        self._entry, self._writes = entry, writes
        self._error = error or OSError(errno.ENOSPC, "No space left on device")

    def write(self, learned: object) -> None:
        self._writes -= 1
        if self._writes >= 0:
            raise self._error
        self._entry.write(learned)


def test_what_could_not_be_kept_for_players_is_kept_at_the_end_of_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Though nothing better was found since the disk was full."""
    with TrainingFolder(tmp_path / "run", resume=False) as folder:
        run = new_run(folder, replace(SMALL, first_gate=10**6))
        monkeypatch.setattr(run, "_kept", Unwritten(run._kept, writes=1))
        run.run(0.5)
    assert best_kept().rounds == run.rounds and run.not_kept == ""


def test_what_could_not_be_kept_for_players_is_kept_when_the_run_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with TrainingFolder(tmp_path / "run", resume=False) as folder:
        run = new_run(folder, replace(SMALL, first_gate=10**6))
        with monkeypatch.context() as patch:
            patch.setattr(run, "_kept", Unwritten(run._kept))
            run.run(0.5)
        assert f"--import {folder.path / BEST}" in run.not_kept
        again = new_run(folder, run.options)
        again.restore(folder.read())
        again.run(0.5)  # which is over
    assert best_kept().rounds == run.rounds == again.rounds and again.not_kept == ""


class Killed(BaseException):
    """Stands for a kill."""


@pytest.mark.parametrize("others", [True, False], ids=["has beaten another", "is the first"])
def test_the_best_of_a_run_that_was_killed_before_players_had_it_is_kept_when_it_goes_on(
    tmp_path: Path, others: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And it has won a match only if there was one: that it is repeated against itself is none."""
    monkeypatch.setattr(SearchMatch, "decide", lambda *_: [1.0] * 8)
    if others:
        with TrainingFolder(tmp_path / "others", resume=False) as folder:
            new_run(folder).run(0.5)
        game = the_game()
        game.approximation.entry(game.known.kept).write(best_kept()._replace(seconds=1000.0, gated=False))
    with TrainingFolder(tmp_path / "run", resume=False) as folder:
        run = new_run(folder, replace(SMALL, first_gate=10**6))
        with monkeypatch.context() as patch, pytest.raises(Killed):
            patch.setattr(run, "_kept", Unwritten(run._kept, error=Killed()))
            run.run(0.5)
        again = new_run(folder, run.options)
        again.restore(folder.read())
        again.run(again.progress.seconds)
    assert len(again.progress.curve) == 1 and again.not_kept == ""
    kept = best_kept()
    assert kept.rounds == run.rounds and kept.seconds < 1000 and kept.gated == others


def test_a_run_killed_before_all_was_written_writes_it_when_it_goes_on(tmp_path: Path) -> None:
    names = ("curve.json", "curve.csv", "curve.svg", "latest.npz", "config.toml")
    with TrainingFolder(tmp_path / "run", resume=False) as folder:
        run = new_run(folder)
        run.run(0.5)
        for name in names:
            (folder.path / name).unlink()
        again = new_run(folder)
        again.restore(folder.read())
        again.run(0.5)
        assert again.progress == run.progress
        assert all((folder.path / name).exists() for name in names)


@pytest.mark.parametrize(("seconds", "expected"), [(24.0, 0.025), (0.01, 0.01)], ids=["short run", "long enough"])
def test_all_of_a_run_is_rated_against_one_player_who_has_learned_as_before_a_match(
    tmp_path: Path, seconds: float, expected: float
) -> None:
    """For so long, but no more than a twentieth of the run."""
    path = tmp_path / "run" / REFERENCE
    with TrainingFolder(tmp_path / "run", resume=False) as folder:
        run = new_run(folder, replace(SMALL, reference_seconds=seconds))
        run.run(0.5)
        before = path.read_bytes()
        again = new_run(folder, replace(SMALL, reference_seconds=seconds))
        again.restore(folder.read())
        while len(again.progress.curve) == len(run.progress.curve):
            again.run(again.progress.seconds + 2.0)
    assert len(again.progress.curve) > len(run.progress.curve) and path.read_bytes() == before
    assert run.progress.reference == again.progress.reference == f"guided:learn={expected},features=state"
    assert f"against guided:learn={expected}" in (tmp_path / "run" / "curve.svg").read_text()
    point = again.progress.curve[-1]
    assert 0 <= point.against_reference <= 1 and 0 < point.against_reference_within <= 1


def test_the_reference_has_learned_as_players_do(tmp_path: Path) -> None:
    """It plays what it has learned, which is better than nothing."""
    game, path, ticks = the_game(), tmp_path / REFERENCE, count()
    reference = Reference(game, path)
    reference.learn(20.0, 0, lambda: True, lambda: next(ticks))
    assert not reference.is_learned and not path.exists()
    reference.learn(20.0, 0, lambda: False, lambda: next(ticks))
    learned = game.approximation.entry(game.known.kept.at(path)).read()
    assert learned is not None and learned.seconds == 20.0 and learned.rounds >= 5
    assert str(reference) == str(Reference(game, path)) == "guided:learn=20,features=state"
    config = Reference(game, path).config()
    assert config.strategy == "guided"
    weights = learned.weights
    blank = weights._replace(linear=0 * weights.linear, output=0 * weights.output).evaluation(game.game)
    players = [LimitedSearch(each, 50) for each in (config, game.guided(blank))]
    assert np.mean(SearchMatch(game.game, 1, 1).play(players[0], players[1], range(6))) > 0.6


def test_an_interrupt_ends_the_random_games_at_the_beginning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(_text: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(learning_run, "_RANDOM_SECONDS", 1e9)
    monkeypatch.setattr(EvaluationFit, "fit", lambda *_: pytest.fail("nothing is to be learned any more"))
    with TrainingFolder(tmp_path / "run", resume=False) as folder:
        run = LearningRun(folder, the_game(), replace(SMALL, random_games=10**9), 1, interrupt)
        with pytest.raises(KeyboardInterrupt):
            run.run(60.0)
        assert run._learner is None and not run.rounds


@pytest.mark.parametrize(
    ("searched_after", "rate"),
    [(10**9, "lower --rate"), (0, r"lower searched_rate \(--config\)")],
    ids=["begun", "searched"],
)
def test_weights_that_are_no_numbers_end_the_run_with_a_reason(
    tmp_path: Path, searched_after: int, rate: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And with the rate that was in force; with something to go on from only if there is."""

    def broken(_learner: Learner, _finished: object) -> None:
        raise NativeError("evaluation: weights must be finite")

    with TrainingFolder(tmp_path / "run", resume=False) as folder:
        run = new_run(folder, replace(SMALL, searched_after=searched_after))
        with monkeypatch.context() as patch:
            patch.setattr(Learner, "learn", broken)
            with pytest.raises(TrainingError, match=f"begin again: .*{rate}"):
                run.run(1.0)
        run.run(0.5)
        monkeypatch.setattr(Learner, "learn", broken)
        with pytest.raises(TrainingError, match=f"--resume goes on from it: .*{rate}"):
            run.run(run.progress.seconds + 1.0)


def test_a_run_ended_in_a_match_plays_it_when_it_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with TrainingFolder(tmp_path / "run", resume=False) as folder:
        run = new_run(folder)
        with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
            patch.setattr(Gate, "_rated", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
            run.run(60.0)
        checkpoint = folder.read()
        again = new_run(folder)
        again.restore(checkpoint)
        assert again.rounds == run.rounds >= SMALL.first_gate and not again.progress.curve
        again.run(again.progress.seconds)
        assert [point.rounds for point in again.progress.curve] == [run.rounds]


def test_weights_of_a_fit_that_has_failed_are_not_kept_while_other_players_go_on(tmp_path: Path) -> None:
    """All of them stop, and the last checkpoint stays as it is."""
    with TrainingFolder(tmp_path / "run", resume=False) as folder:
        run = new_run(folder, threads=2)
        learner = run._new_learner()
        learner.round()
        rounds, take = learner.rounds, learner._fit.take

        def broken(samples: TrainingSamples, seed: int, rate: float) -> None:
            take(samples, seed, rate)
            raise NativeError("evaluation: weights must be finite")

        learner._fit.take = broken  # type: ignore[method-assign]
        with pytest.raises(NativeError, match="must be finite"):
            learner.learn(lambda: False)
        assert learner.rounds > rounds
        with pytest.raises(NativeError, match="must be finite"):
            learner.state()
