"""Facts and moves as words: the name and the arguments of `(cell 1 1 b)`, and how such words count.

Also the order of words: of coordinates such as `1 2 3`, `c1 c2 c3` or `a b c`, or of what the rules put in a row by a
relation such as `(succ one two)`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from functools import lru_cache
from typing import TypeAlias

Words: TypeAlias = tuple[str, ...]
"""A term: its name, then its arguments, each as text."""

Successors: TypeAlias = Mapping[str, str]
"""Which word comes next, in the rules."""

WAYS = {"north": (0, 1), "up": (0, 1), "south": (0, -1), "down": (0, -1), "east": (1, 0), "right": (1, 0),
        "west": (-1, 0), "left": (-1, 0), "nowhere": (0, 0), "stay": (0, 0)}  # fmt: skip
"""Directions in names of moves and facts, as columns to the right and rows up."""

_NUMBERED = re.compile(r"(\D*?)(-?\d{1,18})")  # longer ones are no coordinates
_TOKEN = re.compile(r"[()]|[^()\s]+")
_MISSING = 2  # letters that may be left out of an alphabet


@lru_cache(maxsize=1 << 18)
def words(text: str) -> Words:
    """Returns the name and the arguments of a term; arguments that have arguments stay one text each."""
    if not text.startswith("("):
        return (text,)
    if text.count("(") == 1:
        return tuple(text[1:-1].split())
    parts: list[str] = []
    depth = 0
    for token in _TOKEN.findall(text[1:-1]):
        if depth and not parts[-1].endswith("(") and token != ")":
            parts[-1] += f" {token}"
        elif depth:
            parts[-1] += token
        else:
            parts.append(token)
        depth += (token == "(") - (token == ")")
    return tuple(parts)


def text_of(term: Words) -> str:
    """Returns the text of a term, as `words` reads it."""
    return f"({' '.join(term)})" if len(term) > 1 else term[0]


def ordered(symbols: Collection[str], successors: Successors) -> tuple[str, ...] | None:
    """Returns words in the order in which they count; None if they do not."""
    if _prefix(symbols) is not None:
        return tuple(sorted(symbols, key=number))
    if all(len(symbol) == 1 and symbol.isalpha() for symbol in symbols):
        spread = ord(max(symbols)) - ord(min(symbols))
        return tuple(sorted(symbols)) if spread < len(symbols) + _MISSING else None
    return _chained(symbols, successors)


def with_gaps_filled(symbols: Collection[str], successors: Successors, most: int) -> tuple[str, ...] | None:
    """Returns words that count in their order, with the missing ones between them; None where these are too many.

    There are `most` at most, missing ones and others.
    """
    found = ordered(symbols, successors) or tuple(sorted(symbols))
    if (prefix := _prefix(found)) is not None:
        first, last = number(found[0]), number(found[-1])
        return tuple(f"{prefix}{i}" for i in range(first, last + 1)) if last - first < most else None
    chain = [found[0]]
    while chain[-1] != found[-1] and (after := successors.get(chain[-1])) and after not in chain:
        chain.append(after)
    filled = tuple(chain) if set(found) <= set(chain) else found
    return filled if len(filled) <= most else None


def _prefix(symbols: Collection[str]) -> str | None:
    """Returns what all of these words have before a number, such as the p of p1 and p2; None if they do not."""
    prefixes = {match[1] if (match := _NUMBERED.fullmatch(symbol)) else None for symbol in symbols}
    return prefixes.pop() if len(prefixes) == 1 else None


def _chained(symbols: Collection[str], successors: Successors) -> tuple[str, ...] | None:
    """Returns words in the order of the one chain in which all of them stand."""
    wanted = set(symbols)
    for first in sorted(wanted - {after for word, after in successors.items() if word in wanted}):
        chain, word = dict.fromkeys([first]), first
        while (word := successors.get(word, "")) and word not in chain:
            chain[word] = None
        if wanted <= chain.keys():
            return tuple(word for word in chain if word in wanted)
    return None


def number(word: str) -> int:
    """Returns the number at the end of a word, of its last 18 digits at most; 0 if there is none."""
    match = re.search(r"-?\d{1,18}$", word)
    return int(match[0]) if match else 0


def is_number(word: str) -> bool:
    """Says whether a word is a number, perhaps behind a letter: `12`, `s12`."""
    return re.fullmatch(r"[a-zA-Z]?-?\d+", word) is not None


def is_word(word: str) -> bool:
    """Says whether a word with a number behind it is more than a letter or two: `board1`, but not `c1`."""
    return re.fullmatch(r"\D{3,}\d+", word) is not None


def is_lettered(axis: Collection[str]) -> bool:
    """Says whether all words are letters."""
    return all(word.isalpha() for word in axis)


def parts(word: str) -> list[str]:
    """Returns the parts of a word such as `white_pawn` or `whitePawn`, in small letters."""
    return [part.lower() for part in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+", word)] or [word.lower()]
