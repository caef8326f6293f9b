"""Races: positions won by a chain of moves that nothing the opponent does can stop, seen before they are played.

The role to move makes a chain of moves, each enabled by the one before, the last of which wins; meanwhile the
opponent answers with whatever it likes. That is sound if it holds for all its answers at once. So what the
opponent may have changed after i moves is bounded from above (`turns.Relaxation`). Against that the chain is
held: what a move needs must be certain, either because the one before has provided it and no possible answer
takes it away, or because it was there from the start and neither the opponent nor an earlier move of the chain can
have touched it (the threats to causal links of D. McAllester, D. Rosenblitt, "Systematic Nonlinear Planning",
1991); and in between the game cannot have ended otherwise. All of it becomes gates over the present state:
hundreds of games are looked at in one pass.

Such positions can then count as ends of the game with the goals of that win: `with_races`. What the game is worth
stays the same in every position, and searches prove it sooner: race patterns made breakthrough up to 6×5 solvable
(A. Saffidine, N. Jouandeau, T. Cazenave, "Solving Breakthrough with Race Patterns and Job-Level Proof Number
Search", 2011). Here they follow from the rules, and are found once for all networks of a game: what the present
state is, is the same in all.

Only games of two roles that move by turns are looked at.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ludens.propnet.analysis.composition import FALSE, TRUE, Bounds, Composition, CompositionError
from ludens.propnet.analysis.turns import UNKNOWN, Inputs, Known, Relaxation, Turn, at, cycle, turn
from ludens.propnet.network.circuit import Circuit, Gate
from ludens.propnet.network.propnet import Propnet
from ludens.propnet.passes import binary, factor, needed, order, reopen

_MOST_GATES = 60_000
_GROWTH = 20  # while composing, against the gates that may remain
_MOST_COMPOSED = 400_000  # gates, of about 250 bytes
_LARGEST = _MOST_COMPOSED // 2  # network: it is rebuilt for the turns of both roles, before anything is found
_LONGEST = 8  # chain that is looked for unless something else is said, in moves
_SPLITS = 6  # cases within cases, to prove that every end has a goal


class RaceError(CompositionError):
    """A game in which no races are looked for, or in which there are none; the text says why."""


@dataclass(frozen=True, slots=True)
class Races:
    """Where the role to move wins a race, in any network of a game."""

    gates: Sequence[Gate]  # of two inputs: false, propositions, and then these
    awards: Sequence[tuple[int, int, int]]  # a role, its goal, and the literal of a race that brings it


def find_races(net: Propnet, longest: int = _LONGEST, gates: int = _MOST_GATES, seconds: float = 10.0) -> Races:
    """The races of a game, that is chains of `longest` moves at most.

    They have at most so many `gates`, and it takes about `seconds` at most. Raises `CompositionError`, of which
    `RaceError` is one, where that is not possible.
    """
    if len(net.gates) > _LARGEST:
        raise CompositionError(f"the network has more than {_LARGEST:,} gates")
    circuit = reopen(net)
    composing = len(net.gates) + min(_GROWTH * gates, _MOST_COMPOSED)
    composition = Composition(circuit, Bounds(composing, time.monotonic() + seconds))
    cycle = _cycle(circuit)
    if not all(_has_a_goal(circuit, composition, role) for role in range(len(circuit.roles))):
        raise RaceError("it is not known that every end has a goal")
    turns = _turns(circuit, composition, cycle)
    races = [_Race(circuit, composition, mine, theirs) for mine, theirs in (turns, turns[::-1])]
    won = {race.role: race.won(longest) for race in races if race.winnable}
    awards = [
        award for role in won if won[role] != FALSE for award in _awards(circuit, composition, role, won[role])
    ]
    if not awards:
        raise RaceError("no chain of moves wins")
    parts, literals = composition.cut([literal for *_, literal in awards])
    if len(parts) > gates:
        raise CompositionError(f"{len(parts)} gates more, where {gates} are allowed")
    return Races(parts, [(role, value, new) for (role, value, _), new in zip(awards, literals, strict=True)])


def with_races(net: Propnet, races: Races) -> Propnet:
    """The network of the same game, over as soon as the role to move wins one of its `races`.

    States and moves are the same, and so is what the game is worth in every state.
    """
    circuit = reopen(net)
    composition = Composition(circuit, Bounds())
    both, either = composition.both, composition.any
    won = composition.paste(races.gates, [literal for *_, literal in races.awards])
    race = either(won)
    awarded: dict[tuple[int, int], list[int]] = {}
    for (role, value, _), literal in zip(races.awards, won, strict=True):
        awarded.setdefault((role, value), []).append(literal)
    goals = [(role, value, both(literal, race ^ 1)) for role, value, literal in circuit.goals]
    goals += [(*goal, either(literals)) for goal, literals in awarded.items()]
    terminal = either([circuit.terminal, race])
    made = replace(circuit, gates=composition.gates, terminal=terminal, goals=goals)
    return replace(order(binary(factor(needed(made)))), machine_policy=net.machine_policy)


# ---- The game by turns ------------------------------------------------------------------------------------------


def _cycle(circuit: Circuit) -> Sequence[Mapping[int, int]]:
    """What input variables are at the turns of the two roles, in the order of the match."""
    found = cycle(circuit)
    if len(circuit.roles) != 2 or len(found) != 2:
        raise RaceError("the game is not one of two roles that are known to move by turns")
    return found


def _turns(circuit: Circuit, composition: Composition, controls: Sequence[Mapping[int, int]]) -> tuple[Turn, Turn]:
    """Those of the two roles, in the order of the match."""
    first, second = (turn(circuit, composition, control) for control in controls)
    if first.role == second.role:
        raise RaceError("one role makes all the moves")
    return first, second


class _Clock:
    """What changes by itself, such as whose turn it is and the number of the step: known at every ply to come."""

    def __init__(self, composition: Composition, circuit: Circuit, mine: Turn, theirs: Turn) -> None:
        self._composition = composition
        self._next = [{v: turn.common(v) for v in range(1, circuit.first_move)} for turn in (mine, theirs)]
        members = {v for v in self._next[0] if all(after[v] is not None for after in self._next)}
        while outside := {v for v in members if not self._inputs(v) <= members}:
            members -= outside
        self._at = [{v: mine.control[v] if v in mine.control else 2 * v for v in members}]

    def __contains__(self, variable: int) -> bool:
        return variable in self._at[0]

    def at(self, ply: int) -> Mapping[int, int]:
        """The literals of its variables so many plies from now."""
        while len(self._at) <= ply:
            now, after = self._at[-1], self._next[(len(self._at) - 1) % 2]
            literals = self._composition.certain(
                [literal for v in now if (literal := after[v]) is not None],
                at(now, lambda _: UNKNOWN),
            )
            self._at.append(dict(zip(now, literals, strict=True)))
        return self._at[ply]

    def _inputs(self, variable: int) -> set[int]:
        literals = [literal for after in self._next if (literal := after[variable]) is not None]
        return {v for literal in literals for v in self._composition.inputs(literal)}


# ---- What the opponent may do -----------------------------------------------------------------------------------


class _Answers(Relaxation):
    """What the opponent's moves so far may have changed, at most, while a role plays some chain of moves."""

    def __init__(self, composition: Composition) -> None:
        super().__init__(composition)
        self._chain: set[int] = set()  # literals that moves of the chain may have made true

    def add(self, effect: Mapping[int, int]) -> None:
        """Another move that may be part of the chain."""
        for variable, literal in effect.items():
            self._chain |= {2 * variable + 1} if literal == FALSE else {2 * variable, 2 * variable + 1}

    def _possibly(self, variable: int) -> Known:
        true, false = self.untouched(variable)
        chain = self._chain
        return FALSE if 2 * variable + 1 in chain else true, FALSE if 2 * variable in chain else false


