"""The errors of batches and environments."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ludens.agent.api.errors import GameOverError, IllegalMoveError
from ludens.propnet.base.errors import LudensError

_SHOWN = 8  # rows


class ArrayError(LudensError, ValueError):
    """An array of another type, shape or layout than is needed, or one that cannot be written."""


class IllegalActionError(IllegalMoveError):
    """Actions that are not legal in their states, in which case no game was stepped."""

    def __init__(self, rows: npt.NDArray[np.int64]) -> None:
        """`rows` are all of those whose actions are not legal."""
        self.rows = rows
        shown = ", ".join(map(str, rows[:_SHOWN].tolist()))
        more = f" and {len(rows) - _SHOWN:,} more" if len(rows) > _SHOWN else ""
        super().__init__(
            f"illegal or missing actions in row{'s' if len(rows) > 1 else ''} {shown}{more}: nothing was stepped"
        )


class LayoutError(LudensError):
    """A layout of observations or actions that a game cannot have."""


class NotResetError(GameOverError):
    """A step of an environment that was not reset before its first step, or after its end."""
