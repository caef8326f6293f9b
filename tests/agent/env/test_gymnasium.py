"""Environments of Gymnasium: its own check passes, and games begin anew as its modes say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium", reason="Gymnasium is not installed: pip install 'ludens[gym]'")

import ludens.env  # noqa: E402 (registers the games)
from ludens.agent.api.errors import GameOverError  # noqa: E402
from ludens.agent.api.game import load  # noqa: E402
from ludens.agent.env.errors import ArrayError, IllegalActionError, LayoutError  # noqa: E402
from ludens.agent.env.opponents import random_actions  # noqa: E402
from ludens.env import Env, VectorEnv  # noqa: E402
from scripts.strength.simultaneous_sheets import matrix  # noqa: E402
from scripts.verify.environments import check_gymnasium  # noqa: E402

MODES = ("NextStep", "SameStep", "Disabled")


@pytest.mark.parametrize("name", ["tic_tac_toe", "rock_paper_scissors", "tron_four", "eight_puzzle", "nim"])
def test_gymnasium_accepts_the_environments(name: str) -> None:
    check_gymnasium(load(name), name)


def test_games_are_made_by_name() -> None:
    envs = gymnasium.make_vec("ludens/connect_four", num_envs=3)
    assert isinstance(envs.unwrapped, VectorEnv)
    assert envs.observation_space.shape == (3, 4, 6, 7)
    assert isinstance(gymnasium.make("ludens/lights_out").unwrapped, Env)
    assert gymnasium.make_vec("ludens/game", num_envs=2, game="nim").num_envs == 2
    assert "ludens/reversi" in gymnasium.registry


@pytest.mark.parametrize("mode", MODES)
def test_games_that_are_over_begin_anew_in_the_mode(mode: str) -> None:
    envs = VectorEnv("tic_tac_toe", 16, autoreset_mode=mode)
    observations, infos = envs.reset(seed=1)
    first = observations[0]
    rng, ended = np.random.default_rng(1), np.zeros(16, np.bool_)
    for _ in range(20):
        before, actions = ended, random_actions(infos["action_mask"], rng)
        observations, rewards, ended, cut, infos = envs.step(actions)
        assert not cut.any()
        assert set(rewards[ended]) <= {-1.0, 0.0, 1.0}
        assert not rewards[~ended].any()
        if mode == "NextStep":
            assert not ended[before].any()
            assert (observations[before] == first).all()
        elif mode == "SameStep" and ended.any():
            assert (observations[ended] == first).all()
            assert (infos["_final_obs"] == ended).all()
            assert (infos["final_obs"][ended] != first).any(axis=(1, 2, 3)).all()
        elif mode == "Disabled" and ended.any():
            with pytest.raises(GameOverError, match="were not reset: rows"):
                envs.step(actions)
            observations, infos = envs.reset(options={"reset_mask": ended})
            assert (observations[ended] == first).all()


def test_an_illegal_action_loses_or_is_an_error_that_steps_nothing() -> None:
    noop = 9
    envs = VectorEnv("tic_tac_toe", 3)
    envs.reset(seed=1)
    _, rewards, over, _, _ = envs.step(np.array([0, noop, -5]))
    assert rewards.tolist() == [0, -1, -1]
    assert over.tolist() == [False, True, True]
    strict = VectorEnv("tic_tac_toe", 3, illegal="raise")
    before, _ = strict.reset(seed=1)
    with pytest.raises(IllegalActionError, match="row 1"):
        strict.step(np.array([0, noop, 1]))
    assert (strict.batch.observations == before).all()
    two, rng = VectorEnv("tic_tac_toe", 2, illegal="raise"), np.random.default_rng(1)
    _, infos = two.reset(seed=1)
    over = np.zeros(2, np.bool_)
    while over.sum() != 1:
        _, _, over, _, infos = two.step(random_actions(infos["action_mask"], rng))
    seen = two.batch.observations.copy()
    with pytest.raises(IllegalActionError, match=f"row {np.flatnonzero(~over)[0]}"):
        two.step(np.where(over, 0, noop))
    assert (two.batch.observations == seen).all()
    for wrong in (np.zeros(2, np.int64), np.zeros(3)):
        with pytest.raises(ArrayError, match="actions must be whole numbers"):
            strict.step(wrong)
    with pytest.raises(ArrayError, match="reset_mask must be an array"):
        strict.reset(options={"reset_mask": np.zeros(2, np.bool_)})


STOPS_AT_ONCE = """
(role a) (role b) (init (turn a)) (<= (legal a stop) (true (turn a))) (<= (legal a go) (true (turn a)))
(<= (legal b noop) (true (turn a))) (<= (legal a noop) (true (turn b))) (<= (legal b end) (true (turn b)))
(<= (legal b close) (true (turn b))) (<= (next ended) (does b close))
(<= (next (turn b)) (does a go)) (<= (next stopped) (does a stop)) (<= (next ended) (does b end))
(<= terminal (true stopped)) (<= terminal (true ended))
(<= (goal b 100) (true stopped)) (<= (goal b 0) (not (true stopped)))
(<= (goal a 0) (true stopped)) (<= (goal a 100) (not (true stopped)))
"""


@pytest.mark.parametrize("mode", MODES[:2])
def test_a_game_that_the_opponent_ends_before_the_first_move_ends_in_the_next_step(mode: str) -> None:
    envs = VectorEnv(STOPS_AT_ONCE, 16, role="b", illegal="raise", autoreset_mode=mode)
    _, infos = envs.reset(seed=1)
    for _ in range(6):
        early = infos["action_mask"].sum(axis=1) == 0
        playing = ~envs._over
        _, rewards, over, _, infos = envs.step(infos["action_mask"].argmax(axis=1))
        assert not playing.any() or 0 < early[playing].sum() < 16
        assert (over == playing).all()
        assert (rewards == playing * np.where(early, 1.0, -1.0)).all()


@pytest.mark.parametrize("opponent", ["random", "uct:iterations=50"])
def test_opponents_play_the_other_roles_and_follow_from_the_seed(opponent: str) -> None:
    def course() -> Any:
        envs = VectorEnv("tic_tac_toe", 4, role="nought", opponent=opponent)
        _, infos = envs.reset(seed=7)
        seen = []
        for _ in range(8):
            assert (infos["to_move"][infos["to_move"] >= 0] == 1).all()
            observations, _, _, _, infos = envs.step(infos["action_mask"].argmax(axis=1))
            seen.append(observations)
        return np.stack(seen)

    assert (course() == course()).all()


def test_the_first_legal_action_is_an_opponent() -> None:
    env = VectorEnv("tic_tac_toe", 3, opponent="first")
    env.reset(seed=1)
    env.step(np.full(3, 8))  # the corner at the end: nought takes the first cell
    assert (env.batch.legal[:, 0] == 0).all() and (env.batch.legal[:, 1] == 1).all()


def test_a_strong_opponent_does_not_lose_to_whoever_takes_the_first_free_cell() -> None:
    envs = VectorEnv("tic_tac_toe", 2, opponent="uct:iterations=2000")
    _, infos = envs.reset(seed=1)
    results = []
    for _ in range(12):
        _, rewards, over, _, infos = envs.step(infos["action_mask"].argmax(axis=1))
        results += rewards[over].tolist()
    assert results
    assert max(results) <= 0


def test_a_strong_opponent_cannot_be_foreseen_where_both_choose_at_once() -> None:
    envs = VectorEnv(matrix([[90, 10], [20, 40]]), 32, opponent="uct:iterations=2000")
    envs.reset(seed=1)
    _, rewards, over, _, _ = envs.step(np.zeros(32, np.int64))
    assert over.all()
    assert len(set(rewards.tolist())) == 2


def test_the_agent_may_play_all_roles() -> None:
    envs = VectorEnv("tic_tac_toe", 1, opponent="self")
    _, infos = envs.reset()
    for move in (0, 3, 1, 4, 2):
        assert infos["action_mask"][0, move]
        _, rewards, over, _, infos = envs.step(np.array([move]))
    assert over[0]
    assert rewards[0] == 1
    with pytest.raises(LayoutError, match="an opponent is needed"):
        VectorEnv("rock_paper_scissors", 1, opponent="self")
    with pytest.raises(LayoutError, match="uct:iterations=1000"):
        VectorEnv("tic_tac_toe", 1, opponent="uct")
    with pytest.raises(LayoutError, match="lose or raise"):
        VectorEnv("tic_tac_toe", 1, illegal="ignore")


def test_one_game_shows_its_position_and_gives_its_mask() -> None:
    env = ludens.env.Env("eight_puzzle", render_mode="ansi")
    _, info = env.reset(seed=1)
    assert info["action_mask"].sum() >= 2
    assert "(cell" in (env.render() or "")
    env.close()
