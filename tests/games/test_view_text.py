"""Positions in the terminal: boards are found by the structure of facts, never by the name of a game."""

from __future__ import annotations

from ludens.games.view.text import TextBoard
from tests.support.views import drawn, reader_of

FILLED = [f"(cell {x} {y} b)" for x in range(1, 4) for y in range(1, 3)]
FOUR = [(x, y) for x in (1, 2) for y in (1, 2)]


def test_cells_become_a_board_with_the_first_row_at_the_bottom() -> None:
    reader = reader_of([*FILLED, "(cell 1 1 x)", "(cell 3 2 o)"], FILLED)
    assert drawn(reader, ["(cell 1 1 x)", "(cell 2 1 b)", "(cell 3 2 o)", "(control white)"]) == [
        "  2  . . O",
        "  1  X . .",
        "     1 2 3",
        "  (control: white)",
    ]


def test_letters_run_to_the_right_wherever_they_stand_in_the_fact() -> None:
    vocabulary = [f"(at {y} {x} {piece})" for x in "ab" for y in (1, 2) for piece in ("flag", "hat")]
    lines = drawn(reader_of(vocabulary, vocabulary[:1], vocabulary[:4:3]), ["(at 2 a hat)"])
    assert lines == ["  2  H .", "  1  . .", "     a b", "  H = hat"]


def test_relations_named_after_pieces_share_one_board() -> None:
    vocabulary = [f"({piece} {x} {y})" for piece in ("black", "white") for x, y in FOUR]
    reader = reader_of(
        vocabulary, ["(black 1 1)", "(black 1 2)", "(white 2 1)", "(white 2 2)"], roles=("white", "black")
    )
    assert drawn(reader, ["(black 1 2)", "(white 2 1)"]) == [
        "  2  ● .", "  1  . ○", "     1 2", "  ● = black, ○ = white",
    ]  # fmt: skip


def test_a_piece_called_b_is_black_where_empty_squares_are_not_facts() -> None:
    vocabulary = [f"(cell {x} {y} {piece})" for x, y in FOUR for piece in "bw"]
    start = ["(cell 1 1 b)", "(cell 2 2 w)"]
    assert drawn(reader_of(vocabulary, start, roles=("white", "black")), start)[:2] == ["  2  . ○", "  1  ● ."]


def test_chessmen_have_their_signs_whatever_the_spelling() -> None:
    for king, knight, pawn in (("white_king", "whiteKnight", "blackPawn"), ("wk", "wn", "bp")):
        vocabulary = [f"(cell {x} {y} {piece})" for x in "ab" for y in (1, 2) for piece in (king, knight, pawn)]
        facts = [f"(cell a 1 {king})", f"(cell b 1 {knight})", f"(cell b 2 {pawn})"]
        lines = drawn(reader_of(vocabulary, facts, roles=("white", "black")), facts)
        assert lines == ["  2  . ♟", "  1  ♔ ♘", "     a b"]


def test_other_facts_about_squares_join_the_board() -> None:
    squares = [(x, y) for x in (1, 2, 3) for y in (1, 2, 3)]
    vocabulary = [f"(at {x} {y} {thing})" for x, y in squares for thing in ("car", "tree")]
    vocabulary += [f"(wall {x} {y})" for x, y in squares]
    start = ["(at 1 1 car)", "(at 3 3 tree)", "(wall 3 1)"]
    lines = drawn(reader_of(vocabulary, start), ["(at 1 1 car)", "(wall 1 1)", "(wall 2 1)"])
    assert lines[2:] == ["  1  █C  █  .", "      1  2  3", "  C = car, █ = wall"]


def test_a_board_may_use_every_other_square() -> None:
    vocabulary = [f"(cell {x} {y} man)" for x in range(1, 9) for y in range(1, 9) if (x + y) % 2 == 0]
    lines = drawn(reader_of(vocabulary, vocabulary[:9]), ["(cell 8 8 man)"])
    assert lines[:2] == ["  8    .   .   .   ●", "  7  .   .   .   ."]


def test_rows_beyond_nine_are_in_order() -> None:
    vocabulary = [f"(cell {x} {y} x)" for x in range(1, 12) for y in range(1, 12)]
    labels = [line.split()[0] for line in drawn(reader_of(vocabulary, vocabulary[:5]), [])[:-1]]
    assert labels == [str(row) for row in range(11, 0, -1)]


