"""Which rule sheets are recognised as checkers, with their own words and with others, and what proves it.

    python -m scripts.recognise_all rulesheets english_draughts --scrambles 3

What is given are folders of sheets, single .kif files, or built-in games. Every sheet is recognised as it stands,
then scrambled with seeds 1, 2, …; all must come to the same rules, or be refused. The table is in Markdown: how
many of these spellings were recognised, the rules, games and positions compared, and CPU seconds without making
the network. Sheets without anything like a board are only counted. The exit status is 1 if spellings of one sheet
differ.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import games
from agent.progress import progress
from agent.rules import find_rules, read_rules
from agent.scramble import Scrambler
from games.checkers.recognise import looks_like_checkers, recognise
from propnet.errors import LudensError, NotRecognisedError
from propnet.loader import Limits, load
from propnet.parser import parse_rules
from propnet.syntax import RuleSheet
from scripts.conformance import sheets


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of one spelling of a sheet."""

    rules: str  # or why it is refused
    board: bool  # whether there is anything like a board
    games: int = 0
    positions: int = 0
    seconds: float = 0.0  # CPU

    @property
    def recognised(self) -> bool:
        """Whether it is checkers, and proven."""
        return self.games > 0


def judge(sheet: RuleSheet, options: argparse.Namespace) -> Verdict:
    """Recognises one spelling."""
    try:
        net = load(sheet, Limits(options.grounding_seconds))
    except LudensError as error:
        return Verdict(f"no network: {error}", False)
    began = time.process_time()
    board = looks_like_checkers(net)
    try:
        found = recognise(net, options.seconds, games=options.games)
    except NotRecognisedError as reason:
        return Verdict(str(reason), board, seconds=time.process_time() - began)
    proof, seconds = found.proof, time.process_time() - began
    return Verdict(str(found.rules), board, proof.games, proof.positions, seconds)


def _sheets(names: list[str]) -> Iterator[tuple[str, RuleSheet]]:
    for name in names:
        if Path(name).is_dir():
            for found, path in sheets(Path(name)).items():
                yield found, parse_rules(read_rules(path))
        else:
            yield name, find_rules(name).sheet()


def _row(name: str, verdicts: list[Verdict]) -> str:
    first = verdicts[0]
    count = f"{sum(v.recognised for v in verdicts)} of {len(verdicts)}"
    compared = f"{min(v.games for v in verdicts):,} | {min(v.positions for v in verdicts):,}"
    return f"| {name} | {count} | {first.rules} | {compared} | {max(v.seconds for v in verdicts):.1f} |"


def main() -> int:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument(
        "sheets", nargs="*", metavar="SHEETS", help="folders, files, built-in games (default: all of these)"
    )
    parser.add_argument(
        "--scrambles", type=int, default=3, metavar="N", help="other spellings of each (default: %(default)s)"
    )
    parser.add_argument(
        "--seconds", type=float, default=20, metavar="S", help="for the proof of each (default: %(default)s)"
    )
    parser.add_argument(
        "--games", type=int, default=10_000, metavar="N", help="compared in each (default: %(default)s)"
    )
    parser.add_argument(
        "--grounding-seconds", type=float, default=30, metavar="S", help="to make a network (default: %(default)s)"
    )
    options = parser.parse_args()
    others: Counter[str] = Counter()
    agree = True
    print("| sheet | recognised | as, or why not | games | positions | CPU s |\n|---|---|---|---|---|---|")
    try:
        for name, sheet in _sheets(options.sheets or list(games.names())):
            with progress(name):
                verdicts = [judge(sheet, options)]
                if verdicts[0].board:
                    spellings = [
                        Scrambler(sheet, seed).scramble(sheet) for seed in range(1, options.scrambles + 1)
                    ]
                    verdicts += [judge(spelling, options) for spelling in spellings]
            if verdicts[0].board:
                print(_row(name, verdicts), flush=True)
                same = len({v.rules if v.recognised else "" for v in verdicts}) == 1
                agree = agree and same
            else:
                others[verdicts[0].rules] += 1
    except (LudensError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    for reason, count in others.most_common():
        print(f"\nRefused at once, {count} of the sheets: {reason}.")
    return 0 if agree else 1


if __name__ == "__main__":
    sys.exit(main())
