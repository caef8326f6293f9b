"""Plans move after move: the network unrolled in time.

Step after step a copy of the circuit is added, with a choice of one legal move, and the solver is asked for an answer
set in which the goal has been met by then. What does not depend on the moves, such as a counter of steps, is
worked out while the copy is made, so that it costs nothing and tells when the game must be over.

Source: J. Rintanen, K. Heljanko, I. Niemela, "Planning as satisfiability: parallel plans and algorithms for plan
search", Artificial Intelligence 170 (2006), for the order in which horizons are tried.
"""

from __future__ import annotations

from collections.abc import Iterator

import clingo
import numpy as np
import numpy.typing as npt

from ludens.agent.search.circuit_copy import CircuitCopy, solve_within
from ludens.propnet.network.propnet import Propnet

_GROWTH = 1.5  # from one horizon to the next
_LONGEST = 400  # moves


class SequentialPlanner:
    """Looks for moves that earn a goal."""

    def __init__(self, net: Propnet, state: npt.NDArray[np.bool_], goal: int) -> None:
        self._net = net
        self._goals = net.goal_literal[net.goal_value >= goal].tolist()
        self._circuit = net.gates.tolist()
        self._gates = _before_and_after_moving(net)
        self._control = clingo.Control()
        with self._control.backend() as backend:
            self._true = backend.add_atom()
            backend.add_rule([self._true])
        self._state = [self._true if bit else -self._true for bit in state]
        self._choices: list[dict[int, int]] = []  # of each step: the atom of each move
        self._met: list[int] = []  # after each number of steps: the goal has been met by now
        self._over = False  # whatever is done, the game has ended by now
        self._impossible = -1  # within so many moves

    @property
    def refuted(self) -> bool:
        """Whether it is certain that there are none."""
        return self._over and self._impossible == len(self._met) - 1

    def sweep(self, seconds: float) -> tuple[int, ...] | None:
        """Tries all horizons, short ones first and each for `seconds` at most; returns the moves if there are any."""
        for horizon in _horizons():
            self._extend(horizon)
            last = min(horizon, len(self._met) - 1)  # less than the horizon if all games are over by then
            if last > self._impossible:
                moves, certain = self._ask(last, seconds)
                if moves is not None:
                    return moves
                if certain:
                    self._impossible = last
            if self.refuted:
                break
        return None

    # ---- The unrolled network ----

    def _extend(self, horizon: int) -> None:
        with self._control.backend() as backend:
            while len(self._met) <= horizon and not self._over:
                self._add_step(backend)

    def _add_step(self, backend: clingo.Backend) -> None:
        inputs = [*self._state, *[-self._true] * self._net.move_count]
        step = CircuitCopy(backend, self._true, inputs, self._circuit)
        before, after = self._gates
        step.evaluate(before)
        terminal = step.literal(self._net.terminal)
        earned = step.conjunction(terminal, step.disjunction([step.literal(goal) for goal in self._goals]))
        met = step.disjunction([earned, *self._met[-1:]])
        backend.add_rule([], [terminal, -met])
        self._met.append(met)
        choices = self._add_moves(backend, step, met)
        self._choices.append(choices)
        step.evaluate(after)
        self._state = [step.literal(literal) for literal in self._net.next.tolist()]
        self._over = terminal == self._true or not choices

    def _add_moves(self, backend: clingo.Backend, step: CircuitCopy, met: int) -> dict[int, int]:
        """Has one legal move made unless the goal has been met; returns the atom of each move that may be legal."""
        choices = {}
        for move, legal in enumerate(map(step.literal, self._net.legal.tolist())):
            if legal != -self._true:
                choices[move] = backend.add_atom()
                step.assign(1 + self._net.state_bits + move, choices[move])
                backend.add_rule([choices[move]], [legal], choice=True)
        backend.add_weight_rule([], 2, [(atom, 1) for atom in choices.values()])
        backend.add_rule([], [-step.disjunction(list(choices.values())), -met])
        return choices

    # ---- Solving ----

    def _ask(self, horizon: int, seconds: float) -> tuple[tuple[int, ...] | None, bool]:
        """Returns the moves found within a horizon, and whether it is certain that there are none."""
        if self._met[horizon] == -self._true:
            return None, True
        found: list[tuple[int, ...]] = []
        certain = solve_within(
            self._control, self._met[horizon], lambda model: found.append(self._read(model)), seconds
        )
        return found[0] if found else None, certain

    def _read(self, model: clingo.Model) -> tuple[int, ...]:
        moves: list[int] = []
        for met, choices in zip(self._met, self._choices, strict=True):
            if model.is_true(met):
                break
            moves.append(next(move for move, atom in choices.items() if model.is_true(atom)))
        return tuple(moves)


def _before_and_after_moving(net: Propnet) -> tuple[list[int], list[int]]:
    """Returns the gates that say what holds in a state, and the others."""
    needed = np.zeros(net.first_gate + len(net.gates), np.bool_)
    needed[net.legal >> 1] = needed[net.goal_literal >> 1] = needed[net.terminal >> 1] = True
    for gate in reversed(range(len(net.gates))):
        if needed[net.first_gate + gate]:
            needed[net.gates[gate] >> 1] = True
    gates = needed[net.first_gate :]
    return np.flatnonzero(gates).tolist(), np.flatnonzero(~gates).tolist()


def _horizons() -> Iterator[int]:
    horizon = 1
    while horizon <= _LONGEST:
        yield horizon
        horizon = int(horizon * _GROWTH) + 1
