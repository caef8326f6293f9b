"""The strength of trainings of Tak, measured on the native core."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from ludens.agent.search import assembly
from ludens.games.tak.rules.parameters import TakRules
from ludens.games.tak.rules.reference import first_position
from ludens.native.core import Game, Search
from ludens.propnet.base.errors import LudensError
from scripts.common import match_runner
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


def test_only_the_weights_that_are_asked_for_play(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tak_training, "_OPPONENTS", {"random": "random"})
    out = tmp_path / "strength.json"
    given = ["--games", "1", "--percent", "100", "--out", str(out)]
    monkeypatch.setattr("sys.argv", ["tak_training", str(folder), *given])
    assert tak_training.main() == 0
    assert [score["games"] for score in json.loads(out.read_text())["scores"]] == [3000]


class Overheard(Search):
    """A search that remembers what it was given, and how it was run."""

    def __init__(self, game: Game, **settings: Any) -> None:
        super().__init__(game, **settings)
        self.settings, self.runs = settings, list[tuple[float, int]]()

    def run(self, seconds: float = 0.0, playouts: int = 0) -> None:
        self.runs.append((seconds, playouts))
        super().run(seconds, playouts)


def overheard(text: str, clock: tak_match.Clock, monkeypatch: pytest.MonkeyPatch) -> Overheard:
    """The search of a player that was asked for the first move, where 0.001 is the time of a move."""
    made: list[Overheard] = []

    def make(game: Game, **settings: Any) -> Overheard:
        made.append(Overheard(game, **settings))
        return made[-1]

    monkeypatch.setattr(assembly, "Search", make)
    read_player(text, TakRules(3), 0.001, 1, clock).choose(first_position(TakRules(3)))
    return made[0]


def test_alpha_beta_looks_at_as_many_positions_as_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    assert overheard("td:iterations=64", time.process_time, monkeypatch).runs == [(0.0, 64)]


@pytest.mark.parametrize(("clock", "seconds"), [(time.process_time, 0.002), (time.monotonic, 0.001)])
def test_alpha_beta_has_the_threads_and_the_memory_of_its_settings(
    monkeypatch: pytest.MonkeyPatch, clock: tak_match.Clock, seconds: float
) -> None:
    """CPU time counts for each thread."""
    spent: list[float] = []

    def think(search: Search, limit: float, threads: int, _clock: tak_match.Clock) -> None:
        spent.append(limit * threads)
        search.run(playouts=8)

    monkeypatch.setattr(match_runner, "think", think)
    settings = overheard("td:threads=2,nodes_mb=32,solver_share=0.3", clock, monkeypatch).settings
    assert (settings["threads"], settings["memory_bytes"], settings["solver_share"]) == (2, 32 << 20, 0.3)
    assert spent == [seconds]


@pytest.mark.parametrize("text", ["td:exploration=0.5", "td:lanes=64,threads=2", "td:iterations=10,seed=3"])
def test_settings_that_would_have_no_effect_are_refused(text: str) -> None:
    with pytest.raises(LudensError, match="here td has no settings but"):
        read_player(text, TakRules(3), 0.1, 1)


@pytest.mark.parametrize("text", ["uct:iterations=x", "uct:seed=3", "none.td", "mcts", "guided", "first", "none.td@0"])
def test_players_that_are_none(text: str) -> None:
    with pytest.raises(LudensError):
        read_player(text, TakRules(3), 0.1, 1)


def test_a_folder_without_weights_is_told(tmp_path: Path) -> None:
    with pytest.raises(LudensError, match="has no weights of a training"):
        list(tak_training.matches(tmp_path, 4, 1, None))
