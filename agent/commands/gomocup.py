"""`ludens gomocup`: plays five in a row for a Gomocup manager, on standard input and output."""

from __future__ import annotations

import resource
import sys
from collections.abc import Iterable
from pathlib import Path

from ludens.agent.commands.line_input import LineInput
from ludens.agent.gomoku.gomocup import Session
from ludens.agent.gomoku.strategies import read_strategy

_BESIDE_MB = 64  # that a search takes besides its tree, among it the stacks of threads and the solver
_TREE_SHARE = 0.8  # of what is left then


def run(player: str) -> int:
    """Answers a manager until END or the end of standard input; raises `OptionError` or `PlayerError`."""
    session = Session(read_strategy(player), spare_mb)
    lines = LineInput(sys.stdin.fileno(), lambda text: text.strip().upper() == "END", session.hurry)
    for line in lines.lines():
        if line.too_long:
            _write(["ERROR a line is too long"])
        else:
            _write(session.answer(line.text, line.received))
    return 0


def spare_mb(limit_mb: int) -> int:
    """Returns how large a search tree may be so that this process stays below a limit; 0 or less for none."""
    return int((limit_mb - _used_mb() - _BESIDE_MB) * _TREE_SHARE)


def _used_mb() -> int:
    """Returns how much memory this process takes now; where /proc does not tell, how much it ever took."""
    try:
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    except OSError:
        unit = 1 << (20 if sys.platform == "darwin" else 10)  # bytes or KB in a MB
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // unit
    return pages * resource.getpagesize() >> 20


def _write(lines: Iterable[str]) -> None:
    for line in lines:
        sys.stdout.write(f"{line}\n")
    sys.stdout.flush()
