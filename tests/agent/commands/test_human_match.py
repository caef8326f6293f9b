"""Matches in which people choose at the terminal, as they go over a pipe: lines in, lines out."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from queue import Queue
from typing import Any

import pytest

from ludens.agent.commands.exit_codes import ExitCode
from ludens.agent.commands.line_reader import LineReader
from tests.support.paths import ROOT
from tests.support.waiting import PATIENCE

LUDENS = [sys.executable, "-P", "-m", "ludens.agent.commands.cli"]

# Two steps of one role, who may dawdle; then it is over.
STEPS = """
(role robot) (init (at 1)) (after 1 2) (after 2 3)
(<= (legal robot (step ?to)) (true (at ?at)) (after ?at ?to)) (legal robot wait)
(<= (next (at ?to)) (does robot (step ?to))) (<= (next (at ?at)) (true (at ?at)) (does robot wait))
(<= terminal (true (at 3))) (<= (goal robot 100) (true (at 3))) (<= (goal robot 0) (not (true (at 3))))
"""


class Played:
    """A match that was played over a pipe, with what was shown and its record."""

    def __init__(self, folder: Path, said: str, game: str, *arguments: str) -> None:
        file = folder / "match.json"
        command = [*LUDENS, "match", game, *arguments, "--no-archive", "--record", str(file)]
        done = subprocess.run(
            command, cwd=ROOT, input=said, capture_output=True, text=True, timeout=PATIENCE, check=False
        )
        self.code, self.shown, self.complaint = done.returncode, done.stdout, done.stderr
        self.record: dict[str, Any] = json.loads(file.read_text("utf-8")) if file.exists() else {}

    @property
    def moves(self) -> list[list[str]]:
        moves: list[list[str]] = self.record["moves"]
        return moves


@pytest.fixture
def steps(tmp_path: Path) -> str:
    sheet = tmp_path / "steps.kif"
    sheet.write_text(STEPS)
    return str(sheet)


def test_a_person_plays_a_puzzle_to_its_end_by_words_and_beginnings(steps: str, tmp_path: Path) -> None:
    it = Played(tmp_path, "wait\n  s 2\nstep 3\n", steps, "human")
    assert it.code == 0, it.complaint
    assert it.moves == [["wait"], ["(step 2)"], ["(step 3)"]]
    assert (it.record["goalValues"], it.record["isCompleted"]) == ([100], True)
    assert it.record["isPlayerHuman"] == [True]
    assert "robot, your move (2 moves): " in it.shown
    assert "Result after 3 turns:" in it.shown


def test_a_move_is_taken_back_and_not_in_the_record(steps: str, tmp_path: Path) -> None:
    it = Played(tmp_path, "undo\ns\nwait\nundo\nundo\nwait\ns\ns\n", steps, "human")
    assert it.moves == [["wait"], ["(step 2)"], ["(step 3)"]]
    assert "there is no move to take back" in it.shown
    assert "Back after turn 1" in it.shown
    assert len(it.record["states"]) == len(it.record["stateTimes"]) == 4


def test_who_quits_has_a_record_of_a_match_broken_off(steps: str, tmp_path: Path) -> None:
    it = Played(tmp_path, "wait\nquit\n", steps, "human")
    assert it.code == 0
    assert (it.record["isAborted"], it.record["ending"]) == (True, "interrupted")
    assert it.moves == [["wait"]]
    assert "Aborted after 1 turn." in it.shown


def test_a_record_says_when_its_match_began(steps: str, tmp_path: Path) -> None:
    it = Played(tmp_path, "wait\nquit\n", steps, "human")
    assert it.record["startTime"] == it.record["stateTimes"][0]


def test_the_end_of_the_input_ends_the_match_too(steps: str, tmp_path: Path) -> None:
    assert Played(tmp_path, "wait\n", steps, "human").record["ending"] == "interrupted"


def test_what_is_unclear_is_told_and_asked_again(steps: str, tmp_path: Path) -> None:
    it = Played(tmp_path, "\njump\n? step\nboard\ns\ns\n", steps, "human")
    assert it.record["isCompleted"]
    assert "'jump' is no legal move" in it.shown
    assert "\n  1) step 2\n" in it.shown or "\n  2) step 2\n" in it.shown


def test_a_person_plays_an_opponent_with_a_level_and_a_hint(tmp_path: Path) -> None:
    it = Played(tmp_path, "hint\nmark 2 2\nquit\n", "tic_tac_toe", "human", "auto:level=1", "--seed", "1")
    assert it.code == 0, it.complaint
    assert "thinking" in it.shown
    assert "no hint" not in it.shown
    assert it.moves[0] == ["(mark 2 2)", "noop"]
    assert len(it.moves) == 2  # the opponent has answered before the person was asked again
    assert it.record["errors"] == [["", ""]] * 3
    assert it.record["playerNamesFromHost"] == ["human", "auto:level=1"]


def test_several_people_choose_at_once_one_after_the_other(tmp_path: Path) -> None:
    it = Played(tmp_path, "bid 5\nbid 1\nbid 4\nundo\nbid 3\nbid 2\nquit\n", "goofspiel", "human", "human")
    assert it.moves == [["(bid 5)", "(bid 1)"], ["(bid 3)", "(bid 2)"]]
    assert it.shown.index("red, your move (5 moves)") < it.shown.index("blue, your move (5 moves)")


def test_roles_left_over_are_played_at_random(tmp_path: Path) -> None:
    it = Played(tmp_path, "1\nquit\n", "connect_four_three", "human")
    assert it.record["playerNamesFromHost"] == ["human", "random", "random"]
    assert len(it.moves) == 3


def test_no_clock_runs_for_a_person_unless_asked_for(steps: str, tmp_path: Path) -> None:
    file = tmp_path / "match.json"
    command = [*LUDENS, "match", steps, "human", "--playclock", "0.01", "--no-archive", "--record", str(file)]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as match:
        assert match.stdin is not None
        assert match.stdout is not None
        read_until(match, "your move")
        time.sleep(0.2)  # twenty clocks
        match.stdin.write("wait\nquit\n")
        match.stdin.close()
        match.stdout.read()
    record = json.loads(file.read_text("utf-8"))
    assert record["errors"] == [[""], [""]]
    assert record["moves"] == [["wait"]]


def test_a_clock_that_is_asked_for_runs_out(tmp_path: Path) -> None:
    file = tmp_path / "match.json"
    options = ("--time-people", "--playclock", "0.01", "--no-archive", "--record", str(file))
    command = [*LUDENS, "match", "tic_tac_toe", "human", "human", *options]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as match:
        assert match.stdout is not None
        assert "the time is over" in match.stdout.read()  # to its end, though nobody says anything
        assert match.wait(PATIENCE) == ExitCode.PLAYER_FAILED
    record = json.loads(file.read_text("utf-8"))
    assert record["isCompleted"]
    assert record["errors"][1] == ["TO", ""]


class Terminal(io.TextIOWrapper):
    """A terminal on which some bytes are typed."""

    def isatty(self) -> bool:
        return True


class Waiting:
    """A reactor that keeps what is to be called."""

    def __init__(self) -> None:
        self.calls: Queue[tuple[Callable[[object], object], object]] = Queue()

    def callFromThread(self, function: Callable[[object], object], argument: object) -> None:  # noqa: N802
        self.calls.put((function, argument))


def test_a_letter_that_cannot_be_decoded_does_not_end_the_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", Terminal(io.BytesIO(b"d\xe9\nwait\n"), encoding="utf-8"))
    monkeypatch.setattr(sys, "stdout", Terminal(io.BytesIO(), encoding="utf-8"))
    reader = LineReader(reactor := Waiting())
    for expected in ("d\ufffd", "wait"):
        reader.ask("> ", lambda _text: ())
        deliver, line = reactor.calls.get(timeout=PATIENCE)
        assert line == expected
        deliver(line)


def test_ctrl_c_at_the_prompt_ends_the_match_with_a_record(steps: str, tmp_path: Path) -> None:
    file = tmp_path / "match.json"
    command = [*LUDENS, "match", steps, "human", "--no-archive", "--record", str(file)]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as match:
        read_until(match, "your move")
        match.send_signal(signal.SIGINT)
        assert match.wait(PATIENCE) == ExitCode.INTERRUPTED
    assert json.loads(file.read_text("utf-8"))["ending"] == "interrupted"


@pytest.mark.parametrize("said", ["wait\nstep 2\n", ""])
def test_a_match_that_cannot_be_shown_any_more_is_broken_off_with_a_record(
    said: str, steps: str, tmp_path: Path
) -> None:
    file = tmp_path / "match.json"
    command = [*LUDENS, "match", steps, "human", "--no-archive", "--record", str(file)]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as match:
        read_until(match, "your move")
        assert match.stdin is not None and match.stdout is not None
        match.stdout.close()
        match.stdin.write(said)
        match.stdin.close()
        assert match.wait(PATIENCE) == ExitCode.FAULTY_INPUT
    assert json.loads(file.read_text("utf-8"))["ending"] == "interrupted"


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (("--verbose",), "--verbose does not go with a human player"),
        (("--scramble",), "--scramble does not go with a human player"),
        (("--notation", "pdn"), "--notation does not go with a human player"),
        (("--record", "game.pdn"), "matches of people are written in JSON"),
        (("--record", "game.PDN"), "matches of people are written in JSON"),
    ],
)
def test_what_does_not_go_with_people_is_refused(options: tuple[str, ...], complaint: str) -> None:
    command = [*LUDENS, "match", "english_draughts", "human", *options]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == ExitCode.WRONG_USAGE
    assert complaint in done.stderr


def read_until(match: subprocess.Popen[str], words: str) -> None:
    """Reads what a match shows until some words have come."""
    assert match.stdout is not None
    shown = ""
    while words not in shown:
        piece = os.read(match.stdout.fileno(), 1 << 16).decode()
        assert piece, f"the match has ended without {words!r}: {shown}"
        shown += piece
