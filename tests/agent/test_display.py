"""Boards in the terminal: recognised by the structure of facts, never by the name of a game."""

from __future__ import annotations

from ludens.agent.commands.display import BoardDisplay

FILLED = [f"(cell {x} {y} b)" for x in range(1, 4) for y in range(1, 3)]


def test_cells_become_a_board_with_the_first_row_at_the_bottom() -> None:
    board = BoardDisplay([*FILLED, "(cell 1 1 x)", "(cell 3 2 o)"], FILLED)
    assert board.draw(["(cell 1 1 x)", "(cell 2 1 b)", "(cell 3 2 o)", "(control white)"]).splitlines() == [
        "  2  . . o",
        "  1  x . .",
        "     1 2 3",
        "  (control white)",
    ]


def test_letters_run_to_the_right_wherever_they_stand_in_the_fact() -> None:
    vocabulary = [f"(at {y} {x} {piece})" for x in "ab" for y in (1, 2) for piece in ("king", "knight")]
    lines = BoardDisplay(vocabulary, []).draw(["(at 2 a knight)"]).splitlines()
    assert lines == ["  2  kn  .", "  1   .  .", "      a  b", "  kn = knight"]


def test_relations_named_after_pieces_share_one_board() -> None:
    vocabulary = [f"({piece} {x} {y})" for piece in ("black", "white") for x in (1, 2) for y in (1, 2)]
    drawn = BoardDisplay(vocabulary, []).draw(["(black 1 2)", "(white 2 1)"])
    assert drawn.splitlines() == ["  2  b .", "  1  . w", "     1 2", "  b = black, w = white"]


def test_a_piece_called_b_is_black_where_empty_squares_are_not_facts() -> None:
    vocabulary = [f"(cell {x} {y} {piece})" for x in (1, 2) for y in (1, 2) for piece in "bw"]
    assert BoardDisplay(vocabulary, ["(cell 1 1 b)"]).draw(["(cell 1 1 b)"]).splitlines()[1] == "  1  b ."


def test_pieces_of_two_words_are_marked_by_their_initials() -> None:
    vocabulary = [f"(cell {x} 1 {piece})" for x in "ab" for piece in ("white_king", "whiteKnight", "blackPawn")]
    vocabulary += [fact.replace(" 1 ", " 2 ") for fact in vocabulary]
    drawn = BoardDisplay(vocabulary, []).draw(
        ["(cell a 1 white_king)", "(cell b 1 whiteKnight)", "(cell b 2 blackPawn)"]
    )
    assert drawn.splitlines()[:2] == ["  2   . bP", "  1  wk wK"]


def test_other_facts_about_squares_join_the_board_where_there_is_room() -> None:
    squares = [(x, y) for x in (1, 2, 3) for y in (1, 2, 3)]
    vocabulary = [f"(at {x} {y} car)" for x, y in squares] + [f"(wall {x} {y})" for x, y in squares]
    lines = BoardDisplay(vocabulary, []).draw(["(at 1 1 car)", "(wall 1 1)", "(wall 2 1)"]).splitlines()
    assert lines[2:] == ["  1  c w .", "     1 2 3", "  c = car, w = wall", "  (wall 1 1)"]


def test_a_board_may_use_every_other_square() -> None:
    vocabulary = [f"(cell {x} {y} man)" for x in range(1, 9) for y in range(1, 9) if (x + y) % 2 == 0]
    assert BoardDisplay(vocabulary, []).draw(["(cell 8 8 man)"]).startswith("  8  . . . . . . . m\n")


def test_rows_beyond_nine_are_in_order() -> None:
    vocabulary = [f"(cell {x} {y} x)" for x in range(1, 12) for y in range(1, 12)]
    labels = [line.split()[0] for line in BoardDisplay(vocabulary, []).draw([]).splitlines()[:-1]]
    assert labels == [str(row) for row in range(11, 0, -1)]


def test_facts_that_form_no_board_are_listed() -> None:
    facts = ["(heap 3 a)", "(control white)", "turn"]
    assert BoardDisplay(facts, facts).draw(facts) == "  (heap 3 a) (control white) turn"


