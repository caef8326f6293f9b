"""Games of OpenSpiel: its own test passes, and its algorithms play them."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path

import numpy as np
import pytest

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed: pip install 'ludens[openspiel]'")

from open_spiel.python.algorithms import cfr, exploitability, generate_playthrough, mcts, minimax  # noqa: E402
from open_spiel.python.observation import make_observation  # noqa: E402

import ludens.openspiel  # noqa: E402, F401 (registers the games)

STICKS = """
(role first) (role second)
(init (heap 5)) (init (control first))
(minus 5 1 4) (minus 5 2 3) (minus 4 1 3) (minus 4 2 2) (minus 3 1 2) (minus 3 2 1) (minus 2 1 1) (minus 2 2 0) (minus 1 1 0)
(<= (legal ?r (take ?n)) (true (control ?r)) (true (heap ?h)) (minus ?h ?n ?rest))
(<= (legal ?r noop) (role ?r) (not (true (control ?r))))
(<= (next (heap ?rest)) (true (heap ?h)) (does ?r (take ?n)) (minus ?h ?n ?rest))
(<= (next (control second)) (true (control first)))
(<= (next (control first)) (true (control second)))
(<= terminal (true (heap 0)))
(<= (goal first 100) (true (control second))) (<= (goal first 0) (true (control first)))
(<= (goal second 100) (true (control first))) (<= (goal second 0) (true (control second)))
"""  # noqa: E501


@pytest.fixture
def sticks(tmp_path: Path) -> object:
    path = tmp_path / "sticks.kif"
    path.write_text(STICKS)
    return pyspiel.load_game("ludens", {"game": str(path)})


def test_a_sheet_that_was_changed_is_another_game(tmp_path: Path, sticks: object) -> None:
    path = tmp_path / "sticks.kif"
    path.write_text(STICKS.replace("(heap 5)", "(heap 2)"))
    shorter = pyspiel.load_game("ludens", {"game": str(path)})
    assert str(shorter.new_initial_state()) != str(sticks.new_initial_state())  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", ["tic_tac_toe", "rock_paper_scissors", "tron_four", "eight_puzzle", "nim"])
def test_openspiel_accepts_the_games(name: str) -> None:
    game = pyspiel.load_game(f"ludens(game={name})")
    pyspiel.random_sim_test(game, num_sims=2, serialize=True, verbose=False)


@pytest.mark.parametrize("name", ["tic_tac_toe", "rock_paper_scissors"])
def test_a_playthrough_tells_the_whole_game_and_is_the_same_again(name: str) -> None:
    text = generate_playthrough.playthrough(f"ludens(game={name})", None, seed=1)
    assert text == generate_playthrough.playthrough(f"ludens(game={name})", None, seed=1)
    assert "IsTerminal() = True" in text
    assert "Exception" not in text
    actions = [int(line.split(": ")[1]) for line in text.splitlines() if line.startswith("action: ")]
    at_once = [line.split("[")[1].rstrip("]") for line in text.splitlines() if line.startswith("actions: [")]
    actions += [int(action) for line in at_once for action in line.split(", ")]
    state = pyspiel.load_game(f"ludens(game={name})").new_initial_state()
    while not state.is_terminal():
        if state.is_simultaneous_node():
            state.apply_actions([actions.pop(0) for _ in range(2)])
        else:
            state.apply_action(actions.pop(0))
    assert not actions
    assert f"Returns() = {[round(value) for value in state.returns()]}" in text


def test_legal_actions_are_sorted_and_a_simultaneous_game_turns_into_one_by_turns() -> None:
    game = pyspiel.load_game("ludens(game=connect_four)")
    state = game.new_initial_state()
    assert state.legal_actions() == sorted(state.legal_actions())
    at_once = pyspiel.load_game("ludens(game=rock_paper_scissors)")
    turned = pyspiel.convert_to_turn_based(at_once).new_initial_state()
    while not turned.is_terminal():
        turned.apply_action(turned.legal_actions()[0])
    assert turned.returns() == [0, 0]


def test_games_by_turns_and_simultaneous_games_are_what_they_are() -> None:
    turns = pyspiel.load_game("ludens(game=tic_tac_toe)")
    assert turns.get_type().dynamics == pyspiel.GameType.Dynamics.SEQUENTIAL
    assert turns.get_type().utility == pyspiel.GameType.Utility.ZERO_SUM
    assert turns.new_initial_state().legal_actions() == list(range(9))
    at_once = pyspiel.load_game("ludens(game=rock_paper_scissors)")
    state = at_once.new_initial_state()
    assert state.is_simultaneous_node()
    state.apply_actions([0, 1])
    assert state.history() == [0, 1]


def test_states_are_copied_and_games_are_pickled() -> None:
    game = pyspiel.load_game("ludens(game=tic_tac_toe)")
    state = game.new_initial_state()
    twin, other = state.clone(), copy.deepcopy(state)
    state.apply_action(4)
    assert str(twin) == str(other) != str(state)
    again = pickle.loads(pickle.dumps(state))
    assert str(again) == str(state)
    assert again.history() == [4]
    assert str(pickle.loads(pickle.dumps(game))) == str(game)


def test_observers_see_the_facts() -> None:
    game = pyspiel.load_game("ludens(game=tic_tac_toe)")
    observation = make_observation(game)
    state = game.new_initial_state()
    observation.set_from(state, 0)
    assert observation.tensor.sum() == len(str(state).split(") "))
    before = observation.tensor.copy()
    state.apply_action(0)
    observation.set_from(state, 0)
    assert (observation.tensor != before).any()
    assert "(control nought)" in observation.string_from(state, 0)


def test_a_game_that_lasts_too_long_is_cut_as_a_draw() -> None:
    state = pyspiel.load_game("ludens(game=tic_tac_toe,max_game_length=2)").new_initial_state()
    state.apply_action(0)
    state.apply_action(1)
    assert state.is_terminal()
    assert state.returns() == [0, 0]


def test_cfr_and_alpha_beta_solve_a_game(sticks: object) -> None:
    solver = cfr.CFRSolver(sticks)
    for _ in range(30):
        solver.evaluate_and_update_policy()
    assert exploitability.nash_conv(sticks, solver.average_policy()) < 0.2
    value, move = minimax.alpha_beta_search(sticks)
    assert value == 1
    assert sticks.new_initial_state().action_to_string(0, move) == "(take 2)"  # type: ignore[attr-defined]


def test_tree_search_in_python_and_in_cpp_plays_a_game(sticks: object) -> None:
    state = sticks.new_initial_state()  # type: ignore[attr-defined]
    rng = np.random.RandomState(1)
    bot = mcts.MCTSBot(sticks, 2, 200, mcts.RandomRolloutEvaluator(1, rng), random_state=rng)
    assert state.action_to_string(0, bot.step(state)) == "(take 2)"
    native = pyspiel.MCTSBot(sticks, pyspiel.RandomRolloutEvaluator(1, 1), 2.0, 200, 10, True, 1, False)
    assert state.action_to_string(0, native.mcts_search(state).best_child().action) == "(take 2)"
