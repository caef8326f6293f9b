"""Compiles all kernels for GPUs, without one, and tells what their machine code needs.

    python -m scripts.verify.gpu_code [--capabilities 7.5 8.0 9.0]

numba makes PTX of each kernel for each compute capability, and NVIDIA's assembler machine code of that, which says how
many registers a thread has, how many bytes it spills for want of them, its stack, and the shared memory of a block.
*Occupancy* is the share of a multiprocessor's threads that can be resident, in blocks as they are launched (NVIDIA's
"CUDA C++ Programming Guide", section "Compute Capabilities"); for networks in those that play breakthrough. Ends with 1
if a kernel cannot be compiled or spills.

Needs `pip install 'ludens[gpu]'`, which brings the compiler and the assembler.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from importlib.util import find_spec
from itertools import repeat
from math import prod
from multiprocessing import get_context
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from rich.console import Console

from ludens.games.checkers.kernels.playouts import BLOCK
from ludens.games.checkers.rules.parameters import ENGLISH
from ludens.games.rules import find_rules
from ludens.native.cuda.network import THREADS
from ludens.native.cuda.program import lay_out
from ludens.propnet.base.errors import LudensError
from ludens.propnet.compile.loader import load
from scripts.common.tables import lines

_SHOWN = "breakthrough"  # whose network says how much shared memory a block of games needs
_REGISTERS, _STEP = 65_536, 8  # of a multiprocessor; a thread has a multiple of the latter


@dataclass(frozen=True, slots=True)
class Multiprocessor:
    """What one has of a compute capability."""

    threads: int
    blocks: int
    shared: int  # bytes
    reserved: int  # bytes of shared memory that each block takes for the system


_MULTIPROCESSORS = {
    "7.5": Multiprocessor(1024, 16, 64 << 10, 0),
    "8.0": Multiprocessor(2048, 32, 164 << 10, 1 << 10),
    "8.6": Multiprocessor(1536, 16, 100 << 10, 1 << 10),
    "8.9": Multiprocessor(1536, 24, 100 << 10, 1 << 10),
    "9.0": Multiprocessor(2048, 32, 228 << 10, 1 << 10),
}


@dataclass(frozen=True, slots=True)
class Needs:
    """What a kernel needs, as the assembler tells."""

    kernel: str
    capability: str
    registers: int
    stack: int  # bytes of a thread
    spilled: int  # bytes of a thread, stored and loaded
    shared: int  # bytes of a block
    block: int = 128  # threads

    @property
    def occupancy(self) -> float:
        """The share of threads that can be resident."""
        has = _MULTIPROCESSORS[self.capability]
        by_registers = _REGISTERS // (-(-self.registers // _STEP) * _STEP * self.block)
        by_shared = has.shared // (self.shared + has.reserved) if self.shared + has.reserved else has.blocks
        return min(by_registers, by_shared, has.blocks, has.threads // self.block) * self.block / has.threads


def main() -> int:
    """Compiles, and shows a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    known = list(_MULTIPROCESSORS)
    parser.add_argument("--capabilities", nargs="+", choices=known, default=["7.5", "8.0", "9.0"], metavar="M.N")
    capabilities = parser.parse_args().capabilities
    try:
        assembler = _assembler()
        with ProcessPoolExecutor(1, get_context("spawn"), max_tasks_per_child=1) as pool:  # numba keeps what it made
            found = [needs for part in pool.map(_compile_all, capabilities, repeat(assembler)) for needs in part]
    except LudensError as error:
        Console(stderr=True).print(f"[red]{error}[/]")
        return 1
    titles = ("kernel", "compute capability", "registers", "stack", "spilled", "shared", "occupancy %")
    rows = [
        (n.kernel, n.capability, n.registers, n.stack, n.spilled, n.shared, f"{100 * n.occupancy:.0f}") for n in found
    ]
    print(*lines(titles, rows), sep="\n")
    return int(any(needs.spilled for needs in found))


def _assembler() -> Path:
    """Returns the assembler that pip or the system has installed; raises LudensError if there is none."""
    packages = Path(sysconfig.get_paths()["purelib"])
    places = [packages / "nvidia" / name / "bin" / "ptxas" for name in ("cuda_nvcc", "cu13", "cu12")]
    system = shutil.which("ptxas") or shutil.which("ptxas", path="/usr/local/cuda/bin")
    for place in [*places, *([Path(system)] if system else [])]:
        if place.exists():
            return place
    raise LudensError("NVIDIA's assembler is missing: pip install 'ludens[gpu]'")


