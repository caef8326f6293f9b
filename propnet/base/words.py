"""Says how many things there are, shortens texts, and fills lines with words."""

from __future__ import annotations

import textwrap

UNBROKEN = "\N{NO-BREAK SPACE}"
"""A blank at which no line ends."""


def counted(number: int, noun: str) -> str:
    """Returns a number with what it counts.

    >>> counted(1, "move"), counted(2000, "random game")
    ('1 move', '2,000 random games')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def duration(seconds: float) -> str:
    """Returns a time in words.

    >>> duration(42), duration(600), duration(9000)
    ('42 s', '10 min', '2.5 h')
    """
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def duration_of_threads(seconds: float) -> str:
    """Returns in words a time that several threads have spent.

    >>> duration_of_threads(9000)
    '2.5 h of all threads together'
    """
    return f"{duration(seconds)} of all threads together"


def shortened(text: str, most: int = 40) -> str:
    """Returns a text, or as much of its beginning as so many characters hold.

    >>> shortened("abcdef", 6), shortened("abcdefg", 6)
    ('abcdef', 'abcde…')
    """
    return text if len(text) <= most else f"{text[: most - 1]}…"


def fill(text: str, width: int, first: str, others: str) -> str:
    """Returns a text in lines with these indents that end between words; blanks that are `UNBROKEN` end no line."""
    wrapped = textwrap.fill(
        text, width, initial_indent=first, subsequent_indent=others, break_long_words=False, break_on_hyphens=False
    )
    return wrapped.replace(UNBROKEN, " ")
