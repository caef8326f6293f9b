"""Portable Tak Notation: whole games as people write them.

A game has tags, such as `[Size "5"]`, numbered moves, comments in braces, and a result: `R-0` and `0-R` by roads, `F-0`
and `0-F` by flats, `1-0` and `0-1` otherwise, `1/2-1/2`. The number of a move stands before that of the first player;
before that of the second one it may stand again, with three dots. Where a game begins with the second player, `--`
stands for the move before.

Source: https://ustak.org/portable-tak-notation/
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from ludens.games.tak.notation.faults import place, shown
from ludens.games.tak.notation.ptn import read_move, write_move
from ludens.games.tak.notation.tps import MOST_MOVES, read_tps, write_tps
from ludens.games.tak.rules.parameters import Move, TakError, TakRules
from ludens.games.tak.rules.reference import Outcome, Position, first_position, made, outcome

Read = TypeVar("Read")

_TAG = re.compile(r'\[\s*(?P<name>\w+)\s+"(?P<value>[^"\n]*)"\s*\]')
_BLANKS = re.compile(r"\s*")
_ROADS_AND_FLATS = {"R-0": "a road", "0-R": "a road", "F-0": "flats", "0-F": "flats"}
_RESULTS = (*_ROADS_AND_FLATS, "1-0", "0-1", "1/2-1/2")
_TOKEN = re.compile(r"(?P<comment>\{[^}]*\}?)|(?P<number>[0-9]+\.(?P<again>\.\.)?)|(?P<missing>--)|\}|[^\s{}]+")


@dataclass(frozen=True, slots=True)
class TakGame:
    """A game as it is written, which the rules allow: its tags, positions from the first to the last, and result."""

    tags: Mapping[str, str]
    positions: tuple[Position, ...]
    moves: tuple[Move, ...]
    result: str  # empty: the text does not say it


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
    lines = [f'[{name} "{_in_a_tag(value)}"]' for name, value in told.items()]
    return "\n".join([*lines, "", *_numbered(positions, moves), result]).rstrip() + "\n"


def read_game(text: str) -> TakGame:
    """Returns the game that PTN describes; raises `TakError` with line and column of what is wrong."""
    return _Reader(text).read()


def result_of(end: Outcome) -> str:
    """Returns the result of a game in PTN."""
    letter = "R" if end.road else "F"
    return "1/2-1/2" if end.winner is None else (f"{letter}-0", f"0-{letter}")[end.winner]


def _in_a_tag(value: str) -> str:
    """Returns what a tag can hold of a text: no quotes, and one line."""
    return " ".join(value.replace('"', "'").split())


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


@dataclass(frozen=True, slots=True)
class _Tag:
    value: str
    at: int  # character of the text at which it begins


class _Reader:
    """Reads one game."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tags: dict[str, _Tag] = {}
        self._positions: list[Position] = []
        self._moves: list[Move] = []
        self._result: _Tag | None = None  # that stands behind the moves
        self._lacks = False  # the move of the first player, before the first of the second one

    def read(self) -> TakGame:
        """Returns the game; raises `TakError`."""
        end_of_tags = self._read_tags()
        self._positions.append(self._first_position())
        for token in _TOKEN.finditer(self._text, end_of_tags):
            self._take(token)
        result = self._checked_result()
        tags = {name: tag.value for name, tag in self._tags.items()}
        return TakGame(tags, tuple(self._positions), tuple(self._moves), result)

    def _fault(self, at: int, says: object) -> TakError:
        return TakError(f"{place(self._text, at)}: {says}")

    # ---- Tags ----

    def _read_tags(self) -> int:
        """Reads the tags; returns where the moves begin."""
        at = self._after_blanks(0)
        while self._text.startswith("[", at):
            found = _TAG.match(self._text, at)
            if found is None:
                raise self._fault(at, 'this is no tag, such as [Size "5"]')
            if found["name"] in self._tags:
                raise self._fault(at, f"the tag {shown(found['name'])} stands twice")
            self._tags[found["name"]] = _Tag(found["value"], at)
            at = self._after_blanks(found.end())
        return at

    def _after_blanks(self, at: int) -> int:
        found = _BLANKS.match(self._text, at)
        return found.end() if found else at

    def _first_position(self) -> Position:
        komi, size, tps = (self._tags.get(name) for name in ("Komi", "Size", "TPS"))
        if tps:
            position = self._from_tag(tps, read_tps)
        elif size:
            position = self._from_tag(size, lambda text: first_position(TakRules(_size(text))))
        else:
            raise self._fault(0, 'the size of the board is missing, such as [Size "5"]')
        found = position.rules.size
        if size and size.value != str(found):
            raise self._fault(size.at, f"the size is {shown(size.value)}, and the position in TPS has {found} ranks")
        rules = self._from_tag(komi, lambda text: TakRules(found, _half_komi(text))) if komi else position.rules
        return replace(position, rules=rules)

    def _from_tag(self, tag: _Tag, read: Callable[[str], Read]) -> Read:
        """Returns what a tag means; raises `TakError` with its place."""
        try:
            return read(tag.value)
        except TakError as error:
            raise self._fault(tag.at, error) from None

    # ---- Moves ----

    def _take(self, token: re.Match[str]) -> None:
        """Reads a word of the moves."""
        word, at = token[0], token.start()
        if token["comment"]:
            if not word.endswith("}"):
                raise self._fault(at, "this comment does not end")
        elif self._result:
            raise self._fault(at, f"{shown(word)} stands behind the result")
        elif token["number"]:
            self._check_number(token)
        elif token["missing"]:
            self._check_missing(at)
        elif word in _RESULTS:
            self._result = _Tag(word, at)
        else:
            self._move(word, at)

    def _check_number(self, token: re.Match[str]) -> None:
        """Checks the number of a move, and that it stands where such a number does."""
        position = self._positions[-1]
        number, again = str(position.ply // 2 + 1), bool(token["again"])
        begins = position.turn == 1 and not self._moves
        fits = begins or again == bool(position.turn)
        if not fits or token["number"].rstrip(".").lstrip("0") != number:
            dots = "..." if position.turn else "."
            raise self._fault(
                token.start(),
                f"{shown(token[0])} does not number the next move: that is {number}{dots} of player "
                f"{position.turn + 1}",
            )
        self._lacks = begins and not again

    def _check_missing(self, at: int) -> None:
        if self._moves or self._positions[0].turn == 0:
            raise self._fault(at, "-- stands only before the first move of a game that begins with player 2")
        self._lacks = False

    def _move(self, word: str, at: int) -> None:
        position = self._positions[-1]
        if self._lacks:
            raise self._fault(at, "player 2 begins: -- should stand for the move before")
        if position.ply >= 2 * MOST_MOVES:
            raise self._fault(at, f"a game has at most {MOST_MOVES:,} moves")
        try:
            move = read_move(position, word)
        except TakError as error:
            raise self._fault(at, error) from None
        self._moves.append(move)
        self._positions.append(made(position, move))

    def _checked_result(self) -> str:
        """Returns the result that is told; raises `TakError` for one that is not that of the game."""
        behind, tag = self._result, self._tags.get("Result")
        end = outcome(self._positions[-1])
        known = result_of(end) if end else behind.value if behind else ""
        for told in (behind, tag):
            if told is None or not told.value:
                continue
            if told.value not in _RESULTS:
                raise self._fault(told.at, f"{shown(told.value)} is no result: those are {', '.join(_RESULTS)}")
            if known and told.value != known:
                raise self._fault(told.at, f"the game ends {known}, and not {told.value}")
        if behind and not end and behind.value in _ROADS_AND_FLATS:
            raise self._fault(
                behind.at, f"{behind.value}: nobody has won by {_ROADS_AND_FLATS[behind.value]} after these moves"
            )
        return behind.value if behind else tag.value if tag else ""


def _size(text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,9}", text):
        raise TakError(f"{shown(text)} is no size of a board: sizes are 3 to 8")
    return int(text)


def _half_komi(text: str) -> int:
    if not re.fullmatch(r"-?[0-9]{1,3}(\.[05])?", text):
        raise TakError(f"{shown(text)} is no komi: that is a number of flats, such as 2 or 1.5")
    return int(2 * float(text))
