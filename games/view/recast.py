"""Facts that only together, or each in several of its parts, say what stands where, recast as facts about places.

* Coordinates in separate facts, `(x ship 3)` and `(y ship 5)`, become `(x-y ship 3 5)`; numbers at the ends of the
  names, as in `(x1 3)` and `(y1 5)`, are the things that stand there.
* A row of things in a single fact, `(order b a c)`, becomes a fact a place: `(order 1 b) (order 2 a) (order 3 c)`.
* A property of things of which each is on a place of its own joins the fact that says where: `(at cubie edge)` and
  `(turned cubie 1)` become `(at cubie edge 1)`.
* The number of a thing in a stack is left out, and the things come from bottom to top: see `stacks`.

Which facts are recast follows from a sample of play; others stay as they are.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, pairwise, product
from typing import TypeAlias

from ludens.games.view.forms import Form, Forms, key
from ludens.games.view.sample import Sample
from ludens.games.view.stacks import Numbering, find_numbering
from ludens.games.view.words import Successors, Words, ordered, text_of, with_gaps_filled, words

_COORDINATES = (("x", "y"), ("X", "Y"), ("column", "row"), ("col", "row"))  # in names of facts that belong together
_LONGEST = 40  # sides of a board whose coordinates are in separate facts, at most
_SHORTEST = 3  # rows of things, at least

FormId: TypeAlias = tuple[str, int]
"""Name and number of arguments."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two forms whose facts about the same thing become one: all of the first, then the last argument of the second."""

    name: str
    forms: tuple[FormId, FormId]
    things: tuple[tuple[int, ...], tuple[int, ...]]  # the arguments of each form that are the thing
    mark: str = ""  # the thing, where the names of the forms tell it
    are_coordinates: bool = False  # the last two arguments then

    def joined(self, facts: dict[FormId, list[Words]]) -> Iterator[Words]:
        """Yields the joint facts."""
        others: dict[Words, list[Words]] = defaultdict(list)
        for fact in facts.get(self.forms[1], ()):
            others[key(fact, self.things[1])].append(fact)
        for one in facts.get(self.forms[0], ()):
            for other in others.get(key(one, self.things[0]), ()):
                yield (self.name, *((self.mark,) if self.mark else ()), *one[1:], other[-1])


@dataclass(frozen=True, slots=True)
class Recast:
    """Which facts of a game are recast, and how."""

    pairs: tuple[Pair, ...] = ()
    rows: dict[FormId, tuple[str, ...]] = field(default_factory=dict)  # names of the places
    stacks: dict[FormId, Numbering] = field(default_factory=dict)

    @property
    def joined(self) -> frozenset[str]:
        """The names of facts whose last two arguments were coordinates in separate facts."""
        return frozenset(pair.name for pair in self.pairs if pair.are_coordinates)

    @property
    def stacked(self) -> frozenset[FormId]:
        """The forms whose facts lie on each other."""
        return frozenset((name, arity - 1) for name, arity in self.stacks)

    def facts(self, facts: Iterable[Words]) -> list[Words]:
        """Returns the facts of a state, or all that can hold, with those in place that are recast.

        They are in order, but for those of stacks, which come first, from bottom to top.
        """
        by_form = _by_form(facts)
        stacked = [
            fact for form, numbering in self.stacks.items() for fact in numbering.unnumbered(by_form.get(form, ()))
        ]
        found = [fact for pair in self.pairs for fact in pair.joined(by_form)]
        for form, places in self.rows.items():
            for fact in by_form.get(form, ()):
                found += [(form[0], place, thing) for place, thing in zip(places, fact[1:], strict=True)]
        recast = self._forms()
        found += [fact for form, same in by_form.items() if form not in recast for fact in same]
        return [*stacked, *sorted(found)]

    def sample(self, sample: Sample, successors: Successors) -> Sample:
        """Returns a sample of play with its facts recast; coordinates are then known for the whole board."""
        games = tuple(
            tuple(replace(state, facts=frozenset(self.facts(state.facts))) for state in game) for game in sample.games
        )
        known = frozenset(map(words, sample.facts)).union(*(state.facts for state in sample.states()))
        found = sorted({fact for fact in self.facts(known) if fact[0] not in self.joined})
        squares = [
            fact for pair in self.pairs if pair.are_coordinates for fact in _squares(pair, known, sample, successors)
        ]
        return replace(sample, games=games, facts=tuple(map(text_of, [*found, *squares])))

    def _forms(self) -> set[FormId]:
        return {form for pair in self.pairs for form in pair.forms} | self.rows.keys() | self.stacks.keys()


def _by_form(facts: Iterable[Words]) -> dict[FormId, list[Words]]:
    found: dict[FormId, list[Words]] = defaultdict(list)
    for fact in facts:
        found[fact[0], len(fact) - 1].append(fact)
    return found


def _squares(pair: Pair, known: Collection[Words], sample: Sample, successors: Successors) -> Iterator[Words]:
    """Yields the facts of all squares; where a relation of the rules holds of all that were seen, of its squares."""
    found = list(pair.joined(_by_form(known)))
    seen = {fact[-2:] for state in sample.states() for fact in pair.joined(_by_form(state.facts))}
    axes = [_axis({fact[i] for fact in found}, {square[i] for square in seen}, successors) for i in (-2, -1)]
    whole = set(product(*axes))
    listed = [relation for relation in sample.relations.values() if seen <= relation < whole]
    for thing in sorted({fact[:-2] for fact in found}):
        yield from ((*thing, *square) for square in sorted(min(listed, key=len, default=whole)))


