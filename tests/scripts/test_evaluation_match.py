"""Evaluations that play each other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ludens.agent.learning.averaged_fit import TrainedWeights
from ludens.agent.learning.evaluation_cache import EvaluationCache
from ludens.agent.learning.learning import Learner
from ludens.games.rules import find_rules
from ludens.native.core import Evaluation, Game
from scripts.strength import evaluation_match
from scripts.strength.evaluation_match import game_of, limited_search, main, play, read, read_any, save, seen
from tests.support.evaluations import learned_weights


def test_who_has_learned_wins_and_the_same_are_even(tmp_path: Path) -> None:
    game = game_of("breakthrough_small", territory=False)
    saved = learned_weights(game, 16)
    save(saved, tmp_path / "weights.npz")
    weights = read(tmp_path / "weights.npz")
    empty = saved._replace(linear=0 * saved.linear, output=0 * saved.output)
    learned, blank = (limited_search(game, Evaluation(each), 50) for each in (weights, empty))
    assert np.mean(play(game, learned, blank, 10, seed=1)) > 0.6
    assert np.mean(play(game, blank, learned, 10, seed=1)) < 0.4
    assert play(game, learned, learned, 3, seed=1) == [0.5] * 3
    np.testing.assert_array_equal(weights.inner, saved.inner)


def test_what_a_long_run_keeps_is_read_and_learned_on_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = "breakthrough_small"
    net, file = seen(name, territory=False), tmp_path / "best.npz"
    learner = Learner(game_of(name, territory=False), seed=1)
    entry = EvaluationCache.of_sheet(find_rules(name).sheet(), "all").at(file).entry(net)
    entry.write(TrainedWeights(learner.weights, 1))
    np.testing.assert_array_equal(read_any(file, name, net).inner, learner.weights.inner)
    save(learner.weights, tmp_path / "saved.npz")
    np.testing.assert_array_equal(read_any(tmp_path / "saved.npz", name, net).inner, learner.weights.inner)
    after = tmp_path / "after.npz"
    given = ["learn", name, str(after), "--begin", str(file), "--seconds", "0.1", "--rate", "1e-9"]
    monkeypatch.setattr("sys.argv", ["evaluation_match", *given])
    assert main() == 0
    np.testing.assert_allclose(read(after).inner, learner.weights.inner, atol=1e-5)
    with pytest.raises(SystemExit, match="another game"):
        read_any(file, "tic_tac_toe", seen("tic_tac_toe", territory=False))


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ([], [(300, 0.0, 0.4), (300, 0.0, 0.4)]),
        (["--leaves", "50", "--second-leaves", "70"], [(50, 0.0, 0.4), (70, 0.0, 0.4)]),
        (["--exploration", "0.1"], [(300, 0.0, 0.1), (300, 0.0, 0.1)]),
        (["--second-exploration", "0", "--move-seconds", "2"], [(0, 2.0, 0.4), (0, 2.0, 0.0)]),
    ],
)
def test_searches_of_a_match_are_those_that_are_asked_for(
    given: list[str],
    expected: list[tuple[int, float, float]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    file, found = str(tmp_path / "learned.npz"), list[tuple[int, float, float]]()
    save(Learner(game_of("breakthrough_small", territory=False), seed=1).learned().weights, Path(file))

    def even(_game: Game, *searches: Any) -> list[float]:
        found.extend((each.iterations, each.seconds, each.config.exploration) for each in searches[:2])
        return [0.5] * 4

    monkeypatch.setattr(evaluation_match, "play", even)
    monkeypatch.setattr("sys.argv", ["evaluation_match", "play", "breakthrough_small", file, file, *given])
    assert main() == 0
    assert found == expected
    assert capsys.readouterr().out == "50.0 % [27, 73]\n"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["learn", "nim", "a.npz", "--visits", "3"], "which --leaves asks for"),
        (["learn", "nim", "a.npz", "--as-in-matches", "--leaves", "3"], "settles rate"),
        (["learn", "nim", "a.npz", "--as-in-matches", "--hidden", "62"], "settles rate"),
        (["play", "nim", "a.npz", "b.npz", "--leaves", "3", "--move-seconds", "1"], "in place of --leaves"),
    ],
)
def test_options_without_effect_are_refused(
    given: list[str], said: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.argv", ["evaluation_match", *given])
    with pytest.raises(SystemExit):
        main()
    assert said in capsys.readouterr().err


def test_what_is_foretold_is_said_for_each_number_of_positions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = str(tmp_path / "learned.npz")
    monkeypatch.setattr("sys.argv", ["evaluation_match", "learn", "breakthrough_small", file, "--seconds", "0.1"])
    main()
    given = ["foresight", "breakthrough_small", file, "--positions", "40", "400", "--seeds", "2"]
    monkeypatch.setattr("sys.argv", ["evaluation_match", *given])
    assert main() == 0
    said = capsys.readouterr().out.splitlines()[1:]
    assert [line.partition(":")[0] for line in said] == ["40 positions, 2 seeds", "400 positions, 2 seeds"]


def test_learning_as_in_matches_says_what_that_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "learned.npz"
    given = ["learn", "connect_four", str(file), "--seconds", "0.5", "--as-in-matches"]
    monkeypatch.setattr("sys.argv", ["evaluation_match", *given])
    assert main() == 0
    units = read(file).hidden
    assert capsys.readouterr().out.endswith(f"rounds, {units} hidden units\n")


@pytest.mark.parametrize(("given", "symmetries"), [([], 1), (["--no-images"], None)])
def test_images_are_learned_unless_it_is_told_otherwise(
    given: list[str], symmetries: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[int | None] = []

    def learner(game: Game, *args: Any, **options: Any) -> Learner:
        found.append(None if game.symmetries is None else len(game.symmetries))
        return Learner(game, *args, **options)

    monkeypatch.setattr(evaluation_match, "Learner", learner)
    file = str(tmp_path / "learned.npz")
    monkeypatch.setattr(
        "sys.argv", ["evaluation_match", "learn", "breakthrough_small", file, "--seconds", "0.1", *given]
    )
    assert main() == 0
    assert found == [symmetries]
