"""The measurement of `ludens tei` by the clock: each `go` has a legal move, and engines without one are found out."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ludens.propnet.base.errors import LudensError
from scripts.common.tei_engine import TeiEngine
from scripts.verify import tei_clocks
from scripts.verify.tei_clocks import Clocks, MoveTime, time_moves

FAKE = """
import sys
for line in sys.stdin:
    if line == "tei\\n": print("teiok", flush=True)
    if line == "isready\\n": print("readyok", flush=True)
    if line.startswith("go"): {answer}
"""


def fake(folder: Path, answer: str) -> TeiEngine:
    """An engine with one answer to each `go`."""
    program = folder / "engine.py"
    program.write_text(FAKE.format(answer=answer))
    return TeiEngine(f"{sys.executable} {program}")


def test_every_move_is_legal_while_all_processors_are_busy(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    limits = ["--size", "3", "--moves", "12", "--times", "0", "30", "--clocks", "0+0", "200+5"]
    monkeypatch.setattr(sys, "argv", ["tei_clocks", "td:nodes_mb=1", "uct:nodes_mb=16", *limits])
    assert tei_clocks.main() == 0
    rows = capsys.readouterr().out.splitlines()[2:]
    assert [row.split(" | ")[1:3] for row in rows] == [[limit, "12"] for limit in ("0", "30", "0+0", "200+5")] * 2


def test_clocks_run_for_who_is_to_move() -> None:
    clocks = Clocks("1000+20")
    assert clocks.limits(0) == ("wtime 1000 btime 1000 winc 20 binc 20", 1.0)
    clocks.press(0, 0.4)
    clocks.press(1, 5.0)
    words, left = clocks.limits(1)
    assert words == "wtime 620 btime 20 winc 20 binc 20" and left == pytest.approx(0.02)
    assert MoveTime("30").limits(1) == ("movetime 30", 0.03)


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        ('print("bestmove z9", flush=True)', "'z9' is no move in PTN"),
        ('print("bestmove a9", flush=True)', "no move in PTN"),
        ('print("info string error: no", flush=True)', "info string error: no"),
        ("sys.exit()", "has ended without bestmove"),
    ],
)
def test_engines_that_do_not_play_are_found_out(answer: str, fault: str, tmp_path: Path) -> None:
    engine = fake(tmp_path, answer)
    with pytest.raises(LudensError, match=fault):
        time_moves(engine, 3, "5", 3, seed=1)
    engine.close()


def test_programs_that_are_no_engines_are_refused() -> None:
    with pytest.raises(LudensError, match="No such file"):
        TeiEngine("/no/such/program")
    with pytest.raises(LudensError, match="has ended"):
        TeiEngine(f"{sys.executable} -c pass")
