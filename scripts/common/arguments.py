"""Numbers on the command lines of scripts, for argparse: what makes no sense is refused before anything runs."""

from __future__ import annotations

import argparse
import math

SEED_OF_OPENINGS = (
    "of the first opening, and of players; the next opening has the next seed, so a match has openings of its own only "
    "if its seed is far enough from those of others (%(default)s)"
)


def seconds(text: str) -> float:
    """A time above 0."""
    return _above_0(text, "number of seconds")


def minutes(text: str) -> float:
    """A time above 0."""
    return _above_0(text, "number of minutes")


def positive(text: str) -> float:
    """A number above 0."""
    return _above_0(text, "number")


def count(text: str) -> int:
    """A whole number from 1 on."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number above 0")
    return int(text)


def _above_0(text: str, what: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not (value > 0 and math.isfinite(value)):
        raise argparse.ArgumentTypeError(f"{text!r} is no {what} above 0")
    return value
