"""Finds in the facts of a game which of them say what stands where: by their structure and their play, not by names.

A *site* is a set of places with the facts that are about them. Places are found in this order:

* grids: two arguments that count, which together cover most of a rectangle, `(cell 3 b white)`; with one or two more
  arguments it is one of several such boards, or a board of boards, `(cell 1 1 3 2 x)`
* lines of a grid: four arguments that join neighbours, `(line 1 1 1 2)`
* places whose names are coordinates: `(on a1 white)`, `(on (sq 1 2) white)`
* places with names of their own, which moves name as well, `(pit p4 s3)`, or on which things are, `(on disc left)`
* places of which each has one of as many things on it, `(at cubie edge)`

What is left of a fact (its other arguments, or the relation's name) is the piece that stands there. Facts about the
same places join the site unless they fill it a second time; where things lie on each other, they say more of the top.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, product

from ludens.games.view.forms import Form, Forms, Key, key
from ludens.games.view.recast import thing_axis
from ludens.games.view.walls import is_wall
from ludens.games.view.words import Words, is_number, is_word, ordered

_COVERED = 0.45  # of a rectangle, at least: draughts use every other square
_NEARLY_ALL = 0.8  # of a rectangle; then the rest is there too, on which nothing has been seen yet
_UNSEEN = 0.5  # of the places with something on them, at most, that only moves name
_SIDE = 40
_LEAST_PLACES = 3
_MOST_FRAMES = 25
_MOST_NAMES = 64
_MOST_KINDS = 96  # of things that stand on the places of a site
_MOST_FACTS = 20_000  # of a form that is looked at
_MOST_VALUES = 40  # on a board that has a first layer already
_FEW_PLACES = 8
_CROWD = 6  # facts at once, at most, about the same place
_SPARSE = 4  # facts at once, at most, of a layer of marks
_REPEATED = 0.9  # of the places that a form fills, at least, for it to tell nothing new
_SHARED = 0.25  # of the places that a layer fills, at most, may be filled by another one too
_COORDINATES = (  # in the name of a place
    re.compile(r"([a-z])(\d+)", re.IGNORECASE),  # a1
    re.compile(r"\D*?(\d+)\D+(\d+)\D*"),  # p_1_2, (sq 1 2)
    re.compile(r"\(?\w+[ _-]([a-z])[ _-](\d+)\)?", re.IGNORECASE),  # sq_a_1, (sq a 1)
    re.compile(r"\D*(\d)(\d)"),  # p12
)
_COMPASS = frozenset({"n", "ne", "e", "se", "s", "sw", "w", "nw"})


@dataclass(frozen=True, slots=True)
class Layer:
    """Facts of one form that are about places of a site."""

    name: str
    arity: int
    key_axes: tuple[int, ...]  # the arguments that are the place, in the order of the site's keys
    shown_axis: int | None = None  # the argument that is written on the piece, where only the place tells pieces apart

    def key(self, fact: Words) -> Key:
        """Returns the place that a fact of this form is about."""
        return key(fact, self.key_axes)

    def value(self, fact: Words) -> Key:
        """Returns what a fact of this form says of the place; the relation's name if that is all."""
        if self.shown_axis is not None:
            return (fact[self.shown_axis + 1],)
        rest = tuple([fact[i] for i in range(1, self.arity + 1) if i - 1 not in self.key_axes])
        return rest or (fact[0],)


@dataclass(eq=False)
class Site:
    """Places, and the facts that are about them."""

    id: str
    kind: str  # grid, lines, compass, names, stacks or towers
    keys: dict[Key, None]  # in order
    layers: list[Layer]
    axes: tuple[int, ...] = ()  # positions in keys: of column and row, or of the one that is the name
    frames: tuple[int, ...] = ()  # positions in keys: which of several boards
    coordinates: dict[Key, tuple[str, str]] = field(default_factory=dict)  # of places whose names hold them

    @property
    def form(self) -> Layer:
        """The layer by which the site was found."""
        return self.layers[0]


