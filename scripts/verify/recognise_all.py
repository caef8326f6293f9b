"""Shows which rule sheets are recognised as checkers, with their own words and with others, and what proves it.

    python -m scripts.verify.recognise_all rulesheets english_draughts --scrambles 3
    python -m scripts.verify.recognise_all rulesheets english_draughts --mutate 20 --seed 1

What is given are folders of sheets, single .kif files, or built-in games. Every sheet is recognised as it stands,
then scrambled with seeds 1, 2, …; all must come to the same rules, or be refused. The table is in Markdown: how
many of these spellings were recognised, the rules, games and positions compared, and CPU seconds without making
the network. Sheets without anything like a board are only counted. The exit status is 1 if spellings of one sheet
differ.

With --mutate, one rule of each sheet at a time is changed at random, and what becomes of it is counted: no game
any more, refused, undecided because too little could be compared in the time, recognised as the same rules (the
change shows nowhere) or as others (a changed limit, say).
Whatever is recognised is compared with the interpreter and in a longer proof (`confirmation`); the exit
status is 1 if one of them turns out to be wrong.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ludens import games
from ludens.agent.commands.progress import progress
from ludens.agent.manager.scramble import Scrambler
from ludens.games.checkers.recognition.recognise import looks_like_checkers, recognise
from ludens.games.checkers.rules.parameters import CheckersRules
from ludens.games.rules import find_rules, read_rules
from ludens.propnet.base.errors import LudensError, NotRecognisedError, UnprovenError
from ludens.propnet.compile.loader import Limits, load
from ludens.propnet.gdl.parser import parse_rules
from ludens.propnet.gdl.syntax import RuleSheet
from scripts.common import arguments
from scripts.verify.confirmation import difference as confirm
from scripts.verify.conformance import sheets
from scripts.verify.mutations import Mutation, mutations


@dataclass(frozen=True, slots=True)
class SpellingResult:
    """The outcome for one spelling of a sheet."""

    rules: str  # or why it is refused
    board: bool  # whether there is anything like a board
    games: int = 0
    positions: int = 0
    seconds: float = 0.0  # CPU

    @property
    def recognised(self) -> bool:
        """Says whether it is checkers, and proven."""
        return self.games > 0


def judge(sheet: RuleSheet, options: argparse.Namespace) -> SpellingResult:
    """Recognises one spelling."""
    try:
        net = load(sheet, Limits(options.grounding_seconds))
    except LudensError as error:
        return SpellingResult(f"no network: {error}", False)
    began = time.process_time()
    board = looks_like_checkers(net)
    try:
        found = recognise(net, options.seconds, games=options.games)
    except NotRecognisedError as reason:
        return SpellingResult(str(reason), board, seconds=time.process_time() - began)
    proof, seconds = found.proof, time.process_time() - began
    return SpellingResult(str(found.rules), board, proof.games, proof.positions, seconds)


def _sheets(names: list[str]) -> Iterator[tuple[str, RuleSheet]]:
    for name in names:
        if Path(name).is_dir():
            for found, path in sheets(Path(name)).items():
                yield found, parse_rules(read_rules(path))
        else:
            yield name, find_rules(name).sheet()


def _row(name: str, verdicts: list[SpellingResult]) -> str:
    first = verdicts[0]
    count = f"{sum(v.recognised for v in verdicts)} of {len(verdicts)}"
    compared = f"{min(v.games for v in verdicts):,} | {min(v.positions for v in verdicts):,}"
    return f"| {name} | {count} | {first.rules} | {compared} | {max(v.seconds for v in verdicts):.1f} |"


@dataclass(slots=True)
class MutantCounts:
    """The outcomes for the changed sheets of one game."""

    refused: int = 0
    same: int = 0
    others: int = 0
    undecided: int = 0
    wrong: int = 0
    no_game: int = 0  # not counted among those that were asked for

    @property
    def count(self) -> int:
        """The number of changed sheets that are games."""
        return self.refused + self.undecided + self.same + self.others


def judge_mutants(sheet: RuleSheet, options: argparse.Namespace) -> MutantCounts:
    """Changes one rule at a time until so many changed sheets are games, and tries to recognise these."""
    found = MutantCounts()
    original = _rules_of(sheet, options)
    for mutation in mutations(sheet, options.seed):
        if found.count == options.mutate:
            return found
        try:
            net = load(mutation.sheet, Limits(options.grounding_seconds))
        except LudensError:
            found.no_game += 1
            continue
        try:
            recognised = recognise(net, options.seconds, games=options.games)
        except UnprovenError as reason:
            found.undecided += 1
            _tell(options, mutation, f"undecided: {reason}")
            continue
        except LudensError as reason:
            found.refused += 1
            _tell(options, mutation, f"refused: {reason}")
            continue
        same = recognised.rules == original
        found.same, found.others = found.same + same, found.others + (not same)
        positions, games = 4 * recognised.proof.positions, 4 * options.games
        difference = confirm(mutation.sheet, net, recognised, options.plies, positions, games, options.seconds)
        found.wrong += bool(difference)
        what = f"recognised as {recognised.rules}"
        _tell(options, mutation, f"WRONGLY {what}: {difference}" if difference else what, always=bool(difference))
    raise AssertionError("mutations are endless")


def _rules_of(sheet: RuleSheet, options: argparse.Namespace) -> CheckersRules | None:
    """Returns the rules recognised in a sheet; None if it is refused. Raises UnprovenError if time is too short."""
    try:
        return recognise(load(sheet), options.seconds, games=options.games).rules
    except UnprovenError:
        raise
    except NotRecognisedError:
        return None


def _tell(options: argparse.Namespace, mutation: Mutation, verdict: str, always: bool = False) -> None:
    if always or options.show:
        print(f"{mutation.what}\n    {verdict}", file=sys.stderr, flush=True)


def _mutate_all(options: argparse.Namespace) -> bool:
    """Prints the table of changed sheets; returns whether none was recognised wrongly."""
    right = True
    print(
        "| sheet | changed | refused | undecided | recognised, same rules | other rules | wrongly | no game |\n"
        "|---|---|---|---|---|---|---|---|"
    )
    for name, sheet in _sheets(options.sheets or list(games.names())):
        with progress(name):
            found = judge_mutants(sheet, options)
        counts = (found.count, found.refused, found.undecided, found.same, found.others, found.wrong, found.no_game)
        print("|", *(f"{cell} |" for cell in (name, *counts)), flush=True)
        right = right and not found.wrong
    return right


def _judge_all(options: argparse.Namespace) -> bool:
    """Prints the table of sheets and their spellings; returns whether the spellings of each are judged alike."""
    refused: Counter[str] = Counter()
    alike = True
    print("| sheet | recognised | as, or why not | games | positions | CPU s |\n|---|---|---|---|---|---|")
    for name, sheet in _sheets(options.sheets or list(games.names())):
        with progress(name):
            results = [judge(sheet, options)]
            if results[0].board:
                seeds = range(1, options.scrambles + 1)
                results += [judge(Scrambler(sheet, seed).scramble(sheet), options) for seed in seeds]
        if results[0].board:
            print(_row(name, results), flush=True)
            alike = alike and len({result.rules if result.recognised else "" for result in results}) == 1
        else:
            refused[results[0].rules] += 1
    for reason, count in refused.most_common():
        print(f"\nRefused at once, {count} of the sheets: {reason}.")
    return alike


def _arguments() -> argparse.Namespace:
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
    parser.add_argument(
        "--mutate", type=arguments.count, metavar="N", help="change a rule of each sheet, until N are games"
    )
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="of the changes (default: %(default)s)")
    parser.add_argument(
        "--plies",
        type=arguments.count,
        default=300,
        metavar="N",
        help="of what is recognised although changed, compared with the interpreter (default: %(default)s)",
    )
    parser.add_argument("--show", action="store_true", help="print every change and what became of it")
    return parser.parse_args()


def main() -> int:
    """Prints the table of sheets, or of changed sheets; returns 1 if one is judged wrongly, 2 for errors."""
    options = _arguments()
    try:
        right = _mutate_all(options) if options.mutate else _judge_all(options)
    except (LudensError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
