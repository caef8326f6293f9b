"""What commands show while they work: a bar on terminals, plain lines elsewhere, nothing of what is quick."""

from __future__ import annotations

import io
import re
import threading
from types import SimpleNamespace

import pytest

from ludens.agent.commands.progress import progress, share_done
from tests.support.waiting import until

ERASED = "\x1b[2K"
"""Erases a line of a terminal."""


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_gets_a_bar_that_vanishes() -> None:
    out = Terminal()
    with progress("grounding", out) as tell:
        tell("pass 2 [of 3]")
        until(lambda: re.search(r"grounding: pass 2 \[of 3\].*[1-9]\d* s", plain(out)) is not None)
        assert "━" in out.getvalue()
    assert out.getvalue().endswith(ERASED)


def test_a_long_step_is_told_in_full_beside_the_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    step = "1,000 of 2,000 games, 14,945 games/s, loss 0.0325, 80 % won by roads, 20 min left"
    out = Terminal()
    with progress("training tak", out) as tell:
        tell(step)
        until(lambda: re.search(r"━{10}╺━{9} [1-9]", plain(out)) is not None)
    lines = plain(out).splitlines()
    assert all(len(line.rstrip()) <= 80 for line in lines)
    number, line = next((number, line) for number, line in enumerate(lines) if "╺" in line)
    found = re.fullmatch(r". training tak: (.*?) *━{10}╺━{9} [1-9]\d* s *", line)
    assert found and f"{found[1]} {lines[number + 1].strip()}" == step


@pytest.mark.parametrize(
    ("step", "share"),
    [("pass 2", None), ("15 %", 0.15), ("game 3 of 20 is over", 0.15), ("step 1,500 of 3,000", 0.5), ("0 of 0", None)],
)
def test_steps_tell_how_much_is_done(step: str, share: float | None) -> None:
    assert share_done(step) == share


def test_progress_elsewhere_is_plain_lines() -> None:
    out = io.StringIO()
    with progress("grounding", out):
        until(lambda: bool(out.getvalue()))
    assert re.fullmatch(r"(grounding … [1-9]\d* s\n)+", out.getvalue())


class TimeStandsStill(threading.Event):
    """What is waited for happens before the time is over."""

    def wait(self, timeout: float | None = None) -> bool:
        assert timeout == 1.0
        return super().wait()


@pytest.mark.parametrize("out", [io.StringIO(), Terminal()])
def test_what_is_quick_is_not_told(out: io.StringIO, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "ludens.agent.commands.progress.threading", SimpleNamespace(Thread=threading.Thread, Event=TimeStandsStill)
    )
    with progress("grounding", out):
        pass
    assert out.getvalue() == ""


def plain(out: io.StringIO) -> str:
    """What was shown, without colours."""
    return re.sub(r"\x1b\[[\d;?]*[a-zA-Z]", "", out.getvalue())
