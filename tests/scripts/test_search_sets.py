"""The table of searches by instruction set: ratios to OpenSpiel, floors, and that each set is what searches."""

from __future__ import annotations

import subprocess
import sys

import pytest

from ludens.propnet.base.errors import LudensError
from scripts.bench.search_sets import Row, floors, rate_on, table, worker_of
from tests.support.paths import ROOT
from tests.support.waiting import PATIENCE

ROWS = [
    Row("hex", {"avx512-jit": 4e5, "avx2-jit": 3e5, "avx2": 1e5}, 1e4),
    Row("pentago", {"avx512-jit": 4e5, "avx2-jit": 3e5, "avx2": 1e5}, 1e4),
    Row("connect_four", {"avx2-jit": 15e4, "avx2": 1e5}, 1e4),
]


def test_floors_are_told_of_games_that_have_one_and_of_sets_that_were_measured() -> None:
    assert floors(ROWS) == [
        "hex: avx2-jit × 30.0 (floor 28, reached), 0.75 (floor 0.8, not reached) of avx512-jit",
        "connect_four: avx2-jit × 15.0 (floor 16, not reached)",
    ]


def test_tables_are_made_where_a_process_cannot_be_bound_to_processors() -> None:
    code = "import os; del os.sched_getaffinity; from scripts.bench import search_sets, table"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT, timeout=PATIENCE)


def test_rows_have_a_cell_for_each_column() -> None:
    head, cells = table(ROWS[:2])
    row = dict(zip(head, cells[0], strict=True))
    assert (row["avx512-jit"], row["OpenSpiel"], row["avx2-jit × OpenSpiel"]) == ("400", "10.0", "30.0")


def test_a_worker_searches_with_its_own_instruction_set_alone() -> None:
    with worker_of("baseline") as worker:
        assert worker.submit(rate_on, "connect_four", "baseline", 0.02).result() > 0
        with pytest.raises(LudensError, match="on baseline, not on avx2"):
            worker.submit(rate_on, "connect_four", "avx2", 0.02).result()
