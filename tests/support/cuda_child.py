"""Plays on numba's CUDA simulator, in a process of its own: it must be chosen before numba is imported.

Reads a JSON list of jobs from standard input and writes their results to standard output. A job is a method of
`CudaSimulator`, the sheet, and its arguments.
"""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
import time
import warnings
from dataclasses import replace
from typing import Any

import numpy as np

from ludens.games.checkers.bitboards.native_game import native_game
from ludens.games.checkers.kernels.playouts import CheckersKernel, CheckersPlayouts
from ludens.games.checkers.rules.parameters import CheckersRules, Jumps
from ludens.games.checkers.rules.positions import Positions
from ludens.games.checkers.rules.reference import Reference
from ludens.native.cuda import device
from ludens.native.cuda.network import CudaSimulator
from ludens.native.kernels.kernel_search import KernelSearch
from ludens.propnet.base.errors import NativeError
from ludens.propnet.compile.loader import load
from tests.support.paths import ROOT
from tests.support.waiting import PATIENCE

SIMULATED = {} if os.environ.get("LUDENS_TEST_GPU") == "1" else {"NUMBA_ENABLE_CUDASIM": "1"}
"""The environment of children: `make gpu` has them play on the GPU itself."""


def run(jobs: list[dict[str, Any]], environment: dict[str, str]) -> list[Any]:
    """The results of jobs, carried out in a child."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", "tests.support.cuda_child"],
        input=json.dumps(jobs),
        cwd=ROOT,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    results: list[Any] = json.loads(done.stdout)
    return results


def _result(job: dict[str, Any]) -> Any:
    if job["method"] == "checkers":
        return _checkers(job)
    if job["method"] == "planes":
        from ludens.games.checkers.kernels.plane_kernels import expand_on_device

        return expand_on_device(np.array(job["words"], np.uint32).reshape(-1, 3)).copy_to_host()
    if job["method"] == "kernel_search":
        return _kernel_search(job)
    if job["method"] == "share":
        return _share(job)
    try:
        simulator = CudaSimulator(load(job["sheet"]), job["lanes"], seed=job["seed"], threads=job.get("threads", 0))
    except NativeError as error:
        return str(error)
    states = np.array(job["states"], np.uint64) if "states" in job else None
    _let_numbers_overflow()
    if job["method"] == "record":
        return [game.tolist() for game in simulator.record(states, max_steps=job["steps"])]
    if job["method"] == "goals":
        assert states is not None
        return simulator.goals(states, job["games"], seed=job["seed"], max_steps=job["steps"]).tolist()
    if job["method"] == "reused":
        assert states is not None
        goals = [simulator.goals(part, 32, seed=3).tolist() for part in (states[:2], states, states[:2])]
        games = [[game.tolist() for game in simulator.record(max_steps=job["steps"])] for _ in range(2)]
        return [*goals, *games]
    run = simulator.playouts(job["count"], seconds=job.get("seconds", 0), max_steps=job["steps"])
    return dataclasses.asdict(run)


def _let_numbers_overflow() -> None:
    """Lets random numbers overflow, as they are meant to, without a warning.

    The first warning that is ignored adds a registry to the globals of its module. Those of kernels must not grow
    while the simulator's threads go through them in search of the module `cuda`.
    """
    from ludens.games.checkers.kernels import playout_kernels  # noqa: F401
    from ludens.native.cuda import network_kernels  # noqa: F401

    warnings.filterwarnings("ignore", "overflow encountered")
    for name, module in sys.modules.items():
        if name.startswith("ludens."):
            vars(module).setdefault("__warningregistry__", {})


def _checkers(job: dict[str, Any]) -> Any:
    """Games of English draughts from the first position, with either side to move."""
    rules = CheckersRules(jumps=Jumps.BY_PLIES, idle_limit=40)
    start = Reference(rules).initial()
    _let_numbers_overflow()
    results = CheckersPlayouts(rules, gpu=True).play(
        Positions.of([start, replace(start, turn=1)]),
        np.array(job["games"]),
        seed=job["seed"],
        max_steps=job["max_steps"],
    )
    return results.goals.tolist(), results.moves, results.cut


def _kernel_search(job: dict[str, Any]) -> Any:
    """A search of English draughts by the kernel, one short game a leaf."""
    rules = CheckersRules(jumps=Jumps.BY_PLIES, idle_limit=40)
    _let_numbers_overflow()
    kernel = CheckersKernel(rules, gpu=True, max_steps=job["max_steps"])
    search = KernelSearch(native_game(rules), kernel, games=1, memory_bytes=1 << 20, lanes=64, batch=2)
    search.run(playouts=job["playouts"])
    known = search.root_moves(0)
    return {"playouts": search.stats().playouts, "visits": int(known.visits.sum())}


def _share(job: dict[str, Any]) -> Any:
    """What each thread of a block sees in a shared array, which takes long to make, when the first has written."""
    device.cuda()
    from numba.cuda.simulator import kernelapi

    from tests.support.shared_array import write_and_read

    class Slow:
        def __getattr__(self, name: str) -> Any:
            return getattr(np, name)

        def empty(self, *what: Any) -> Any:
            time.sleep(0.01)
            return np.zeros(*what)

    kernelapi.np = Slow()
    seen = np.zeros(job["threads"], np.int64)
    write_and_read[1, len(seen)](job["value"], seen)
    return seen


if __name__ == "__main__":
    sys.setswitchinterval(1e-5)  # threads of the simulator wait for each other all the time
    json.dump([_result(job) for job in json.load(sys.stdin)], sys.stdout, default=np.ndarray.tolist)
