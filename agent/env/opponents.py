"""Opponents: who makes the moves of the other roles in an environment."""

from __future__ import annotations

import math
import random
from typing import Protocol

import numpy as np
import numpy.typing as npt

from ludens.agent.api.errors import BudgetError
from ludens.agent.api.game import Game, State
from ludens.agent.api.numbers import seed_of
from ludens.agent.api.search import Search
from ludens.agent.env.errors import ArrayError, LayoutError
from ludens.agent.env.layouts import as_array
from ludens.agent.search.strategy_choice import needs_core
from ludens.agent.settings.errors import OptionError
from ludens.agent.settings.players import read_search
from ludens.native.core.batch import choose_columns

Actions = npt.NDArray[np.int32]
Masks = npt.NDArray[np.int8]


class Opponent(Protocol):
    """Chooses actions for many games at once."""

    def seed(self, seed: int | None) -> None:
        """Begins anew, with choices that follow from a seed."""

    def choose(self, states: npt.NDArray[np.uint64], roles: Actions, legal: Masks) -> Actions:
        """Returns an action for each of k states [k, words]: of the role [k] there, among those legal [k, actions]."""

    def close(self) -> None:
        """Gives back the memory; nothing is chosen afterwards."""


def read_opponent(text: str, game: Game) -> Opponent:
    """Returns the opponent that `text` describes: `random`, `first`, or a strategy such as `uct:iterations=1000`.

    Raises `OptionError` for settings that there are not, `EvaluationError` for a strategy that needs an evaluation, and
    `LayoutError` for one without a number of iterations, or that plays only on a game core of its own.
    """
    if not isinstance(text, str):
        known = "it is random, or a strategy as in 'uct:iterations=1000'"
        raise OptionError("{given} is no opponent: {known}", given=f"{text!r:.80}", known=known)
    if text == "random":
        return _RandomOpponent()
    if text == "first":
        return _FirstOpponent()
    options = read_search(text)
    if needs_core(options.strategy):
        raise LayoutError(f"opponent {text!r}: {options.strategy} plays only on a game core of its own")
    if not options.move_iterations:
        raise LayoutError(f"opponent {text!r}: say how long it thinks, as in '{options.strategy}:iterations=1000'")
    return _SearchingOpponent(text, game, options.move_iterations)


class _RandomOpponent:
    def __init__(self) -> None:
        self._rng = np.random.default_rng(0)

    def seed(self, seed: int | None) -> None:
        self._rng = np.random.default_rng(seed)

    def choose(self, states: npt.NDArray[np.uint64], roles: Actions, legal: Masks) -> Actions:
        return random_actions(legal, self._rng)

    def close(self) -> None:
        """There is nothing to give back."""


class _FirstOpponent:
    def seed(self, seed: int | None) -> None:
        """Nothing is by chance."""

    def choose(self, states: npt.NDArray[np.uint64], roles: Actions, legal: Masks) -> Actions:
        first: Actions = legal.argmax(axis=1).astype(np.int32)
        return first

    def close(self) -> None:
        """There is nothing to give back."""


class _SearchingOpponent:
    """One search, which looks at one game after the other."""

    def __init__(self, text: str, game: Game, iterations: int) -> None:
        self._text, self._game, self._iterations = text, game, iterations
        self._seed = 2
        self._random = random.Random(self._seed)
        self._search: Search | None = Search(game, text, threads=1, seed=self._seed)

    def seed(self, seed: int | None) -> None:
        self._seed = 1 if seed is None else seed_of(seed + 1) or 1  # 0 would be another one each time
        self._random = random.Random(self._seed)
        self.close()
        self._search = None

    def choose(self, states: npt.NDArray[np.uint64], roles: Actions, legal: Masks) -> Actions:
        if self._search is None:
            self._search = Search(self._game, self._text, threads=1, seed=self._seed)
        chosen = np.empty(len(states), np.int32)
        for i, (words, role) in enumerate(zip(states, roles, strict=True)):
            self._search.go_to(State(self._game, words))
            self._search.run(iterations=self._iterations)
            move = self._search.choose(int(role), self._random.random)
            chosen[i] = self._game.moves[role].index(move)
        return chosen

    def close(self) -> None:
        if self._search is not None:
            self._search.close()


def random_actions(legal: npt.ArrayLike, rng: np.random.Generator, *, packed: bool = False) -> Actions:
    """Returns for each row of masks [..., actions] one of its actions, all of them as likely; 0 where there is none.

    Masks are those of `Batch.legal`: numbers or booleans, or with `packed` those of its layout `bits`, uint8
    [..., ⌈actions / 8⌉]. Drawn natively, with a seed from `rng`: see docs/performance.md for how much quicker that is
    than in numpy. Raises `ArrayError`, and `BudgetError` for what is no generator.

    >>> batch = Batch("connect_four", 1024, layout="bits")
    >>> batch.step(random_actions(batch.legal, np.random.default_rng(1), packed=True))
    """
    if not isinstance(rng, np.random.Generator):
        raise BudgetError(f"rng must be a numpy.random.Generator, not {rng!r:.80}")
    masks = as_array(legal, "legal")
    if masks.ndim == 0 or (masks.dtype != np.uint8 if packed else masks.dtype.kind not in "iub"):
        wanted = "packed bits uint8" if packed else "whole numbers or booleans"
        raise ArrayError(f"legal: an array of {masks.dtype} of shape {masks.shape} where rows of {wanted} are needed")
    rows = masks.reshape(math.prod(masks.shape[:-1]), masks.shape[-1])
    single = rows if rows.itemsize == 1 else rows != 0
    chosen = choose_columns(np.ascontiguousarray(single).view(np.uint8), packed, rng.bit_generator.random_raw())
    return chosen.reshape(masks.shape[:-1])
