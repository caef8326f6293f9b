"""Matches of Tak against programs that speak its engine interface."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest

from ludens.propnet.base.errors import LudensError
from scripts.common.match_runner import Outcome
from scripts.strength.tak_match import TakTask, play

LUDENS = f"tei:{shlex.quote(sys.executable)} -P -m ludens.agent.commands.cli tei td"

CHEAT = """
for line in iter(input, "quit"):
    if line == "tei": print("teiok", flush=True)
    if line == "isready": print("readyok", flush=True)
    if line.startswith("go"): print("bestmove 3a1>111", flush=True)
"""


def game(first: str, second: str, seat: int, seconds: float = 0.05) -> Outcome:
    task = TakTask(
        game="tak_3", players=(first, second), seconds=seconds, opening=1, opening_moves=2, seat=seat, size=3
    )
    return play(task)


@pytest.mark.parametrize("seat", [0, 1])
def test_a_program_plays_both_sides(seat: int) -> None:
    outcome = game(LUDENS, "random", seat)
    assert outcome.faults == (0, 0) and outcome.score == 1


@pytest.mark.parametrize("seat", [0, 1])
def test_a_program_that_makes_an_illegal_move_has_lost(tmp_path: Path, seat: int) -> None:
    (tmp_path / "cheat.py").write_text(CHEAT)
    cheat = f"tei:{shlex.quote(sys.executable)} {tmp_path / 'cheat.py'}"
    outcome = game("td", cheat, seat)
    assert outcome.faults == (0, 1) and outcome.score == 1
    outcome = game(cheat, "random", seat)
    assert outcome.faults == (1, 0) and outcome.score == 0


def test_what_is_no_program_is_named() -> None:
    with pytest.raises(LudensError, match="no-such-engine"):
        game("tei:no-such-engine", "random", 0)
