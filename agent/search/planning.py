"""Plans for puzzles: clingo solves an answer set program, the network unrolled in time.

For one role a game is a planning problem: find moves that lead to an end with a goal of at least so much. Step
after step a copy of the circuit is added, with a choice of one legal move, and the solver is asked for an answer
set in which the goal has been met by then. What does not depend on the moves, such as a counter of steps, is
worked out while the copy is made, so that it costs nothing and tells when the game must be over.

Conflict-driven solvers see at once what exhaustive search meets last: that a choice leaves no number for some
square. Long ways through few positions are their weakness, and the strength of a search that remembers.

Sources: M. Thielscher, "Answer set programming for single-player games in general game playing", ICLP 2009;
J. Rintanen, K. Heljanko, I. Niemela, "Planning as satisfiability: parallel plans and algorithms for plan
search", Artificial Intelligence 170 (2006), for the order in which horizons are tried.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import clingo
import numpy as np
import numpy.typing as npt

from ludens.propnet.base import child
from ludens.propnet.base.errors import LudensError
from ludens.propnet.network.propnet import Propnet

_FIRST_SLICE = 0.5  # seconds that a horizon gets when it is first tried
_GROWTH = 1.5  # from one horizon to the next
_LONGEST = 400  # moves


class NotAPuzzleError(LudensError):
    """The network is of a kind that is not planned for."""


class Planning:
    """A plan that is looked for in the background, until it is found, refuted, out of its limits or cancelled."""

    def __init__(self, net: Propnet, state: npt.NDArray[np.bool_], limits: child.Limits) -> None:
        """Begins at once; the arguments are those of `plan`."""
        self.found: Plan | None = None
        self._cancelled = threading.Event()
        threading.Thread(target=self._run, args=(net, state, limits), daemon=True).start()

    def cancel(self) -> None:
        """Ends the work, soon."""
        self._cancelled.set()

    def _run(self, net: Propnet, state: npt.NDArray[np.bool_], limits: child.Limits) -> None:
        with contextlib.suppress(LudensError):  # no plan is no failure: the search goes on without
            self.found = plan(net, state, limits, cancelled=self._cancelled.is_set)


@dataclass(frozen=True, slots=True)
class Plan:
    """Moves from a state to the end of the game, as indices, and the goal that they earn."""

    moves: tuple[int, ...]
    goal: int


def plan(
    net: Propnet, state: npt.NDArray[np.bool_], limits: child.Limits, cancelled: Callable[[], bool] = lambda: False
) -> Plan | None:
    """Finds the best plan from `state`, bool[S], in a child process; None if there is none.

    Raises `NotAPuzzleError`, and `child.ExceededError` when the limits come first.
    """
    if len(net.roles) != 1:
        raise NotAPuzzleError("plans are for games of one role")
    if len(net.loops):
        raise NotAPuzzleError("the network has loops, which come from recursive rules")
    found: Plan | None = child.run(
        "ludens.agent.search.planning:solve", (net, state), limits, lambda _text: None, cancelled
    )
    return found


def solve(task: tuple[Propnet, npt.NDArray[np.bool_]], tell: child.Tell) -> Plan | None:
    """Does what `plan` does, without bounds."""
    net, state = task
    for goal in sorted(set(net.goal_value.tolist()), reverse=True):
        tell(f"looking for a plan that reaches goal {goal}")
        if (moves := _Planner(net, state, goal).moves()) is not None:
            return Plan(moves, goal)
    return None


class _Planner:
    """Looks for moves that earn a goal. Literals are clingo's: an atom or its negative; one atom is a fact."""

    def __init__(self, net: Propnet, state: npt.NDArray[np.bool_], goal: int) -> None:
        self._net = net
        self._goals = net.goal_literal[net.goal_value >= goal].tolist()
        self._gates = _before_and_after_moving(net)
        self._control = clingo.Control()
        with self._control.backend() as backend:
            self._true = backend.add_atom()
            backend.add_rule([self._true])
        self._state = [self._true if bit else -self._true for bit in state]
        self._choices: list[dict[int, int]] = []  # of each step: the atom of each move
        self._met: list[int] = []  # after each number of steps: the goal has been met by now
        self._over = False  # whatever is done, the game has ended by now

    def moves(self) -> tuple[int, ...] | None:
        """Returns the moves, or None once it is certain that there are none."""
        impossible = -1  # within so many moves
        for horizon, seconds in _attempts():
            self._extend(horizon)
            last = len(self._met) - 1  # less than the horizon if all games are over by then
            if min(horizon, last) <= impossible:
                continue
            moves, certain = self._ask(min(horizon, last), seconds)
            if moves is not None:
                return moves
            if certain:
                impossible = min(horizon, last)
            if self._over and impossible == last:
                return None
        return None

    # ---- The unrolled network ----

    def _extend(self, horizon: int) -> None:
        with self._control.backend() as backend:
            while len(self._met) <= horizon and not self._over:
                self._add_step(backend)

    def _add_step(self, backend: clingo.Backend) -> None:
        step = _Step(self._net, backend, self._true, self._state)
        before, after = self._gates
        step.evaluate(before)
        terminal = step.literal(self._net.terminal)
        earned = step.conjunction(terminal, step.disjunction([step.literal(goal) for goal in self._goals]))
        met = step.disjunction([earned, *self._met[-1:]])
        backend.add_rule([], [terminal, -met])
        self._met.append(met)
        choices = step.add_moves(met)
        self._choices.append(choices)
        step.evaluate(after)
        self._state = [step.literal(literal) for literal in self._net.next.tolist()]
        self._over = terminal == self._true or not choices

    # ---- Solving ----

    def _ask(self, horizon: int, seconds: float) -> tuple[tuple[int, ...] | None, bool]:
        """Returns the moves found within a horizon, and whether it is certain that there are none."""
        if self._met[horizon] == -self._true:
            return None, True
        found: list[tuple[int, ...]] = []
        with self._control.solve(
            assumptions=[self._met[horizon]], on_model=lambda model: found.append(self._read(model)), async_=True
        ) as handle:
            if not handle.wait(seconds):
                handle.cancel()
            result = handle.get()
        return found[0] if found else None, bool(result.unsatisfiable)

    def _read(self, model: clingo.Model) -> tuple[int, ...]:
        moves: list[int] = []
        for met, choices in zip(self._met, self._choices, strict=True):
            if model.is_true(met):
                break
            moves.append(next(move for move, atom in choices.items() if model.is_true(atom)))
        return tuple(moves)


