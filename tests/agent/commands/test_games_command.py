"""`ludens games`: the built-in games and their sheets."""

from __future__ import annotations

import re

import pytest

from ludens import games
from ludens.agent.commands.exit_codes import ExitCode
from tests.support.command import status


def test_games_lists_every_game_with_its_players(capsys: pytest.CaptureFixture[str]) -> None:
    assert status("games") == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(games.names())
    assert all(re.match(r"\S+ +[1-9] players? +\S", line) for line in lines)


def test_games_shows_a_sheet_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert status("games", "--show", "nim") == 0
    assert capsys.readouterr().out.rstrip("\n") == games.read("nim").rstrip("\n")


def test_games_that_are_not_there_are_wrong_usage() -> None:
    assert status("games", "--show", "nmi") == ExitCode.WRONG_USAGE
    assert status("bench", "nmi") == ExitCode.WRONG_USAGE