def test_facts_that_form_no_board_are_told_beside_it() -> None:
    facts = ["(heap 3 a)", "(control white)", "turn"]
    assert drawn(reader_of(facts, facts), facts) == ["  (control: white) (heap 3: a) turn"]


def test_a_number_for_each_thing_is_no_board() -> None:
    vocabulary = [f"(pile {name} {size})" for name in "abc" for size in range(4)]
    start = ["(pile a 3)", "(pile b 2)", "(pile c 1)"]
    assert drawn(reader_of(vocabulary, start), start) == ["  (pile a: 3) (pile b: 2) (pile c: 1)"]


def test_a_fact_outside_what_was_known_does_not_break_the_board() -> None:
    lines = drawn(reader_of(FILLED, FILLED), ["(cell 1 1 (strange piece))", "(cell 9 9 x)"])
    assert lines[1].split()[1].startswith("(strange")
    assert lines[-1] == "  (cell 9 9 x)"


# ---- Places with names ----


def test_places_named_by_column_and_row_become_a_board() -> None:
    for name in ("{c}{r}", "sq_{c}_{r}", "(sq {c} {r})"):
        places = {(c, r): name.format(c=c, r=r) for c in "abc" for r in (1, 2, 3)}
        vocabulary = [f"(on {place} {piece})" for place in places.values() for piece in ("x", "o")]
        facts = [f"(on {places['a', 1]} x)", f"(on {places['c', 2]} o)"]
        lines = drawn(reader_of(vocabulary, facts), facts)
        assert lines == ["  3  . . .", "  2  . . O", "  1  X . .", "     a b c"]


def test_places_named_by_two_numbers_become_a_board() -> None:
    for name in ("p_{c}_{r}", "p{c}{r}", "(at {c} {r})"):
        places = {(c, r): name.format(c=c, r=r) for c in range(1, 6) for r in range(1, 6)}
        start = [f"(on {place} empty)" for place in places.values()]
        reader = reader_of([*start, *(f"(on {place} flag)" for place in places.values())], start)
        lines = drawn(reader, [f"(on {places[5, 1]} flag)"])
        assert len(lines) == 7
        assert lines[4] == "  1  . . . . F"


def test_numbered_places_stand_side_by_side_with_their_numbers() -> None:
    start = [f"(on {place} empty)" for place in range(1, 10)]
    vocabulary = [f"(on {place} {piece})" for place in range(1, 10) for piece in ("empty", "red", "blue")]
    reader = reader_of(
        vocabulary, start, roles=("red", "blue"), legal=([f"(mark {place})" for place in range(1, 10)], ())
    )
    assert drawn(reader, ["(on 1 red)", "(on 9 blue)", "(control red)"]) == [
        "  1 ○   2 .   3 .",
        "  4 .   5 .   6 .",
        "  7 .   8 .   9 ●",
        "  ● = blue, ○ = red",
        "  (control: red)",
    ]


def test_things_are_stacked_on_the_places_where_they_are() -> None:
    vocabulary = [f"(on {disc} {peg})" for disc in (1, 2, 3) for peg in ("left", "right")]
    start = ["(on 1 left)", "(on 2 left)", "(on 3 left)"]
    reader = reader_of(vocabulary, start, legal=(["(move left right)", "(move right left)"],))
    assert drawn(reader, ["(on 1 right)", "(on 2 left)", "(on 3 left)"]) == ["   left 32   right 1"]


def test_squares_that_changed_are_marked_and_known_pieces_are_not_explained_again() -> None:
    reader = reader_of([*FILLED, "(cell 1 1 flag)"], FILLED)
    empty, filled = (reader.read(facts, ((),), terminal=False) for facts in ([], ["(cell 1 1 flag)"]))
    board = TextBoard(reader.view)
    text = board.render(filled, before=empty)
    assert [text.plain[span.start : span.end] for span in text.spans if "reverse" in str(span.style)] == ["F"]
    assert "F = flag" in text.plain
    assert "=" not in board.render(filled, known=board.keys(filled)).plain


def test_facts_that_form_no_board_are_listed_in_lines_that_end_between_facts() -> None:
    facts = [f"(size of heap{i} {i})" for i in range(9)]
    reader = reader_of(facts, facts)
    lines = TextBoard(reader.view, width=40).draw(reader.read(facts, ((),), terminal=False)).splitlines()
    assert len(lines) > 2
    assert all(len(line) <= 40 and line.count("(") == line.count(")") for line in lines)
