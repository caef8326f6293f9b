"""Counts the games of English draughts and times the generator: `python -m scripts.verify.checkers_perft --depth 13`.

The known counts are Aart Bik's, duplicate captures kept; those to 12 were confirmed by independent generators.
"""

from __future__ import annotations

import argparse
import time

from ludens.native.core import checkers_perft

KNOWN = (
    *(7, 49, 302, 1469, 7361, 36768, 179740, 845931, 3963680, 18391564),
    *(85242128, 388623673, 1766623630, 7978439499, 36263167175, 165629569428),
)


def main() -> int:
    """Prints one line for each depth; returns 1 if a count is not the known one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--depth", type=int, default=11, metavar="N", help="count to this depth (default: %(default)s)")
    depth = parser.parse_args().depth
    if not 1 <= depth <= len(KNOWN):
        parser.error(f"--depth must be from 1 to {len(KNOWN)}, not {depth}")
    wrong = 0
    for d, known in enumerate(KNOWN[:depth], 1):
        start = time.process_time()
        count = checkers_perft(d)
        seconds = time.process_time() - start
        speed = f"{count / seconds / 1e6:.0f} M leaves/CPU s" if seconds > 0.01 else ""
        print(f"{d:3} {count:>16,} {'' if count == known else f'instead of {known:,}'} {speed}", flush=True)
        wrong += count != known
    return int(wrong > 0)


if __name__ == "__main__":
    raise SystemExit(main())
