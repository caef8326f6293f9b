"""Hints of authors about the look of a game: in the header of a sheet, or in a file beside it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ludens.games.view.find import find_view
from ludens.games.view.hints import Hints, read_hints
from ludens.games.view.reader import PositionReader
from ludens.games.view.sample import Sample, SampledState
from ludens.games.view.words import words
from ludens.propnet.base.errors import LudensError
from ludens.propnet.gdl.syntax import RuleSheet

FACTS = [f"(cell {x} {y} {piece})" for x in (1, 2, 3) for y in (1, 2) for piece in ("w", "q")] + ["(seen 1 1)"]


def reader_of(hints: Hints) -> PositionReader:
    state = SampledState(frozenset(map(words, ("(cell 1 1 w)", "(cell 2 1 q)", "(seen 1 1)"))), ((), ()), None)
    return find_view("game", RuleSheet(()), Sample(("white", "red"), ((state,),), tuple(FACTS)), hints=hints)


def test_hints_in_the_header_say_what_pieces_and_boards_look_like() -> None:
    text = """; A game
; View: {"pieces": {"w": {"shape": "rook", "owner": "red"}}, "boards": {"cell": {"down": true, "checkered": true}}}
; View: {"ignore": ["seen"]}
(role white)
; View: {"ignore": ["cell"]}
"""
    reader = reader_of(read_hints(text))
    piece, board = reader.view.pieces["w"], reader.view.boards[0]
    assert (piece.shape, piece.owner, board.checkered, board.rows) == ("rook", 1, True, ("2", "1"))
    position = reader.read(["(cell 1 1 w)", "(seen 1 1)"], ((), ()), terminal=False)
    assert [on for on in position.boards[0] if on] == ["w"]
    assert reader_of(read_hints("")).view.boards[0].rows == ("1", "2")


def test_a_file_beside_the_sheet_wins(tmp_path: Path) -> None:
    (tmp_path / "it.view.json").write_text(json.dumps({"pieces": {"w": {"shape": "queen"}}}), encoding="utf-8")
    hints = read_hints('; View: {"pieces": {"w": {"shape": "rook"}}}', tmp_path / "it.kif")
    assert reader_of(hints).view.pieces["w"].shape == "queen"


@pytest.mark.parametrize(
    ("hint", "told"),
    [
        ("{", "line 1: view: "),
        ("[]", "line 1: view: hints are an object"),
        ('{"piece": {}}', "line 1: view: 'piece' is no hint, or of the wrong kind; did you mean pieces"),
        ('{"pieces": {"w": {"shape": "roock"}}}', "there is no shape 'roock'; did you mean rook"),
        ('{"boards": {"cell": {"down": 1}}}', "'down' is no hint, or of the wrong kind"),
    ],
)
def test_a_hint_that_means_nothing_is_refused_with_its_line(hint: str, told: str) -> None:
    with pytest.raises(LudensError) as error:
        read_hints(f"; View: {hint}")
    assert told in str(error.value)


def test_an_owner_must_be_a_role() -> None:
    with pytest.raises(LudensError, match="there is no role 'whit'; did you mean white"):
        reader_of(read_hints('; View: {"pieces": {"w": {"owner": "whit"}}}'))
