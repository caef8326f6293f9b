"""Prints what a script is doing, on standard error, so that results can be redirected alone."""

from __future__ import annotations

import sys


def tell(text: str) -> None:
    """A line, at once."""
    print(text, file=sys.stderr, flush=True)
