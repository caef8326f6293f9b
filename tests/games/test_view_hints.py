"""Hints of authors about the look of a game: in the header of a sheet, or in a file beside it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ludens.games.view.find import find_view
from ludens.games.view.hints import HintError, Hints, hint_mistakes, read_hints, with_hints_beside, with_hints_of
from ludens.games.view.reader import PositionReader
from ludens.games.view.sample import Sample, SampledState
from ludens.games.view.words import words
from ludens.propnet.gdl.parser import parse_rules
from ludens.propnet.gdl.syntax import RuleSheet

FACTS = [f"(cell {x} {y} {piece})" for x in (1, 2, 3) for y in (1, 2) for piece in ("w", "q")] + ["(seen 1 1)"]


ROLES = ("white", "red")


def reader_of(hints: Hints) -> PositionReader:
    state = SampledState(frozenset(map(words, ("(cell 1 1 w)", "(cell 2 1 q)", "(seen 1 1)"))), ((), ()), None)
    return find_view("game", RuleSheet(()), Sample(ROLES, ((state,),), tuple(FACTS)), hints=hints)


def test_hints_in_the_header_say_what_pieces_and_boards_look_like() -> None:
    text = """; A game
; View: {"pieces": {"w": {"shape": "rook", "owner": "red"}}, "boards": {"cell": {"down": true, "checkered": true}}}
; View: {"ignore": ["seen"]}
(role white)
; View: {"ignore": ["cell"]}
"""
    reader = reader_of(read_hints(text, ROLES))
    piece, board = reader.view.pieces["w"], reader.view.boards[0]
    assert (piece.shape, piece.owner, board.checkered, board.rows) == ("rook", 1, True, ("2", "1"))
    position = reader.read(["(cell 1 1 w)", "(seen 1 1)"], ((), ()), terminal=False)
    assert [on for on in position.boards[0] if on] == ["w"]
    assert reader_of(read_hints("", ROLES)).view.boards[0].rows == ("1", "2")


def test_a_file_beside_the_sheet_wins(tmp_path: Path) -> None:
    (tmp_path / "it.view.json").write_text(json.dumps({"pieces": {"w": {"shape": "queen"}}}), encoding="utf-8")
    text = '; View: {"pieces": {"w": {"shape": "rook"}}}\n(role white)\n'
    whole = with_hints_beside(text, tmp_path / "it.kif")
    assert reader_of(read_hints(whole, ROLES)).view.pieces["w"].shape == "queen"
    assert reader_of(read_hints(with_hints_of("(role white)", whole), ROLES)).view.pieces["w"].shape == "queen"
    assert with_hints_beside(text, tmp_path / "other.kif") == text
    assert parse_rules(whole) == parse_rules(text)


def test_a_sheet_whose_name_is_too_long_for_a_file_beside_it_has_none(tmp_path: Path) -> None:
    assert with_hints_beside("(role white)", tmp_path / f"{250 * 'x'}.kif") == "(role white)"


def test_a_mistake_in_a_file_is_told_with_its_place_there(tmp_path: Path) -> None:
    (tmp_path / "it.view.json").write_text('{\n  "pieces": {\n    "w" {}\n}}', encoding="utf-8")
    with pytest.raises(HintError, match=r"it\.view\.json: line 3, column 9: view: hints are JSON: expecting ':'"):
        read_hints(with_hints_beside("(role white)", tmp_path / "it.kif"), ROLES)


@pytest.mark.parametrize(
    ("hint", "column", "told"),
    [
        ("{", 10, "hints are JSON: expecting property name"),
        ("[]", 9, "hints are an object in braces, not []"),
        ('{"piece": {}}', 10, "there is no hint 'piece'; did you mean pieces"),
        ('{"pieces": []}', 20, "'pieces' is of the wrong kind"),
        ('{"ignore": "cell"}', 20, "'ignore' is a list of names"),
        ('{"pieces": {"w": "rook"}}', 26, "what is said of 'w' is an object in braces: shape, owner, text"),
        ('{"pieces": {"w": {"shape": "roock"}}}', 36, "shape of 'w': there is no shape 'roock'; did you mean rook"),
        ('{"pieces": {"w": {"owner": "whit"}}}', 36, "owner of 'w': there is no role 'whit'; did you mean white"),
        ('{"pieces": {"w": {"shap": "rook"}}}', 27, "there is no hint 'shap' of 'w'; did you mean shape"),
        ('{"boards": {"cell": {"down": 1}}}', 38, "'down' of 'cell' is of the wrong kind"),
        ("[" * 100_000, 9, "hints are JSON that is not nested so deeply"),
        ('{"pieces": ' + "1" * 10_000 + "}", 9, "with numbers that are not so long"),
    ],
)
def test_a_hint_that_means_nothing_is_refused_with_its_place(hint: str, column: int, told: str) -> None:
    with pytest.raises(HintError) as error:
        read_hints(f"; A game\n; View: {hint}", ROLES)
    assert (error.value.file, error.value.line, error.value.column) == ("", 2, column)
    assert told in str(error.value)


def test_all_mistakes_are_found() -> None:
    text = '; View: {"pieces": {"w": {"owner": "green", "text": 1}, "q": {"shape": "x"}}, "bords": {}}\n; View: {}}'
    assert [(mistake.line, mistake.column) for mistake in hint_mistakes(text, ROLES)] == [
        (1, 36),
        (1, 53),
        (1, 72),
        (1, 79),
        (2, 11),
    ]
