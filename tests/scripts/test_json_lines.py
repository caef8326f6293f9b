"""Files of JSON lines are gone on with after a program was interrupted while it wrote a line."""

from __future__ import annotations

import fcntl
from collections.abc import Callable
from json import JSONDecodeError
from pathlib import Path
from threading import Thread

import pytest

from scripts.common import json_lines
from tests.support.waiting import PATIENCE


@pytest.mark.parametrize("rest", ["", '{"second', '{"second": 2}'])
def test_a_line_that_was_cut_short_makes_room_for_another(tmp_path: Path, rest: str) -> None:
    path = tmp_path / "lines.jsonl"
    json_lines.add(path, {"first": 1})
    with path.open("a") as file:
        file.write(rest)
    assert json_lines.read(path) == [{"first": 1}]
    assert path.read_text() == '{"first": 1}\n' + rest, "reading changes nothing"
    json_lines.mend(path)
    json_lines.add(path, {"third": 3})
    assert json_lines.read(path) == [{"first": 1}, {"third": 3}]


@pytest.mark.parametrize("work", [json_lines.mend, lambda path: json_lines.add(path, {"second": 2})])
def test_a_line_that_another_process_is_writing_is_left_alone(tmp_path: Path, work: Callable[[Path], None]) -> None:
    path = tmp_path / "lines.jsonl"
    with path.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.write('{"fir')
        file.flush()
        (thread := Thread(target=work, args=(path,))).start()
        thread.join(0.2)  # it waits for the lock, if it has come so far
        file.write('st": 1}\n')
    thread.join(PATIENCE)
    assert json_lines.read(path)[0] == {"first": 1}


def test_there_need_be_no_file(tmp_path: Path) -> None:
    for path in (None, tmp_path / "none.jsonl"):
        json_lines.mend(path)
        assert json_lines.read(path) == []
    json_lines.add(None, {"first": 1})
    assert not list(tmp_path.iterdir())


def test_a_broken_line_among_others_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "lines.jsonl").write_text('{"first{"second": 2}\n{"third": 3}\n')
    with pytest.raises(JSONDecodeError):
        json_lines.read(tmp_path / "lines.jsonl")
