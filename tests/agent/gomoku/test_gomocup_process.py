"""`ludens gomocup` as a process: it hears its manager while it thinks, and ends with its input, whatever comes."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import pytest

from ludens.agent.commands.cli import main
from ludens.agent.commands.gomocup import spare_mb
from ludens.agent.commands.line_input import LineInput
from ludens.agent.gomoku.gomocup import Session
from ludens.agent.gomoku.strategies import read_strategy
from tests.support.gomocup_manager import MOVE, Brain, brain, say
from tests.support.waiting import PATIENCE, until

LONG = "INFO timeout_turn 100000000"  # more than a day
GAME = f"ABOUT\r\nSTART 15\r\n{LONG}\r\nBEGIN\r\nTURN 8,8\r\nTAKEBACK 8,8\r\nBOARD\r\n7,7,1\r\nDONE\r\nEND".encode()


def is_thinking(process_id: int) -> bool:
    """Whether a process has used so much of the processor that it cannot be doing anything else."""
    fields = Path(f"/proc/{process_id}/stat").read_text("ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK") > 2.0


def begin_to_think(manager: Brain) -> None:
    manager.send(LONG)
    assert manager.ask("START 15") == "OK"
    manager.send("TURN 7,7")
    until(lambda: is_thinking(manager.process.pid))


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="the use of the processor is read from /proc")
@pytest.mark.parametrize(
    ("player", "ending"),
    [
        ("uct:nodes_mb=16", b"END\r\n"),
        ("uct:nodes_mb=16", b""),
        ("uct:nodes_mb=16", b"EN"),
        ("uct:nodes_mb=16", b"INFO time_left 5"),
        ("patterns", b"END\r\n"),
    ],
)
def test_it_ends_in_the_middle_of_a_thought(player: str, ending: bytes) -> None:
    with brain(player) as manager:
        begin_to_think(manager)
        if ending:
            manager.send(ending)
        if not ending.startswith(b"END"):
            manager.close()
        said, complaints, status = manager.rest()
    lines = said.decode().splitlines()
    assert MOVE.fullmatch(lines[0])
    assert lines[1:] == ([] if ending != b"EN" else ["UNKNOWN there is no command 'EN'"])
    assert (complaints, status) == (b"", 0)


def test_a_match_with_a_manager() -> None:
    with brain() as manager:
        assert manager.ask("ABOUT").startswith('name="Ludens"')
        assert manager.ask("START 20") == "OK"
        manager.send("INFO rule 1")
        manager.send("INFO max_memory 209715200")
        assert manager.ask("BEGIN") == "10,10"
        assert MOVE.fullmatch(manager.ask("TURN 11,11"))
        assert manager.ask("WHAT").startswith("UNKNOWN ")
        manager.send("END")
        assert manager.rest() == (b"", b"", 0)


def test_everything_that_came_before_the_end_is_answered() -> None:
    assert say(b"START 15\nINFO timeout_turn 100000000\nBEGIN\nEND\nABOUT\n", "uct") == (["OK", "7,7"], "", 0)
    said, complaints, status = say(GAME, "uct")
    assert (len(said), complaints, status) == (6, "", 0)


def test_long_lines_and_garbage_have_one_answer_each() -> None:
    garbage = bytes(range(1, 10)) + bytes(range(11, 256)) + b"\n"
    said, complaints, status = say(b"a" * 1_000_000 + b"\r\n" + garbage + b"\x00" * 3000 + b"\nSTART 15\n")
    assert said[0] == "ERROR a line is too long"
    assert [line.partition(" ")[0] for line in said] == ["ERROR", "UNKNOWN", "UNKNOWN", "OK"]
    assert (complaints, status) == ("", 0)


def test_a_manager_that_no_longer_listens_ends_it() -> None:
    with brain() as manager:
        assert manager.ask("START 15") == "OK"
        assert manager.process.stdout
        manager.process.stdout.close()
        manager.send("ABOUT")
        manager.close()
        assert manager.process.wait(PATIENCE) in (0, 1)
        assert manager.process.stderr
        assert manager.process.stderr.read() == b""


@pytest.mark.parametrize("cut", range(len(GAME) + 1))
def test_input_may_end_at_any_byte(cut: int) -> None:
    reading, writing = os.pipe()
    session = Session(read_strategy("uct:nodes_mb=16"), lambda limit: 16)
    lines = LineInput(reading, lambda text: text == "END", session.hurry)
    os.write(writing, GAME[:cut])
    os.close(writing)
    answers = [answer for line in lines.lines() for answer in session.answer(line.text, line.received)]
    os.close(reading)
    assert len(answers) <= 7
    assert not any(line.name in ("line input", "end of input") for line in threading.enumerate())


def test_a_flood_of_lines_waits_until_it_is_read() -> None:
    reading, writing = os.pipe()
    ended = threading.Event()
    lines = LineInput(reading, lambda text: False, ended.set)

    def feed() -> None:
        os.write(writing, b"x\n" * 30_000)
        os.close(writing)

    feeder = threading.Thread(target=feed)
    feeder.start()
    assert sum(1 for line in lines.lines() if line.text == "x") == 30_000
    feeder.join()
    os.close(reading)


def test_a_limit_of_memory_leaves_less_for_the_tree() -> None:
    assert spare_mb(1) <= 0
    assert 0 < spare_mb(10_000) < 10_000
    assert spare_mb(10_100) > spare_mb(10_000)


@pytest.mark.parametrize(
    ("player", "message"),
    [
        ("random", "random does not search here"),
        ("auto", "auto does not search here"),
        ("uct:threads=x", "threads must be a whole number"),
        ("ucd", "there is no strategy 'ucd'; did you mean uct?"),
    ],
)
def test_players_that_cannot_search_are_refused(player: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["gomocup", player]) == 2
    assert message in capsys.readouterr().err


def test_moments_are_those_of_the_arrival() -> None:
    reading, writing = os.pipe()
    before = time.monotonic()
    os.write(writing, b"START 15\n")
    os.close(writing)
    lines = list(LineInput(reading, lambda text: False, lambda: None).lines())
    os.close(reading)
    assert before <= lines[0].received <= time.monotonic()