def find_sites(forms: Forms, ignored: Collection[str], over: Callable[[], bool]) -> list[Site]:
    """Returns the sites of a game, the largest boards first; facts with names that are ignored are on none.

    When `over` says that time is up, those are returned that were found by then.
    """
    founded: list[Site] = []
    taken: set[tuple[str, int]] = set()
    looked_at = [
        form
        for form in forms.facts.values()
        if len(form.facts) <= _MOST_FACTS and form.name not in ignored and not is_wall(form)
    ]
    for find in (_towers, _lines, _grid, _coordinated, _compass, _arranged, _named):
        found = [(site, form) for form in looked_at if not over() and (site := find(forms, form)) is not None]
        found.sort(key=lambda each: (not forms.are_stacks(each[1]), *_rank(*each)))
        for site, form in found:
            if len({site.form.value(fact) for fact in form.facts}) > _MOST_KINDS or _tells_little(form, founded):
                continue
            if (form.name, form.arity) not in taken:
                taken.add((form.name, form.arity))
                if not _joins(forms, form, founded) and not _repeats(forms, form, founded):
                    founded.append(site)
                    for other in looked_at:
                        if (other.name, other.arity) not in taken and not over() and _join(forms, other, site):
                            taken.add((other.name, other.arity))
    for form in looked_at:
        if (form.name, form.arity) not in taken and not over():
            _joins(forms, form, founded)
    for site in founded:
        if site.kind == "names" and len(site.layers) == 1 and len(site.form.key_axes) == site.form.arity:
            site.layers[0] = replace(site.form, shown_axis=site.form.key_axes[site.axes[0]])
    return founded


def _rank(site: Site, form: Form) -> tuple[object, ...]:
    """Returns what sites that are found in the same way are sorted by, the largest boards first."""
    return not _fullness(form), -len(site.keys), form.arity, form.name


def _tells_little(form: Form, sites: Sequence[Site]) -> bool:
    """Says whether a form is less than a board beside others: a single fact, facts that stay, or what is on top."""
    tops = any(site.kind == "towers" and form.arity == 1 for site in sites)
    return bool(sites) and (form.most <= 1 or form.is_constant or tops)


def _fullness(form: Form) -> bool:
    """Says whether a form fills all of its places at first, empty ones too."""
    return bool(form.states) and form.arity > 1 and len(form.states[0]) >= _LEAST_PLACES


# ---- Grids ----


def _grid(forms: Forms, form: Form) -> Site | None:
    """The site of a form in which two arguments count; with up to two more, there are several boards of it."""
    best: tuple[tuple[float, ...], Site] | None = None
    orders = [_axis(forms, domain) for domain in form.domains]
    if form.arity <= 3 and thing_axis(forms, form) is not None:
        return None
    for pair in combinations([i for i, order in enumerate(orders) if order], 2):
        columns, rows = form.domains[pair[0]], form.domains[pair[1]]
        if not _is_rectangle(form, pair) or _is_table(form, pair):
            continue
        if form.most <= 1 and not (form.name in forms.joined or forms.are_in_a_row_in_moves([columns, rows])):
            continue
        frames = _frames(forms, form, pair)
        if frames is None:
            continue
        axes = tuple(sorted((*pair, *frames)))
        rest = [form.domains[i] for i in range(form.arity) if i not in axes]
        if len(rest) > 1 and all(domain & (columns | rows) for domain in rest):
            continue  # these are places too
        same = columns == rows
        inner = pair[0] if len(frames) == 2 else -pair[0]
        named = forms.are_in_a_row_in_moves([columns, rows]) and not _is_edgewise(forms, form, pair, frames)
        rank = (not named, len(frames), not same, -len(columns) * len(rows), pair[1] - pair[0], -inner)
        if best is None or rank < best[0]:
            keys = dict.fromkeys(sorted(form.keys(axes)))
            at = tuple(axes.index(axis) for axis in pair)
            framed = tuple(axes.index(axis) for axis in frames)
            more = set() if frames else forms.pairs_in_moves(columns, rows) - keys.keys()
            if len(more) <= _UNSEEN * len(keys):  # nothing has been seen there, but moves go there
                keys = dict.fromkeys(sorted({*keys, *more}))
                columns, rows = (
                    (frozenset(pair[i] for pair in keys) for i in range(2)) if not frames else (columns, rows)
                )
            if not frames and len(keys) >= _NEARLY_ALL * len(columns) * len(rows):
                keys = dict.fromkeys(sorted(product(columns, rows)))
            best = rank, Site(form.name, "grid", keys, [Layer(form.name, form.arity, axes)], at, framed)
    return best[1] if best else None


def _axis(forms: Forms, domain: frozenset[str]) -> tuple[str, ...] | None:
    if not 2 <= len(domain) <= _SIDE or domain <= set(forms.roles) or any(map(is_word, domain)):
        return None
    return ordered(domain, forms.successors)


def _is_rectangle(form: Form, pair: Sequence[int]) -> bool:
    columns, rows = (form.domains[axis] for axis in pair)
    if len(columns) * len(rows) < 4:
        return False
    return len(form.keys(pair)) >= _COVERED * len(columns) * len(rows)


