"""Views of small games, written by hand for tests of whoever draws them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def squares(width: int, height: int, *, checkered: bool = False) -> dict[str, Any]:
    """Returns a board of squares: place number `width * row + column`, from the lower left."""
    places = [
        {"id": f"{_LETTERS[x]} {y + 1}", "x": x + 0.5, "y": y + 0.5, "label": f"{_LETTERS[x]}{y + 1}"}
        for y in range(height)
        for x in range(width)
    ]
    return {
        "id": "cell",
        "style": "squares",
        "width": width,
        "height": height,
        "columns": list(_LETTERS[:width]),
        "rows": [str(y + 1) for y in range(height)],
        "checkered": checkered,
        "places": places,
        "edges": [],
    }


def hexagons(side: int) -> dict[str, Any]:
    """Returns a rhombus of hexagons."""
    places = [
        {"id": f"{x} {y}", "x": x + y / 2 + 0.5, "y": (side - y) * 0.866, "label": f"{_LETTERS[x]}{y + 1}"}
        for y in range(side)
        for x in range(side)
    ]
    return squares(1, 1) | {"style": "hexagons", "columns": [], "rows": [], "places": places}


def graph(middles: Sequence[tuple[float, float]], edges: Sequence[tuple[int, int]]) -> dict[str, Any]:
    """Returns places that are joined by lines."""
    places = [{"id": f"p{i}", "x": x, "y": y, "label": f"p{i}"} for i, (x, y) in enumerate(middles)]
    shape = {"style": "graph", "columns": [], "rows": [], "places": places, "edges": [list(edge) for edge in edges]}
    return squares(1, 1) | shape


def move(text: str, *steps: int, **more: Any) -> dict[str, Any]:
    """Returns a move over places of the first board."""
    return {"text": text, "label": text.strip("()"), "steps": [[0, place] for place in steps], **more}


def game(
    board: dict[str, Any] | None, pieces: dict[str, Any], *moves: list[dict[str, Any]], roles: Sequence[str] = ()
) -> dict[str, Any]:
    """Returns the view of a game with one board or none; `moves` are by role."""
    named = list(roles) or ["white", "black"][: len(moves)]
    boards = [] if board is None else [board]
    return {"version": 1, "game": "test", "roles": named, "boards": boards, "pieces": pieces, "moves": list(moves)}


def position(standing: list[Any] | None, *legal: list[int], **more: Any) -> dict[str, Any]:
    """Returns a position: what stands on the places of the first board, and the legal moves of each role."""
    found = {
        "boards": [] if standing is None else [standing],
        "hands": [],
        "counters": [],
        "facts": [],
        "turn": [role for role, moves in enumerate(legal) if len(moves) > 1],
        "legal": list(legal),
        "terminal": False,
        "goals": None,
    }
    return found | more


def on(count: int, **pieces: Any) -> list[Any]:
    """Returns what stands on so many places: `on(9, x=[0, 4])`."""
    standing: list[Any] = [None] * count
    for key, places in pieces.items():
        for place in places:
            standing[place] = key
    return standing


STONES = {
    "x": {"shape": "letter", "owner": 0, "text": "x"},
    "o": {"shape": "letter", "owner": 1, "text": "o"},
    "w": {"shape": "stone", "owner": 0, "text": "w"},
    "b": {"shape": "stone", "owner": 1, "text": "b"},
}

TIC_TAC_TOE = game(
    squares(3, 3), STONES, *([*(move(f"(mark {i})", i) for i in range(9)), move("noop")] for _ in range(2))
)

BREAKTHROUGH = game(
    squares(4, 4),
    STONES,
    [move("(move a1 a2)", 0, 4), move("(move a1 b2)", 0, 5), move("(move b1 b2)", 1, 5), move("(move b1 c2)", 1, 6)],
    [move("noop")],
)
BREAKTHROUGH_START = position(on(16, w=[0, 1], b=[5, 15]), [0, 1, 2, 3], [0])

CHECKERS = game(
    squares(6, 6, checkered=True),
    STONES,
    [move("(jump a b c)", 0, 14, 28), move("(jump a b)", 0, 14), move("(jump a d)", 0, 12, 24), move("(step)", 2, 9)],
    [move("noop")],
)
CHECKERS_START = position(on(36, w=[0, 2], b=[7, 21, 6, 18]), [0, 1, 2, 3], [0])

CONNECT_FOUR = game(
    squares(3, 3), STONES, [move(f"(drop {x})", 6 + x, also=[[0, x], [0, 3 + x]]) for x in range(3)], [move("noop")]
)
CONNECT_FOUR_START = position(on(9, w=[0]), [0, 1, 2], [0], steps=[{"0": [[0, 3]], "1": [[0, 1]], "2": [[0, 2]]}, {}])

MORRIS = game(
    graph([(0, 0), (2, 0), (1, 2), (1, 1)], [(0, 1), (1, 2), (2, 0), (0, 3)]),
    STONES,
    [move("(go 0 3)", 0, 3), move("(go 1 3)", 1, 3)],
    [move("noop")],
)
MORRIS_START = position(on(4, w=[0, 1], b=[2]), [0, 1], [0])
