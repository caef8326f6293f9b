"""The board shows what stands where, the last move, and what an engine thinks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ludens.games.view.vocabulary import SHAPES
from tests.web.board_page import BoardPage
from tests.web.small_games import (
    BREAKTHROUGH,
    BREAKTHROUGH_START,
    CONNECT_FOUR,
    CONNECT_FOUR_START,
    STONES,
    TIC_TAC_TOE,
    game,
    on,
    position,
    squares,
)

THOUGHTS = {
    "role": 0,
    "candidates": [
        {"role": 0, "move": "(move a1 b2)", "visits": 1500, "value": 71.4, "proven": False},
        {"role": 0, "move": "(move b1 c2)", "visits": 20, "value": 100, "proven": True},
        {"role": 0, "move": "(move nowhere)", "visits": 10, "value": 1, "proven": False},
    ],
    "line": [["(move a1 b2)", "noop"], ["(move b1 c2)", "noop"]],
}


def test_every_shape_is_drawn(browser: Any, tmp_path: Path) -> None:
    pieces = {shape: {"shape": shape, "owner": 0, "text": "7"} for shape in SHAPES}
    count = len(SHAPES)
    page = BoardPage(browser, tmp_path, game(squares(count, 1), pieces, [], []), position(list(SHAPES), [], []))
    drawn = page.run("return [...document.querySelectorAll('.stack')].map((stack) => stack.innerHTML)")
    assert all(drawn)
    assert len(set(drawn)) == count
    assert not page.complaints()


def test_a_wall_on_a_stack_is_drawn_above_it_and_not_counted(browser: Any, tmp_path: Path) -> None:
    stones = {name: {"shape": "stone", "owner": i, "text": name} for i, name in enumerate(("white", "black"))}
    pieces = stones | {"wall": {"shape": "wall", "owner": None, "text": "wall"}}
    standing = ["wall", ["white", "wall"], ["white", "black", "wall"], ["white", "black", "white", "wall"]]
    page = BoardPage(browser, tmp_path, game(squares(4, 1), pieces, [], []), position(standing, [], []))
    script = """return [...document.querySelectorAll('.stack')].map((stack) => [
        ...[...stack.querySelectorAll('.body, rect.wall')].map((part) => part.closest('.piece').className.baseVal
            .replace(/piece ?/, '') || part.getAttribute('height')), stack.textContent])"""
    white, black = "tone-white", "tone-black"
    assert page.run(script) == [
        ["tone-grey", ""],
        [white, "30", ""],
        [white, black, "30", ""],
        [white, black, white, "30", "3"],
    ]


def test_owners_are_told_apart_by_marks_as_well_as_by_colours(browser: Any, tmp_path: Path) -> None:
    roles = ["red", "blue", "green", "yellow", "purple", "orange"]
    pieces = {role: {"shape": "stone", "owner": i, "text": ""} for i, role in enumerate(roles)}
    view = game(squares(6, 1), pieces, *([] for _ in roles), roles=roles)
    page = BoardPage(browser, tmp_path, view, position(list(roles), *([] for _ in roles)))
    script = "return [...document.querySelectorAll('.stack .mark')].map((mark) => mark.outerHTML)"
    assert len(set(page.run(script))) == 6


def test_a_position_replaces_the_one_before(browser: Any, tmp_path: Path) -> None:
    page = BoardPage(browser, tmp_path, TIC_TAC_TOE, position(on(9, x=[0]), [], []))
    page.run("board.show(arguments[0], {last: [null, '(mark 4)']})", position(on(9, x=[0], o=[4]), [], []))
    texts = page.run("return [...document.querySelectorAll('.stack')].map((stack) => stack.textContent)")
    assert texts == ["x", "", "", "", "o", "", "", "", ""]
    assert [place.get_attribute("data-place") for place in page.find(".place.last")] == ["4"]
    assert "last move" in page.place(4).get_attribute("aria-label")


def test_the_last_move_into_a_column_is_where_the_stone_fell(browser: Any, tmp_path: Path) -> None:
    after = position(on(9, w=[0, 3]), [0, 1, 2], [0])
    last = {"last": ["(drop 0)", "noop"], "before": CONNECT_FOUR_START}
    page = BoardPage(browser, tmp_path, CONNECT_FOUR, after, last)
    assert [place.get_attribute("data-place") for place in page.find(".place.last")] == ["3"]


def test_what_was_begun_stays_while_thoughts_come_in(browser: Any, tmp_path: Path) -> None:
    page = BoardPage(browser, tmp_path, BREAKTHROUGH, BREAKTHROUGH_START, roles=[0])
    page.click(0)
    page.run("board.show(arguments[0], {thoughts: arguments[1]})", BREAKTHROUGH_START, THOUGHTS)
    assert page.targets == 2
    assert page.find(".candidate")
    page.click(4)
    assert page.made == [[0, 0]]


def test_candidates_show_their_rates_and_the_line_its_order(browser: Any, tmp_path: Path) -> None:
    page = BoardPage(browser, tmp_path, BREAKTHROUGH, BREAKTHROUGH_START, {"thoughts": THOUGHTS})
    assert [rate.text for rate in page.find(".rate")] == ["100!", "71"]  # the best is drawn last, on top
    assert [visits.text for visits in page.find(".visits")] == ["20", "1.5k"]
    assert [number.text for number in page.find(".line-number")] == ["1", "2"]
    assert len(page.find(".line-arrow.head")) == 2


def test_a_hint_is_drawn_until_it_is_taken_away(browser: Any, tmp_path: Path) -> None:
    hint = {"hint": {"role": 0, "move": "(move a1 a2)"}}
    page = BoardPage(browser, tmp_path, BREAKTHROUGH, BREAKTHROUGH_START, hint)
    assert page.find(".hint-ring")
    page.run("board.annotate({})")
    assert not page.find(".hint-ring")


def test_a_line_into_one_column_climbs(browser: Any, tmp_path: Path) -> None:
    line = [["(drop 1)", "noop"], ["(drop 1)", "noop"]]
    thoughts = {"role": 0, "candidates": [], "line": line}
    page = BoardPage(browser, tmp_path, CONNECT_FOUR, CONNECT_FOUR_START, {"thoughts": thoughts})
    rings = [(ring.get_attribute("cx"), ring.get_attribute("cy")) for ring in page.find(".line-ring")]
    assert rings == [("150", "-50"), ("150", "-150")]


def test_stacks_show_all_their_pieces_and_their_height(browser: Any, tmp_path: Path) -> None:
    page = BoardPage(browser, tmp_path, game(squares(2, 1), STONES, [], []), position([["w", "b", "w"], None], [], []))
    assert len(page.find(".stack .piece")) == 3
    assert page.find(".stack .height")[0].text == "3"
    assert "stone of white under stone of black" in page.place(0).get_attribute("aria-label")


def test_hands_counters_and_other_facts_stand_beside_the_board(browser: Any, tmp_path: Path) -> None:
    more = {
        "hands": [{"role": 1, "pieces": {"b": 3, "w": 0}}],
        "counters": [{"name": "step", "value": "7"}, {"name": "score", "value": "2", "role": 0}],
        "facts": ["(control <white>)"],
    }
    page = BoardPage(browser, tmp_path, BREAKTHROUGH, BREAKTHROUGH_START | more)
    assert page.find(".hand")[0].text.split() == ["black", "×3"]
    assert [entry.text.split() for entry in page.find(".counters div")] == [["step", "7"], ["white:", "score", "2"]]
    assert page.run("return document.querySelector('.facts li').textContent") == "(control <white>)"


def test_a_game_without_a_board_shows_its_facts(browser: Any, tmp_path: Path) -> None:
    page = BoardPage(browser, tmp_path, game(None, {}, []), position(None, [], facts=["(on a b)", "(clear c)"]))
    assert [fact.text for fact in page.find(".facts li")] == ["(on a b)", "(clear c)"]


def test_what_else_holds_stays_open_from_one_position_to_the_next(browser: Any, tmp_path: Path) -> None:
    page = BoardPage(browser, tmp_path, BREAKTHROUGH, BREAKTHROUGH_START)
    assert not page.find(".facts")[0].is_displayed()
    page.run("board.show(arguments[0])", BREAKTHROUGH_START | {"facts": ["(step 1)"]})
    page.find(".facts summary")[0].click()
    page.run("board.show(arguments[0])", BREAKTHROUGH_START | {"facts": ["(step 2)"]})
    (fact,) = page.find(".facts li")
    assert (fact.is_displayed(), fact.text) == (True, "(step 2)")


def test_a_turned_board_has_its_first_square_on_the_upper_right(browser: Any, tmp_path: Path) -> None:
    page = BoardPage(browser, tmp_path, BREAKTHROUGH, BREAKTHROUGH_START)
    before = page.place(0).rect
    page.run("board.flip()")
    after = page.place(0).rect
    assert after["x"] > before["x"]
    assert after["y"] < before["y"]


def test_coordinates_come_and_go(browser: Any, tmp_path: Path) -> None:
    page = BoardPage(browser, tmp_path, BREAKTHROUGH, BREAKTHROUGH_START)
    assert [text.text for text in page.find(".coordinates text")] == [*"abcd", *"1234"]
    page.run("board.setCoordinates(false)")
    assert not page.find(".coordinates text")


@pytest.mark.parametrize("width", [360, 3840])
def test_the_board_fits_any_window(browser: Any, tmp_path: Path, width: int) -> None:
    page = BoardPage(browser, tmp_path, BREAKTHROUGH, BREAKTHROUGH_START)
    page.run(f"document.body.style.cssText = 'margin: 0; width: {width}px'")
    drawn = page.find("svg")[0].rect
    assert drawn["width"] <= width
    assert page.run("return document.querySelector('.boards').scrollWidth") <= width


def test_names_from_rule_sheets_are_no_markup(browser: Any, tmp_path: Path) -> None:
    evil = "<img src=x onerror=window.evil=1>"
    board = squares(1, 1)
    board["places"][0]["label"] = evil
    pieces = {"p": {"shape": "letter", "owner": None, "text": evil}}
    view = game(board, pieces, [], roles=[evil]) | {"game": evil}
    shown = position(["p"], [], facts=[evil], counters=[{"name": evil, "value": evil}])
    page = BoardPage(browser, tmp_path, view, shown)
    assert page.run("return [window.evil ?? 0, document.querySelectorAll('img').length]") == [0, 0]
    assert evil in page.place(0).get_attribute("aria-label")


def test_numbers_on_one_place_stand_side_by_side(browser: Any, tmp_path: Path) -> None:
    pieces = {str(i): {"shape": "number", "owner": None, "text": str(i)} for i in range(5)}
    view = game(squares(2, 1), pieces, [], [])
    page = BoardPage(browser, tmp_path, view, position([list(pieces), None], [], []))
    boxes = page.run(
        "return [...document.querySelectorAll('.stack text')].map((text) => {"
        " const {left, right, top, bottom} = text.getBoundingClientRect(); return [left, right, top, bottom]; })"
    )
    assert len(boxes) == 5
    for i, (left, right, top, bottom) in enumerate(boxes):
        for other in boxes[i + 1 :]:
            assert right <= other[0] or other[1] <= left or bottom <= other[2] or other[3] <= top


def test_walls_are_lines_between_places(browser: Any, tmp_path: Path) -> None:
    stood = position([None] * 4, [], []) | {"walls": [[[0, 0], [0, 1]]]}
    page = BoardPage(browser, tmp_path, game(squares(2, 2), {}, [], []), stood)
    script = "const b = document.querySelector('.walls').getBBox(); return [b.width, b.height]"
    assert page.run(script) in ([0, 100], [100, 0])
    page.run("board.show(arguments[0])", position([None] * 4, [], []))
    assert page.run(script) == [0, 0]
    assert not page.complaints()


def test_where_men_stand_on_one_colour_only_that_colour_is_dark(browser: Any, tmp_path: Path) -> None:
    board = squares(2, 1)
    board["checkered"] = True
    board["places"][0]["blocked"] = True
    page = BoardPage(browser, tmp_path, game(board, {}, [], []), position([None, None], [], []))
    assert [place.get_attribute("data-place") for place in page.find(".place.dark")] == ["1"]
