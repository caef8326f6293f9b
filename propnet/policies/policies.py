"""Playout policies as part of the network: what a random game chooses from, in all lanes in one pass.

Decisive: a role that can win at once does. Anti-decisive: besides, it makes no move that lets another role win
at once, unless every move does. Both are composed from the network itself (see `lookahead`): wins(m) holds where
m is legal and the state after it is terminal with the best goal of its role. Captures: see `captures`. The network
then has rows `playable` besides `legal`; if it had some before, a policy chooses from these.

A win is claimed only where every other role waits with its one legal move. So a move claimed to win does win, in
any game; and where roles move in turn no winning move is missed.

Source: F. Teytaud, O. Teytaud, "On the Huge Benefit of Decisive Moves in Monte-Carlo Tree Search Algorithms",
2010.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from ludens.propnet.analysis.composition import Bounds, Composition
from ludens.propnet.analysis.lookahead import Lookahead, PolicyError, idle_moves
from ludens.propnet.network.circuit import Circuit
from ludens.propnet.network.propnet import Propnet
from ludens.propnet.network.sampling import sample_states
from ludens.propnet.passes import binary, factor, needed, order, reopen
from ludens.propnet.policies.captures import capturing

FALSE, TRUE = 0, 1
POLICIES = ("uniform", "decisive", "anti-decisive", "captures")
_MOST_GATES = 60_000
_GROWTH = 20  # while composing, against the gates that may remain


def with_policy(net: Propnet, policy: str, gates: int = _MOST_GATES, seconds: float = 10.0) -> Propnet:
    """The network with the playable moves of one of `POLICIES`, of at most `gates` gates more.

    Raises `CompositionError`, of which `PolicyError` is one, where that is not possible.
    """
    if policy not in POLICIES:
        raise PolicyError(f"there is no playout policy {policy!r}; there are {', '.join(POLICIES)}")
    if policy == "uniform":
        return net
    deadline = time.monotonic() + seconds
    circuit = reopen(net)
    composition = Composition(circuit, Bounds(len(net.gates) + _GROWTH * gates, deadline))
    if policy == "captures":
        playable = capturing(net, circuit, composition, seconds / 4)
    else:
        policies = _policies(net, circuit, composition, seconds)
        playable = policies.anti_decisive() if policy == "anti-decisive" else policies.decisive()
    made = replace(circuit, gates=composition.gates, playable=playable)
    improved = order(binary(factor(needed(made))))
    if len(improved.gates) > len(net.gates) + gates:
        raise PolicyError(f"{len(improved.gates) - len(net.gates)} gates more, where {gates} are allowed")
    return improved


def winning_moves(net: Propnet, gates: int = _MOST_GATES, seconds: float = 10.0) -> list[list[bool | None]]:
    """For each role and move whether it wins at once: True always where legal, False never, None at times.

    Both are proven for states where all others wait. Raises `CompositionError`.
    """
    circuit = reopen(net)
    bounds = Bounds(len(net.gates) + _GROWTH * gates, time.monotonic() + seconds)
    policies = _policies(net, circuit, Composition(circuit, bounds), seconds)
    rows: list[list[bool | None]] = []
    for role, legal in enumerate(policies.legal):
        wins = policies.wins.get(role, [FALSE] * len(legal))
        rows.append([True if w == m else False if w == FALSE else None for w, m in zip(wins, legal, strict=True)])
    return rows


def _policies(net: Propnet, circuit: Circuit, composition: Composition, seconds: float) -> _Policies:
    _, legal = sample_states(net, seconds=seconds / 10)
    return _Policies(circuit, idle_moves(net, legal), composition)


class _Policies(Lookahead):
    def __init__(self, circuit: Circuit, idle: Sequence[int | None], composition: Composition) -> None:
        super().__init__(circuit, idle, composition)
        self.wins = {role: self._winning_moves(role) for role in self.able}
        self._can_win = {role: composition.any(wins) for role, wins in self.wins.items()}
        if all(win == FALSE for win in self._can_win.values()):
            raise PolicyError("no move wins at once")

    def decisive(self) -> list[int]:
        """The playable moves of all roles."""
        playable: list[int] = []
        for role, moves in enumerate(self.playable):
            wins = self.wins.get(role)
            playable += self.preferred(wins, moves) if wins else moves
        return playable

    def anti_decisive(self) -> list[int]:
        """The same, but for moves that are answered by a win."""
        playable: list[int] = []
        for role, moves in enumerate(self.playable):
            preferred = moves
            if role in self.wins:
                preferred = self.preferred(self.wins[role], self.preferred(self._safe_moves(role), moves))
            playable += preferred
        return playable

    def _winning_moves(self, role: int) -> list[int]:
        """For each move of a role where it wins at once. Good in states that are not terminal."""
        circuit, composition = self.circuit, self.composition
        values = {value for player, value, _ in circuit.goals if player == role}
        if len(values) < 2 or not self.assume(role):
            return [FALSE] * len(self.legal[role])
        best = composition.any(
            lit for player, value, lit in circuit.goals if (player, value) == (role, max(values))
        )
        wins = []
        for legal, (won, over) in zip(self.legal[role], self.after(role, [best, circuit.terminal]), strict=True):
            wins.append((legal, won if composition.implies(won, over) else composition.both(won, over)))
        composition.forget()
        return [self.guarded(role, legal, won) for legal, won in wins]

    def _safe_moves(self, role: int) -> list[int]:
        """For each playable move of a role where no other role can win at once after it."""
        composition, moves = self.composition, self.playable[role]
        threats = [self._can_win[q] for q in self.others(role) if q in self._can_win]
        if not threats or not self.assume(role):
            return list(moves)
        after = self.after(role, [composition.any(threats), self.circuit.terminal])
        harms = [composition.both(threat, over ^ 1) for threat, over in after]
        composition.forget()
        guard = composition.all(self.guard(role))
        return [
            composition.both(m, composition.both(guard, harm) ^ 1) for m, harm in zip(moves, harms, strict=True)
        ]
