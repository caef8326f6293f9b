"""A network one move ahead: what a role's moves lead to while all others wait, as gates over the present state.

What is said of a move holds where every other role has one legal move, the one it waits with. That condition is
part of the network, and left out where control states prove it. Which move a role waits with is read off states of
random games: where that is wrong, nothing is said. Games without waiting are refused.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ludens.propnet.analysis.composition import Composition, CompositionError
from ludens.propnet.analysis.control import control_of, ternary
from ludens.propnet.base.arrays import BoolArray
from ludens.propnet.network.propnet import Propnet


class PolicyError(CompositionError):
    """A playout policy that this network cannot have; the text says why."""


class Lookahead:
    """The moves of a composition's circuit, and what holds after each of them, as gates added to it.

    `legal[r]` and `playable[r]` are the literals of role r's moves; `able` are the roles that can be sure that all
    others wait while they choose.
    """

    def __init__(self, composition: Composition, idle: Sequence[int | None]) -> None:
        """`idle`: see `idle_moves`. Raises `PolicyError` where no role can be sure that the others wait."""
        self.composition = composition
        self.circuit = circuit = composition.circuit
        self._moves = circuit.role_moves()  # input variables
        playable = circuit.legal if circuit.playable is None else circuit.playable
        self.legal = [circuit.legal[span.start : span.stop] for span in circuit.move_spans()]
        self.playable = [playable[span.start : span.stop] for span in circuit.move_spans()]
        self._idle = idle
        self._waits = [None if move is None else self._waiting(role, move) for role, move in enumerate(idle)]
        self.able = [role for role in range(len(idle)) if all(self._waits[q] is not None for q in self.others(role))]
        if not self.able:
            raise PolicyError("several roles choose at the same time, so the result of a move is not known")

    def others(self, role: int) -> list[int]:
        """All roles but one."""
        return [q for q in range(len(self._moves)) if q != role]

    def after(self, role: int, outputs: Sequence[int], passes: int = 1) -> list[list[int]]:
        """For each move of a role, one of those `able`, the outputs as they will be after it.

        For `passes` see `Composition.after`.
        """
        idle = [self._moves[q][self._idle_move(q)] for q in self.others(role)]
        return self.composition.after(outputs, list(self._moves[role]), idle, passes)

    def assume(self, role: int) -> bool:
        """Assumes, until `composition.forget`, that the game is on and all others wait; False if that cannot be."""
        assumed = [self.circuit.terminal ^ 1]
        for q in self.others(role):
            idle = self._idle_move(q)
            assumed += [literal ^ (move != idle) for move, literal in enumerate(self.legal[q])]
        return self.composition.assume(assumed)

    def guard(self, role: int) -> list[int]:
        """Literals that say that all others wait."""
        return [literal for q in self.others(role) for literal in self._waits[q] or ()]

    def guarded(self, role: int, legal: int, literal: int) -> int:
        """The literal of a move being legal, `literal` holding, and all others waiting."""
        open_guards = (wait for wait in self.guard(role) if not self.composition.implies(legal, wait))
        return self.composition.all([legal, literal, *open_guards])

    def preferred(self, moves: Sequence[int], otherwise: Sequence[int]) -> list[int]:
        """For each move whether it is one of `moves`, or if there are none, one of `otherwise`, which contain them."""
        both, either = self.composition.both, self.composition.any
        there_are = either(moves)
        return [either([m, both(o, there_are ^ 1)]) for m, o in zip(moves, otherwise, strict=True)]

    def _waiting(self, role: int, idle: int) -> list[int]:
        """Literals that say that the role has its idle move and no other."""
        legal = self.legal[role]
        others = [literal for move, literal in enumerate(legal) if move != idle]
        if self._only(legal[idle], others):
            return [legal[idle]]
        return [legal[idle], self.composition.any(others) ^ 1]

    def _only(self, legal: int, others: Sequence[int]) -> bool:
        """Whether control states prove that where one move is legal the others are not."""
        circuit = self.circuit
        facts = [v - 1 for v in (lit >> 1 for lit in self.composition.implied(legal)) if 0 < v < circuit.first_move]
        control = control_of(circuit, facts)
        if control is None:
            return False
        for state in control.states:
            known = dict(zip(control.propositions, state, strict=True))
            if ternary(circuit, known, [legal])[0] and any(ternary(circuit, known, others)):
                return False
        return True

    def _idle_move(self, role: int) -> int:
        idle = self._idle[role]
        assert idle is not None
        return idle


def idle_moves(net: Propnet, legal: BoolArray) -> tuple[int | None, ...]:
    """For each role the move it waits with while another chooses, as sampled states show it; None if none is.

    `legal` is bool[n, M], over states of random games.
    """
    mine = net.by_role(legal)
    choices = np.stack([rows.sum(axis=1) for rows in mine], axis=1)
    found: list[int | None] = []
    for role, rows in enumerate(mine):
        others = np.delete(choices, role, axis=1).max(axis=1, initial=0)
        waits = rows[(choices[:, role] == 1) & (others > 1)]
        found.append(int(waits.sum(axis=0).argmax()) if len(waits) else None)
    return tuple(found)


def movers(net: Propnet, legal: BoolArray) -> npt.NDArray[np.int64]:
    """For each state the role that alone has a legal move other than the one it waits with, or -1.

    `legal` as for `idle_moves`.
    """
    waits = idle_moves(net, legal)
    active = [
        np.ones(len(m), np.bool_) if i is None else ~m[:, i] for m, i in zip(net.by_role(legal), waits, strict=True)
    ]
    acting = np.stack(active, axis=1)
    return np.where(acting.sum(axis=1) == 1, acting.argmax(axis=1), -1)
