"""Playout policies as part of the network: what a random game chooses from, in all lanes in one pass.

Decisive: a role that can win at once does. Anti-decisive: besides, it makes no move that lets another role win
at once, unless every move does. Both are composed from the network itself (see `composition`): wins(m) holds where
m is legal and the state after it is terminal with the best goal of its role. The network then has rows `playable`
besides `legal`; if it had some before, a policy chooses from these.

What makes it sound: a win is claimed only where every other role has one legal move, the one it waits with. That
condition is part of the network, and left out where control states prove it. So a move claimed to win does
win, in any game; and where roles move in turn no winning move is missed. Games without waiting are refused.

Source: F. Teytaud, O. Teytaud, "On the Huge Benefit of Decisive Moves in Monte-Carlo Tree Search Algorithms",
2010.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from propnet.circuit import Circuit
from propnet.composition import Bounds, Composition, CompositionError
from propnet.control import control_of, ternary
from propnet.evaluate import Bools
from propnet.network import Propnet
from propnet.passes import binary, factor, needed, order, reopen
from propnet.sampling import sample_states

FALSE, TRUE = 0, 1
POLICIES = ("uniform", "decisive", "anti-decisive")
_MOST_GATES = 60_000
_GROWTH = 20  # while composing, against the gates that may remain


class PolicyError(CompositionError):
    """A policy that this network cannot have; the text says why."""


def with_policy(net: Propnet, policy: str, gates: int = _MOST_GATES, seconds: float = 10.0) -> Propnet:
    """The network with the playable moves of one of `POLICIES`, of at most `gates` gates more.

    Raises `CompositionError`, of which `PolicyError` is one, where that is not possible.
    """
    if policy not in POLICIES:
        raise PolicyError(f"there is no playout policy {policy!r}; there are {', '.join(POLICIES)}")
    if policy == "uniform":
        return net
    policies = _compose(net, gates, seconds)
    playable = policies.anti_decisive() if policy == "anti-decisive" else policies.decisive()
    made = replace(policies.circuit, gates=policies.composition.gates, playable=playable)
    improved = order(binary(factor(needed(made))))
    if len(improved.gates) > len(net.gates) + gates:
        raise PolicyError(f"{len(improved.gates) - len(net.gates)} gates more, where {gates} are allowed")
    return improved


def winning_moves(net: Propnet, gates: int = _MOST_GATES, seconds: float = 10.0) -> list[list[bool | None]]:
    """For each role and move whether it wins at once: True always where legal, False never, None at times.

    Both are proven for states where all others wait. Raises `CompositionError`.
    """
    policies = _compose(net, gates, seconds)
    rows: list[list[bool | None]] = []
    for role, legal in enumerate(policies.legal):
        wins = policies.wins.get(role, [FALSE] * len(legal))
        rows.append([True if w == m else False if w == FALSE else None for w, m in zip(wins, legal, strict=True)])
    return rows


def _compose(net: Propnet, gates: int, seconds: float) -> _Policies:
    deadline = time.monotonic() + seconds
    circuit = reopen(net)
    _, legal = sample_states(net, seconds=seconds / 10)
    bounds = Bounds(len(net.gates) + _GROWTH * gates, deadline)
    return _Policies(circuit, idle_moves(net, legal), Composition(circuit, bounds))


def idle_moves(net: Propnet, legal: Bools) -> tuple[int | None, ...]:
    """For each role the move it waits with while another chooses, as sampled states show it; None if none is.

    `legal` is bool[n, M], over states of random games.
    """
    ends = np.cumsum([0, *map(len, net.moves)])
    mine = [legal[:, first:last] for first, last in pairwise(ends)]
    choices = np.stack([rows.sum(axis=1) for rows in mine], axis=1)
    found: list[int | None] = []
    for role, rows in enumerate(mine):
        others = np.delete(choices, role, axis=1).max(axis=1, initial=0)
        waits = rows[(choices[:, role] == 1) & (others > 1)]
        found.append(int(waits.sum(axis=0).argmax()) if len(waits) else None)
    return tuple(found)


class _Policies:
    def __init__(self, circuit: Circuit, idle: Sequence[int | None], composition: Composition) -> None:
        self.circuit = circuit
        self._moves = list(circuit.role_moves())  # input variables
        self.composition = composition
        starts = [moves.start - circuit.first_move for moves in self._moves]
        self.legal = [circuit.legal[start : start + len(m)] for start, m in zip(starts, self._moves, strict=True)]
        playable = circuit.legal if circuit.playable is None else circuit.playable
        self._playable = [playable[start : start + len(m)] for start, m in zip(starts, self._moves, strict=True)]
        self._idle = idle
        self._waits = [None if move is None else self._waiting(role, move) for role, move in enumerate(idle)]
        self._able = [
            role for role in range(len(idle)) if all(self._waits[q] is not None for q in self._others(role))
        ]
        if not self._able:
            raise PolicyError("no role waits while another chooses, so nobody can be sure to win at once")
        self.wins = {role: self._winning_moves(role) for role in self._able}
        self._can_win = {role: composition.any(wins) for role, wins in self.wins.items()}
        if all(win == FALSE for win in self._can_win.values()):
            raise PolicyError("no move wins at once")

    def decisive(self) -> list[int]:
        """The playable moves of all roles."""
        playable: list[int] = []
        for role, moves in enumerate(self._playable):
            wins = self.wins.get(role)
            playable += self._preferred(wins, self._can_win[role], moves) if wins else moves
        return playable

    def anti_decisive(self) -> list[int]:
        """The same, but for moves that are answered by a win."""
        playable: list[int] = []
        for role, moves in enumerate(self._playable):
            preferred = moves
            if role in self.wins:
                safe = self._safe_moves(role)
                preferred = self._preferred(safe, self.composition.any(safe), moves)
                preferred = self._preferred(self.wins[role], self._can_win[role], preferred)
            playable += preferred
        return playable

    def _preferred(self, moves: Sequence[int], there_are: int, otherwise: Sequence[int]) -> list[int]:
        """`moves` where there are any, else the others, which contain them."""
        both, either = self.composition.both, self.composition.any
        return [either([m, both(o, there_are ^ 1)]) for m, o in zip(moves, otherwise, strict=True)]

    def _winning_moves(self, role: int) -> list[int]:
        """For each move of a role where it wins at once. Good in states that are not terminal."""
        circuit, composition = self.circuit, self.composition
        values = {value for player, value, _ in circuit.goals if player == role}
        if len(values) < 2 or not self._assume(role):
            return [FALSE] * len(self._moves[role])
        best = composition.any(
            lit for player, value, lit in circuit.goals if (player, value) == (role, max(values))
        )
        guard = self._guard(role)
        wins = []
        for legal, (won, over) in zip(self.legal[role], self._after(role, [best, circuit.terminal]), strict=True):
            wins.append((legal, won if composition.implies(won, over) else composition.both(won, over)))
        composition.forget()
        return [
            composition.all([legal, won, *(wait for wait in guard if not composition.implies(legal, wait))])
            for legal, won in wins
        ]

    def _safe_moves(self, role: int) -> list[int]:
        """For each playable move of a role where no other role can win at once after it."""
        composition, moves = self.composition, self._playable[role]
        threats = [self._can_win[q] for q in self._others(role) if q in self._can_win]
        if not threats or not self._assume(role):
            return list(moves)
        after = self._after(role, [composition.any(threats), self.circuit.terminal])
        harms = [composition.both(threat, over ^ 1) for threat, over in after]
        composition.forget()
        guard = composition.all(self._guard(role))
        return [
            composition.both(m, composition.both(guard, harm) ^ 1) for m, harm in zip(moves, harms, strict=True)
        ]

    def _after(self, role: int, outputs: Sequence[int]) -> list[list[int]]:
        idle = [self._moves[q][self._idle_move(q)] for q in self._others(role)]
        return self.composition.after(outputs, list(self._moves[role]), idle)

    def _assume(self, role: int) -> bool:
        """Takes for granted that the game is on and all others wait; whether that is possible."""
        assumed = [self.circuit.terminal ^ 1]
        for q in self._others(role):
            idle = self._idle_move(q)
            assumed += [literal ^ (move != idle) for move, literal in enumerate(self.legal[q])]
        return self.composition.assume(assumed)

    def _guard(self, role: int) -> list[int]:
        """Literals that say that all others wait."""
        return [literal for q in self._others(role) for literal in self._waits[q] or ()]

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
        facts = [
            v - 1 for v in (lit >> 1 for lit in self.composition.implied(legal)) if 0 < v < circuit.first_move
        ]
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

    def _others(self, role: int) -> list[int]:
        return [q for q in range(len(self._moves)) if q != role]
