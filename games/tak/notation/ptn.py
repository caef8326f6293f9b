"""Portable Tak Notation: moves as people write them.

A placement is a square, with `S` before it for a wall and `C` for a capstone (`F` for a flat may be left out). A
spread is the number of pieces that are taken up (none: one), their square, a direction (`+` up the ranks, `-` down, `<`
and `>` along them), and how many are left on each square (none: all on the first one); behind it may stand the kind of
the top piece, and `*` where a wall is flattened. `'`, `"`, `!` and `?` behind a move are remarks.

Source: https://ustak.org/portable-tak-notation/
"""

from __future__ import annotations

import re

from ludens.games.tak.notation.faults import shown
from ludens.games.tak.rules.legality import broken_rule
from ludens.games.tak.rules.parameters import DIRECTIONS, Kind, Move, Placement, Spread, TakError, TakRules
from ludens.games.tak.rules.reference import Position

_KINDS = {"": Kind.FLAT, "F": Kind.FLAT, "S": Kind.WALL, "C": Kind.CAPSTONE}
_SYMBOLS = {Kind.FLAT: "", Kind.WALL: "S", Kind.CAPSTONE: "C"}
_MOVE = re.compile(
    r"(?:(?P<kind>[FSC]?)(?P<place>[a-h][1-8])"
    r"|(?P<taken>[1-8]?)(?P<square>[a-h][1-8])(?P<direction>[-+<>])(?P<drops>[1-8]*)(?P<top>[FSC]?)(?P<flattens>\*?))"
    r"(?P<remarks>['\"!?]*)"
)


def write_move(rules: TakRules, move: Move) -> str:
    """Returns a move in PTN, as short as it can be."""
    if isinstance(move, Placement):
        return _SYMBOLS[move.kind] + rules.name(move.square)
    taken = sum(move.drops)
    drops = "" if len(move.drops) == 1 else "".join(map(str, move.drops))
    return f"{taken if taken > 1 else ''}{rules.name(move.square)}{DIRECTIONS[move.direction]}{drops}"


def read_move(position: Position, text: str) -> Move:
    """Returns the move that PTN means in a position; raises `TakError` if it is none, or not legal."""
    found = _MOVE.fullmatch(text)
    if found is None:
        raise TakError(f"{shown(text)} is no move in PTN, such as a1, Sb2, a1+ or 3c3>12")
    move = _placement(position.rules, found) if found["place"] else _spread(position.rules, found)
    if rule := broken_rule(position, move):
        raise TakError(f"{shown(text)} is not legal: {rule}")
    if isinstance(move, Spread):
        _check_signs(position, move, found)
    return move


def _placement(rules: TakRules, found: re.Match[str]) -> Placement:
    return Placement(rules.square(found["place"]), _KINDS[found["kind"]])


def _spread(rules: TakRules, found: re.Match[str]) -> Spread:
    taken = int(found["taken"] or 1)
    drops = tuple(map(int, found["drops"])) or (taken,)
    if sum(drops) != taken:
        raise TakError(f"{shown(found[0])} takes up {taken} and leaves {sum(drops)}")
    return Spread(rules.square(found["square"]), DIRECTIONS.index(found["direction"]), drops)


def _check_signs(position: Position, move: Spread, found: re.Match[str]) -> None:
    """Raises `TakError` where what is written behind a spread is not so."""
    if found["top"] and _KINDS[found["top"]] != position.board[move.square].top:
        raise TakError(f"{shown(found[0])}: the top piece is no {_KINDS[found['top']].name.lower()}")
    last = position.rules.lines[move.square][move.direction][len(move.drops) - 1]
    if found["flattens"] and position.board[last].top != Kind.WALL:
        raise TakError(f"{shown(found[0])}: no wall is flattened, as * would say")
