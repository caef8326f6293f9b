"""Checks numbers that users give: times, limits, counts and seeds."""

from __future__ import annotations

import math

import numpy as np

from ludens.agent.api.errors import BudgetError

_MOST = (1 << 63) - 1


def check_limits(**limits: float | None) -> None:
    """Raises `BudgetError` unless there is a limit, and each that is given is a finite number above 0."""
    given = {name: limit for name, limit in limits.items() if limit is not None}
    if not given:
        raise BudgetError(f"without a limit a search would never end: give {', '.join(limits)}")
    for name, limit in given.items():
        if not _is_number(limit) or not 0 < limit < math.inf:
            raise BudgetError(f"{name} must be a number above 0, not {limit!r}")


def check_clocks(**seconds: float) -> None:
    """Raises `BudgetError` unless each of these is a finite number of seconds, 0 or above."""
    for name, given in seconds.items():
        if not _is_number(given) or not 0 <= given < math.inf:
            raise BudgetError(f"{name} must be a number of seconds, 0 or above, not {given!r}")


def whole(name: str, given: object, least: int = 0) -> int:
    """Returns a whole number of 64 bits that is `least` or above; raises `BudgetError` for anything else."""
    if isinstance(given, bool) or not isinstance(given, int | np.integer) or not least <= given <= _MOST:
        raise BudgetError(f"{name} must be a whole number from {least} on, not {given!r}")
    return int(given)


def seed_of(given: object) -> int:
    """Returns a seed, which is any whole number, as one from 0 to 2⁶³ - 1; raises `BudgetError`.

    It is 0, which stands for a new seed each time, only for 0.
    """
    if isinstance(given, bool) or not isinstance(given, int | np.integer):
        raise BudgetError(f"seed must be a whole number, not {given!r}")
    seed = int(given) & _MOST
    if seed == 0 and given != 0:
        return 1
    return seed


def _is_number(given: object) -> bool:
    return isinstance(given, int | float | np.number) and not isinstance(given, bool)
