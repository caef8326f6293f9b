"""The recipe of a subcommand: a module that declares it, one that does the work, and its name in the table of `cli`."""

from __future__ import annotations

from pathlib import Path

import pytest

from ludens.agent import commands
from ludens.agent.commands import cli, interface
from tests.support.paths import ROOT

DECLARATION = '''
"""The command line of `ludens double`."""

import click

from ludens.agent.commands.interface.declare import declare


@declare("double", examples="  ludens double 21")
@click.argument("number", type=int)
def command(number):
    """Double a number.

    Prints a number twice as large.
    """
    from ludens.agent.commands import double

    return double.run(number)
'''
WORK = '''
"""`ludens double`: doubles a number."""


def run(number):
    print(2 * number)
    return 0
'''


@pytest.fixture
def double(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Adds the toy by the recipe."""
    for package, text in ((commands, WORK), (interface, DECLARATION)):
        folder = tmp_path / package.__name__
        folder.mkdir()
        (folder / "double.py").write_text(text, encoding="utf-8")
        monkeypatch.setattr(package, "__path__", [*package.__path__, str(folder)])
    monkeypatch.setattr(cli, "COMMANDS", (*cli.COMMANDS, "double"))


@pytest.mark.usefixtures("double")
def test_two_modules_and_a_name_in_the_table_are_a_subcommand(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["double", "21"]) == 0
    assert capsys.readouterr().out == "42\n"
    assert cli.main(["--help"]) == 0
    assert "Double a number." in capsys.readouterr().out
    assert cli.main(["double", "--help"]) == 0
    assert "Prints a number twice as large." in capsys.readouterr().out
    assert cli.main(["double"]) == 2
    assert capsys.readouterr().err == "ludens: missing argument 'NUMBER' (see `ludens double --help`)\n"


def test_every_module_that_declares_a_subcommand_is_in_the_table() -> None:
    modules = {
        path.stem
        for path in (ROOT / "agent" / "commands" / "interface").glob("*.py")
        if "\ndef command(" in path.read_text(encoding="utf-8")
    }
    assert modules == set(cli.COMMANDS)
