"""A match that is one page opens from a file and is stepped through with its thoughts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ludens.agent.play.replay import follow
from ludens.agent.play.replayed_game import replayed_game
from ludens.agent.records.reading import FoundRecord
from ludens.agent.web.record_page import record_page
from ludens.games.rules import NamedRules
from ludens.propnet.base.child import Limits
from tests.support.recorded_match import RECORD, RULES

LEFT, RIGHT, END, HOME = "\ue012", "\ue014", "\ue010", "\ue011"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a match."""
    path = tmp_path_factory.mktemp("page") / "match.html"
    game = replayed_game(NamedRules("tic_tac_toe", RULES), Limits(60, 512))
    path.write_text(record_page(follow(game, FoundRecord(RECORD))), encoding="utf-8")
    return path


@pytest.fixture
def opened(browser: Any, page: Path) -> Any:
    """The browser that shows the match."""
    browser.get_log("browser")
    browser.get("about:blank")
    browser.get(page.as_uri())
    return browser


def text(browser: Any, selector: str) -> str:
    """The text of an element."""
    found: str = browser.find_element("css selector", selector).text
    return found


def standing(browser: Any) -> int:
    """How many pieces are on the board."""
    return len(browser.find_elements("css selector", ".pieces .piece"))


def press(browser: Any, *keys: str) -> None:
    """Presses keys on the page."""
    for key in keys:
        browser.find_element("css selector", "body").send_keys(key)


def test_the_page_opens_from_a_file_without_a_complaint_and_loads_nothing(opened: Any) -> None:
    assert text(opened, ".where") == "0 / 5"
    assert "Ann" in text(opened, ".players")
    assert "<b>Ben</b>" in text(opened, ".players")
    assert opened.execute_script("return performance.getEntriesByType('resource').length") == 0
    assert [entry for entry in opened.get_log("browser") if entry["level"] == "SEVERE"] == []


def test_the_page_tells_why_players_play_as_they_do(opened: Any) -> None:
    assert text(opened, ".remarks") == "How they play, and why"
    opened.find_element("css selector", ".remarks summary").click()
    assert "cross: plays by <b>uct</b>: no other" in text(opened, ".remarks")


def test_keys_step_through_the_match(opened: Any) -> None:
    press(opened, RIGHT, RIGHT, RIGHT, LEFT)
    assert (text(opened, ".where"), standing(opened)) == ("2 / 5", 2)
    press(opened, END)
    assert "The game is over: cross 100, nought 0" in text(opened, ".status")
    press(opened, RIGHT)
    assert text(opened, ".where") == "5 / 5"
    press(opened, HOME)
    assert standing(opened) == 0


def test_buttons_the_list_and_the_slider_do_too(opened: Any) -> None:
    opened.find_element("css selector", '[data-do="on"]').click()
    assert standing(opened) == 1
    opened.find_element("css selector", '.turns [data-step="4"]').click()
    assert standing(opened) == 4
    assert opened.find_element("css selector", ".turns [aria-current=true]").text.startswith("nought")
    slider = opened.find_element("css selector", ".slider")
    slider.send_keys(LEFT)
    assert text(opened, ".where") == "3 / 5"
    assert slider.get_attribute("aria-valuetext") == "after 3 of 5 turns"


def test_thoughts_stand_beside_and_on_the_board(opened: Any) -> None:
    press(opened, RIGHT, RIGHT)
    assert "cross expects 88.5" in text(opened, ".thoughts")
    assert text(opened, ".thoughts tbody").endswith("70 61.0")
    assert [rate.text for rate in opened.find_elements("css selector", ".rate")] == ["61"]
    press(opened, "t")
    assert not opened.find_elements("css selector", ".rate")


def test_the_graph_shows_what_was_expected_and_leads_to_positions(opened: Any) -> None:
    graph = opened.find_element("css selector", ".evaluation")
    assert len(graph.find_elements("css selector", ".curve")) == 1
    opened.execute_script(
        "const box = arguments[0].getBoundingClientRect(); arguments[0].dispatchEvent(new MouseEvent('click', "
        "{ bubbles: true, clientX: box.left + 0.4 * box.width + 12, clientY: box.top + 5 }))",
        graph,
    )
    assert text(opened, ".where") == "2 / 5"


def test_the_last_move_is_marked_and_the_board_turns(opened: Any) -> None:
    press(opened, RIGHT)
    last = opened.find_element("css selector", ".place.last")
    before = last.rect
    press(opened, "f")
    after = opened.find_element("css selector", ".place.last").rect
    assert (before["x"], before["y"]) != (after["x"], after["y"])


def test_a_notice_of_a_damaged_record_is_shown_first(browser: Any, tmp_path: Path) -> None:
    game = replayed_game(NamedRules("tic_tac_toe", RULES), Limits(60, 512))
    damaged = follow(game, FoundRecord(RECORD, notice="the record breaks off <here>"))
    path = tmp_path / "damaged.html"
    path.write_text(record_page(damaged), encoding="utf-8")
    browser.get(path.as_uri())
    assert text(browser, '[role="alert"]') == "the record breaks off <here>"
