"""Where a game of a strength match stands."""

from __future__ import annotations

from typing import NamedTuple

from ludens.native.core import States


class GamePosition(NamedTuple):
    """The state of a game, and the joint moves that led there."""

    state: States
    history: tuple[tuple[int, ...], ...] = ()
