"""Planes of numbers from checkers positions: each square where it stands on the board, and the same on every device."""

from __future__ import annotations

import numpy as np
import pytest

from ludens.games.checkers.kernels.planes import planes
from ludens.games.checkers.rules.parameters import ENGLISH
from tests.support.cuda_child import SIMULATED, run

WORDS = np.random.default_rng(1).integers(0, 1 << 32, (3, 3), dtype=np.uint32)


def test_every_square_of_every_word_is_one_on_the_board() -> None:
    for word in range(3):
        for square in range(32):
            words = np.zeros((1, 3), np.uint32)
            words[0, word] = 1 << square
            (place,) = np.argwhere(planes(words)[0])
            assert place.tolist()[0] == word
            for direction, (ranks, files) in enumerate(((1, -1), (1, 1), (-1, -1), (-1, 1))):
                beside = ENGLISH.neighbour(square, direction)
                if beside is not None:
                    words[0, word] = 1 << beside
                    assert np.argwhere(planes(words)[0]).tolist() == [[word, place[1] + ranks, place[2] + files]]


def test_the_numbers_are_those_of_the_bits() -> None:
    found = planes(WORDS)
    assert found.shape == (3, 3, 8, 8)
    assert found.dtype == np.float32
    assert found.sum(axis=(2, 3)).tolist() == np.bitwise_count(WORDS).tolist()
    assert set(np.unique(found)) == {0, 1}


def test_the_device_expands_as_the_processor_does() -> None:
    pytest.importorskip("numba")
    got, none = run([{"method": "planes", "words": w.tolist()} for w in (WORDS, WORDS[:0])], SIMULATED)
    assert np.array_equal(np.array(got, np.float32), planes(WORDS))
    assert none == []
