"""A tournament on a cluster is the same as on one machine, whatever becomes of nodes and head."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import ludens, running, status
from tests.support.ray_cluster import RayCluster
from tests.support.waiting import PATIENCE, until

# Of players whose moves follow from their seeds, whatever the time; they meet in 6 matches.
PLAYED = ("--players", "uct:iterations=300", "uct:iterations=30", "random", "--games", "tic_tac_toe", "--rounds")
PLAN = (*PLAYED, "1", "--startclock", "600", "--playclock", "600", "--no-archive")


def results(path: Path) -> list[dict[str, Any]]:
    lines = path.read_text().splitlines() if path.exists() else []
    return [found for found in map(json.loads, lines) if "goals" in found]


def outcome(path: Path) -> dict[str, Any]:
    """What each match came to; there must be one line for each."""
    found = results(path)
    keys = Counter(json.dumps([each["game"], each["round"], each["players"]]) for each in found)
    assert set(keys.values()) == {1}
    assert not any(marks for each in found for marks in each["faults"])
    return {key: (each["goals"], each["turns"], each["ending"]) for key, each in zip(keys, found, strict=True)}


@pytest.fixture(scope="module")
def on_one_machine(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the matches come to without a cluster."""
    path = tmp_path_factory.mktemp("local") / "results.jsonl"
    done = ludens("tournament", *PLAN, "--out", str(path))  # a process has one reactor, and this one may have used it
    assert done.returncode == 0, done.stderr
    return outcome(path)


def test_a_node_killed_in_mid_match_changes_nothing(
    cluster: RayCluster, tmp_path: Path, on_one_machine: dict[str, Any]
) -> None:
    """The match that was on is played again, and another node, which joins meanwhile, plays too."""
    path = tmp_path / "results.jsonl"
    with running("tournament", *PLAN, "--out", str(path), "--cluster", cluster.address) as run:
        until(lambda: len(results(path)) >= 2)
        cluster.kill(cluster.nodes[0])
        cluster.add()
        said, errors = run.communicate(timeout=PATIENCE)
    assert run.returncode == 0, errors
    assert "is gone; 1 of its tasks begin again" in said
    assert outcome(path) == on_one_machine


def test_a_head_killed_in_mid_match_loses_nothing_that_was_played(
    alone: None, tmp_path: Path, on_one_machine: dict[str, Any]
) -> None:
    """The same command without a cluster goes on."""
    path, cluster = tmp_path / "results.jsonl", RayCluster(1)
    try:
        with running("tournament", *PLAN, "--out", str(path), "--cluster", cluster.address) as run:
            until(lambda: len(results(path)) >= 2)
            cluster.kill_head()
            _, errors = run.communicate(timeout=PATIENCE)
    finally:
        cluster.stop()
    assert run.returncode == 1
    assert f"no head of a cluster answers at {cluster.address}" in errors and "Traceback" not in errors
    assert "the same command goes on from there" in errors
    before = results(path)
    assert 2 <= len(before) < len(on_one_machine)
    again = ludens("tournament", *PLAN, "--out", str(path))
    assert again.returncode == 0, again.stderr
    assert results(path)[: len(before)] == before
    assert outcome(path) == on_one_machine


def test_a_sequential_test_ends_the_tournament_once_it_has_decided(cluster: RayCluster, tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    players = ("--players", "uct:iterations=300", "random", "--games", "tic_tac_toe", "--rounds", "50")
    plan = (*players, "--sprt", "0.5", "0.75", *PLAN[PLAN.index("--startclock") :])
    done = ludens("tournament", *plan, "--out", str(path), "--cluster", cluster.address)
    assert done.returncode == 0, done.stderr
    assert 16 <= len(outcome(path)) < 50


def test_a_player_elsewhere_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = ("--players", "127.0.0.1:9147", "random", "--games", "nim", "--out", str(tmp_path / "results.jsonl"))
    assert status("tournament", *given, "--cluster", "auto") == 1
    assert "127.0.0.1:9147 runs already" in capsys.readouterr().err


def test_jobs_are_for_one_machine(capsys: pytest.CaptureFixture[str]) -> None:
    assert status("tournament", *PLAN, "--jobs", "2", "--cluster", "auto") == 2
    assert "no --jobs" in " ".join(capsys.readouterr().err.split())


def test_ray_that_is_not_installed_is_one_clear_message(tmp_path: Path) -> None:
    """Ray cannot be imported by a process for which its name stands for an empty folder."""
    (tmp_path / "ray").mkdir()
    (tmp_path / "ray" / "__init__.py").write_text("raise ImportError('no Ray here')\n")
    out = tmp_path / "results.jsonl"
    found = ludens("tournament", *PLAN, "--out", str(out), "--cluster", "auto", PYTHONPATH=str(tmp_path))
    assert found.returncode == 1
    assert "pip install 'ludens[cluster]'" in found.stderr and "Traceback" not in found.stderr
    assert not out.exists()
