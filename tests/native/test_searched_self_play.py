"""Self-play by search: what its positions are worth, and that each is learned once."""

from __future__ import annotations

from collections import Counter
from itertools import product

import numpy as np
import pytest

from ludens.native.core import Evaluation, Game, SelfPlay, Simulator, States
from ludens.propnet.base.errors import NativeError
from ludens.propnet.compile.loader import load
from ludens.propnet.gdl.parser import parse_rules
from tests.support.evaluations import Array, game, random_weights
from tests.support.waiting import until


@pytest.mark.parametrize("name", ["breakthrough_small", "connect_four", "tic_tac_toe"])
def test_searched_positions_are_worth_what_the_tree_below_says(name: str) -> None:
    """One search from the initial state: minimax over the evaluation at the leaves, and ends, makes all the rest.

    Of a position that is reached in several ways the tree may know less by one of them.
    """
    searched = game(name)
    evaluation = Evaluation(random_weights(searched.state_bits, 2, 14, seed=5))
    samples = SelfPlay(searched, lambda_=0.0, leaves=60).play(evaluation, 1)
    assert len(samples.features) > 30  # without those of the game, which is not over
    targets = {state.tobytes(): target for state, target in zip(samples.features, samples.targets, strict=True)}
    simulator = Simulator(searched)
    children = {state.tobytes(): _children(simulator, state) for state in [searched.initial, *samples.features]}
    ways = Counter(child.tobytes() for _mover, states in children.values() for child in states)
    checked = 0
    for state, target in targets.items():
        mover, states = children[state]
        if any(ways[child.tobytes()] > 1 for child in states if child.tobytes() in targets):
            continue
        values, over = evaluation.values(states), simulator.terminal(states)
        values[over] = simulator.goals(states)[over]
        values = np.array([targets.get(child.tobytes(), value) for child, value in zip(states, values, strict=True)])
        np.testing.assert_allclose(target, values[np.argmax(values[:, mover])], atol=1e-3)
        checked += 1
    assert checked > len(targets) / 3


def _children(simulator: Simulator, state: States) -> tuple[int, States]:
    """Returns who chooses in a state of two roles, and what each of its moves leads to."""
    legal = [np.flatnonzero(moves[0]) for moves in simulator.legal(state)]
    joint = np.array([[a, b] for a in legal[0] for b in legal[1]], np.int32)
    return int(np.argmax([len(moves) for moves in legal])), simulator.next(
        np.repeat(state[None], len(joint), axis=0), joint
    )


def test_searched_games_back_up_their_ends() -> None:
    connect_four = game("connect_four")
    evaluation = Evaluation(random_weights(connect_four.state_bits, 2, 14))
    samples, again = (
        SelfPlay(connect_four, lambda_=1.0, random_moves=6, seed=1, leaves=30, learned_visits=1000).play(
            evaluation, 300_000
        )
        for _ in range(2)
    )
    assert samples.games > 20
    assert set(np.unique(samples.targets)) == {0, 50, 100} or set(np.unique(samples.targets)) == {0, 100}
    np.testing.assert_array_equal(samples.features, again.features)
    more = SelfPlay(connect_four, lambda_=1.0, random_moves=6, seed=1, leaves=30, learned_visits=5).play(
        evaluation, 300_000
    )
    assert len(more.features) > 2 * len(samples.features)
    assert {row.tobytes() for row in samples.features} <= {row.tobytes() for row in more.features}


def test_games_that_begin_with_a_choice_of_several_roles_are_not_searched() -> None:
    goofspiel = game("goofspiel")
    evaluation = Evaluation(random_weights(goofspiel.state_bits, goofspiel.roles, 14))
    with pytest.raises(NativeError, match="one role chooses"):
        SelfPlay(goofspiel, leaves=10).play(evaluation, 1000)


def test_where_all_is_proven_searched_games_end_at_once() -> None:
    """A round ends too, although nothing is left to be searched, and what is known is learned once."""
    tic_tac_toe = game("tic_tac_toe")
    evaluation = Evaluation(random_weights(tic_tac_toe.state_bits, 2, 5))
    samples = SelfPlay(tic_tac_toe, leaves=100_000, learned_visits=10**6).play(evaluation, 60_000)
    assert samples.games > 100
    expected = [tic_tac_toe.initial] * 2  # searched in the first game, and proven when the next one began
    np.testing.assert_array_equal(samples.features, expected)
    np.testing.assert_array_equal(samples.targets, 50)


@pytest.mark.parametrize(("name", "states"), [("tic_tac_toe", 1 << 20), ("hex_small", 100_000)])
def test_what_several_searches_visit_is_learned_once(name: str, states: int) -> None:
    """Two rounds have the same games; what follows these in both is of trees, or was proven before it was reached."""
    searched = game(name)
    evaluation = Evaluation(random_weights(searched.state_bits, 2, 5))
    games, all_there = (
        SelfPlay(searched, leaves=100, learned_visits=visits, seed=1).play(evaluation, states) for visits in (10**6, 8)
    )
    shorter = min(len(games.features), len(all_there.features))
    same = (games.features[:shorter] == all_there.features[:shorter]).all(axis=1)
    assert same[0]
    of_trees = all_there.features[shorter if same.all() else int(np.argmin(same)) :]
    assert len(of_trees) > 100
    assert len(np.unique(of_trees, axis=0)) == len(of_trees)


THREE_ROLES = ("ann", "bob", "cy")
_STEPS, _TOGETHER = 5, 2  # of a game; the step, from 0 on, in which all choose at once
_SEEN = {"ann": (0, 3), "bob": (1, 2), "cy": (2, 3)}  # steps whose choices decide what a role gets, with the last


