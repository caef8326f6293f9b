"""Reads and executes, on numpy, the few ARM64 instructions that machine code of gates is made of.

Written after Arm's "Architecture Reference Manual for A-profile architecture" (DDI 0487), chapters C6 and C7, and
without the encoder of the native core, which it checks on processors of any kind.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt

_ROW = 16  # bytes
_SP = 31
_KEPT = range(8, 16)  # registers whose lower halves a function must leave as they were


class Kind(StrEnum):
    """What an instruction does."""

    LOGIC = "logic"
    COPY = "copies"
    LOAD = "loads"
    STORE = "stores"
    OTHER = "other"  # addresses, the frame of a function, returns


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction; `registers` are in the order of assembly language, the base of an address or the sum last."""

    name: str
    registers: tuple[int, ...] = ()
    value: int = 0  # a constant, or an offset in bytes

    @property
    def kind(self) -> Kind:
        """What it does. A move of a register is written as an or with itself."""
        if self.name == "orr" and self.registers[1] == self.registers[2]:
            return Kind.COPY
        if self.name in _LOGIC:
            return Kind.LOGIC
        on_frame = self.registers[-1:] == (_SP,)
        return Kind.OTHER if on_frame else _MEMORY_KINDS.get(self.name, Kind.OTHER)


_Vector = npt.NDArray[np.uint64]
_LOGIC: dict[str, Callable[..., _Vector]] = {
    "and": lambda _, n, m: n & m,
    "bic": lambda _, n, m: n & ~m,
    "orr": lambda _, n, m: n | m,
    "eor": lambda _, n, m: n ^ m,
    "bsl": lambda d, n, m: (d & n) | (~d & m),
    "bit": lambda d, n, m: (m & n) | (~m & d),
    "bif": lambda d, n, m: (m & d) | (~m & n),
    "eor3": lambda _, n, m, a: n ^ m ^ a,
    "bcax": lambda _, n, m, a: n ^ (m & ~a),
}
_MEMORY_KINDS = {"ldr": Kind.LOAD, "ldp": Kind.LOAD, "str": Kind.STORE, "stp": Kind.STORE}
_OF_TWO = {0x4E2: "and", 0x4E6: "bic", 0x4EA: "orr", 0x6E2: "eor", 0x6E6: "bsl", 0x6EA: "bit", 0x6EE: "bif"}
_PAIRS = {0xAD4: "ldp", 0xAD0: "stp", 0x6D4: "ldp d", 0x6D0: "stp d"}


def decoded(word: int) -> Instruction:
    """The instruction of a word; raises ValueError if it is none of these."""
    low, middle, high, top = word & 31, word >> 5 & 31, word >> 16 & 31, word >> 20
    name = _OF_TWO.get(top & 0xFFE)
    if name and word >> 10 & 63 == 0b000111:
        return Instruction(name, (low, middle, high))
    if top & 0xFFC == 0xCE0 and not word >> 15 & 1:
        return Instruction("bcax" if top & 2 else "eor3", (low, middle, high, word >> 10 & 31))
    if top & 0xFF8 == 0x3D8:
        return Instruction("ldr" if top & 4 else "str", (low, middle), (word >> 10 & 0xFFF) * _ROW)
    if name := _PAIRS.get(top & 0xFFC):
        offset = (word >> 15 & 127 ^ 64) - 64
        return Instruction(name, (low, word >> 10 & 31, middle), offset * (8 if name.endswith("d") else _ROW))
    if top & 0xBF8 == 0x910:
        size = (word >> 10 & 0xFFF) << (12 if word >> 22 & 1 else 0)
        return Instruction("add constant", (low, middle), -size if top & 0x400 else size)
    if top & 0xFF8 == 0xD28:
        return Instruction("movz", (low,), (word >> 5 & 0xFFFF) << 16 * (word >> 21 & 3))
    if top & 0xFFE == 0x8B0 and not word >> 10 & 63:
        return Instruction("add", (low, middle, high))
    if word == 0xD65F03C0:
        return Instruction("ret")
    raise ValueError(f"{word:08x} is no instruction that gates need")


def instructions(code: bytes) -> Iterator[Instruction]:
    """Those of a function, in order."""
    return (decoded(word) for (word,) in struct.iter_unpack("<I", code))


def execute(code: bytes, rows: _Vector) -> None:
    """Runs a function on rows `uint64[rows, words]`, and changes them. Every word is in the place of a whole row.

    Raises ValueError if the function leaves the rows, breaks a rule of calls, or does not return.
    """
    rng = np.random.default_rng(len(code))
    vectors = [rng.integers(0, 1 << 63, rows.shape[1], np.uint64) for _ in range(32)]
    before = [vectors[register] for register in _KEPT]
    general = {0: 0, _SP: 0}  # what registers hold; of others it is not known
    frame: dict[int, _Vector] = {}

    def row(register: int, offset: int) -> int:
        number, rest = divmod(general[register] + offset, _ROW)
        if rest or not 0 <= number < len(rows):
            raise ValueError("there is no such row")
        return number

    def spot(offset: int) -> int:
        if not general[_SP] <= general[_SP] + offset < 0:
            raise ValueError("this is not of the function's own frame")
        return general[_SP] + offset

    for instruction in instructions(code):
        name, registers, value = instruction.name, instruction.registers, instruction.value
        if name in _LOGIC:
            vectors[registers[0]] = _LOGIC[name](*(vectors[register] for register in (registers[0], *registers[1:])))
        elif name in {"ldr", "ldp"}:
            for i, register in enumerate(registers[:-1]):
                vectors[register] = rows[row(registers[-1], value) + i].copy()
        elif name in {"str", "stp"}:
            for i, register in enumerate(registers[:-1]):
                rows[row(registers[-1], value) + i] = vectors[register]
        elif name == "stp d":
            frame |= {spot(value): vectors[registers[0]], spot(value + 8): vectors[registers[1]]}
        elif name == "ldp d":
            vectors[registers[0]], vectors[registers[1]] = frame[spot(value)], frame[spot(value + 8)]
        elif name == "add constant":
            general[registers[0]] = general[registers[1]] + value
        elif name == "movz":
            general[registers[0]] = value
        elif name == "add":
            general[registers[0]] = general[registers[1]] + general[registers[2]]
        else:
            unchanged = all(vectors[register] is old for register, old in zip(_KEPT, before, strict=True))
            if general[_SP] != 0 or not unchanged or instruction.name != "ret":
                raise ValueError("the function does not leave registers as it should")
            return
    raise ValueError("the function does not return")
