"""Runs a kernel in a process of its own, so that its failure does no harm elsewhere.

Kernels are compiled for seconds, and drivers of graphics processors reserve more address space than a player lets
itself have, hang, and bring down their process. So a player has only a pipe to its kernel: what does not answer in
time, or ends, is one error more, and the search goes on without it.

>>> process = KernelProcess(partial(CheckersKernel, rules, gpu=True), game.initial)
>>> while not process.ready(seconds=1.0): ...
>>> KernelSearch(game, process, games=64).run(seconds=1.0)
"""

from __future__ import annotations

import contextlib
import pickle
import resource
import subprocess
import sys
import tempfile
import threading
import weakref
from collections.abc import Callable
from concurrent.futures import Future
from multiprocessing.connection import Connection
from typing import IO, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ludens.native.core import States
from ludens.native.kernels.kernel_search import Kernel
from ludens.propnet.base.child import die_with_parent, end, error_text, start
from ludens.propnet.base.errors import KernelError

MakeKernel: TypeAlias = Callable[[], Kernel]
"""Makes a kernel in another process: it is pickled."""

_Started: TypeAlias = tuple[subprocess.Popen[bytes], Connection]

_PATIENCE_SECONDS = 1.0  # for the answer to a batch, which is meant to take a hundredth of that


class KernelProcess:
    """A `Kernel` that another process plays; for one thread at a time. It ends with this object, or on failure."""

    def __init__(self, make: MakeKernel, state: States, patience: float = _PATIENCE_SECONDS) -> None:
        """Begins to make the kernel, and has it play a game from `state`: only then all is compiled.

        Raises KernelError if there can be no process.
        """
        task, started, over = pickle.dumps((make, state.reshape(1, -1))), Future[_Started](), threading.Event()
        try:
            self._complaints = tempfile.TemporaryFile()  # noqa: SIM115 - open as long as the process
            threading.Thread(
                target=_keep, args=(self._complaints, task, started, over), name="kernel", daemon=True
            ).start()
            self._process, self._pipe = started.result()
        except (OSError, RuntimeError) as error:  # as where there are as many processes or threads as may be
            raise KernelError(f"the kernel has no process: {error}") from error
        self._end = weakref.finalize(self, _end, self._process, over)
        self._patience, self._ready = patience, False

    def ready(self, seconds: float) -> bool:
        """Whether it can play; waits for that for so long. KernelError, and why, if it never will."""
        if not self._ready and self._pipe.poll(seconds):
            self._receive()
            self._ready = True
        return self._ready

    def play(self, states: States, games: int, seed: int) -> npt.NDArray[np.float64]:
        """See `Kernel`; KernelError if the answer is an error, does not come in time, or the process was ended."""
        if not self._end.alive:
            raise KernelError("the kernel was ended")
        try:
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # heard of below
                self._pipe.send((states, games, seed))
            if not self._pipe.poll(self._patience):
                raise KernelError(f"the kernel has not answered for {self._patience:g} s")
            goals: npt.NDArray[np.float64] = self._receive()
        except (KernelError, OSError) as error:
            self.close()
            raise KernelError(str(error)) from error
        return goals

    def close(self) -> None:
        """Ends the process."""
        self._end()

    def _receive(self) -> Any:
        try:
            kind, value = self._pipe.recv()
        except (EOFError, OSError):
            status = self._process.wait()
            raise KernelError(f"the kernel ended with status {status}: {error_text(self._complaints)}") from None
        if kind == "error":
            raise KernelError(f"the kernel failed: {value}")
        return value


def _keep(errors: IO[bytes], task: bytes, started: Future[_Started], over: threading.Event) -> None:
    """Starts the process, which ends with the thread that has done so, and sends its task; stays until all is over."""
    with errors:
        try:
            process, pipe = start("ludens.native.kernels.kernel_process:main", errors)
        except Exception as error:  # noqa: BLE001 - it is raised again by whoever waits
            started.set_exception(error)
            return
        with pipe:
            started.set_result((process, pipe))
            with contextlib.suppress(OSError):  # it has ended, which whoever waits for an answer hears
                pipe.send_bytes(task)
            over.wait()


def _end(process: subprocess.Popen[bytes], over: threading.Event) -> None:
    end(process)
    over.set()


def main() -> None:
    """The process: makes a kernel, tries it, and plays what it is told to until nobody listens."""
    die_with_parent()
    pipe = Connection(int(sys.argv[1]))
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (most, most))  # drivers map the memory of all devices, used or not
    try:
        make, state = pipe.recv()
        kernel: Kernel = make()
        kernel.play(state, 1, 0)
        answer = None
        while True:
            pipe.send(("result", answer))
            answer = kernel.play(*pipe.recv())
    except (EOFError, BrokenPipeError):
        return
    except Exception as error:  # noqa: BLE001 - numba has errors of many kinds
        pipe.send(("error", f"{type(error).__name__}: {error}"))