def _compile_all(capability: str, assembler: Path) -> list[Needs]:
    """Compiles all kernels for a compute capability; raises LudensError."""
    if find_spec("numba") is None:
        raise LudensError("numba is missing: pip install 'ludens[gpu]'")
    major, minor = map(int, capability.split("."))
    from numba import cuda
    from numba.cuda import dispatcher

    # Functions that kernels call are compiled for the GPU that is there, unless there is word of another one.
    dispatcher.get_current_device = lambda: SimpleNamespace(compute_capability=(major, minor))
    found = []
    for name, function, arguments, block, shared in _kernels():
        ptx, _ = cuda.compile_ptx(function, arguments, cc=(major, minor))
        needs = _assembled(name, ptx, capability, assembler)
        found.append(replace(needs, block=block, shared=needs.shared + shared))
    return found


def _assembled(name: str, ptx: str, capability: str, assembler: Path) -> Needs:
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "kernel.ptx")
        source.write_text(ptx, encoding="utf-8")
        target = f"-arch=sm_{capability.replace('.', '')}"
        command = [str(assembler), "-v", target, str(source), "-o", str(source.with_suffix(".cubin"))]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise LudensError(f"{name} for {capability}: {done.stderr.strip()}")

    def number(pattern: str) -> int:
        return sum(map(int, re.findall(pattern, done.stderr)))

    return Needs(
        kernel=name,
        capability=capability,
        registers=number(r"Used (\d+) registers"),
        stack=number(r"(\d+) bytes stack frame"),
        spilled=number(r"(\d+) bytes spill"),
        shared=number(r"(\d+) bytes smem"),
    )


def _kernels() -> Iterator[tuple[str, Any, tuple[Any, ...], int, int]]:
    """Yields the kernels: a name, the function, the types of its arguments, threads and shared bytes of a block."""
    from numba import int64, typeof, uint64

    from ludens.games.checkers.kernels import plane_kernels, playout_kernels
    from ludens.native.cuda import network_kernels

    shared = 4 * lay_out(load(find_rules(_SHOWN).sheet()), THREADS).words

    def array(kind: Any, *shape: int) -> Any:
        return np.zeros(prod(shape), kind).reshape(shape)

    def record_of(kind: Any, shapes: dict[str, Any]) -> Any:
        return typeof(kind(**{name: array(*shape) for name, shape in shapes.items()}))

    network = record_of(network_kernels.Tables, _TABLES), record_of(network_kernels.Lanes, _LANES)
    moves, lengths = typeof(array(np.int32, 1, 1, 1)), typeof(array(np.int32, 1))
    limits = (uint64, int64, int64, int64, int64)  # seed, steps so far, more, between restarts, and of a game
    yield "network: play", network_kernels.play.py_func, (*network, *limits, moves, lengths), THREADS, shared
    threads = record_of(playout_kernels.Threads, _THREADS)
    numbers, sums = typeof(array(np.int64, 1)), typeof(array(np.int64, 4, 1))
    yield "checkers: begin", playout_kernels.begin.py_func, (threads, numbers, numbers), BLOCK, 0
    yield "checkers: run", playout_kernels.for_device(ENGLISH).py_func, (threads, int64, int64, int64), BLOCK, 0
    yield "checkers: add up", playout_kernels.add_up.py_func, (threads, int64, sums), BLOCK, 0
    words, planes = typeof(array(np.uint32, 1, 3)), typeof(array(np.float32, 1, 3, 8, 8))
    yield "checkers: planes", plane_kernels.expand.py_func, (words, planes), plane_kernels.THREADS, 0


# Types and numbers of dimensions are those of the arrays that the kernels get; sizes play no part.
_TABLES = {
    "rows": (np.uint64, 1),
    "pieces": (np.int32, 1, 4),
    "segments": (np.int32, 3, 2),
    "feedback": (np.int32, 1, 2),
    "updates": (np.int32, 1, 2),
    "legal": (np.int32, 1),
    "roles": (np.int32, 1, 5),
    "goals": (np.int32, 1, 2),
    "terminal": (np.int32, 1),
    "moves": (np.int32, 1),
    "slots": (np.int32, 1),
}
_LANES = {
    "states": (np.uint32, 1, 1),
    "born": (np.int64, 1, 32),
    "blocks": (np.int64, 1, 10),
    "starts": (np.uint64, 1, 1),
}
_THREADS = {
    "starts": (np.uint32, 1, 7),
    "positions": (np.int64, 1),
    "nexts": (np.int64, 1),
    "lasts": (np.int64, 1),
    "seeds": (np.uint64, 1),
    "games": (np.uint32, 7, 1),
    "random": (np.uint32, 4, 1),
    "ages": (np.int64, 1),
    "totals": (np.int64, 4, 1),
    "goals": (np.int64, 13, 13, 2),
    "unfinished": (np.int64, 1),
}


if __name__ == "__main__":
    sys.exit(main())
