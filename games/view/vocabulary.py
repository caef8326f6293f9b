"""The vocabulary of views: what a game and its positions look like, neutral between a page and a terminal.

A `GameView` describes a game once; a `PositionView` one of its states, in terms of it. Both are plain JSON to whoever
draws them (`to_json`, `from_json`); `schema.json` beside this file is their JSON schema. Whoever draws a position needs
no rules: places and pieces are numbered or named in the game's view, moves are lists of places to click.

Lengths are in units of one square; y grows upward. Roles, boards, places and moves are numbered from 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, TypeAlias

VERSION = 1

STYLES = ("squares", "hexagons", "graph", "track")
"""How a board is drawn: squares or hexagons that touch, or round places, with edges between them or one by one."""

SHAPES = (
    *("stone", "man", "king", "marble", "arrow", "wall", "trail", "mark", "number", "card", "letter"),
    *("pawn", "knight", "bishop", "rook", "queen", "chess-king"),
)
"""What pieces can look like; `text` of a piece is what a number, card or letter shows, a mark is a ring."""

Step: TypeAlias = tuple[int, int]
"""A place: the number of a board, and that of the place on it."""

Stack: TypeAlias = str | tuple[str, ...] | None
"""What stands on a place: nothing, the key of a piece, or keys from bottom to top."""


@dataclass(frozen=True, slots=True)
class Place:
    """One place of a board; x and y are of its centre."""

    id: str  # as the rules write it, such as "a 1"
    x: float
    y: float
    label: str  # for people, such as "a1"
    blocked: bool = False  # nothing ever stands there and no move goes there


@dataclass(frozen=True, slots=True)
class Board:
    """A board; its lower left corner is at 0, 0, so that the first square is centred at 0.5, 0.5."""

    id: str
    style: str  # one of `STYLES`
    width: float
    height: float
    columns: tuple[str, ...]  # labels left to right; empty: none are shown
    rows: tuple[str, ...]  # labels bottom to top
    checkered: bool
    places: tuple[Place, ...]
    edges: tuple[tuple[int, int], ...] = ()  # pairs of places that are joined by a line


@dataclass(frozen=True, slots=True)
class Piece:
    """What a piece looks like."""

    shape: str  # one of `SHAPES`
    owner: int | None  # the role it belongs to; None: nobody's
    text: str  # as the rules write it, or what is written on it


@dataclass(frozen=True, slots=True)
class MoveView:
    """One move of a role: the places to click, one after the other."""

    text: str  # in GDL, such as "(move a 1 a 2)"
    label: str  # for people, such as "move a1 a2"
    steps: tuple[Step, ...]  # none: the move is chosen from a list
    also: tuple[Step, ...] = ()  # places that mean the same as the last step, such as the others of a column
    choice: str = ""  # what no place tells: moves with the same steps differ in it


@dataclass(frozen=True, slots=True)
class GameView:
    """One game: what all its positions have in common."""

    game: str
    roles: tuple[str, ...]
    boards: tuple[Board, ...]  # none where the game has no board
    pieces: Mapping[str, Piece]
    moves: tuple[tuple[MoveView, ...], ...]  # [roles]; of games with a great many moves none, see `PositionView.moves`
    version: int = VERSION

    def to_json(self) -> dict[str, Any]:
        """Returns the view as JSON."""
        return {
            "version": self.version,
            "game": self.game,
            "roles": list(self.roles),
            "boards": [_board_json(board) for board in self.boards],
            "pieces": {key: asdict(piece) for key, piece in self.pieces.items()},
            "moves": [list(map(_move_json, moves)) for moves in self.moves],
        }

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> GameView:
        """Returns the view that `to_json` has written."""
        return GameView(
            game=data["game"],
            roles=tuple(data["roles"]),
            boards=tuple(map(_board, data["boards"])),
            pieces={key: Piece(**piece) for key, piece in data["pieces"].items()},
            moves=tuple(tuple(map(_move, moves)) for moves in data["moves"]),
            version=data["version"],
        )


@dataclass(frozen=True, slots=True)
class Hand:
    """Pieces of a role that stand nowhere, and how many of each."""

    role: int | None
    pieces: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Counter:
    """A number or word that a position tells, such as a step or a score."""

    name: str
    value: str
    role: int | None = None  # whose it is


@dataclass(frozen=True, slots=True)
class PositionView:
    """One state of a game, in terms of its `GameView`.

    Moves are numbered as in the game's view; `moves` are more of them, numbered on from there role by role, and
    `pieces` more pieces: those of which the game's view does not know. `steps` holds here in place of a move's own.
    """

    boards: tuple[tuple[Stack, ...], ...]  # [boards, places]
    hands: tuple[Hand, ...]
    counters: tuple[Counter, ...]
    facts: tuple[str, ...]  # what nothing above shows
    turn: tuple[int, ...]  # roles that have a choice
    legal: tuple[tuple[int, ...], ...]  # [roles] the numbers of moves
    terminal: bool
    goals: tuple[int | None, ...] | None  # [roles] at the end
    pieces: Mapping[str, Piece] = field(default_factory=dict)
    moves: tuple[tuple[MoveView, ...], ...] = ()
    steps: tuple[Mapping[int, tuple[Step, ...]], ...] = ()  # [roles] of moves whose steps depend on the position
    walls: tuple[tuple[Step, Step], ...] = ()  # pairs of places with a wall between them

    def to_json(self) -> dict[str, Any]:
        """Returns the view as JSON."""
        data: dict[str, Any] = {
            "boards": [[list(on) if isinstance(on, tuple) else on for on in board] for board in self.boards],
            "hands": [{"role": hand.role, "pieces": dict(hand.pieces)} for hand in self.hands],
            "counters": [_without_none(asdict(counter)) for counter in self.counters],
            "facts": list(self.facts),
            "turn": list(self.turn),
            "legal": [list(moves) for moves in self.legal],
            "terminal": self.terminal,
            "goals": None if self.goals is None else list(self.goals),
        }
        if self.pieces:
            data["pieces"] = {key: asdict(piece) for key, piece in self.pieces.items()}
        if self.moves:
            data["moves"] = [list(map(_move_json, moves)) for moves in self.moves]
        if any(self.steps):
            data["steps"] = [{str(move): list(map(list, steps)) for move, steps in each.items()} for each in self.steps]
        if self.walls:
            data["walls"] = [[list(place) for place in wall] for wall in self.walls]
        return data

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> PositionView:
        """Returns the view that `to_json` has written."""
        return PositionView(
            boards=tuple(
                tuple([tuple(on) if isinstance(on, list) else on for on in board]) for board in data["boards"]
            ),
            hands=tuple(Hand(**hand) for hand in data["hands"]),
            counters=tuple(Counter(**counter) for counter in data["counters"]),
            facts=tuple(data["facts"]),
            turn=tuple(data["turn"]),
            legal=tuple(map(tuple, data["legal"])),
            terminal=data["terminal"],
            goals=None if data["goals"] is None else tuple(data["goals"]),
            pieces={key: Piece(**piece) for key, piece in data.get("pieces", {}).items()},
            moves=tuple(tuple(map(_move, moves)) for moves in data.get("moves", ())),
            steps=tuple(
                {int(move): tuple(map(_step, steps)) for move, steps in each.items()} for each in data.get("steps", ())
            ),
            walls=tuple((_step(one), _step(other)) for one, other in data.get("walls", ())),
        )


def legal_steps(view: GameView, position: PositionView, role: int) -> dict[str, tuple[Step, ...]]:
    """Returns the places to click for each legal move of a role, by its text; none where no place tells it."""
    known = view.moves[role]
    more = position.moves[role] if position.moves else ()
    here = position.steps[role] if position.steps else {}
    moves = ((n, known[n] if n < len(known) else more[n - len(known)]) for n in position.legal[role])
    return {move.text: here.get(n, move.steps) for n, move in moves}


def _board_json(board: Board) -> dict[str, Any]:
    places = [_without_none(asdict(place) | {"blocked": place.blocked or None}) for place in board.places]
    data = asdict(board) | {"columns": list(board.columns), "rows": list(board.rows), "places": places}
    return data | {"edges": [list(edge) for edge in board.edges]}


def _board(data: Mapping[str, Any]) -> Board:
    return Board(
        id=data["id"],
        style=data["style"],
        width=data["width"],
        height=data["height"],
        columns=tuple(data["columns"]),
        rows=tuple(data["rows"]),
        checkered=data["checkered"],
        places=tuple(Place(**place) for place in data["places"]),
        edges=tuple(map(_step, data["edges"])),
    )


def _move_json(move: MoveView) -> dict[str, Any]:
    data: dict[str, Any] = {"text": move.text, "label": move.label, "steps": list(map(list, move.steps))}
    if move.also:
        data["also"] = list(map(list, move.also))
    if move.choice:
        data["choice"] = move.choice
    return data


def _move(data: Mapping[str, Any]) -> MoveView:
    steps, also = (tuple(map(_step, data.get(name, ()))) for name in ("steps", "also"))
    return MoveView(data["text"], data["label"], steps, also, data.get("choice", ""))


def _step(data: Sequence[int]) -> Step:
    return data[0], data[1]


def _without_none(data: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in data.items() if value is not None}
