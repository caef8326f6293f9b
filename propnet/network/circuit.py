"""The network under construction: conjunctions of any width, which passes replace by better ones.

Variables and literals are numbered as in `network.Propnet`: false, state bits, moves, feedback, gates. A
pass is a function from Circuit to Circuit; it never changes its argument.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from typing import TypeAlias

from ludens.propnet.network.propnet import FeatureName

Gate: TypeAlias = tuple[int, ...]


@dataclass(frozen=True)
class Circuit:
    """A game as wide conjunctions in topological order. Literals are those of `network.Propnet`."""

    roles: tuple[str, ...]
    propositions: tuple[str, ...]  # S
    moves: tuple[tuple[str, ...], ...]  # M in all
    initial: tuple[bool, ...]  # [S]
    gates: Sequence[Gate]  # the literals of each conjunction
    next: Sequence[int]  # [S]
    legal: Sequence[int]  # [M]
    terminal: int
    goals: Sequence[tuple[int, int, int]]  # role, value, literal
    feedback: Sequence[int] = ()  # [F] literal that drives each feedback input
    loop: Sequence[int] = ()  # [F] number of the loop that each feedback input cuts, non-decreasing
    playable: Sequence[int] | None = None  # [M] what random play chooses from, where that is not what is legal
    features: Sequence[int] = ()  # what evaluations see besides the propositions
    feature_names: Sequence[FeatureName] = ()  # of each of these

    @cached_property
    def first_gate(self) -> int:
        """The variable of gate 0."""
        return self.first_feedback + len(self.feedback)

    @cached_property
    def first_move(self) -> int:
        """The variable of move 0 of role 0."""
        return 1 + len(self.propositions)

    @cached_property
    def first_feedback(self) -> int:
        """The variable of feedback input 0."""
        return self.first_move + len(self.legal)

    @property
    def outputs(self) -> list[int]:
        """The literals that tell of a state: which moves are legal or playable, the end, goals, features."""
        goals = [literal for _, _, literal in self.goals]
        return [*self.legal, *(self.playable or ()), self.terminal, *goals, *self.features]

    def role_moves(self) -> list[range]:
        """The input variables of each role's moves."""
        return [range(self.first_move + span.start, self.first_move + span.stop) for span in self.move_spans()]

    def move_spans(self) -> list[range]:
        """The moves of each role, counted over all roles."""
        counts = [*map(len, self.moves)]
        return [range(end - count, end) for end, count in zip(accumulate(counts), counts, strict=True)]

    def with_gates(self, gates: Sequence[Gate], new: Sequence[int]) -> Circuit:
        """The same game over other gates, where `new[literal]` takes the place of each old literal."""
        return replace(
            self,
            gates=gates,
            next=[new[literal] for literal in self.next],
            legal=[new[literal] for literal in self.legal],
            terminal=new[self.terminal],
            goals=[(role, value, new[literal]) for role, value, literal in self.goals],
            feedback=[new[literal] for literal in self.feedback],
            playable=None if self.playable is None else [new[literal] for literal in self.playable],
            features=[new[literal] for literal in self.features],
        )


Pass: TypeAlias = Callable[[Circuit], Circuit]


def cone(literals: Iterable[int], first_gate: int, gates: Sequence[Gate]) -> set[int]:
    """The variables of the literals, and all that these depend on; inputs come before variable `first_gate`."""
    found: set[int] = set()
    pending = [literal >> 1 for literal in literals]
    while pending:
        variable = pending.pop()
        if variable not in found:
            found.add(variable)
            if variable >= first_gate:
                pending += [literal >> 1 for literal in gates[variable - first_gate]]
    return found


def identity(variables: int) -> list[int]:
    """The literals of the first `variables` variables, each standing for itself."""
    return list(range(2 * variables))
