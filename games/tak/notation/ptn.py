"""Portable Tak Notation: moves and whole games as people write them.

A placement is a square, with `S` before it for a wall and `C` for a capstone (`F` for a flat may be left out). A
spread is the number of pieces that are taken up (none: one), their square, a direction (`+` up the ranks, `-` down, `<`
and `>` along them), and how many are left on each square (none: all on the first one); behind it may stand the kind of
the top piece, and `*` where a wall is flattened. `'`, `"`, `!` and `?` behind a move are remarks.

A game has tags, such as `[Size "5"]`, numbered moves, comments in braces, and a result: `R-0` and `0-R` by roads, `F-0`
and `0-F` by flats, `1-0` and `0-1` otherwise, `1/2-1/2`.

Source: https://ustak.org/portable-tak-notation/
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ludens.games.tak.notation.tps import read_tps, write_tps
from ludens.games.tak.rules.parameters import DIRECTIONS, Kind, Move, Placement, Spread, TakError, TakRules
from ludens.games.tak.rules.reference import Outcome, Position, after, first_position, legal_moves, outcome

_KINDS = {"": Kind.FLAT, "F": Kind.FLAT, "S": Kind.WALL, "C": Kind.CAPSTONE}
_SYMBOLS = {Kind.FLAT: "", Kind.WALL: "S", Kind.CAPSTONE: "C"}
_MOVE = re.compile(
    r"(?:(?P<kind>[FSC]?)(?P<place>[a-h][1-8])"
    r"|(?P<taken>[1-8]?)(?P<square>[a-h][1-8])(?P<direction>[-+<>])(?P<drops>[1-8]*)(?P<top>[FSC]?)(?P<flattens>\*?))"
    r"(?P<remarks>['\"!?]*)"
)
_TAG = re.compile(r'\[\s*(?P<name>\w+)\s+"(?P<value>[^"\n]*)"\s*\]')
_RESULTS = {"R-0", "0-R", "F-0", "0-F", "1-0", "0-1", "1/2-1/2"}
_TOKEN = re.compile(r"(?P<comment>\{[^}]*\}?)|(?P<number>\d+\.(?:\.\.)?|--)|\}|[^\s{}]+")


@dataclass(frozen=True, slots=True)
class TakGame:
    """A game as it is written, which the rules allow: its tags, positions from the first to the last, and result."""

    tags: Mapping[str, str]
    positions: tuple[Position, ...]
    moves: tuple[Move, ...]
    result: str  # empty: the text does not say it


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
        raise TakError(f"{text!r} is no move in PTN, such as a1, Sb2, a1+ or 3c3>12")
    move = _placement(position.rules, found) if found["place"] else _spread(position.rules, found)
    if move not in legal_moves(position):
        raise TakError(f"{text!r} is not legal: {_why_illegal(position, move)}")
    if found["top"] and _KINDS[found["top"]] != position.board[move.square].top:
        raise TakError(f"{text!r}: the top piece is no {_KINDS[found['top']].name.lower()}")
    return move


def write_game(
    positions: Sequence[Position],
    moves: Sequence[Move],
    players: Sequence[str] = (),
    tags: Mapping[str, str] | None = None,
) -> str:
    """Returns a game in PTN, from its positions and the moves between them."""
    first, last = positions[0], positions[-1]
    told = {"Size": str(first.rules.size)}
    told |= {f"Player{i}": name for i, name in enumerate(players, 1)}
    if first.rules.half_komi:
        told["Komi"] = f"{first.rules.half_komi / 2:g}"
    if first != first_position(first.rules):
        told["TPS"] = write_tps(first)
    end = outcome(last)
    result = result_of(end) if end else ""
    told |= {"Result": result, **(tags or {})}
    lines = [f'[{name} "{value}"]' for name, value in told.items()]
    return "\n".join([*lines, "", *_numbered(positions, moves), result]).rstrip() + "\n"


def read_game(text: str) -> TakGame:
    """Returns the game that PTN describes; raises `TakError` with the line of what is wrong."""
    tags, at = _read_tags(text)
    position = _first_position(tags)
    positions, moves, result = [position], [], ""
    for found in _TOKEN.finditer(text, at):
        word = found[0]
        line = text.count("\n", 0, found.start()) + 1
        if found["comment"] and not word.endswith("}"):
            raise TakError(f"line {line}: this comment does not end")
        if found["comment"] or found["number"]:
            continue
        if result:
            raise TakError(f"line {line}: {word!r} stands behind the result")
        if word in _RESULTS:
            result = word
            continue
        try:
            moves.append(read_move(position, word))
        except TakError as error:
            raise TakError(f"line {line}: {error}") from None
        position = after(position, moves[-1])
        positions.append(position)
    end = outcome(position)
    if end and result and result != result_of(end):
        raise TakError(f"the game ends {result_of(end)}, and not {result}")
    return TakGame(tags, tuple(positions), tuple(moves), result or tags.get("Result", ""))


def result_of(end: Outcome) -> str:
    """Returns the result of a game in PTN."""
    letter = "R" if end.road else "F"
    return "1/2-1/2" if end.winner is None else (f"{letter}-0", f"0-{letter}")[end.winner]


def _placement(rules: TakRules, found: re.Match[str]) -> Placement:
    return Placement(rules.square(found["place"]), _KINDS[found["kind"]])


def _spread(rules: TakRules, found: re.Match[str]) -> Spread:
    taken = int(found["taken"] or 1)
    drops = tuple(map(int, found["drops"])) or (taken,)
    if sum(drops) != taken:
        raise TakError(f"{found[0]!r} takes up {taken} and leaves {sum(drops)}")
    return Spread(rules.square(found["square"]), DIRECTIONS.index(found["direction"]), drops)


def _why_illegal(position: Position, move: Move) -> str:
    stack = position.board[move.square]
    name = position.rules.name(move.square)
    if outcome(position) is not None:
        return "the game is over"
    if isinstance(move, Placement):
        if stack.owners:
            return f"{name} is taken"
        return "the first move of each player is a flat" if position.ply < 2 else "no such piece is left"
    if position.ply < 2:
        return "the first move of each player is a flat"
    if stack.controller != position.turn:
        return f"the stack on {name} is not that of player {position.turn + 1}"
    if sum(move.drops) > min(stack.height, position.rules.size):
        return f"at most {min(stack.height, position.rules.size)} can be taken from {name}"
    return "a wall, a capstone or the edge is in the way"


def _read_tags(text: str) -> tuple[dict[str, str], int]:
    """Returns the tags, and where the moves begin."""
    tags: dict[str, str] = {}
    at = 0
    while (begin := re.compile(r"\s*").match(text, at)) and text.startswith("[", begin.end()):
        found = _TAG.match(text, begin.end())
        if found is None:
            line = text.count("\n", 0, begin.end()) + 1
            raise TakError(f'line {line}: this is no tag, such as [Size "5"]')
        tags[found["name"]] = found["value"]
        at = found.end()
    return tags, at


def _first_position(tags: Mapping[str, str]) -> Position:
    half_komi = _half_komi(tags.get("Komi", "0"))
    if "TPS" in tags:
        position = read_tps(tags["TPS"], half_komi)
        if tags.get("Size", str(position.rules.size)) != str(position.rules.size):
            raise TakError(f"the size is {tags['Size']}, and the position in TPS has {position.rules.size} ranks")
        return position
    if "Size" not in tags:
        raise TakError('the size of the board is missing, such as [Size "5"]')
    if not re.fullmatch(r"\d+", tags["Size"]):
        raise TakError(f"{tags['Size']!r} is no size of a board: sizes are 3 to 8")
    return first_position(TakRules(int(tags["Size"]), half_komi))


def _half_komi(text: str) -> int:
    if not re.fullmatch(r"-?\d{1,3}(\.[05])?", text):
        raise TakError(f"{text!r} is no komi: that is a number of flats, such as 2 or 1.5")
    return int(2 * float(text))


def _numbered(positions: Sequence[Position], moves: Sequence[Move]) -> list[str]:
    lines: list[str] = []
    for position, move in zip(positions, moves, strict=False):
        text = write_move(position.rules, move)
        if position.turn == 0:
            lines.append(f"{position.ply // 2 + 1}. {text}")
        elif lines:
            lines[-1] += f" {text}"
        else:
            lines.append(f"{position.ply // 2 + 1}. -- {text}")
    return lines
