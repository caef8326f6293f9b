"""Machine code is small: in rows, in bytes, and in how many gates a function has where that is limited."""

from __future__ import annotations

import numpy as np
import pytest

from ludens import games
from ludens.native.core import Game
from ludens.native.core.machine_code import Function, Purpose, functions
from ludens.propnet.base.errors import NativeError
from ludens.propnet.compile.loader import load

MOST_GATES = 1000


@pytest.mark.parametrize(("name", "share"), [("amazons", 0.7), ("reversi", 0.2)])  # 0.64 and 0.18 when this was written
def test_only_rows_that_are_read_elsewhere_are_in_memory(name: str, share: float) -> None:
    net = load(games.read(name))
    _, rows = functions(Game.from_propnet(net), "avx2-jit")
    assert rows < share * (net.state_bits + net.move_count + len(net.gates))


def test_gates_that_read_the_same_follow_each_other() -> None:
    """In the order in which they are given the gates of reversi have 11.9 bytes each, in that of recent use 10.5."""
    written, _ = functions(Game.from_propnet(load(games.read("reversi"))), "avx2-jit")
    network = [function for function in written if function.purpose is Purpose.NETWORK]
    assert sum(len(function.code) for function in network) < 11.2 * sum(len(function.tables) for function in network)


@pytest.mark.parametrize("name", ["amazons", "reversi"])
def test_long_functions_are_cut_into_short_ones_in_the_same_order(name: str) -> None:
    game = Game.from_propnet(load(games.read(name)))
    whole, _ = functions(game, "avx2-jit")
    cut, _ = functions(game, "avx2-jit", MOST_GATES)
    assert max(len(function.tables) for function in whole) > MOST_GATES
    rest = iter(cut)
    for function in whole:
        count = max(1, -(-len(function.tables) // MOST_GATES))
        check_chunks(function, [next(rest) for _ in range(count)])
    assert list(rest) == []


def check_chunks(whole: Function, chunks: list[Function]) -> None:
    """They are short, do what the function does, and keep what a later one reads."""
    lengths = [len(chunk.tables) for chunk in chunks]
    assert max(lengths) <= MOST_GATES
    assert max(lengths) - min(lengths) <= 1
    assert all(chunk.purpose is whole.purpose for chunk in chunks)
    assert np.array_equal(np.concatenate([chunk.tables for chunk in chunks]), whole.tables)
    assert (np.concatenate([chunk.kept for chunk in chunks]) >= whole.kept).all()
    lost: set[int] = set()  # rows that stay in registers
    for chunk in chunks:
        before = set(chunk.inputs.ravel()) - set(chunk.outputs)
        assert not before & lost
        lost |= set(chunk.outputs[~chunk.kept])


def test_loops_are_not_cut() -> None:
    game = Game.from_propnet(load(games.read("hex")))
    whole, _ = functions(game, "avx2-jit")
    cut, _ = functions(game, "avx2-jit", 1)
    assert max(len(function.tables) for function in cut) > 300  # the loop has 372 gates before some are fused
    assert sum(len(function.tables) for function in cut) == sum(len(function.tables) for function in whole)


def test_no_negative_number_of_gates_is_a_limit() -> None:
    with pytest.raises(NativeError, match="most_gates"):
        functions(Game.from_propnet(load(games.read("tic_tac_toe"))), "avx2-jit", -1)
