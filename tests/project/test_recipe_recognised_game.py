"""The recipe of a recognised game: a folder of `games` and one line in the table of `games/registry.py`.

The folder is `tests/support/toy_recogniser.py` here; nothing else is told of it.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from ludens import games
from ludens.agent.protocol.wire import Begin, GoTo, LogMessage, Ready, SearchReport, Think
from ludens.propnet.gdl.parser import parse_rules
from tests.support.engine_driver import Driver
from tests.support.paths import ROOT
from tests.support.waiting import PATIENCE

WITH_TOY = f"""
import sys
sys.path.append({str(ROOT)!r})
from ludens.games import registry
from tests.support.toy_recogniser import ToyRecogniser
registry.RECOGNISERS = (registry.RECOGNISERS[0], ToyRecogniser(), *registry.RECOGNISERS[1:])
"""


def ludens(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs the command where the table has one more line."""
    code = f"{WITH_TOY}\nfrom ludens.agent.commands.cli import main\nsys.exit(main())"
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)


def test_it_is_analysed() -> None:
    lines = [" ".join(line.split()) for line in ludens("analyse", "tic_tac_toe", "--verbose").stdout.splitlines()]
    assert "recognised as three in a row, without a proof" in lines
    assert any(line.startswith("not checkers no facts look like a board") for line in lines)


def test_its_board_and_moves_are_shown_and_recorded_in_its_notation(tmp_path: Path) -> None:
    path = tmp_path / "match.toy"
    options = ["--startclock", "600", "--playclock", "600", "--notation", "toy", "--record", str(path)]
    done = ludens("match", "tic_tac_toe", "first", "first", *options)
    assert done.returncode == 0, done.stderr
    assert "Start\n  marks: 0\n" in done.stdout
    assert "Turn 1: 1-1\n  marks: 1\n" in done.stdout
    assert path.read_text(encoding="utf-8").startswith("first against first: 1-1 ")


def test_other_games_lack_its_notation() -> None:
    done = ludens("match", "nim", "--notation", "toy")
    assert done.returncode == 1
    assert "--notation toy: nim is not recognised as three in a row: it has other moves" in done.stderr


def test_an_engine_plays_it_on_its_game_core() -> None:
    text = games.read("tic_tac_toe")
    driver = Driver(code=("-c", f"{WITH_TOY}\nfrom ludens.agent.engine import engine\nengine.main()"))
    try:
        driver.send(Begin(text, parse_rules(text).roles[0]), Think(), GoTo(()))
        assert driver.next(LogMessage).text == "recognised as three in a row, without a proof"
        driver.next(Ready)
        assert driver.next(SearchReport, machine="toy core").playouts > 0
    finally:
        driver.close()
