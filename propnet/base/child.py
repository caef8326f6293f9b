"""Run a function in a child process that is bounded in time and memory.

Grounding may need more of both than there is, and cannot be interrupted; a process can be killed. The child
is a fresh interpreter rather than a fork, so that this is safe under twisted and from threads, and it
inherits no socket of its parent's. Should the parent vanish, the kernel ends the child, or at the latest a
limit on processor time does.

What travels over the pipe is pickled, between processes that trust each other.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from typing import IO, Any, TypeAlias

from ludens.propnet.base.errors import GroundingError, LudensError

Tell: TypeAlias = Callable[[str], None]
"""A function that is told one line about what is being done."""

_PR_SET_PDEATHSIG = 1  # from linux/prctl.h

_POLL_SECONDS = 0.05  # how often a waiting parent looks whether it should give up


@dataclass(frozen=True, slots=True)
class Limits:
    """What a child process may use."""

    seconds: float = 60.0  # wall clock
    memory_mb: int = 2048  # address space, beyond what the child has once its code is loaded


class ExceededError(GroundingError):
    """The child needed more than its limits, or its work is no longer wanted."""


@dataclass(frozen=True, slots=True)
class Wording:
    """How users are told of work that failed, or needed more than its limits."""

    failed: str  # to be followed by a reason
    seconds: str  # with a place for the seconds that are exceeded
    memory: str  # with one for the megabytes

    def too_late(self, limits: Limits) -> ExceededError:
        """Returns the error of work that took too long."""
        return ExceededError(self.seconds.format(limits.seconds))

    def too_large(self, limits: Limits) -> ExceededError:
        """Returns the error of work that took too much memory."""
        return ExceededError(self.memory.format(limits.memory_mb))


def run(
    target: str,
    argument: object,
    limits: Limits,
    wording: Wording,
    tell: Tell,
    cancelled: Callable[[], bool] = lambda: False,
) -> Any:
    """Calls the function `target` ("module:function") with `(argument, tell)` in a fresh child process.

    Returns what it returns. `tell` is called in the calling thread. Raises what the function raises of the project's
    own errors, and `ExceededError` when a limit is hit or `cancelled()` becomes true.
    """
    too_late = wording.too_late(limits)
    with tempfile.TemporaryFile() as errors:
        process, pipe = start("ludens.propnet.base.child:main", errors)
        deadline = time.monotonic() + limits.seconds
        try:
            pipe.send((target, argument, limits, wording))
            return _result(pipe, deadline, too_late, tell, cancelled)
        except (EOFError, ConnectionError):
            _check(deadline, too_late)  # its processor time may be over, and this process kept from looking
            raise _lost(process.wait(), limits, wording, error_text(errors)) from None
        finally:
            pipe.close()
            end(process)


def start(entry: str, errors: IO[bytes], *files: IO[bytes]) -> tuple[subprocess.Popen[bytes], Connection]:
    """Starts a fresh process that calls `entry` ("module:function"); returns it, and a pipe whose other end it has.

    It has that end's number as `sys.argv[1]`, and those of `files` after that, and writes to `errors` what goes wrong.
    """
    module, _, name = entry.partition(":")
    ours, theirs = Pipe()
    with theirs:
        numbers = [theirs.fileno(), *(file.fileno() for file in files)]
        process = subprocess.Popen(
            [sys.executable, "-P", "-c", f"from {module} import {name}; {name}()", *map(str, numbers)],
            pass_fds=numbers,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            env=environment(),
            start_new_session=True,
        )
    return process, ours


def end(process: subprocess.Popen[bytes]) -> None:
    """Kills a process that was started here, and its group, unless its end is known: its number may be used again."""
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def error_text(errors: IO[bytes]) -> str:
    """The last words that a process has written to `errors`, at most 20."""
    errors.seek(0)
    last = errors.read().decode(errors="replace").split("\n")[-2:]
    return " ".join(" ".join(last).split()[-20:])


def die_with_parent() -> None:
    """Has this process killed as soon as the thread that started it is gone. Linux only; elsewhere no effect."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _result(
    pipe: Connection, deadline: float, too_late: ExceededError, tell: Tell, cancelled: Callable[[], bool]
) -> Any:
    while True:
        if cancelled():
            raise ExceededError("the rules are no longer wanted")
        if pipe.poll(min(_check(deadline, too_late), _POLL_SECONDS)):
            kind, value = pipe.recv()
            if kind == "result":
                return value
            if kind == "error":
                raise value
            tell(value)


