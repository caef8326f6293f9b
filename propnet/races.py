"""Races: positions won by a chain of moves that nothing the opponent does can stop, seen before they are played.

The role to move makes a chain of moves, each enabled by the one before, the last of which wins; meanwhile the
opponent answers with whatever it likes. That is sound if it holds for all its answers at once. So what the
opponent may have changed after i moves is bounded from above: a move is possible if nothing certain forbids it,
and possible moves never take back what earlier ones have made possible (the relaxed planning graph of J.
Hoffmann, B. Nebel, "The FF Planning System", 2001). Against that the chain is held: what a move needs must be
certain, either because the one before has provided it and no possible answer takes it away, or because it was
there from the start and neither the opponent nor an earlier move of the chain can have touched it (the threats
to causal links of D. McAllester, D. Rosenblitt, "Systematic Nonlinear Planning", 1991); and in between the game
cannot have ended otherwise. All of it becomes gates over the present state: hundreds of games are looked at in
one pass.

Such positions can then count as ends of the game with the goals of that win: `with_races`. What the game is worth
stays the same in every position, and searches prove it sooner: race patterns made breakthrough up to 6×5 solvable
(A. Saffidine, N. Jouandeau, T. Cazenave, "Solving Breakthrough with Race Patterns and Job-Level Proof Number
Search", 2011). Here they follow from the rules.

Only games of two roles that move by turns are looked at.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from propnet.circuit import Circuit
from propnet.composition import FALSE, TRUE, Bounds, Composition, CompositionError
from propnet.control import phases
from propnet.network import Propnet
from propnet.passes import binary, factor, needed, order, reopen

_MOST_GATES = 60_000
_GROWTH = 20  # while composing, against the gates that may remain
_LONGEST = 8  # chain that is looked for unless something else is said, in moves
_SPLITS = 6  # cases within cases, to prove that every end has a goal

_Known = tuple[int, int]  # literals: it is certainly true, it is certainly false
_UNKNOWN: _Known = (FALSE, FALSE)
_Inputs = Callable[[int], _Known]


class RaceError(CompositionError):
    """A game in which no races are looked for, or in which there are none; the text says why."""


def with_races(net: Propnet, longest: int = _LONGEST, gates: int = _MOST_GATES, seconds: float = 10.0) -> Propnet:
    """The network of the same game, over as soon as the role to move wins a race.

    States and moves are the same, and so is what the game is worth in every state. Chains have `longest` moves at
    most, and the network at most `gates` gates more; it takes about `seconds` at most. Raises `CompositionError`,
    of which `RaceError` is one, where that is not possible.
    """
    circuit = reopen(net)
    bounds = Bounds(len(net.gates) + _GROWTH * gates, time.monotonic() + seconds)
    composition = Composition(circuit, bounds)
    turns = _turns(circuit, composition)
    races = [_Race(circuit, composition, mine, theirs) for mine, theirs in (turns, turns[::-1])]
    goals = _Goals(circuit, composition)
    for race in races:
        goals.award(race.role, race.won(longest))
    made = replace(circuit, gates=composition.gates, terminal=goals.terminal, goals=goals.all())
    raced = order(binary(factor(needed(made))))
    if len(raced.gates) > len(net.gates) + gates:
        raise RaceError(f"{len(raced.gates) - len(net.gates)} gates more, where {gates} are allowed")
    return raced


# ---- The game by turns ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Turn:
    """The states in which a role moves and the other waits."""

    role: int
    control: Mapping[int, int]  # input variables that are constant in them
    legal: Mapping[int, int]  # for each move (input variable) that there may be, the literal of its being legal
    effects: Mapping[int, Mapping[int, int]]  # for each move the state variables it changes, and to what literals

    def common(self, variable: int) -> int | None:
        """The next literal of a state variable if it is the same whatever is played."""
        after = {effect.get(variable, 2 * variable) for effect in self.effects.values()}
        return after.pop() if len(after) == 1 else None


def _turns(circuit: Circuit, composition: Composition) -> tuple[_Turn, _Turn]:
    """Those of the two roles, in the order of the match."""
    cycle = [{1 + p: int(holds) for p, holds in phase.items()} for phase in phases(circuit)]
    if len(circuit.roles) != 2 or len(cycle) != 2:
        raise RaceError("the game is not one of two roles that are known to move by turns")
    first, second = (_turn(circuit, composition, control) for control in cycle)
    if first.role == second.role:
        raise RaceError("one role makes all the moves")
    return first, second


def _turn(circuit: Circuit, composition: Composition, control: Mapping[int, int]) -> _Turn:
    legal = dict(enumerate(composition.under(control, circuit.legal), circuit.first_move))
    chosen = [[move for move in moves if legal[move] != FALSE] for moves in circuit.role_moves()]
    waiting = [role for role, moves in enumerate(chosen) if [legal[move] for move in moves] == [TRUE]]
    if len(waiting) != 1:
        raise RaceError("it is not known whose turn it is")
    (idle,), moves = chosen[waiting[0]], chosen[1 - waiting[0]]
    still = {**control, **{move: int(move == idle) for move in legal}}
    changes = composition.cofactors(still, circuit.next, moves)
    effects = {
        move: {v: literal for v, literal in enumerate(following, 1) if literal != 2 * v}
        for move, following in zip(moves, changes, strict=True)
    }
    return _Turn(1 - waiting[0], control, {move: legal[move] for move in moves}, effects)


class _Clock:
    """What changes by itself, such as whose turn it is and the number of the step: known at every ply to come."""

    def __init__(self, composition: Composition, circuit: Circuit, mine: _Turn, theirs: _Turn) -> None:
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
                _at(now, lambda _: _UNKNOWN),
            )
            self._at.append(dict(zip(now, literals, strict=True)))
        return self._at[ply]

    def _inputs(self, variable: int) -> set[int]:
        literals = [literal for after in self._next if (literal := after[variable]) is not None]
        return {v for literal in literals for v in self._composition.inputs(literal)}


# ---- What the opponent may do -----------------------------------------------------------------------------------


class _Answers:
    """What the opponent's moves so far may have changed, at most, while a role plays some chain of moves."""

    def __init__(self, composition: Composition, turn: _Turn, clock: _Clock) -> None:
        self._composition, self._turn, self._clock = composition, turn, clock
        self._may: dict[int, int] = {}  # for literals of state variables where answers may have made them true
        self._last: dict[int, int] = {}  # the same of the last answer alone
        self._chain: set[int] = set()  # literals that moves of the chain may have made true

    def add(self, effect: Mapping[int, int]) -> None:
        """Another move that may be part of the chain."""
        for variable, literal in effect.items():
            self._chain |= {2 * variable + 1} if literal == FALSE else {2 * variable, 2 * variable + 1}

    def make(self, ply: int) -> None:
        """The answer at a ply."""
        composition, turn = self._composition, self._turn
        inputs = _at(self._clock.at(ply), self._possibly)
        made: dict[int, list[int]] = {}
        for move, legal in turn.legal.items():
            effect = {v: literal for v, literal in turn.effects[move].items() if v not in self._clock}
            forbidden, *excluded = composition.certain(
                [legal ^ 1, *(e ^ n for e in effect.values() for n in (1, 0))], inputs
            )
            literals = (2 * variable + negated for variable in effect for negated in (0, 1))
            for literal, never in zip(literals, excluded, strict=True):
                made.setdefault(literal, []).append(composition.both(forbidden ^ 1, never ^ 1))
        self._last = {literal: composition.any(ways) for literal, ways in made.items()}
        for literal, may in self._last.items():
            self._may[literal] = composition.any([self._may.get(literal, FALSE), may])

    def untouched(self, variable: int) -> _Known:
        """What is known of a variable that only answers can have changed."""
        may, true = self._may, 2 * variable
        both = self._composition.both
        return both(true, may.get(true ^ 1, FALSE) ^ 1), both(true ^ 1, may.get(true, FALSE) ^ 1)

    def undone(self, literal: int) -> int:
        """Where the last answer may have made a literal of a state variable false."""
        return self._last.get(literal ^ 1, FALSE)

    def _possibly(self, variable: int) -> _Known:
        true, false = self.untouched(variable)
        chain = self._chain
        return FALSE if 2 * variable + 1 in chain else true, FALSE if 2 * variable in chain else false


