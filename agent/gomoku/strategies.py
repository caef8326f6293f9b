"""Strategies of the native core on gomoku boards of any size, without a rule sheet."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from ludens.agent.preparation.prepare_untimed import prepare_on_core
from ludens.agent.search.assembly import new_search
from ludens.agent.settings.errors import PlayerError
from ludens.agent.settings.options import PlayerOptions
from ludens.agent.settings.players import read_search
from ludens.agent.settings.strategies import EXPLANATIONS
from ludens.games.gomoku.on_core import POLICIES, STRATEGY, UNIFORM, GomokuOnCore
from ludens.games.gomoku.policies.policy import Policy
from ludens.games.gomoku.policies.table import NAMES, read_policy
from ludens.games.gomoku.rules import Bools, GomokuRules, pack
from ludens.games.gomoku.state import MAX, MIN, Action, GomokuState
from ludens.native.core import RootMoves
from ludens.native.strategies import STRATEGIES
from ludens.propnet.base.errors import LudensError
from ludens.propnet.base.interruptible import running
from ludens.propnet.base.suggestions import did_you_mean

_ABLE = [
    name
    for name, each in STRATEGIES.items()
    if each.most_roles != 1 and not each.needs_evaluation and (not each.needs_core or name == STRATEGY)
]
_LEAST_SECONDS = 0.001  # of a run, since 0 is no limit
_LOOK_SECONDS = 0.2


class StrategySearch:
    """Searches positions on one board by a strategy; `stop` may be called from any thread."""

    def __init__(self, rules: GomokuRules, options: PlayerOptions, seed: int, memory_mb: int = 0) -> None:
        """Takes `memory_mb` at most if it is not 0. Raises NativeError for a board that the native core lacks."""
        self._options = options
        config = prepare_on_core(game_on_core(rules, options), options)
        if memory_mb:
            config = replace(config, memory_mb=min(config.memory_mb, memory_mb))
        search = new_search(config, seed)
        assert search is not None, options.strategy
        self._search = search

    def run(self, stones: Bools, second: bool, seconds: float | None) -> RootMoves:
        """Searches for the time, and for at most as many iterations as the settings say; returns what is known then.

        `stones` is bool[2, cells], of the side that moves first and of the other; `second` says whether that moves.
        `seconds` are None where the iterations alone end it. Ctrl-C ends it.
        """
        iterations = self._options.move_iterations
        assert seconds is not None or iterations, "nothing would end the search"
        self._search.set_root(pack(stones[None], np.array([second]))[0])
        limit = 0.0 if seconds is None else max(seconds, _LEAST_SECONDS)
        for _ in running(partial(self._search.run, limit, iterations), self._search.stop, _LOOK_SECONDS):
            pass
        return self._search.root_moves(int(second))

    def stop(self) -> None:
        """Ends a run in progress, soon."""
        self._search.stop()


class StrategyPolicy:
    """A strategy of the native core as a policy: with as many iterations as the settings say, or else for the time."""

    def __init__(self, text: str, options: PlayerOptions, seed: int) -> None:
        """Takes what matches call it, and its settings, whose seed counts before `seed`."""
        self.name = text[:1].upper() + text[1:]
        self._options, self._seed = options, options.seed or seed
        self._sizes = (0, 0)
        self._search: StrategySearch | None = None

    def choose(self, state: GomokuState, seconds: float) -> Action:
        """See `Policy`; raises NativeError for a board that the native core does not have."""
        sizes = state.board_size, state.win_size
        if self._search is None or self._sizes != sizes:
            rules = GomokuRules(state.board_size, state.board_size, state.win_size)
            self._search, self._sizes = StrategySearch(rules, self._options, self._seed), sizes
        stones = state.board[[MAX, MIN]].reshape(2, -1).astype(np.bool_)
        limit = None if self._options.move_iterations else seconds
        found = self._search.run(stones, state.current_player == MIN, limit)
        row, column = divmod(int(found.moves[found.best]), state.board_size)
        return row, column


def game_on_core(rules: GomokuRules, options: PlayerOptions) -> GomokuOnCore:
    """Returns the game as the settings want its random games to be; uniform where the core has none of their policy."""
    return GomokuOnCore(rules, policy=options.policy if options.policy in POLICIES else UNIFORM)


def read_strategy(text: str) -> PlayerOptions:
    """Returns the settings of a strategy that plays on gomoku boards; raises `OptionError` or `PlayerError`."""
    options = read_search(text)
    if options.strategy not in _ABLE:
        raise PlayerError(f"{text}: {options.strategy} does not search here: choose one of {', '.join(_ABLE)}")
    return options


def read_any_policy(text: str, seed: int) -> Policy:
    """Returns a reference policy, or a strategy of the native core; raises `OptionError` or `PlayerError`."""
    name = text.partition(":")[0]
    if name in NAMES:
        try:
            return read_policy(text, seed)
        except LudensError as error:
            raise PlayerError(str(error)) from error
    if name not in EXPLANATIONS:
        raise PlayerError(f"there is no policy {name!r}{did_you_mean(name, (*NAMES, *_ABLE))}")
    return StrategyPolicy(text, read_strategy(text), seed)
