"""Boards of games whose facts say only together, or in several parts at once, what stands where."""

from __future__ import annotations

import math
from collections.abc import Mapping

import pytest

from ludens import games
from ludens.agent.playable.text_game import RulesGame
from ludens.games.view.find import find_view
from ludens.games.view.hints import read_hints
from ludens.games.view.reader import CARDS, PositionReader
from ludens.games.view.sample import play_sample
from ludens.games.view.vocabulary import PositionView
from ludens.propnet.gdl.interpreter import Interpreter
from ludens.propnet.gdl.parser import parse_rules
from tests.support import views

NUMBERS = " ".join(f"(succ {i} {i + 1})" for i in range(1, 9))
ENDS = "(<= terminal (true (step 9))) (<= (next (step ?t)) (true (step ?s)) (succ ?s ?t)) (init (step 1))"

RAFTS = f"""
(role ann) (role bob) {NUMBERS} {ENDS} (water 1 1) (water 2 1) (water 2 2) (water 3 2) (water 3 3) (water 4 3)
(init (column ann 1)) (init (row ann 1)) (init (column bob 2)) (init (row bob 1))
(<= (goal ?r 100) (role ?r) (true (column ?r 4))) (<= (goal ?r 0) (role ?r) (not (true (column ?r 4))))
(way stay 0 0) (way north 0 1) (way east 1 0) (<= (plus ?x 0 ?x) (succ ?x ?y)) (<= (plus ?x 1 ?y) (succ ?x ?y))
(<= (to ?r ?w ?x ?y) (true (column ?r ?a)) (true (row ?r ?b)) (way ?w ?da ?db) (plus ?a ?da ?x) (plus ?b ?db ?y)
    (water ?x ?y))
(<= (legal ?r (float ?w)) (to ?r ?w ?x ?y))
(<= (next (column ?r ?x)) (does ?r (float ?w)) (to ?r ?w ?x ?y))
(<= (next (row ?r ?y)) (does ?r (float ?w)) (to ?r ?w ?x ?y))
"""

COMETS = f"""
(role sky) {NUMBERS} {ENDS} (comet 1) (comet 2)
(init (x1 1)) (init (y1 1)) (init (x2 4)) (init (y2 1))
(legal sky burn) (legal sky drift) (goal sky 50)
(<= (next (x1 ?y)) (true (x1 ?x)) (succ ?x ?y)) (<= (next (x2 ?x)) (true (x2 ?x)))
(<= (next (y1 ?y)) (true (y1 ?y)) (does sky drift)) (<= (next (y1 ?y)) (true (y1 ?x)) (does sky burn) (succ ?x ?y))
(<= (next (y2 ?y)) (true (y2 ?x)) (succ ?x ?y))
"""

PILE = f"""
(role cook) {NUMBERS} {ENDS} (init (pile b c a)) (top a) (top b) (top c)
(<= (legal cook (turn ?n)) (top ?n)) (goal cook 50)
(<= (next (pile ?x ?y ?z)) (does cook (turn a)) (true (pile ?x ?y ?z)))
(<= (next (pile ?y ?x ?z)) (does cook (turn b)) (true (pile ?x ?y ?z)))
(<= (next (pile ?z ?y ?x)) (does cook (turn c)) (true (pile ?x ?y ?z)))
"""

# Discs are laid on four squares, and lifted; they are numbered from the bottom. A lid tells more of the stack below it.
TRAYS = f"""
(role chef) {NUMBERS} {ENDS} (goal chef 50) (succ 0 1) (side a) (side b) (line 1) (line 2) (hue red) (hue blue)
(<= (init (height ?x ?y 0)) (side ?x) (line ?y))
(<= (legal chef (lay ?x ?y ?c)) (side ?x) (line ?y) (hue ?c))
(<= (legal chef (lift ?x ?y)) (true (height ?x ?y ?h)) (succ ?g ?h))
(<= (next (disc ?x ?y ?d ?c)) (true (disc ?x ?y ?d ?c)) (not (lifted ?x ?y)))
(<= (next (disc ?x ?y ?d ?c)) (true (disc ?x ?y ?d ?c)) (lifted ?x ?y) (true (height ?x ?y ?h)) (distinct ?d ?h))
(<= (next (height ?x ?y ?g)) (lifted ?x ?y) (true (height ?x ?y ?h)) (succ ?g ?h))
(<= (lifted ?x ?y) (does chef (lift ?x ?y)))
(<= (next (disc ?x ?y ?d ?c)) (does chef (lay ?x ?y ?c)) (true (height ?x ?y ?h)) (succ ?h ?d))
(<= (laid ?x ?y) (does chef (lay ?x ?y ?c)))
(<= (next (height ?x ?y ?h)) (true (height ?x ?y ?h)) (not (laid ?x ?y)) (not (lifted ?x ?y)))
(<= (next (height ?x ?y ?d)) (laid ?x ?y) (true (height ?x ?y ?h)) (succ ?h ?d))
(<= (next (lid ?x ?y)) (does chef (lay ?x ?y red)))
(<= (next (lid ?x ?y)) (true (lid ?x ?y)) (not (laid ?x ?y)) (not (lifted ?x ?y)))
"""

