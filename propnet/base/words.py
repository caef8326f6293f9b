"""Says how many things there are, and fills lines with words."""

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


def fill(text: str, width: int, first: str, others: str) -> str:
    """Returns a text in lines with these indents that end between words; blanks that are `UNBROKEN` end no line."""
    wrapped = textwrap.fill(
        text, width, initial_indent=first, subsequent_indent=others, break_long_words=False, break_on_hyphens=False
    )
    return wrapped.replace(UNBROKEN, " ")
