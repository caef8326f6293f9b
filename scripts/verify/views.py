"""Shows what boards are found in rule sheets, and how many legal moves can be clicked on them.

    python -m scripts.verify.views [FOLDER …] [--seconds 2] [--network 30] > table.md

Looks at all built-in games and, in folders, at all sheets. Random games of so many seconds are played from the rules
of each; in every third position of them each legal move of a role that has a choice is counted: on a board, on a card
beside it (moves that lie on no board), or in a list alone. Networks are used where they are made in so many seconds;
without one, facts and moves are known from the sample alone. The table is in Markdown. The exit status is 1 if
moves of a built-in game cannot be clicked.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ludens import games
from ludens.agent.playable.game_view import game_view
from ludens.games.view.reader import CARDS, PositionReader
from ludens.games.view.sample import SampledState
from ludens.games.view.vocabulary import PositionView, Step
from ludens.games.view.words import text_of
from ludens.propnet.base.child import Limits
from ludens.propnet.base.errors import LudensError
from ludens.propnet.compile.loader import load
from ludens.propnet.gdl.parser import parse_rules
from ludens.propnet.gdl.syntax import RuleSheet
from ludens.propnet.network.propnet import Propnet

_EVERY = 3  # positions, one is looked at


@dataclass(slots=True)
class Found:
    """What was found in one sheet."""

    boards: str = ""  # kinds and sizes
    pieces: int = 0
    moves: Counter[str] = field(default_factory=Counter)  # by where they are: board, card, list
    beside: str = ""  # relations whose facts are listed

    def share(self, *where: str) -> float:
        """Returns the percentage of moves that are there."""
        return 100 * sum(self.moves[each] for each in where) / max(1, self.moves.total())


def sheets(folders: Sequence[Path]) -> Iterator[tuple[str, bool, str]]:
    """Yields the name of each sheet, whether it is built in, and its text."""
    for name in games.names():
        yield name, True, games.read(name)
    for folder in folders:
        for path in sorted(folder.rglob("*.kif")):
            yield (path.parent.name if path.parent != folder else path.stem), False, path.read_text(encoding="utf-8")


def look(name: str, sheet: RuleSheet, net: Propnet | None, seconds: float) -> Found:
    """Returns what is found in a sheet."""
    reader = game_view(name, sheet, net, seconds)
    found = Found(_boards(reader), len(reader.view.pieces))
    listed: set[str] = set()
    states = list(reader.forms.sample.states())
    for state in states[::_EVERY]:
        position = reader.read([text_of(fact) for fact in state.facts], state.legal, state.joint is None)
        listed.update(fact.strip("()").split()[0] for fact in position.facts)
        found.moves.update(_places(reader, state, position))
    found.beside = " ".join(sorted(listed))
    return found


def _boards(reader: PositionReader) -> str:
    kinds = Counter(
        f"{board.style} {board.width:g} × {board.height:g}"
        if board.style == "squares"
        else f"{board.style} of {sum(not place.blocked for place in board.places)}"
        for board in reader.view.boards
        if board.id != CARDS
    )
    return ", ".join(kind if count == 1 else f"{count} {kind}" for kind, count in kinds.items())


def _places(reader: PositionReader, state: SampledState, position: PositionView) -> Iterator[str]:
    """Yields where each legal move is, of the roles that have a choice."""
    for role, texts in enumerate(state.legal):
        for number in position.legal[role] if len(texts) > 1 else ():
            steps = _steps(reader, position, role, number)
            cards = any(reader.view.boards[board].id == CARDS for board, _ in steps)
            yield "card" if cards else "board" if steps else "list"


def _steps(reader: PositionReader, position: PositionView, role: int, number: int) -> tuple[Step, ...]:
    known = reader.view.moves[role]
    move = known[number] if number < len(known) else position.moves[role][number - len(known)]
    return position.steps[role].get(number, move.steps) if position.steps else move.steps


def main() -> int:
    """Prints the table."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folders", nargs="*", type=Path, metavar="FOLDER")
    options.add_argument("--seconds", type=float, default=2.0, help="of random games for each sheet")
    options.add_argument("--network", type=float, default=30.0, help="seconds in which a network must be made")
    given = options.parse_args()
    print("| sheet | boards | pieces | moves | on a board | with cards | listed facts |\n|---|---|--:|--:|--:|--:|---|")
    failed, totals = False, Counter[str]()
    for name, built_in, text in sheets(given.folders):
        sheet = parse_rules(text)
        try:
            net: Propnet | None = load(text, Limits(given.network))
        except LudensError:
            net = None
        found = look(name, sheet, net, given.seconds)
        failed |= built_in and found.share("board", "card") < 100
        totals["sheets"] += 1
        totals["with a board"] += bool(found.boards)
        totals["whose moves are on a board, 90 % at least"] += bool(found.boards) and found.share("board") >= 90
        totals["whose moves are on a board or card, 90 % at least"] += found.share("board", "card") >= 90
        shares = f"{found.moves.total():,} | {found.share('board'):.0f} % | {found.share('board', 'card'):.0f} %"
        print(f"| {name} | {found.boards or '–'} | {found.pieces} | {shares} | {found.beside} |", flush=True)
    print(f"\n{', '.join(f'{count} {what}' for what, count in totals.items())}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
