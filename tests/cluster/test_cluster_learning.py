"""Long learning on a cluster goes on whatever becomes of nodes, and goes on later where the head is lost."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from ludens.agent.cluster.actor_pool import Place
from ludens.agent.cluster.connection import connect
from ludens.agent.learning.learning import Learner
from ludens.agent.learning.self_play_learner import LearningGames, LearningPace, LearningRate, SearchedPlayOptions
from ludens.agent.long_learning import cluster_play
from ludens.agent.long_learning.cluster_play import ClusterPlay, PlayTask, SelfPlayWorker
from ludens.agent.long_learning.learned_game import LearnedGame
from ludens.agent.training.checkpoint import read_checkpoint
from ludens.native.core import Evaluation
from tests.support.command import running, status
from tests.support.learning_runs import GAME, SMALL, silent, the_game, write_config
from tests.support.ray_cluster import RayCluster
from tests.support.waiting import PATIENCE, until

pytestmark = pytest.mark.usefixtures("own_cache")
OPTIONS = replace(SMALL, first_gate=1_000_000, searched_after=1024)  # neither matches nor searches


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "small.toml"
    write_config(path, OPTIONS)
    return path


def new_learner(game: LearnedGame) -> Learner:
    pace = LearningPace(OPTIONS.random_games, 0.0, OPTIONS.round_states, 0.0)
    return Learner(game.game, 1, workers=0, pace=pace, hidden=OPTIONS.hidden)


def test_a_worker_plays_as_the_learner_itself_does() -> None:
    """By the same weights and seed, on the game made of what travels."""
    game = the_game()
    learner = new_learner(game)
    searched = SearchedPlayOptions(1, leaves=20, learned_visits=4, round_states=20_000, rate=LearningRate(0.001))
    worker = SelfPlayWorker(game.source, learner.random_moves, learner.pace, searched, Place("node", "host", 0, 1))
    worker._games = LearningGames(game.source.variant().full_game, learner.random_moves, 7, learner.pace, searched)
    ours = LearningGames(game.game, learner.random_moves, 7, learner.pace, searched)
    for rounds in (0, 1):
        played = worker.do(PlayTask(learner.weights, rounds))
        assert played
        for theirs in played:
            mine = ours.play(Evaluation(learner.weights), rounds)
            assert mine is not None and len(mine.features) and mine.games == theirs.games
            assert (mine.features == theirs.features).all() and (mine.targets == theirs.targets).all()


def test_workers_get_the_newest_weights_and_each_of_them_once() -> None:
    game = the_game()
    learner = new_learner(game)
    play = ClusterPlay(SimpleNamespace(put=lambda task: task), game.source, silent)
    tasks = play._weights(learner)
    first = next(tasks)
    assert first.weights is learner.weights and next(tasks) is first
    worker = SelfPlayWorker(game.source, learner.random_moves, learner.pace, None, Place("node", "host", 0, 1))
    while not learner.rounds:
        for samples in worker.do(first):
            learner.take(samples)
    newest = next(tasks)
    assert newest.weights is learner.weights is not first.weights and newest.rounds == learner.rounds > first.rounds


def test_workers_step_back_for_the_process_that_fits_to_their_games(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those on its own node."""
    game, made, stepped_back = the_game(), list[partial[SelfPlayWorker]](), list[int]()
    learner = new_learner(game)

    class Pool:
        def __init__(self, _ray: object, make: partial[SelfPlayWorker], _news: object) -> None:
            made.append(make)

        def results(self, _tasks: object) -> Iterator[None]:
            return iter(())

    monkeypatch.setattr(cluster_play, "ActorPool", Pool)
    monkeypatch.setattr("os.nice", stepped_back.append)
    here = SimpleNamespace(get_node_id=lambda: "here")
    ray = SimpleNamespace(get_runtime_context=lambda: here)
    ClusterPlay(ray, game.source, silent).learn(learner, lambda: False)
    for node, times in (("elsewhere", 0), ("here", 1)):
        made[0](Place(node, "host", 0, 1))
        assert len(stepped_back) == times


def test_a_node_killed_in_mid_game_loses_only_its_games(cluster: RayCluster) -> None:
    game, news, before = the_game(), list[str](), count()
    learner = new_learner(game)
    begun = learner.weights.linear.copy()
    with connect(cluster.address) as ray:
        play = ClusterPlay(ray, game.source, news.append)
        assert play.workers == 0
        play.learn(learner, lambda: learner.rounds >= 6 and play.workers == 2)
        cluster.kill(cluster.nodes[0])
        play.learn(learner, lambda: learner.rounds >= 20 and bool(news) and play.workers == 1)
        reached = learner.rounds
        cluster.add()
        play.learn(learner, lambda: next(before) >= 20)
    assert learner.rounds >= reached + 15
    assert any("is gone" in line for line in news)
    assert all(each.positions for each in learner.history) and len(learner.history) == learner.rounds
    assert not np.array_equal(learner.weights.linear, begun)


@pytest.mark.parametrize("stops", [True, False])
def test_work_ends_when_it_is_over_or_stopped_though_nobody_plays(alone: None, stops: bool) -> None:
    game, cluster, asked = the_game(), RayCluster(0), count()
    learner = new_learner(game)
    try:
        with connect(cluster.address) as ray:
            play = ClusterPlay(ray, game.source, silent)

            def finished() -> bool:
                if stops:
                    play.stop()
                return not stops and next(asked) >= 2

            play.learn(learner, finished)
    finally:
        cluster.stop()
    assert learner.rounds == 0


def test_a_run_whose_head_is_killed_goes_on_later(alone: None, tmp_path: Path, config: Path) -> None:
    folder, cluster = tmp_path / "run", RayCluster(1)
    given = ("learn", GAME, "--config", str(config), "--out", str(folder))
    try:
        with running(*given, "--hours", "1", "--cluster", cluster.address) as run:
            until((folder / "checkpoint").exists)
            cluster.kill_head()
            _, said = run.communicate(timeout=PATIENCE)
    finally:
        cluster.stop()
    assert run.returncode == 1
    assert re.search("no head of a cluster answers", said) and "Traceback" not in said
    assert "--resume" in said
    reached = read_checkpoint(folder / "checkpoint").progress
    hours = str((reached["progress"]["seconds"] + 0.5) / 3600)
    assert status(*given, "--resume", "--threads", "1", "--hours", hours) == 0
    after = read_checkpoint(folder / "checkpoint").progress
    assert after["shape"]["rounds"] > reached["shape"]["rounds"]
    assert after["progress"]["curve"]