def _at(clock: Mapping[int, int], other: _Inputs) -> _Inputs:
    """What is known of state variables: the clock's, and others."""
    return lambda v: (clock[v], clock[v] ^ 1) if v in clock else other(v)


# ---- Chains of moves --------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Link:
    """A move as one of a chain at some step."""

    where: int  # the literal of its being possible there, whatever was answered
    touched: set[int]  # variables that the moves before it may have changed


class _Race:
    """Where the role of one turn, having it, wins by a chain of moves."""

    def __init__(self, circuit: Circuit, composition: Composition, mine: _Turn, theirs: _Turn) -> None:
        self.role = mine.role
        self._circuit, self._composition, self._mine, self._theirs = circuit, composition, mine, theirs
        self._clock = _Clock(composition, circuit, mine, theirs)
        self._answers = _Answers(composition, theirs, self._clock)
        self._effects = {
            move: {v: literal for v, literal in effect.items() if v not in self._clock}
            for move, effect in mine.effects.items()
        }
        best = max((value for role, value, _ in circuit.goals if role == self.role), default=0)
        self._lost = _ended(circuit, composition, self.role, lambda value: value != best)
        won = _ended(circuit, composition, self.role, lambda value: value == best)
        won = composition.both(won, self._lost ^ 1)  # with two goals at once nobody knows what they are worth
        if not _has_a_goal(circuit, composition, self.role):
            raise RaceError("it is not known that every end has a goal")
        composition.assume([circuit.terminal ^ 1])
        self._winning = {m for m in mine.legal if composition.certain([won], self._made(m)) == [TRUE]}
        composition.forget()
        self._after = self._followers()

    def won(self, longest: int) -> int:
        """The literal of it, for chains of so many moves; false where the game is over."""
        composition, left = self._composition, self._left()
        links = {move: _Link(self._mine.legal[move], set()) for move in left}
        won = []
        for step in range(longest):
            won += [link.where for move, link in links.items() if move in self._winning]
            links = {m: link for m, link in links.items() if 0 < left.get(m, longest) < longest - step}
            if not links:
                break
            for move in links:
                self._answers.add(self._effects[move])
            self._answers.make(2 * step + 1)
            links = self._further(links, 2 * step + 1)
        control = [2 * v + 1 - value for v, value in self._mine.control.items()]
        return composition.all([composition.any(won), self._circuit.terminal ^ 1, *control])

    def _further(self, links: Mapping[int, _Link], ply: int) -> dict[int, _Link]:
        """What can come next in chains, whatever has been answered at a ply."""
        composition = self._composition
        ways: dict[int, list[int]] = {}
        touched: dict[int, set[int]] = {}
        for move, link in links.items():
            followers = self._after[move]
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

    def _known(self, move: int, link: _Link, ply: int, *, answered: bool) -> _Inputs:
        """What is known of state variables once a move has been made, or answered."""
        effect, answers = self._effects[move], self._answers

        def known(variable: int) -> _Known:
            if variable in effect:
                provided = _provided(variable, effect[variable])
                if provided is None:
                    return _UNKNOWN
                holds = answers.undone(provided) ^ 1 if answered else TRUE
                return (FALSE, holds) if provided & 1 else (holds, FALSE)
            return _UNKNOWN if variable in link.touched else answers.untouched(variable)

        return _at(self._clock.at(ply), known)

    def _made(self, move: int) -> _Inputs:
        """What is known after a move, of what was before only whose turn it was and that the game was on."""
        effect, control = self._effects[move], self._theirs.control

        def known(variable: int) -> _Known:
            if variable in effect:
                literal = effect[variable]
            elif variable in self._clock:
                literal = control.get(variable, 2 * variable)
            else:
                literal = self._composition.assumed(2 * variable)
            return (literal, literal ^ 1) if literal in (FALSE, TRUE) else _UNKNOWN

        return known

    def _followers(self) -> dict[int, list[int]]:
        """For each move those that it may enable: it changes what they depend on, and does not forbid them."""
        composition, legal = self._composition, self._mine.legal
        depending: dict[int, list[int]] = {}
        for move, literal in legal.items():
            for variable in composition.inputs(literal):
                depending.setdefault(variable, []).append(move)
        after = {}
        for move, effect in self._effects.items():
            near = sorted({follower for variable in effect for follower in depending.get(variable, ())})
            forbidden = composition.certain([legal[f] ^ 1 for f in near], self._made(move))
            after[move] = [f for f, never in zip(near, forbidden, strict=True) if never != TRUE]
        return after

    def _left(self) -> dict[int, int]:
        """The moves that chains may consist of, and how many more there are at least after each."""
        left = dict.fromkeys(self._winning, 0)
        leading: dict[int, list[int]] = {}
        for move, followers in self._after.items():
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


