"""Measures what this core can do, in cycles: by loops of machine code, for as long as each takes.

A chain of additions, each of which needs the one before it, takes a cycle an addition, whatever the processor: so its
time tells how long a cycle is. Other loops repeat one instruction that a single unit limits: vector logic, loads,
stores, the fetching of instructions from beyond their first cache, and of rows from the second. All are measured in
turns with that chain, by CPU time, and the fastest of some rounds counts. Only on x86-64, under Linux.
"""

from __future__ import annotations

import ctypes
import mmap
import platform
import time
from dataclasses import dataclass
from typing import Any

from ludens.propnet.base.errors import LudensError

_ROUNDS = 7
_LEAST_SECONDS = 0.004  # of a run
_UNROLLED = 64
_LINE = 64
_NEAR, _FAR = 4 << 10, 128 << 10  # bytes: surely in the first cache, and beyond it, but in the second


@dataclass(frozen=True, slots=True)
class Core:
    """One core; all but the first and the last are what is done in a cycle."""

    hertz: float
    logic: float  # instructions of vector logic
    loads: float  # vectors
    stores: float
    width: float  # instructions of any kind
    line_fetch: float  # lines of 64 bytes, from the second cache
    code_fetch: float  # bytes of instructions, from the second cache
    forwarding: float  # here cycles, not their inverse: from a vector that is stored to the same one loaded


class Code:
    """A function in memory that may be executed: a body that is repeated, with the address of data in rdi."""

    def __init__(self, body: bytes, turns: int, data: Any) -> None:
        """Raises LudensError on other processors than x86-64."""
        if platform.machine() not in ("x86_64", "AMD64"):
            raise LudensError("this is measured by machine code for x86-64")
        repeat = b"\x48\xff\xc9\x0f\x85"  # dec rcx; jnz to the start of the body
        begin = b"\x48\xb9" + turns.to_bytes(8, "little")  # mov rcx
        back = (-len(body) - len(repeat) - 4).to_bytes(4, "little", signed=True)
        code = begin + body + repeat + back + b"\xc5\xf8\x77\xc3"  # vzeroupper; ret
        self._pages = mmap.mmap(-1, len(code), prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
        self._pages.write(code)
        address = ctypes.addressof(ctypes.c_char.from_buffer(self._pages))
        self._call = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(address)
        self._data = data

    def run(self) -> None:
        """Executes it, while other threads go on."""
        self._call(ctypes.addressof(self._data))

    def seconds(self) -> float:
        """CPU seconds of a call."""
        began = time.process_time()
        self.run()
        return time.process_time() - began


@dataclass(frozen=True, slots=True)
class _Task:
    """A piece of code, and how much it does of what is counted."""

    body: bytes
    amount: int

    def rate(self, data: Any) -> float:
        """How much a second, the fastest of some rounds."""
        turns = 16
        while Code(self.body, turns, data).seconds() < _LEAST_SECONDS:
            turns *= 2
        code = Code(self.body, turns, data)
        return self.amount * turns / min(code.seconds() for _ in range(_ROUNDS))


def _vex(opcode: int, register: int, offset: int | None = None) -> bytes:
    """A register of 256 bits, with itself or with memory at an offset from rdi; below 8 of the registers."""
    if offset is None:
        return bytes([0xC5, 0x85 | (~register & 15) << 3 & 0x78, opcode, 0xC0 | register << 3 | register])
    source = 0x7D if opcode in (0x6F, 0x7F) else 0x05 | (~register & 15) << 3 & 0x78
    return bytes([0xC5, 0x80 | source, opcode, 0x87 | register << 3]) + offset.to_bytes(4, "little")


def _evex(opcode: int, register: int, offset: int | None = None) -> bytes:
    """The same for 512 bits."""
    source = 0x7D if opcode in (0x6F, 0x7F) else 0x05 | (~register & 15) << 3 & 0x78
    head = bytes([0x62, 0xF1, 0x80 | source, 0x48, opcode])
    if offset is None:
        return head + bytes([0xC0 | register << 3 | register])
    return head + bytes([0x87 | register << 3]) + offset.to_bytes(4, "little")


def _spread(make: Any, step: int, region: int, count: int) -> bytes:
    return b"".join(make(i % 8, i * step % region) for i in range(count))


def measure(row_bytes: int) -> Core:
    """What the core does with rows of 32 bytes (AVX2) or 64 (AVX-512)."""
    coded = {32: _vex, 64: _evex}.get(row_bytes)
    if coded is None:
        raise LudensError("rows have 32 or 64 bytes")
    room = ctypes.create_string_buffer(_FAR + 4 * _LINE)
    data = (ctypes.c_char * _FAR).from_buffer(room, -ctypes.addressof(room) % _LINE)
    lines = _FAR // _LINE
    tasks = {
        "hertz": _Task(b"\x48\x83\xc0\x01" * _UNROLLED, _UNROLLED),  # add rax, 1
        "logic": _Task(b"".join(coded(0xDB, i % 8) for i in range(_UNROLLED)), _UNROLLED),
        "loads": _Task(_spread(lambda r, at: coded(0x6F, r, at), row_bytes, _NEAR, _UNROLLED), _UNROLLED),
        "stores": _Task(_spread(lambda r, at: coded(0x7F, r, at), row_bytes, _NEAR, _UNROLLED), _UNROLLED),
        "width": _Task(b"\x90" * _UNROLLED, _UNROLLED),  # nop
        "line_fetch": _Task(_spread(lambda r, at: coded(0x6F, r, at), _LINE, _FAR, lines), lines),
        "code_fetch": _Task(b"\x0f\x1f\x84\x00\x00\x00\x00\x00" * (_FAR // 8), _FAR),  # nop of eight bytes
    }
    tasks["forwarding"] = _Task((coded(0x7F, 0, 0) + coded(0x6F, 0, 0)) * _UNROLLED, _UNROLLED)
    rates = {name: task.rate(data) for name, task in tasks.items()}
    hertz = rates.pop("hertz")
    pairs = rates.pop("forwarding")
    return Core(hertz, **{name: rate / hertz for name, rate in rates.items()}, forwarding=hertz / pairs)