# ---- Chains of moves --------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Link:
    """A move as one of a chain at some step."""

    where: int  # the literal of its being possible there, whatever was answered
    touched: set[int]  # variables that the moves before it may have changed


class _Race:
    """Where the role of one turn, having it, wins by a chain of moves."""

    def __init__(self, circuit: Circuit, composition: Composition, mine: Turn, theirs: Turn) -> None:
        self.role = mine.role
        self._circuit, self._composition, self._mine, self._theirs = circuit, composition, mine, theirs
        self._clock = _Clock(composition, circuit, mine, theirs)
        self._answers = _Answers(composition)
        self._effects = {
            move: {v: literal for v, literal in effect.items() if v not in self._clock}
            for move, effect in mine.effects.items()
        }
        best = max((value for role, value, _ in circuit.goals if role == self.role), default=0)
        self._lost = _ended(circuit, composition, self.role, lambda value: value != best)
        won = _ended(circuit, composition, self.role, lambda value: value == best)
        won = composition.both(won, self._lost ^ 1)  # with two goals at once nobody knows what they are worth
        composition.assume([circuit.terminal ^ 1])
        (winning,) = composition.certain_cases([won], self._made())
        self._winning = {move for place, move in enumerate(mine.legal) if winning >> place & 1}
        composition.forget()

    @property
    def winnable(self) -> bool:
        """Whether some move may end the game with a win."""
        return bool(self._winning)

    def won(self, longest: int) -> int:
        """The literal of it, for chains of so many moves; false where the game is over."""
        composition, after = self._composition, self._followers()
        left = self._left(after)
        links = {move: _Link(self._mine.legal[move], set()) for move in left}
        won = []
        for step in range(longest):
            won += [link.where for move, link in links.items() if move in self._winning]
            links = {m: link for m, link in links.items() if 0 < left.get(m, longest) < longest - step}
            if not links:
                break
            for move in links:
                self._answers.add(self._effects[move])
            self._answers.make(self._theirs, self._clock.at(2 * step + 1))
            links = self._further(links, after, 2 * step + 1)
        control = [2 * v + 1 - value for v, value in self._mine.control.items()]
        return composition.all([composition.any(won), self._circuit.terminal ^ 1, *control])

    def _further(
        self, links: Mapping[int, _Link], after_move: Mapping[int, Sequence[int]], ply: int
    ) -> dict[int, _Link]:
        """What can come next in chains, whatever has been answered at a ply."""
        composition = self._composition
        ways: dict[int, list[int]] = {}
        touched: dict[int, set[int]] = {}
        for move, link in links.items():
            followers = after_move[move]
            before = self._known(move, link, ply, answered=False)
            after = self._known(move, link, ply + 1, answered=True)
            going = composition.certain([self._lost ^ 1], before)
            going += composition.certain([self._lost ^ 1], after)
            for follower, legal in zip(
                followers, composition.certain([self._mine.legal[f] for f in followers], after), strict=True
            ):
                if (way := composition.all([link.where, legal, *going])) != FALSE:
                    ways.setdefault(follower, []).append(way)
                    touched.setdefault(follower, set()).update(link.touched, self._effects[move])
        return {move: _Link(composition.any(ways[move]), touched[move]) for move in ways}

    def _known(self, move: int, link: _Link, ply: int, *, answered: bool) -> Inputs:
        """What is known of state variables once a move has been made, or answered."""
        effect, answers = self._effects[move], self._answers

        def known(variable: int) -> Known:
            if variable in effect:
                provided = _provided(variable, effect[variable])
                if provided is None:
                    return UNKNOWN
                holds = answers.undone(provided) ^ 1 if answered else TRUE
                return (FALSE, holds) if provided & 1 else (holds, FALSE)
            return UNKNOWN if variable in link.touched else answers.untouched(variable)

        return at(self._clock.at(ply), known)

    def _made(self) -> Inputs:
        """What is known after each move, of what was before only whose turn it was and that the game was on.

        The cases are the moves of this role, in their order.
        """
        made: dict[int, list[int]] = {}  # cases in which a variable becomes true, becomes false, changes at all
        for place, effect in enumerate(self._effects.values()):
            for variable, literal in effect.items():
                cases = made.setdefault(variable, [0, 0, 0])
                for i, holds in enumerate((literal == TRUE, literal == FALSE, True)):
                    cases[i] |= holds << place
        every = (1 << len(self._effects)) - 1
        control = self._theirs.control

        def known(variable: int) -> Known:
            literal = self._composition.assumed(2 * variable)
            if variable in self._clock:
                literal = control.get(variable, 2 * variable)
            true, false, changed = made.get(variable, (0, 0, 0))
            same = every & ~changed
            return true | same * (literal == TRUE), false | same * (literal == FALSE)

        return known

    def _followers(self) -> dict[int, list[int]]:
        """For each move those that it may enable: it changes what they depend on, and does not forbid them."""
        composition, legal = self._composition, self._mine.legal
        depending: dict[int, list[int]] = {}
        for move, literal in legal.items():
            for variable in composition.inputs(literal):
                depending.setdefault(variable, []).append(move)
        forbidden = composition.certain_cases([literal ^ 1 for literal in legal.values()], self._made())
        never = dict(zip(legal, forbidden, strict=True))
        after = {}
        for place, (move, effect) in enumerate(self._effects.items()):
            near = sorted({follower for variable in effect for follower in depending.get(variable, ())})
            after[move] = [follower for follower in near if not never[follower] >> place & 1]
        return after

    def _left(self, after: Mapping[int, Sequence[int]]) -> dict[int, int]:
        """The moves that chains may consist of, and how many more there are at least after each."""
        left = dict.fromkeys(self._winning, 0)
        leading: dict[int, list[int]] = {}
        for move, followers in after.items():
            for follower in followers:
                leading.setdefault(follower, []).append(move)
        pending = deque(left)
        while pending:
            follower = pending.popleft()
            for move in leading.get(follower, ()):
                if move not in left:
                    left[move] = left[follower] + 1
                    pending.append(move)
        return left


