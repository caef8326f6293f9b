"""Says how many things there are."""

from __future__ import annotations


def counted(number: int, noun: str) -> str:
    """Returns a number with what it counts.

    >>> counted(1, "move"), counted(2000, "random game")
    ('1 move', '2,000 random games')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
