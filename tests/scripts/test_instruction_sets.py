"""The table of speeds by instruction set: ratios, geometric means, and floors."""

from __future__ import annotations

from scripts.bench.instruction_sets import Row, floors, table

ROWS = [
    Row("chess", 1000, {"avx512-jit": 4e6, "avx2-jit": 2e6, "avx2": 5e5, "baseline": 1e5}, 1e4),
    Row("nim", 10, {"avx512-jit": 8e6, "avx2-jit": 1e6, "avx2": 1e6, "baseline": 1e5}, None),
]


def test_floors_hold_the_geometric_mean_of_all_games() -> None:
    assert floors(ROWS) == [
        "avx2-jit / avx512-jit: 0.25 (floor 0.45, not reached)",
        "avx2-jit / avx2: 2.00 (floor 2, reached)",
    ]


def test_floors_are_told_only_of_what_was_measured() -> None:
    lesser = [Row("nim", 10, {"avx2-jit": 3e6, "avx2": 1e6}, None)]
    assert floors(lesser) == ["avx2-jit / avx2: 3.00 (floor 2, reached)"]


def test_rows_have_a_cell_for_each_column() -> None:
    head, cells = table(ROWS)
    chess, nim = (dict(zip(head, row, strict=True)) for row in cells)
    assert (chess["avx512-jit"], chess["avx2-jit / avx512-jit"], chess["avx2-jit / avx2"]) == ("4.0", "0.50", "4.00")
    assert (chess["avx2-jit × OpenSpiel"], nim["avx2-jit × OpenSpiel"]) == ("200.0", "–")
    assert not any("OpenSpiel" in column for column in table(ROWS[1:])[0])