def test_a_number_for_each_thing_is_no_board() -> None:
    vocabulary = [f"(pile {name} {size})" for name in "abc" for size in range(4)]
    start = ["(pile a 3)", "(pile b 2)", "(pile c 1)"]
    assert BoardDisplay(vocabulary, start).draw(start) == "  (pile a 3) (pile b 2) (pile c 1)"


def test_a_fact_outside_what_was_known_does_not_break_the_board() -> None:
    assert BoardDisplay(FILLED, FILLED).draw(["(cell 1 1 (strange piece))", "(cell 9 9 x)"]).startswith("  2  . . .")


# ---- Places with names ----


def test_places_named_by_column_and_row_become_a_board() -> None:
    for name in ("{c}{r}", "sq_{c}_{r}", "(sq {c} {r})"):
        places = {(c, r): name.format(c=c, r=r) for c in "abc" for r in (1, 2, 3)}
        vocabulary = [f"(on {place} {piece})" for place in places.values() for piece in ("x", "o")]
        lines = BoardDisplay(vocabulary, []).draw([f"(on {places['a', 1]} x)", f"(on {places['c', 2]} o)"]).splitlines()
        assert lines == ["  3  . . .", "  2  . . o", "  1  x . .", "     a b c"]


def test_places_named_by_two_numbers_become_a_board() -> None:
    for name in ("p_{c}_{r}", "p{c}{r}", "(at {c} {r})"):
        places = {(c, r): name.format(c=c, r=r) for c in range(1, 6) for r in range(1, 6)}
        start = [f"(on {place} empty)" for place in places.values()]
        board = BoardDisplay([*start, *(f"(on {place} white)" for place in places.values())], start)
        lines = board.draw([f"(on {places[5, 1]} white)"]).splitlines()
        assert len(lines) == 7
        assert lines[4] == "  1  . . . . w"


def test_numbered_places_stand_side_by_side_with_their_numbers() -> None:
    start = [f"(on {place} empty)" for place in range(1, 10)]
    vocabulary = [f"(on {place} {piece})" for place in range(1, 10) for piece in ("empty", "red", "blue")]
    assert BoardDisplay(vocabulary, start).draw(["(on 1 red)", "(on 9 blue)", "(control red)"]).splitlines() == [
        "  1 r   2 .   3 .",
        "  4 .   5 .   6 .",
        "  7 .   8 .   9 b",
        "  b = blue, r = red",
        "  (control red)",
    ]


def test_the_piece_may_come_first_and_may_be_the_relation() -> None:
    dens = ("forest", "hill", "lake", "meadow")
    pieces_first = [f"(at {piece} {den})" for den in dens for piece in ("fox", "goose", "hen")]
    drawn = BoardDisplay(pieces_first, []).draw(["(at goose hill)"]).splitlines()
    assert drawn[0].split() == ["forest", ".", "hill", "g"]
    relations = [f"({piece} {den})" for den in dens for piece in ("fox", "goose", "hen")]
    assert BoardDisplay(relations, []).draw(["(goose hill)"]).splitlines() == drawn


def test_things_that_are_somewhere_are_no_board() -> None:
    start = ["(in tom kitchen)", "(in ann garden)", "(in bob cellar)", "(in eve attic)"]
    rooms = ("kitchen", "garden", "cellar", "attic")
    vocabulary = [f"(in {who} {room})" for who in ("tom", "ann", "bob", "eve") for room in rooms]
    assert BoardDisplay(vocabulary, start).draw(start) == "  " + " ".join(start)


def test_squares_that_changed_are_marked_and_known_pieces_are_not_explained_again() -> None:
    board = BoardDisplay([*FILLED, "(cell 1 1 xx_man)"], FILLED)
    text = board.render(["(cell 1 1 xx_man)"], before=[], known=())
    assert [text.plain[span.start : span.end] for span in text.spans if "reverse" in str(span.style)] == ["xm"]
    assert "xm = xx_man" in text.plain
    assert "=" not in board.render(["(cell 1 1 xx_man)"], known=board.marks(["(cell 1 1 xx_man)"])).plain


def test_facts_that_form_no_board_are_listed_in_lines_that_end_between_facts() -> None:
    facts = [f"(size of heap{i} {i})" for i in range(9)]
    lines = BoardDisplay(facts, facts, width=40).draw(facts).splitlines()
    assert len(lines) > 2
    assert all(len(line) <= 40 and line.count("(") == line.count(")") for line in lines)
