"""What stands on the places of a game: which values mean nothing, whose pieces are, and what they look like.

A piece belongs to the role whose name is in its own, or with whose first letter the pieces begin (`wp`, `x`), or on
whose moves alone it appears in random games. Its shape follows from its name, and where it is called after its owner
alone, from the name of the game.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ludens.games.view.forms import Forms, Key
from ludens.games.view.sites import Layer, Site, is_empty
from ludens.games.view.vocabulary import Piece
from ludens.games.view.words import Words, is_number, parts

_OWNER_SHARE = 0.99  # of a piece's appearances, on the moves of its owner
_FILLED = 0.4  # of the places, at least, that have nothing on them at first
_SHORT = 4  # letters of a text of several words that is shown as it is
_FEW = 2  # facts at once, at most, of a layer of marks

_CHESS = {
    "pawn": "pawn",
    "knight": "knight",
    "bishop": "bishop",
    "rook": "rook",
    "queen": "queen",
    "king": "chess-king",
}
_CODES = {"p": "pawn", "n": "knight", "b": "bishop", "r": "rook", "q": "queen", "k": "king", "m": "man"}
_WORDS = {
    "man": "man", "checker": "man", "king": "king", "pawn": "man", "disc": "stone", "disk": "stone", "stone": "stone",
    "marble": "marble", "peg": "marble", "arrow": "arrow", "fire": "arrow", "wall": "wall", "blocked": "wall",
    "blk": "wall", "dirt": "wall", "brick": "wall", "trail": "trail", "body": "trail", "tail": "trail", "hole": "trail",
    "lit": "stone", "queen": "queen", "knight": "knight", "bishop": "bishop", "rook": "rook",
}  # fmt: skip
_LETTERS = {"cross": "X", "nought": "O", "ecks": "X", "oh": "O", "x": "X", "o": "O"}
_NUMBERS = {"zero": "0", "one": "1", "two": "2", "three": "3", "four": "4"}
_GAMES = (
    (("amazons",), "queen"), (("queens",), "queen"), (("knight", "knights", "knightthrough"), "knight"),
    (("bishops",), "bishop"), (("breakthrough", "pawn", "pawns", "skirmish"), "pawn"),
    (("peg", "marbles", "chinese", "pentago"), "marble"), (("checkers", "draughts", "chinook"), "man"),
)  # fmt: skip


@dataclass(eq=False)
class Pieces:
    """The pieces of a game, by keys, which are their values as text."""

    table: dict[str, Piece] = field(default_factory=dict)
    empty: set[tuple[str, Key]] = field(default_factory=set)  # name of a layer, and its value that means nothing

    def key(self, layer: Layer, fact: Words) -> str | None:
        """Returns the key of the piece that a fact puts on its place; None if that is nothing."""
        value = layer.value(fact)
        return None if (layer.name, value) in self.empty else " ".join(value)


def read_pieces(forms: Forms, sites: Sequence[Site], game: str) -> Pieces:
    """Returns the pieces of a game with this name."""
    pieces = Pieces()
    values: dict[str, tuple[Site, Layer, Key]] = {}
    for site in sites:
        for layer in site.layers:
            found = {layer.value(fact) for fact in forms.facts[layer.name, layer.arity].facts}
            nothing = _nothing(forms, site, layer, found)
            pieces.empty.update((layer.name, value) for value in found if value in nothing)
            for value in sorted(found - nothing):
                values.setdefault(" ".join(value), (site, layer, value))
    looks = _Looks(forms, game, [value for _, _, value in values.values()])
    appearing = _appearances(forms, sites, pieces)
    by_letter = _initials(forms.roles, [value for _, _, value in values.values()])
    for key, (site, layer, value) in values.items():
        owner = _named_owner(forms.roles, value)
        if owner is None:
            owner = by_letter.get(key)
        if owner is None:
            owner = _appearing_owner(forms.roles, appearing.get(key, Counter()))
        pieces.table[key] = looks.piece(site, layer, value, owner)
    return pieces


# ---- Nothing ----


def _nothing(forms: Forms, site: Site, layer: Layer, values: set[Key]) -> set[Key]:
    """The values of a layer that mean that nothing stands there."""
    form = forms.facts[layer.name, layer.arity]
    if layer.arity == len(layer.key_axes):
        always = all(len(state) == len(site.keys) for state in form.states) and layer.shown_axis is None
        return {(layer.name,)} if always or is_empty((layer.name,)) else set()
    named = {value for value in values if is_empty(value) and len(value[0]) > 1}
    if ("b",) in values and all(is_number(word) for value in values if value != ("b",) for word in value):
        named.add(("b",))
    if named:
        return named
    start = Counter(layer.value(fact) for fact in form.states[0])
    letters = [value for value in values if len(value) == 1 and len(value[0]) == 1 and value[0].isalpha()]
    blank = [value for value in letters if start[value] >= _FILLED * len(site.keys)]
    if sum(start.values()) < len(site.keys) or not blank:
        return set()
    initials = {role[0].lower() for role in forms.roles}
    blank.sort(key=lambda value: (value[0] in initials and value[0] != "b", value[0] != "b", -start[value]))
    if blank[0] == ("b",) and len(values) <= 3 and "b" in initials and ("o",) in blank:
        return {("o",)}
    return {blank[0]}


# ---- Owners ----


def _named_owner(roles: Sequence[str], value: Key) -> int | None:
    """The role whose name is in a value: as one of its words, or as the beginning of one."""
    if len(roles) < 2:
        return None
    for word in value:
        if word in roles:
            return roles.index(word)
    named = [
        (len(role), i)
        for i, role in enumerate(roles)
        for word in value
        if word.lower().startswith(role.lower()) or role.lower() in parts(word)
    ]
    longer = [
        i for i, role in enumerate(roles) for word in value if len(word) > 1 and role.lower().startswith(word.lower())
    ]
    return max(named)[1] if named else longer[0] if len(longer) == 1 else None


def _initials(roles: Sequence[str], values: Iterable[Key]) -> dict[str, int]:
    """The owners of values of one or two letters, of which the first is that of a role, as in `wp` or `x`."""
    letters = {role[0].lower(): i for i, role in enumerate(roles)}
    if len(roles) < 2 or len(letters) < len(roles):
        return {}
    short = {" ".join(value): letters[value[0][0].lower()] for value in values if _is_short(value, letters)}
    return short if len(set(short.values())) == len(roles) else {}


def _is_short(value: Key, letters: Mapping[str, int]) -> bool:
    return len(value) == 1 and len(value[0]) <= 2 and value[0].isalpha() and value[0][0].lower() in letters


def _appearances(forms: Forms, sites: Sequence[Site], pieces: Pieces) -> dict[str, Counter[int]]:
    """How often each piece appears on a place where it was not, on the moves of each role that alone had a choice."""
    layers = {(layer.name, layer.arity): layer for site in sites for layer in site.layers}
    found: dict[str, Counter[int]] = defaultdict(Counter)
    for state, _, following in forms.sample.steps():
        movers = [role for role, legal in enumerate(state.legal) if len(legal) > 1]
        for fact in following.facts - state.facts if len(movers) == 1 else ():
            layer = layers.get((fact[0], len(fact) - 1))
            if layer and (key := pieces.key(layer, fact)):
                found[key][movers[0]] += 1
    return found


def _appearing_owner(roles: Sequence[str], appears: Counter[int]) -> int | None:
    total = sum(appears.values())
    if len(roles) < 2 or total < 2:
        return None
    role, count = appears.most_common(1)[0]
    return role if count >= _OWNER_SHARE * total else None


# ---- Shapes ----


class _Looks:
    """Decides on the shapes of all pieces of a game together: a king beside men is another one than beside rooks."""

    def __init__(self, forms: Forms, game: str, values: Sequence[Key]) -> None:
        self._forms = forms
        words = [word for value in values for word in value]
        self._coded = _are_codes(words)
        kinds = {self._kind(value) for value in values}
        start = {word for fact in next(iter(forms.sample.states())).facts for word in fact[1:]}
        kings_at_first = any(self._kind(value) == "king" and start >= set(value) for value in values)
        self._chess = bool(kinds & {"knight", "bishop", "rook", "queen"}) or ("king" in kinds and kings_at_first)
        self._shown = _abbreviations(forms.roles, values)
        self._numbered = Counter(
            (_named_owner(forms.roles, value), _number_text(number))
            for value in set(values)
            for number in [word for word in value if is_number(word)][:1]
        )
        named = set(parts(game))
        self._usual = next((shape for names, shape in _GAMES if named & set(names)), "stone")

    def piece(self, site: Site, layer: Layer, value: Key, owner: int | None) -> Piece:
        """Returns what a piece looks like."""
        text = " ".join(value)
        if layer.shown_axis is not None:
            return Piece("card", owner, _number_text(value[0]))
        kind = self._kind(value)
        if self._is_mark(site, layer) and kind not in _WORDS and value[0] not in self._forms.roles:
            return Piece("mark", owner, text)
        if self._chess and kind in _CHESS:
            return Piece(_CHESS[kind], owner, text)
        if kind in _WORDS:
            return Piece(_WORDS[kind], owner, text)
        if (numbers := [word for word in value if is_number(word)]) and self._is_telling(value, numbers[0]):
            return Piece("number", owner, _number_text(numbers[0]))
        word = parts(value[-1])[0]
        if word in _NUMBERS:
            return Piece("number", owner, _NUMBERS[word])
        if text.lower() in _LETTERS:
            return Piece("letter", owner, _LETTERS[text.lower()])
        if site.kind == "lines":
            return Piece("wall", owner, text)
        if owner is not None and self._is_owner_alone(value, owner):
            return Piece(self._usual, owner, text)
        if len(layer.key_axes) == layer.arity and site.layers[0] is layer:
            return Piece(self._usual, owner, text)
        if text in ("q", "queen") and self._usual == "queen":
            return Piece("queen", owner, text)
        return Piece("letter", owner, self._shown[value])

    def _is_telling(self, value: Key, number: str) -> bool:
        """Says whether the number of a value tells it from others of its owner."""
        return self._numbered[_named_owner(self._forms.roles, value), _number_text(number)] < 2

    def _kind(self, value: Key) -> str:
        """The word of a value that names a kind of piece, if any."""
        for word in value:
            if self._coded and len(word) == 2 and word[1].lower() in _CODES:
                return _CODES[word[1].lower()]
            for part in parts(word):
                for kind in (part, part.removesuffix("s")):
                    if kind in _CHESS or kind in _WORDS:
                        return kind
                tail = next((kind for kind in (*_CHESS, "checker", "disc") if part.endswith(kind)), "")
                if tail:
                    return tail
        return ""

    def _is_owner_alone(self, value: Key, owner: int) -> bool:
        """Says whether a piece is called after its owner and nothing else, as `white` or `w`."""
        role = self._forms.roles[owner].lower()
        return len(value) == 1 and (role.startswith(value[0].lower()) or value[0].lower() == role)

    def _is_mark(self, site: Site, layer: Layer) -> bool:
        """Says whether a layer points at a few places rather than puts something there."""
        form = self._forms.facts[layer.name, layer.arity]
        plain = len(layer.key_axes) == layer.arity
        return plain and layer is not site.layers[0] and (form.most <= _FEW or form.is_constant)


def _are_codes(words: Sequence[str]) -> bool:
    """Says whether words such as `wp` and `bk` stand for chessmen: two letters, the second one of theirs."""
    two = [word for word in words if len(word) == 2 and word.isalpha()]
    return len({word[0] for word in two}) > 1 and all(word[1].lower() in _CODES for word in two)


def _number_text(word: str) -> str:
    match = re.fullmatch(r"[a-zA-Z](-?\d+)", word)
    return match[1] if match else word


def _abbreviations(roles: Sequence[str], values: Sequence[Key]) -> dict[Key, str]:
    """A short text for each value, which no other of the same owner has."""
    shown: dict[Key, str] = {}
    taken: set[tuple[int | None, str]] = set()
    for value in sorted(values, key=lambda value: (len(" ".join(value)), value)):
        owner = _named_owner(roles, value)
        words = [part for word in value for part in parts(word) if owner is None or part != roles[owner].lower()]
        words = [word for word in words if not word.startswith("unpromot")] or ["".join(value)]
        first, *others = words
        plus = "+" if "promoted" in others else ""
        others = [word for word in others if word != "promoted"]
        whole = "".join(words)
        options = [whole] if others and len(whole) <= _SHORT else [first] if len(first) <= 2 else []
        options += [first[:n] + "".join(word[0] for word in others) for n in range(1, len(first) + 1)]
        options += ["".join(words), " ".join(value)]
        text = next((option for option in options if (owner, plus + option) not in taken), options[-1])
        taken.add((owner, plus + text))
        shown[value] = plus + (text.upper() if len(text) <= 2 else text.capitalize())
    return shown
