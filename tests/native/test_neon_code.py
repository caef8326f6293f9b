"""Machine code for NEON on any processor: as Arm's assembler writes it, and as its gates say, row for row."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from ludens import games
from ludens.native.core import Game
from ludens.native.core.machine_code import Function, functions
from ludens.propnet.base.errors import NativeError
from ludens.propnet.compile.loader import compile_rules, load
from ludens.propnet.gdl.parser import parse_rules
from ludens.propnet.rewrite import narrow
from scripts.common.arm64 import Instruction, Kind, decoded, execute, instructions
from scripts.common.random_networks import random_network
from tests.support.looped_sheets import LOOPS

BACK_ENDS = ("neon-jit", "neon-jit+sha3")

# What GNU as 2.40 makes of each line.
ASSEMBLED = {
    "and v0.16b, v1.16b, v2.16b": (0x4E221C20, Instruction("and", (0, 1, 2))),
    "bic v31.16b, v30.16b, v29.16b": (0x4E7D1FDF, Instruction("bic", (31, 30, 29))),
    "orr v7.16b, v16.16b, v8.16b": (0x4EA81E07, Instruction("orr", (7, 16, 8))),
    "mov v7.16b, v16.16b": (0x4EB01E07, Instruction("orr", (7, 16, 16))),
    "eor v15.16b, v0.16b, v31.16b": (0x6E3F1C0F, Instruction("eor", (15, 0, 31))),
    "bsl v1.16b, v2.16b, v3.16b": (0x6E631C41, Instruction("bsl", (1, 2, 3))),
    "bit v4.16b, v5.16b, v6.16b": (0x6EA61CA4, Instruction("bit", (4, 5, 6))),
    "bif v17.16b, v18.16b, v19.16b": (0x6EF31E51, Instruction("bif", (17, 18, 19))),
    "eor3 v20.16b, v21.16b, v22.16b, v23.16b": (0xCE165EB4, Instruction("eor3", (20, 21, 22, 23))),
    "bcax v24.16b, v25.16b, v26.16b, v27.16b": (0xCE3A6F38, Instruction("bcax", (24, 25, 26, 27))),
    "ldr q3, [x0]": (0x3DC00003, Instruction("ldr", (3, 0))),
    "ldr q30, [x17, #65520]": (0x3DFFFE3E, Instruction("ldr", (30, 17), 65520)),
    "str q9, [x1, #16]": (0x3D800429, Instruction("str", (9, 1), 16)),
    "ldp q2, q31, [x0, #1008]": (0xAD5FFC02, Instruction("ldp", (2, 31, 0), 1008)),
    "stp q4, q5, [x0]": (0xAD001404, Instruction("stp", (4, 5, 0))),
    "stp d8, d9, [sp]": (0x6D0027E8, Instruction("stp d", (8, 9, 31))),
    "stp d14, d15, [sp, #48]": (0x6D033FEE, Instruction("stp d", (14, 15, 31), 48)),
    "ldp d10, d11, [sp, #16]": (0x6D412FEA, Instruction("ldp d", (10, 11, 31), 16)),
    "sub sp, sp, #64": (0xD10103FF, Instruction("add constant", (31, 31), -64)),
    "add sp, sp, #64": (0x910103FF, Instruction("add constant", (31, 31), 64)),
    "add x1, x0, #65536": (0x91404001, Instruction("add constant", (1, 0), 65536)),
    "add x17, x0, #16711680": (0x917FC011, Instruction("add constant", (17, 0), 16711680)),
    "mov x5, #16777216": (0xD2A02005, Instruction("movz", (5,), 16777216)),
    "add x5, x0, x5": (0x8B050005, Instruction("add", (5, 0, 5))),
    "ret": (0xD65F03C0, Instruction("ret")),
}


def evaluate(function: Function, rows: npt.NDArray[np.uint64]) -> None:
    """Works out gate after gate as a sum of products, and changes the rows."""
    for inputs, output, table in zip(
        function.inputs.tolist(), function.outputs.tolist(), function.tables.tolist(), strict=True
    ):
        result = np.zeros_like(rows[0])
        for case in range(8):
            if table >> case & 1:
                result |= np.bitwise_and.reduce(
                    [rows[row] if case >> 2 - place & 1 else ~rows[row] for place, row in enumerate(inputs)]
                )
        rows[output] = result


def compare(game: Game, back_end: str) -> set[str]:
    """Holds NEON code to the gates, of two inputs, of AVX2; returns the names of its instructions."""
    expected, expected_rows = functions(game, "avx2-jit")
    written, written_rows = functions(game, back_end)
    rng, names = np.random.default_rng(len(expected)), set()
    for gates, code in zip(expected, written, strict=True):
        used = 1 + max((int(part.outputs.max()) for part in (gates, code) if len(part.outputs)), default=0)
        rows = rng.integers(0, 1 << 64, (max(used, expected_rows, written_rows), 2), np.uint64)
        rows[0], rows[1] = 0, ~np.uint64(0)  # as they always are
        before, theirs = rows.copy(), rows.copy()
        evaluate(gates, theirs)
        execute(code.code, rows)
        kept = np.unique(gates.outputs[gates.kept])
        assert (rows[kept] == theirs[kept]).all()
        read = np.setdiff1d(gates.inputs, gates.outputs)
        assert (rows[read] == before[read]).all()
        assert set(kept) == set(code.outputs[code.kept])
        names |= {instruction.name for instruction in instructions(code.code)}
    return names


@pytest.mark.parametrize("line", ASSEMBLED)
def test_words_are_read_as_the_assembler_writes_them(line: str) -> None:
    word, instruction = ASSEMBLED[line]
    assert decoded(word) == instruction


def test_other_words_are_refused() -> None:
    for word in (0, 0xFFFFFFFF, 0x4E221C20 ^ 1 << 10, 0xD65F03C1):
        with pytest.raises(ValueError, match="is no instruction"):
            decoded(word)


@pytest.mark.parametrize("back_end", BACK_ENDS)
@pytest.mark.parametrize("seed", range(0, 40, 8))
def test_code_of_random_networks_does_what_their_gates_say(back_end: str, seed: int) -> None:
    names = set()
    for number in range(seed, seed + 8):
        names |= compare(Game.from_propnet(random_network(np.random.default_rng(number))), back_end)
    assert {"and", "bic", "orr", "eor", "ldr", "str", "ret"} < names
    assert names & {"bsl", "bit", "bif"}
    assert bool(names & {"eor3", "bcax"}) == back_end.endswith("sha3")


@pytest.mark.parametrize("back_end", BACK_ENDS)
def test_code_of_loops_does_what_their_gates_say(back_end: str) -> None:
    for number in range(40):
        compare(Game.from_propnet(random_network(np.random.default_rng(number), looped=True)), back_end)
    for rules in LOOPS.values():
        compare(Game.from_propnet(compile_rules(narrow(parse_rules(rules)), lambda _line: None).net), back_end)


@pytest.mark.parametrize("back_end", BACK_ENDS)
@pytest.mark.parametrize("name", ["tic_tac_toe", "hex", "english_draughts"])
def test_code_of_games_does_what_their_gates_say(back_end: str, name: str) -> None:
    compare(Game.from_propnet(load(games.read(name))), back_end)


def test_rows_far_away_are_reached() -> None:
    """A network of several thousand rows: their offsets do not fit into an instruction."""
    far = [
        instruction
        for function in functions(Game.from_propnet(load(games.read("amazons"))), "neon-jit")[0]
        for instruction in instructions(function.code)
        if instruction.kind is Kind.OTHER
    ]
    assert any(instruction.name == "add constant" and instruction.registers[1] == 0 for instruction in far)


def test_an_unknown_back_end_is_refused() -> None:
    with pytest.raises(NativeError, match='no machine code for "sse"'):
        functions(Game.from_propnet(load(games.read("tic_tac_toe"))), "sse")
