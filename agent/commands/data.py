"""`ludens data`: makes data to learn from, in a folder from which it goes on whenever it was ended."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

from ludens.agent.checkers.dataset import alone, begin, make
from ludens.agent.commands.progress import progress
from ludens.agent.settings.options import processors


def run(out: Path, given: Mapping[str, int | str], *, resume: bool, threads: int) -> int:
    """Makes checkers data by the options that the user gave; raises `LudensError`, or `KeyboardInterrupt`."""
    with alone(out, resume=resume), progress("checkers data") as tell:
        options = begin(out, given, resume=resume)
        made = make(out, options, threads or processors(), tell, lambda line: print(f"! {line}", file=sys.stderr))
    if made.positions:
        print(
            f"{made.positions:,} positions and {made.playouts:,} playouts in {made.seconds:.1f} s: "
            f"{made.positions / made.seconds:,.0f} positions/s, {made.playouts / made.seconds:,.0f} playouts/s"
        )
    print(f"{options.positions:,} positions: {out}")
    return 0
