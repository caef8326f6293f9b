"""Turns the facts and legal moves of one state into a view of the position."""

from __future__ import annotations

from collections import Counter as Counting
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ludens.games.view.forms import Form, Forms, Key
from ludens.games.view.moves import MoveReader, card_of
from ludens.games.view.pieces import Pieces
from ludens.games.view.recast import Recast
from ludens.games.view.sites import Layer, Site
from ludens.games.view.vocabulary import Counter, GameView, Hand, MoveView, Piece, PositionView, Stack, Step
from ludens.games.view.walls import Wall
from ludens.games.view.words import Words, is_number, number, text_of, words

CARDS, CARD = "cards", "card: "
"""The name of the board of cards for moves that lie on no board, and what the keys of its pieces begin with."""

_MOST_LISTED = 12  # facts of one form at once, at most, that are shown as counters


@dataclass(frozen=True, slots=True)
class NetworkFacts:
    """The facts that a network knows, and those that it leaves out because they always hold."""

    known: frozenset[str]
    constants: frozenset[str]

    def completed(self, facts: frozenset[str]) -> frozenset[str]:
        """Adds what always holds to the facts of a network; those of the rules are complete."""
        return facts | self.constants if facts <= self.known else facts


_GROUND = frozenset({"wall", "trail"})  # shapes that lie under others, unless the rules tell what lies on what


