"""Portable Draughts Notation: squares by number, moves, and whole games as text.

Squares are numbered from the upper left one as a reader sees them, with the side that moves first on top: 1 to 32
on eight files. A step is `11-15`, a capture names every square it stops at, `15x24x31`. Captures that a rule sheet
plays ply by ply are one move.

Source: the PDN standard of A. Millett (1995) after PGN, as the Wikipedia article "Portable Draughts Notation" has
it; game type 21 is English draughts, where Black moves first, and a result of 1-0 is a win for White.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ludens.games.checkers.rules.parameters import DOWN, UP, CheckersRules, Forcing, Jumps, Path

_WIDTH = 80


@dataclass(frozen=True, slots=True)
class Ply:
    """One action of a side."""

    side: int
    path: Path
    jump: bool


def is_english(rules: CheckersRules) -> bool:
    """Says whether these are English draughts, whatever ends a game without a winner."""
    return (
        (rules.width, rules.wrap_files, rules.wrap_ranks) == (8, False, False)
        and (rules.forcing, rules.kings, rules.stuck_either) == (Forcing.ANY, True, False)
        and rules.jumps in (Jumps.BY_PLIES, Jumps.WHOLE)
        and rules.start is None
        and rules.stuck_goals is not None
        and rules.stuck_goals[0] < rules.stuck_goals[1]
    )


def square_number(rules: CheckersRules, square: int) -> int:
    """Returns the number by which people know a square."""
    rank, place = divmod(square, rules.row)
    return rules.row * (rank + 1) - place


def move_text(rules: CheckersRules, path: Path, jump: bool) -> str:
    """Returns a move in PDN."""
    return ("x" if jump else "-").join(str(square_number(rules, square)) for square in path)


def moves(plies: Iterable[Ply]) -> list[Ply]:
    """Returns plies as moves: consecutive captures of one piece become one move."""
    made: list[Ply] = []
    for ply in plies:
        if made and ply.jump and made[-1].side == ply.side and made[-1].path[-1] == ply.path[0]:
            made[-1] = Ply(ply.side, made[-1].path + ply.path[1:], True)
        else:
            made.append(ply)
    return made


def result(goals: Mapping[int, int]) -> str:
    """Returns the outcome by the goals of the sides; `*` for an aborted game, which has none."""
    if not goals:
        return "*"
    if goals[UP] == goals[DOWN]:
        return "1/2-1/2"
    return "1-0" if goals[DOWN] > goals[UP] else "0-1"


def game_text(rules: CheckersRules, tags: Mapping[str, str], plies: Iterable[Ply], outcome: str) -> str:
    """Returns a game in PDN: `tags` such as Event, Black and White, then the moves."""
    words = []
    for i, move in enumerate(moves(plies)):
        words += [f"{i // 2 + 1}."] if i % 2 == 0 else []
        words.append(move_text(rules, move.path, move.jump))
    named = {**tags, "Result": outcome, "GameType": "21"}
    lines = [f'[{name} "{_quoted(value)}"]' for name, value in named.items()]
    return "\n".join([*lines, "", *textwrap.wrap(" ".join([*words, outcome]), _WIDTH, break_on_hyphens=False), ""])


def _quoted(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"')
