"""Prints any text on any terminal: characters that its encoding lacks are replaced.

`→` becomes `->` on a terminal in latin-1, and a letter that nothing resembles becomes `?`.
"""

from __future__ import annotations

import codecs
import io
import sys
from typing import TextIO

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
_HANDLER = "ludens.replace"  # its name as an error handler of encodings


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
