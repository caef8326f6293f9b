"""Plays trial games between searches within a given time: fast games, random openings, each from both sides.

They are the searches of the match to come, but with one thread, and memory in proportion to the length of moves.
What more threads gain is less than as many times the time would, and for random games least
(docs/experiments/guided-threads.md, uct-tree.md there), so that no search is given the time of several. Only where
guided search uses one thread however many there are, as it does where roles choose at the same time, all have the
threads of the match.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from ludens.agent.preparation.budget import TimeBudget
from ludens.agent.preparation.ratings import Pairing, Ratings, StrengthPrior
from ludens.agent.preparation.search_speed import iterations_per_second
from ludens.agent.preparation.strength_model import HARDLY_EVER, Evidence
from ludens.agent.preparation.strongest import GainElsewhere, no_gain, strongest
from ludens.agent.search.assembly import new_search
from ludens.agent.search.config import SearchConfig
from ludens.agent.search.contract import GameSearch
from ludens.agent.search.mixed_strategy import choose_all
from ludens.agent.search.strategy_choice import GUIDED
from ludens.agent.settings.memory_shares import TRIAL, memory_part
from ludens.native.core import Simulator, States

# Of the first candidate a move at least: eight batches of leaves in flight. With fewer it is hardly a search, and
# loses to an evaluation that it beats in the match; better few games are played than many that say so.
_ITERATIONS = 4096
_LONGER = 4  # times as many iterations from one length of moves to the next
_LEAST_SECONDS = 0.001  # of a search
_LEAST_KERNEL_SECONDS = 0.04  # of one whose leaves are played in batches, which take a quarter of that each
_SLICE_SECONDS = 0.05  # after which it is asked whether the trial goes on
_OPENING_MOVES = 3
_LONGEST = 4  # times as long as random games are on the mean: a game that lasts longer may never end,
_LEAST_TURNS = 200  # ... if it lasts longer than that too:
_EVEN_GOAL = 50  # ... then all have so much
_LEAST_MB = 32


@dataclass(frozen=True, slots=True)
class Candidate:
    """A way to play, and what is expected of it; the variants of one trial share states and moves."""

    config: SearchConfig
    prior: StrengthPrior = field(default_factory=StrengthPrior)
    evidence: Evidence | None = None  # what the prior follows from

    @property
    def always_uses_one_thread(self) -> bool:
        """Whether more threads are of no use to it, as far as is known."""
        at_once = self.evidence.at_once if self.evidence else 0.0
        return self.config.strategy == GUIDED and at_once > HARDLY_EVER


def trial(candidates: Sequence[Candidate], budget: TimeBudget, gain_elsewhere: GainElsewhere = no_gain) -> Ratings:
    """Returns how strong all candidates seem to be in the match.

    A move of the match has as many iterations as the first candidate makes in its time at the start of the game;
    those of a trial have fewer, as there is time for, or as many. For `gain_elsewhere` see `strongest`.
    """
    runner = TrialRunner(candidates, budget)
    return strongest(runner, [c.prior for c in candidates[1:]], runner.lengths, runner.time_left, gain_elsewhere)


def memory_of(match_mb: int, length: float) -> int:
    """Returns the MB of each of two searches whose moves are `length` times as long as those of the match.

    At most the share of a trial, which leaves room for the agents that play until then.
    """
    return min(memory_part(match_mb, TRIAL), max(_LEAST_MB, round(length * match_mb)))


class TrialRunner:
    """Plays games between candidates one after the other, as long as there is time."""

    def __init__(self, candidates: Sequence[Candidate], budget: TimeBudget) -> None:
        self._candidates, self._budget = candidates, budget
        self._uses_all_threads = any(candidate.always_uses_one_thread for candidate in candidates)
        self._game = candidates[0].config.variant.game
        self._rng = np.random.default_rng(budget.seed)
        self._simulator = Simulator(self._game, 64, seed=budget.seed)
        self._moves = max(1.0, self._simulator.playouts(64, max_steps=1000).mean_length)  # of a game
        self._most_turns = max(_LEAST_TURNS, round(_LONGEST * self._moves))
        self._splits = self._all_splits()
        self._match_seconds = max(_LEAST_SECONDS, budget.move_seconds)
        self.lengths = self._lengths()

    def time_left(self) -> float:
        """Returns the seconds that may still be spent."""
        return 0.0 if self._budget.stopped() else self._budget.end - self._budget.clock()

    def seconds(self, pairing: Pairing) -> float:
        """See `Contest`."""
        return self._moves * self._move_seconds(pairing)

    def play(self, pairing: Pairing) -> float | None:
        """See `Contest`."""
        goals = self.play_for_goals(pairing)
        if goals is None:
            return None
        mine, theirs = goals
        return 1.0 if mine > theirs else 0.5 if mine == theirs else 0.0

    def play_for_goals(self, pairing: Pairing) -> tuple[float, float] | None:
        """Plays a game; returns the mean goals of both players, or None if it was not over in time."""
        opening, first_seats = next(self._splits)
        memory = memory_of(self._candidates[0].config.memory_mb, math.exp(pairing.x))
        players = [self._search(self._candidates[player], memory) for player in (pairing.first, pairing.second)]
        seconds, seats = self._move_seconds(pairing), (~first_seats).astype(int)
        began = self._budget.clock()
        goals = self._finish(opening, [players[i] for i in seats], seconds)
        if goals is None:
            return None
        lasted = (self._budget.clock() - began) / seconds
        self._moves += (lasted - self._moves) / 4  # games that are searched end sooner or later than random ones
        return float(goals[first_seats].mean()), float(goals[~first_seats].mean())

    def _move_seconds(self, pairing: Pairing) -> float:
        """Returns the time of a move of either player."""
        return math.exp(pairing.x) * self._match_seconds

    def _lengths(self) -> list[float]:
        """Returns the logarithms of the lengths of moves, from the shortest useful ones to those of the match: 0."""
        rate = iterations_per_second(self._candidates[0].config, self._budget.seed, self._budget.clock)
        shortest = _ITERATIONS / rate
        if self._candidates[0].config.kernel:
            shortest = max(shortest, _LEAST_KERNEL_SECONDS)
        first = min(0.0, math.log(shortest / self._match_seconds))
        steps = math.ceil(-first / math.log(_LONGER))
        return [first + step * math.log(_LONGER) for step in range(steps)] + [0.0]

    def _search(self, candidate: Candidate, memory_mb: int) -> GameSearch:
        threads = candidate.config.threads if self._uses_all_threads else 1
        config = replace(candidate.config, threads=threads, memory_mb=memory_mb)
        search = new_search(config, int(self._rng.integers(1 << 62)))
        assert search is not None  # whoever chooses at once has no trial
        return search

    def _all_splits(self) -> Iterator[tuple[States, npt.NDArray[np.bool_]]]:
        """Yields openings and which roles the first player has, each followed by the same with roles exchanged."""
        while True:
            opening, seats = self._opening(), self._rng.random(self._game.roles) < 0.5
            if seats.any() and not seats.all():
                yield opening, seats
                yield opening, ~seats

    def _opening(self) -> States:
        """Returns a position a few random moves from the start, or as far as the game goes."""
        state = last = self._game.initial
        for _ in range(_OPENING_MOVES + 1):
            if self._is_over(state):
                break
            last = state
            legal = [np.flatnonzero(moves[0]) for moves in self._simulator.legal(state)]
            state = self._next(state, [int(self._rng.choice(moves)) for moves in legal])
        return last

    def _finish(self, state: States, searches: Sequence[GameSearch], seconds: float) -> npt.NDArray[np.int32] | None:
        """Plays a game, each role with its search, and so many seconds a move.

        Returns the goals, which are even if it goes on and on; None if it is not over in time.
        """
        turns = 0
        while not self._is_over(state):
            if turns == self._most_turns:
                return np.full(self._game.roles, _EVEN_GOAL, np.int32)
            if self.time_left() <= 0:
                return None
            state = self._next(state, self._choose(state, searches, seconds))
            turns += 1
        goals: npt.NDArray[np.int32] = np.maximum(self._simulator.goals(state)[0], 0)
        return goals

    def _choose(self, state: States, searches: Sequence[GameSearch], seconds: float) -> list[int]:
        """Returns the moves of all roles; those who choose at the same time draw theirs, as in a match."""
        legal = [np.flatnonzero(moves[0]) for moves in self._simulator.legal(state)]

        def think(role: int) -> None:
            self._think(searches[role], state, seconds)

        return choose_all(legal, searches, think, self._rng.random)

    def _think(self, search: GameSearch, state: States, seconds: float) -> None:
        search.set_root(state)
        end = self._budget.clock() + seconds
        while not search.stats().solved and (left := min(end - self._budget.clock(), self.time_left())) > 0:
            search.run(min(max(left, _LEAST_SECONDS), _SLICE_SECONDS))

    def _is_over(self, state: States) -> bool:
        legal = self._simulator.legal(state)
        return bool(self._simulator.terminal(state)[0]) or not all(moves.any() for moves in legal)

    def _next(self, state: States, joint: list[int]) -> States:
        successor: States = self._simulator.next(state, np.array([joint], np.int32))[0]
        return successor
