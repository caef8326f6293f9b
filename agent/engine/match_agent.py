"""The base class of agents, which follow a match in an engine process, and the agent on the reference interpreter.

An agent stands at one position of a match: `follow` moves it along the history and says what holds there. Those
that search report what is best so far as well. The interpreter is no player. It is there for what native code
cannot do: to know a legal move where that has crashed, hangs or gives up.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from itertools import takewhile

from ludens.agent.engine.told_moves import told_moves
from ludens.agent.protocol.state_history import StateHistory
from ludens.agent.protocol.wire import MOST_TOLD, GoTo, History, Joint, Position, SearchReport
from ludens.propnet.gdl.interpreter import State
from ludens.propnet.gdl.sampling import SamplingInterpreter
from ludens.propnet.gdl.syntax import RuleSheet


@dataclass(frozen=True, slots=True)
class KnownPlan:
    """A line from a position to the end of the game, which no other role can spoil, and the goal that it earns."""

    goal: float = -1.0  # this one if there is no plan
    moves: History = ()


class MatchAgent(ABC):
    """One way to play the rules; used by one thread, but for its attributes and `interrupt`."""

    rank = 0
    """Of two agents that are there, the one of higher rank leads: it plays more games a second, or better ones."""

    target: GoTo | None = None
    """Where it was sent last; None before the first `follow`."""

    weight = 0
    """The number of visits that its knowledge of the position is founded on."""

    plan = KnownPlan()
    """The best plan that it has from the position on."""

    def follow(self, target: GoTo) -> Position:
        """Stands at the end of the history that fits best from now on, and says what holds there."""
        fits = self._fitting(target) if target.others else (0,)
        position = self.go_to(target.histories[fits[0]])
        self.target = target
        return replace(position, fits=fits)

    @abstractmethod
    def go_to(self, history: History) -> Position:
        """Stands at the end of `history` from now on, and says what holds there."""

    @abstractmethod
    def illegal_moves(self, history: History, moves: Joint) -> int:
        """Returns how many of `moves` the rules do not allow at the end of `history`."""

    def known(self) -> SearchReport | None:
        """Returns what it knows of the position from earlier searches, if anything."""
        return None

    def take_plan(self, plan: KnownPlan) -> None:  # noqa: B027 - most make no plans
        """Takes the plan of another agent for its position, if it is better than its own."""

    def interrupt(self) -> None:  # noqa: B027 - most have nothing to interrupt
        """Ends what takes long, early, from another thread."""

    def _fitting(self, target: GoTo) -> tuple[int, ...]:
        """Returns the histories with the fewest faults: moves that are illegal, or not as they were told.

        First come those in which we have a move to make, and of them those with fewer illegal moves.
        """
        shared = sum(1 for _ in takewhile(lambda joints: len(set(joints)) == 1, zip(*target.histories, strict=True)))
        faults = []
        for history, changed in zip(target.histories, target.changed, strict=True):
            steps = range(shared, len(history))
            faults.append(changed + sum(self.illegal_moves(history[:i], history[i]) for i in steps))
        fitting = [i for i, count in enumerate(faults) if count == min(faults)]
        if len(fitting) > 1:
            positions = {i: self.go_to(target.histories[i]) for i in fitting}
            fitting.sort(key=lambda i: (positions[i].terminal or not positions[i].legal, -target.changed[i]))
        return tuple(fitting)


class SearchAgent(MatchAgent):
    """An agent that finds out more about its position."""

    can_search = False
    """Whether there is something to find out."""

    uses_start_clock = False
    """Whether to think before the first turn is worth keeping all waiting."""

    @abstractmethod
    def think(self, seconds: float) -> SearchReport:
        """Searches for about `seconds`, if `can_search`; reports the best move so far."""


class ReferenceAgent(MatchAgent):
    """Follows the match on the reference interpreter: slow, without search and without native code."""

    def __init__(self, sheet: RuleSheet, role: str, rng: random.Random) -> None:
        """Works out the first state; `rng` chooses which moves are told where there are too many to tell all."""
        self._rules = SamplingInterpreter(sheet, rng)
        self._role = role
        self._path = StateHistory(self._rules.initial(), self._after)

    def go_to(self, history: History) -> Position:
        """See `MatchAgent`."""
        state = self._path.follow(history)
        terminal = self._rules.terminal(state)
        legal, complete = self._rules.legal_sample(state, self._role, MOST_TOLD)
        goals = self._rules.goals(state) if terminal else ()
        return Position(len(history), tuple(map(str, legal)), terminal, goals, complete)

    def illegal_moves(self, history: History, moves: Joint) -> int:
        """See `MatchAgent`."""
        state = self._path.follow(history)
        told = told_moves(self._rules.roles, moves)
        return len(moves) - sum(self._rules.is_legal(state, role, move) for role, move in told.items())

    def _after(self, state: State, moves: Joint) -> State:
        return self._rules.next(state, told_moves(self._rules.roles, moves))


def new_random(seed: int, *occasion: object) -> random.Random:
    """Returns the random choices of a player with this seed, on one occasion if it is said; seed 0: always new ones."""
    if not seed:
        return random.Random()
    return random.Random(" ".join(map(str, (seed, *occasion))) if occasion else seed)
