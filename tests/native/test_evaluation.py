"""Evaluations: what the native code tells against numpy, what it learns from, and that it learns."""

from __future__ import annotations

import itertools
import threading
from typing import Any

import numpy as np
import pytest

from ludens.agent.learning.averaged_fit import RATE, TrainedWeights
from ludens.agent.learning.learning import HIDDEN, MORE_HIDDEN, Learner, control_propositions, hidden_units
from ludens.agent.learning.self_play_learner import LearningPace
from ludens.agent.learning.short_learning import learn
from ludens.native.core import (
    Evaluation,
    EvaluationFit,
    EvaluationWeights,
    Game,
    SelfPlay,
    Simulator,
    States,
    TrainingSamples,
    random_samples,
    unpack_bits,
)
from ludens.propnet.base.errors import NativeError
from ludens.propnet.compile.loader import load
from ludens.propnet.gdl.parser import parse_rules
from tests.support.evaluations import (
    Array,
    game,
    learned_weights,
    logistic,
    random_states,
    random_weights,
    set_of,
    told,
)
from tests.support.searching import network


@pytest.mark.parametrize("hidden", [0, 1, 13, 14, 30, 62, 96])
@pytest.mark.parametrize(("bits", "roles", "control"), [(1, 1, ()), (63, 2, (5,)), (130, 2, (129, 3)), (257, 4, (0,))])
def test_values_are_those_of_the_formula(bits: int, roles: int, control: tuple[int, ...], hidden: int) -> None:
    weights, states = random_weights(bits, roles, hidden, control), random_states(bits, 50)
    np.testing.assert_allclose(Evaluation(weights).values(states), told(weights, states), atol=2e-3)


def test_values_without_doubt_are_goals_all_the_same() -> None:
    weights = random_weights(64, 2, 0)
    sure = weights._replace(linear=weights.linear * 1000)
    states = random_states(64, 200)
    values = Evaluation(sure).values(states)
    assert values.min() >= 0
    assert values.max() <= 100
    with np.errstate(over="ignore"):
        np.testing.assert_allclose(values, told(sure, states), atol=1e-3)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"output": np.zeros((1, 3, 2), np.float32)}, "shape"),
        ({"linear": np.full((1, 11, 2), np.nan, np.float32)}, "not finite"),
        ({"control": (10,)}, "shape"),
        ({"inner": np.zeros((1, 11, 97), np.float32), "output": np.zeros((1, 97, 2), np.float32)}, "hidden"),
    ],
)
def test_weights_that_make_no_sense_are_refused(change: dict[str, object], message: str) -> None:
    weights = random_weights(10, 2, 4)._replace(**change)  # type: ignore[arg-type]
    for user in (Evaluation, EvaluationFit):
        with pytest.raises(NativeError, match=message):
            user(weights)


def test_a_control_proposition_out_of_range_is_refused() -> None:
    with pytest.raises(NativeError, match="control"):
        Evaluation(random_weights(10, 2, 4, (10,)))


def test_states_of_another_size_are_refused() -> None:
    with pytest.raises(NativeError, match="shape"):
        Evaluation(random_weights(10, 2, 4)).values(np.zeros((3, 2), np.uint64))


# ---- The fit ----


def one_step(weights: EvaluationWeights, states: States, targets: Array, rate: float) -> EvaluationWeights:
    """Adam's first step over one batch, in numpy and double precision."""
    gradients = [np.zeros(w.shape) for w in weights[1:]]
    counts = np.zeros(len(weights.control) + 1)
    for x, target in zip(unpack_bits(states, weights.features), targets, strict=True):
        k, inputs = set_of(weights, x), np.append(x, True).astype(np.float64)
        sums = inputs @ weights.inner[k]
        hidden = np.maximum(sums, 0)
        error = logistic(inputs @ weights.linear[k] + hidden @ weights.output[k]) - target / 100
        gradients[0][k] += np.outer(inputs, error)
        gradients[1][k] += np.outer(inputs, (weights.output[k] @ error) * (sums > 0))
        gradients[2][k] += np.outer(hidden, error)
        counts[k] += 1
    after = []
    for old, gradient in zip(weights[1:], gradients, strict=True):
        mean = gradient / np.maximum(counts, 1)[:, None, None]
        step = rate * (mean / (np.abs(mean) + 1e-8) + 1e-5 * old)
        after.append((old - np.where(counts[:, None, None] > 0, step, 0)).astype(np.float32))
    return EvaluationWeights(weights.control, *after)