def _check(deadline: float, too_late: ExceededError) -> float:
    """The seconds that are left; raises the error if none are."""
    left = deadline - time.monotonic()
    if left <= 0:
        raise too_late
    return left


def _lost(status: int, limits: Limits, wording: Wording, said: str) -> GroundingError:
    """Returns what to tell users of a child that ended with a status and no answer; `said` are its last words.

    Python code that fails says why and ends with status 1; C and C++ code that gets no memory ends in other ways.
    """
    if status == -signal.SIGXCPU:
        if _processor_seconds(limits) > limits.seconds:
            return wording.too_late(limits)
        return ExceededError(f"{wording.failed}: `ulimit -t` allows no more processor time")
    if status == 1 and "MemoryError" not in said:
        return GroundingError(f"{wording.failed}: {said}")
    return wording.too_large(limits)


def environment() -> dict[str, str]:
    """Returns the environment of a child; it has the packages of its interpreter.

    In the child numpy starts no threads, and glibc keeps two heaps instead of eight a core: for each it reserves 64 MiB
    of the address space that bounds the child, and how many threads allocate at once is a matter of chance.
    """
    return os.environ | {"OPENBLAS_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "2"}


def limit_address_space(size: int) -> None:
    """Lets this process and its children have so many bytes of address space at most; each may lift that again.

    The address sanitizer reserves terabytes: with it nothing is limited.
    """
    if "libasan" not in os.environ.get("LD_PRELOAD", ""):
        _limit(resource.RLIMIT_AS, size)


def main() -> None:
    """The child: receives its task, bounds itself, answers and ends."""
    die_with_parent()
    pipe = Connection(int(sys.argv[1]))
    target, argument, limits, wording = pipe.recv()
    import_module(target.partition(":")[0])  # which the limits do not count
    _bound(limits)
    gc.disable()  # millions of small lists live until the end; searching them for cycles costs more than it frees
    answer(pipe, target, argument, wording.too_large(limits))


def answer(pipe: Connection, target: str, argument: object, out_of_memory: LudensError) -> None:
    """Calls the function `target` ("module:function") with `(argument, tell)`, and answers with what comes of it.

    What it tells is sent as `progress`, what it returns as `result`; an error of the project's own, or `out_of_memory`
    if there is not enough, as `error`.
    """
    module, _, name = target.partition(":")
    function = getattr(import_module(module), name)
    failure: LudensError
    try:
        pipe.send(("result", function(argument, lambda told: pipe.send(("progress", told)))))
        return
    except LudensError as error:
        failure = error
    except MemoryError:
        failure = out_of_memory
    pipe.send(("error", failure))  # here the memory of what failed is free again


def _bound(limits: Limits) -> None:
    """Bounds this process from now on; the code that is loaded already does not count."""
    limit_address_space(_address_space() + (limits.memory_mb << 20))
    _limit(resource.RLIMIT_CPU, _processor_seconds(limits))


def _processor_seconds(limits: Limits) -> int:
    """Returns the processor time that a child may use: a little less than that at which the kernel kills any process.

    The child ends by a signal of its own then, by which its parent knows why.
    """
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    wanted = int(limits.seconds) + 2
    return wanted if hard == resource.RLIM_INFINITY else max(1, min(wanted, hard - 1))


def _limit(kind: int, most: int) -> None:
    """Sets a soft limit of this process and its children, not above the hard one that it has."""
    _, hard = resource.getrlimit(kind)
    resource.setrlimit(kind, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


def _address_space() -> int:
    """Returns the bytes of address space that this process has; 0 where the system does not tell."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
    except OSError:
        return 0
    return pages * resource.getpagesize()
