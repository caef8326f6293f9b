"""Batches: what they write is what the rules say, rows and arrays are checked, and nothing is stepped by halves."""

from __future__ import annotations

import copy
import os
import pickle
import threading
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from ludens.agent.api.errors import BudgetError, ClosedError, InUseError, StateError
from ludens.agent.api.game import load
from ludens.agent.env.batch import FORCED, WAIT, Batch
from ludens.agent.env.errors import ArrayError, IllegalActionError, LayoutError
from ludens.agent.env.opponents import random_actions
from ludens.agent.env.perft import perft
from ludens.native.core import BatchLayout, Game, JointMoves, Simulator, States, SteppedGames, pack_bits, unpack_bits
from ludens.propnet.base.errors import LudensError, NativeError
from ludens.propnet.gdl.interpreter import Interpreter
from tests.support.heap_sheet import COUNTER

GAMES = ("tic_tac_toe", "connect_four_three", "rock_paper_scissors", "tron_four", "eight_puzzle", "nim", COUNTER)


@pytest.mark.parametrize("source", GAMES)
def test_every_row_is_the_game_that_the_rules_describe(source: str) -> None:
    batch = Batch(source, 70, observation="bits", also=("states", "played"), autoreset="never")
    game, oracle = batch.game, Interpreter(batch.game.sheet)
    rng = np.random.default_rng(1)
    states = [oracle.initial()] * batch.count
    for _ in range(12):
        before = batch.to_move.copy()
        actions = random_actions(batch.legal, rng)
        over = before < 0
        actions[over] = FORCED
        batch.step(actions)
        for row in range(0, batch.count, 9):
            if not over[row]:
                played = [game.moves[r][m] for r, m in enumerate(batch.played[row])]
                legal = [[str(move) for move in oracle.legal(states[row], role)] for role in game.roles]
                assert all(move in moves for move, moves in zip(played, legal, strict=True))
                joint = [
                    m
                    for r, p in zip(game.roles, played, strict=True)
                    for m in oracle.legal(states[row], r)
                    if str(m) == p
                ]
                states[row] = oracle.next(states[row], joint)
            _check_row(batch, oracle, states[row], row, bool(over[row]))


def _check_row(batch: Batch, oracle: Interpreter, state: Any, row: int, was_over: bool) -> None:
    game = batch.game
    facts = sorted(set(map(str, state)) & set(game.propositions))  # what holds in all states is no proposition
    assert sorted(np.array(game.propositions)[batch.observations[row] == 1]) == facts
    assert (unpack_bits(batch.states[row], len(game.propositions)) == batch.observations[row]).all()
    assert batch.done[row] == oracle.terminal(state)
    if batch.done[row]:
        goals = [0.0 if was_over else (50 if g is None else g) / 50 - 1 for g in oracle.goals(state)]
        assert batch.rewards[row].tolist() == pytest.approx(goals)
        assert batch.to_move[row] == -1
        assert not batch.legal[row].any()
        return
    assert not batch.rewards[row].any()
    legal = [sorted(str(move) for move in oracle.legal(state, role)) for role in game.roles]
    choosing = [role for role, moves in enumerate(legal) if len(moves) > 1]
    if choosing:
        assert batch.to_move[row] == choosing[0]
    for role in range(len(game.roles)) if batch.joint else [int(batch.to_move[row])]:
        mask = batch.legal[row, role] if batch.joint else batch.legal[row]
        assert sorted(np.array(game.moves[role])[np.flatnonzero(mask)]) == legal[role]


