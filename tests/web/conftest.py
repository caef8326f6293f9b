"""What tests of pages share: a browser for pages that are files, and the server of `ludens play`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.browser import chromium
from tests.support.page_server import Served, page_server


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """One browser, in which each test opens its own page."""
    with chromium() as opened:
        yield opened


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The server of a page, `ludens play`, for all tests of a file."""
    with page_server(tmp_path_factory.mktemp("data")) as server:
        yield server
