"""How messages about faulty notation show what they are about, and say where it stands."""

from __future__ import annotations

_SHOWN, _SHOWN_ESCAPED = 40, 10  # characters that are shown, and of those that are shown as \ufffd and the like


def shown(text: str) -> str:
    """Returns a text in quotes as printable ASCII, of a long one the beginning."""
    beginning = text[:_SHOWN]
    if not (beginning.isascii() and beginning.isprintable()):
        beginning = text[:_SHOWN_ESCAPED]
    return ascii(text) if len(text) == len(beginning) else f"{beginning!a} ..."


def place(text: str, at: int) -> str:
    """Returns the line and the column of a character in a text, both from 1."""
    return f"line {text.count(chr(10), 0, at) + 1}, column {at - text.rfind(chr(10), 0, at)}"
