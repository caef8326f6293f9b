"""What shells complete: commands, options, games, sheets, strategies, settings and their values."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from ludens.agent.commands.cli import main
from tests.support.paths import ROOT
from tests.support.waiting import PATIENCE

LUDENS = [sys.executable, "-P", "-m", "ludens.agent.commands.cli"]


def needs(shell: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(shutil.which(shell) is None, reason=f"{shell} is not installed")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_gets_what_it_reads_at_its_start(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    assert "_LUDENS_COMPLETE" in capsys.readouterr().out


def answers(shell: Sequence[str], code: str, folder: Path, *arguments: str) -> list[str]:
    """The lines that a shell prints which runs `code` in a folder, where `ludens` is a command."""
    command = folder / "ludens"
    command.write_text(f'#!/bin/sh\nexec {shlex.join(LUDENS)} "$@"\n')
    command.chmod(0o755)
    path = f"{folder}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [*shell, "-c", code, *arguments],
        cwd=folder,
        env=os.environ | {"PATH": path, "PYTHONPATH": str(ROOT / "src"), "HOME": str(folder)},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split("\n")[:-1]


def completed(line: str, folder: Path) -> list[str]:
    """What bash has in place of the last word of a line (what it takes for one) when Tab is pressed at its end."""
    setup = 'compopt() { echo "compopt $*"; }; eval "$(ludens completion bash)"'
    asked = f"COMP_LINE={shlex.quote(line)} COMP_POINT={len(line)}; _ludens_completion ludens"
    return answers(["bash", "--norc"], f"{setup}; {asked}; printf '%s\\n' \"${{COMPREPLY[@]}}\"", folder)


def completed_in_zsh(line: str, folder: Path) -> list[str]:
    """What zsh would put in place of the last word; `compadd` and `compdef` only work where somebody types."""
    code = """
        compdef() { }; _path_files() { print files }; compadd() { print -rl -- ${(P)@[-1]} }
        eval "$(ludens completion zsh)"
        words=(${(z)1}); [[ $1 == *" " ]] && words+=(""); CURRENT=$#words
        _ludens_completion
    """
    return answers(["zsh", "-f"], code, folder, "zsh", line)


def completed_in_fish(line: str, folder: Path) -> list[str]:
    """What fish offers in place of the last word, without what it says of each."""
    code = f"ludens completion fish | source; complete -C {shlex.quote(line)}"
    return [offer.partition("\t")[0] for offer in answers(["fish", "--no-config"], code, folder)]


OTHER_SHELLS = [
    pytest.param(completed_in_zsh, marks=needs("zsh"), id="zsh"),
    pytest.param(completed_in_fish, marks=needs("fish"), id="fish"),
]


@needs("bash")
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


@needs("bash")
def test_bash_lists_settings_of_a_player_and_none_that_a_match_has_no_use_for(tmp_path: Path) -> None:
    offered = completed("ludens match nim auto:", tmp_path)
    assert "iterations=" in offered
    assert "port=" not in offered


@pytest.mark.parametrize("complete", OTHER_SHELLS)
@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("ludens val", ["validate"]),
        ("ludens match tic_", ["tic_tac_toe"]),
        ("ludens match my_", ["my_game.kif"]),
        ("ludens match nim --playc", ["--playclock"]),
        ("ludens match nim uct:lev", ["uct:level="]),
        ("ludens match nim uct:level=1", ["uct:level=1", "uct:level=10"]),
        ("ludens match nim uct:level=3,policy=ma", ["uct:level=3,policy=mast"]),
        ("ludens serve --strategy gui", ["guided"]),
        ("ludens serve --strategy=gui", ["--strategy=guided"]),
    ],
)
def test_zsh_and_fish_complete_words(
    complete: Callable[[str, Path], list[str]], line: str, offered: list[str], tmp_path: Path
) -> None:
    (tmp_path / "my_game.kif").touch()
    assert complete(line, tmp_path) == offered


@pytest.mark.parametrize("complete", OTHER_SHELLS)
def test_zsh_and_fish_complete_files_where_any_file_may_stand(
    complete: Callable[[str, Path], list[str]], tmp_path: Path
) -> None:
    (tmp_path / "my_game.kif").touch()
    assert {"files", "my_game.kif"} & set(complete("ludens match nim --record ", tmp_path))
