"""Finds chains of moves that win whatever the answers are, as gates over the present state.

What the opponent may have changed after i moves is bounded from above (`turns.Relaxation`). Against that the chain is
held: what a move needs must be certain, either because the one before has provided it and no possible answer takes
it away, or because it was there from the start and neither the opponent nor an earlier move of the chain can have
touched it; and in between the game cannot have ended otherwise.

Source: D. McAllester, D. Rosenblitt, "Systematic Nonlinear Planning", 1991 (threats to causal links).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ludens.propnet.analysis.composition import Composition
from ludens.propnet.analysis.three_values import UNKNOWN, Inputs, Known
from ludens.propnet.analysis.turns import Relaxation, Turn, at
from ludens.propnet.network.propnet import FALSE, TRUE


@dataclass(slots=True)
class _ChainStep:
    """A move as one of a chain, so many moves from its start."""

    where: int  # literal: it is possible there, whatever was answered
    touched: set[int]  # variables that the moves before it may have changed


class WinningChains:
    """The chains of moves by which the role of one turn, having it, wins whatever is answered."""

    def __init__(self, composition: Composition, mine: Turn, theirs: Turn) -> None:
        """`mine` and `theirs`: the turns of that role and of its opponent. Raises `CompositionError`."""
        self.role = mine.role
        self._composition, self._mine, self._theirs = composition, mine, theirs
        self._circuit = circuit = composition.circuit
        self._autonomous = _AutonomousVariables(composition, mine, theirs)
        self._answers = _OpponentRelaxation(composition)
        self._effects = {
            move: {v: literal for v, literal in effect.items() if v not in self._autonomous}
            for move, effect in mine.effects.items()
        }
        best = max((value for role, value, _ in circuit.goals if role == self.role), default=0)
        self._lost = _ended(composition, self.role, lambda value: value != best)
        won = _ended(composition, self.role, lambda value: value == best)
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
        """The literal of a win by a chain of at most `longest` moves; false where the game is over."""
        composition, after = self._composition, self._followers()
        left = self._moves_left(after)
        steps = {move: _ChainStep(self._mine.legal[move], set()) for move in left}
        won = []
        for made in range(longest):
            won += [step.where for move, step in steps.items() if move in self._winning]
            steps = {m: step for m, step in steps.items() if 0 < left.get(m, longest) < longest - made}
            if not steps:
                break
            for move in steps:
                self._answers.add(self._effects[move])
            self._answers.make(self._theirs, self._autonomous.at(2 * made + 1))
            steps = self._further(steps, after, 2 * made + 1)
        control = [2 * v + 1 - value for v, value in self._mine.control.items()]
        return composition.all([composition.any(won), self._circuit.terminal ^ 1, *control])

    def _further(
        self, steps: Mapping[int, _ChainStep], after_move: Mapping[int, Sequence[int]], ply: int
    ) -> dict[int, _ChainStep]:
        """The moves that can come next in chains, whatever has been answered at `ply`."""
        composition = self._composition
        ways: dict[int, list[int]] = {}
        touched: dict[int, set[int]] = {}
        for move, step in steps.items():
            followers = after_move[move]
            before = self._known(move, step, ply, answered=False)
            after = self._known(move, step, ply + 1, answered=True)
            going = composition.certain([self._lost ^ 1], before)
            going += composition.certain([self._lost ^ 1], after)
            for follower, legal in zip(
                followers, composition.certain([self._mine.legal[f] for f in followers], after), strict=True
            ):
                if (way := composition.all([step.where, legal, *going])) != FALSE:
                    ways.setdefault(follower, []).append(way)
                    touched.setdefault(follower, set()).update(step.touched, self._effects[move])
        return {move: _ChainStep(composition.any(ways[move]), touched[move]) for move in ways}

    def _known(self, move: int, step: _ChainStep, ply: int, *, answered: bool) -> Inputs:
        """What is known of state variables once a move has been made, or answered."""
        effect, answers = self._effects[move], self._answers

        def known(variable: int) -> Known:
            if variable in effect:
                if effect[variable] not in (FALSE, TRUE):
                    return UNKNOWN
                provided = 2 * variable + (effect[variable] == FALSE)
                holds = answers.undone(provided) ^ 1 if answered else TRUE
                return (FALSE, holds) if provided & 1 else (holds, FALSE)
            return UNKNOWN if variable in step.touched else answers.untouched(variable)

        return at(self._autonomous.at(ply), known)

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
            if variable in self._autonomous:
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

    def _moves_left(self, after: Mapping[int, Sequence[int]]) -> dict[int, int]:
        """For each move that a winning chain may hold, how many more moves it takes at least to win after it."""
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


class _AutonomousVariables:
    """State variables that change by themselves, such as whose turn it is, or the number of the step.

    Their values at every ply to come are functions of the present state.
    """

    def __init__(self, composition: Composition, mine: Turn, theirs: Turn) -> None:
        self._composition = composition
        variables = range(1, composition.circuit.first_move)
        self._next = [{v: turn.common(v) for v in variables} for turn in (mine, theirs)]
        members = {v for v in self._next[0] if all(after[v] is not None for after in self._next)}
        while outside := {v for v in members if not self._inputs(v) <= members}:
            members -= outside
        self._at = [{v: mine.control[v] if v in mine.control else 2 * v for v in members}]

    def __contains__(self, variable: int) -> bool:
        return variable in self._at[0]

    def at(self, ply: int) -> Mapping[int, int]:
        """The literal of each of the variables so many plies from now."""
        while len(self._at) <= ply:
            now, after = self._at[-1], self._next[(len(self._at) - 1) % 2]
            literals = self._composition.certain(
                [literal for v in now if (literal := after[v]) is not None], at(now, lambda _: UNKNOWN)
            )
            self._at.append(dict(zip(now, literals, strict=True)))
        return self._at[ply]

    def _inputs(self, variable: int) -> set[int]:
        literals = [literal for after in self._next if (literal := after[variable]) is not None]
        return {v for literal in literals for v in self._composition.inputs(literal)}


class _OpponentRelaxation(Relaxation):
    """What the opponent's answers so far may have changed, at most, while a role plays some chain of moves."""

    def __init__(self, composition: Composition) -> None:
        super().__init__(composition)
        self._chain: set[int] = set()  # literals that moves of the chain may have made true

    def add(self, effect: Mapping[int, int]) -> None:
        """Takes in the changes of another move that may be part of the chain."""
        for variable, literal in effect.items():
            self._chain |= {2 * variable + 1} if literal == FALSE else {2 * variable, 2 * variable + 1}

    def _possibly(self, variable: int) -> Known:
        true, false = self.untouched(variable)
        chain = self._chain
        return FALSE if 2 * variable + 1 in chain else true, FALSE if 2 * variable in chain else false


def _ended(composition: Composition, role: int, wanted: Callable[[int], bool]) -> int:
    """The literal of the game being over with one of the goals of a role that are `wanted`."""
    circuit, over = composition.circuit, composition.circuit.terminal
    return composition.any(
        literal if composition.implies(literal, over) else composition.both(literal, over)
        for player, value, literal in circuit.goals
        if player == role and wanted(value)
    )
