"""Files that are replaced as a whole hold what one writer has written, whoever else writes them at the same time."""

from __future__ import annotations

from pathlib import Path

import pytest

from ludens.propnet.base.whole_file import remove_drafts, replacement


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
