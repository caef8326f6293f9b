"""Environments of PettingZoo: its own checks pass, and masks are as its classics have them."""

from __future__ import annotations

import pytest

pytest.importorskip("pettingzoo", reason="PettingZoo is not installed: pip install 'ludens[pettingzoo]'")

from ludens.agent.api.game import load
from ludens.agent.env.errors import IllegalActionError
from ludens.agent.env.zoo import RawAECEnv
from ludens.env import aec_env, parallel_env
from scripts.verify.environments import check_pettingzoo


@pytest.mark.filterwarnings("ignore:The old environment creation API:DeprecationWarning")  # in its own checks
@pytest.mark.filterwarnings("ignore::UserWarning")  # of names of agents, for one
@pytest.mark.parametrize("name", ["tic_tac_toe", "rock_paper_scissors", "tron_four", "eight_puzzle", "nim"])
def test_pettingzoo_accepts_the_environments(name: str) -> None:
    check_pettingzoo(load(name), name)


def test_only_the_agent_to_act_has_a_mask() -> None:
    env = aec_env("tic_tac_toe")
    env.reset(seed=1)
    assert env.agent_selection == "cross"
    assert env.observe("cross")["action_mask"].sum() == 9
    assert env.observe("nought")["action_mask"].sum() == 0
    env.step(4)
    assert env.agent_selection == "nought"
    assert env.observe("cross")["action_mask"].sum() == 0
    assert env.observe("nought")["observation"][0].sum() == 1


def test_the_winner_is_rewarded() -> None:
    env = aec_env("tic_tac_toe")
    env.reset()
    for move in (0, 3, 1, 4, 2):
        env.step(move)
    assert env.rewards == {"cross": 1, "nought": -1}
    assert all(env.terminations.values())


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_who_acts_illegally_loses_and_without_wrappers_gets_an_error() -> None:
    env = aec_env("tic_tac_toe")
    env.reset()
    env.step(9)
    assert env.rewards["cross"] == -1
    raw = RawAECEnv("tic_tac_toe")
    raw.reset()
    for action in (9, -1, -2):
        with pytest.raises(IllegalActionError):
            raw.step(action)


def test_agents_that_choose_at_once_act_one_after_the_other_without_knowing() -> None:
    env = aec_env("rock_paper_scissors")
    env.reset()
    first = env.agent_selection
    before = env.observe(env.possible_agents[1])["observation"]
    env.step(0)
    assert env.agent_selection != first
    assert (env.observe(env.agent_selection)["observation"] == before).all()


def test_in_parallel_all_act_in_every_step_and_who_cannot_choose_need_not() -> None:
    env = parallel_env("tic_tac_toe", render_mode="ansi")
    observed, _ = env.reset()
    assert observed["nought"]["action_mask"].sum() == 1
    observed, _, _, _, _ = env.step({"cross": 4, "nought": None, "nobody": 1})
    assert observed["cross"]["action_mask"].sum() == 1
    assert "(cell 2 2 cross)" in (env.render() or "")
    _, rewards, over, _, _ = env.step({"nought": 4})
    assert rewards == {"cross": 0, "nought": -1}
    assert all(over.values())
    assert env.agents == []
