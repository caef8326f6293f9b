"""A match between two searches of one game within a given time: fast games from random openings, both seats."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from agent.options import PlayerOptions
from native.core import Evaluation, Game, Search, Simulator, States
from native.kernel_search import KernelGames, KernelSearch

_GAMES = 16  # that the time is meant for
_LEAST_SECONDS = 0.005  # of a move
_LEAST_ITERATIONS = 3000  # of the second candidate a move: with some hundred leaves in flight, less is no search
_PROBE_SECONDS = 0.05
_OPENING_MOVES = 3
_MEMORY_BYTES = 32 << 20


@dataclass(frozen=True, slots=True)
class Candidate:
    """A strategy of the native core on a game core; those of one trial share states and moves."""

    game: Game
    strategy: str
    evaluation: Evaluation | None = None
    kernel: KernelGames | None = None


@dataclass(frozen=True, slots=True)
class TrialResult:
    """How many games were finished, and how many of them the first candidate won; an even game counts half."""

    games: int
    score: float


def trial(
    first: Candidate,
    second: Candidate,
    options: PlayerOptions,
    seconds: float,
    seed: int,
    clock: Callable[[], float],
    stopped: Callable[[], bool],
    depth: int = 1,
) -> TrialResult:
    """Plays for about `seconds` of `clock`; games that are not over by then do not count.

    An opening is played from every seat of the first candidate, the second has the others. Moves are long enough
    for the second to search, and `depth` times as long, even if fewer games are played: what was learned may win
    where there is no time to search, and lose where there is.
    """
    arena = _Arena(first.game, seconds, clock, stopped)
    arena.lengthen(_seconds_for(depth * _LEAST_ITERATIONS, _search(second, options, seed), clock))
    games, score, rng = 0, 0.0, np.random.default_rng(seed)
    while not arena.over():
        opening = arena.opening(rng)
        if opening is None:
            break
        for seat in range(first.game.roles):
            searches = [_search(c, options, int(rng.integers(1 << 62))) for c in (first, second)]
            goals = arena.play(opening, [searches[role != seat] for role in range(first.game.roles)])
            if goals is None:
                break
            others = np.delete(goals, seat).mean()
            games, score = (
                games + 1,
                score + (1.0 if goals[seat] > others else 0.5 if goals[seat] == others else 0.0),
            )
    return TrialResult(games, score)


def _seconds_for(iterations: int, search: Search | KernelSearch, clock: Callable[[], float]) -> float:
    """How long a search takes for so many iterations from the first state."""
    search.set_root()
    began = clock()
    search.run(_PROBE_SECONDS)
    return iterations * (clock() - began) / max(1, search.stats().iterations)


def _search(candidate: Candidate, options: PlayerOptions, seed: int) -> Search | KernelSearch:
    return (candidate.kernel.search if candidate.kernel else Search)(
        candidate.game,
        strategy=candidate.strategy,
        evaluation=candidate.evaluation,
        memory_bytes=_MEMORY_BYTES,
        exploration=options.exploration,
        max_steps=options.max_steps,
        seed=seed,
    )


class _Arena:
    """Plays games one after the other, as long as there is time."""

    def __init__(
        self, game: Game, seconds: float, clock: Callable[[], float], stopped: Callable[[], bool]
    ) -> None:
        self._end = clock() + seconds
        self._clock = clock
        self._stopped = stopped
        self._game = game
        self._simulator = Simulator(game, 64)
        length = max(1.0, self._simulator.playouts(64, max_steps=1000).mean_length)
        self._move_seconds = max(_LEAST_SECONDS, seconds / _GAMES / length)

    def lengthen(self, seconds: float) -> None:
        """Gives each move at least so long."""
        self._move_seconds = max(self._move_seconds, seconds)

    def over(self) -> bool:
        """Whether time is up."""
        return self._stopped() or self._clock() >= self._end

    def opening(self, rng: np.random.Generator) -> States | None:
        """A position a few random moves from the start, or as far as the game goes; None if it is over there."""
        state, last = self._game.initial, None
        for _ in range(_OPENING_MOVES + 1):
            if self._is_over(state):
                break
            last = state
            legal = [np.flatnonzero(moves[0]) for moves in self._simulator.legal(state)]
            state = self._next(state, [int(rng.choice(moves)) for moves in legal])
        return last

    def play(self, state: States, searches: list[Search | KernelSearch]) -> npt.NDArray[np.int32] | None:
        """The goals of a game in which each role has its search; None if it is not over in time."""
        while not self._is_over(state):
            if self.over():
                return None
            state = self._next(state, [self._choose(search, state, role) for role, search in enumerate(searches)])
        goals: npt.NDArray[np.int32] = np.maximum(self._simulator.goals(state)[0], 0)
        return goals

    def _choose(self, search: Search | KernelSearch, state: States, role: int) -> int:
        moves = np.flatnonzero(self._simulator.legal(state)[role][0])
        if len(moves) == 1:
            return int(moves[0])
        search.set_root(state)
        search.run(self._move_seconds)
        known = search.root_moves(role)
        return int(known.moves[known.best])

    def _is_over(self, state: States) -> bool:
        legal = self._simulator.legal(state)
        return bool(self._simulator.terminal(state)[0]) or not all(moves.any() for moves in legal)

    def _next(self, state: States, joint: list[int]) -> States:
        successor: States = self._simulator.next(state, np.array([joint], np.int32))[0]
        return successor
