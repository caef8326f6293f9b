"""The errors of the Python interface: one for each kind of mistake, all of them `LudensError`."""

from __future__ import annotations

from ludens.propnet.base.errors import LudensError


class IllegalMoveError(LudensError, ValueError):
    """A move that is no move of its role, is not legal in its state, or is missing."""


class GameOverError(LudensError):
    """A move in a state, or a search of one, where the game is over."""


class StateError(LudensError, ValueError):
    """Facts that are no state of the game."""


class RoleError(LudensError, ValueError):
    """A role that the game does not have."""


class NoNetworkError(LudensError):
    """A game that is interpreted, for want of a network, where only a network will do."""


class ClosedError(LudensError):
    """The use of something that was closed, or that was made before this process was forked."""


class InUseError(LudensError):
    """The use of a search, a batch or an environment from two threads at once."""


class BudgetError(LudensError, ValueError):
    """A number that is no budget, clock, number of threads, seed or depth."""


class EvaluationError(LudensError, ValueError):
    """A file that holds no evaluation, or that of another game; or an evaluation where it has no use, or is missing."""


class PlayerFailedError(LudensError):
    """A player that raised an error, or whose answer is no legal move; `__cause__` is the error that it raised."""
