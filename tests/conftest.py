"""What holds for all tests."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from ludens.propnet.base.child import Limits
from ludens.propnet.base.clock import set_clock
from tests.support.waiting import PATIENCE

if TYPE_CHECKING:
    from tests.support.player_harness import PlayerHarness


settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")

# Processes of pytest-xdist are told how wide the terminal is: what is printed in tests goes to none.
os.environ.pop("COLUMNS", None)

# What plays games on the machines of the native core, and so may depend on how many they play side by side; tests count
# as users of themselves.
_USERS_OF_MACHINES = (
    "ludens.agent.analysis",
    "ludens.agent.api",
    "ludens.agent.engine",
    "ludens.agent.env",
    "ludens.agent.playable",
    "ludens.agent.preparation",
    "ludens.agent.search",
    "ludens.games.checkers.recognition",
    "ludens.native.core",
    "scripts.strength.exploitability",
    "scripts.verify.random_programs",
    "scripts.verify.signatures",
    "tests.agent.engine.test_engine",
    "tests.api",
    "tests.support.searching",
)


def plays_on_machines(module: ModuleType) -> bool:
    """Whether a module of tests names something of what plays games on machines."""
    return any(str(getattr(value, "__module__", "")).startswith(_USERS_OF_MACHINES) for value in vars(module).values())


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks as `lanes` all tests that play games on machines."""
    for item in items:
        if isinstance(item, pytest.Function) and plays_on_machines(item.module):
            item.add_marker("lanes")


@pytest.fixture(scope="session", autouse=True)
def time_for_analyses() -> Iterator[None]:
    """For analyses in this process a second lasts a hundred: what they find depends on no machine's speed or load.

    Whether they keep to their time is tested with times that are over before they begin.
    """
    set_clock(lambda: time.monotonic() / 100)
    with pytest.MonkeyPatch.context() as patch:
        # Where nothing else is said.
        patch.setattr("ludens.propnet.compile.loader.Limits", partial(Limits, seconds=PATIENCE))
        yield
    set_clock(time.monotonic)


@pytest.fixture(scope="session", autouse=True)
def interruptible() -> Iterator[None]:
    """Ctrl-C ends what tests start, though shells have it ignored by what they run in the background."""
    before = signal.getsignal(signal.SIGINT)
    if before is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(autouse=True)
def interruptible_again() -> None:
    """Gives Ctrl-C back to each test, should a reactor have taken it in one before."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session", autouse=True)
def cache_of_tests(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keeps tests, and the engines that they start, out of the user's folders; before any fixture of a module."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        patch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("data")))
        yield


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Has a test begin with an empty cache of its own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def harness() -> PlayerHarness:
    """A player among fakes; see `tests.support.player_harness`."""
    from tests.support.player_harness import PlayerHarness

    return PlayerHarness()
