"""What holds for all tests."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from functools import partial
from importlib import import_module
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from propnet.child import Limits
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from tests.stage import Stage


settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")

# What gives up after some seconds, with what it has found by then.
_ANALYSES = (
    *("agent.analysis", "agent.division", "agent.features", "agent.repertoire", "games.checkers.proof"),
    *(
        f"propnet.{name}"
        for name in ("composition", "counts", "dynamics", "factors", "mobility", "policies", "sampling")
    ),
    *("propnet.races", "propnet.symmetries", "propnet.territory", "propnet.threats"),
)


@pytest.fixture(scope="session", autouse=True)
def time_for_analyses() -> Iterator[None]:
    """For analyses in this process a second lasts a hundred: what they find depends on no machine's speed or load.

    Whether they keep to their time is tested with times that are over before they begin.
    """
    slow = SimpleNamespace(monotonic=lambda: time.monotonic() / 100)
    with pytest.MonkeyPatch.context() as patch:
        for name in _ANALYSES:
            patch.setattr(import_module(name), "time", slow)
        patch.setattr("propnet.loader.Limits", partial(Limits, seconds=PATIENCE))  # where nothing else is said
        yield


@pytest.fixture(scope="session", autouse=True)
def interruptible() -> Iterator[None]:
    """Ctrl-C ends what tests start, though shells have it ignored by what they run in the background."""
    before = signal.getsignal(signal.SIGINT)
    if before is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


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