@pytest.mark.parametrize("autoreset", ["same_step", "next_step"])
def test_games_that_are_over_begin_anew(autoreset: str) -> None:
    batch = Batch("tic_tac_toe", 40, autoreset=autoreset, also=("final_observations",))
    first = batch.observations[0].copy()
    rng, ended = np.random.default_rng(2), np.zeros(40, np.bool_)
    for _ in range(30):
        before = ended if autoreset == "next_step" else np.zeros(40, np.bool_)
        batch.step(random_actions(batch.legal, rng))
        ended = batch.done.copy()
        assert not ended[before].any()
        anew = ended if autoreset == "same_step" else before
        assert (batch.observations[anew] == first).all()
        assert not batch.rewards[~ended].any()
        for row in np.flatnonzero(ended):
            assert batch.final_observations[row, :2].sum() >= 5
            assert (batch.final_observations[row] != first).any()
    with pytest.raises(LayoutError, match="autoreset 'now' is unknown"):
        Batch("tic_tac_toe", 1, autoreset="now")


def test_only_the_rows_that_are_wanted_begin_anew_and_games_can_wait() -> None:
    batch = Batch("tic_tac_toe", 3, autoreset="never")
    batch.step(np.array([0, WAIT, 1]))
    assert batch.to_move.tolist() == [1, 0, 1]
    batch.reset(np.array([False, False, True]))
    assert batch.to_move.tolist() == [1, 0, 0]
    batch.reset()
    assert batch.to_move.tolist() == [0, 0, 0]


def test_a_batch_goes_on_from_states_that_it_is_given() -> None:
    game = load("tic_tac_toe")
    state = game.initial.play("(mark 2 2)")
    batch = Batch(game, 5, also=("states",))
    batch.load(state)
    assert (batch.states == state.words).all()
    assert batch.to_move.tolist() == [1] * 5
    assert (batch.legal.sum(axis=1) == 8).all()
    batch.load(np.tile(game.initial.words, (5, 1)))
    assert batch.to_move.tolist() == [0] * 5
    with pytest.raises(StateError, match="a state of nim"):
        batch.load(load("nim").initial)


def test_pieces_have_planes_where_they_stand() -> None:
    batch = Batch("connect_four", 2)
    assert batch.observation_layout.names == ("red on cell", "yellow on cell", "(control red)", "(control yellow)")
    assert batch.observations.shape == (2, 4, 6, 7)
    batch.step(batch.legal.argmax(axis=1))
    red, yellow, red_to_move, yellow_to_move = batch.observations[0]
    assert (red.sum(), yellow.sum()) == (1, 0)
    assert yellow_to_move.all()
    assert not red_to_move.any()


def test_facts_that_count_share_a_plane_and_are_its_value() -> None:
    batch = Batch(COUNTER, 1)
    step = batch.observation_layout.names.index("step")
    for value in range(1, 4):
        assert (batch.observations[0, step] == value).all()
        batch.step(np.array([batch.game.moves[int(batch.to_move[0])].index("pass")]))


def test_random_games_follow_from_the_seed() -> None:
    def course(seed: int) -> Any:
        batch = Batch("connect_four_three", 600, seed=seed, also=("played",))
        moves = []
        for _ in range(6):
            batch.step_randomly()
            moves.append(batch.played.copy())
        return np.stack(moves)

    assert (course(1) == course(1)).all()
    assert (course(1) != course(2)).any()


def test_actions_that_are_not_legal_are_said_by_rows_and_step_nothing() -> None:
    batch = Batch("tic_tac_toe", 1300, also=("states",))
    before = batch.states.copy()
    noop = batch.game.moves[0].index("noop")
    for wrong in (noop, 10, 1 << 30, -3, FORCED):
        actions = np.zeros(1300, np.int32)
        actions[[1, 700, 1299]] = wrong
        with pytest.raises(IllegalActionError, match=r"rows 1, 700, 1299: nothing was stepped") as error:
            batch.step(actions)
        assert error.value.rows.tolist() == [1, 700, 1299]
        assert (batch.states == before).all()
    with pytest.raises(IllegalActionError, match="row 0"):
        batch.step(np.where(np.arange(1300) == 0, 1 << 32, 0))
    with pytest.raises(IllegalActionError, match=r"7 and 1,292 more: nothing") as error:
        batch.step(np.full(1300, noop))
    assert (error.value.rows == np.arange(1300)).all()
    batch.step(np.zeros(1300, np.int64))
    assert (batch.states != before).any()