def _is_table(form: Form, pair: Sequence[int]) -> bool:
    """Says whether a pair gives each thing a number, as `(pile a 3)` does, rather than names a square."""
    if form.arity != 2 or len(form.states[0]) < 2:
        return form.arity == 2 and form.most <= 1 and form.is_function_of((0,))
    start = [fact[1] for fact in form.states[0]]
    return sorted(start) == sorted(form.domains[0]) and form.most_at_once((0,)) == 1


def _frames(forms: Forms, form: Form, pair: Sequence[int]) -> tuple[int, ...] | None:
    """The arguments that say which of several boards a pair is on; None if the facts are no board.

    As few as tell the facts of each state from each other; or those that moves name in a row with the pair. If there
    are none, several things may be in one place.
    """
    if form.most_at_once(pair) <= 1 or (form.arity == len(pair) + 1 and forms.are_stacks(form)):
        return ()
    others = [i for i in range(form.arity) if i not in pair]
    choices = [frames for count in (1, 2) for frames in combinations(others, count) if _may_frame(forms, form, frames)]
    if _fills(form, pair):
        choices = [frames for frames in choices if len(frames) + 2 < form.arity]
    choices = [frames for frames in choices if _covers(form, (*pair, *frames))]
    for most in (1, 2, _CROWD):
        for frames in choices:
            axes = sorted((*pair, *frames))
            in_a_row = forms.are_in_a_row_in_moves([form.domains[i] for i in axes])
            if form.most_at_once(axes) <= most and (most <= 2 or in_a_row):
                return frames
    named = form.name in forms.joined or forms.are_in_a_row_in_moves([form.domains[i] for i in pair])
    few = form.most_at_once(pair) <= _CROWD
    return () if few and (named or len(form.keys(pair)) > _FEW_PLACES) else None


def _is_edgewise(forms: Forms, form: Form, pair: Sequence[int], frames: Sequence[int]) -> bool:
    """Says whether boards are many slices through few: a pair of column and board, as in `(drop column board)`.

    Moves that name all three, column, row and board, are no evidence of that.
    """
    whole = [form.domains[axis] for axis in sorted((*pair, *frames))]
    if len(frames) != 1 or forms.are_in_a_row_in_moves(whole):
        return False
    return len(form.domains[frames[0]]) > min(len(form.domains[axis]) for axis in pair)


def _may_frame(forms: Forms, form: Form, frames: Sequence[int]) -> bool:
    for i in frames:
        domain = form.domains[i]
        if not 2 <= len(domain) <= _MOST_FRAMES or domain <= set(forms.roles) or not forms.are_in_moves(domain):
            return False
    return len(frames) < 2 or all(_axis(forms, form.domains[i]) for i in frames)


def _fills(form: Form, axes: Sequence[int]) -> bool:
    """Says whether there is one fact for each place in the first state."""
    start = form.states[0]
    return len(start) == len({key(fact, axes) for fact in start}) == len(form.keys(axes))


def _covers(form: Form, axes: Sequence[int]) -> bool:
    whole = 1
    for i in axes:
        whole *= len(form.domains[i])
    return len(form.keys(sorted(axes))) >= _COVERED / 2 * whole


# ---- Other places ----


def _lines(forms: Forms, form: Form) -> Site | None:
    """The site of a form that joins neighbours of a grid: each fact is a place of its own, between the two."""
    if form.arity not in (4, 5):
        return None
    orders = [_axis(forms, domain) for domain in form.domains[:4]]
    if not all(orders):
        return None
    ends = [ordered(form.domains[i] | form.domains[i + 2], forms.successors) for i in range(2)]
    if not all(ends):
        return None
    ranks = [{word: i for i, word in enumerate(end or ())} for end in ends]
    for fact in form.facts:
        across = abs(ranks[0][fact[1]] - ranks[0][fact[3]])
        along = abs(ranks[1][fact[2]] - ranks[1][fact[4]])
        if across + along != 1:
            return None
    axes = (0, 1, 2, 3)
    keys = dict.fromkeys(sorted(form.keys(axes)))
    return Site(form.name, "lines", keys, [Layer(form.name, form.arity, axes)], axes) if len(keys) >= 4 else None


