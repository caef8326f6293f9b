"""Values on the command line that several subcommands take."""

from __future__ import annotations

import argparse


def seconds(text: str) -> float:
    """Reads a number of seconds above 0; raises `ArgumentTypeError`."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < 1e6:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds above 0")
    return number
