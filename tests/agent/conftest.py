"""A player that runs for all tests of a file, and is free before each."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.served import UNHURRIED, Served


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    """A player that answers whenever it likes, for tests that do not end it."""
    served = Served("--name", "Tester", "--patience", "3600", code=("-c", UNHURRIED))
    yield served
    served.stop()


@pytest.fixture
def player(served: Served) -> Iterator[Served]:
    """The player, free again after the test."""
    yield served
    served.ggp_base("( ABORT m )")
