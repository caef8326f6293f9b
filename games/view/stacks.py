"""Stacks: facts that number what lies on one place, `(piece c 2 1 white)`, from the top or from the bottom.

All arguments but the number and the thing are the place, of which there are two at least. In every state of the sample
the things of each place are numbered from 1 without gaps, and stacks grow and shrink: a board that only fills is none.
Things that stay then keep their numbers if the bottom is the first, and are shifted if the top is.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice, pairwise, permutations
from typing import TypeAlias

from ludens.games.view.forms import Form, Forms, Key, key
from ludens.games.view.words import Words

_LEAST_ARITY = 4

_Stack: TypeAlias = dict[int, str]
"""The things on one place, by their number."""

_Stacks: TypeAlias = dict[Key, _Stack]
"""What lies on each place that is not empty."""


@dataclass(frozen=True, slots=True)
class Numbering:
    """The argument of facts that numbers what lies on a place."""

    axis: int
    from_top: bool

    def unnumbered(self, facts: Iterable[Words]) -> Iterator[Words]:
        """Yields facts without their number, those at the bottom first."""
        place = self.axis + 1
        for fact in sorted(facts, key=lambda fact: int(fact[place]), reverse=self.from_top):
            yield fact[:place] + fact[place + 1 :]


def find_numbering(forms: Forms, form: Form) -> Numbering | None:
    """Returns how facts number what lies on each other; None if they do no such thing."""
    if form.arity < _LEAST_ARITY or form.is_constant:
        return None
    for axis, thing in permutations(range(form.arity), 2):
        place = [each for each in range(form.arity) if each not in (axis, thing)]
        if all(word.isdecimal() for word in form.domains[axis]) and form.most_at_once(place) > 1:
            stacks = [_stacks(state, place, axis, thing) for state in form.states]
            if not all(sorted(stack) == [*range(1, len(stack) + 1)] for state in stacks for stack in state.values()):
                continue
            changes = list(_changes(forms, stacks))
            if {len(before) < len(after) for before, after in changes} == {True, False}:
                return Numbering(axis, _counts_from_top(changes))
    return None


def _stacks(state: Iterable[Words], place: list[int], axis: int, thing: int) -> _Stacks:
    """Returns the things on each place, by their number; two of one number are none."""
    found: _Stacks = defaultdict(dict)
    for fact in state:
        number = int(fact[axis + 1])
        found[key(fact, place)][0 if number in found[key(fact, place)] else number] = fact[thing + 1]
    return found


def _changes(forms: Forms, stacks: Iterable[_Stacks]) -> Iterator[tuple[_Stack, _Stack]]:
    """Yields what lies on a place before and after a move that changes how high it is, where it is not empty."""
    states = iter(stacks)
    for game in forms.sample.games:
        for before, after in pairwise(islice(states, len(game))):
            for place in before.keys() & after.keys():
                if len(before[place]) != len(after[place]):
                    yield before[place], after[place]


def _counts_from_top(changes: Iterable[tuple[_Stack, _Stack]]) -> bool:
    """Says whether the things that stay on a place are shifted, more often than they keep their numbers."""
    votes = 0
    for change in changes:
        low, high = sorted(change, key=len)
        shift = len(high) - len(low)
        votes += all(high[number + shift] == thing for number, thing in low.items())
        votes -= all(high[number] == thing for number, thing in low.items())
    return votes > 0
