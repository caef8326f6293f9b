"""Prepares a game again while its match is on, where the start clock was too short to learn it.

In most games a player waits in half of the turns. To learn on then is worth less than to think on for who has learned
the game already (docs/experiments/learning-speed.md). Who had no time for that has a search which is mostly the weaker
one (docs/experiments/choice.md). So that pauses while others move, unless a processor is to spare, and the time is
that of preparation: in a process of its own, which is paused while we think. What that brings:
docs/experiments/start-clock.md.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ludens.agent.engine.backends import Stage
from ludens.agent.engine.native_agent import NativeAgent
from ludens.agent.engine.niceness import be_nice
from ludens.agent.engine.pausable_process import PausableProcess
from ludens.agent.engine.puzzle_agent import prepared_agent
from ludens.agent.learning.features import FeatureNetwork
from ludens.agent.learning.random_games import rounds
from ludens.agent.preparation.budget import TimeBudget
from ludens.agent.preparation.prepare import prepare_later, with_half_the_memory
from ludens.agent.search.config import SearchConfig
from ludens.agent.search.decomposition import Decomposition
from ludens.agent.settings.options import PlayerOptions
from ludens.games.recognised_game import RecognisedGame
from ludens.native.core import Game
from ludens.propnet.base.clock import now
from ludens.propnet.gdl.syntax import RuleSheet
from ludens.propnet.network.propnet import Propnet

_TRIES = 3  # each with twice the time of the one before
_LEAST_SECONDS = 10.0  # of the first,
_LONGER = 2  # ... and so many times as long as the start clock, if it does not know yet what evaluations see
_WAITING_SHARE = 1 / 4  # of a role's positions in which it has no choice: in games by turns it waits in half of them
_WAITING_SECONDS = 0.1  # of random games, to find that out
_LOOK_SECONDS = 0.1  # between two looks whether the match is solved
_DECIDE = f"{__name__}:decide"


def often_waits(game: Game, role: int, seed: int) -> bool:
    """Says whether a role of a game often has nothing to choose while others move, by a few random games."""
    played = next(rounds(game, now() + _WAITING_SECONDS, seed=seed))
    choices = played.choices[:, role]
    return len(choices) > 0 and float(np.mean(choices <= 1)) >= _WAITING_SHARE


def may_prepare_later(config: SearchConfig, role: int, move_seconds: float, seed: int, *, spare: bool) -> bool:
    """Says whether to prepare again what was prepared in a hurry: in matches with clocks, by this machine alone.

    Not beside a kernel, which it would not compare, and only where it ends with this process (`pausable_process`).
    Nor where the search would hardly ever leave the processor to it, and there are none to `spare`.
    """
    alone = config.cluster is None and config.kernel is None
    may = config.rushed and alone and move_seconds > 0 and sys.platform == "linux"
    return may and (spare or often_waits(config.variant.game, role, seed))


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What is to be prepared, and with what time at first."""

    net: Propnet
    sheet: RuleSheet
    recognised: RecognisedGame | None
    settings: PlayerOptions
    seconds: float
    move_seconds: float
    seed: int
    beside_search: bool  # it goes on while we think: then the search goes first
    relative: bool  # roles play for relative goals
    features: FeatureNetwork | None = None  # from which learning goes on
    decomposition: Decomposition | None = None  # by which the game is played


class LatePreparation:
    """Decides once more how a game is searched, with more time than its start clock left."""

    def __init__(
        self,
        net: Propnet,
        sheet: RuleSheet,
        recognised: RecognisedGame | None,
        settings: PlayerOptions,
        rushed: SearchConfig,
        budget: TimeBudget,
        *,
        beside_search: bool,
    ) -> None:
        """`rushed` is what the preparation that was too short has chosen, and `budget` what time it had.

        With `beside_search` it goes on while we think, since there are more processors than the search uses.
        """
        self._task = Task(
            net=net,
            sheet=sheet,
            recognised=recognised,
            settings=settings,
            seconds=max(_LEAST_SECONDS, budget.seconds * (1 if rushed.features else _LONGER)),
            move_seconds=budget.move_seconds,
            seed=budget.seed,
            beside_search=beside_search,
            relative=rushed.variant.relative,
            features=rushed.features,
            decomposition=rushed.decomposition,
        )
        self._rushed = rushed
        self._budget = budget
        self._lock = threading.Lock()
        self._process: PausableProcess | None = None
        self._paused = False

    @property
    def beside_search(self) -> bool:
        """Whether it goes on while we think."""
        return self._task.beside_search

    def in_the_meantime(self) -> SearchConfig:
        """Returns by what to search until then: what was chosen in a hurry, with half of the memory."""
        return with_half_the_memory(self._rushed, self._task.settings)

    def run(self, stopped: Callable[[], bool]) -> SearchConfig | None:
        """Returns by what to search from now on, decided in another process.

        None where that is no other search, where there was never enough time, or once it was `stopped`. Raises
        `LudensError`, as making the game does, and MemoryError.
        """
        while self._paused:  # to start a process takes the processor too
            if stopped():
                return None
            time.sleep(_LOOK_SECONDS)
        process = PausableProcess(_DECIDE, self._task)
        with self._lock:
            self._process = process
            process.pause(self._paused)  # which it may have been told before there was a process
        try:
            while not stopped():
                if (result := process.receive(_LOOK_SECONDS, self._tell)) is not None:
                    return self._another(result.value)
            return None
        finally:
            process.close()

    def pause(self, paused: bool) -> None:
        """Pauses the preparation while we think, or lets it go on; from any thread."""
        with self._lock:
            self._paused = paused
            if self._process is not None:
                self._process.pause(paused)

    def agent(self, config: SearchConfig, role: str, tell: Callable[[str], None]) -> NativeAgent:
        """Returns the agent that takes over; what it meets with goes to `tell`."""
        task = self._task
        known = replace(config, knowledge=self._rushed.knowledge)
        return prepared_agent(task.net, known, task.recognised, role, task.settings, tell, Stage.PREPARED_LATER)

    def _tell(self, told: tuple[str, str]) -> None:
        """Tells what the process has told: for the log, or for experts."""
        kind, text = told
        (self._budget.tell if kind == "tell" else self._budget.explain)(text)

    def _another(self, config: SearchConfig | None) -> SearchConfig | None:
        """Returns this search if it is another one than that in a hurry, or has a better evaluation."""
        same = config is None or (not config.evaluates and str(config) == str(self._rushed))
        return None if same else config


def decide(task: Task, tell: Callable[[Any], None]) -> SearchConfig | None:
    """Prepares with more and more time until enough is known; returns by what to search, None if it never is.

    It plays without endgame tables: the player has them. Runs in the process of a `LatePreparation`.
    """
    if task.beside_search:
        be_nice()
    settings, features = replace(task.settings, endgame_pieces=0), task.features
    for number in range(_TRIES):
        budget = TimeBudget(
            task.seconds * 2**number,
            task.move_seconds,
            task.seed,
            now,
            tell=lambda text: tell(("tell", text)),
            explain=lambda text: tell(("explain", text)),
        )
        config = prepare_later(
            task.net,
            settings,
            budget,
            sheet=task.sheet,
            recognised=task.recognised,
            relative=task.relative,
            features=features,
            decomposition=task.decomposition,
        )
        if not config.rushed:
            return config
        features = config.features or features
    return None
