"""The roofline: instructions as the assembler writes them, counts against gates, and the arithmetic of the model."""

from __future__ import annotations

import ctypes
import platform
from dataclasses import replace

import numpy as np
import pytest

from ludens import games
from ludens.native.core import Game
from ludens.native.core.machine_code import Function, Purpose, functions
from ludens.propnet.compile.loader import load
from scripts.bench.roofline import Counts, Row, Run, count, is_loop, longest_chain, passes_over_loops, programs, table
from scripts.common.processor import Code, Core
from scripts.common.x86_64 import Instruction, Kind, instructions

# What GNU as 2.40 makes of a line, and what it does.
ASSEMBLED = [
    ("c5eddb4f20", Kind.LOGIC, 0x20),  # vpand 0x20(%rdi), %ymm2, %ymm1
    ("c4416ddfe1", Kind.LOGIC, None),  # vpandn %ymm9, %ymm2, %ymm12
    ("488db700030000", Kind.OTHER, None),  # lea 0x300(%rdi), %rsi
    ("c5fd7f5e80", Kind.STORE, 0x280),  # vmovdqa %ymm3, -0x80(%rsi)
    ("c5f96faf40120000", Kind.LOAD, 0x1240),  # vmovdqa 0x1240(%rdi), %xmm5
    ("c5fd6fe3", Kind.COPY, None),  # vmovdqa %ymm3, %ymm4
    ("62f3ed40254f0196", Kind.LOGIC, 0x40),  # vpternlogq $0x96, 0x40(%rdi), %zmm18, %zmm1
    ("6263ed4025cbf6", Kind.LOGIC, None),  # vpternlogq $0xf6, %zmm3, %zmm18, %zmm25
    ("62e1fd487f8f40230100", Kind.STORE, 0x12340),  # vmovdqa64 %zmm17, 0x12340(%rdi)
    ("62f1fd086f7f02", Kind.LOAD, 0x20),  # vmovdqa64 0x20(%rdi), %xmm7
    ("4c8d8f00200100", Kind.OTHER, None),  # lea 0x12000(%rdi), %r9
    ("62c1fd486f6180", Kind.LOAD, 0x10000),  # vmovdqa64 -0x2000(%r9), %zmm20
    ("6273e548254e7f1e", Kind.LOGIC, 0x22C0),  # vpternlogq $0x1e, 0x1fc0(%rsi), %zmm3, %zmm9
    ("6241f528ef7101", Kind.LOGIC, 0x12020),  # vpxorq 0x20(%r9), %ymm1, %ymm30
    ("c4c175db5920", Kind.LOGIC, 0x12020),  # vpand 0x20(%r9), %ymm1, %ymm3
    ("c5f877", Kind.OTHER, None),  # vzeroupper
    ("c3", Kind.OTHER, None),  # ret
]
CORE = Core(hertz=4e9, logic=4, loads=2, stores=1, width=8, line_fetch=0.5, code_fetch=16, forwarding=10)
COPY, AND, XOR = 0xF0, 0xC0, 0x3C  # tables


def function(purpose: Purpose, gates: list[tuple[list[int], int, int]]) -> Function:
    """Gates: three inputs, the output and the table."""
    inputs, outputs, tables = (np.array(column, np.int32) for column in zip(*gates, strict=True))
    return Function(purpose, inputs, outputs, tables, np.ones(len(gates), np.bool_), b"")


def test_instructions_are_read_as_the_assembler_writes_them() -> None:
    code = b"".join(bytes.fromhex(text) for text, *_ in ASSEMBLED)
    expected = [Instruction(kind, len(bytes.fromhex(text)), offset) for text, kind, offset in ASSEMBLED]
    assert list(instructions(code)) == expected


def test_other_instructions_are_refused() -> None:
    # nop, vpaddq, and other addresses: without a displacement, from a register that was not set, and in such a lea
    for text in ("90", "c5edd44f20", "c5eddb0f", "c5eddb4920", "488db600030000"):
        with pytest.raises(ValueError, match="gates need"):
            list(instructions(bytes.fromhex(text)))