WHEELS = f"""
(role hand) {NUMBERS} {ENDS} (goal hand 50)
(init (at red home)) (init (at blue yard)) (init (at pink barn)) (init (at gold lake)) (init (at teal wood))
(init (at grey mill)) (init (at lime dock))
(init (side red up)) (init (side blue up)) (init (side pink down)) (init (side gold up)) (init (side teal down))
(init (side grey up)) (init (side lime up))
(wheel one home yard) (wheel one yard barn) (wheel one barn home)
(wheel two barn lake) (wheel two lake wood) (wheel two wood barn)
(wheel three wood mill) (wheel three mill dock) (wheel three dock wood)
(<= (on ?w ?p) (wheel ?w ?p ?q)) (over up down) (over down up)
(legal hand (spin one)) (legal hand (spin two)) (legal hand (spin three))
(<= (next (at ?t ?q)) (true (at ?t ?p)) (does hand (spin ?w)) (wheel ?w ?p ?q))
(<= (next (at ?t ?p)) (true (at ?t ?p)) (does hand (spin ?w)) (not (on ?w ?p)))
(<= (next (side ?t ?s)) (true (side ?t ?r)) (true (at ?t ?p)) (does hand (spin ?w)) (on ?w ?p) (over ?r ?s))
(<= (next (side ?t ?s)) (true (side ?t ?s)) (true (at ?t ?p)) (does hand (spin ?w)) (not (on ?w ?p)))
"""


def reader_of(text: str) -> PositionReader:
    sheet = parse_rules(text)
    return find_view("game", sheet, play_sample(RulesGame(sheet), sheet.roles, math.inf, games=12, steps=40))


def first(reader: PositionReader, text: str) -> PositionView:
    """The first position, as the oracle has it."""
    oracle = Interpreter(parse_rules(text))
    state = oracle.initial()
    legal = [sorted(map(str, oracle.legal(state, role))) for role in oracle.roles]
    return reader.read(sorted(map(str, state)), legal, terminal=False)


def standing(reader: PositionReader, position: PositionView, board: int = 0) -> Mapping[str, object]:
    """What stands on the places of a board that have something on them."""
    places = reader.view.boards[board].places
    return {place.id: on for place, on in zip(places, position.boards[board], strict=True) if on is not None}


def clicked(reader: PositionReader, position: PositionView, role: int = 0) -> dict[str, list[str]]:
    """The places that each legal move is clicked on."""
    found = {}
    for number in position.legal[role]:
        known = reader.view.moves[role]
        move = known[number] if number < len(known) else position.moves[role][number - len(known)]
        steps = position.steps[role].get(number, move.steps) if position.steps else move.steps
        boards = reader.view.boards
        found[move.text] = [boards[board].places[place].id for board, place in (*steps, *move.also)]
    return found


def test_coordinates_in_facts_of_their_own_are_squares_and_those_of_a_relation_of_the_rules_all_there_are() -> None:
    reader = reader_of(RAFTS)
    (board,) = [board for board in reader.view.boards if board.id != CARDS]
    assert board.style == "squares"
    assert {place.id for place in board.places} == {"1 1", "2 1", "2 2", "3 2", "3 3", "4 3"}
    position = first(reader, RAFTS)
    assert standing(reader, position) == {"1 1": "ann", "2 1": "bob"}
    assert [reader.view.pieces[key].owner for key in ("ann", "bob")] == [0, 1]
    assert [counter.name for counter in position.counters] == ["step"]
    assert clicked(reader, position)["(float east)"] == ["2 1"]
    assert clicked(reader, position, 1)["(float north)"] == ["2 2"]


def test_numbers_in_names_of_coordinates_tell_things_apart() -> None:
    reader = reader_of(COMETS)
    board = reader.view.boards[0]
    assert board.style == "squares"
    assert (board.width, board.height) == (9, 9)  # columns that nothing was seen in are there too
    assert standing(reader, first(reader, COMETS)) == {"1 1": "1", "4 1": "2"}


def test_of_coordinates_with_too_many_values_for_a_board_those_that_were_seen_are_its_squares() -> None:
    values = [f"{sign}{i}" for sign in "np" for i in range(1, 31)]
    vocabulary = [f"({axis} ship {value})" for axis in "xy" for value in values]
    played = [(f"(x ship p{x})", f"(y ship p{y})") for x, y in ((1, 1), (2, 1), (4, 2), (5, 3))]
    reader = views.reader_of(vocabulary, *played)
    (board,) = reader.view.boards
    assert (board.width, board.height, len(board.places)) == (5, 3, 15)
    far = reader.read(("(x ship n7)", "(y ship p2)"), ((),), terminal=False)
    assert not any(far.boards[0])
    assert any("n7" in text for text in (*far.facts, *(counter.value for counter in far.counters)))


