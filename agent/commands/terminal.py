"""Prints any text on any terminal: how wide lines are, and what replaces characters that it lacks or would obey.

`→` becomes `->` on a terminal in latin-1, and a letter that nothing resembles becomes `?`. What other programs, records
and rules say may hold orders to a terminal, which are shown instead.
"""

from __future__ import annotations

import codecs
import io
import os
import shutil
import sys
from pathlib import Path
from typing import Any, TextIO

_REPLACEMENTS = {
    "→": "->",
    "←": "<-",
    "…": "...",
    "±": "+-",
    "×": "x",
    "·": "*",
    "−": "-",
    "–": "-",
    "—": "-",
    "‘": "'",
    "’": "'",
    "“": '"',
    "”": '"',
}
_ORDERS = (
    {code: 0x2400 + code for code in range(0x20) if chr(code) not in "\t\n"}
    | {0x7F: ord("␡")}
    | dict.fromkeys(range(0x80, 0xA0), ord("\N{REPLACEMENT CHARACTER}"))
)  # characters that terminals obey, and pictures of them
_HANDLER = "ludens.replace"  # its name as an error handler of encodings

OUTPUT = "the output"
"""What errors of writing to standard output name as their file; see `name_output`."""


class _Output(io.FileIO):
    """Standard output, whose errors name it: else they look like those of any file that has no name."""

    def write(self, data: Any) -> int:
        """See `FileIO`."""
        try:
            return super().write(data)
        except OSError as error:
            error.filename = OUTPUT
            raise


def columns(most: int, elsewhere: int) -> int:
    """Returns how many columns lines may fill on this terminal, `most` at most; what is no terminal has `elsewhere`."""
    return min(most, shutil.get_terminal_size((elsewhere, 24)).columns)


def printable(text: str) -> str:
    """Returns a text that is as long, with pictures of the characters that a terminal would obey and not show.

    >>> printable("won\\x1b[2J")
    'won␛[2J'
    """
    return text.translate(_ORDERS)


def open_closed_streams() -> None:
    """Opens the null device in place of the streams of the process that who started it has closed."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115 - as long as the process


def name_output() -> None:
    """Has errors of standard output name it, unless that is no longer what the process began with."""
    out = sys.stdout
    if out is sys.__stdout__ and isinstance(out, io.TextIOWrapper):
        raw: Any = _Output(out.fileno(), "w", closefd=False)
        sys.stdout = io.TextIOWrapper(
            raw if out.write_through else io.BufferedWriter(raw),  # as Python has it, with -u or without
            out.encoding,
            out.errors,
            line_buffering=out.line_buffering,
            write_through=out.write_through,
        )


def make_printable(*streams: TextIO) -> None:
    """Makes the streams, by default those of the process, print whatever they cannot encode as something similar."""
    codecs.register_error(_HANDLER, _replace)
    for stream in streams or (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=_HANDLER)


def _replace(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    missing = error.object[error.start : error.end]
    return "".join(_REPLACEMENTS.get(letter, "?") for letter in missing), error.end
