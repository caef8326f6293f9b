"""The position of a game in a strength match."""

from __future__ import annotations

from typing import NamedTuple

from ludens.native.core import States


class GamePosition(NamedTuple):
    """The state of a game, and the joint moves that led there."""

    state: States
    history: tuple[tuple[int, ...], ...] = ()