def test_a_game_that_is_over_is_not_stepped_on() -> None:
    batch = Batch(COUNTER, 1, autoreset="never")
    take = batch.game.moves[0].index("(take 3 2)")
    batch.step([take])
    for _ in range(2):
        batch.step([batch.legal[0].argmax()])
    assert batch.done[0]
    with pytest.raises(IllegalActionError):
        batch.step([0])
    batch.step([FORCED])
    assert batch.done[0]
    assert not batch.rewards.any()


def test_joint_moves_are_checked_too() -> None:
    batch = Batch("rock_paper_scissors", 2)
    assert batch.joint
    with pytest.raises(IllegalActionError, match="row 1"):
        batch.step([[0, 1], [0, 7]])
    with pytest.raises(LayoutError, match="choose at the same time"):
        Batch("rock_paper_scissors", 2, joint=False)
    turns = Batch("tic_tac_toe", 2, joint=True)
    turns.step([[0, FORCED], [4, FORCED]])
    assert turns.to_move.tolist() == [1, 1]


@pytest.mark.parametrize(
    ("actions", "told"),
    [
        (np.zeros(4), "an array of float64 where whole numbers are needed"),
        (np.zeros(4, np.bool_), "an array of bool"),
        (np.zeros(5, np.int32), r"shape \(5,\) where \(4,\)"),
        (np.zeros((4, 2), np.int32), r"shape \(4, 2\) where \(4,\)"),
    ],
)
def test_actions_of_another_type_or_shape_are_refused(actions: Any, told: str) -> None:
    with pytest.raises(ArrayError, match=told):
        Batch("tic_tac_toe", 4).step(actions)


def test_a_batch_writes_into_arrays_of_the_caller() -> None:
    own: dict[str, Any] = {"observations": np.ones((4, 4, 3, 3), np.uint8), "rewards": np.ones((4, 2), np.float32)}
    batch = Batch("tic_tac_toe", 4, arrays=own)
    assert batch.observations is own["observations"]
    assert not own["rewards"].any()
    batch.step(np.zeros(8, np.int32)[::2])
    assert own["observations"][:, 0].sum() == 4


@pytest.mark.parametrize(
    ("name", "array", "told"),
    [
        ("legal", np.zeros((4, 10), np.int32), "legal: an array of int32 where int8 is needed"),
        ("legal", np.zeros((4, 9), np.int8), r"shape \(4, 9\) where \(4, 10\)"),
        ("legal", np.zeros((4, 20), np.int8)[:, ::2], "not contiguous: its strides are"),
        ("done", np.zeros(3, np.bool_), r"shape \(3,\) where \(4,\)"),
        ("legal", np.broadcast_to(np.int8(0), (4, 10)).copy(), None),
    ],
)
def test_arrays_that_do_not_fit_are_refused(name: str, array: Any, told: str | None) -> None:
    if told is None:
        array.setflags(write=False)
        told = "legal: the array is read-only"
    with pytest.raises(ArrayError, match=told):
        Batch("tic_tac_toe", 4, arrays={name: array})


def test_unknown_arrays_observations_and_sizes_are_refused() -> None:
    with pytest.raises(LayoutError, match="array 'mask' is unknown: it is one of"):
        Batch("tic_tac_toe", 4, also=("mask",))
    with pytest.raises(LayoutError, match="observation 'pixels' is unknown"):
        Batch("tic_tac_toe", 4, observation="pixels")
    for count in (0, -1, 1.5, True):
        with pytest.raises(LayoutError, match="there must be one at least"):
            Batch("tic_tac_toe", count)  # type: ignore[arg-type]


