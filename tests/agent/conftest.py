"""A player that runs for all tests of a file, and is free before each; players of tournaments."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ludens.agent.tournament import match_host
from tests.support.served import UNHURRIED, Served
from tests.support.tournaments import MakePlayer, contestants


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


@pytest.fixture
def contestant(monkeypatch: pytest.MonkeyPatch) -> Iterator[MakePlayer]:
    """Makes players elsewhere that are gone when the test is over, and are asked again at once."""
    monkeypatch.setattr(match_host, "_PAUSE_SECONDS", 0.001)
    with contestants() as make:
        yield make