@dataclass(eq=False)
class PositionReader:
    """Reads the positions of one game; one reader serves one thread at a time."""

    view: GameView
    forms: Forms
    sites: Sequence[Site]
    steps: Sequence[Mapping[Key, Step]]  # [sites]
    pieces: Pieces
    moves: MoveReader
    recast: Recast
    network_facts: NetworkFacts
    walls: Mapping[Words, Wall | None]  # facts that are walls between places, or around the board
    _numbers: list[dict[str, int]] = field(default_factory=list)  # [roles] of moves that the view lists
    _layers: dict[tuple[str, int], list[tuple[int, Layer]]] = field(default_factory=dict)
    _waits: set[str] = field(default_factory=set)  # moves that are made for want of a choice, while others have one

    def __post_init__(self) -> None:
        self._numbers = [{move.text: i for i, move in enumerate(moves)} for moves in self.view.moves]
        for i, site in enumerate(self.sites):
            for layer in site.layers:
                self._layers.setdefault((layer.name, layer.arity), []).append((i, layer))
        for state in self.forms.sample.states():
            if any(len(legal) > 1 for legal in state.legal):
                self._waits.update(legal[0] for legal in state.legal if len(legal) == 1)

    def read(
        self,
        facts: Collection[str],
        legal: Sequence[Sequence[str]],
        terminal: bool,
        goals: Sequence[int | None] | None = None,
    ) -> PositionView:
        """Returns the view of a state: its facts and, for each role, its legal moves, all as texts."""
        on: dict[Step, list[str]] = defaultdict(list)
        new: dict[str, Piece] = {}
        others: dict[tuple[str, int], list[Words]] = defaultdict(list)
        texts: dict[Words, str] = {}
        walls: list[Wall | None] = []
        towers: dict[int, list[tuple[Layer, Words]]] = defaultdict(list)
        for fact in self.recast.facts(map(words, self.network_facts.completed(frozenset(facts)))):
            if fact in self.walls:
                walls.append(self.walls[fact])
                continue
            texts[fact] = text_of(fact)
            placed = self._placed(fact)
            if placed is None:
                others[fact[0], len(fact) - 1].append(fact)
                continue
            site, layer, step = placed
            if self.sites[site].kind == "towers":
                towers[site].append((layer, fact))
            elif (key := self.pieces.key(layer, fact)) is not None:
                on[step].append(key)
                if key not in self.view.pieces:
                    new[key] = Piece("letter", None, key)
        for site, found in towers.items():
            for layer, fact in self._build(site, found, on):
                others[layer.name, layer.arity].append(fact)
        hands, counters, listed = self._beside(others, texts)
        standing: dict[tuple[int, str], list[int]] = defaultdict(list)
        for (board, place), keys in on.items():
            for key in keys:
                standing[board, key].append(place)
        numbers, moves, steps = self._legal(legal, standing, on)
        turn = self._turn(legal, terminal)
        self._lay_cards(legal, turn, on)
        return PositionView(
            boards=self._boards(on, new),
            hands=hands,
            counters=counters,
            facts=listed,
            turn=turn,
            legal=numbers,
            terminal=terminal,
            goals=tuple(goals) if terminal and goals is not None else None,
            pieces=new,
            moves=moves,
            steps=steps,
            walls=tuple(sorted(set(filter(None, walls)))),
        )

    # ---- Boards ----

    def _placed(self, fact: Words) -> tuple[int, Layer, Step] | None:
        for site, layer in self._layers.get((fact[0], len(fact) - 1), ()):
            if self.sites[site].kind == "towers":
                return site, layer, (0, 0)
            if step := self.steps[site].get(layer.key(fact)):
                return site, layer, step
        return None

    def _build(
        self, site: int, found: Sequence[tuple[Layer, Words]], on: dict[Step, list[str]]
    ) -> list[tuple[Layer, Words]]:
        """Puts things on one another, from the places up; returns the facts of things that stand nowhere."""
        layer_of = self.sites[site].layers[0].name
        above = {fact[2]: (layer, fact) for layer, fact in found if fact[0] == layer_of}
        ground = {fact[1]: (layer, fact) for layer, fact in found if fact[0] != layer_of}
        for (base,), step in self.steps[site].items():
            top = base
            if base in ground:
                on[step].append(base)
                del ground[base]
            elif len(self.sites[site].layers) > 1:
                continue
            while top in above:
                top = above.pop(top)[1][1]
                on[step].append(top)
        return [*above.values(), *ground.values()]

    def _boards(self, on: Mapping[Step, list[str]], new: Mapping[str, Piece]) -> tuple[tuple[Stack, ...], ...]:
        """Returns what stands on each place, from bottom to top; `new` are pieces that the view does not know."""
        numbered = self._boards_of(lambda site: site.kind == "stacks")
        ordered = self._boards_of(lambda site: site.kind == "towers" or any(map(self._is_stacked, site.layers)))

        def is_above(key: str) -> bool:
            piece = self.view.pieces.get(key) or new.get(key)
            return piece is None or piece.shape not in _GROUND

        boards = []
        for i, board in enumerate(self.view.boards):
            row: list[Stack] = []
            for place in range(len(board.places)):
                keys = on.get((i, place), [])
                if i in numbered:
                    keys = sorted(keys, key=number, reverse=True)
                elif i not in ordered:
                    keys = sorted(keys, key=is_above)
                row.append(None if not keys else keys[0] if len(keys) == 1 else tuple(keys))
            boards.append(tuple(row))
        return tuple(boards)

    def _boards_of(self, wanted: Callable[[Site], bool]) -> set[int]:
        """Returns the numbers of the boards of some sites."""
        return {board for i, site in enumerate(self.sites) if wanted(site) for board, _ in self.steps[i].values()}

    def _is_stacked(self, layer: Layer) -> bool:
        """Says whether the things of a layer are told from bottom to top."""
        return (layer.name, layer.arity) in self.recast.stacked

    # ---- What stands beside the boards ----

    def _beside(
        self, others: Mapping[tuple[str, int], list[Words]], texts: Mapping[Words, str]
    ) -> tuple[tuple[Hand, ...], tuple[Counter, ...], tuple[str, ...]]:
        hands: dict[int, Counting[str]] = defaultdict(Counting)
        counters: list[Counter] = []
        listed: list[str] = []
        for (name, arity), facts in others.items():
            form = self.forms.facts.get((name, arity))
            in_hand = [self._in_hand(form, fact) for fact in facts]
            counted = [self._counter(form, fact) for fact in facts]
            if all(in_hand):
                for role, piece, count in filter(None, in_hand):
                    hands[role][piece] += count
            elif all(counted) and len(facts) <= _MOST_LISTED:
                counters.extend(filter(None, counted))
            else:
                listed.extend(texts[fact] for fact in facts)
        held = tuple(Hand(role, dict(pieces)) for role, pieces in sorted(hands.items()))
        return held, tuple(counters), tuple(sorted(listed))

    def _in_hand(self, form: Form | None, fact: Words) -> tuple[int, str, int] | None:
        """The role, the piece and how many of them it has, if a fact tells that."""
        roles = self.forms.roles
        if form is None or form.arity not in (2, 3) or fact[1] not in roles or not form.domains[0] <= set(roles):
            return None
        if form.arity == 3:
            count = all(map(is_number, form.domains[2])) and form.most_at_once((0, 1)) <= 1
            return (roles.index(fact[1]), self._piece_key(fact[1], fact[2]), number(fact[3])) if count else None
        several = form.most_at_once((0,)) > 1 and form.most_at_once((0, 1)) <= 1
        return (roles.index(fact[1]), self._piece_key(fact[1], fact[2]), 1) if several else None

    def _piece_key(self, role: str, kind: str) -> str:
        """The key of a piece on the board that is meant by its kind in the hand of a role; else the kind."""
        for key in self.view.pieces:
            if key.split()[:2] == [role, kind]:
                return key
        return kind

    def _counter(self, form: Form | None, fact: Words) -> Counter | None:
        roles = self.forms.roles
        if len(fact) == 1:
            return None
        if len(fact) == 2:
            return Counter(fact[0], fact[1]) if form is None or form.most <= 1 else None
        for i, word in enumerate(fact[1:], 1):
            if word in roles and (form is None or form.domains[i - 1] <= set(roles)):
                rest = [other for j, other in enumerate(fact) if j and j != i]
                return Counter(fact[0], " ".join(rest), roles.index(word))
        if form is not None and form.most_at_once((0,)) <= 1:
            return Counter(f"{fact[0]} {fact[1]}", " ".join(fact[2:]))
        return None

    # ---- Moves ----

    def _legal(
        self,
        legal: Sequence[Sequence[str]],
        standing: Mapping[tuple[int, str], Sequence[int]],
        filled: Mapping[Step, list[str]],
    ) -> tuple[
        tuple[tuple[int, ...], ...], tuple[tuple[MoveView, ...], ...], tuple[Mapping[int, tuple[Step, ...]], ...]
    ]:
        numbers, new, steps = [], [], []
        for role, texts in enumerate(legal):
            known = self._numbers[role]
            unknown = {text: len(known) + i for i, text in enumerate(t for t in texts if t not in known)}
            numbers.append(tuple(known.get(text, unknown.get(text, 0)) for text in texts))
            new.append(
                tuple(told_apart([(self.moves.view(role, text), self.moves.choice(role, text)) for text in unknown]))
            )
            here = {}
            for text, move in zip(texts, numbers[-1], strict=True):
                if found := self.moves.steps_here(role, text, standing, filled):
                    here[move] = found
            steps.append(here)
        return tuple(numbers), tuple(new) if any(new) else (), tuple(steps) if any(steps) else ()

    def _lay_cards(self, legal: Sequence[Sequence[str]], turn: Collection[int], on: dict[Step, list[str]]) -> None:
        """Lays the cards of moves that lie on no board, where they are legal and someone chooses."""
        for role in turn:
            for text in legal[role]:
                name = card_of(words(text))
                if (
                    (step := self.moves.cards.get(name))
                    and not on[step]
                    and self.moves.view(role, text).steps == (step,)
                ):
                    on[step].append(CARD + name)

    def _turn(self, legal: Sequence[Sequence[str]], terminal: bool) -> tuple[int, ...]:
        if terminal:
            return ()
        choosing = tuple(role for role, moves in enumerate(legal) if len(moves) > 1)
        if choosing:
            return choosing
        able = tuple(role for role, moves in enumerate(legal) if moves and moves[0] not in self._waits)
        return able or tuple(role for role, moves in enumerate(legal) if moves)


def told_apart(moves: Sequence[tuple[MoveView, str]]) -> list[MoveView]:
    """Gives moves with the same steps a choice: what is left of their arguments, and their names where these differ."""
    groups: dict[tuple[Step, ...], list[tuple[MoveView, str]]] = defaultdict(list)
    for move, left in moves:
        groups[move.steps].append((move, left))
    told = []
    for move, left in moves:
        group = groups[move.steps]
        if not move.steps or len(group) == 1:
            told.append(move)
            continue
        names = {words(other.text)[0] for other, _ in group}
        name = words(move.text)[0] if len(names) > 1 else ""
        told.append(replace(move, choice=" ".join(filter(None, (name, left))) or move.label))
    return told
