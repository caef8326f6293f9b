"""Tests find real rule sheets and traces in the folders that variables of the environment name."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.paths import real_sheets, traces


def test_files_are_found_in_the_folder_that_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LUDENS_SHEETS", str(tmp_path))
    monkeypatch.setenv("LUDENS_TRACES", str(tmp_path))
    (tmp_path / "nim").mkdir()
    for path in (sheet := tmp_path / "nim" / "nim.kif", trace := tmp_path / "nim.json.gz", tmp_path / "README.md"):
        path.touch()
    assert (real_sheets(), traces()) == ({"nim": sheet}, {"nim": trace})


def test_where_there_are_none_a_test_is_skipped_with_the_variable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LUDENS_SHEETS", str(tmp_path))
    with pytest.raises(pytest.skip.Exception, match="LUDENS_SHEETS names another folder"):
        real_sheets()
