"""Learns the general evaluation of Tak, which knows only the bits of states, to be compared with the trained network.

    python -m scripts.strength.tak_guided 5 guided.npz --seconds 40
    python -m scripts.strength.tak_match 5 tak-5/weights.td guided.npz --seconds 0.1 --games 40

Seconds are CPU time: a training of as many games as fit in them has the same budget.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from ludens.agent.learning.short_learning import learn
from ludens.games.tak.native_game import native_game
from ludens.games.tak.rules.parameters import TakRules
from ludens.propnet.base.errors import LudensError
from scripts.common import arguments
from scripts.strength import evaluation_match


def main() -> int:
    """Learns, and writes the weights."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("size", type=int, help="squares on a side of the board")
    parser.add_argument("file", type=Path, help="for the weights")
    parser.add_argument("--seconds", type=arguments.seconds, default=40.0, help="CPU seconds (%(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    try:
        known = learn(native_game(TakRules(args.size)), args.seconds, args.seed, clock=time.process_time)
    except LudensError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    evaluation_match.save(known.weights, args.file)
    print(f"{known.rounds} rounds of self-play")
    return 0


if __name__ == "__main__":
    sys.exit(main())
