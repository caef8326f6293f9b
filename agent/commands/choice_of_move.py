"""Reads what a person wants to do in a match: a move by its number, its words or an abbreviation, or an order.

>>> read_choice("d 4", ["(drop 3)", "(drop 4)", "noop"])
'(drop 4)'
>>> read_choice("undo", ["(drop 3)", "(drop 4)"])
<Order.UNDO: 'undo'>
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum

from ludens.propnet.base.errors import LudensError
from ludens.propnet.base.suggestions import did_you_mean

_NAMED = 6  # moves that an abbreviation may stand for, in the message that it may


class Order(StrEnum):
    """What a person may say instead of a move."""

    HELP = "?"
    BOARD = "board"
    HINT = "hint"
    UNDO = "undo"
    QUIT = "quit"


ORDERS = {
    Order.HELP: "list the moves, or with a word (? drop) those that fit it",
    Order.BOARD: "show the position again",
    Order.HINT: "ask Ludens what it would do",
    Order.UNDO: "take back your last move",
    Order.QUIT: "end the match here",
}
"""What each order does."""


class UnclearChoiceError(LudensError):
    """Words that name no move, or several."""


def plain(move: str) -> str:
    """Returns a move without its outermost brackets, as people write it."""
    return move[1:-1] if move.startswith("(") and move.endswith(")") else move


def read_choice(text: str, moves: Sequence[str]) -> str | Order:
    """Returns the legal move, or the order, that a line means; raises `UnclearChoiceError`.

    Moves are named by all their words, by their number in the list of `moves`, counted from 1, or by the beginnings of
    some of their words, in order, if that fits one move only.
    """
    words = _words(text)
    if exact := [move for move in moves if _words(move) == words]:
        return exact[0]
    if text.strip() in [order.value for order in Order]:
        return Order(text.strip())
    if text.strip().isdecimal() and 1 <= int(text) <= len(moves):
        return moves[int(text) - 1]
    for fits in (_begins, _is_part_of):
        found = fitting(words, moves, fits)
        if len(found) == 1:
            return found[0]
        if found:
            named = ", ".join(map(plain, found[:_NAMED]))
            raise UnclearChoiceError(f"{text.strip()!r} may be {named}{' …' if len(found) > _NAMED else ''}")
    near = did_you_mean(text.strip(), [*map(plain, moves), *Order])
    raise UnclearChoiceError(f"{text.strip()!r} is no legal move{near}; ? lists them")


def matching(text: str, moves: Sequence[str]) -> list[str]:
    """Returns the moves that words or their beginnings fit; all for none."""
    return fitting(_words(text), moves, _is_part_of)


def fitting(
    words: Sequence[str], moves: Sequence[str], fits: Callable[[Sequence[str], Sequence[str]], bool]
) -> list[str]:
    """Returns the moves whose words are fitted by others."""
    return [move for move in moves if fits(words, _words(move))]


def completions(text: str, moves: Sequence[str]) -> Iterator[str]:
    """Yields the moves and orders that a line may go on to, in order."""
    begun = " ".join(_words(text)) + (" " if text[-1:].isspace() else "")
    for offered in (*map(plain, moves), *Order):
        if " ".join(_words(offered)).startswith(begun):
            yield offered


def _words(text: str) -> list[str]:
    return text.lower().replace("(", " ").replace(")", " ").split()


def _begins(words: Sequence[str], of_move: Sequence[str]) -> bool:
    """Says whether the words are the beginnings of the first words of a move, one of each."""
    return 0 < len(words) <= len(of_move) and all(map(str.startswith, of_move, words))


def _is_part_of(words: Sequence[str], of_move: Sequence[str]) -> bool:
    """Says whether the words are the beginnings of some words of a move, in this order."""
    left = iter(of_move)
    return all(any(word.startswith(beginning) for word in left) for beginning in words)
