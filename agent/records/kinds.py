"""Kinds of values that the fields of a match record have in JSON, as far as other code relies on them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

Check = Callable[[Any], bool]


@dataclass(frozen=True, slots=True)
class Kind:
    """What it is called in a complaint, and whether it has a value."""

    name: str
    has: Check


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool)


def _is_whole(value: Any) -> bool:
    return type(value) is int


def _is_number(value: Any) -> bool:
    return type(value) in (int, float)


def _is_known_or_null(value: Any) -> bool:
    return value is None or _is_number(value)


def _list_of(check: Check) -> Check:
    return lambda value: isinstance(value, list) and all(map(check, value))


def _object_of(needed: Mapping[str, Check], others: Mapping[str, Check]) -> Check:
    """Returns the check of objects with all the fields that are needed; others may be missing."""
    checks = {**needed, **others}

    def fits(value: Any) -> bool:
        if not isinstance(value, dict) or not needed.keys() <= value.keys():
            return False
        return all(check(value[name]) for name, check in checks.items() if name in value)

    return fits


_is_candidate = _object_of(
    {"move": _is_text}, {"role": _is_whole, "visits": _is_whole, "value": _is_known_or_null, "proven": _is_flag}
)
is_thought = _object_of(
    {"role": _is_whole},
    {
        "move": _is_text,
        "playouts": _is_whole,
        "value": _is_known_or_null,
        "proven": _is_flag,
        "candidates": _list_of(_is_candidate),
        "line": _list_of(_list_of(_is_text)),
        "values": _list_of(_is_known_or_null),
    },
)
"""Says whether a value is what `protocol/thoughts.py` describes; only its role must be there."""

TEXT = Kind("a text", _is_text)
FLAG = Kind("true or false", _is_flag)
WHOLE = Kind("a whole number", _is_whole)
NUMBER = Kind("a number", _is_number)
LIST = Kind("a list", _list_of(lambda _: True))
TEXTS = Kind("a list of texts", _list_of(_is_text))
WHOLES = Kind("a list of whole numbers", _list_of(_is_whole))
NUMBERS = Kind("a list of numbers", _list_of(_is_number))
JOINT_MOVES = Kind("a list of lists of texts", _list_of(_list_of(_is_text)))
THOUGHTS = Kind("a list of lists of thoughts, each with its role", _list_of(_list_of(is_thought)))
