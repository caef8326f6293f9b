"""EndgameTable tables of draughts: right by every count and oracle we have, kept in files that may be damaged."""

from __future__ import annotations

import _thread
import os
import random
import signal
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from ludens.agent.commands.cli import main
from ludens.games.checkers.bitboards.endgame_tables import (
    build_file,
    count_positions,
    load_endgame,
    open_endgame,
    table_path,
)
from ludens.games.checkers.rules.parameters import ENGLISH, UP
from ludens.games.checkers.rules.reference import Position, Reference
from ludens.native.core import EndgameTable, checkers
from ludens.propnet.base.cache import cache_directory
from ludens.propnet.base.errors import LudensError, NativeError
from tests.support.draughts_positions import random_position
from tests.support.waiting import PATIENCE


@pytest.fixture(scope="module")
def four(tmp_path_factory: pytest.TempPathFactory) -> EndgameTable:
    return open_endgame(4, directory=tmp_path_factory.mktemp("four"))


@pytest.fixture(scope="module")
def limited(tmp_path_factory: pytest.TempPathFactory) -> EndgameTable:
    return open_endgame(3, limit=10, directory=tmp_path_factory.mktemp("limited"))


def _contradictions(endgame: EndgameTable) -> int:
    return sum(endgame.contradictions(step) for step in range(len(endgame.work)))


@dataclass(frozen=True, slots=True)
class EndgameValue:
    """The value of a position for the side to move: 1 won, 0 drawn, -1 lost; with the plies, None for a draw."""

    value: int
    distance: int | None