def test_coordinates_too_far_from_each_other_for_a_board_are_listed() -> None:
    far = ("(x ship 60)", "(y ship 60)")
    reader = views.reader_of(("(x ship 0)", "(y ship 0)", *far), ("(x ship 0)", "(y ship 0)"), far)
    assert not reader.view.boards
    counters = reader.read(far, ((),), terminal=False).counters
    assert [(counter.name, counter.value) for counter in counters] == [("x ship", "60"), ("y ship", "60")]


def test_numbers_of_thousands_of_digits_are_listed() -> None:
    long = 5000 * "1"
    reader = views.reader_of((f"(x ship {long})", "(y ship 1)"), (f"(x ship {long})", "(y ship 1)"))
    assert not reader.view.boards


def test_a_row_in_a_single_fact_is_a_track_whose_places_are_called_as_moves_call_them() -> None:
    reader = reader_of(PILE)
    board = reader.view.boards[0]
    assert (board.style, [place.id for place in board.places]) == ("track", ["a", "b", "c"])
    position = first(reader, PILE)
    assert standing(reader, position) == {"a": "b", "b": "c", "c": "a"}
    assert clicked(reader, position) == {"(turn a)": ["a"], "(turn b)": ["b"], "(turn c)": ["c"]}


def test_a_row_whose_things_moves_name_has_places_with_numbers() -> None:
    swap = "(<= (next (pile ?y ?x ?z)) (does cook (turn ?x)) (true (pile ?x ?y ?z))) " \
        "(<= (next (pile ?x ?z ?y)) (does cook (turn ?y)) (true (pile ?x ?y ?z))) " \
        "(<= (next (pile ?z ?y ?x)) (does cook (turn ?z)) (true (pile ?x ?y ?z)))"  # fmt: skip
    text = PILE[: PILE.index("(<= (next (pile ?x ?y ?z)) (does cook (turn a))")] + swap
    reader = reader_of(text)
    assert [place.id for place in reader.view.boards[0].places] == ["1", "2", "3"]
    assert standing(reader, first(reader, text)) == {"1": "b", "2": "c", "3": "a"}


def test_things_of_which_each_has_a_place_show_their_property_and_moves_are_clicked_on_the_part_they_turn() -> None:
    reader = reader_of(WHEELS)
    board = reader.view.boards[0]
    assert {place.id for place in board.places} == {"home", "yard", "barn", "lake", "wood", "mill", "dock"}
    position = first(reader, WHEELS)
    assert standing(reader, position)["barn"] == "pink down"
    assert len(standing(reader, position)) == 7
    assert position.facts == ()
    pictures = [(piece.shape, piece.owner, piece.text) for piece in reader.view.pieces.values()]
    assert len(set(pictures)) == len(pictures)
    spins = clicked(reader, position)
    assert {move: sorted(places) for move, places in spins.items()} == {
        "(spin one)": ["barn", "home", "yard"],
        "(spin two)": ["barn", "lake", "wood"],
        "(spin three)": ["dock", "mill", "wood"],
    }


def test_facts_that_a_hint_ignores_are_not_recast() -> None:
    text = '; View: {"ignore": ["pile"]}\n' + PILE
    sheet = parse_rules(text)
    sample = play_sample(RulesGame(sheet), sheet.roles, math.inf, games=4)
    reader = find_view("game", sheet, sample, hints=read_hints(text, sheet.roles))
    assert all(board.id == CARDS for board in reader.view.boards)


@pytest.mark.parametrize(("sheet", "below", "above"), [(TRAYS, "red", "blue"), (games.read("tak_3"), "black", "white")])
def test_stacks_are_shown_from_bottom_to_top_whichever_end_is_the_first(sheet: str, below: str, above: str) -> None:
    reader = reader_of(sheet)
    tak = "white" in reader.view.roles
    names = ("piece", "wall") if tak else ("disc", "lid")
    numbers = (2, 1) if tak else (1, 2)
    facts = [f"({names[0]} a 1 {n} {thing})" for n, thing in zip(numbers, (below, above), strict=True)]
    for more, there in ([], (below, above)), ([f"({names[1]} a 1)"], (below, above, names[1])):
        shown = reader.read([*facts, *more], [() for _ in reader.view.roles], terminal=False)
        assert standing(reader, shown) == {"a 1": there}


def test_what_only_fills_a_cube_or_leaves_gaps_is_no_stack() -> None:
    only_laid = TRAYS.replace("(legal chef (lift ?x ?y))", "(nothing ?x ?y)")
    assert not reader_of(only_laid).recast.stacks
    floating = TRAYS.replace("(distinct ?d ?h))", "(distinct ?d 1))")
    assert not reader_of(floating).recast.stacks