@pytest.mark.parametrize("back_end", ["avx2-jit", "avx512-jit"])
@pytest.mark.parametrize("name", ["tic_tac_toe", "hex_small"])
def test_every_gate_takes_one_instruction_of_logic(back_end: str, name: str) -> None:
    written, _ = functions(Game.from_propnet(load(games.read(name))), back_end)
    for each in written:
        found = list(instructions(each.code))
        stored = {instruction.offset for instruction in found if instruction.kind is Kind.STORE}
        assert sum(instruction.kind is Kind.LOGIC for instruction in found) == (each.tables != COPY).sum()
        assert {16 * row for row in each.outputs[each.kept].tolist()} <= stored


@pytest.mark.skipif(platform.machine() != "x86_64", reason="machine code for x86-64")
def test_code_is_repeated_as_often_as_was_asked_for() -> None:
    counter = (ctypes.c_int64 * 1)()
    Code(b"\xf0\x48\x83\x07\x01", 1000, counter).run()  # lock add qword [rdi], 1
    assert list(counter) == [1000]


def test_programs_end_with_new_states() -> None:
    order = [Purpose.NETWORK, Purpose.CHOICE, Purpose.STATE]
    parts = [function(purpose, [([2, 2, 2], 3, COPY)]) for purpose in order * 2]
    assert [[part.purpose for part in program] for program in programs(parts)] == [order, order]


def test_a_loop_writes_what_it_has_read() -> None:
    gates = [([2, 5, 5], 6, AND), ([6, 6, 6], 5, COPY)]
    assert is_loop(function(Purpose.NETWORK, gates))
    assert not is_loop(function(Purpose.NETWORK, gates[:1]))
    assert not is_loop(function(Purpose.STATE, gates))


def test_the_longest_chain_counts_gates_and_rows_of_other_functions() -> None:
    first = function(Purpose.NETWORK, [([2, 3, 3], 10, AND), ([10, 2, 2], 11, XOR), ([2, 2, 2], 12, COPY)])
    second = function(Purpose.STATE, [([11, 12, 12], 13, AND), ([13, 2, 2], 14, AND)])
    assert longest_chain([first], 1) == (2, 0)
    assert longest_chain([first, second], 1) == (4, 1)


def test_counts_become_cycles_of_each_resource() -> None:
    counts = Counts(400, 5, 100, 30, 800, 64_000, 6_400, 50, 3)
    small = counts.cycles(CORE, first_code=65_000, first_rows=6_500)
    assert small == {
        "logic": 100,
        "loads": 50,
        "stores": 30,
        "chain": 80,
        "instructions": 100,
        "code from L2": 0,
        "rows from L2": 0,
    }
    large = counts.cycles(CORE, first_code=32_768, first_rows=6_000)
    assert (large["code from L2"], large["rows from L2"]) == (4000, 200)
    in_turns = replace(counts, phases=2).cycles(CORE, first_code=65_000, first_rows=6_500)
    assert (in_turns["code from L2"], in_turns["rows from L2"]) == (4000, 0)
    row = Row("chess", "avx2-jit", counts, 1.0, large, 8000.0)
    assert (row.limit, row.roof) == ("code from L2", 0.5)
    head, cells = table(Run({}, {}, [row]))
    assert dict(zip(head, cells[0], strict=True))["roof / measured %"] == "50"


def test_passes_over_loops_are_those_that_positions_need() -> None:
    net = load(games.read("hex_small"))
    game = Game.from_propnet(net)
    written, rows = functions(game, "avx2-jit")
    few, many = (passes_over_loops(net, game, written, rows, lanes) for lanes in (1, 256))
    assert 2 <= few < many  # the last one changes nothing
    once, twice = (count(programs(written)[-1], 32, passes).logic for passes in (1, 2))
    assert once < twice < 2 * once


def test_a_game_without_loops_needs_one_pass() -> None:
    net = load(games.read("tic_tac_toe"))
    game = Game.from_propnet(net)
    assert passes_over_loops(net, game, *functions(game, "avx2-jit"), 64) == 1