def _probe(table: EndgameTable, position: Position) -> EndgameValue | None:
    """The value of a position whose counter is 0; None if the table does not hold it."""
    board = np.array([[position.up, position.down, position.kings, position.turn]], np.uint32)
    match int(table.probe(board)[0]):
        case 254:
            return None
        case 255:
            return EndgameValue(0, None)
        case value:
            return EndgameValue(1 if value % 2 else -1, (value + 1) // 2 if table.limit else value)


# ---- Values ----------------------------------------------------------------------------------------------------


def test_the_counts_are_the_published_ones(four: EndgameTable) -> None:
    rows = [(row.won, row.lost, row.drawn) for row in count_positions(four)]
    assert [sum(row) for row in rows] == [3_488, 196_032, 6_209_316]
    assert rows[2] == (2_574_304, 1_917_090, 1_717_922)


def test_every_value_follows_from_those_of_its_children(four: EndgameTable, limited: EndgameTable) -> None:
    assert _contradictions(four) == 0
    assert _contradictions(limited) == 0


@pytest.fixture
def ctrl_c() -> Iterator[None]:
    """A process that heeds Ctrl-C, whatever the tests run under."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("ctrl_c")
def test_ctrl_c_ends_what_is_built_or_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    table, stopped = EndgameTable(4, 0, np.zeros(EndgameTable.size(4), np.uint8)), threading.Event()
    lib: Any = vars(checkers)["lib"]

    def build(*given: Any) -> int:
        _thread.interrupt_main()
        assert stopped.wait(PATIENCE)
        return int(lib.ludens_endgame_build(*given))

    def stop(handle: Any) -> None:
        lib.ludens_endgame_stop(handle)
        stopped.set()

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(checkers, "lib", SimpleNamespace(ludens_endgame_build=build, ludens_endgame_stop=stop))
        table.build(0)
    assert not table.values.any()
    for work in (table.build, table.contradictions):
        with pytest.raises(NativeError, match="stopped"):
            work(0)


def test_a_wrong_value_is_found(limited: EndgameTable) -> None:
    values = np.array(limited.values)
    place = int(np.flatnonzero(values == 7)[100])
    values[place] = 9
    assert _contradictions(EndgameTable(3, limited.limit, values)) >= 1


def test_threads_change_nothing(limited: EndgameTable) -> None:
    table = EndgameTable(3, limited.limit, np.empty(EndgameTable.size(3), np.uint8))
    for step in range(len(table.work)):
        table.build(step, threads=3)
    assert np.array_equal(table.values, limited.values)


def _by_the_book(endgame: EndgameTable, reference: Reference, position: Position) -> EndgameValue:
    """What the reference's children, looked up in the table, make a position worth."""
    children = [(path, reference.next(position, path)) for path in reference.legal(position, position.turn)]
    if not children:
        return EndgameValue(-1, 0)
    found: list[EndgameValue] = []
    for path, child in children:
        own = position.up if position.turn == UP else position.down
        king = bool(position.kings >> path[0] & 1)
        taken = child.up.bit_count() + child.down.bit_count() < position.up.bit_count() + position.down.bit_count()
        assert own >> path[0] & 1
        after = _probe(endgame, child) if child.pieces(child.turn) else EndgameValue(-1, 0)
        assert after is not None
        if after.distance is None:
            found.append(after)
            continue
        distance = 1 if endgame.limit and (taken or not king) else after.distance + 1
        late = endgame.limit and distance > endgame.limit
        found.append(EndgameValue(0, None) if late else EndgameValue(-after.value, distance))
    wins = [v.distance for v in found if v.value == 1 and v.distance is not None]
    losses = [v.distance for v in found if v.value == -1 and v.distance is not None]
    if wins:
        return EndgameValue(1, min(wins))
    return EndgameValue(-1, max(losses)) if len(losses) == len(found) else EndgameValue(0, None)


@pytest.mark.parametrize("name", ["four", "limited"])
def test_values_follow_from_the_children_that_the_reference_makes(name: str, request: pytest.FixtureRequest) -> None:
    endgame: EndgameTable = request.getfixturevalue(name)
    reference = Reference(ENGLISH)
    rng = random.Random(7)
    seen = set()
    for _ in range(1500):
        position = random_position(rng.randint(2, endgame.pieces), rng)
        verdict = _probe(endgame, position)
        assert verdict == _by_the_book(endgame, reference, position)
        seen.add(verdict)
    assert len(seen) > 10


def test_a_position_turned_round_is_worth_the_same(four: EndgameTable) -> None:
    def turned(mask: int) -> int:
        return int(f"{mask:032b}"[::-1], 2)

    rng = random.Random(8)
    for _ in range(300):
        p = random_position(4, rng)
        other = replace(p, up=turned(p.down), down=turned(p.up), kings=turned(p.kings), turn=1 - p.turn)
        verdict = _probe(four, p)
        assert verdict is not None
        assert verdict == _probe(four, other)


@pytest.mark.parametrize(
    ("black", "red", "kings"),
    [
        (0x1F, 0x80000000, 0),  # six pieces
        (0x1, 0, 0x1),  # nobody to play against
        (0x10000000, 0x80000000, 0x80000000),  # a man of black's where it would be a king
        (0x10, 0x1, 0),  # the same of red's
        (0x30, 0x20, 0x30),  # a square held by both
    ],
)
def test_what_is_no_position_of_the_table_has_no_verdict(four: EndgameTable, black: int, red: int, kings: int) -> None:
    assert _probe(four, Position(black, red, kings)) is None


# ---- Files -----------------------------------------------------------------------------------------------------


def test_a_table_is_read_from_its_file_the_second_time(tmp_path: Path) -> None:
    first = open_endgame(3, directory=tmp_path)
    path = table_path(3, 0, tmp_path)
    stamp = path.stat().st_mtime_ns
    second = open_endgame(3, directory=tmp_path)
    assert path.stat().st_mtime_ns == stamp
    assert count_positions(first) == count_positions(second)
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize(
    ("place", "fault"), [(0, "another version"), (8, "another version"), (5000, "checksum"), (None, "wrong size")]
)
def test_a_damaged_file_is_told_of_and_built_again(
    tmp_path: Path, place: int | None, fault: str, caplog: pytest.LogCaptureFixture
) -> None:
    expected = count_positions(open_endgame(3, directory=tmp_path))
    path = table_path(3, 0, tmp_path)
    data = bytearray(path.read_bytes())
    if place is None:
        del data[-1]
    else:
        data[place] ^= 1
    path.write_bytes(data)
    assert count_positions(open_endgame(3, directory=tmp_path)) == expected
    assert len(caplog.messages) == 1
    assert fault in caplog.messages[0]
    assert count_positions(load_endgame(path, 3, 0)) == expected


def test_a_file_that_cannot_be_read_is_no_reason_to_build_it_again(tmp_path: Path) -> None:
    table_path(3, 0, tmp_path).mkdir()
    with pytest.raises(LudensError, match="cannot be read: Is a directory"):
        open_endgame(3, directory=tmp_path)


def test_what_killed_builds_left_goes_and_what_others_are_building_stays(tmp_path: Path) -> None:
    drafts: list[str] = []
    build_file(table_path(3, 0, tmp_path), 3, 0, tell=lambda _: drafts.extend(p.name for p in tmp_path.iterdir()))
    left, others = tmp_path / drafts[0], tmp_path / ".english-draughts-6-limit-0.endgame.1"
    for draft, days in ((left, 3), (others, 0)):
        draft.touch()
        os.utime(draft, (time.time() - days * 86_400,) * 2)
    open_endgame(2, directory=tmp_path)
    assert others.exists()
    assert not left.exists()


def test_a_build_that_is_interrupted_leaves_nothing_behind(tmp_path: Path) -> None:
    def interrupt(_: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build_file(table_path(3, 0, tmp_path), 3, 0, tell=interrupt)
    assert not list(tmp_path.iterdir())


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(LudensError, match=r"file.*cannot be written"):
        build_file(table_path(2, 0, tmp_path / "file" / "cache"), 2, 0)


def test_tables_are_kept_in_the_cache_of_the_user(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_directory() == tmp_path / "ludens"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")  # to be ignored, says its specification
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_directory() == tmp_path / ".cache" / "ludens"


def test_a_table_that_may_only_be_read_is_not_built(limited: EndgameTable) -> None:
    with pytest.raises(NativeError, match="only be read"):
        limited.build(0)


@pytest.mark.parametrize(("pieces", "limit"), [(1, 0), (7, 0), (3, -1), (3, 127)])
def test_what_no_table_can_be_is_refused(tmp_path: Path, pieces: int, limit: int) -> None:
    with pytest.raises(LudensError):
        open_endgame(pieces, limit, directory=tmp_path)
    assert not list(tmp_path.iterdir())


def test_the_command_builds_counts_and_checks_a_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert main(["endgame", "--pieces", "3", "--limit", "40", "--check"]) == 0
    out = capsys.readouterr().out
    assert "100,250 won" in out
    assert "every value follows" in out
    assert (tmp_path / "ludens" / "english-draughts-3-limit-40.endgame").exists()
    assert main(["endgame", "--pieces", "3", "--limit", "127"]) == 2
    assert "0 to 126" in capsys.readouterr().err


@pytest.mark.parametrize("kind", [np.int64, np.float32])
def test_values_that_are_no_bytes_are_refused(kind: type) -> None:
    with pytest.raises(NativeError, match="where bytes are needed"):
        EndgameTable(3, 0, np.empty(EndgameTable.size(3), kind))
