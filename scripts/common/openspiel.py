"""OpenSpiel's C++, to measure beside: its random playouts and its search.

Its random playouts run inside its MCTSBot (one simulation of many rollouts, all in C++), and its search is that
bot with one rollout a simulation.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Self

from ludens.propnet.base.errors import LudensError

_SAME = {
    "tic_tac_toe": "tic_tac_toe",
    "ticTacToe": "tic_tac_toe",
    "connect_four": "connect_four",
    "connectFour": "connect_four",  # 8 columns, 7 in OpenSpiel
    "breakthrough": "breakthrough",
    "english_draughts": "checkers",
    "englishDraughts": "checkers",
    "reversi": "othello",
    "hex": "hex(board_size=9)",
    "gomoku": "gomoku",
    "gomoku_15x15": "gomoku",
    "pentago": "pentago",
}
_LENGTH_SAMPLE = 300  # playouts, stepped from Python, for the mean length


class OpenSpiel:
    """One of its games; rates are a second of `clock`."""

    def __init__(self, name: str, clock: Callable[[], float] = time.perf_counter) -> None:
        try:
            import pyspiel
        except ImportError:
            raise LudensError("OpenSpiel is not installed: pip install -e '.[bench]'") from None
        self._spiel = pyspiel
        self._game = pyspiel.load_game(name)
        self._rollouts = 64
        self._clock = clock

    @classmethod
    def of(cls, rules: str, clock: Callable[[], float] = time.perf_counter) -> Self | None:
        """The same game as a rule sheet, by its name without ending; none if OpenSpiel lacks it."""
        return cls(_SAME[rules], clock) if rules in _SAME else None

    def length(self) -> float:
        """Mean number of moves of random games."""
        rng, total = random.Random(1), 0
        for _ in range(_LENGTH_SAMPLE):
            state = self._game.new_initial_state()
            while not state.is_terminal():
                state.apply_action(rng.choice(state.legal_actions()))
                total += 1
        return total / _LENGTH_SAMPLE

    def playouts(self, seconds: float) -> float:
        """Random playouts a second."""
        while True:
            elapsed = self._step(simulations=1, rollouts=self._rollouts)
            if elapsed >= seconds / 2:
                return self._rollouts / elapsed
            self._rollouts = int(self._rollouts * min(8, 1.2 * seconds / max(elapsed, 1e-6))) + 1

    def iterations(self, seconds: float) -> float:
        """Simulations of UCT a second, one rollout each."""
        simulations = 64
        while True:
            elapsed = self._step(simulations, rollouts=1)
            if elapsed >= seconds / 2:
                return simulations / elapsed
            simulations = int(simulations * min(8, 1.2 * seconds / max(elapsed, 1e-6))) + 1

    def _step(self, simulations: int, rollouts: int) -> float:
        evaluator = self._spiel.RandomRolloutEvaluator(rollouts, 1)
        bot = self._spiel.MCTSBot(self._game, evaluator, 1.0, simulations, 1000, False, 1, False)
        state = self._game.new_initial_state()
        began = self._clock()
        bot.step(state)
        return self._clock() - began
