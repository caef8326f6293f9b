"""Reads the few x86-64 instructions that machine code of gates is made of: AVX2 and AVX-512.

Written after Intel's "64 and IA-32 Architectures Software Developer's Manual", volume 2, sections 2.3 (VEX) and 2.7
(EVEX), and without the encoders of the native core.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """What an instruction does with registers."""

    LOGIC = "logic"
    COPY = "copies"
    LOAD = "loads"
    STORE = "stores"
    OTHER = "other"  # addresses, the end of a function


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction; `offset` is where it reads or writes memory, in bytes from the function's argument."""

    kind: Kind
    length: int  # bytes
    offset: int | None = None

    @property
    def loads(self) -> bool:
        """Whether it reads memory, be it as an operand of logic."""
        return self.offset is not None and self.kind in (Kind.LOAD, Kind.LOGIC)


_KINDS = {0x6F: Kind.LOAD, 0x7F: Kind.STORE, 0x25: Kind.LOGIC, **dict.fromkeys((0xDB, 0xDF, 0xEB, 0xEF), Kind.LOGIC)}
_LEA = 0x8D  # lea, of 64 bits
_LEA_LENGTH = 7  # with a displacement of 32 bits
_ENDS = {b"\xc5\xf8\x77": 3, b"\xc3": 1}  # vzeroupper, ret
_RDI = 7
_TERNARY = 0x25  # has a table behind it


def instructions(code: bytes) -> Iterator[Instruction]:
    """Those of a function, in order; ValueError for one that gates do not need."""
    at, bases = 0, {_RDI: 0}
    while at < len(code):
        if code[at + 1 : at + 2] == bytes([_LEA]) and code[at] in (0x48, 0x4C):
            form = code[at + 2]
            if form >> 6 != 2 or form & 7 != _RDI:
                raise ValueError(f"{form:02x} is no address that gates need")
            register = (form >> 3 & 7) + (8 if code[at] == 0x4C else 0)
            bases[register] = int.from_bytes(code[at + 3 : at + _LEA_LENGTH], "little")
            found = Instruction(Kind.OTHER, _LEA_LENGTH)
        else:
            end = next((size for start, size in _ENDS.items() if code.startswith(start, at)), 0)
            found = Instruction(Kind.OTHER, end) if end else _vector(code, at, bases)
        yield found
        at += found.length


def _vector(code: bytes, at: int, bases: dict[int, int]) -> Instruction:
    """An instruction on vectors; `bases`: what registers hold beyond the function's argument."""
    start, unit, high = at, 1, 0
    if code[at] == 0xC5:
        at += 2
    elif code[at] == 0xC4:
        high = 0 if code[at + 1] & 0x20 else 8
        at += 3
    elif code[at] == 0x62:
        high = 0 if code[at + 1] & 0x20 else 8
        unit = 16 << (code[at + 3] >> 5 & 3)  # bytes accessed, in which a displacement of one byte counts
        at += 4
    else:
        raise ValueError(f"{code[at : at + 8].hex()} begins no instruction that gates need")
    opcode, form = code[at], code[at + 1]
    kind, at = _KINDS.get(opcode), at + 2
    if kind is None:
        raise ValueError(f"{opcode:02x} is no operation that gates need")
    mode, base, offset = form >> 6, (form & 7) + high, None
    if mode != 3:
        if base not in bases or mode == 0:
            raise ValueError(f"{form:02x} is no address that gates need")
        size = 1 if mode == 1 else 4
        step = int.from_bytes(code[at : at + size], "little", signed=True) * (unit if size == 1 else 1)
        offset, at = bases[base] + step, at + size
    elif kind is not Kind.LOGIC:
        kind = Kind.COPY
    return Instruction(kind, at + (opcode == _TERNARY) - start, offset)
