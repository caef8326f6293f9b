"""What scripts that train networks of checkers share: options of the command line, and what they say on failure."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from ludens.native.core.board_network import MOST_BLOCKS, WIDTHS
from ludens.propnet.base.errors import LudensError
from scripts.common import arguments


def add_options(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `TrainingOptions` that are often set."""
    parser.add_argument("--width", type=int, choices=WIDTHS, default=32, help="activations a square")
    parser.add_argument("--blocks", type=int, choices=range(MOST_BLOCKS + 1), metavar=f"0..{MOST_BLOCKS}", default=2)
    parser.add_argument("--epochs", type=arguments.count, default=8)
    parser.add_argument("--step", type=arguments.positive, default=2e-3, help="the greatest width of gradient steps")
    parser.add_argument("--seed", type=int, default=0)


def attempt(work: Callable[[], None], out: Path) -> int:
    """Does work that writes to the folder `out`; returns the exit status, and says in a line why it failed."""
    try:
        work()
    except ImportError as error:
        if error.name != "torch":
            raise
        print("training a network needs PyTorch: pip install 'ludens[learn]'", file=sys.stderr)
        return 1
    except LudensError as error:
        print(error, file=sys.stderr)
        return 1
    except OSError as error:
        print(f"{error.filename or out}: {error.strerror}", file=sys.stderr)
        return 1
    return 0
