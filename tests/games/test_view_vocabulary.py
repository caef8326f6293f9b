"""Views as JSON: they come back as they were, and are what the schema says."""

from __future__ import annotations

import json

from ludens.games.view.vocabulary import Board, Counter, GameView, Hand, MoveView, Piece, Place, PositionView

PIECES = {"x": Piece("letter", 0, "X"), "3": Piece("number", None, "3")}
BOARD = Board(
    "cell",
    "squares",
    2,
    1,
    ("a", "b"),
    ("1",),
    False,
    (Place("a 1", 0.5, 0.5, "a1"), Place("b 1", 1.5, 0.5, "b1")),
    ((0, 1),),
)
MOVES = ((MoveView("(mark a 1)", "mark a1", ((0, 0),)), MoveView("pass", "pass", ())),)
GAME = GameView("tiny", ("robot",), (BOARD,), PIECES, MOVES)
POSITION = PositionView(
    boards=(("x", ("3", "x")),),
    hands=(Hand(0, {"x": 2}), Hand(None, {"3": 1})),
    counters=(Counter("step", "4"), Counter("score", "7", 0)),
    facts=("(odd one)",),
    turn=(0,),
    legal=((0, 2),),
    terminal=False,
    goals=(None,),
    pieces={"y": Piece("stone", None, "y")},
    moves=((MoveView("(drop b)", "drop b", ((0, 1),), ((0, 0),), "queen"),),),
    steps=({2: ((0, 0), (0, 1))},),
)


def test_views_come_back_from_json_as_they_were() -> None:
    assert GameView.from_json(json.loads(json.dumps(GAME.to_json()))) == GAME
    assert PositionView.from_json(json.loads(json.dumps(POSITION.to_json()))) == POSITION
