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
        BudgetError,
        ClosedError,
        EvaluationError,
        GameOverError,
        IllegalMoveError,
        InUseError,
        NoNetworkError,
        PlayerFailedError,
        RoleError,
        StateError,
    )
    from ludens.agent.api.evaluation import Evaluation, learn
    from ludens.agent.api.game import Game, State, load
    from ludens.agent.api.match import Match, play_match, read_record
    from ludens.agent.api.player import Clocks, Player, StrategyPlayer
    from ludens.agent.api.search import FoundMove, Search, SearchResult
    from ludens.agent.env.batch import Batch
    from ludens.agent.env.errors import ArrayError, IllegalActionError, LayoutError
    from ludens.agent.env.perft import perft
    from ludens.agent.records.record import MatchRecord, RecordError
    from ludens.agent.settings.errors import OptionError, PlayerError
    from ludens.games import UnknownGameError
    from ludens.propnet.base.errors import GdlError, GroundingError, LudensError, NativeError

_MODULES = {
    "ludens.agent.api.errors": (
        "BudgetError",
        "ClosedError",
        "EvaluationError",
        "GameOverError",
        "IllegalMoveError",
        "InUseError",
        "NoNetworkError",
        "PlayerFailedError",
        "RoleError",
        "StateError",
    ),
    "ludens.agent.api.evaluation": ("Evaluation", "learn"),
    "ludens.agent.api.game": ("Game", "State", "load"),
    "ludens.agent.api.search": ("FoundMove", "Search", "SearchResult"),
    "ludens.agent.env.batch": ("Batch",),
    "ludens.agent.env.errors": ("ArrayError", "IllegalActionError", "LayoutError"),
    "ludens.agent.env.perft": ("perft",),
    "ludens.agent.settings.errors": ("OptionError", "PlayerError"),
    "ludens.agent.api.match": ("Match", "play_match", "read_record"),
    "ludens.agent.api.player": ("Clocks", "Player", "StrategyPlayer"),
    "ludens.agent.records.record": ("MatchRecord", "RecordError"),
    "ludens.games": ("UnknownGameError",),
    "ludens.propnet.base.errors": ("GdlError", "GroundingError", "LudensError", "NativeError"),
}
_PLACES = {name: module for module, names in _MODULES.items() for name in names}

__all__ = [
    "ArrayError",
    "Batch",
    "BudgetError",
    "Clocks",
    "ClosedError",
    "Evaluation",
    "EvaluationError",
    "FoundMove",
    "Game",
    "GameOverError",
    "GdlError",
    "GroundingError",
    "IllegalActionError",
    "IllegalMoveError",
    "InUseError",
    "LayoutError",
    "LudensError",
    "Match",
    "MatchRecord",
    "NativeError",
    "NoNetworkError",
    "OptionError",
    "Player",
    "PlayerError",
    "PlayerFailedError",
    "RecordError",
    "RoleError",
    "Search",
    "SearchResult",
    "State",
    "StateError",
    "StrategyPlayer",
    "UnknownGameError",
    "learn",
    "load",
    "perft",
    "play_match",
    "read_record",
]


if not TYPE_CHECKING:  # so that a name that is none is a mistake to type checkers

    def __getattr__(name: str) -> object:
        if name not in _PLACES:
            raise AttributeError(f"module 'ludens' has no attribute {name!r}")
        value = globals()[name] = getattr(import_module(_PLACES[name]), name)
        return value

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
