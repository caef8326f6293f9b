"""The worked examples: what they compute is right, they learn, and they go on where they were ended."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import ludens
from ludens.env import Actions, random_actions
from scripts.examples import train_numpy
from scripts.examples.arena import score
from scripts.examples.lookahead import Lookahead
from scripts.examples.returns import lambda_returns
from scripts.examples.training import Learner, read_options, run
from tests.support.paths import ROOT

CORNERS = ROOT / "scripts/examples/corners.kif"
FIRST_WINS = """
(role first) (role second) (init (turn first)) (init (left 3))
(less 3 2) (less 2 1) (less 1 0)
(<= (legal ?role (say ?word)) (true (turn ?role)) (word ?word)) (word a) (word b)
(<= (legal first wait) (true (turn second))) (<= (legal second wait) (true (turn first)))
(<= (next (turn second)) (true (turn first))) (<= (next (turn first)) (true (turn second)))
(<= (next (left ?less)) (true (left ?left)) (less ?left ?less))
(<= terminal (true (left 0))) (goal first 100) (goal second 0)
"""
SHORT = ("--measure", "4", "--measure-last", "6", "--opponent", "uct:iterations=10")


def tell(_text: str) -> None:
    pass


def numpy_learner() -> Callable[[ludens.Game, int], Learner]:
    return train_numpy.Learner


def torch_learner() -> Callable[[ludens.Game, int], Learner]:
    pytest.importorskip("torch")
    from scripts.examples import train_torch

    return train_torch.Learner


LEARNERS = pytest.mark.parametrize("learner", [numpy_learner, torch_learner])


@LEARNERS
def test_a_learner_wins_far_more_than_before_it_learned(learner: Callable[[], Any]) -> None:
    game = ludens.load("connect_four")
    pupil = learner()(game, 1)
    before = score(game, pupil.choose, "random", 200, 1, tell)
    for round_ in range(6):
        pupil.learn(round_ / 6)
    after = score(game, pupil.choose, "random", 200, 1, tell)
    assert after.low > before.high


@LEARNERS
@pytest.mark.parametrize("source", [CORNERS, "connect_four"])
def test_a_training_leaves_its_curve_and_goes_on_from_its_checkpoint(
    learner: Callable[[], Any], source: str | Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make = learner()
    for rounds, measured in ((1, 2), (2, 3)):
        options = read_options("", [str(source), "--out", str(tmp_path), "--rounds", str(rounds), *SHORT])
        assert run(options, make) == 0
        history = json.loads((tmp_path / "history.json").read_text("utf-8"))
        assert history["rounds"] == rounds
        assert len(history["measured"]) == measured
        assert "against uct:iterations=10: " in capsys.readouterr().out
    ElementTree.parse(tmp_path / "curve.svg")
    assert history["positions"] == history["measured"][-1]["positions"] > history["measured"][1]["positions"] > 0


@LEARNERS
def test_a_learner_that_is_restored_plays_and_learns_as_the_one_that_was_saved(
    learner: Callable[[], Any], tmp_path: Path
) -> None:
    game = ludens.load("tic_tac_toe")
    saved, restored = learner()(game, 1), learner()(game, 2)
    saved.learn(0)
    saved.save(tmp_path / "checkpoint")
    batch = positions(game, 50)
    assert (restored.choose(batch) != saved.choose(batch)).any()
    restored.restore(tmp_path / "checkpoint")
    assert (restored.choose(batch) == saved.choose(batch)).all()


@LEARNERS
def test_a_training_follows_from_its_seed(learner: Callable[[], Any]) -> None:
    game = ludens.load("tic_tac_toe")
    batch = positions(game, 200)
    chosen = []
    for seed in (1, 1, 2):
        pupil = learner()(game, seed)
        pupil.learn(0)
        chosen.append(pupil.choose(batch))
    assert (chosen[0] == chosen[1]).all()
    assert (chosen[0] != chosen[2]).any()


def test_gradients_are_those_of_small_differences() -> None:
    rng = np.random.default_rng(1)
    network = train_numpy.Network(6, 2, rng)
    observations = rng.integers(0, 2, (5, 6)).astype(np.uint8)
    targets = rng.uniform(-1, 1, (5, 2)).astype(np.float32)

    def error(*weights: np.ndarray[Any, Any]) -> float:
        """Half the mean squared error, with numbers of 64 bits."""
        first, first_bias, second, second_bias = weights
        values = np.tanh(np.maximum(observations @ first + first_bias, 0) @ second + second_bias)
        return float(((values - targets) ** 2).sum() / 2 / len(targets))

    exact = [part.astype(np.float64) for part in network.weights]
    for number, gradient in enumerate(network.gradients(observations, targets)):
        place = np.unravel_index(np.abs(gradient).argmax(), gradient.shape)
        step = np.zeros_like(exact[number])
        step[place] = 1e-6
        above, below = ([*exact[:number], exact[number] + way * step, *exact[number + 1 :]] for way in (1, -1))
        assert (error(*above) - error(*below)) / 2e-6 == pytest.approx(gradient[place], rel=1e-3)


def test_returns_mix_what_came_with_what_was_believed() -> None:
    # One game that ends with 1 for the first role in its third step, and another that begins after it.
    rewards = np.array([[0, 0], [0, 0], [1, -1], [0, 0]], np.float32)[:, None]
    done = np.array([False, False, True, False])[:, None]
    values = np.array([[0.1, -0.1], [0.2, -0.2], [0.4, -0.4], [0.8, -0.8]], np.float32)[:, None]
    last = np.array([[0.5, -0.5]], np.float32)
    for trace_decay, first_role in ((1.0, [1, 1, 1, 0.5]), (0.0, [0.2, 0.4, 1, 0.5]), (0.5, [0.45, 0.7, 1, 0.5])):
        returns = lambda_returns(rewards, done, values, last, trace_decay)
        assert returns[:, 0, 0] == pytest.approx(first_role)
        assert returns[:, 0, 1] == pytest.approx([-value for value in first_role])


def positions(game: ludens.Game, count: int) -> ludens.Batch:
    """Games in which a few random moves have been made."""
    batch = ludens.Batch(game, count, autoreset="same_step", also=("states",), seed=1)
    for _ in range(5):
        batch.step_randomly()
    return batch


def test_looking_ahead_finds_what_single_states_say() -> None:
    game = ludens.load("tic_tac_toe")
    batch = positions(game, 40)
    weights = (
        np.random.default_rng(1)
        .uniform(-0.01, 0.01, (int(np.prod(batch.observation_layout.shape)), 2))
        .astype(np.float32)
    )
    worth = Lookahead(lambda seen: seen.reshape(len(seen), -1) @ weights)(batch)
    one = ludens.Batch(game, 1, autoreset="never")
    ended = 0
    for row in range(batch.count):
        state = ludens.State(game, batch.states[row])
        (role,) = state.to_move
        number = game.roles.index(role)
        assert number == batch.to_move[row]
        for action, move in enumerate(game.moves[number]):
            if move not in state.legal(role):
                assert worth[row, action] == -np.inf
                continue
            after = state.play(move)
            if after.terminal:
                goal = after.goals[number]
                assert goal is not None
                assert worth[row, action] == (goal - 50) / 50
                ended += 1
                continue
            one.load(after)
            expected = one.observations.reshape(-1) @ weights[:, number]
            assert worth[row, action] == pytest.approx(expected, abs=1e-6)
    assert ended


def first_legal(batch: ludens.Batch) -> Actions:
    actions: Actions = batch.legal.argmax(axis=1).astype(np.int32)
    return actions


def test_a_learner_plays_every_role_as_often() -> None:
    result = score(ludens.load(FIRST_WINS), first_legal, "random", 20, 1, tell)
    assert result.mean == 0.5
    assert result.low < 0.5 < result.high


def test_draws_count_a_half_and_all_wins_one() -> None:
    drawn = ludens.load(FIRST_WINS.replace("(goal first 100) (goal second 0)", "(goal first 50) (goal second 50)"))
    assert score(drawn, first_legal, "random", 10, 1, tell).mean == 0.5
    won = ludens.load(FIRST_WINS.replace("(goal second 0)", "(goal second 100)"))
    assert score(won, first_legal, "uct:iterations=5", 10, 1, tell).mean == 1


def test_scores_repeat_and_tell_a_good_player_from_a_random_one() -> None:
    game = ludens.load("connect_four")
    rng = np.random.default_rng(1)
    even = score(game, lambda batch: random_actions(batch.legal, rng), "random", 400, 1, tell)
    assert even.low < 0.5 < even.high
    beaten = [score(game, first_legal, "uct:iterations=200", 20, 1, tell) for _ in range(2)]
    assert beaten[0] == beaten[1]
    assert beaten[0].mean < 0.3


def test_a_folder_of_another_game_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def train(game: str) -> int:
        options = read_options("", [game, "--out", str(tmp_path), "--rounds", "1", *SHORT])
        return run(options, train_numpy.Learner)

    assert train("tic_tac_toe") == 0
    kept = (tmp_path / "checkpoint").read_bytes()
    assert train("connect_four") == 1
    assert "holds a training of tic_tac_toe, not of connect_four" in capsys.readouterr().err
    assert (tmp_path / "checkpoint").read_bytes() == kept


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (("rock_paper_scissors", *SHORT), "choose at the same time"),
        (("no_such_game", *SHORT), "no_such_game"),
        (("tic_tac_toe", "--opponent", "uct"), "how long it thinks"),
    ],
)
def test_what_cannot_be_learned_is_said_in_a_line(
    given: tuple[str, ...], told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = read_options("", [*given, "--out", str(tmp_path / "out"), "--rounds", "1"])
    assert run(options, train_numpy.Learner) == 1
    message = capsys.readouterr().err
    assert told in message
    assert message.count("\n") == 1
