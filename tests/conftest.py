"""What holds for all tests."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.stage import Stage


@pytest.fixture(scope="session", autouse=True)
def cache_of_tests(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keeps tests, and the engines that they start, out of the user's cache; before any fixture of a module."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture
def stage() -> Stage:
    """A player among fakes; see `tests.stage`."""
    from tests.stage import Stage

    return Stage()
