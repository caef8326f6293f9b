"""Says in one line what code of the user's own has raised."""

from __future__ import annotations


def describe_failure(error: BaseException) -> str:
    """Returns in one line what was raised, and where."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = f" ({trace.tb_frame.f_code.co_filename}, line {trace.tb_lineno})" if trace else ""
    text = " ".join(str(error).split())[:200]
    return f"{type(error).__name__}{': ' if text else ''}{text}{place}"