def _axis(known: Collection[str], seen: Collection[str], successors: Successors) -> Collection[str]:
    """Returns the values of a coordinate that its board has: all that are known, or if those are too many, all seen."""
    return with_gaps_filled(known, successors, _LONGEST) or with_gaps_filled(seen, successors, _LONGEST) or seen


def find_recast(forms: Forms, ignored: Collection[str] = ()) -> Recast:
    """Returns how facts of a game are best recast; those with names that are ignored are not."""
    found = [form for form in forms.facts.values() if form.name not in ignored and form.states]
    rows = {(form.name, form.arity): _places(forms, form) for form in found if _is_row(forms, form)}
    stacks = {
        (form.name, form.arity): numbering for form in found if (numbering := find_numbering(forms, form)) is not None
    }
    return Recast((*_coordinates(forms, found), *_properties(forms, found)), rows, stacks)


# ---- Coordinates in separate facts ----


def _coordinates(forms: Forms, found: Sequence[Form]) -> list[Pair]:
    by_id = {(form.name, form.arity): form for form in found}
    pairs: list[tuple[str, Form, Form]] = []
    for one in found:
        for column, row in _COORDINATES:
            for match in re.finditer(column, one.name):
                name = one.name[: match.start()] + row + one.name[match.end() :]
                other = by_id.get((name, one.arity))
                if other and _are_coordinates(forms, one, other):
                    pairs.append((name.replace(row, "", 1), one, other))
    stems = Counter(re.sub(r"\d+$", "", stem) for stem, _, _ in pairs)
    named = []
    for stem, one, other in pairs:
        number = re.search(r"\d+$", stem)
        several = number is not None and stems[stem[: number.start()]] > 1
        mark = number[0] if number and several else ""
        name = "-".join(form.name.removesuffix(mark) for form in (one, other))
        things = tuple(range(one.arity - 1))
        named.append(Pair(name, ((one.name, one.arity), (other.name, other.arity)), (things, things), mark, True))
    return named


def _are_coordinates(forms: Forms, one: Form, other: Form) -> bool:
    """Says whether two forms give the same things a column and a row."""
    things = range(one.arity - 1)
    if not one.arity or (one.is_constant and other.is_constant):
        return False
    for form in (one, other):
        axis = {fact[-1] for state in form.states for fact in state}
        if ordered(axis, forms.successors) is None or with_gaps_filled(axis, forms.successors, _LONGEST) is None:
            return False
        if form.most_at_once(things) != 1:
            return False
    return all(
        {key(fact, things) for fact in mine} == {key(fact, things) for fact in theirs}
        for mine, theirs in zip(one.states, other.states, strict=True)
    )


# ---- Rows in a single fact ----


def _is_row(forms: Forms, form: Form) -> bool:
    """Says whether a form is one fact at a time, whose arguments are always the same things in some order."""
    if form.arity < _SHORTEST or any(len(state) != 1 for state in form.states):
        return False
    things = {tuple(sorted(fact[1:])) for (fact,) in form.states}
    rows = {fact for (fact,) in form.states}
    return len(things) == 1 and len(rows) > 1 and (form.name, 2) not in forms.facts


def _places(forms: Forms, form: Form) -> tuple[str, ...]:
    """Names for the places of a row: those of the things, in order, if moves name places by them; else numbers."""
    numbers = tuple(str(i) for i in range(1, form.arity + 1))
    names = ordered(form.domains[0], forms.successors) or tuple(sorted(form.domains[0]))
    if len(names) != form.arity or not forms.are_in_moves(names):
        return numbers
    by_place = by_thing = 0  # changes that the place, or the thing, of this name takes part in
    states = iter(form.states)
    for game in forms.sample.games:
        rows = [fact for (fact,) in islice(states, len(game))]
        for state, (before, after) in zip(game, pairwise(rows), strict=False):
            for named in {word for text in state.joint or () for word in words(text)[1:]} & set(names):
                place, thing = names.index(named) + 1, before.index(named, 1)
                by_place += before[place] != after[place]
                by_thing += before[thing] != after[thing]
    return names if by_place >= by_thing else numbers


# ---- Properties of things ----


def _properties(forms: Forms, found: Sequence[Form]) -> Iterator[Pair]:
    """Yields the forms that put each of several things on a place of its own, and one that tells more of them."""
    for form in found:
        if (thing := thing_axis(forms, form)) is None or form.arity != 2:
            continue
        things = {fact[thing + 1] for fact in form.facts}
        others = [
            other
            for other in found
            if other.arity == 2
            and thing_axis(forms, other) is None
            and other.domains[0] == things
            and other.is_function_of((0,))
        ]
        if len(others) == 1:
            yield Pair(form.name, ((form.name, 2), (others[0].name, 2)), ((thing,), (0,)))


def thing_axis(forms: Forms, form: Form) -> int | None:
    """Returns the argument that is the thing, of facts that put each of several things on a place of its own.

    Of the first two arguments the place is the one in which each move always changes the same part; None for facts
    that do no such thing.
    """
    if form.arity < 2 or len(form.domains[0]) < _SHORTEST or form.is_constant:
        return None
    if not all(form.is_function_of((axis,)) for axis in (0, 1)):
        return None
    return 1 if _spread(forms, form, 0) <= _spread(forms, form, 1) else 0


def _spread(forms: Forms, form: Form, axis: int) -> int:
    """Returns for how many values of an argument moves ever change the facts, summed over moves."""
    changed: dict[str, set[str]] = defaultdict(set)
    states = iter(form.states)
    for game in forms.sample.games:
        facts = [frozenset(state) for state in islice(states, len(game))]
        for state, (before, after) in zip(game, pairwise(facts), strict=False):
            for text in state.joint or ():
                changed[text] |= {fact[axis + 1] for fact in before ^ after}
    return sum(map(len, changed.values()))