def test_the_first_step_is_that_of_adam() -> None:
    weights = random_weights(37, 2, 20, (4, 9))
    states = random_states(37, 100)
    targets = np.random.default_rng(3).uniform(0, 100, (100, 2)).astype(np.float32)
    fit = EvaluationFit(weights)
    np.testing.assert_array_equal(fit.weights.inner, weights.inner)
    error = fit.fit(TrainingSamples(states, targets, 100), rate=0.01)
    assert error == pytest.approx(np.mean((told(weights, states) - targets) ** 2), rel=1e-4)
    wanted = one_step(weights, states, targets.astype(np.float64), 0.01)
    for now, then in zip(fit.weights[1:], wanted[1:], strict=True):
        assert np.mean(np.abs(now - then) > 1e-4) < 0.01  # where a gradient is next to nothing its sign may differ


def test_a_fit_finds_what_another_evaluation_knows() -> None:
    teacher = Evaluation(random_weights(40, 2, 12, (7,)))
    states, unseen = random_states(40, 20_000), random_states(40, 1_000, seed=9)
    fit = EvaluationFit(random_weights(40, 2, 30, (7,), seed=5))
    samples = TrainingSamples(states, teacher.values(states), 0)
    for seed in range(40):
        fit.fit(samples, 0.003, seed)
    difference = Evaluation(fit.weights).values(unseen) - teacher.values(unseen)
    assert np.sqrt(np.mean(difference**2)) < 3
    assert np.std(teacher.values(unseen)) > 15


# ---- What it learns from ----


def test_random_games_give_a_position_each_and_its_end() -> None:
    samples = random_samples(game("tic_tac_toe"), 20_000, seed=1)
    assert len(samples.features) == samples.games >= 20_000
    assert set(np.unique(samples.targets)) == {0, 50, 100}
    assert (samples.targets.sum(axis=1) == 100).all()
    simulator = Simulator(game("tic_tac_toe"))
    assert not simulator.terminal(samples.features).any()
    expected = simulator.playouts(20_000).goal_means
    np.testing.assert_allclose(samples.targets.mean(axis=0), expected, atol=2)
    net = network("tic_tac_toe")
    marks = [i for i, p in enumerate(net.propositions) if p.startswith("(cell") and not p.endswith(" b)")]
    depths = np.bincount(unpack_bits(samples.features, net.state_bits)[:, marks].sum(axis=1), minlength=9)
    assert (depths[:5] > 2000).all()  # each game's plies are equally likely, and none ends before the fifth
    assert (np.diff(depths[4:]) < 0).all()


@pytest.mark.parametrize("hidden", [0, 13, 62])
@pytest.mark.parametrize("control", [(), (0,), (30, 2)])
def test_self_play_backs_up_the_best_child(control: tuple[int, ...], hidden: int) -> None:
    """The evaluation tells children by what they differ in from their parent; here each is told by all its bits."""
    breakthrough = game("breakthrough_small")
    evaluation = Evaluation(random_weights(breakthrough.state_bits, 2, hidden, control))
    play = SelfPlay(breakthrough, lambda_=0.0, random_moves=4, temperature=5.0)
    samples = play.play(evaluation, 100_000)
    assert samples.games >= 16
    simulator = Simulator(breakthrough)
    legal = simulator.legal(samples.features[:100])
    for i, target in enumerate(samples.targets[:100]):
        moves = [np.flatnonzero(of_role[i]) for of_role in legal]
        mover = int(np.argmax([len(m) for m in moves]))
        joint = np.array([[a, b] for a in moves[0] for b in moves[1]], np.int32)
        children = simulator.next(np.repeat(samples.features[i : i + 1], len(joint), axis=0), joint)
        values = evaluation.values(children)
        over = simulator.terminal(children)
        values[over] = simulator.goals(children)[over]
        np.testing.assert_allclose(target, values[np.argmax(values[:, mover])], atol=1e-3)


def test_self_play_ends_with_the_goals() -> None:
    connect_four = game("connect_four")
    evaluation = Evaluation(random_weights(connect_four.state_bits, 2, 14))
    samples, again = (
        SelfPlay(connect_four, lambda_=1.0, random_moves=6, seed=1).play(evaluation, 50_000) for _ in range(2)
    )
    assert samples.games > 100
    assert set(np.unique(samples.targets)) <= {0, 50, 100}
    np.testing.assert_array_equal(samples.features, again.features)