def test_no_games_are_refused_by_the_core_too() -> None:
    game = load("nim").native
    waiting = pack_bits(np.zeros(sum(game.moves), np.bool_))
    layout = BatchLayout(max(game.moves), False, np.zeros(0, np.int32), (), waiting)
    for count in (0, -1):
        with pytest.raises(NativeError, match="count must be at least 1"):
            SteppedGames(game, count, layout)


def test_a_network_with_a_policy_that_learns_is_refused_by_the_core() -> None:
    game = load("nim")
    waiting = pack_bits(np.zeros(game.net.move_count, np.bool_))
    layout = BatchLayout(max(map(len, game.net.moves)), False, np.zeros(0, np.int32), (), waiting)
    with pytest.raises(NativeError, match="no policy that learns"):
        SteppedGames(Game.from_propnet(replace(game.net, machine_policy="mast")), 4, layout)


def test_rows_and_states_of_another_size_are_refused_by_the_core() -> None:
    game = load("nim").native
    waiting = pack_bits(np.zeros(sum(game.moves), np.bool_))
    stepped = SteppedGames(game, 4, BatchLayout(max(game.moves), False, np.zeros(0, np.int32), (), waiting))
    with pytest.raises(NativeError, match="of shape"):
        stepped.reset(np.ones(3, np.bool_))
    with pytest.raises(NativeError, match="of shape"):
        stepped.load(np.tile(game.initial, (5, 1)))


@pytest.mark.parametrize("layout", ["bytes", "bits"])
def test_as_many_roles_as_a_byte_can_tell_apart_have_room(layout: str) -> None:
    def last_to_move(roles: int) -> str:
        named = " ".join(f"(role p{role})" for role in range(roles))
        return f"""
            {named} (init (control p{roles - 1}))
            (<= (legal p{roles - 1} go) (true (control p{roles - 1}))) (<= (legal ?r wait) (role ?r))
            (<= terminal (not (true (control p{roles - 1})))) (<= (goal ?r 50) (role ?r))
        """

    assert (Batch(last_to_move(128), 4, layout=layout, observation="none").to_move == 127).all()
    with pytest.raises(LayoutError, match="room for 128 roles"):
        Batch(last_to_move(129), 4, layout=layout, observation="none")


def test_arrays_pass_to_others_without_a_copy() -> None:
    batch = Batch("tic_tac_toe", 4)
    for array in (batch.observations, batch.legal, batch.rewards, batch.done, batch.to_move):
        assert np.shares_memory(np.from_dlpack(array), array)


@pytest.mark.parametrize("package", ["torch", "jax"])
def test_tensors_of_other_packages_share_the_memory(package: str) -> None:
    others = pytest.importorskip(package, reason=f"{package} is not installed")
    read = others.from_dlpack if package == "torch" else others.dlpack.from_dlpack
    batch = Batch("tic_tac_toe", 64)
    tensors = {name: read(getattr(batch, name)) for name in ("observations", "legal", "rewards", "to_move")}
    batch.step(batch.legal.argmax(axis=1))
    for name, tensor in tensors.items():
        assert (np.asarray(tensor) == getattr(batch, name)).all()
        address = tensor.data_ptr() if package == "torch" else tensor.unsafe_buffer_pointer()
        assert address == getattr(batch, name).ctypes.data


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("actions", [1, 7, 8, 9, 16, 63, 64, 65, 130, 300])
def test_random_actions_are_legal_and_all_of_them_as_likely(actions: int, packed: bool) -> None:
    """By chi-square against the masks, which numpy unpacks; every row of a kind is drawn from often."""
    rng = np.random.default_rng(actions)
    kinds = rng.random((5, actions)) < np.array([0.02, 0.3, 0.7, 1.0, 0.0])[:, None]
    kinds[:4, -1] = True
    rows = np.repeat(kinds, 4000, axis=0)
    masks = np.packbits(rows, axis=1, bitorder="little") if packed else rows
    chosen = random_actions(masks, rng, packed=packed).reshape(5, -1)
    assert chosen.dtype == np.int32
    assert not chosen[4].any()  # where there is nothing to choose
    for legal, drawn in zip(kinds[:4], chosen, strict=False):
        counts = np.bincount(drawn, minlength=actions)
        assert not counts[~legal].any()
        expected = len(drawn) / legal.sum()
        freedom = int(legal.sum()) - 1
        assert ((counts[legal] - expected) ** 2 / expected).sum() < freedom + 5 * np.sqrt(2 * freedom + 4) + 5


