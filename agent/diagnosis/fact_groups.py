"""Counts how the facts of a game come and go in play: which ever outlast a step, and how many hold at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ludens.agent.playable.text_game import SheetGame
from ludens.native.core import States, unpack_bits
from ludens.propnet.gdl.argument_domains import Symbol, symbol
from ludens.propnet.gdl.parser import read_fact
from ludens.propnet.gdl.syntax import Constant, Function

FactGroup: TypeAlias = tuple[Symbol, int, str]
"""All facts of a name that have a constant in an argument; -1 and "" for all facts of the name."""

_Counts: TypeAlias = npt.NDArray[np.float32]


@dataclass(slots=True)
class Persistence:
    """How the facts of a group come and go."""

    example: str  # one of them
    initial: int = 0  # that hold at first
    most_later: int = 0  # that held at once after some step
    seen: int = 0  # times that one held before a step
    kept: int = 0  # times that one held after the step, too


class FactGroups:
    """The facts of a game by groups, and how they come and go."""

    def __init__(self) -> None:
        self.groups: dict[FactGroup, Persistence] = {}
        self._columns: dict[FactGroup, int] = {}
        self._members = np.zeros((0, 0), np.float32)  # [facts, groups] 1 where a fact is of a group

    def note(self, game: SheetGame, before: States, after: States) -> None:
        """Notes what became of the facts of some states in a step."""
        earlier, later = (unpack_bits(states, game.game.state_bits) for states in (before, after))
        initial = unpack_bits(game.game.initial[None], game.game.state_bits)
        known = int(np.flatnonzero((earlier | later | initial).any(axis=0)).max(initial=-1)) + 1
        self._learn(game, known)
        known = len(self._members)
        counts = [self._count(rows[:, :known]) for rows in (initial, earlier, later, earlier & later)]
        first, seen, most, kept = counts[0][0], counts[1].sum(0), counts[2].max(0), counts[3].sum(0)
        for index, found in enumerate(self.groups.values()):
            found.initial = int(first[index])
            found.most_later = max(found.most_later, int(most[index]))
            found.seen += int(seen[index])
            found.kept += int(kept[index])

    def _count(self, rows: npt.NDArray[np.bool_]) -> _Counts:
        """How many facts of each group hold in each state."""
        counts: _Counts = rows.astype(np.float32) @ self._members
        return counts

    def _learn(self, game: SheetGame, known: int) -> None:
        """Finds the groups of facts that turn up for the first time."""
        if known <= len(self._members):
            return
        indices = []
        for number in range(len(self._members), known):
            text = game.fact(number)
            indices.append([self._index(group, text) for group in _groups(text)])
        members = np.zeros((known, len(self.groups)), np.float32)
        members[: len(self._members), : self._members.shape[1]] = self._members
        for row, columns in zip(members[len(self._members) :], indices, strict=True):
            row[columns] = 1
        self._members = members

    def _index(self, group: FactGroup, text: str) -> int:
        if group not in self._columns:
            self._columns[group] = len(self._columns)
            self.groups[group] = Persistence(example=text)
        return self._columns[group]


def _groups(text: str) -> Iterator[FactGroup]:
    fact = read_fact(text)
    if fact is None:
        return
    name = symbol(fact)
    assert name is not None, "facts have no variables"
    yield name, -1, ""
    if isinstance(fact, Function):
        for place, arg in enumerate(fact.args):
            if isinstance(arg, Constant):
                yield name, place, arg.name
