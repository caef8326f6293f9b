"""Files of networks: what is written is read, and what is wrong is said in a line."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import pytest

from ludens.games.checkers.networks.network_file import NetworkFileError, read_network, write_network
from tests.support.checkers_network import random_weights


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "checkers.network"
    write_network(path, random_weights(32, 1, 5))
    return path


def signed(content: bytes) -> bytes:
    return content[:-32] + hashlib.sha256(content[:-32]).digest()


def changed(content: bytes, at: int, new: bytes) -> bytes:
    return content[:at] + new + content[at + len(new) :]


def test_what_is_written_is_read(file: Path) -> None:
    mine, wanted = read_network(file).weights._asdict(), random_weights(32, 1, 5)._asdict()
    for name, array in mine.items():
        assert array.dtype == wanted[name].dtype
        assert np.array_equal(array, wanted[name])


def test_what_cannot_be_used_is_said_in_a_line(file: Path) -> None:
    good = file.read_bytes()
    bad = [
        (b"", "not a file of a network"),
        (b"PK\x03\x04 something else", "not a file of a network"),
        (good[:20], "cut short"),
        (good[:-1], "cut short"),
        (good + b"x", "should have"),
        (changed(good, 100, b"\x55\x44"), "damaged"),
        (signed(changed(good, 8, b"\x02\x00")), "version 2"),
        (signed(changed(good, 14, b"chess".ljust(16, b"\0"))), "for chess, not for english_draughts"),
        (signed(changed(good, 10, b"\xff\xff")), "larger than any"),
        (signed(changed(good, 30, b"\x80")), "-128"),
    ]
    for content, message in bad:
        file.write_bytes(content)
        with pytest.raises(NetworkFileError, match=message) as caught:
            read_network(file)
        assert str(file) in str(caught.value)
        assert "\n" not in str(caught.value)


def test_files_that_are_not_there_and_cannot_be_written_are_told(tmp_path: Path) -> None:
    with pytest.raises(NetworkFileError, match="No such file"):
        read_network(tmp_path / "none.network")
    file_in_the_way = tmp_path / "file"
    file_in_the_way.write_bytes(b"")
    with pytest.raises(NetworkFileError, match="cannot write"):
        write_network(file_in_the_way / "a.network", random_weights(32, 0, 1))


def test_weights_that_nobody_could_read_are_not_written(tmp_path: Path) -> None:
    with pytest.raises(NetworkFileError, match=r"cannot write .*a\.network: .*width"):
        write_network(tmp_path / "a.network", random_weights(48, 1, 1))
    assert not list(tmp_path.iterdir())
