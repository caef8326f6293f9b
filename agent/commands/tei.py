"""`ludens tei`: plays Tak for a program that speaks the Tak engine interface, on standard input and output."""

from __future__ import annotations

import sys
import threading

from ludens.agent.commands.line_input import LineInput
from ludens.agent.tak.tei import Session, read_strategy

_LONGEST = 1 << 16  # bytes of a line: a position with the moves of a whole game


def run(player: str) -> int:
    """Answers a program until `quit` or the end of standard input.

    Raises `OptionError`, `PlayerError` or `WeightsError` for a player that cannot play.
    """
    session = Session(read_strategy(player), _Output().say)
    lines = LineInput(sys.stdin.fileno(), lambda text: text.split() == ["quit"], session.hurry, _LONGEST)
    try:
        for line in lines.lines():
            if line.too_long:
                session.complain("a line is too long")
            else:
                session.answer(line.text, line.received)
    finally:
        session.close()  # also on Ctrl-C: what a thread searches must not be freed meanwhile
    return 0


class _Output:
    """Standard output, for lines from several threads; what nobody reads any more is lost."""

    def __init__(self) -> None:
        self._writing = threading.Lock()

    def say(self, line: str) -> None:
        """Writes a line at once."""
        with self._writing:
            try:
                sys.stdout.write(f"{line}\n")
                sys.stdout.flush()
            except BrokenPipeError:
                pass
