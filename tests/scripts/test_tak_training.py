"""The strength of trainings of Tak, measured on the native core."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ludens.games.tak.rules.parameters import TakRules
from ludens.propnet.base.errors import LudensError
from scripts.strength import tak_match, tak_training
from scripts.strength.tak_match import TakTask, new_task, read_player
from tests.support.command import status


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a training on the smallest board."""
    folder: Path = tmp_path_factory.mktemp("of") / "training"
    assert status("train", "tak", "--size", "3", "--games", "3000", "--threads", "1", "--out", str(folder)) == 0
    return folder


def games(first: str, second: str, count: int) -> float:
    """The score of the first player on the smallest board."""
    fields = {"game": "tak_3", "players": (first, second), "seconds": 0.01, "opening_moves": 3}
    tasks = [new_task(3, opening=number // 2, seat=number % 2, **fields) for number in range(count)]
    return sum(tak_match.play(task).score for task in tasks) / count


def test_who_is_stronger_wins_from_both_sides(folder: Path) -> None:
    weights = str(folder / "weights.td")
    assert games(weights, "random", 16) > 0.7
    assert games("random", "uct:iterations=200", 16) < 0.3
    assert games(weights, weights, 8) == 0.5


def test_the_same_game_is_played_again(folder: Path) -> None:
    players = (str(folder / "weights.td@3"), "uct:iterations=50")
    task = TakTask("tak_3", players, 0.1, opening=4, opening_moves=3, seat=1, size=3)
    assert tak_match.play(task) == tak_match.play(task)


def test_a_training_is_measured_along_its_curve(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tak_training, "_OPPONENTS", {"random": "random"})
    results = list(tak_training.matches(folder, 4, 1, None))
    assert len({result["games"] for result in results}) == 13
    assert all(0 <= each["low"] <= each["score"] <= each["high"] <= 1 for each in results)
    assert len(list(tak_training.rows(results))) == 13
    assert "3" in tak_training.picture(results, 3)
    told = tak_training.answers(folder / "weights.td", 2)
    assert 0 < told["median_ms"] <= told["most_ms"] and told["answers"] > 4
    assert tak_training.speed(folder)["games"] == json.loads((folder / "curve.json").read_text())["curve"][-1]["games"]


def test_a_single_game_tells_little(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tak_training, "_OPPONENTS", {"random": "random"})
    [result] = tak_training.matches(folder, 1, 1, None, percents=[100])
    assert result["played"] == 1 and result["high"] - result["low"] > 0.7


@pytest.mark.parametrize("text", ["uct:iterations=x", "uct:iterations=0", "none.td", "mcts", "none.td@0"])
def test_players_that_are_none(text: str) -> None:
    with pytest.raises(LudensError):
        read_player(text, TakRules(3), 0.1, 1)


def test_a_folder_without_weights_is_told(tmp_path: Path) -> None:
    with pytest.raises(LudensError, match="has no weights of a training"):
        list(tak_training.matches(tmp_path, 4, 1, None))
