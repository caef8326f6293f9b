"""Files that are replaced as a whole hold what one writer has written, whoever else writes them at the same time."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ludens.propnet.base.whole_file import remove_drafts, replace_file, replacement


def test_of_two_writers_at_the_same_time_each_has_a_draft_of_its_own(tmp_path: Path) -> None:
    """Processes in two containers, or on two machines, may have the same number, as two blocks of one thread have."""
    path = tmp_path / "file"
    with replacement(path) as slow:
        slow.write(b"slow ")
        with replacement(path) as fast:
            fast.write(b"fast")
        assert path.read_bytes() == b"fast"
        slow.write(b"and late")
    assert path.read_bytes() == b"slow and late"
    assert list(tmp_path.iterdir()) == [path]


def test_the_draft_of_a_killed_writer_is_removed(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), replacement(tmp_path / "file"):
        assert len(list(tmp_path.iterdir())) == 1
        remove_drafts(tmp_path, "file")
        assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("umask", [0, 0o002, 0o022, 0o077])
def test_others_can_change_neither_a_file_nor_the_folders_that_are_made_for_it(tmp_path: Path, umask: int) -> None:
    path = tmp_path / "some" / "folders" / "file"
    before = os.umask(umask)
    try:
        replace_file(path, b"content")
        replace_file(path, b"other content")
    finally:
        os.umask(before)
    for each in (path, path.parent, path.parent.parent):
        assert each.stat().st_mode & 0o777 == (0o644 if each == path else 0o755) & ~umask