def three_roles() -> Game:
    """A game of three roles who choose one after the other, but for one step in which they choose together."""
    last, chooser_of_last = _STEPS - 1, THREE_ROLES[(_STEPS - 1) % 3]
    lines = [f"(role {role})" for role in THREE_ROLES] + ["(init (step 0))", f"(<= terminal (true (step {_STEPS})))"]
    lines += ["(<= (next (chose ?s ?r ?m)) (true (chose ?s ?r ?m)))"]
    lines += ["(<= (next (chose ?s ?r ?m)) (true (step ?s)) (does ?r (say ?m)))"]
    for step in range(_STEPS):
        lines.append(f"(<= (next (step {step + 1})) (true (step {step})))")
        for place, role in enumerate(THREE_ROLES):
            chooses = step == _TOGETHER or step % 3 == place
            moves = ("(say x)", "(say y)", "(say z)") if chooses else ("noop",)
            lines += [f"(<= (legal {role} {move}) (true (step {step})))" for move in moves]
    for place, role in enumerate(THREE_ROLES):
        owners = [role if step == _TOGETHER else THREE_ROLES[step % 3] for step in _SEEN[role]]
        for chosen in product(range(3), repeat=3):
            goal = (17 * place + 31 * chosen[0] + 7 * chosen[1] + 13 * chosen[2]) % 101
            known = zip((*_SEEN[role], last), (*owners, chooser_of_last), chosen, strict=True)
            facts = " ".join(f"(true (chose {step} {owner} {'xyz'[move]}))" for step, owner, move in known)
            lines.append(f"(<= (goal {role} {goal}) {facts})")
    return Game.from_propnet(load(parse_rules("\n".join(lines))))


def steps_of(states: States, simulator: Simulator) -> list[int]:
    """Returns how many steps of the game of three roles lead to each of some states."""
    found = []
    for state in states:
        now, left = state, 0
        while not simulator.terminal(now)[0]:
            now, left = _all_children(simulator, now)[0], left + 1
        found.append(_STEPS - left)
    return found


def _all_children(simulator: Simulator, state: States) -> States:
    """Returns what all joint moves lead to."""
    joint = np.array([*product(*(np.flatnonzero(moves[0]) for moves in simulator.legal(state)))], np.int32)
    return simulator.next(np.repeat(state[None], len(joint), axis=0), joint)


def _expected(simulator: Simulator, state: States, evaluation: Evaluation) -> Array:
    """Returns what roles who want the most for themselves get: by the evaluation where several choose at once."""
    if simulator.terminal(state)[0]:
        return np.asarray(simulator.goals(state)[0], np.float64)
    choosers = [role for role, moves in enumerate(simulator.legal(state)) if moves[0].sum() > 1]
    if len(choosers) > 1:
        return np.asarray(evaluation.values(state[None])[0], np.float64)
    values = [_expected(simulator, child, evaluation) for child in _all_children(simulator, state)]
    return max(values, key=lambda each: float(each[choosers[0]]))


@pytest.mark.parametrize("random_moves", [0, 3])
@pytest.mark.parametrize("max_steps", [2, 3, 100])
def test_searched_games_of_three_roles_are_what_the_rules_say(max_steps: int, random_moves: int) -> None:
    """A call for each step, with two evaluations in turns; games are cut, or end by proof in the last step but one.

    Positions of the opening and those in which several roles choose are not recorded, and a game that is cut ends with
    what was expected last.
    """
    searched, lambda_, calls = three_roles(), 0.5, 60
    simulator, words = Simulator(searched, 64), searched.feature_bits
    evaluations = [Evaluation(random_weights(words, 3, 6, seed=seed)) for seed in (1, 2)]
    play = SelfPlay(
        searched,
        lambda_=lambda_,
        leaves=3000,
        learned_visits=10**6,
        max_steps=max_steps,
        random_moves=random_moves,
        temperature=20.0,
        seed=3,
    )
    began, openings, after_choice = 0, set[int](), set[bytes]()
    for call in range(calls):
        samples = play.play(evaluations[call % 2], 1)
        if not samples.games:
            assert not len(samples.features)
            continue
        steps, states = steps_of(samples.features, simulator), samples.features
        values = [
            _expected(simulator, state, evaluations[(began + step) % 2])
            for state, step in zip(states, steps, strict=True)
        ]
        end = min(max_steps, _STEPS - 1)
        first = steps[0] if steps else end
        assert steps == [step for step in range(first, end) if step != _TOGETHER]
        after = values[-1] if values else np.zeros(3)
        for target, value in zip(reversed(samples.targets), reversed(values), strict=True):
            after = (1 - lambda_) * value + lambda_ * after
            np.testing.assert_allclose(target, after, atol=1e-2)
        openings.add(first)
        after_choice |= {state.tobytes() for state, step in zip(states, steps, strict=True) if step == _TOGETHER + 1}
        began = call + 1
    assert openings == {0} if random_moves == 0 else len(openings) > 1
    assert len(after_choice) > 5 or max_steps < 100


def test_a_searched_round_ends_when_its_time_is_over() -> None:
    """However many states it may make; and it has searched something."""
    searched = game("connect_four")
    play = SelfPlay(searched, leaves=50)
    evaluation = Evaluation(random_weights(searched.state_bits, 2, 14))
    until(lambda: len(play.play(evaluation, 1 << 62, 0.2).features) > 0)
    assert play.positions > 1
