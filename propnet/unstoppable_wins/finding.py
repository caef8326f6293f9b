"""Finds unstoppable wins: positions won by a chain of moves that no answer can stop.

The role to move makes a chain of moves, each enabled by the one before, the last of which wins; meanwhile the
opponent answers with whatever it likes. That is sound if it holds for all its answers at once (`chains`). All of it
becomes gates over the present state: hundreds of games are looked at in one pass.

Such positions can then count as ends of the game: `ending.with_unstoppable_wins`. What the game is worth stays the
same in every position, and searches prove it sooner: the race patterns of breakthrough, which are such wins, made
that game up to 6×5 solvable (A. Saffidine, N. Jouandeau, T. Cazenave, "Solving Breakthrough with Race Patterns and
Job-Level Proof Number Search", 2011). Here they follow from the rules, and are found once for all networks of a game:
what the present state is, is the same in all.

Only games of two roles that move by turns are looked at.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ludens.propnet.analysis.composition import Composition, CompositionError, check_growth
from ludens.propnet.analysis.turns import Turn, cycle, turn
from ludens.propnet.base.clock import now
from ludens.propnet.network.circuit import Gate
from ludens.propnet.network.propnet import FALSE, Propnet
from ludens.propnet.unstoppable_wins.chains import WinningChains

_MOST_GATES = 60_000
_GROWTH = 20  # while composing, against the gates that may remain
_MOST_COMPOSED = 400_000  # gates, of about 250 bytes
_LARGEST = _MOST_COMPOSED // 2  # network: it is rebuilt for the turns of both roles, before anything is found
_LONGEST = 8  # chain that is looked for unless something else is said, in moves
_SPLITS = 6  # cases within cases, to prove that every end has a goal


class NoUnstoppableWinsError(CompositionError):
    """A game in which no unstoppable wins are looked for, or in which there are none; the text says why."""


@dataclass(frozen=True, slots=True)
class UnstoppableWins:
    """Where the role to move has an unstoppable win, in any network of a game."""

    gates: tuple[Gate, ...]  # of two inputs: false, propositions, and then these
    goals: tuple[tuple[int, int, int], ...]  # role, value, and the literal of a win that brings the role that value


def find_unstoppable_wins(
    net: Propnet, longest: int = _LONGEST, gates: int = _MOST_GATES, seconds: float = 10.0
) -> UnstoppableWins:
    """The unstoppable wins of a game by chains of at most `longest` moves.

    They have at most so many `gates`, and it takes about `seconds` at most. Raises `CompositionError`, of which
    `NoUnstoppableWinsError` is one, where that is not possible.
    """
    if len(net.gates) > _LARGEST:
        raise CompositionError(f"the network has more than {_LARGEST:,} gates")
    deadline = now() + seconds
    composition = Composition.from_network(net, min(_GROWTH * gates, _MOST_COMPOSED), deadline)
    turns = _turns(composition)
    sides = [WinningChains(composition, mine, theirs) for mine, theirs in (turns, turns[::-1])]
    won = {side.role: side.won(longest) for side in sides if side.winnable}
    goals = [goal for role in won if won[role] != FALSE for goal in _goals(composition, role, won[role])]
    if not goals:
        raise NoUnstoppableWinsError("no chain of moves is certain to win")
    parts, literals = composition.extract([literal for *_, literal in goals])
    check_growth(len(parts), gates)
    goals = [(role, value, new) for (role, value, _), new in zip(goals, literals, strict=True)]
    return UnstoppableWins(tuple(parts), tuple(goals))


def _turns(composition: Composition) -> tuple[Turn, Turn]:
    """The turns of the two roles, in the order of the match, of a game in which every end has a goal."""
    circuit = composition.circuit
    controls = cycle(circuit)
    if len(circuit.roles) != 2 or len(controls) != 2:
        raise NoUnstoppableWinsError("it is not proven that the game has two roles that take turns")
    if not all(_has_a_goal(composition, role) for role in (0, 1)):
        raise NoUnstoppableWinsError("it is not proven that every end of the game has a goal")
    first, second = (turn(composition, control) for control in controls)
    if first.role == second.role:
        raise NoUnstoppableWinsError("one role makes all the moves")
    return first, second


def _goals(composition: Composition, role: int, won: int) -> Iterator[tuple[int, int, int]]:
    """What the roles get where one has won: its best goal, and what the others get where it has that."""
    goals = composition.circuit.goals
    best = max(value for player, value, _ in goals if player == role)
    win = composition.any(literal for player, value, literal in goals if (player, value) == (role, best))
    for player in range(len(composition.circuit.roles)):
        values = {v for p, v, literal in goals if p == player and composition.implies(win, literal)}
        if player == role:
            values = {best}
        if len(values) != 1:
            raise NoUnstoppableWinsError("the goal of the other role at a win is not known")
        yield player, values.pop(), won


def _has_a_goal(composition: Composition, role: int) -> bool:
    """Whether it is proven that a role has a goal wherever the game is over."""
    circuit = composition.circuit
    goals = [literal for player, _, literal in circuit.goals if player == role]
    return _contradictory(composition, [circuit.terminal, *(goal ^ 1 for goal in goals)], _SPLITS)


def _contradictory(composition: Composition, literals: list[int], splits: int) -> bool:
    """Whether literals exclude each other, as unit propagation shows in cases (M. Davis et al., 1962)."""
    if not composition.assume(literals):
        return True
    parts = [part & ~1 for literal in literals for gate in (literal, literal ^ 1) for part in composition.implied(gate)]
    open_parts = [part for part in parts if composition.assumed(part) == part]
    composition.forget()
    if not splits or not open_parts:
        return False
    part = open_parts[0]
    return all(_contradictory(composition, [*literals, case], splits - 1) for case in (part, part ^ 1))