def test_random_actions_follow_from_the_generator_and_from_any_type_of_masks() -> None:
    masks = np.random.default_rng(3).integers(0, 3, (50, 2, 30))
    drawn = random_actions(masks, np.random.default_rng(1))
    assert drawn.shape == (50, 2)
    for same in (
        masks != 0,
        masks.astype(np.int8),
        masks.astype(np.uint8) * 100,
        np.asfortranarray(masks),
        masks.tolist(),
    ):
        assert (random_actions(same, np.random.default_rng(1)) == drawn).all()
    assert (random_actions(masks, np.random.default_rng(2)) != drawn).any()
    rng = np.random.default_rng(1)
    assert (random_actions(masks, rng) != random_actions(masks, rng)).any()
    assert random_actions(np.zeros((0, 4), np.int8), rng).shape == (0,)
    assert random_actions(np.zeros((3, 0), np.int8), rng).tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    ("masks", "packed"),
    [(np.zeros((2, 3)), False), (np.int8(1), False), (np.zeros((2, 3), np.int8), True), ([[1], [1, 2]], False)],
)
def test_masks_that_are_none_are_refused(masks: Any, packed: bool) -> None:
    with pytest.raises(ArrayError, match="legal"):
        random_actions(masks, np.random.default_rng(1), packed=packed)


def test_one_game_takes_a_whole_number() -> None:
    batch, same = Batch("connect_four_three", 1, autoreset="never"), Batch("connect_four_three", 1, autoreset="never")
    for action in (3, 1, 2, WAIT, FORCED):
        for each, given in ((batch, action), (same, [action])):
            if action == FORCED:
                with pytest.raises(IllegalActionError, match="row 0"):
                    each.step(given)
            else:
                each.step(given)
        assert (batch.observations == same.observations).all()
        assert (batch.legal == same.legal).all()
    for wrong in (99, -3, 1 << 40, -(1 << 40)):
        with pytest.raises(IllegalActionError, match="row 0"):
            batch.step(wrong)
    for joint in (Batch("connect_four_three", 1, joint=True), Batch("connect_four_three", 2)):
        with pytest.raises(ArrayError, match="shape"):
            joint.step(1)
    seen = Batch("breakthrough", 1, egocentric=True)
    seen.step(int(seen.legal[0].argmax()))
    assert seen.to_move.tolist() == [1]
    batch.close()
    with pytest.raises(ClosedError):
        batch.step(3)


def test_a_closed_batch_says_so_and_its_arrays_stay() -> None:
    with Batch("tic_tac_toe", 4) as batch:
        pass
    batch.close()
    for use in (batch.reset, batch.step_randomly, lambda: batch.step(np.zeros(4, np.int32))):
        with pytest.raises(ClosedError, match="this batch is closed"):
            use()
    assert batch.legal.sum() == 36


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickle.dumps])
def test_a_batch_is_not_copied(copied: Callable[[Batch], object]) -> None:
    with pytest.raises(LudensError, match="neither copied nor pickled"):
        copied(Batch("tic_tac_toe", 4))


def test_games_that_were_freed_are_not_used_natively() -> None:
    games = Batch("tic_tac_toe", 4)._games
    games.close()
    for use in (games.reset, games.wrong_rows, lambda: games.step(None), games.close):
        with pytest.raises(TypeError):
            use()


