"""Renames every symbol of a rule sheet, and back, as Game Managers do to keep players from knowing a game.

Each constant, function, relation and variable gets a pronounceable word of its own; GDL's keywords and whole
numbers stay, since goal values must remain numbers. A renaming is a bijection on symbols, hence the scrambled
game is the same game.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from typing import Any, TypeVar

from ludens.propnet.gdl.parser import KEYWORDS
from ludens.propnet.gdl.syntax import RuleSheet, Term

N = TypeVar("N", RuleSheet, Term)

_NUMBER = re.compile(r"[+-]?\d+")


class Scrambler:
    """A renaming of one sheet's symbols.

    `scramble` turns the sheet's own spelling into the other, `unscramble` turns it back; symbols that the
    renaming does not know are left alone.
    """

    renames = True
    """Whether anything has another name."""

    def __init__(self, sheet: RuleSheet, seed: int) -> None:
        """Chooses a word for every symbol of `sheet`, the same ones for the same seed."""
        symbols = sorted({s for s in _symbols(sheet) if s not in KEYWORDS and not _NUMBER.fullmatch(s)})
        words = _words(random.Random(seed), set(symbols))
        self._there = dict(zip(symbols, words, strict=False))
        self._back = {word: symbol for symbol, word in self._there.items()}

    def scramble(self, node: N) -> N:
        """Returns the sheet, or a fact or move of it, in the new words."""
        renamed: N = _rename(node, self._there)
        return renamed

    def unscramble(self, node: N) -> N:
        """Returns what `scramble` was given."""
        renamed: N = _rename(node, self._back)
        return renamed


class NoScrambler(Scrambler):
    """The renaming that changes nothing, for matches that are not scrambled."""

    renames = False

    def __init__(self) -> None:
        """Knows no symbol."""
        super().__init__(RuleSheet(()), 0)


def _words(rng: random.Random, taken: set[str]) -> Iterator[str]:
    """Yields distinct words of open syllables without end, none of them in `taken`, whatever the case."""
    used = {symbol.lower() for symbol in taken} | KEYWORDS
    while True:
        syllables = 2 + len(used).bit_length() // 7
        word = "".join(rng.choice("bdfgklmnprstvz") + rng.choice("aeiou") for _ in range(syllables))
        if word not in used:
            used.add(word)
            yield word


def _symbols(node: Any) -> Iterator[str]:
    """Yields the symbols of a part of a rule sheet: every string in its syntax tree is one."""
    match node:
        case str():
            yield node
        case int():
            return
        case _:
            for part in node if isinstance(node, tuple) else _parts(node).values():
                yield from _symbols(part)


def _rename(node: Any, names: Mapping[str, str]) -> Any:
    """Returns a part of a rule sheet in other words."""
    match node:
        case str():
            return names.get(node, node)
        case int():
            return node
        case tuple():
            return tuple(_rename(part, names) for part in node)
    return replace(node, **{field: _rename(part, names) for field, part in _parts(node).items()})


def _parts(node: Any) -> dict[str, Any]:
    """Returns the fields of a node of the syntax tree."""
    return {field.name: getattr(node, field.name) for field in fields(node)}
