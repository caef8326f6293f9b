"""The terms of facts and moves as shapes and arguments, whatever the symbols are called."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

_TOKEN = re.compile(r"(\(\s*)?([^\s()]+)")


@dataclass(frozen=True, slots=True)
class TermGroup:
    """The terms of one shape: same functors, same number of arguments."""

    shape: str  # such as "(cell _ _ _)"
    arity: int
    members: tuple[int, ...]  # their numbers
    arguments: tuple[tuple[str, ...], ...]  # of each member

    @property
    def name(self) -> str:
        """The outermost functor."""
        return self.shape.strip("( )").split(" ", 1)[0]


def group_by_shape(texts: Iterable[str]) -> list[TermGroup]:
    """Groups terms by shape, in order of first appearance; nested arguments are flattened."""
    found: dict[str, list[tuple[int, tuple[str, ...]]]] = {}
    for number, text in enumerate(texts):
        arguments = tuple(word for functor, word in _TOKEN.findall(text) if not functor)
        if not text.startswith("("):  # a constant is its own shape
            found.setdefault(text, []).append((number, ()))
            continue
        shape = _TOKEN.sub(lambda match: match[0] if match[1] else "_", text)
        found.setdefault(shape, []).append((number, arguments))
    return [
        TermGroup(shape, len(members[0][1]), tuple(n for n, _ in members), tuple(a for _, a in members))
        for shape, members in found.items()
    ]
