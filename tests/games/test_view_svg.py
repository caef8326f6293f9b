"""Positions as SVG: well formed, by themselves, with a piece for each thing that stands on a place."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from xml.etree import ElementTree

import pytest

import ludens
from ludens import games
from ludens.agent.playable.text_game import RulesGame
from ludens.games.view.find import find_view
from ludens.games.view.reader import PositionReader
from ludens.games.view.sample import play_sample
from ludens.games.view.svg import Note, SvgBoard, role_colours
from ludens.games.view.vocabulary import Board, GameView, Piece, Place, PositionView, Stack, Step, legal_steps
from ludens.propnet.gdl.parser import parse_rules
from tests.support.views import reader_of

SVG = "{http://www.w3.org/2000/svg}"
WALL = 'fill="#6b625a"'
CELLS = [f"(cell {x} {y} {piece})" for x in (1, 2, 3) for y in (1, 2) for piece in ("b", "x", "o")]


def drawing(reader: PositionReader, facts: Sequence[str], notes: Sequence[Note] = (), title: str = "") -> str:
    position = reader.read(facts, [()] * len(reader.view.roles), False)
    return SvgBoard(reader.view).draw(position, notes, title)


def row_of_squares(
    pieces: Sequence[Piece],
    stacks: Sequence[Stack],
    walls: Sequence[tuple[Step, Step]] = (),
    roles: tuple[str, ...] = ("robot",),
) -> str:
    """Draws squares side by side; pieces are known by their texts."""
    places = tuple(Place(f"{i} 1", i + 0.5, 0.5, "") for i in range(len(stacks)))
    board = Board("row", "squares", len(places), 1, (), (), False, places)
    view = GameView("game", roles, (board,), {piece.text: piece for piece in pieces}, ((),) * len(roles))
    position = PositionView((tuple(stacks),), (), (), (), (), ((),), False, None, walls=tuple(walls))
    return SvgBoard(view).draw(position)


def texts(svg: str) -> list[str]:
    return [element.text or "" for element in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def test_places_pieces_labels_and_facts_are_drawn() -> None:
    reader = reader_of([*CELLS, "(cell 1 1 x)"], [text for text in CELLS if text.endswith("b)")])
    svg = drawing(reader, ["(cell 1 1 x)", "(cell 3 2 o)", "(cell 2 2 b)", "(control white)"], title="to <move>")
    root = ElementTree.fromstring(svg)
    assert len(root.findall(f".//{SVG}rect")) == 1 + 6  # the ground and the places
    assert root.findtext(f"{SVG}title", "").endswith("to <move>")
    found = texts(svg)
    assert sorted(text.lower() for text in found) == sorted(
        ["x", "o", "1", "1", "2", "2", "3", "to <move>", "(control: white)"]
    )


def test_a_wall_is_a_line_between_two_places_below_the_pieces() -> None:
    svg = row_of_squares([Piece("stone", 0, "s")], ["s", None, None], [((0, 0), (0, 1))])
    (line,) = ElementTree.fromstring(svg).iter(f"{SVG}line")
    ends = {(float(line.get(f"x{i}", "")), float(line.get(f"y{i}", ""))) for i in (1, 2)}
    assert ends == {(110.0, 10.0), (110.0, 110.0)}  # the side that the first two squares share
    assert svg.index("<line ") < svg.index("<circle ")


def test_numbers_on_one_place_stand_side_by_side() -> None:
    svg = row_of_squares([Piece("number", None, text) for text in "1234"], [("1", "2", "3", "4"), "1"])
    places = re.findall(r'translate\((\S+ \S+)\) scale\(0\.5\)"><text[^>]*>(\d)', svg)
    assert places == [("-23 -23", "1"), ("23 -23", "2"), ("-23 23", "3"), ("23 23", "4")]


def test_what_is_beside_the_board_stands_in_lines_that_fit() -> None:
    facts = [f"(known {n})" for n in "abcdefghijklmnopqrst"]
    reader = reader_of([*CELLS, *facts], [text for text in CELLS if text.endswith("b)")] + facts)
    svg = drawing(reader, facts)
    lines = [text for text in texts(svg) if "known" in text]
    assert len(lines) > 1
    assert re.findall(r"known[: ]+(\w)", " ".join(lines).replace("\xa0", " ")) == list("abcdefghijklmnopqrst")
    assert float(ElementTree.fromstring(svg).get("viewBox", "").split()[2]) < 1600


def test_words_stand_on_plates_and_long_ones_are_cut_short() -> None:
    svg = row_of_squares([Piece("letter", 0, "catapults_of_red")], ["catapults_of_red"])
    assert texts(svg) == ["catapults_o…"]
    assert svg.count("<rect ") == 1 + 1 + 1  # the ground, the place and the plate


def test_who_rides_over_a_wall_is_drawn_above_it() -> None:
    squares = [(x, y) for x in (1, 2, 3) for y in (1, 2, 3)]
    vocabulary = [f"(at {x} {y} {thing})" for x, y in squares for thing in ("ball", "robot")]
    vocabulary += [f"(wall {x} {y})" for x, y in squares]
    reader = reader_of(vocabulary, ["(at 1 1 robot)", "(at 3 3 ball)", "(wall 3 1)"])
    svg = drawing(reader, ["(at 1 1 robot)", "(wall 1 1)"])
    assert svg.index(f'width="96" height="96" {WALL}') < svg.index(">R<")


@pytest.mark.parametrize(("owners", "count"), [([0], []), ([0, 1], []), ([1, 0, 0], ["3"]), ([0, 1] * 4, ["8"])])
@pytest.mark.parametrize("top", ["wall", "mark"])
def test_what_lies_on_a_stack_is_drawn_above_it_and_not_counted(owners: list[int], count: list[str], top: str) -> None:
    """A wall stands upright on the last piece, which shows its owner below."""
    pieces = [Piece("stone", 0, "a"), Piece("stone", 1, "b"), Piece(top, None, "t")]
    svg = row_of_squares(pieces, [(*("ab"[owner] for owner in owners), "t")], roles=("white", "black"))
    shown = [("#fbfbf7", "#26262a")[owner] for owner in owners][-3:]
    assert re.findall(r'<circle r="40" fill="(#\w+)"', svg) == shown
    assert svg.rindex('<circle r="40"') < svg.index(f'height="30" {WALL}' if top == "wall" else "stroke-dasharray")
    assert texts(svg) == count


def test_in_tak_walls_and_capstones_lie_on_their_stacks() -> None:
    sheet = parse_rules(games.read("tak_3"))
    reader = find_view("tak_3", sheet, play_sample(RulesGame(sheet), sheet.roles, math.inf, games=4))
    facts = ["(piece b 2 2 white)", "(piece b 2 1 black)", "(wall b 2)", "(piece a 1 1 white)", "(wall a 1)"]
    svg = drawing(reader, facts)
    white, black = ("#fbfbf7", "#26262a")
    drawn = re.findall(rf'<circle r="40" fill="(#\w+)"|height="30" ({WALL})', svg)
    assert [colour or "wall" for colour, _ in drawn] == [white, "wall", white, black, "wall"]


def test_of_several_notes_on_a_place_the_first_is_shown() -> None:
    reader = reader_of([*CELLS, "(cell 1 1 x)"], [text for text in CELLS if text.endswith("b)")])
    notes = [Note([(0, 2)], "57", best=True), Note([(0, 2)], "3"), Note([(0, 0), (0, 1)], "8"), Note([], "nowhere")]
    svg = drawing(reader, ["(cell 1 1 b)"], notes)
    assert texts(svg)[-2:] == ["8", "57"]
    assert svg.count("<line ") == 1


def test_a_colour_that_a_role_names_is_its_own_and_no_two_roles_share_one() -> None:
    colours = role_colours(["white", "first", "Red Player", "second"])
    assert len(set(colours)) == 4
    assert colours == [*role_colours(["white", "first", "red", "second"])]


@pytest.mark.parametrize("name", games.names())
def test_every_built_in_game_is_drawn(name: str) -> None:
    game = ludens.load(name, interpret=True)
    state = game.initial
    for _ in range(3):
        if not state.terminal:
            state = state.play({role: state.legal(role)[0] for role in state.to_move})
    svg = state.svg()
    root = ElementTree.fromstring(svg)
    width, height = (float(root.get(side, "0")) for side in ("width", "height"))
    assert 40 < width <= 620
    assert height > 20
    assert not re.search(r"nan|inf|None", re.sub(r">[^<]*<", "><", svg))
    assert game._renderer is game._renderer


def test_the_places_of_moves_are_those_of_the_position() -> None:
    state = ludens.load("connect_four").initial
    renderer = state.game._renderer
    position = renderer._reader.read(*state._drawn_state)
    steps = legal_steps(renderer._view, position, 0)
    assert set(steps) == set(state.legal())
    assert len({places[-1] for places in steps.values()}) == 7
