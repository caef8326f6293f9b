"""The table of instruction counts: what is needed, and the floor."""

from __future__ import annotations

from scripts.bench.code_counts import Row, floors, measure, table

ROWS = [
    Row("chess", 1000, 300, 200, {"logic": 1000, "copies": 50, "loads": 900, "stores": 300, "other": 0}),
    Row("nim", 10, 5, 5, {"logic": 10, "copies": 0, "loads": 5, "stores": 5, "other": 0}),
]


def test_floors_hold_the_geometric_mean_of_all_games() -> None:
    assert floors(ROWS) == [
        "instructions / gate: 2.12 (floor 1.3, not reached), at most 2.25",
        "instructions / minimum: 1.22 (floor 1.3, reached), at most 1.50",
    ]


def test_rows_have_a_cell_for_each_column() -> None:
    head, cells = table(ROWS)
    chess = dict(zip(head, cells[0], strict=True))
    assert (chess["logic"], chess["instructions / gate"], chess["instructions / minimum"]) == ("1,000", "2.25", "1.50")


def test_every_gate_takes_one_instruction_of_logic() -> None:
    row = measure("tic_tac_toe", "neon-jit")
    assert row.counts["logic"] == row.gates
    assert row.total <= 1.3 * row.minimum
