"""What shells complete: commands, options, games, sheets, strategies, settings and their values."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ludens.agent.commands.cli import main
from tests.support.paths import ROOT
from tests.support.waiting import PATIENCE

LUDENS = [sys.executable, "-P", "-m", "ludens.agent.commands.cli"]

needs_bash = pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_gets_what_it_reads_at_its_start(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    assert "_LUDENS_COMPLETE" in capsys.readouterr().out


def completed(line: str, folder: Path) -> list[str]:
    """What bash has in place of the last word of a line (what it takes for one) when Tab is pressed at its end."""
    command = folder / "ludens"
    command.write_text(f'#!/bin/sh\nexec {shlex.join(LUDENS)} "$@"\n')
    command.chmod(0o755)
    setup = 'compopt() { echo "compopt $*"; }; eval "$(ludens completion bash)"'
    asked = f"COMP_LINE={shlex.quote(line)} COMP_POINT={len(line)}; _ludens_completion ludens"
    code = f"{setup}; {asked}; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    path = f"{folder}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "--norc", "-c", code],
        cwd=folder,
        env=os.environ | {"PATH": path, "PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split("\n")[:-1]


@needs_bash
@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("ludens val", ["validate"]),
        ("ludens match tic_", ["tic_tac_toe"]),
        ("ludens match my_", ["my_game.kif"]),
        ("ludens match nim alph", ["alphabeta"]),
        ("ludens validate rules/oth", ["rules/other.kif"]),
        ("ludens match nim --playc", ["--playclock"]),
        ("ludens match nim uct:lev", ["compopt -o nospace", "level="]),
        ("ludens match nim uct:level=1", ["1", "10"]),
        ("ludens match nim uct:level=3,policy=ma", ["mast"]),
        ("ludens serve --strategy gui", ["guided"]),
        ("ludens serve --strategy=gui", ["guided"]),
        ("ludens match nim --record ", ["compopt -o default", ""]),
    ],
)
def test_bash_completes_words(line: str, offered: list[str], tmp_path: Path) -> None:
    (tmp_path / "my_game.kif").touch()
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules" / "other.kif").touch()
    assert completed(line, tmp_path) == offered


@needs_bash
def test_bash_lists_settings_of_a_player_and_none_that_a_match_has_no_use_for(tmp_path: Path) -> None:
    offered = completed("ludens match nim auto:", tmp_path)
    assert "iterations=" in offered
    assert "port=" not in offered
