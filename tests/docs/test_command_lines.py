"""Command lines that pages and help show are taken by the commands, also those that no test runs."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path

import click
import pytest

from ludens.agent.commands.cli import COMMANDS, command_line
from ludens.agent.commands.exit_codes import ExitCode
from tests.docs import blocks
from tests.support.paths import ROOT

CALL = re.compile(r"(?:^ *|[|(] *|\w=\S* )ludens +([a-z].*)", re.MULTILINE)
WRONG = f"test $? -eq {ExitCode.WRONG_USAGE:d}"  # stands behind what is wrong on purpose


def calls(text: str) -> Iterator[list[str]]:
    """The arguments of each call of ludens in lines of a shell, as far as a comment, a pipe or the like."""
    for call in CALL.findall(text.replace("\\\n", " ")):
        if WRONG not in call:
            words = shlex.shlex(call, posix=True, punctuation_chars=True)
            words.whitespace_split = True
            yield list(takewhile(lambda word: not set(word) <= set("|&;<>()"), words))


def in_pages() -> Iterator[tuple[Path, list[str]]]:
    for page in blocks.PAGES:
        for block in blocks.blocks(page):
            if block.language in ("sh", "text") and block.exit_status != ExitCode.WRONG_USAGE:
                yield from ((page, call) for call in calls(block.body))


def take(arguments: list[str]) -> None:
    """Has a command read its arguments; raises `click.ClickException` for those that it does not take."""
    with command_line.make_context("ludens", list(arguments)) as group:
        name, command, rest = command_line.resolve_command(group, list(arguments))
        assert command is not None
        command.make_context(name, rest, parent=group).close()


@pytest.fixture(autouse=True)
def without_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """Has commands take files that other commands would write."""
    monkeypatch.setattr(click.Path, "convert", lambda _self, value, _parameter, _context: value)


def test_commands_take_the_command_lines_of_pages() -> None:
    shown = list(in_pages())
    assert len(shown) > 100
    for page, arguments in shown:
        try:
            take(arguments)
        except click.ClickException as error:
            pytest.fail(f"{page.relative_to(ROOT)}: ludens {shlex.join(arguments)}: {error.format_message()}")


@pytest.mark.parametrize("name", COMMANDS)
def test_commands_take_the_examples_of_their_help(name: str) -> None:
    command = command_line.get_command(click.Context(command_line), name)
    assert command is not None
    examples = list(calls(re.sub(r"(?<=\S)  +.*", "", command.epilog or "")))  # without what is said beside them
    assert examples
    for arguments in examples:
        take(arguments)


def test_calls_are_found_among_the_other_words_of_a_shell() -> None:
    text = 'printf x | ludens tei 1 "a b" > file  # all\nA=1 ludens bench\nimport ludens games\n'
    text += f"ludens match \\\n  nim || true\nludens no_such || {WRONG}\n"
    assert list(calls(text)) == [["tei", "1", "a b"], ["bench"], ["match", "nim"]]


def test_a_command_line_with_an_option_that_does_not_exist_is_noticed() -> None:
    with pytest.raises(click.NoSuchOption):
        take(["match", "nim", "--no-such-option"])
