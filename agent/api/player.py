"""Players of your own: a class with one method, which plays in matches of all kinds.

    class Cautious(ludens.Player):
        def choose(self, state, seconds):
            return state.legal(self.role)[0]

`ludens match breakthrough my_player.py:Cautious uct` plays it in a process of its own, `ludens.play_match` in this one.
"""

from __future__ import annotations

import random
import sys
import threading
import time
from abc import ABC, abstractmethod
from dataclasses import replace
from importlib.util import module_from_spec, spec_from_file_location
from typing import NamedTuple

from ludens.agent.api.errors import PlayerFailedError
from ludens.agent.api.failures import describe_failure
from ludens.agent.api.game import Game, Move, State
from ludens.agent.api.search import Search, check_unprepared
from ludens.agent.api.searched_game import core_of
from ludens.agent.preparation.budget import TimeBudget
from ludens.agent.preparation.prepare import prepare
from ludens.agent.search.config import SearchConfig
from ludens.agent.search.strategy_choice import needs_core, resolve_strategy
from ludens.agent.settings.options import PlayerOptions
from ludens.agent.settings.player_files import PlayerFile
from ludens.agent.settings.players import read_search
from ludens.agent.settings.strategies import AUTO, INSTANT
from ludens.games.recognised_game import RecognisedGame
from ludens.propnet.base.errors import NativeError
from ludens.propnet.base.interruptible import running

_LOOK_SECONDS = 0.1
_LEAST_SECONDS = 0.001  # of a search, since 0 is no limit


class Clocks(NamedTuple):
    """How long a player has, in seconds: before the first move, and for each move."""

    start: float
    play: float


class Player(ABC):
    """The base class of players: say in `choose` which move is made; all else can stay as it is.

    A player is made without arguments, for one role of one match. Where a role has only one legal move, nobody is
    asked.
    """

    game: Game
    role: str
    clocks: Clocks

    def start(self, game: Game, role: str, clocks: Clocks) -> None:
        """Prepares for a match of `game` as `role`, for at most `clocks.start` seconds; keeps what it is told."""
        self.game, self.role, self.clocks = game, role, clocks

    @abstractmethod
    def choose(self, state: State, seconds: float) -> Move:
        """Returns the move, as text or index, that this player makes in `state`, within so many seconds."""

    def stop(self) -> None:  # noqa: B027 - most have nothing to end
        """Ends the match: it is over, or was broken off."""


class StrategyPlayer(Player):
    """A player by one of the strategies that `ludens strategies` explains, with settings: `uct:iterations=500`.

    With `iterations` it searches for so many, otherwise for the time that it has. `auto` learns first, if the start
    clock leaves a second for it.
    """

    def __init__(self, strategy: str = AUTO, seed: int = 0) -> None:
        """Raises `OptionError` or `PlayerError` for a strategy that there is not; seed 0 is a new one each time."""
        self._options = _with_seed(read_search(strategy), seed)
        self._random = random.Random(self._options.seed or None)
        self._search: Search | None = None
        self._config: SearchConfig | None = None
        self._core: RecognisedGame | None = None  # on which it was prepared

    def start(self, game: Game, role: str, clocks: Clocks) -> None:
        """See `Player`; raises `OptionError` for settings that take preparation where there is none."""
        super().start(game, role, clocks)
        self.stop()
        options = self._options
        if options.strategy in INSTANT:
            return
        if not options.iterations and game.has_network and clocks.start > 0:
            self._config = self._prepared(options)
        else:
            check_unprepared(options)

    def choose(self, state: State, seconds: float) -> Move:
        """See `Player`."""
        if self._options.strategy in INSTANT:
            legal = sorted(state.legal(self.role))
            return self._random.choice(legal) if self._options.strategy == "random" else legal[0]
        end = time.monotonic() + seconds
        try:
            self._think(state, end)
        except NativeError:
            if self._config is None or self._config.kernel is None:
                raise
            self._config = self._config.fallback()
            self._close()
            self._think(state, end)
        assert self._search is not None  # by _think()
        return self._search.choose(self.role, self._random.random)

    def stop(self) -> None:
        """See `Player`."""
        self._close()
        self._config = self._core = None

    def _close(self) -> None:
        if self._search is not None:
            self._search.close()
        self._search = None

    def _think(self, state: State, end: float) -> None:
        """Searches a state for as many iterations as the settings say, or until `end` of `time.monotonic`."""
        search = self._at(state)
        if self._options.iterations:
            search.run(iterations=self._options.iterations)
        else:
            search.run(seconds=max(end - time.monotonic(), _LEAST_SECONDS))

    def _at(self, state: State) -> Search:
        """Returns the search at a state."""
        if self._search is None:
            unknown = self._core is not None and state.history is None
            if self._config is not None and not unknown:
                self._search = Search._of_config(state, self._config, self._core, self._options.seed)
            else:
                self._search = Search._of_options(state, self._of_nothing_learned())
        elif self._search.state != state:
            self._search.go_to(state)
        return self._search

    def _of_nothing_learned(self) -> PlayerOptions:
        """Returns the settings of a player that has learned nothing, as where there was no time for it."""
        options, roles = self._options, len(self.game.roles)
        on_core = needs_core(options.strategy) and core_of(self.game, options) is not None
        return replace(options, strategy=resolve_strategy(options.strategy, roles, learned=False, on_core=on_core))

    def _prepared(self, options: PlayerOptions) -> SearchConfig:
        """Prepares for the match as players of `ludens serve` do, for as long as the start clock allows."""
        stopped = threading.Event()
        budget = TimeBudget(self.clocks.start, self.clocks.play, options.seed, stopped=stopped.is_set)
        found: list[SearchConfig] = []

        def decide() -> None:
            self._core = core_of(self.game, options)
            found.append(prepare(self.game.net, options, budget, sheet=self.game.sheet, recognised=self._core))

        for _ in running(decide, stopped.set, _LOOK_SECONDS):
            pass
        return found[0]

    def __repr__(self) -> str:
        return f"<ludens.StrategyPlayer {self._options.strategy}>"


def load_player(file: PlayerFile) -> type[Player]:
    """Imports the class of a player from its file, as a program that stands there would.

    Raises `PlayerFailedError` for a class that is no `ludens.Player`, or a file that fails when it is imported.
    """
    folder = str(file.path.parent)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    spec = spec_from_file_location(file.path.stem, file.path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[file.path.stem] = module
    try:
        spec.loader.exec_module(module)
        found = getattr(module, file.name)
    except Exception as error:
        raise PlayerFailedError(f"{file.path.name} fails when it is imported: {describe_failure(error)}") from error
    if not (isinstance(found, type) and issubclass(found, Player)):
        raise PlayerFailedError(f"{file.path.name}:{file.name} is no player: make it a subclass of ludens.Player")
    return found


def _with_seed(options: PlayerOptions, seed: int) -> PlayerOptions:
    return replace(options, seed=options.seed or seed)