def test_all_games_of_self_play_begin_with_the_initial_position() -> None:
    """Those that begin among games under way, too."""
    connect_four = game("connect_four")
    evaluation = Evaluation(random_weights(connect_four.state_bits, 2, 14))
    samples = SelfPlay(connect_four, random_moves=0, seed=1).play(evaluation, 250_000)
    assert samples.games > 1_000  # twice as many as go on at once
    assert (samples.features == connect_four.initial).all(axis=1).sum() == samples.games


def test_games_go_on_from_call_to_call() -> None:
    """What is played in many calls is what is played in one, up to the games that are under way in the end."""
    connect_four = game("connect_four")
    evaluation = Evaluation(random_weights(connect_four.state_bits, 2, 14))
    at_once = SelfPlay(connect_four, random_moves=6, seed=1).play(evaluation, 60_000)
    play = SelfPlay(connect_four, random_moves=6, seed=1)
    parts = [play.play(evaluation, 1) for _ in range(12)]
    assert sum(part.games > 0 for part in parts) > 1
    joined = np.concatenate([part.features for part in parts])
    np.testing.assert_array_equal(joined, at_once.features[: len(joined)])


@pytest.mark.parametrize("beginning", ["(<= terminal (true on))", "(<= terminal (true off))"])
def test_games_that_are_over_as_they_begin_need_not_be_played(beginning: str) -> None:
    """Terminal, or without a legal move."""
    rules = f"(role p) (init on) (<= (next off) (true on)) (<= (legal p a) (true off)) (goal p 50) {beginning}"
    over = Game.from_propnet(load(parse_rules(rules)))
    play, evaluation = SelfPlay(over), Evaluation(random_weights(over.feature_bits, over.roles, 2))
    for states in (1000, 3000):
        samples = play.play(evaluation, states, seconds=1.0)
        assert (len(samples.features), samples.games) == (0, states)
    assert play.states == 4000


def test_positions_in_which_roles_choose_together_are_learned_from() -> None:
    goofspiel = game("goofspiel")
    evaluation = Evaluation(random_weights(goofspiel.state_bits, goofspiel.roles, 14))
    samples = SelfPlay(goofspiel).play(evaluation, 100_000)
    assert 0 < 4 * samples.games <= len(samples.features)  # so many bids at least


def test_an_evaluation_of_another_game_is_refused() -> None:
    with pytest.raises(NativeError, match="another game"):
        SelfPlay(game("connect_four")).play(Evaluation(random_weights(10, 2, 4)), 5)


@pytest.mark.parametrize(
    "change",
    [
        {"temperature": 0.0},
        {"lambda_": 1.5},
        {"random_moves": -1},
        {"max_steps": 0},
        {"leaves": -1},
        {"learned_visits": -1},
    ],
)
def test_settings_of_self_play_out_of_range_are_refused(change: dict[str, float]) -> None:
    with pytest.raises(NativeError, match=next(iter(change)).strip("_")):
        SelfPlay(game("tic_tac_toe"), **change)  # type: ignore[arg-type]


# ---- Learning ----


def test_what_tells_whose_turn_it_is_is_found() -> None:
    for name, text in (("breakthrough", "(control"), ("connect_four", "(control"), ("reversi", "(control")):
        (control,) = control_propositions(game(name))
        assert network(name).propositions[control].startswith(text)


def test_whose_turn_it_is_is_told_where_no_random_game_ends_in_time() -> None:
    learner = Learner(game("breakthrough"), seed=1, pace=LearningPace(random_seconds=1e-9))
    (control,) = learner.weights.control
    assert network("breakthrough").propositions[control].startswith("(control")


def test_what_agrees_with_few_positions_does_not_tell_whose_turn_it_is() -> None:
    """Both choose at once, and only if they choose alike one of them chooses alone."""
    rules = """(role a) (role b) (init start) (number 1) (number 2) (number 3) (number 4)
        (<= (legal ?r (pick ?n)) (role ?r) (number ?n) (true start))
        (<= (next (turn a)) (does a (pick 1)) (does b (pick 1)))
        (<= (next (turn b)) (does a (pick 2)) (does b (pick 2)))
        (<= (legal ?r go) (true (turn ?r))) (<= (legal ?r stay) (true (turn ?r)))
        (<= (legal a wait) (true (turn b))) (<= (legal b wait) (true (turn a)))
        (<= on (true start)) (<= on (true (turn ?r))) (<= terminal (not on)) (goal a 50) (goal b 50)"""
    assert control_propositions(Game.from_propnet(load(rules))) == ()