def _provided(variable: int, literal: int) -> int | None:
    """The literal of a state variable that holds for certain where its new value is `literal`."""
    return {TRUE: 2 * variable, FALSE: 2 * variable + 1}.get(literal)


# ---- Goals ------------------------------------------------------------------------------------------------------


def _ended(circuit: Circuit, composition: Composition, role: int, wanted: Callable[[int], bool]) -> int:
    """That the game is over with one of the goals of a role that are wanted."""
    over = circuit.terminal
    return composition.any(
        literal if composition.implies(literal, over) else composition.both(literal, over)
        for player, value, literal in circuit.goals
        if player == role and wanted(value)
    )


def _has_a_goal(circuit: Circuit, composition: Composition, role: int) -> bool:
    """Whether it is proven that a role has a goal wherever the game is over."""
    goals = [literal for player, _, literal in circuit.goals if player == role]
    return _clash(composition, [circuit.terminal, *(goal ^ 1 for goal in goals)], _SPLITS)


def _clash(composition: Composition, literals: list[int], splits: int) -> bool:
    """Whether literals exclude each other, as unit propagation shows in cases (M. Davis et al., 1962)."""
    if not composition.assume(literals):
        composition.forget()
        return True
    parts = [
        part & ~1 for literal in literals for gate in (literal, literal ^ 1) for part in composition.implied(gate)
    ]
    open_parts = [part for part in parts if composition.assumed(part) == part]
    composition.forget()
    if not splits or not open_parts:
        return False
    part = open_parts[0]
    return all(_clash(composition, [*literals, case], splits - 1) for case in (part, part ^ 1))


def _awards(circuit: Circuit, composition: Composition, role: int, won: int) -> Iterator[tuple[int, int, int]]:
    """What the roles get where one has won a race: its best goal, and what the others get where it has that."""
    best = max(value for player, value, _ in circuit.goals if player == role)
    win = composition.any(literal for player, value, literal in circuit.goals if (player, value) == (role, best))
    for player in range(len(circuit.roles)):
        values = {v for p, v, literal in circuit.goals if p == player and composition.implies(win, literal)}
        if player == role:
            values = {best}
        if len(values) != 1:
            raise RaceError("what a win is worth to the other role is not known")
        yield player, values.pop(), won
