"""A browser for all tests of this folder that look at pages which are files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.browser import chromium


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """One browser, in which each test opens its own page."""
    with chromium() as opened:
        yield opened
