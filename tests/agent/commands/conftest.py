"""What tests of commands share."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.learning_runs import SMALL, write_config


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """A file of options for runs of `ludens learn` that end soon."""
    path = tmp_path / "small.toml"
    write_config(path, SMALL)
    return path
