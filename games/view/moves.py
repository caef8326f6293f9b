"""Finds out which places to click for a move: arguments that are places, columns, directions, or parts of the board.

In this order: arguments in a row that together are a place of a site; arguments that are a part of a place, such as
the column of a disc that drops, if what the move changes is there; things that stand somewhere (`(puton disc1 disc2)`);
moves that always shift the same piece the same way, such as `north`, and those that differ from them in the direction
alone; moves that change the same part of a board.
What is left of the arguments is the move's choice.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

from ludens.games.view.forms import Forms, Key
from ludens.games.view.pieces import Pieces
from ludens.games.view.sites import Layer, Site
from ludens.games.view.vocabulary import Board, MoveView, Step
from ludens.games.view.words import WAYS, Words, parts, words

_FITTING = 0.95  # of the moves of a form
_CONSTANT = 0.85  # of the times that a move shifts a piece, at least, it does so the same way
_OFTEN = 0.3  # of the times that it is made, at least, it does
_LEAST_TIMES = 2
_AT_ONCE = 0.2  # of the places of a part, at least, that a move which changes it changes at once
_PART = 0.5  # of the places of a board, at most, that a move which changes a part of it changes


@dataclass(frozen=True, slots=True)
class _Change:
    """What changed where a role made a move."""

    role: int
    text: str
    before: Mapping[Step, frozenset[str]]
    places: frozenset[Step]  # on which something else stands then
    alone: bool  # no other role had a choice


@dataclass(frozen=True, slots=True)
class _Window:
    """Arguments of a move that are a place of a site, or a part of one."""

    site: int
    arguments: tuple[int, ...]  # of the move, from 1
    parts: tuple[int, ...]  # of the key that they are
    role_part: int | None = None  # of the key, which is the role itself


@dataclass(frozen=True, slots=True)
class Shift:
    """A move that shifts one piece: by this much, in squares."""

    board: int
    piece: str
    by: tuple[float, float]


@dataclass(eq=False)
class MoveReader:
    """Turns the moves of a game into places."""

    forms: Forms
    sites: Sequence[Site]
    steps: Sequence[Mapping[Key, Step]]  # [sites]
    boards: Sequence[Board]
    pieces: Pieces
    over: Callable[[], bool]  # says that time is up: moves that were not looked at by then lie nowhere
    _plans: dict[tuple[str, int], tuple[_Window, ...]] = field(default_factory=dict)
    shifts: dict[tuple[int, str], Shift] = field(default_factory=dict)  # role, move
    parts: dict[tuple[int, str], tuple[Step, ...]] = field(default_factory=dict)
    _falls: dict[tuple[str, int], int] = field(default_factory=dict)  # forms whose moves fill a column, and which way
    _things: bool = False
    cards: dict[str, Step] = field(default_factory=dict)  # of moves that lie on no board, by `card_of`

    first: Mapping[Step, frozenset[str]] = field(default_factory=dict)  # what stands where at first

    def __post_init__(self) -> None:
        self._things = any(site.kind in ("towers", "stacks") for site in self.sites)
        contents = self._contents()
        self.first = next(iter(contents.values()), {})
        changes = list(self._changes(contents))
        for form, moves in self.forms.moves.items():
            if self.over():
                return
            self._plans[form] = self._plan(form, moves, changes)
        unplaced = [(role, text) for role, text in self._played() if not self.view(role, text).steps]
        self.shifts = self._find_shifts(set(unplaced), contents)
        if self.over():
            return
        self.shifts |= _by_ways(set(unplaced) - self.shifts.keys(), self.shifts)
        self.parts = {} if self._things else self._find_parts(set(unplaced) - self.shifts.keys(), changes)

    def view(self, role: int, text: str) -> MoveView:
        """Returns a move as places to click; its steps may depend on the position, see `steps_here`."""
        move = words(text)
        plan = self._plans.get((move[0], len(move) - 1), ())
        steps: list[Step] = []
        also: tuple[Step, ...] = ()
        used: set[int] = set()
        for window in plan:
            found = self._places(role, move, window)
            if found:
                steps.append(found[0])
                also = tuple(found[1:])
                used.update(window.arguments)
        if not steps and (role, text) in self.parts:
            first, *others = self.parts[role, text]
            steps, also = [first], tuple(others)
        if not steps and (role, text) not in self.shifts and (card := self.cards.get(card_of(move))):
            return MoveView(text, " ".join(move), (card,))
        left = [word for i, word in enumerate(move) if i and i not in used]
        labels = [self.boards[board].places[place].label for board, place in steps]
        shown = [] if also else ["-".join(labels)] if labels else []
        rest = left if not also else [word for i, word in enumerate(move) if i]
        name = [] if move[0].isdecimal() and labels else [move[0]]
        return MoveView(text, " ".join([*name, *shown, *rest]), tuple(steps), also)

    def choice(self, role: int, text: str) -> str:
        """Returns what the places of a move do not tell."""
        move = words(text)
        used = {
            i
            for window in self._plans.get((move[0], len(move) - 1), ())
            for i in (window.arguments if self._places(role, move, window) else ())
        }
        if self.view(role, text).steps in {(card,) for card in self.cards.values()}:
            used.add(1)
        return " ".join(word for i, word in enumerate(move) if i and i not in used)

    def lies_nowhere(self, role: int, text: str) -> bool:
        """Says whether a move lies on no board."""
        things = self._things and len(words(text)) > 1
        return not things and not self.view(role, text).steps and (role, text) not in self.shifts

    def steps_here(
        self, role: int, text: str, standing: Mapping[tuple[int, str], Sequence[int]], filled: Collection[Step]
    ) -> tuple[Step, ...]:
        """Returns the steps of a move that depend on the position; none if they do not.

        `standing` are the places of each piece: board and key, numbers of places; `filled` those with any.
        """
        if shift := self.shifts.get((role, text)):
            target = self._shifted(shift, standing)
            return (target,) if target else ()
        move = words(text)
        if fall := self._falls.get(_form(move)):
            places = self._places(role, move, self._plans[_form(move)][0])
            free = [place for place in places if place not in filled]
            return (min(free, key=lambda step: fall * self._height(step)),) if free else ()
        if not self._things or len(move) == 1 or self._plans.get((move[0], len(move) - 1)):
            return ()
        found = [self._place_of(word, standing) for word in move[1:]]
        return tuple(step for step in found if step)

    def _place_of(self, word: str, standing: Mapping[tuple[int, str], Sequence[int]]) -> Step | None:
        places = [(board, place) for (board, key), found in standing.items() if key == word for place in found]
        fixed = [steps[word,] for steps in self.steps if (word,) in steps]
        return places[0] if len(places) == 1 else fixed[0] if len(fixed) == 1 else None

    def _shifted(self, shift: Shift, standing: Mapping[tuple[int, str], Sequence[int]]) -> Step | None:
        """Where a shift leads; to the piece itself where that is off the board."""
        places = standing.get((shift.board, shift.piece), ())
        if len(places) != 1:
            return None
        here = self.boards[shift.board].places[places[0]]
        wanted = here.x + shift.by[0], here.y + shift.by[1]
        for number, place in enumerate(self.boards[shift.board].places):
            if abs(place.x - wanted[0]) + abs(place.y - wanted[1]) < 1e-6:
                return shift.board, number
        return shift.board, places[0]

    def upside_down(self) -> set[int]:
        """Returns the boards on which what drops fills the highest place that is free."""
        forms = [form for form, fall in self._falls.items() if fall < 0]
        sites = {window.site for form in forms for window in self._plans[form]}
        return {board for i in sites for board, _ in self.steps[i].values()}

    # ---- Arguments ----

    def _places(self, role: int, move: Words, window: _Window) -> list[Step]:
        """The place that arguments name, or all places that have them as a part."""
        steps = self.steps[window.site]
        given = {part: move[i] for part, i in zip(window.parts, window.arguments, strict=True)}
        if window.role_part is not None:
            given[window.role_part] = self.forms.roles[role]
        size = len(next(iter(steps)))
        if len(given) == size:
            step = steps.get(tuple(given[i] for i in range(size)))
            return [step] if step else []
        return [step for key, step in steps.items() if all(key[i] == word for i, word in given.items())]

    def _plan(self, form: tuple[str, int], moves: set[Words], changes: Sequence[_Change]) -> tuple[_Window, ...]:
        name, arity = form
        if arity == 0:
            return tuple(
                _Window(i, (0,), (0,))
                for i, site in enumerate(self.sites)
                if (name,) in site.keys and site.kind == "names"
            )[:1]
        found: list[_Window] = []
        at = 1
        while at <= arity:
            window = self._window(name, arity, moves, at)
            if window:
                found.append(window)
            at = window.arguments[-1] + 1 if window else at + 1
        return tuple(found) if found else self._partial(form, moves, changes)

    def _window(self, name: str, arity: int, moves: set[Words], at: int) -> _Window | None:
        for i in sorted(range(len(self.sites)), key=lambda i: self._affinity(name, i)):
            keys = self.sites[i].keys
            size = len(next(iter(keys)))
            options: list[tuple[tuple[int, ...], int | None]] = [(tuple(range(size)), None)]
            role_part = self._role_part(i)
            if role_part is not None and size > 1:
                options.append((tuple(part for part in range(size) if part != role_part), role_part))
            for part_numbers, role in options:
                arguments = tuple(range(at, at + len(part_numbers)))
                if arguments[-1] > arity:
                    continue
                window = _Window(i, arguments, part_numbers, role)
                fitting = sum(self._fits(move, window) for move in moves)
                if fitting >= _FITTING * len(moves):
                    return window
        return None

    def _fits(self, move: Words, window: _Window) -> bool:
        steps = self.steps[window.site]
        if window.role_part is None:
            return tuple(move[i] for i in window.arguments) in steps
        return any(self._places(role, move, window) for role in range(len(self.forms.roles)))

    def _role_part(self, site: int) -> int | None:
        keys = self.sites[site].keys
        for part in range(len(next(iter(keys)))):
            if {key[part] for key in keys} <= set(self.forms.roles):
                return part
        return None

    def _affinity(self, name: str, site: int) -> tuple[int, int, int]:
        """A sort key: sites whose facts are named like the move first, then those with most arguments."""
        shared = max(_common(name, layer.name) for layer in self.sites[site].layers)
        return -shared if shared > 2 else 0, -len(next(iter(self.sites[site].keys))), site

    def _partial(self, form: tuple[str, int], moves: set[Words], changes: Sequence[_Change]) -> tuple[_Window, ...]:
        """The arguments that are a part of a place, where nearly all that these moves change lies."""
        mine = [change for change in changes if _form(words(change.text)) == form]
        for i in sorted(range(len(self.sites)), key=lambda i: self._affinity(form[0], i)):
            site = self.sites[i]
            size = len(next(iter(site.keys)))
            domains = [{key[part] for key in site.keys} for part in range(size)]
            on_site = {step[0] for step in self.steps[i].values()}
            for count in range(min(size - 1, form[1]), 0, -1):
                for arguments in combinations(range(1, form[1] + 1), count):
                    for part_numbers in combinations(range(size), count):
                        pairs = list(zip(arguments, part_numbers, strict=True))
                        if not all(move[a] in domains[part] for move in moves for a, part in pairs):
                            continue
                        window = _Window(i, arguments, part_numbers)
                        told = [(self._places(0, words(change.text), window), change) for change in mine]
                        if _explains(told, on_site):
                            self._falls[form] = self._fall(told)
                            return (window,)
        return ()

    def _fall(self, told: Sequence[tuple[Sequence[Step], _Change]]) -> int:
        """Returns 1 if moves fill the lowest place that is free, -1 if the highest, 0 if neither."""
        for fall in (1, -1):
            hits = [
                set(places) & change.places == {min(free, key=lambda step: fall * self._height(step))}
                for places, change in told
                if change.alone and (free := [place for place in places if place not in change.before])
            ]
            if len(hits) >= _LEAST_TIMES and sum(hits) >= _FITTING * len(hits):
                return fall
        return 0

    def _height(self, step: Step) -> float:
        return self.boards[step[0]].places[step[1]].y

    # ---- What moves do ----

    def _contents(self) -> dict[int, dict[Step, frozenset[str]]]:
        """What stands where in each sampled state, by its identity."""
        layers: dict[tuple[str, int], list[tuple[int, Layer]]] = defaultdict(list)
        for i, site in enumerate(self.sites):
            for layer in site.layers:
                layers[layer.name, layer.arity].append((i, layer))
        found: dict[int, dict[Step, frozenset[str]]] = {}
        for state in self.forms.sample.states():
            here: dict[Step, set[str]] = defaultdict(set)
            for fact in state.facts:
                for i, layer in layers.get((fact[0], len(fact) - 1), ()):
                    piece, step = self.pieces.key(layer, fact), self.steps[i].get(layer.key(fact))
                    if piece is not None and step is not None:
                        here[step].add(piece)
            found[id(state)] = {step: frozenset(pieces) for step, pieces in here.items()}
        return found

    def _changes(self, contents: Mapping[int, Mapping[Step, frozenset[str]]]) -> Iterable[_Change]:
        """Yields what changed with each move of a role that had a choice."""
        for state, joint, following in self.forms.sample.steps():
            movers = [role for role, legal in enumerate(state.legal) if len(legal) > 1]
            before, after = contents[id(state)], contents[id(following)]
            changed = frozenset(step for step in {*before, *after} if before.get(step) != after.get(step))
            for role in movers:
                yield _Change(role, joint[role], before, changed, len(movers) == 1)

    def _played(self) -> list[tuple[int, str]]:
        states = self.forms.sample.states()
        return sorted({(role, text) for state in states for role, legal in enumerate(state.legal) for text in legal})

    def _find_shifts(
        self, moves: set[tuple[int, str]], contents: Mapping[int, Mapping[Step, frozenset[str]]]
    ) -> dict[tuple[int, str], Shift]:
        """The moves that shift one piece the same way, nearly always."""
        seen: dict[tuple[int, str], Counter[Shift]] = defaultdict(Counter)
        times: Counter[tuple[int, str]] = Counter()
        single = {id(state): _single(contents[id(state)]) for state in self.forms.sample.states()}
        for state, joint, following in self.forms.sample.steps():
            before, after = single[id(state)], single[id(following)]
            for role, text in enumerate(joint):
                if (role, text) not in moves:
                    continue
                times[role, text] += 1
                for (board, piece), place in before.items():
                    if (there := after.get((board, piece))) is not None and there != place:
                        one, other = self.boards[board].places[place], self.boards[board].places[there]
                        by = round(other.x - one.x, 4), round(other.y - one.y, 4)
                        seen[role, text][Shift(board, piece, by)] += 1
        found = {}
        for move, counts in seen.items():
            moved = Counter[tuple[int, str]]()
            for shift, count in counts.items():
                moved[shift.board, shift.piece] += count
            best = [
                shift
                for shift, count in counts.items()
                if count >= max(_LEAST_TIMES, _OFTEN * times[move], _CONSTANT * moved[shift.board, shift.piece])
            ]
            best.sort(key=lambda s: (self.pieces.table[s.piece].owner != move[0], -counts[s], s.piece))
            if best:
                found[move] = best[0]
        return found

    def _find_parts(
        self, moves: set[tuple[int, str]], changes: Sequence[_Change]
    ) -> dict[tuple[int, str], tuple[Step, ...]]:
        """The moves that change places of the same part of a board only."""
        regions: dict[tuple[int, str], set[Step]] = defaultdict(set)
        times: Counter[tuple[int, str]] = Counter()
        sizes: Counter[tuple[int, str]] = Counter()  # places changed, summed
        for change in changes:
            if (change.role, change.text) in moves and change.alone:
                regions[change.role, change.text] |= change.places
                times[change.role, change.text] += bool(change.places)
                sizes[change.role, change.text] += len(change.places)
        found = {}
        for move, region in regions.items():
            boards = {board for board, _ in region}
            if times[move] < _LEAST_TIMES or len(boards) != 1 or sizes[move] < _AT_ONCE * len(region) * times[move]:
                continue
            size = sum(len(self.boards[board].places) for board in boards)
            if len(region) <= _PART * size or (
                len(self.boards) > 1 and len(self.boards[next(iter(boards))].places) > 1
            ):
                found[move] = tuple(sorted(region))
        return found


def _by_ways(
    moves: Collection[tuple[int, str]], known: Mapping[tuple[int, str], Shift]
) -> dict[tuple[int, str], Shift]:
    """The shifts of moves that differ from known ones in their directions, such as `left` where `right` is known."""
    single: dict[tuple[int, tuple[str, ...]], dict[str, Shift]] = defaultdict(dict)
    for (role, text), shift in known.items():
        stem, ways = _stem(text)
        moving = [way for way in ways if WAYS[way] != (0, 0)]
        if len(moving) == 1:
            single[role, stem][moving[0]] = shift
    found = {}
    for role, text in moves:
        stem, ways = _stem(text)
        like = single.get((role, stem), {})
        if not ways or len({(shift.board, shift.piece) for shift in like.values()}) != 1:
            continue
        vectors = [_vector(way, like) for way in ways]
        if None not in vectors:
            by = [sum(vector[axis] for vector in vectors if vector) for axis in (0, 1)]
            found[role, text] = replace(next(iter(like.values())), by=(by[0], by[1]))
    return found


def _stem(text: str) -> tuple[tuple[str, ...], list[str]]:
    """Returns the words of a move without those of direction, and these."""
    all_parts = [part for word in words(text) for part in parts(word)]
    return tuple("" if part in WAYS else part for part in all_parts), [part for part in all_parts if part in WAYS]


def _vector(way: str, known: Mapping[str, Shift]) -> tuple[float, float] | None:
    """Returns how far a direction leads, if it or its opposite is known."""
    if WAYS[way] == (0, 0):
        return 0.0, 0.0
    for other, shift in known.items():
        if WAYS[other] == WAYS[way]:
            return shift.by
    for other, shift in known.items():
        if WAYS[other] == (-WAYS[way][0], -WAYS[way][1]):
            return -shift.by[0], -shift.by[1]
    return None


def _single(contents: Mapping[Step, frozenset[str]]) -> dict[tuple[int, str], int]:
    """The pieces that stand on one place of a board alone, and where."""
    found: dict[tuple[int, str], list[int]] = defaultdict(list)
    for (board, place), pieces in contents.items():
        for piece in pieces:
            found[board, piece].append(place)
    return {each: places[0] for each, places in found.items() if len(places) == 1}


def _explains(told: Sequence[tuple[Sequence[Step], _Change]], boards: set[int]) -> bool:
    """Says whether nearly all that moves change on some boards lies among the places that they name."""
    explained = []
    for places, change in told:
        if changed := {step for step in change.places if step[0] in boards}:
            explained.append(changed <= set(places) if change.alone else not changed.isdisjoint(places))
    return len(explained) >= _LEAST_TIMES and sum(explained) >= _FITTING * len(explained)


def card_of(move: Words) -> str:
    """Returns the name of the card on which a move stands that lies on no board: its name and its first argument."""
    return " ".join(move[:2])


def _form(move: Words) -> tuple[str, int]:
    return move[0], len(move) - 1


def _common(one: str, other: str) -> int:
    """The length of the longest text that two names share at their beginnings or ends."""
    first = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    last = next(
        (i for i, (a, b) in enumerate(zip(one[::-1], other[::-1], strict=False)) if a != b), min(len(one), len(other))
    )
    return max(first, last)
