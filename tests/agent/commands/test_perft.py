"""`ludens perft`: counts of lines of play, against known ones and against each other."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ludens.agent.api.game import load
from ludens.agent.commands.cli import main
from ludens.agent.commands.exit_codes import ExitCode
from ludens.agent.env.perft import perft
from ludens.games.tak.native_game import perft as perft_of_tak
from ludens.games.tak.notation.tps import read_tps
from ludens.games.tak.rules.reference import Position, outcome


def counts(output: str) -> list[int]:
    return [int(row.split()[1].replace(",", "")) for row in output.splitlines()]


def divided(output: str) -> dict[str, int]:
    rows = (re.split(r" {2,}", row) for row in output.splitlines()[:-1])
    return {move: int(count.replace(",", "")) for move, count in rows}


def test_lines_that_end_count_if_it_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["perft", "tic_tac_toe", "--depth", "9", "--count-ended"]) == 0
    shown = counts(capsys.readouterr().out)
    assert shown == [1, 9, 72, 504, 3024, 15120, 56160, 154944, 255168, 255168]  # 255,168 games, as is well known
    assert perft(load("tic_tac_toe"), 9) == 46080 + 81792  # those that last nine moves


@pytest.mark.parametrize("game", ["tak_3", "tak_6", "connect_four", "rock_paper_scissors", "tron"])
def test_divided_counts_add_up(game: str, capsys: pytest.CaptureFixture[str]) -> None:
    depth = "1" if game == "rock_paper_scissors" else "2"
    assert main(["perft", game, "--depth", depth, "--count-ended"]) == 0
    total = counts(capsys.readouterr().out)[-1]
    assert main(["perft", game, "--depth", depth, "--count-ended", "--divide"]) == 0
    output = capsys.readouterr().out
    assert sum(divided(output).values()) == total
    assert output.splitlines()[-1].startswith(f"{total:,} line")


def test_calls_of_the_game_core_are_short_so_that_ctrl_c_ends_them(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    depths: list[int] = []

    def recorded(position: Position, depth: int, *, count_ended: bool) -> int:
        depths.append(depth if outcome(position) is None else 0)
        return perft_of_tak(position, depth, count_ended=count_ended)

    monkeypatch.setattr("ludens.games.tak.native_game.perft", recorded)
    position = "1,1,x/x3/2,2,x 1 3"  # roads are near
    command = ["perft", "tak_3", "--tps", position, "--depth", "6"]
    for count_ended in (False, True):
        assert main([*command, *(["--count-ended"] if count_ended else [])]) == 0
        expected = [perft_of_tak(read_tps(position), depth, count_ended=count_ended) for depth in range(7)]
        assert counts(capsys.readouterr().out) == expected
    assert max(depths) == 4


def test_positions_of_tak(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["perft", "tak_5", "--tps", "x5/x2,12,x2/x5/x5/x,21C,x3 1 9", "--depth", "1"]) == 0
    assert counts(capsys.readouterr().out) == [1, 54]  # 23 squares for 2 kinds of pieces, and 8 ways for the capstone


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["tak_9"], "no built-in game is called 'tak_9'"),
        (["connect_four", "--tps", "x5/x5/x5/x5/x5 1 1"], "--tps is for positions of Tak"),
        (["tak_6", "--tps", "x5/x5/x5/x5/x5 1 1"], "has 5 ranks, and not the 6 of tak_6"),
        (["tak_5", "--tps", "x5/x5/x4/x5/x5 1 1"], "column 7"),
        (["tak_5", "--depth", "0", "--divide"], "--divide needs a depth of at least 1"),
        (["tak_5", "--depth", "-1"], "'-1' is not a whole number"),
    ],
)
def test_bad_input(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["perft", *arguments]) != 0
    assert message in capsys.readouterr().err


def test_games_that_cannot_be_counted_are_told_as_by_other_commands(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sheet = tmp_path / "my game (1).kif"
    sheet.write_text("(role a")
    assert main(["perft", "no_such_game"]) == ExitCode.WRONG_USAGE
    assert main(["perft", str(sheet)]) == ExitCode.FAULTY_INPUT
    assert "my game (1): line 1, column 1" in capsys.readouterr().err
