"""A process that can be paused: what it tells, what its clock says, and that it never outlives its parent."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from ludens.agent.engine.paused_process import PausedProcess
from ludens.propnet.base.clock import now
from ludens.propnet.base.errors import LudensError, NativeError
from tests.support.paths import ROOT
from tests.support.processor import is_stopped, processes_of
from tests.support.waiting import PATIENCE, until

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="nothing is paused elsewhere")

LEAVES_BEHIND = """
import sys, time
from ludens.agent.engine.paused_process import PausedProcess
process = PausedProcess("tests.agent.test_paused_process:count", None)
process.pause(True)
while not process._started:
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
def process_of(function: Callable[..., object], argument: object = None) -> Iterator[PausedProcess]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(ROOT))
        process = PausedProcess(f"{__name__}:{function.__name__}", argument)
    try:
        yield process
    finally:
        process.close()


def result(process: PausedProcess, told: Callable[[Any], None] = lambda _value: None) -> Any:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if (found := process.receive(0.1, told)) is not None:
            return found[0]
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
def test_its_failure_is_an_error_here(function: Callable[..., object], error: type[Exception], text: str) -> None:
    with process_of(function) as process, pytest.raises(error, match=text):
        result(process)


@on_linux
def test_its_clock_stands_still_while_it_is_paused() -> None:
    told = list[tuple[float, float]]()
    with process_of(count) as process:
        process.pause(True)  # takes effect once it has started
        until(lambda: process.receive(0.1, told.append) is None and is_stopped(process._process.pid))
        time.sleep(0.5)
        process.pause(False)
        process.pause(False)
        until(lambda: process.receive(0.1, told.append) is None and len(told) > 5)
        before = len(told)
        process.pause(True)
        until(lambda: is_stopped(process._process.pid))
        time.sleep(1.0)
        process.pause(False)
        until(lambda: process.receive(0.1, told.append) is None and len(told) > before + 50)
    passed = told[-1][1] - told[0][1]
    counted = told[-1][0] - told[0][0]
    assert passed >= 1.0
    assert passed - counted == pytest.approx(1.0, abs=0.3)
    assert told[0][1] - told[0][0] >= 0.5  # what it was paused before it began


@on_linux
def test_it_ends_with_its_parent_even_while_paused() -> None:
    parent = subprocess.Popen(
        [sys.executable, "-c", LEAVES_BEHIND], stdout=subprocess.PIPE, cwd=ROOT, env={"PYTHONPATH": str(ROOT)}
    )
    assert parent.stdout is not None
    try:
        assert parent.stdout.readline() == b"paused\n"
        (child,) = processes_of(parent.pid, "paused_process")
        until(lambda: is_stopped(child))
    finally:
        parent.kill()
        parent.wait()
        parent.stdout.close()
    until(lambda: not Path(f"/proc/{child}").exists())
