"""A network that was compiled once is there at once, and no file is trusted blindly."""

from __future__ import annotations

import os
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from ludens import games
from ludens.propnet.base.user_folder import NoHomeError
from ludens.propnet.compile import network_cache
from ludens.propnet.compile.loader import load
from ludens.propnet.compile.network_cache import load_cached, network_path, read_network, write_network
from ludens.propnet.gdl.parser import parse_rules
from ludens.propnet.network.propnet import Propnet

SHEET = parse_rules(games.read("tic_tac_toe"))


@pytest.fixture(scope="module")
def net() -> Propnet:
    return load(SHEET)


def same(one: Propnet, other: Propnet) -> bool:
    return all(
        np.array_equal(getattr(one, field.name), getattr(other, field.name))  # of texts and numbers alike
        for field in fields(Propnet)
    )


def refuse(*_arguments: object) -> Propnet:
    raise AssertionError("compiled again")


def test_a_network_is_compiled_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, net: Propnet) -> None:
    assert same(load_cached(SHEET, directory=tmp_path), net)
    monkeypatch.setattr(network_cache, "load", refuse)
    found = load_cached(SHEET, directory=tmp_path)
    assert same(found, net)
    assert not found.gates.flags.writeable
    with pytest.raises(AssertionError, match="compiled again"):
        load_cached(parse_rules(games.read("nim")), directory=tmp_path)


def test_comments_do_not_matter_and_names_do(tmp_path: Path) -> None:
    text = games.read("tic_tac_toe")
    assert network_path(parse_rules("; more\n" + text), tmp_path) == network_path(SHEET, tmp_path)
    assert network_path(parse_rules(text.replace("cross", "eve")), tmp_path) != network_path(SHEET, tmp_path)


@pytest.mark.parametrize("damage", ["cut", "changed", "empty", "pickle", "other compiler", "folder"])
def test_a_damaged_file_is_as_good_as_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, net: Propnet, damage: str
) -> None:
    path = network_path(SHEET, tmp_path)
    write_network(path, net)
    content = path.read_bytes()
    match damage:
        case "cut":
            path.write_bytes(content[:-100])
        case "changed":
            path.write_bytes(content[:-300] + bytes([content[-300] ^ 1]) + content[-299:])
        case "empty":
            path.write_bytes(b"")
        case "pickle":
            path.write_bytes(b"cos\nsystem\n(S'exit'\ntR.")
        case "other compiler":
            monkeypatch.setattr(network_cache, "_compiler_digest", lambda: "another")
        case "folder":
            path.unlink()
            path.mkdir()
    assert read_network(path) is None
    assert same(load_cached(SHEET, directory=tmp_path), net)


def test_of_two_writers_one_wins(tmp_path: Path, net: Propnet) -> None:
    path = network_path(SHEET, tmp_path)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: write_network(path, net), range(20)))
    found = read_network(path)
    assert found is not None
    assert same(found, net)
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_a_folder_that_cannot_be_written_costs_time_and_no_more(tmp_path: Path, net: Propnet) -> None:
    file = tmp_path / "file"
    file.touch()
    assert same(load_cached(SHEET, directory=file / "cache"), net)


def test_without_a_place_for_a_cache_networks_are_compiled(monkeypatch: pytest.MonkeyPatch, net: Propnet) -> None:
    def homeless() -> Path:
        raise NoHomeError("there is no home directory")

    monkeypatch.setattr(network_cache, "cache_directory", homeless)
    assert same(load_cached(SHEET), net)


def test_all_code_that_decides_about_a_network_is_in_the_digest() -> None:
    propnet = Path(network_cache.__file__).parents[1]
    for folder in network_cache._COMPILER:
        for path in (propnet / folder).glob("*.py"):
            imported = re.findall(r"from ludens\.(\w+)\.(\w+)", path.read_text(encoding="utf-8"))
            assert {*imported} <= {("propnet", other) for other in network_cache._COMPILER}, path


def test_what_was_not_used_for_the_longest_time_goes_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, net: Propnet
) -> None:
    old, used = tmp_path / "network-old.npz", network_path(SHEET, tmp_path)
    for path in (old, used):
        write_network(path, net)
        os.utime(path, (1, 1))
    load_cached(SHEET, directory=tmp_path)  # is used
    monkeypatch.setattr(network_cache, "MOST_BYTES", 2 * used.stat().st_size + 1)
    other = parse_rules(games.read("tic_tac_toe") + "(note 1)")
    load_cached(other, directory=tmp_path)
    assert set(tmp_path.iterdir()) == {used, network_path(other, tmp_path)}
