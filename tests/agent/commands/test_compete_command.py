"""`ludens compete`: policies play gomoku against each other, and every turn is shown."""

from __future__ import annotations

import re
import signal

import pytest

from ludens.agent.commands.cli import main
from tests.support.command import running, wait_for
from tests.support.rows import has_row
from tests.support.waiting import PATIENCE

TURN = re.compile(r"Turn (\d+): (\S+) took \d+\.\d{3} seconds")


def compete(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    assert main(["compete", "gomoku", *arguments]) == 0
    return capsys.readouterr().out.splitlines()


def test_every_turn_and_its_board_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    shown = compete(capsys, "--board-size", "6", "--win-size", "4", "minimax:depth=1", "mcts:iterations=10")
    turns = [TURN.fullmatch(line) for line in shown if line.startswith("Turn")]
    assert all(turns)
    assert [int(turn[1]) for turn in turns if turn] == list(range(1, len(turns) + 1))
    assert [turn[2] for turn in turns[:2] if turn] == ["Minimax", "MCTS"]
    boards = [shown[i + 1 : i + 7] for i, line in enumerate(shown) if line.startswith("Turn")]
    for number, board in enumerate(boards, 1):
        text = [row.replace(" ", "") for row in board]
        assert sum(row.count("x") + row.count("o") for row in text) == number
        assert set("".join(text)) <= set("xo.")
    assert re.fullmatch(r"Score -?\d+: (.* won|nobody won) after \d+ turns?", shown[-3])


def test_the_score_counts_the_empty_cells(capsys: pytest.CaptureFixture[str]) -> None:
    shown = compete(capsys, "minimax:depth=2", "random", "--board-size", "7", "--win-size", "3")
    board = [row.replace(" ", "") for row in shown[-11:-4]]
    assert has_row(board, "x", 3)
    empty = "".join(board).count(".")
    turns = 49 - empty
    assert shown[-3] == f"Score {empty + 1}: Minimax (x) won after {turns} turns"
    assert re.fullmatch(rf"Minimax: won 1, score {empty + 1}, \d+\.\d+ seconds in {(turns + 1) // 2} turns", shown[-2])
    assert re.fullmatch(rf"Random: won 0, score {-empty - 1}, \d+\.\d+ seconds in {turns // 2} turns", shown[-1])


def test_colours_change_and_two_games_have_the_same_opening(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("minimax:depth=1", "random", "--board-size", "6", "--win-size", "4", "--opening-moves", "3")
    shown = compete(capsys, *arguments, "--games", "4")
    openings = [shown[i + 1 : i + 7] for i, line in enumerate(shown) if line.startswith("Opening of 3 stones")]
    assert openings[0] == openings[1] != openings[2] == openings[3]
    first = [match[2] for line in shown if (match := TURN.fullmatch(line)) and match[1] == "4"]
    assert first == ["Random", "Minimax"] * 2


def test_quiet_prints_results_alone(capsys: pytest.CaptureFixture[str]) -> None:
    shown = compete(capsys, "random", "random", "--board-size", "3", "--win-size", "3", "--games", "5", "--quiet")
    assert len(shown) == 7
    assert all(line.startswith("Score ") for line in shown[:5])


def test_ctrl_c_ends_a_search_of_a_native_strategy() -> None:
    with running("compete", "gomoku", "random", "uct:nodes_mb=16,iterations=1000000000000") as process:
        wait_for(process, "^Turn 1: ")
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=PATIENCE)
    assert (process.returncode, said) == (130, "ludens: interrupted\n")


def test_a_native_strategy_plays_too(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("uct:iterations=500", "random", "--board-size", "5", "--win-size", "4")
    shown = compete(capsys, *arguments, "--games", "2", "--quiet")
    assert shown[-2].startswith("Uct:iterations=500: won 2")


@pytest.mark.parametrize("size", ["1", "2", "22"])
def test_boards_of_the_smallest_and_largest_size(size: str, capsys: pytest.CaptureFixture[str]) -> None:
    shown = compete(capsys, "random", "random", "--board-size", size, "--win-size", "7", "--quiet")
    assert shown[0].startswith("Score ")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["chess", "random", "random"], "'chess' is not 'gomoku'"),
        (["gomoku", "random"], "missing argument 'POLICY'"),
        (["gomoku", "random", "minmax"], "there is no policy 'minmax'; did you mean minimax?"),
        (["gomoku", "random", "mcts:iterations=x"], "iterations must be a whole number of at least 0, not 'x'"),
        (["gomoku", "random", "uct:iterations=x"], "iterations must be a whole number, not 'x'"),
        (["gomoku", "random", "auto"], "auto does not search here: choose one of uct,"),
        (["gomoku", "random", "puzzle"], "puzzle does not search here: choose one of uct,"),
        (["gomoku", "random", "random", "--board-size", "23"], "'23' is not a whole number from 1 to 22"),
        (["gomoku", "random", "random", "--board-size", "0"], "'0' is not a whole number from 1 to 22"),
        (["gomoku", "random", "random", "--seconds", "0"], "'0' is not a number of seconds above 0"),
        (
            ["gomoku", "random", "random", "--board-size", "3", "--opening-moves", "9"],
            "--opening-moves must be less than the 9 cells of the board, not 9",
        ),
    ],
)
def test_wrong_usage_is_told_in_one_line(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compete", *arguments]) == 2
    told = capsys.readouterr().err
    assert message in told
    assert told.count("\n") == 1
