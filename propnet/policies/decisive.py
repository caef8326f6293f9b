"""Decisive and anti-decisive moves, as playout policies.

Decisive: a role that can win at once does. Anti-decisive: besides, it makes no move that lets another role win at
once, unless every move does. Both are composed from the network (`lookahead`): wins(m) holds where m is legal and
the state after it is terminal with the best goal of its role.

A win is claimed only where every other role waits with its one legal move. So a move claimed to win does win, in
any game; and where roles move in turn no winning move is missed.

Source: F. Teytaud, O. Teytaud, "On the Huge Benefit of Decisive Moves in Monte-Carlo Tree Search Algorithms",
2010.
"""

from __future__ import annotations

from collections.abc import Sequence

from ludens.propnet.analysis.composition import Composition
from ludens.propnet.analysis.lookahead import Lookahead, PolicyError, idle_moves
from ludens.propnet.base.clock import now
from ludens.propnet.network.propnet import FALSE, Propnet
from ludens.propnet.network.sampling import sample_states

MOST_GATES = 60_000  # that playable moves may take, unless something else is said
_SAFE_FACTOR = 4  # safe moves take so many times as long to find as winning ones at least; mostly 5 to 15 times
PLAYABLE_GROWTH = 6  # while composing, against the gates that may remain


def decisive(net: Propnet, composition: Composition, seconds: float) -> list[int]:
    """The playable moves of all roles: those that win at once where there are any, else all that were playable.

    Gates are added to `composition`, which starts with `net`; about a tenth of `seconds` goes into random games.
    Raises `CompositionError`.
    """
    ahead = _WinLookahead.of(net, composition, seconds)
    return [move for role in range(len(net.roles)) for move in ahead.decisive(role, ahead.playable[role])]


def anti_decisive(net: Propnet, composition: Composition, seconds: float) -> list[int]:
    """The playable moves of all roles: those that win at once, else those after which no other role can, else all.

    Gates, time and errors are those of `decisive`.
    """
    ahead = _WinLookahead.of(net, composition, seconds, safe=True)
    return [move for role in range(len(net.roles)) for move in ahead.anti_decisive(role)]


def winning_moves(net: Propnet, gates: int = MOST_GATES, seconds: float = 10.0) -> list[list[bool | None]]:
    """For each role and move whether it wins at once: True always where legal, False never, None at times.

    Both are proven for states where all others wait. Raises `CompositionError`.
    """
    composition = Composition.from_network(net, PLAYABLE_GROWTH * gates, now() + seconds)
    ahead = _WinLookahead.of(net, composition, seconds)
    rows: list[list[bool | None]] = []
    for role, legal in enumerate(ahead.legal):
        wins = ahead.wins.get(role, [FALSE] * len(legal))
        rows.append([True if w == m else False if w == FALSE else None for w, m in zip(wins, legal, strict=True)])
    return rows


class _WinLookahead(Lookahead):
    def __init__(self, composition: Composition, idle: Sequence[int | None], *, safe: bool) -> None:
        """`safe`: safe moves will be asked for too."""
        super().__init__(composition, idle)
        contenders = [role for role in self.able if len(self._values(role)) > 1]
        # What is still to be composed, by which it is foreseen whether there is time.
        self._left = len(contenders) + (_SAFE_FACTOR * len(contenders) if safe and len(contenders) > 1 else 0)
        self.wins = {role: self._winning_moves(role) for role in self.able}
        self._can_win = {role: composition.any(wins) for role, wins in self.wins.items()}
        if all(win == FALSE for win in self._can_win.values()):
            raise PolicyError("no move wins at once")

    @classmethod
    def of(cls, net: Propnet, composition: Composition, seconds: float, *, safe: bool = False) -> _WinLookahead:
        _, legal = sample_states(net, seconds=seconds / 10)
        return cls(composition, idle_moves(net, legal), safe=safe)

    def decisive(self, role: int, otherwise: Sequence[int]) -> Sequence[int]:
        """The moves of a role that win at once where there are any, else the others."""
        wins = self.wins.get(role)
        return self.preferred(wins, otherwise) if wins else otherwise

    def anti_decisive(self, role: int) -> Sequence[int]:
        """The moves that win at once, else the playable ones after which no other role can, else all playable ones."""
        moves = self.playable[role]
        return self.decisive(role, self.preferred(self._safe_moves(role), moves)) if role in self.wins else moves

    def _values(self, role: int) -> set[int]:
        return {value for player, value, _ in self.circuit.goals if player == role}

    def _winning_moves(self, role: int) -> list[int]:
        """For each move of a role where it wins at once. Good in states that are not terminal."""
        circuit, composition = self.circuit, self.composition
        values = self._values(role)
        if len(values) < 2 or not self.assume(role):
            return [FALSE] * len(self.legal[role])
        best = composition.any(lit for player, value, lit in circuit.goals if (player, value) == (role, max(values)))
        wins = []
        after = self.after(role, [best, circuit.terminal], max(1, self._left))
        self._left -= 1
        for legal, (won, over) in zip(self.legal[role], after, strict=True):
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
        return [composition.both(m, composition.both(guard, harm) ^ 1) for m, harm in zip(moves, harms, strict=True)]