def test_joint_actions_may_lie_in_any_order() -> None:
    batch = Batch("rock_paper_scissors", 3, also=("played",))
    for kind in (np.int8, np.int32, np.int64):
        batch.reset()
        actions = np.asfortranarray([[0, 1], [2, 0], [1, 2]], kind)
        batch.step(actions)
        assert (batch.played == actions).all()


def test_a_second_thread_is_told_that_the_batch_is_in_use() -> None:
    batch = Batch("tic_tac_toe", 4)
    told: list[Exception] = []

    def use() -> None:
        try:
            batch.step_randomly()
        except InUseError as error:
            told.append(error)

    with batch._use():
        thread = threading.Thread(target=use)
        thread.start()
        thread.join()
        with pytest.raises(InUseError):
            batch.close()
    assert "in use by another thread" in str(told[0])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:This process.*is multi-threaded:DeprecationWarning")
def test_a_process_that_was_forked_is_told_to_make_its_own() -> None:
    batches = [Batch("tic_tac_toe", 4) for _ in range(3)]
    child = os.fork()
    if child == 0:
        refused = 0
        for batch in batches:
            try:
                batch.step_randomly()
            except ClosedError:
                refused += 1
                batch.close()
        os._exit(4 + refused)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7


def test_playouts_and_records_leave_the_games_alone() -> None:
    batch = Batch("tic_tac_toe", 4, also=("states",))
    before = batch.states.copy()
    assert batch.playouts(1000).count == 1000
    lengths = [len(moves) for moves in batch.random_games()]
    assert 5 <= min(lengths) <= max(lengths) <= 9
    assert (batch.states == before).all()


def test_perft_counts_lines_as_the_oracle_does() -> None:
    assert [perft(load("tic_tac_toe"), depth) for depth in range(7)] == [1, 9, 72, 504, 3024, 15120, 54720]
    for source in ("rock_paper_scissors", COUNTER):
        game = load(source)
        oracle = Interpreter(game.sheet)
        states = [oracle.initial()]
        for depth in range(1, 4):
            states = [
                oracle.next(state, joint)
                for state in states
                if not oracle.terminal(state)
                for joint in product(*[oracle.legal(state, role) for role in game.roles])
            ]
            assert perft(game, depth) == len(states)
    assert perft(load(COUNTER), 9) == 0
    with pytest.raises(BudgetError, match="depth must be a whole number from 0 on"):
        perft(load(COUNTER), -1)


def test_perft_counts_the_last_moves_and_does_not_make_them(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []
    make = Simulator.next

    def counted(simulator: Simulator, states: States, moves: JointMoves) -> States:
        calls.append(len(states))
        return make(simulator, states, moves)

    monkeypatch.setattr(Simulator, "next", counted)
    assert perft(load("tic_tac_toe"), 4) == 3024
    assert calls == [9, 72, 504]


@pytest.mark.parametrize("count_ended", [False, True])
def test_perft_goes_depth_first_where_there_are_many_states(count_ended: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    game, most = load("tic_tac_toe"), 0
    expected = [perft(game, depth, count_ended=count_ended) for depth in range(8)]
    for name, size in (("STATES", 150), ("LEGAL", 40), ("AT_ONCE", 90)):
        monkeypatch.setattr(f"ludens.agent.env.perft._MOST_{name}", size)
    look = Simulator.terminal

    def counted(simulator: Simulator, states: States) -> npt.NDArray[np.bool_]:
        nonlocal most
        most = max(most, len(states))
        return look(simulator, states)

    monkeypatch.setattr(Simulator, "terminal", counted)
    assert [perft(game, depth, count_ended=count_ended) for depth in range(8)] == expected
    assert most == 150


def test_a_batch_has_any_number_of_games() -> None:
    for count in (1, 64, 511, 513):
        batch = Batch("nim", count, also=("states",))
        batch.step_randomly()
        assert batch.states.shape == (count, batch.game.native.state_words)
        assert len(np.unique(batch.legal, axis=0)) <= count
