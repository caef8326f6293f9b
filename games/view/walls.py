"""Walls between places, from facts whose names speak of walls.

They name a square and a direction, `(wall 3 2 north)` or `(blocked_north 3 2)`, or the two squares on both sides,
`(wall 3 2 3 3)`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ludens.games.view.forms import Form, Key
from ludens.games.view.vocabulary import Board, Step
from ludens.games.view.words import WAYS, Words, parts

_NAMES = frozenset({"wall", "walls", "fence", "fences", "barrier", "barriers", "hedge", "blocked", "blocks"})
_NEAR = 1.5  # places that a wall separates are not farther from each other

Wall = tuple[Step, Step]
"""The two places that a wall separates."""


def is_wall(form: Form) -> bool:
    """Says whether a form's facts are walls between places."""
    named = set(parts(form.name))
    if named.isdisjoint(_NAMES):
        return False
    if form.arity == 2:
        return len(named & WAYS.keys()) == 1
    if form.arity == 3:
        return form.domains[2] <= WAYS.keys()
    return form.arity == 4 and all(not form.domains[i].isdisjoint(form.domains[i + 2]) for i in (0, 1))


def find_walls(
    forms: Sequence[Form], steps: Sequence[Mapping[Key, Step]], boards: Sequence[Board]
) -> dict[Words, Wall | None]:
    """Returns the wall that each fact of these forms tells of; None if that is on no board, such as at its edge.

    Forms of which no fact is on a board are left out.
    """
    at = {(i, place.x, place.y): (i, j) for i, board in enumerate(boards) for j, place in enumerate(board.places)}
    found: dict[Words, Wall | None] = {}
    for form in forms:
        walls = {fact: next(_walls(fact, steps, boards, at), None) for fact in form.facts}
        found |= walls if any(walls.values()) else {}
    return found


def _walls(
    fact: Words,
    steps: Sequence[Mapping[Key, Step]],
    boards: Sequence[Board],
    places: Mapping[tuple[int, float, float], Step],
) -> Iterator[Wall]:
    for at in steps:
        if (here := at.get(fact[1:3])) is None:
            continue
        if len(fact) == 5:
            there = at.get(fact[3:5])
        else:
            way = fact[3] if len(fact) == 4 else next(part for part in parts(fact[0]) if part in WAYS)
            place = boards[here[0]].places[here[1]]
            there = places.get((here[0], place.x + WAYS[way][0], place.y + WAYS[way][1]))
        if there is not None and _are_near(boards, here, there):
            yield min(here, there), max(here, there)


def _are_near(boards: Sequence[Board], one: Step, other: Step) -> bool:
    if one[0] != other[0] or one == other:
        return False
    a, b = (boards[board].places[place] for board, place in (one, other))
    return max(abs(a.x - b.x), abs(a.y - b.y)) < _NEAR
