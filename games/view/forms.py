"""Facts and moves of a game by their form: name and number of arguments, as a sample of its play shows them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from ludens.games.view.sample import Sample
from ludens.games.view.words import Words, words

_MOST_MOVES = 30_000  # of a role that are looked at

Key = tuple[str, ...]
"""Some arguments of a fact: those that say where it is."""


@dataclass(eq=False)
class Form:
    """All facts with one name and number of arguments."""

    name: str
    arity: int
    facts: frozenset[Words]  # that can hold, as far as known
    states: tuple[tuple[Words, ...], ...]  # [states] those that hold
    _at_once: dict[tuple[int, ...], int] = field(default_factory=dict)  # what is known of `most_at_once`

    @cached_property
    def domains(self) -> tuple[frozenset[str], ...]:
        """What stands in each argument."""
        return tuple(frozenset(fact[i] for fact in self.facts) for i in range(1, self.arity + 1))

    def keys(self, axes: Sequence[int]) -> frozenset[Key]:
        """Returns the values that these arguments take together."""
        return frozenset(key(fact, axes) for fact in self.facts)

    def most_at_once(self, axes: Sequence[int]) -> int:
        """Returns how many facts there are at most in a state that agree in these arguments."""
        asked = tuple(axes)
        if asked not in self._at_once:
            counts = (Counter(key(fact, asked) for fact in state) for state in self.states if state)
            self._at_once[asked] = max((max(count.values()) for count in counts), default=0)
        return self._at_once[asked]

    @cached_property
    def most(self) -> int:
        """How many facts there are at most in a state."""
        return max(map(len, self.states), default=0)

    @cached_property
    def is_constant(self) -> bool:
        """Whether the same facts hold in all states, of which there are several."""
        if len(self.states) < 2:
            return False
        return (
            all(len(state) == len(self.states[0]) for state in self.states)
            and len(set(map(frozenset, self.states))) == 1
        )

    def is_function_of(self, axes: Sequence[int]) -> bool:
        """Says whether in every state each value of these arguments has exactly one fact, so it is a property of it."""
        everything = self.keys(axes)
        return all(
            len(state) == len(everything) and len({key(fact, axes) for fact in state}) == len(everything)
            for state in self.states
        )


def key(fact: Words, axes: Sequence[int]) -> Key:
    """Returns these arguments of a fact; 0 is the first."""
    return tuple([fact[axis + 1] for axis in axes])


@dataclass(eq=False)
class Forms:
    """All that a sample shows of a game."""

    sample: Sample
    facts: dict[tuple[str, int], Form]
    moves: dict[tuple[str, int], set[Words]]  # by form, of all roles
    successors: dict[str, str] = field(default_factory=dict)
    joined: frozenset[str] = frozenset()  # names of forms whose facts were coordinates in separate facts
    stacked: frozenset[tuple[str, int]] = frozenset()  # forms whose facts lie on each other, see `stacks`

    def are_stacks(self, form: Form) -> bool:
        """Says whether the facts of a form lie on each other."""
        return (form.name, form.arity) in self.stacked

    @property
    def roles(self) -> tuple[str, ...]:
        """The roles of the game."""
        return self.sample.roles

    @cached_property
    def move_domains(self) -> list[frozenset[str]]:
        """What stands in arguments of moves, one for each argument of each form; names of moves without are one."""
        found = [
            frozenset(move[i] for move in moves)
            for (_, arity), moves in self.moves.items()
            for i in range(1, arity + 1)
        ]
        return [*found, frozenset(name for name, arity in self.moves if not arity)]

    @cached_property
    def move_words(self) -> frozenset[str]:
        """Everything that stands in an argument of some move."""
        return frozenset().union(*self.move_domains)

    def are_in_moves(self, symbols: Iterable[str]) -> bool:
        """Says whether some argument of moves names just these things, more or less."""
        wanted = frozenset(symbols)
        return any(_alike(wanted, found) for found in self.move_domains)

    def are_in_a_row_in_moves(self, axes: Sequence[frozenset[str]]) -> bool:
        """Says whether arguments of some moves, one behind the other, stand for these things, more or less."""
        for (_, arity), moves in self.moves.items():
            domains = [frozenset(move[i] for move in moves) for i in range(1, arity + 1)]
            for first in range(arity - len(axes) + 1):
                if all(map(_alike, domains[first:], axes)):
                    return True
        return False

    def pairs_in_moves(self, columns: frozenset[str], rows: frozenset[str]) -> set[Key]:
        """Returns the pairs of arguments of moves, one behind the other, that stand for columns and rows."""
        found: set[Key] = set()
        for (_, arity), moves in self.moves.items():
            for i in range(1, arity):
                pairs = {move[i : i + 2] for move in moves}
                if _alike(frozenset(pair[0] for pair in pairs), columns) and _alike(
                    frozenset(pair[1] for pair in pairs), rows
                ):
                    found |= pairs
        return found


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    return len(one & other) >= 0.6 * max(len(one), len(other))


def read_forms(sample: Sample) -> Forms:
    """Sorts what a sample shows by form."""
    by_form: dict[tuple[str, int], set[Words]] = defaultdict(set)
    states: dict[tuple[str, int], list[tuple[Words, ...]]] = defaultdict(list)
    for text in sample.facts:
        fact = words(text)
        by_form[fact[0], len(fact) - 1].add(fact)
    sampled = [state.facts for state in sample.states()]
    for state in sampled:
        for fact in state:
            by_form[fact[0], len(fact) - 1].add(fact)
    for state in sampled:
        here: dict[tuple[str, int], list[Words]] = defaultdict(list)
        for fact in state:
            here[fact[0], len(fact) - 1].append(fact)
        for form in by_form:
            states[form].append(tuple(here.get(form, ())))
    forms = {
        (name, arity): Form(name, arity, frozenset(found), tuple(states[name, arity]))
        for (name, arity), found in by_form.items()
    }
    return Forms(sample, forms, _moves(sample), _successors(sample))


def _moves(sample: Sample) -> dict[tuple[str, int], set[Words]]:
    found: dict[tuple[str, int], set[Words]] = defaultdict(set)
    for moves in sample.moves:
        for text in moves[:: max(1, len(moves) // _MOST_MOVES)]:
            move = words(text)
            found[move[0], len(move) - 1].add(move)
    for state in sample.states():
        for move in {words(text) for legal in state.legal for text in legal}:
            found[move[0], len(move) - 1].add(move)
    return found


def _successors(sample: Sample) -> dict[str, str]:
    """Which word follows which, in relations of two that put each word at most once before and once behind others."""
    following: dict[str, str] = {}
    for pairs in sorted(sample.relations.values(), key=len):
        after = {pair[0]: pair[1] for pair in pairs if len(pair) == 2 and pair[0] != pair[1]}
        if len(after) == len(pairs) == len(set(after.values())):
            following.update(after)
    return following
