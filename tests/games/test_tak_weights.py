"""The file of a network for Tak: written and read, and told exactly where it is not one."""

from __future__ import annotations

import hashlib
import random
from pathlib import Path

import numpy as np
import pytest

from ludens.games.tak.rules.parameters import TakRules
from ludens.games.tak.temporal_differences.inputs import input_count
from ludens.games.tak.temporal_differences.network import Network
from ludens.games.tak.temporal_differences.weights_file import (
    TrainedWeights,
    WeightsError,
    read_weights,
    shipped_weights,
)
from ludens.native.core import tak_weight_count


def some(size: int = 4) -> TrainedWeights:
    rules = TakRules(size, half_komi=-3)
    return TrainedWeights.of_network(Network.random(input_count(rules), seed=2), rules, 1234, 2**63)


def signed(content: bytes) -> bytes:
    return content[:-32] + hashlib.sha256(content[:-32]).digest()


@pytest.mark.parametrize("size", [3, 4, 5, 6, 7, 8])
def test_weights_are_read_as_they_were_written(size: int, tmp_path: Path) -> None:
    path, known = tmp_path / "w.td", some(size)
    path.write_bytes(known.to_bytes())
    found = read_weights(path, size)
    assert (found.rules, found.games, found.seed) == (known.rules, known.games, known.seed)
    assert (found.weights == known.weights).all() and len(found.weights) == tak_weight_count(size)
    network = Network.random(input_count(known.rules), seed=2)
    assert (found.network.hidden == network.hidden).all() and (found.network.output == network.output).all()


def test_the_bytes_of_the_head_are_those_that_are_documented() -> None:
    content = some().to_bytes()
    assert content[:8] == b"\x89TAKTD\r\n"
    numbers = [(8, 2, 1), (10, 2, 4), (16, 8, 1234), (24, 8, 2**63), (32, 4, tak_weight_count(4))]
    assert all(int.from_bytes(content[at : at + size], "little") == value for at, size, value in numbers)
    assert int.from_bytes(content[12:16], "little", signed=True) == -3
    assert np.frombuffer(content[36:40], "<f4")[0] == some().weights[0]


def test_a_file_that_is_cut_anywhere_is_refused(tmp_path: Path) -> None:
    path, content = tmp_path / "w.td", some(3).to_bytes()
    path.write_bytes(content)
    with path.open("r+b") as file:
        for length in range(len(content) - 1, 0, -1):
            file.truncate(length)
            with pytest.raises(WeightsError, match="cut short") as error:
                read_weights(path)
            assert str(path) in str(error.value)


def test_a_bit_that_is_another_one_anywhere_is_noticed(tmp_path: Path) -> None:
    path, content, rng = tmp_path / "w.td", some(3).to_bytes(), random.Random(3)
    path.write_bytes(content)
    with path.open("r+b", buffering=0) as file:
        for place, byte in enumerate(content):
            file.seek(place)
            file.write(bytes([byte ^ 1 << rng.randrange(8)]))
            with pytest.raises(WeightsError, match=r"not a file of weights|version|cut short|should have|damaged"):
                read_weights(path)
            file.seek(place)
            file.write(bytes([byte]))
    assert (read_weights(path).weights == some(3).weights).all()


def test_garbage_is_refused(tmp_path: Path) -> None:
    path, rng = tmp_path / "w.td", random.Random(4)
    head = some(3).to_bytes()[:36]
    for _ in range(300):
        garbage = rng.randbytes(rng.choice([1, 30, 5000]))
        path.write_bytes(rng.choice([b"", head[:8], head[:10], head]) + garbage)
        with pytest.raises(WeightsError):
            read_weights(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "not a file of weights"),
        (b"(role white)\n" * 100, "not a file of weights"),
        (some().to_bytes() + b"\n", "bytes, and should have"),
        (some().to_bytes()[:8] + b"\x02\x00" + some().to_bytes()[10:], "version 2, and this Ludens reads version 1"),
        (some().to_bytes()[:2000] + b"!" + some().to_bytes()[2001:], "damaged"),
        (signed(some().to_bytes()[:10] + b"\x05\x00" + some().to_bytes()[12:]), "a network for boards of size 5 has"),
        (signed(some().to_bytes()[:10] + b"\x09\x00" + some().to_bytes()[12:]), "no Tak of size 9"),
        (signed(some().to_bytes()[:36] + b"\x00\x00\xc0\x7f" + some().to_bytes()[40:]), "finite"),  # not a number
        (signed(some().to_bytes()[:-36] + b"\x00\x00\x80\xff" + bytes(32)), "finite"),  # minus infinity
        (signed(some().to_bytes()[:12] + b"\xff\xff\xff\x7f" + some().to_bytes()[16:]), "a komi of 1.07374e"),
        (some().to_bytes()[:32] + b"\xff" * 4 + some().to_bytes()[36:], "cut short"),
    ],
)
def test_what_is_not_such_a_file_is_told(content: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "w.td"
    path.write_bytes(content)
    with pytest.raises(WeightsError, match=message) as error:
        read_weights(path)
    assert str(path) in str(error.value)


def test_weights_of_another_size_and_files_that_are_not_there_are_told(tmp_path: Path) -> None:
    path = tmp_path / "w.td"
    path.write_bytes(some(4).to_bytes())
    with pytest.raises(WeightsError, match="for boards of size 4, and not of size 5"):
        read_weights(path, 5)
    with pytest.raises(WeightsError, match="No such file"):
        read_weights(tmp_path / "none.td")
    with pytest.raises(WeightsError, match="Is a directory"):
        read_weights(tmp_path)


@pytest.mark.parametrize(("size", "games"), [(3, 500_000), (4, 500_000), (5, 500_000), (6, 100_000)])
def test_what_comes_with_ludens(size: int, games: int) -> None:
    found = shipped_weights(size)
    assert found.rules == TakRules(size) and found.games == games
    assert (found.weights != some(size).weights).all()


def test_sizes_without_weights_are_told() -> None:
    with pytest.raises(WeightsError, match="no weights for Tak of size 8 come with Ludens, only for size 3, 4, 5, 6"):
        shipped_weights(8)
