"""The recipe of a subcommand: a module in `agent/commands` and its name in the table of `cli`, nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from ludens.agent import commands
from ludens.agent.commands import cli
from tests.support.paths import ROOT

TOY = '''
"""`ludens double`: doubles a number."""

HELP = "double a number"
DESCRIPTION = "Prints a number twice as large."
EXAMPLES = "example:\\n  ludens double 21"


def add_arguments(parser):
    parser.add_argument("number", type=int)


def run(args):
    print(2 * args.number)
    return 0
'''


def test_a_module_and_its_name_in_the_table_are_a_subcommand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "double.py").write_text(TOY, encoding="utf-8")
    monkeypatch.setattr(commands, "__path__", [*commands.__path__, str(tmp_path)])
    monkeypatch.setattr(cli, "COMMANDS", (*cli.COMMANDS, "double"))
    assert cli.main(["double", "21"]) == 0
    assert capsys.readouterr().out == "42\n"
    with pytest.raises(SystemExit):
        cli.main(["--help"])
    assert "double a number" in capsys.readouterr().out


def test_every_module_that_looks_like_a_subcommand_is_in_the_table() -> None:
    modules = {
        path.stem
        for path in (ROOT / "agent" / "commands").glob("*.py")
        if "\ndef add_arguments(" in path.read_text(encoding="utf-8")
    }
    assert modules == set(cli.COMMANDS)