class _Goals:
    """The goals of a game that is also over where races are won."""

    def __init__(self, circuit: Circuit, composition: Composition) -> None:
        self._circuit, self._composition = circuit, composition
        self._awarded: dict[tuple[int, int], list[int]] = {}  # role and goal, and the races that bring it

    def award(self, role: int, won: int) -> None:
        """Gives a role its best goal where it has won a race, and the others what they get where it has that."""
        if won == FALSE:
            return
        composition, goals = self._composition, self._circuit.goals
        best = max(value for player, value, _ in goals if player == role)
        win = composition.any(literal for player, value, literal in goals if (player, value) == (role, best))
        for player in range(len(self._circuit.roles)):
            values = {v for p, v, literal in goals if p == player and composition.implies(win, literal)}
            if player == role:
                values = {best}
            if len(values) != 1:
                raise RaceError("what a win is worth to the other role is not known")
            self._awarded.setdefault((player, values.pop()), []).append(won)

    @property
    def _won(self) -> int:
        return self._composition.any(won for races in self._awarded.values() for won in races)

    @property
    def terminal(self) -> int:
        """The literal of the end of the game."""
        if self._won == FALSE:
            raise RaceError("no chain of moves wins")
        return self._composition.any([self._circuit.terminal, self._won])

    def all(self) -> list[tuple[int, int, int]]:
        """Roles, values and literals."""
        composition, race = self._composition, self._won
        old = [(role, value, composition.both(literal, race ^ 1)) for role, value, literal in self._circuit.goals]
        return old + [(*goal, composition.any(races)) for goal, races in self._awarded.items()]