def test_learning_ends_when_it_is_told_to() -> None:
    asked = itertools.chain([False] * 5, itertools.repeat(True))
    learn(game("breakthrough_small"), 3600.0, stopped=lambda: next(asked))


def test_nothing_is_fitted_any_more_once_it_is_told_to_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(EvaluationFit, "fit", lambda *_: pytest.fail("it is fitted"))
    learn(game("breakthrough_small"), 3600.0, stopped=lambda: True)


def test_what_is_learned_is_a_mean_in_which_later_rounds_count_more() -> None:
    learner, after_rounds = Learner(game("tic_tac_toe"), seed=1), []
    for _ in range(4):
        learner.round()
        after_rounds.append(learner._fit.weights)
    shares = np.array([1 * 2 * 3, 2 * 3 * 4, 3 * 4 * 5, 4 * 5 * 6]) / 210
    for part in ("linear", "inner", "output"):
        mean = sum(share * getattr(weights, part) for share, weights in zip(shares, after_rounds, strict=True))
        np.testing.assert_allclose(getattr(learner.learned().weights, part), mean, atol=1e-5)


def test_every_worker_learns_and_nothing_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rounds of all workers are fitted one at a time, whoever played them."""
    rounds, fitting = 30, threading.Lock()
    fit = EvaluationFit.fit

    def alone(self: EvaluationFit, *args: Any) -> float:
        assert fitting.acquire(blocking=False)
        try:
            return fit(self, *args)
        finally:
            fitting.release()

    learner = Learner(game("tic_tac_toe"), seed=1, workers=3)
    monkeypatch.setattr(EvaluationFit, "fit", alone)
    learner.learn(lambda: learner.learned().rounds >= rounds)
    assert rounds <= learner.learned().rounds < rounds + 3
    assert len(learner.history) == learner.learned().rounds


def test_one_worker_learns_the_same_from_the_same_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    pace, blank = LearningPace(round_seconds=0.0), TrainedWeights(blank_weights(), 0)
    learners = [Learner(game("tic_tac_toe"), seed=5, known=blank, pace=pace) for _ in range(2)]
    for learner in learners:
        for _ in range(3):
            learner.round()
    first, second = (learner.learned().weights for learner in learners)
    np.testing.assert_array_equal(first.inner, second.inner)
    assert learners[0].history == learners[1].history
    assert all(played.positions > 1000 for played in learners[0].history)


def test_the_error_of_a_round_is_that_before_its_positions_were_learned(monkeypatch: pytest.MonkeyPatch) -> None:
    played = random_samples(game("tic_tac_toe"), 100, seed=1)
    samples = TrainingSamples(played.features[:100], played.targets[:100], 100)  # fewer than a batch
    monkeypatch.setattr(SelfPlay, "play", lambda *_: samples)
    learner = Learner(game("tic_tac_toe"), seed=1, known=TrainedWeights(blank_weights(), 0))
    expected = np.mean((told(blank_weights(), samples.features) - samples.targets) ** 2)
    learner.round()
    learner.round()
    first, second = learner.history
    assert first.positions == 100
    assert first.error == pytest.approx(expected, rel=1e-3)
    assert second.error < first.error


def blank_weights() -> EvaluationWeights:
    return random_weights(game("tic_tac_toe").feature_bits, 2, 5)


def test_learning_goes_on_from_what_was_known() -> None:
    """A round after recall counts as much as it would have without."""
    tic_tac_toe = game("tic_tac_toe")
    known = TrainedWeights(random_weights(tic_tac_toe.feature_bits, 2, 5), 6)
    learner = Learner(tic_tac_toe, seed=1, known=known)
    assert learner.learned().rounds == 6
    learner.round()
    weights = learner.learned().weights
    assert learner.learned().rounds == 7
    for part in ("linear", "inner", "output"):
        old, new = getattr(known.weights, part), getattr(learner._fit.weights, part)
        np.testing.assert_allclose(getattr(weights, part), old + 4 / 10 * (new - old), atol=1e-5)


def test_the_rate_falls_with_the_square_root_of_the_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is half of the first after 150; rounds before recall count."""
    rates: list[float] = []

    def fit(self: EvaluationFit, samples: TrainingSamples, rate: float, seed: int) -> float:
        rates.append(rate)
        return 0.0

    monkeypatch.setattr(EvaluationFit, "fit", fit)
    for known in (0, 49, 150):
        Learner(game("tic_tac_toe"), seed=1, known=TrainedWeights(blank_weights(), known)).round()
    np.testing.assert_allclose(rates, RATE / np.sqrt([1, 1.98, 4]))


