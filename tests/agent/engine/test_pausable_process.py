"""A process that can be paused: what it tells, what its clock says, and that it never outlives its parent."""

from __future__ import annotations

import math
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from ludens.agent.engine import pausable_process
from ludens.agent.engine.pausable_process import PausableProcess
from ludens.propnet.base.clock import now
from ludens.propnet.base.errors import LudensError, NativeError
from tests.support.paths import ROOT
from tests.support.processor import is_running, is_stopped, processes_of
from tests.support.waiting import PATIENCE, until

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="nothing is paused elsewhere")

LEAVES_BEHIND = """
import sys, time
from ludens.agent.engine.pausable_process import PausableProcess
process = PausableProcess("tests.agent.engine.test_pausable_process:count", None)
process.pause(True)
while not process._alive:
    process.receive(0.1, print)
print("paused", flush=True)
time.sleep(1e6)
"""


def add(numbers: tuple[int, int], tell: Callable[[Any], None]) -> int:
    tell("adds")
    return sum(numbers)


def fail(_argument: object, _tell: object) -> None:
    raise NativeError("no room")


def run_out_of_memory(_argument: object, _tell: object) -> None:
    raise MemoryError


def end_at_once(_argument: object, _tell: object) -> None:
    raise SystemExit("enough of this")


def count(_argument: object, tell: Callable[[Any], None]) -> None:
    while True:
        tell((now(), time.monotonic()))
        time.sleep(0.02)


@contextmanager
def process_of(function: Callable[..., object], argument: object = None) -> Iterator[PausableProcess]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(ROOT))
        process = PausableProcess(f"{__name__}:{function.__name__}", argument)
    try:
        yield process
    finally:
        process.close()


def result(process: PausableProcess, told: Callable[[Any], None] = lambda _value: None) -> Any:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if (found := process.receive(0.1, told)) is not None:
            return found.value
    raise AssertionError("there is no result")


def test_it_tells_and_returns() -> None:
    told = list[str]()
    with process_of(add, (2, 3)) as process:
        assert result(process, told.append) == 5
    assert told == ["adds"]


@pytest.mark.parametrize(
    ("function", "error", "text"),
    [
        (fail, NativeError, "no room"),
        (run_out_of_memory, LudensError, "out of memory"),
        (end_at_once, LudensError, "its process ended with status 1: enough of this"),
    ],
)
def test_its_failure_is_an_error_here(
    function: Callable[..., object], error: type[Exception], text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pausable_process, "_LAST_SECONDS", PATIENCE)
    with process_of(function) as process, pytest.raises(error, match=text):
        result(process)


@on_linux
def test_its_clock_stands_still_while_it_is_paused() -> None:
    told = list[tuple[float, float]]()

    def least_lost(since: float) -> float:
        """How far the clock was behind after a moment, as far as is known, with what passed between two looks."""
        assert process.receive(0.1, told.append) is None
        return min((wall - counted for counted, wall in told if wall > since), default=math.inf)

    with process_of(count) as process:
        until(lambda: least_lost(0.0) < 0.5)
        before = time.monotonic()
        process.pause(True)
        until(lambda: is_stopped(process._process.pid))
        stopped = time.monotonic()
        time.sleep(1.0)
        goes_on = time.monotonic()
        process.pause(False)
        after = time.monotonic()
        process.pause(False)
        until(lambda: least_lost(after) < after - before + 0.5)
        assert least_lost(after) >= goes_on - stopped - 1e-3


@on_linux
def test_one_that_is_to_be_paused_from_the_beginning_is() -> None:
    with process_of(count) as process:
        process.pause(True)
        until(lambda: process.receive(0.1, lambda _value: None) is None and is_stopped(process._process.pid))
        process.pause(False)
        until(lambda: not is_stopped(process._process.pid))


@on_linux
def test_it_ends_with_its_parent_even_while_paused() -> None:
    parent = subprocess.Popen(
        [sys.executable, "-c", LEAVES_BEHIND], stdout=subprocess.PIPE, cwd=ROOT, env={"PYTHONPATH": str(ROOT)}
    )
    assert parent.stdout is not None
    try:
        assert parent.stdout.readline() == b"paused\n"
        (child,) = processes_of(parent.pid, "pausable_process")
        until(lambda: is_stopped(child))
    finally:
        parent.kill()
        parent.wait()
        parent.stdout.close()
    until(lambda: not is_running(child))
