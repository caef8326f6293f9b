"""Layouts of batches: bytes, bits and slices tell the same, on all machines, wherever arrays begin."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from ludens.agent.api.game import load
from ludens.agent.env.batch import FORCED, Batch
from ludens.agent.env.errors import IllegalActionError, LayoutError
from ludens.agent.env.layouts import bytes_of_bits, bytes_of_slices
from ludens.agent.env.opponents import random_actions
from ludens.native.core import instruction_sets
from tests.support.heap_sheet import COUNTER

PARTY = """
(role red) (role green) (role blue)
(init (control red)) (init (pot 0))
(follows red green) (follows green blue) (follows blue red)
(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7)
(<= (legal ?r wait) (role ?r) (not (true (control ?r))))
(<= (legal ?r (add one)) (true (control ?r)))
(<= (legal ?r (add two)) (true (control ?r)) (not (true (pot 6))))
(<= (next (pot ?n)) (true (pot ?m)) (does ?r (add one)) (succ ?m ?n))
(<= (next (pot ?n)) (true (pot ?m)) (does ?r (add two)) (succ ?m ?k) (succ ?k ?n))
(<= (next (control ?s)) (true (control ?r)) (follows ?r ?s))
(<= terminal (true (pot 7)))
(<= (goal ?r 100) (true (control ?r)))
(<= (goal ?r 20) (role ?r) (not (true (control ?r))))
"""

SOURCES = ("tic_tac_toe", "connect_four_three", "rock_paper_scissors", "tron_four", "eight_puzzle", COUNTER, PARTY)


def as_bytes(batch: Batch, name: str) -> Any:
    """Returns an array of a batch of any layout as it is in bytes."""
    array, game = getattr(batch, name), batch.game
    if batch.layout == "bytes":
        return array
    if name == "rewards":
        return (array.T if batch.layout == "slices" else array) / np.float32(50)
    if batch.layout == "bits":
        lengths = {"observations": len(game.propositions), "legal": batch.actions, "done": batch.count}
        return bytes_of_bits(array, lengths[name]) if name in lengths else array
    rows = bytes_of_slices(array, batch.count)
    if name == "to_move":
        return np.where(rows.any(axis=1), rows.argmax(axis=1), -1)
    if name not in ("legal", "played"):
        return rows
    roles = np.split(rows, np.cumsum([len(moves) for moves in game.moves])[:-1], axis=1)
    if name == "played":
        return np.stack([np.where(of.any(axis=1), of.argmax(axis=1), -1) for of in roles], axis=1)
    masks = np.stack([np.pad(of, ((0, 0), (0, batch.actions - of.shape[1]))) for of in roles], axis=1)
    if batch.joint:
        return masks
    mover = as_bytes(batch, "to_move")
    return masks[np.arange(batch.count), mover] * (mover >= 0)[:, None]


@pytest.mark.parametrize("autoreset", ["same_step", "next_step", "never"])
@pytest.mark.parametrize("source", SOURCES)
def test_layouts_tell_the_same(source: str, autoreset: str) -> None:
    game, rng = load(source), np.random.default_rng(len(source))
    also = ("states", "played", "final_observations")
    for count in (3, 1100):
        batches = [
            Batch(game, count, layout=layout, observation="bits", autoreset=autoreset, seed=5, also=also)
            for layout in ("bytes", "bits", "slices")
        ]
        for step in range(14):
            if step % 2:
                actions = random_actions(batches[0].legal, rng)
                actions[batches[0].to_move < 0] = FORCED
            for batch in batches:
                if step % 2:
                    batch.step(actions.astype([np.int8, np.int16, np.int32, np.int64][step % 4]))
                else:
                    batch.step_randomly()
                for name in ("observations", "legal", "to_move", "rewards", "done", "played"):
                    assert (as_bytes(batch, name) == as_bytes(batches[0], name)).all(), (batch.layout, name, step)
                assert (batch.states == batches[0].states).all()
            ended = batches[0].done if autoreset != "never" else batches[0].done & (batches[0].rewards != 0).any(axis=1)
            final = [
                batches[0].final_observations,
                bytes_of_bits(batches[1].final_observations, len(game.propositions)),
            ]
            final.append(bytes_of_slices(batches[2].final_observations, count))
            assert (final[1][ended] == final[0][ended]).all()
            assert (final[2][ended] == final[0][ended]).all()
        for batch in batches:
            batch.reset(np.arange(count) % 3 == 0)
            assert (as_bytes(batch, "legal") == as_bytes(batches[0], "legal")).all()
            assert (as_bytes(batch, "done") == as_bytes(batches[0], "done")).all()


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("autoreset", ["same_step", "next_step"])
@pytest.mark.parametrize("source", SOURCES)
def test_random_steps_are_those_of_the_rules(source: str, autoreset: str, seed: int) -> None:
    """Rows of several blocks, stepped at random and begun anew, are what `State.play` makes of their moves."""
    count = (1, 70, 1111)[seed]
    batch = Batch(source, count, layout="slices", autoreset=autoreset, seed=seed, also=("states", "played"))
    game, rows = batch.game, sorted({0, count // 2, min(600, count - 1), count - 1})
    states = dict.fromkeys(rows, game.initial)
    over = dict.fromkeys(rows, False)
    for _ in range(25):
        batch.step_randomly()
        played, done, rewards = as_bytes(batch, "played"), as_bytes(batch, "done"), as_bytes(batch, "rewards")
        for row in rows:
            if over[row]:  # begins anew in this step
                states[row], over[row] = game.initial, False
                assert (played[row] == -1).all()
                assert not done[row]
            else:
                moves = [game.moves[role][move] for role, move in enumerate(played[row])]
                states[row] = states[row].play(moves)
                assert bool(done[row]) == states[row].terminal
            goals = states[row].goals if done[row] else [50] * len(game.roles)
            goals = [50 if goal is None else goal for goal in goals]
            assert (rewards[row] * 50 + 50).round().tolist() == goals
            if done[row]:
                if autoreset == "same_step":
                    states[row] = game.initial
                else:
                    over[row] = True
            assert (batch.states[row] == states[row].words).all()


def course(source: str, layout: str) -> str:
    """Returns a digest of what a batch writes on the way through actions that are the same everywhere."""
    batch = Batch(source, 700, layout=layout, observation="bits", seed=1, also=("states",))
    rng, digest = np.random.default_rng(3), hashlib.sha256()
    for _ in range(20):
        actions = random_actions(np.ascontiguousarray(as_bytes(batch, "legal"), np.int8), rng)
        batch.step(np.where(actions < 0, FORCED, actions))
        for name in ("observations", "legal", "to_move", "rewards", "done"):
            digest.update(np.ascontiguousarray(as_bytes(batch, name), np.float32).tobytes())
        digest.update(batch.states.tobytes())
        before = batch.states.copy()
        batch.step_randomly()
        assert (batch.states != before).any()
        batch.load(before)
    return digest.hexdigest()


def courses() -> str:
    """Returns digests of several games in all layouts."""
    games = ("tic_tac_toe", "connect_four_three", "tron_four", "eight_puzzle", PARTY)
    return " ".join(course(source, layout) for source in games for layout in ("bytes", "bits", "slices"))


def test_instruction_sets_step_alike() -> None:
    here = courses()
    code = "from tests.agent.env.test_batch_layouts import courses; print(courses())"
    for name in instruction_sets()[1:]:
        environment = os.environ | {"LUDENS_INSTRUCTION_SET": name}
        told = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
        assert told.stdout.strip() == here, name


def test_wrong_actions_are_named_in_every_layout_and_for_every_type() -> None:
    for layout in ("bytes", "bits", "slices"):
        batch = Batch("hex", 1300, layout=layout, also=("states",))
        before = batch.states.copy()
        for kind in (np.int8, np.int16, np.int32, np.int64):
            actions = np.zeros(1300, kind)
            actions[[1, 700, 1299]] = 120
            with pytest.raises(IllegalActionError) as error:
                batch.step(actions)
            assert error.value.rows.tolist() == [1, 700, 1299]
            assert (batch.states == before).all()
            assert not as_bytes(batch, "done").any()


def test_torch_takes_slices_apart_as_is_said() -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    batch = Batch("tic_tac_toe", 600, layout="slices", seed=1)
    for _ in range(3):
        batch.step_randomly()
    said = re.search("in torch: `([^`]*)`", bytes_of_slices.__doc__ or "")
    assert said is not None
    bits = eval(said[1], {"torch": torch, "slices": torch.from_dlpack(batch.observations)})
    rows = bits.movedim(1, -1).flatten(0, 2)[:600]
    assert (rows.numpy() == bytes_of_slices(batch.observations, 600)).all()


def unaligned(shape: tuple[int, ...]) -> Any:
    """Returns zeros that begin 8 bytes behind a multiple of 64."""
    room = np.zeros(int(np.prod(shape)) + 16, np.uint64)
    first = (-room.ctypes.data % 64) // 8 + 1
    return room[first : first + int(np.prod(shape))].reshape(shape)


def test_slices_of_the_caller_may_begin_anywhere() -> None:
    also = ("played", "final_observations")
    plain = Batch("tic_tac_toe", 600, layout="slices", autoreset="same_step", seed=1, also=also)
    own = {name: unaligned(getattr(plain, name).shape) for name in also}
    batch = Batch("tic_tac_toe", 600, layout="slices", autoreset="same_step", seed=1, arrays=own)
    for _ in range(9):
        plain.step_randomly()
        batch.step_randomly()
        assert (own["played"] == plain.played).all()
    assert own["final_observations"].any()
    assert (own["final_observations"] == plain.final_observations).all()


def test_slices_are_read_only_and_stay_after_the_batch_is_closed() -> None:
    batch = Batch("tic_tac_toe", 600, layout="slices")
    assert batch.observations.shape == (-(-600 // batch.lanes), len(batch.game.propositions), batch.lanes // 64)
    with pytest.raises(ValueError, match="read-only"):
        batch.legal[0, 0, 0] = 1
    batch.close()
    assert bytes_of_slices(batch.legal, 600).sum() == 600 * (9 + 1)
    with pytest.raises(LayoutError, match="planes are bytes"):
        Batch("tic_tac_toe", 1, layout="bits", observation="planes")
    with pytest.raises(LayoutError, match="layout 'words' is unknown: it is one of bytes, bits, slices"):
        Batch("tic_tac_toe", 1, layout="words")
