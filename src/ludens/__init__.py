"""Ludens, a general game player: any game whose rules are written in GDL, to play, to search and to learn.

    >>> import ludens
    >>> state = ludens.load("tic_tac_toe").initial
    >>> state.play("(mark 2 2)").to_move
    ('nought',)

The names in `__all__` are the public interface, and stable. They are imported when they are first used, so that
`import ludens` takes no time.

Below it, `agent` is the player and the manager of matches, `games` what belongs to one game, `native` the C++ core and
its binding, `propnet` the way from rules to a network. Their folders stand at the top of the repository; here are links
to them, so that the project is one package for whoever imports, checks, tests or installs it.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ludens.agent.api.errors import (
        ClosedError,
        GameOverError,
        IllegalMoveError,
        InUseError,
        NoNetworkError,
        RoleError,
        StateError,
    )
    from ludens.agent.api.game import Game, State, load
    from ludens.games import UnknownGameError
    from ludens.propnet.base.errors import GdlError, GroundingError, LudensError

_MODULES = {
    "ludens.agent.api.errors": (
        *("ClosedError", "GameOverError", "IllegalMoveError", "InUseError"),
        *("NoNetworkError", "RoleError", "StateError"),
    ),
    "ludens.agent.api.game": ("Game", "State", "load"),
    "ludens.games": ("UnknownGameError",),
    "ludens.propnet.base.errors": ("GdlError", "GroundingError", "LudensError"),
}
_PLACES = {name: module for module, names in _MODULES.items() for name in names}

__all__ = [
    "ClosedError",
    "Game",
    "GameOverError",
    "GdlError",
    "GroundingError",
    "IllegalMoveError",
    "InUseError",
    "LudensError",
    "NoNetworkError",
    "RoleError",
    "State",
    "StateError",
    "UnknownGameError",
    "load",
]


if not TYPE_CHECKING:  # so that a name that is none is a mistake to type checkers

    def __getattr__(name: str) -> object:
        if name not in _PLACES:
            raise AttributeError(f"module 'ludens' has no attribute {name!r}")
        value = globals()[name] = getattr(import_module(_PLACES[name]), name)
        return value

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
