"""What the page does for those who type, press keys, listen to it, or let it keep nothing, in a real browser."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from ludens.agent.records.record import to_json
from tests.support.browser import chromium
from tests.support.page_server import Served
from tests.support.recorded_match import RECORD
from tests.support.visitor import ENTER, Chromium, Visitor, begin, place
from tests.support.waiting import until

COUNT_ORDERS = """
    window.orders = [];
    const send = window.fetch;
    window.fetch = (path, how) => {
      if (how?.method === "POST") orders.push(path.split("/").at(-1));
      return send(path, how);
    };
"""
PRESS = """
    const [key, repeat] = arguments;
    const event = new KeyboardEvent("keydown", { key, repeat, bubbles: true, cancelable: true });
    document.activeElement.dispatchEvent(event);
"""
BLOCK_STORAGE = """
    for (const name of ["sessionStorage", "localStorage"]) {
      Object.defineProperty(window, name, { get() { throw new DOMException("blocked", "SecurityError"); } });
    }
"""
KEEP_SOURCE = """
    const Source = window.EventSource;
    window.EventSource = class extends Source { constructor(...told) { super(...told); window.source = this; } };
"""


@pytest.fixture(scope="module")
def driver() -> Iterator[Any]:
    with chromium(1200, 900) as driver:
        yield driver


@pytest.fixture
def visitor(driver: Any) -> Visitor:
    return Visitor(Chromium(driver))


@pytest.fixture
def first(driver: Any) -> Iterator[Any]:
    """Runs a script in every page before its own, until the end of the test."""
    added: list[str] = []

    def run(source: str) -> None:
        told = driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": source})
        added.append(told["identifier"])

    yield run
    for identifier in added:
        driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", {"identifier": identifier})


def test_a_fraction_is_typed_into_the_times_before_a_match(visitor: Visitor, served: Served) -> None:
    visitor.open(served.address)
    visitor.click("a.card", "Tic-Tac-Toe")
    visitor.see("form button.main", "Begin")
    visitor.choose('select[aria-label="Who plays nought"]', "strategy")
    visitor.click(".time input[type=number]")
    visitor.run("document.activeElement.select()")
    visitor.browser.press("0.5" + ENTER)
    visitor.see(".board svg")
    assert served.get(f"/match/{visitor.match}/snapshot")["state"]["pace"]["think"] == 0.5


def test_a_hint_is_said_in_words_for_as_long_as_its_position_is_looked_at(visitor: Visitor, served: Served) -> None:
    begin(visitor, served, "tic_tac_toe", "person", "person")
    visitor.click(".controls button", "Hint")
    visitor.see(".status[role=status]", "Hint: mark ")
    visitor.place("2,2")
    visitor.see(".move-list li", "1.")
    assert "Hint" not in visitor.status


def test_cards_are_as_large_as_their_places(visitor: Visitor, served: Served) -> None:
    begin(visitor, served, "rock_paper_scissors", "person", "person")
    width = "return document.querySelector(arguments[0]).getBoundingClientRect().width"
    assert 0 < visitor.run(width, ".board .piece .card") <= visitor.run(width, ".board .place")


def test_a_page_that_may_keep_nothing_in_the_browser_is_played_on(visitor: Visitor, served: Served, first: Any) -> None:
    first(BLOCK_STORAGE)
    begin(visitor, served, "tic_tac_toe", "person", "person")
    visitor.place("2,2")
    visitor.see(".move-list li", "1.")


def test_a_key_that_is_held_down_gives_one_order_and_letters_can_be_switched_off(
    visitor: Visitor, served: Served
) -> None:
    begin(visitor, served, "tic_tac_toe", "person", "person")
    visitor.place("2,2")
    visitor.see(".move-list li", "1.")
    visitor.run(COUNT_ORDERS)
    for key in "bhp":
        visitor.run(PRESS, key, True)
    assert visitor.run("return orders") == []
    visitor.click(".keys summary")
    visitor.click(".keys input")
    until(lambda: not visitor.run("return document.querySelector('.keys input').checked"))
    visitor.run(PRESS, "p", False)
    visitor.browser.refresh()
    visitor.see(".board svg")
    visitor.run(COUNT_ORDERS)
    visitor.run(PRESS, "p", False)
    visitor.click(".keys summary")
    visitor.click(".keys input")
    until(lambda: bool(visitor.run("return document.querySelector('.keys input').checked")))
    assert visitor.run("return orders") == []
    visitor.run(PRESS, "p", False)
    assert visitor.run("return orders") == ["pause"]


def test_turning_the_board_by_its_key_leaves_the_focus_on_its_place(visitor: Visitor, served: Served) -> None:
    begin(visitor, served, "tic_tac_toe", "person", "person")
    visitor.run("document.querySelector(arguments[0]).focus()", place("1,2"))
    visitor.run(PRESS, "f", False)
    visitor.see('.controls button[aria-pressed="true"]', "Turn the board")
    assert str(visitor.run("return document.activeElement.getAttribute('aria-label')")).startswith("1,2,")


def test_what_went_wrong_is_said(visitor: Visitor, served: Served) -> None:
    match = served.post("/records", text=json.dumps(to_json(RECORD)))["match"]
    visitor.open(f"{served.address}#match={match}")
    visitor.see(".notes li", "Ann")
    told = visitor.run("return [...document.querySelectorAll('[role=status]')].map((one) => one.textContent)")
    assert any("Ann" in text for text in told)


def test_an_analysis_that_has_failed_is_switched_off(visitor: Visitor, served: Served, first: Any) -> None:
    first(KEEP_SOURCE)
    match = begin(visitor, served, "tic_tac_toe", "person", "person")
    visitor.click(".analysis button", "Analysis")
    visitor.see('.analysis button[aria-pressed="true"]', "Analysis")
    state = served.get(f"/match/{match}/snapshot")["state"]
    event = json.dumps({"type": "state", **state, "analysing": None, "failures": 1})
    visitor.run("source.onmessage({ data: arguments[0] })", event)
    visitor.see('.analysis button[aria-pressed="false"]', "Analysis")


def test_what_positions_look_like_is_asked_anew_after_a_snapshot_which_may_number_them_anew(
    visitor: Visitor, served: Served
) -> None:
    match = begin(visitor, served, "tic_tac_toe", "person", "person")
    assert served.request("GET", f"/match/{match}/view/0")[2]["cache-control"] == "no-store"
    told = served.get(f"/match/{match}/snapshot") | {"you": ""}
    visitor.run("import('/page/match_model.js').then((found) => (window.Model = found.MatchModel))")
    until(lambda: bool(visitor.run("return window.Model !== undefined")))
    visitor.run(
        "window.model = new Model(arguments[1], () => {}); model.views.set(1, 'old'); model.take(arguments[0])",
        told,
        match,
    )
    assert visitor.run("return [...model.views.keys()]") == [0]