class _Step:
    """One copy of the circuit: gates whose value follows from constants get no atom."""

    def __init__(self, net: Propnet, backend: clingo.Backend, true: int, state: Sequence[int]) -> None:
        self._net = net
        self._backend = backend
        self._true = true
        self._values = [-true, *state, *[-true] * net.move_count, *[0] * len(net.gates)]
        self._known: dict[tuple[int, int], int] = {}

    def literal(self, literal: int) -> int:
        """Returns the literal of this copy for a literal of the network."""
        value = self._values[literal >> 1]
        return -value if literal & 1 else value

    def evaluate(self, gates: Sequence[int]) -> None:
        """Adds these gates."""
        first, operands, values = self._net.first_gate, self._net.gates, self._values
        for gate in gates:
            a, b = operands[gate].tolist()
            values[first + gate] = self.conjunction(self.literal(a), self.literal(b))

    def add_moves(self, met: int) -> dict[int, int]:
        """Has one legal move made unless the goal has been met; returns the atom of each move that may be legal."""
        backend, choices = self._backend, {}
        for move, legal in enumerate(map(self.literal, self._net.legal.tolist())):
            if legal != -self._true:
                choices[move] = self._values[1 + self._net.state_bits + move] = backend.add_atom()
                backend.add_rule([choices[move]], [legal], choice=True)
        backend.add_weight_rule([], 2, [(atom, 1) for atom in choices.values()])
        backend.add_rule([], [-self.disjunction(list(choices.values())), -met])
        return choices

    def conjunction(self, a: int, b: int) -> int:
        """Returns a literal that holds when both do."""
        if a == b or b == self._true:
            return a
        if a == self._true:
            return b
        if -self._true in (a, b) or a == -b:
            return -self._true
        key = (a, b) if a < b else (b, a)
        if key not in self._known:
            self._known[key] = self._backend.add_atom()
            self._backend.add_rule([self._known[key]], key)
        return self._known[key]

    def disjunction(self, literals: Sequence[int]) -> int:
        """Returns a literal that holds when one of them does."""
        if self._true in literals:
            return self._true
        left = [literal for literal in literals if literal != -self._true]
        if len(left) < 2:
            return left[0] if left else -self._true
        either = self._backend.add_atom()
        for literal in left:
            self._backend.add_rule([either], [literal])
        return either


def _before_and_after_moving(net: Propnet) -> tuple[list[int], list[int]]:
    """Returns the gates that say what holds in a state, and the others."""
    needed = np.zeros(net.first_gate + len(net.gates), np.bool_)
    needed[net.legal >> 1] = needed[net.goal_literal >> 1] = needed[net.terminal >> 1] = True
    for gate in reversed(range(len(net.gates))):
        if needed[net.first_gate + gate]:
            needed[net.gates[gate] >> 1] = True
    gates = needed[net.first_gate :]
    return np.flatnonzero(gates).tolist(), np.flatnonzero(~gates).tolist()


def _attempts() -> Iterator[tuple[int, float]]:
    """Yields horizons and how long to try each: short ones first, and again with more time."""
    seconds = _FIRST_SLICE
    while True:
        horizon = 1
        while horizon <= _LONGEST:
            yield horizon, seconds
            horizon = int(horizon * _GROWTH) + 1
        seconds *= 4
