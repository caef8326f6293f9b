"""Clicks, drags and keys on the board make the right moves, whatever kind of board it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.waiting import until
from tests.web.board_page import BoardPage
from tests.web.small_games import (
    BREAKTHROUGH,
    BREAKTHROUGH_START,
    CHECKERS,
    CHECKERS_START,
    CONNECT_FOUR,
    CONNECT_FOUR_START,
    MORRIS,
    MORRIS_START,
    STONES,
    TIC_TAC_TOE,
    game,
    graph,
    hexagons,
    move,
    on,
    position,
    squares,
)

ENTER, ESCAPE, TAB, SHIFT = "\ue007", "\ue00c", "\ue004", "\ue008"
LEFT, UP, RIGHT, DOWN = "\ue012", "\ue013", "\ue014", "\ue015"


@pytest.fixture
def breakthrough(browser: Any, tmp_path: Path) -> BoardPage:
    """A game from–to, played by white."""
    return BoardPage(browser, tmp_path, BREAKTHROUGH, BREAKTHROUGH_START, roles=[0])


@pytest.fixture
def promotion(browser: Any, tmp_path: Path) -> BoardPage:
    """A game with two moves from 6 to 15."""
    promotions = [move(f"(promote {piece})", 6, 15, choice=piece) for piece in ("queen", "knight")]
    view = game(squares(4, 4), STONES, promotions, [move("noop")])
    return BoardPage(browser, tmp_path, view, position(on(16, w=[6]), [0, 1], [0]), roles=[0])


@pytest.fixture
def drops(browser: Any, tmp_path: Path) -> BoardPage:
    """A game in which white drops w or b from a hand on any of four places."""
    moves = [move(f"(drop {piece} {i})", i, choice=piece) for piece in ("w", "b") for i in range(4)]
    hands = [{"role": 0, "pieces": {"w": 2, "b": 1}}]
    view = game(squares(2, 2), STONES, moves, [move("noop")])
    return BoardPage(browser, tmp_path, view, position(on(4), list(range(8)), [0], hands=hands), roles=[0])


def pointer(page: BoardPage) -> Any:
    """Begins a chain of what is done with the mouse."""
    from selenium.webdriver import ActionChains

    return ActionChains(page.browser)


def drag(page: BoardPage, start: int, end: int) -> None:
    """Drags what stands on a place to another one."""
    pointer(page).drag_and_drop(page.place(start), page.place(end)).perform()


# ---- Clicks ----


def test_a_click_drops_a_stone(browser: Any, tmp_path: Path) -> None:
    page = BoardPage(browser, tmp_path, TIC_TAC_TOE, position(on(9, x=[0]), [9], [1, 2, 4]), roles=[0, 1])
    page.click(0)  # taken
    assert page.made == []
    page.click(4)
    assert page.made == [[1, 4]]


def test_two_clicks_move_a_piece_and_the_first_shows_where_it_may_go(breakthrough: BoardPage) -> None:
    breakthrough.click(0)
    assert (breakthrough.targets, len(breakthrough.find(".capture"))) == (2, 1)  # of which one takes a piece
    breakthrough.click(5)
    assert breakthrough.made == [[0, 1]]
    assert breakthrough.targets == 0


def test_a_click_on_another_piece_chooses_that_one_and_one_elsewhere_none(breakthrough: BoardPage) -> None:
    breakthrough.click(0, 1, 6)
    assert breakthrough.made == [[0, 3]]
    breakthrough.click(0, 15)
    assert breakthrough.targets == 0
    breakthrough.click(0, 0)
    assert breakthrough.targets == 0
    assert len(breakthrough.made) == 1


def test_moves_of_several_steps_are_clicked_step_by_step(browser: Any, tmp_path: Path) -> None:
    page = BoardPage(browser, tmp_path, CHECKERS, CHECKERS_START, roles=[0])
    page.click(0, 14)
    assert page.made == []  # it could go on
    page.click(28)
    assert page.made == [[0, 0]]


def test_a_move_that_could_go_on_ends_by_a_second_click_or_by_its_button(browser: Any, tmp_path: Path) -> None:
    page = BoardPage(browser, tmp_path, CHECKERS, CHECKERS_START, roles=[0])
    page.click(0, 14, 14)
    assert page.made == [[0, 1]]
    page.click(0, 14)
    page.find(".choices button")[0].click()
    assert page.made == [[0, 1], [0, 1]]


def test_moves_over_the_same_places_are_told_apart_by_a_choice(promotion: BoardPage) -> None:
    promotion.click(6, 15)
    assert [button.text for button in promotion.find(".choices button")] == ["queen", "knight"]
    promotion.find(".choices button")[1].click()
    assert promotion.made == [[0, 1]]
    assert not promotion.find(".choices")[0].is_displayed()


def test_any_place_of_a_column_drops_a_stone_into_it(browser: Any, tmp_path: Path) -> None:
    page = BoardPage(browser, tmp_path, CONNECT_FOUR, CONNECT_FOUR_START, roles=[0])
    page.click(6)
    page.click(0)  # the stone that lies there already
    page.click(2)
    assert page.made == [[0, 0], [0, 0], [0, 2]]


def test_pieces_move_along_the_lines_of_a_graph(browser: Any, tmp_path: Path) -> None:
    page = BoardPage(browser, tmp_path, MORRIS, MORRIS_START, roles=[0])
    page.click(1, 3)
    assert page.made == [[0, 1]]
    assert page.find(".edges")[0].get_attribute("d").count("M") == 4


def test_hexagons_take_clicks(browser: Any, tmp_path: Path) -> None:
    view = game(hexagons(5), STONES, [move(f"(put {i})", i) for i in range(25)], [move("noop")])
    page = BoardPage(browser, tmp_path, view, position(on(25), list(range(25)), [0]), roles=[0])
    page.click(12)
    assert page.made == [[0, 12]]
    assert page.place(0).find_element("css selector", "path").get_attribute("d").count("L") == 5


def test_a_piece_taken_from_a_hand_narrows_the_drops_down(drops: BoardPage) -> None:
    drops.find(".hand button")[1].click()
    drops.click(3)
    assert drops.made == [[0, 7]]
    assert "×2" in drops.find(".hand")[0].text


def test_what_no_place_tells_is_chosen_from_a_list_that_can_be_searched(browser: Any, tmp_path: Path) -> None:
    bids = [move(f"(bid {i})") for i in range(40)]
    view = game(squares(2, 2), STONES, bids, [move("noop")])
    page = BoardPage(browser, tmp_path, view, position(on(4), list(range(40)), [0]), roles=[0])
    assert len(page.find(".moves button")) == 40
    page.find(".moves input")[0].send_keys("bid 37")
    (only,) = page.find(".moves button")
    only.click()
    assert page.made == [[0, 37]]


def test_who_only_looks_on_moves_nothing(browser: Any, tmp_path: Path) -> None:
    page = BoardPage(browser, tmp_path, BREAKTHROUGH, BREAKTHROUGH_START, roles=[])
    page.click(0, 4)
    assert page.made == []
    assert page.targets == 0
    page.run("board.setRoles([0])")
    page.click(0, 4)
    assert page.made == [[0, 0]]


def test_a_forced_move_can_be_made(browser: Any, tmp_path: Path) -> None:
    page = BoardPage(browser, tmp_path, BREAKTHROUGH, position(on(16, w=[0]), [0], [0]), roles=[0])
    page.click(0, 4)
    assert page.made == [[0, 0]]


def test_roles_that_move_at_once_are_asked_one_after_the_other(browser: Any, tmp_path: Path) -> None:
    view = game(squares(2, 1), STONES, *([move(f"(go {i})", i) for i in range(2)] for _ in range(2)))
    page = BoardPage(browser, tmp_path, view, position(on(2), [0, 1], [0, 1]), roles=[0, 1])
    page.click(1)
    page.run("board.setRoles([1])")
    page.click(0)
    assert page.made == [[0, 1], [1, 0]]


# ---- Drags ----


def test_a_piece_is_dragged_to_where_it_may_go(breakthrough: BoardPage) -> None:
    drag(breakthrough, 0, 5)
    assert breakthrough.made == [[0, 1]]


def test_a_piece_dragged_to_where_it_may_not_go_returns(breakthrough: BoardPage) -> None:
    before = breakthrough.find('.stack[data-place="1"]')[0].get_attribute("transform")
    drag(breakthrough, 1, 15)
    assert breakthrough.made == []
    assert breakthrough.find('.stack[data-place="1"]')[0].get_attribute("transform").startswith(before)


@pytest.mark.parametrize("start", [0, 4], ids=["from a stone", "from a free place"])
def test_where_a_click_makes_a_move_a_drag_to_another_place_makes_none(
    browser: Any, tmp_path: Path, start: int
) -> None:
    page = BoardPage(browser, tmp_path, CONNECT_FOUR, CONNECT_FOUR_START, roles=[0])
    drag(page, start, 8)
    assert page.made == []
    pointer(page).click_and_hold(page.place(start)).move_by_offset(10, 10).release().perform()  # within the place
    assert page.made == [[0, start % 3]]


def test_a_press_that_ended_beside_the_board_lifts_no_piece_later(browser: Any, tmp_path: Path) -> None:
    page = BoardPage(browser, tmp_path, BREAKTHROUGH, BREAKTHROUGH_START, roles=[])
    page.run("document.body.prepend(Object.assign(document.createElement('p'), {id: 'beside', textContent: 'beside'}))")
    pointer(page).click_and_hold(page.place(0)).move_to_element(page.find("#beside")[0]).release().perform()
    page.run("board.setRoles([0])")
    pointer(page).move_to_element(page.place(0)).move_to_element(page.place(5)).perform()
    assert page.targets == 0
    page.click(0, 5)
    assert page.made == [[0, 1]]


# ---- Keys ----


def test_a_whole_move_is_made_by_keys(breakthrough: BoardPage) -> None:
    breakthrough.run("document.querySelector('.place[tabindex=\"0\"]').focus()")
    breakthrough.press(ENTER, RIGHT, UP, ENTER)  # from a1, where a move may begin
    assert breakthrough.made == [[0, 1]]


def test_escape_drops_what_was_begun(breakthrough: BoardPage) -> None:
    breakthrough.place(0).click()
    breakthrough.run("document.querySelector('.place[data-place=\"0\"]').focus()")
    breakthrough.press(ESCAPE)
    assert breakthrough.targets == 0


@pytest.mark.parametrize("flipped", [False, True])
def test_arrows_go_where_they_point_on_a_turned_board_too(browser: Any, tmp_path: Path, flipped: bool) -> None:
    page = BoardPage(browser, tmp_path, BREAKTHROUGH, BREAKTHROUGH_START, roles=[0], flipped=flipped)
    page.run("document.querySelector('.place[data-place=\"5\"]').focus()")
    page.press(RIGHT, DOWN)
    expected = 5 - 1 + 4 if flipped else 5 + 1 - 4
    assert page.run("return document.activeElement.dataset.place") == str(expected)


def test_each_board_is_one_stop_of_the_tab_key(breakthrough: BoardPage) -> None:
    assert len(breakthrough.find('.place[tabindex="0"]')) == 1
    breakthrough.place(9).click()
    breakthrough.run("document.querySelector('.place[data-place=\"9\"]').focus()")
    (stop,) = breakthrough.find('.place[tabindex="0"]')
    assert stop.get_attribute("data-place") == "9"


def test_tab_comes_back_to_where_it_left_each_of_two_boards(browser: Any, tmp_path: Path) -> None:
    view = game(squares(2, 1), STONES, [], [])
    view["boards"].append(squares(2, 1) | {"id": "other"})
    page = BoardPage(browser, tmp_path, view, position(on(2), [], [], boards=[on(2), on(2)]))
    at = "const at = document.activeElement; return [at.closest('svg')?.dataset.board, at.dataset.place]"
    page.run("document.querySelector('.place[data-place=\"1\"]').focus()")
    page.press(TAB)
    assert page.run(at) == ["1", "0"]
    page.press(SHIFT + TAB)
    assert page.run(at) == ["0", "1"]


def test_a_piece_that_a_key_takes_from_a_hand_or_puts_back_keeps_the_focus(drops: BoardPage) -> None:
    drops.run("document.querySelector('.hand button').focus()")
    for pressed in ("true", "false"):
        drops.press(ENTER)
        assert drops.run("return document.activeElement.getAttribute('aria-pressed')") == pressed


@pytest.mark.parametrize("is_chosen", [True, False], ids=["chosen", "refused"])
def test_who_chose_among_moves_by_keys_is_back_where_they_end(promotion: BoardPage, is_chosen: bool) -> None:
    promotion.click(6, 15)
    if is_chosen:
        promotion.press(ENTER)
        assert promotion.made == [[0, 0]]
    else:
        promotion.run("board.setRoles([])")
    assert promotion.run("return document.activeElement.dataset.place") == "15"


# ---- What readers of screens hear ----


BOARDS = {
    "squares": squares(4, 3),
    "hexagons": hexagons(4),
    "graph": graph([(0, 0), (1, 1), (2, 0)], [(0, 1)]),
    "track": graph([(0, 0), (1, 0), (2, 0)], [(0, 1), (1, 2)]) | {"style": "track"},
}


@pytest.mark.parametrize("style", BOARDS)
def test_every_place_is_a_named_cell_of_a_row_of_a_grid(browser: Any, tmp_path: Path, style: str) -> None:
    board = BOARDS[style]
    count = len(board["places"])
    page = BoardPage(browser, tmp_path, game(board, STONES, [], []), position(on(count, w=[1]), [], []))
    labels = page.run(
        "return [...document.querySelectorAll('[role=grid] > .places > [role=row] > [role=gridcell]')]"
        ".map((cell) => [Number(cell.dataset.place), cell.getAttribute('aria-label')])"
    )
    named = dict(labels)
    assert sorted(named) == list(range(count))
    assert all(named[i].startswith(place["label"]) for i, place in enumerate(board["places"]))
    assert "stone of white" in named[1]
    assert "empty" in named[0]
    assert not page.complaints()


def test_what_is_chosen_and_can_be_chosen_is_said(breakthrough: BoardPage) -> None:
    breakthrough.click(0)
    assert "chosen" in breakthrough.place(0).get_attribute("aria-label")
    assert "can be chosen" in breakthrough.place(5).get_attribute("aria-label")
    assert breakthrough.place(0).get_attribute("aria-selected") == "true"
    assert "a1" in breakthrough.run("return document.querySelector('[aria-live]').textContent")


def test_walls_are_said_on_both_sides(browser: Any, tmp_path: Path) -> None:
    state = position(on(9, x=[0]), [9], [1, 2, 4]) | {"walls": [[[0, 0], [0, 1]], [[0, 0], [0, 3]]]}
    page = BoardPage(browser, tmp_path, TIC_TAC_TOE, state)
    labels = [place["label"] for place in TIC_TAC_TOE["boards"][0]["places"]]
    said = [page.place(number).get_attribute("aria-label") for number in (0, 1, 2, 3)]
    assert [text.partition("wall to ")[2] for text in said] == [
        f"{labels[1]} and {labels[3]}",
        labels[0],
        "",
        labels[0],
    ]


# ---- Moves that are listed ----

LISTED = game(squares(2, 2), STONES, [move("wait"), move("(bid 1)"), move("(put 1)", 1)], [move("noop")])


@pytest.fixture
def listed(browser: Any, tmp_path: Path) -> BoardPage:
    """A game in which white waits or bids, which no place tells."""
    return BoardPage(browser, tmp_path, LISTED, position(on(4), [0, 1, 2], [0]), roles=[0])


def test_a_listed_move_that_is_hinted_at_is_marked(listed: BoardPage) -> None:
    marked = "return [...document.querySelectorAll('.moves button.hinted')].map((one) => one.dataset.move)"
    assert listed.run(marked) == []
    listed.run("board.annotate({ hint: { role: 0, move: '(bid 1)' } })")
    assert listed.run(marked) == ["1"]
    listed.run("board.annotate({})")
    assert listed.run(marked) == []


def test_who_has_chosen_from_the_list_is_in_it_again_when_there_is_the_next_choice(listed: BoardPage) -> None:
    listed.find(".moves button")[0].click()
    assert listed.made == [[0, 0]]
    listed.run("board.setRoles([])")
    assert not listed.find(".moves button")
    listed.run("board.setRoles([0])")
    assert listed.run("return document.activeElement.closest('.moves') !== null")


def test_who_has_gone_elsewhere_meanwhile_is_left_there(listed: BoardPage) -> None:
    listed.find(".moves button")[0].click()
    listed.run("board.setRoles([])")
    listed.place(3).click()
    listed.run("board.setRoles([0])")
    assert listed.run("return document.activeElement.dataset.place") == "3"


def test_who_turns_the_board_stays_on_the_same_place_or_in_the_list(listed: BoardPage) -> None:
    listed.place(3).click()
    listed.run("board.flip()")
    assert listed.run("return document.activeElement.dataset.place") == "3"
    listed.run("document.querySelector('.moves button').focus(); board.flip()")
    assert listed.run("return document.activeElement.closest('.moves') !== null")


# ---- Fingers ----


@pytest.fixture
def touch(browser: Any) -> Iterator[Callable[[str, float, float], None]]:
    """Has a finger do something at a point of the window."""

    def tell(kind: str, x: float, y: float) -> None:
        points = [] if kind == "touchEnd" else [{"x": x, "y": y}]
        browser.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    for enabled in (True, False):
        browser.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": enabled})
        if enabled:
            yield tell


@pytest.mark.parametrize(("start", "ending"), [(0, "pointerup"), (15, "pointercancel")])
def test_a_finger_scrolls_the_page_over_a_board_but_from_where_it_drags(
    breakthrough: BoardPage, touch: Callable[[str, float, float], None], start: int, ending: str
) -> None:
    """A browser that scrolls tells the board that the finger is none of its own any more."""
    breakthrough.run(
        "document.body.style.paddingBottom = '5000px'; window.endings = [];"
        "for (const kind of ['pointerup', 'pointercancel']) addEventListener(kind, () => endings.push(kind), true)"
    )
    box = breakthrough.place(start).rect
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    touch("touchStart", x, y)
    for up in range(10, 150, 10):
        touch("touchMove", x, y - up)
    touch("touchEnd", x, y)
    until(lambda: bool(breakthrough.run("return endings.length")))
    assert breakthrough.run("return endings") == [ending]
