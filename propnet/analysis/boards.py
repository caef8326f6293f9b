"""Boards and pieces, as random games show them: which propositions say what stands where, and whose it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ludens.propnet.base.arrays import BoolArray
from ludens.propnet.gdl.parser import read_fact
from ludens.propnet.gdl.syntax import Function
from ludens.propnet.network.propnet import Propnet

_OWNER_SHARE = 0.99  # of a piece's appearances, on the moves of its owner
_Values = dict[str, list[int]]  # the propositions that say that a value stands somewhere


@dataclass(frozen=True, slots=True)
class Transitions:
    """State changes of random games."""

    states: BoolArray  # [n, S]
    following: BoolArray  # [n, S] the states that came next
    mover: npt.NDArray[np.int64]  # [n] see `lookahead.movers`


@dataclass(frozen=True, slots=True)
class Board:
    """Propositions of one form, of which at most one holds for each place: one argument is the value there."""

    form: str  # such as (cell * * ?): * a coordinate, ? the value
    cells: int
    always: bool  # exactly one holds, rather than at most one; sampled, as the board itself is
    owners: tuple[tuple[str, str | None], ...]  # each value, and the role on whose moves alone it appears
    captures: bool  # whether a role's move took a piece of another in some random game


def boards(net: Propnet, sample: Transitions) -> tuple[Board, ...]:
    """The boards of a game: each is a form of facts, with coordinates and one argument that is the value there."""
    return tuple(board for board, _ in _boards(net, sample))


def pieces(net: Propnet, sample: Transitions) -> list[list[int]]:
    """For each role the indices of the propositions that say where a piece of it stands."""
    found: dict[str | None, list[int]] = {role: [] for role in net.roles}
    for board, values in _boards(net, sample):
        for value, owner in board.owners:
            found.setdefault(owner, []).extend(values[value])
    return [found[role] for role in net.roles]


def _boards(net: Propnet, sample: Transitions) -> Iterator[tuple[Board, _Values]]:
    forms: dict[tuple[str, int], list[tuple[int, tuple[str, ...]]]] = {}
    for bit, text in enumerate(net.propositions):
        term = read_fact(text)
        if isinstance(term, Function):
            forms.setdefault((term.name, len(term.args)), []).append((bit, tuple(map(str, term.args))))
    for (name, arity), facts in forms.items():
        for place in range(arity - 1, -1, -1):
            if found := _board(net, sample, name, facts, place):
                yield found
                break


def _board(
    net: Propnet, sample: Transitions, name: str, facts: list[tuple[int, tuple[str, ...]]], place: int
) -> tuple[Board, _Values] | None:
    cells: dict[tuple[str, ...], list[int]] = {}
    values: _Values = {}
    for bit, args in facts:
        cells.setdefault(args[:place] + args[place + 1 :], []).append(bit)
        values.setdefault(args[place], []).append(bit)
    counts = np.stack([sample.states[:, bits].sum(axis=1) for bits in cells.values()], axis=1)
    shared = max(map(len, cells.values())) > 1 and len(cells) > 1
    if not shared or counts.max() > 1:
        return None
    owners = tuple((value, _owner(net, sample, bits)) for value, bits in values.items())
    arity = len(facts[0][1])
    form = " ".join([name, *("?" if i == place else "*" for i in range(arity))])
    captures = _captures(net, sample, values, owners)
    return Board(f"({form})", len(cells), bool((counts == 1).all()), owners, captures), values


def _owner(net: Propnet, sample: Transitions, bits: list[int]) -> str | None:
    """The role on whose moves a value appears in places where it was not; None if on those of several."""
    appears = (sample.following[:, bits] & ~sample.states[:, bits]).any(axis=1)
    movers = sample.mover[appears]
    if not len(movers) or len(net.roles) < 2:
        return None
    counts = np.bincount(movers[movers >= 0], minlength=len(net.roles))
    return net.roles[int(counts.argmax())] if counts.max() >= _OWNER_SHARE * len(movers) else None


def _captures(net: Propnet, sample: Transitions, values: _Values, owners: Sequence[tuple[str, str | None]]) -> bool:
    """Whether pieces of one role became fewer on a move of another."""
    mover = sample.mover
    for role, name in enumerate(net.roles):
        bits = [bit for value, owner in owners if owner == name for bit in values[value]]
        fewer = sample.following[:, bits].sum(axis=1) < sample.states[:, bits].sum(axis=1)
        if (fewer & (mover >= 0) & (mover != role)).any():
            return True
    return False