def _coordinated(forms: Forms, form: Form) -> Site | None:
    """The site of a form with an argument whose values are names with coordinates in them."""
    for axis in range(form.arity):
        names = form.domains[axis]
        found = _coordinates(names)
        if found is None or form.most_at_once((axis,)) > 1 or form.most < 2 or len(names) <= _LEAST_PLACES:
            continue
        keys: dict[Key, None] = {(name,): None for name in sorted(names, key=found.__getitem__)}
        layer = Layer(form.name, form.arity, (axis,))
        return Site(form.name, "grid", keys, [layer], (0,), (), {(name,): found[name] for name in names})
    return None


def _coordinates(names: frozenset[str]) -> dict[str, tuple[str, str]] | None:
    for pattern in _COORDINATES:
        found = {name: (match[1], match[2]) for name in names if (match := pattern.fullmatch(name))}
        if len(found) == len(names) == len(set(found.values())):
            columns, rows = ({square[i] for square in found.values()} for i in range(2))
            whole = len(found) == len(columns) * len(rows) and min(columns) == min(rows)
            if min(len(columns), len(rows)) < 2 or (pattern is _COORDINATES[-1] and not whole):
                continue
            if len(found) >= _COVERED * len(columns) * len(rows):
                return found
    return None


def _compass(forms: Forms, form: Form) -> Site | None:
    """The site of a form with an argument that is one of eight directions, on several rings."""
    for axis in range(form.arity):
        if form.domains[axis] == _COMPASS:
            for ring in range(form.arity):
                axes = tuple(sorted((axis, ring)))
                if ring != axis and form.most_at_once(axes) <= 1 and len(form.domains[ring]) <= 6:
                    at = (axes.index(ring), axes.index(axis))
                    keys = dict.fromkeys(sorted(form.keys(axes)))
                    return Site(form.name, "compass", keys, [Layer(form.name, form.arity, axes)], at)
    return None


def _towers(forms: Forms, form: Form) -> Site | None:
    """The site of a form that puts things on one another and on places that move nowhere, which are its places."""
    if form.arity != 2 or form.most_at_once((0,)) > 1 or form.most_at_once((1,)) > 1:
        return None
    things, below = form.domains
    if len(things & below) < 2 or 2 * len(things & below) < len(things) or not things <= forms.move_words:
        return None
    if any(map(str.isdecimal, things)) or any(_is_round(state) for state in form.states):
        return None
    bases = sorted(below - things) or sorted(things | below)
    return Site(form.name, "towers", dict.fromkeys((base,) for base in bases), [Layer(form.name, 2, (1,))], (0,))


def _is_round(facts: Sequence[Words]) -> bool:
    """Says whether something is on itself, if over others."""
    under = {fact[1]: fact[2] for fact in facts}
    for thing in under:
        at, steps = thing, 0
        while at in under and steps <= len(under):
            at, steps = under[at], steps + 1
        if steps > len(under):
            return True
    return False


def _named(forms: Forms, form: Form) -> Site | None:
    """The site of a form with an argument whose values moves name too; perhaps several boards of it, or one a role."""
    for axis in range(form.arity):
        names = form.domains[axis]
        if not 2 <= len(names) <= _MOST_NAMES or names <= set(forms.roles) or not forms.are_in_moves(names):
            continue
        others = [i for i in range(form.arity) if i != axis]
        for frames in [(), *((other,) for other in others)]:
            if site := _named_site(forms, form, axis, frames):
                return site
    return None


def _named_site(forms: Forms, form: Form, axis: int, frames: tuple[int, ...]) -> Site | None:
    names = form.domains[axis]
    axes = tuple(sorted((axis, *frames)))
    filled = form.most >= min(_LEAST_PLACES, len(names))
    layer = Layer(form.name, form.arity, axes)
    at, framed = (axes.index(axis),), tuple(axes.index(frame) for frame in frames)
    unique = form.most_at_once(axes) <= 1
    if form.arity > 1 and len(names) < _LEAST_PLACES and unique:
        return None
    if frames and (len(form.domains[frames[0]]) > _MOST_FRAMES or form.most_at_once(frames) <= 1):
        return None
    if not frames and form.arity == 2 and not unique:
        things = form.domains[1 - axis]
        if (
            filled
            and axis == 1
            and form.most_at_once((0,)) == 1
            and len(things) >= 2
            and not things <= set(forms.roles)
        ):
            return Site(form.name, "stacks", dict.fromkeys((name,) for name in _sorted(forms, names)), [layer], at)
        return None
    if not unique or not filled or (form.arity == 1 and form.most < 2):
        return None
    keys = form.keys(axes)
    order = {name: i for i, name in enumerate(_sorted(forms, names))}
    ranked = sorted(keys, key=lambda each: (*(each[i] for i in framed), order[each[at[0]]]))
    return Site(form.name, "names", dict.fromkeys(ranked), [layer], at, framed)