def test_who_has_learned_beats_who_has_not() -> None:
    """Greedy play, one move ahead, against random play: the learned evaluation wins nearly always."""
    breakthrough = game("breakthrough_small")
    evaluation = Evaluation(learned_weights(breakthrough, 20))
    simulator, rng = Simulator(breakthrough), np.random.default_rng(1)
    won = sum(_plays_against_random(simulator, evaluation, rng, seat=i % 2) for i in range(40))
    assert won >= 37


def _plays_against_random(simulator: Simulator, evaluation: Evaluation, rng: np.random.Generator, seat: int) -> bool:
    state = simulator.game.initial
    while not simulator.terminal(state)[0]:
        moves = [np.flatnonzero(of_role[0]) for of_role in simulator.legal(state)]
        joint = np.array([[a, b] for a in moves[0] for b in moves[1]], np.int32)
        children = simulator.next(np.repeat(state[None], len(joint), axis=0), joint)
        values = evaluation.values(children)[:, seat]
        over = simulator.terminal(children)
        values[over] = simulator.goals(children)[over, seat]
        state = children[np.argmax(values) if len(moves[seat]) > 1 else rng.integers(len(children))]
    return bool(simulator.goals(state)[0, seat] == 100)


def test_more_hidden_units_are_for_those_who_learn_much() -> None:
    small = game("tic_tac_toe")
    assert hidden_units(small, 1e9) > hidden_units(small, 1e-9) == HIDDEN
    learned = [
        Learner(small, 1, pace=LearningPace(500, 0.0, 500, 0.0), hidden=hidden).learned() for hidden in (HIDDEN, 7)
    ]
    assert [each.weights.hidden for each in learned] == [HIDDEN, 7]


@pytest.mark.parametrize("name", ["tic_tac_toe", "connect_four_three"])
def test_wider_weights_foretell_the_same_until_they_learn(name: str) -> None:
    of = game(name)
    known = Learner(of, 1, pace=LearningPace(500, 0.0, 500, 0.0)).learned()
    wider = Learner(of, 1, known, pace=LearningPace(500, 0.0, 1 << 16, 0.0), hidden=MORE_HIDDEN)
    weights, positions = wider.learned().weights, random_samples(of, 500, seed=2).features
    assert (weights.hidden, wider.rounds) == (MORE_HIDDEN, known.rounds)
    np.testing.assert_array_equal(Evaluation(weights).values(positions), Evaluation(known.weights).values(positions))
    wider.round()
    assert np.abs(wider.weights.output[:, HIDDEN:]).max(axis=(0, 2)).min() > 0


def test_what_is_known_keeps_its_width_unless_more_units_are_for_it() -> None:
    of = game("tic_tac_toe")
    narrow, wide = (TrainedWeights(random_weights(of.feature_bits, 2, hidden), 1) for hidden in (5, 94))
    assert [hidden_units(of, 1e-9, known=known) for known in (None, narrow, wide)] == [HIDDEN, 5, 94]
    assert [hidden_units(of, 1e9, known=known) for known in (None, narrow, wide)] == [MORE_HIDDEN, MORE_HIDDEN, 94]
    assert [Learner(of, 1, known).weights.hidden for known in (narrow, wide)] == [5, 94]
    assert learn(of, 1.0, known=narrow._replace(seconds=1e9)).weights.hidden == MORE_HIDDEN


def test_positions_of_games_under_way_are_counted() -> None:
    play = SelfPlay(game("tic_tac_toe"), seed=1)
    samples = play.play(Evaluation(random_weights(game("tic_tac_toe").feature_bits, 2, 5)), 50_000)
    assert play.positions >= len(samples.features) > 0


def test_a_fit_looks_at_no_bits_beyond_the_features() -> None:
    weights, states = random_weights(70, 2, 13, (5,)), random_states(70, 100)
    beyond = states.copy()
    beyond[:, 1] |= np.uint64(1 << 6)
    learned = []
    for seen in (states, beyond):
        fit = EvaluationFit(weights)
        fit.fit(TrainingSamples(seen, np.full((100, 2), 50, np.float32), 1), 0.01, 1)
        learned.append(fit.weights)
    for clean, masked in zip(*learned, strict=True):
        np.testing.assert_array_equal(clean, masked)
