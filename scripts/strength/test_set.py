"""Plays the standing test set: a player against others on games of every kind, at several clocks.

    python -m scripts.strength.test_set auto uct guided rave --quick --clocks 30/2 60/5 --games 20 --out games.jsonl
    python -m scripts.strength.test_set auto Other=127.0.0.1:9147 --sheets FOLDER --instruction-set avx2

The games are those of scripts/strength/test_set.csv; --quick takes one of each kind, --only those that it names, which
may be other files of --sheets. Those of the test set that end in .kif are sheets of the public ggp-base repository:
they are looked for in --sheets and in folders in it, and left out without it. Matches are played as by
scripts.strength.served_match, of which all other options are. A series that cannot be played, such as one for which a
player of another program would need two seats, is told and left out; the exit status is then 1.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ludens import games
from ludens.propnet.base.errors import LudensError
from scripts.common import arguments, match_runner
from scripts.strength import served_match
from scripts.strength.served_match import Places

_FILE = Path(__file__).with_suffix(".csv")


@dataclass(frozen=True, slots=True)
class Entry:
    """A game of the test set: a built-in one, or a file of the ggp-base repository."""

    game: str
    kind: str
    quick: bool

    @property
    def built_in(self) -> bool:
        """Whether the game needs no file."""
        return not self.game.endswith(games.SUFFIX)


def read_test_set() -> list[Entry]:
    """Returns all games, those of a kind together."""
    with _FILE.open(encoding="utf-8", newline="") as file:
        return [Entry(row["game"], row["kind"], bool(row["quick"])) for row in csv.DictReader(file)]


def chosen(
    entries: Sequence[Entry], quick: bool, sheets: Mapping[str, str] | None, only: Sequence[str] = ()
) -> list[Entry]:
    """Returns the games to be played, all or `only` some, without files if there are no `sheets`.

    Raises `LudensError` for names that are neither in the test set nor among the sheets, and for files that are not.
    """
    known = {entry.game for entry in entries}
    others = [Entry(name, "", False) for name in dict.fromkeys(only) if name not in known]
    if unknown := [entry.game for entry in others if entry.game not in (sheets or {})]:
        raise LudensError(f"{', '.join(sorted(unknown))} is neither in the test set nor among --sheets")
    entries = [*entries, *others]
    wanted = [entry for entry in entries if (entry.quick or not quick) and (not only or entry.game in only)]
    if sheets is None:
        return [entry for entry in wanted if entry.built_in]
    if missing := [entry.game for entry in wanted if not (entry.built_in or entry.game in sheets)]:
        raise LudensError(f"--sheets has no {', '.join(missing)}")
    return wanted


def main(texts: Sequence[str] | None = None) -> int:
    """Plays all series and prints a summary of each as JSON."""
    args = _parser().parse_args(texts)
    try:
        (args.first, *opponents), known = served_match.read_players([args.first, *args.opponents])
        sheets = served_match.sheets_in(args.sheets) if args.sheets else None
        entries = chosen(read_test_set(), args.quick, sheets, args.only)
        places = Places(sheets or {}, known, dict([args.manager]))
        series = [
            (clocks, entry.game, opponent) for clocks in args.clocks for entry in entries for opponent in opponents
        ]
        with served_match.slowed_down(args.slow_down):
            failed = [_failed(args, places) for (args.startclock, args.seconds), args.game, args.second in series]
    except LudensError as error:
        print(f"test_set: {error}", file=sys.stderr)
        return 1
    return int(any(failed))


def _failed(args: argparse.Namespace, places: Places) -> bool:
    """Plays a series and says whether it could not be played."""
    try:
        served_match.play_series(args, places)
    except LudensError as error:
        print(f"test_set: {args.game}, {args.first} against {args.second}: {error}", file=sys.stderr)
        return True
    return False


def _clocks(text: str) -> tuple[float, float]:
    start, slash, play = text.partition("/")
    if not slash:
        raise argparse.ArgumentTypeError(f"{text!r} is no pair of clocks, such as 30/2")
    return arguments.seconds(start), arguments.seconds(play)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("first", help="a strategy, as in auto or uct:threads=2")
    parser.add_argument(
        "opponents", nargs="+", metavar="opponent", help="likewise, or a player's address: NAME=HOST:PORT"
    )
    served_match.add_conditions(parser)
    parser.add_argument(
        "--clocks", type=_clocks, nargs="+", default=[(30.0, 2.0)], metavar="START/PLAY", help="in seconds (30/2)"
    )
    part = parser.add_mutually_exclusive_group()
    part.add_argument("--quick", action="store_true", help="one game of each kind")
    part.add_argument(
        "--only", nargs="+", default=[], metavar="GAME", help="some games of the test set, or files of --sheets"
    )
    parser.add_argument("--sheets", type=Path, metavar="FOLDER", help="where rule sheets that are not built in are")
    return parser


if __name__ == "__main__":
    match_runner.end_on_sigterm()
    sys.exit(main())