def _sorted(forms: Forms, names: frozenset[str]) -> list[str]:
    return list(ordered(names, forms.successors) or sorted(names))


def _arranged(forms: Forms, form: Form) -> Site | None:
    """The site of a form that puts each of several things on a place of its own; it may tell one thing more of it."""
    thing = thing_axis(forms, form) if form.arity in (2, 3) else None
    if thing is None or len(form.domains[0]) > _MOST_NAMES or form.domains[0] <= set(forms.roles):
        return None
    place = 1 - thing
    keys: dict[Key, None] = {(name,): None for name in _sorted(forms, form.domains[place])}
    return Site(form.name, "names", keys, [Layer(form.name, form.arity, (place,))], (0,))


# ---- More facts about the same places ----


def _joins(forms: Forms, form: Form, sites: Sequence[Site]) -> bool:
    return any(_join(forms, form, site) for site in sites)


def _join(forms: Forms, form: Form, site: Site) -> bool:
    """Adds a form to a site if it is about its places, and does not fill them a second time."""
    if site.kind == "towers":
        return _is_table_of(form, site)
    if site.kind == "stacks" or any(layer.name == form.name and layer.arity == form.arity for layer in site.layers):
        return False
    for axes in _windows(form, len(next(iter(site.keys)))):
        keys = form.keys(axes)
        if keys and keys <= site.keys.keys() and _fits(forms, form, site, axes):
            site.layers.append(Layer(form.name, form.arity, axes))
            return True
    return False


def _is_table_of(form: Form, site: Site) -> bool:
    """Adds a form that says which things stand on no other."""
    if form.arity != 1 or not form.domains[0] <= {place for (place,) in site.keys}:
        return False
    if len(site.layers) > 1 or form.name.lower() in _EMPTY:
        return False
    site.layers.append(Layer(form.name, 1, (0,)))
    return True


def _repeats(forms: Forms, form: Form, sites: Sequence[Site]) -> bool:
    """Says whether a form only says more of what stands on the places of a site already."""
    for site in sites:
        for axes in _windows(form, len(next(iter(site.keys)))):
            if form.keys(axes) <= site.keys.keys():
                both, alone = _shared(forms, form, site, axes)
                if both >= _REPEATED * alone:
                    return True
    return False


def _windows(form: Form, size: int) -> Iterator[tuple[int, ...]]:
    """Yields ways to choose the arguments of a key, those that stand together first."""
    return iter(sorted(combinations(range(form.arity), size), key=lambda axes: axes[-1] - axes[0]))


def _fits(forms: Forms, form: Form, site: Site, axes: tuple[int, ...]) -> bool:
    rest = [i for i in range(form.arity) if i not in axes]
    values = {key(fact, rest) for fact in form.facts}
    if len(values) > _MOST_VALUES:
        return False
    if len(axes) == 1 and form.arity == 1 and form.most <= 1 and all(map(is_number, form.domains[0])):
        return False  # something counts
    if (
        len(axes) == 1
        and form.arity == 2
        and form.domains[rest[0]] <= set(forms.roles)
        and form.most_at_once(rest) <= 1
    ):
        return False  # a number for each role
    if form.most <= _SPARSE or form.is_constant or (site.form.name, site.form.arity) in forms.stacked:
        return True
    both, alone = _shared(forms, form, site, axes)
    return both <= _SHARED * alone


def _shared(forms: Forms, form: Form, site: Site, axes: tuple[int, ...]) -> tuple[int, int]:
    """Counts the places that a form fills which the site fills as well, and all that it fills."""
    layer = Layer(form.name, form.arity, axes)
    both = alone = 0
    for mine, state in zip(form.states, forms.sample.states(), strict=True):
        here = {layer.key(fact) for fact in mine if not is_empty(layer.value(fact))}
        there = {
            other.key(fact)
            for other in site.layers
            for fact in state.facts
            if fact[0] == other.name and len(fact) == other.arity + 1 and not is_empty(other.value(fact))
        }
        both += len(here & there)
        alone += len(here)
    return both, alone


_EMPTY = frozenset({"blank", "empty", "nothing", "none", "free", "clear", "nil", "b", "e"})


def is_empty(value: Key) -> bool:
    """Says whether a value is one of the usual names of nothing."""
    return len(value) == 1 and value[0].lower() in _EMPTY
