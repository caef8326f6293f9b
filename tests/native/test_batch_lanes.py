"""Batches in machine code for AVX2: with rows of two registers they step as with rows of one."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from ludens import games
from ludens.native.core import BatchLayout, Game, Simulator, SteppedGames, instruction_sets, pack_bits
from ludens.native.core.batch import AUTORESETS
from ludens.propnet.base.errors import NativeError
from ludens.propnet.compile.loader import load

COUNT, STEPS = 1300, 12
FORCED = -1  # the only legal move
SIMULTANEOUS = "tron_four"

pytestmark = pytest.mark.skipif("avx2-jit" not in instruction_sets(), reason="needs machine code for AVX2")


def aligned(*shape: int, bytes_behind: int = 0) -> npt.NDArray[np.uint64]:
    """Returns zeros that begin so many bytes behind a multiple of 64."""
    size = int(np.prod(shape)) * 8
    raw = np.zeros(size + 128, np.uint8)
    start = -raw.ctypes.data % 64 + bytes_behind
    return raw[start : start + size].view(np.uint64).reshape(shape)


class Stepped:
    """Games, and all that they write."""

    def __init__(self, name: str, lanes: int, kind: str, autoreset: str) -> None:
        self.net = load(games.read(name))
        self.game = Game.from_propnet(self.net)
        self.lanes, self.actions, self.joint = lanes, max(map(len, self.net.moves)), name == SIMULTANEOUS
        layout = BatchLayout(
            actions=self.actions,
            joint=self.joint,
            columns=np.arange(self.net.state_bits if kind == "bytes" else 0, dtype=np.int32),
            fills=(),
            waiting=pack_bits(np.zeros(self.net.move_count, np.bool_)),
            autoreset=autoreset,
            by_turns=not self.joint,
            format=kind,
        )
        self.games = SteppedGames(self.game, COUNT, layout, lanes, seed=1, instruction_set="avx2-jit")
        self.states = np.zeros((COUNT, self.game.state_words), np.uint64)
        self.arrays = {"states": self.states} | (self._bytes() if kind == "bytes" else self._slices())
        self.games.write_to(self.arrays)
        self.games.reset()

    def _bytes(self) -> dict[str, npt.NDArray[Any]]:
        roles, bits = len(self.net.roles), self.net.state_bits
        return {
            "observations": np.zeros((COUNT, bits), np.uint8),
            "final_observations": np.zeros((COUNT, bits), np.uint8),
            "legal": np.zeros((COUNT, roles, self.actions) if self.joint else (COUNT, self.actions), np.int8),
            "to_move": np.zeros(COUNT, np.int32),
            "rewards": np.zeros((COUNT, roles), np.float32),
            "done": np.zeros(COUNT, np.uint8),
            "played": np.zeros((COUNT, roles), np.int32),
        }

    def _slices(self) -> dict[str, npt.NDArray[Any]]:
        blocks, words = -(-COUNT // self.lanes), self.lanes // 64
        return {
            "rewards": np.zeros((len(self.net.roles), COUNT), np.int8),
            "played": np.zeros((blocks, self.net.move_count, words), np.uint64),
            "final_observations": np.zeros((blocks, self.net.state_bits, words), np.uint64),
            "slices": aligned(blocks, self.games.slices, words),
        }

    def written(self) -> dict[str, npt.NDArray[Any]]:
        """Returns all arrays, with a column for each game in place of blocks."""
        blocks = "slices", "played", "final_observations"
        sliced = "slices" in self.arrays
        return {name: unblocked(it) if sliced and name in blocks else it for name, it in self.arrays.items()}


def unblocked(slices: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint8]:
    """Returns a row of bits, a game each, for each slice of `uint64[blocks, slices, words]`."""
    rows = np.ascontiguousarray(slices.transpose(1, 0, 2)).reshape(slices.shape[1], -1)
    return np.unpackbits(rows.view(np.uint8), axis=1, bitorder="little")[:, :COUNT]


def compare(one: Stepped, two: Stepped) -> None:
    """What has been written is the same."""
    theirs = two.written()
    for name, array in one.written().items():
        assert np.array_equal(array, theirs[name]), name


@pytest.mark.parametrize(
    ("name", "autoreset"),
    [*product(("tic_tac_toe", SIMULTANEOUS), AUTORESETS), ("hex", "next_step"), ("breakthrough", "same_step")],
)
def test_actions_are_made_alike_in_rows_of_one_register_and_of_two(name: str, autoreset: str) -> None:
    narrow, wide = (Stepped(name, lanes, "bytes", autoreset) for lanes in (256, 512))
    narrow_slices, wide_slices = (Stepped(name, lanes, "slices", autoreset) for lanes in (256, 512))
    rng, anew = np.random.default_rng(2), np.arange(COUNT) % 3 == 0
    for step in range(STEPS):
        legal = narrow.arrays["legal"]
        actions = np.where(legal.any(axis=-1), np.argmax(legal * rng.random(legal.shape), axis=-1), FORCED)
        for stepped in (narrow, wide, narrow_slices, wide_slices):
            assert stepped.games.step(np.ascontiguousarray(actions, np.int32))
            if step == STEPS // 2:
                stepped.games.reset(anew)
        compare(narrow, wide)
        compare(narrow_slices, wide_slices)
        assert np.array_equal(narrow.states, narrow_slices.states)


@pytest.mark.parametrize("name", ["tic_tac_toe", "connect_four", "reversi"])
def test_random_steps_in_rows_of_two_registers_make_legal_moves(name: str) -> None:
    stepped = Stepped(name, 512, "bytes", "never")
    simulator = Simulator(stepped.game, instruction_set="baseline")
    for _ in range(STEPS):
        before, over = stepped.states.copy(), stepped.arrays["done"] != 0
        assert stepped.games.step(None)
        played = np.where(over[:, None], 0, stepped.arrays["played"])
        assert np.array_equal(simulator.next(before, played), stepped.states)
        stepped.games.load(stepped.states.copy())


def test_slices_of_rows_of_two_registers_begin_at_a_register() -> None:
    stepped = Stepped("tic_tac_toe", 512, "slices", "never")
    slices = stepped.arrays["slices"]
    own = aligned(*slices.shape, bytes_behind=32)
    stepped.games.write_to({"slices": own})
    assert np.array_equal(own, slices)
    with pytest.raises(NativeError, match="multiple of 32 bytes"):
        stepped.games.write_to({"slices": aligned(*slices.shape, bytes_behind=8)})
