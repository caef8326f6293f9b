"""The script that measures the board's drawing runs in a browser and measures something."""

from __future__ import annotations

import shutil

import pytest

from ludens.propnet.base.errors import LudensError
from scripts.bench.board_drawing import measure


def test_the_drawing_of_a_large_board_is_measured() -> None:
    if not any(map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))):
        with pytest.raises(LudensError, match="install one of"):
            measure()
        pytest.skip("needs an installed Chromium: apt-get install chromium")
    figures = measure()
    assert set(figures) == {"make and show", "change every stone", "one move", "thoughts"}
