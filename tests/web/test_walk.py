"""A walk through the page in a real browser, as a person takes it who has never seen GDL."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.support.browser import chromium
from tests.support.page_server import Served, page_server
from tests.support.waiting import until

BAD_SHEET = "(role x)\n(<= (legal x a) (tru b))\n(init (b)\n"


class Visitor:
    """A browser with a few words for what people do."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def all(self, css: str) -> list[Any]:
        return list(self.driver.find_elements("css selector", css))

    def see(self, css: str, text: str = "") -> Any:
        """Waits until something is to be seen whose text holds this one, and returns it."""
        found: list[Any] = []

        def there() -> bool:
            found[:] = [element for element in self.all(css) if _text(element, text)]
            return bool(found)

        until(there)
        return found[0]

    def click(self, css: str, text: str = "") -> None:
        """Clicks on what is there, or will be: a page that is drawn anew meanwhile does not matter."""

        def done() -> bool:
            for element in self.all(css):
                with suppress(Exception):
                    if _text(element, text) and element.is_enabled():
                        self.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", element)
                        element.click()
                        return True
            return False

        until(done)

    def place(self, label: str) -> None:
        """Clicks on a place of the board."""
        self.click(f'.board .place[aria-label^="{label},"]')

    @property
    def status(self) -> str:
        return str(self.see(".status").text)

    def complaints(self) -> list[str]:
        """What the browser complains of, other than that the server was gone for a while."""
        told = [str(entry["message"]) for entry in self.driver.get_log("browser")]
        return [text for text in told if "ERR_CONNECTION" not in text and "ERR_INCOMPLETE" not in text]


def _text(element: Any, text: str) -> bool:
    with suppress(Exception):  # it has gone from the page meanwhile
        return element.is_displayed() and text in element.text
    return False


@pytest.fixture(scope="module")
def visitor() -> Iterator[Visitor]:
    with chromium(1200, 900) as driver:
        yield Visitor(driver)


@pytest.fixture(autouse=True)
def complaints_of_its_own(visitor: Visitor) -> None:
    """Has no test hear what the browser complained of in those before."""
    visitor.driver.get("about:blank")
    visitor.complaints()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with page_server(tmp_path_factory.mktemp("data")) as server:
        yield server


def begin(visitor: Visitor, served: Served, game: str, *players: str) -> str:
    """Opens a match of a game between these players; returns its name."""
    key = next(found["key"] for found in served.get("/games")["games"] if found["name"] == game)
    match = str(served.post("/matches", game=key, players=list(players), tab="nobody")["match"])
    visitor.driver.get(f"{served.address}#match={match}")
    visitor.see(".board svg")
    return match


def until_moved(visitor: Visitor, made: int) -> None:
    """Waits until more positions are listed than were."""
    until(lambda: len(visitor.all(".move-list li")) > made)


def test_a_game_is_chosen_played_by_clicks_to_its_end_taken_back_analysed_saved_and_replayed(
    visitor: Visitor, served: Served, tmp_path: Path
) -> None:
    visitor.driver.get(served.address)
    visitor.click("a.card", "Tic-Tac-Toe")
    visitor.click("form button.main", "Begin")
    visitor.see(".board svg")
    while "over" not in visitor.status:
        until(lambda: "Your move" in visitor.status or "over" in visitor.status)
        made = len(visitor.all(".move-list li"))
        for start in visitor.all(".board .place.start")[:1]:
            start.click()
            until_moved(visitor, made)
    assert visitor.all(".seats output")
    match = str(visitor.driver.current_url).partition("match=")[2]
    played = served.get(f"/match/{match}/record")
    assert played["isCompleted"]

    visitor.click(".controls button", "Take back")
    visitor.see(".status", "Your move")
    visitor.click(".analysis button", "Analysis")
    visitor.see(".analysis td", "mark")
    visitor.see(".bar")
    visitor.see(".board .candidate, .board .expected")
    visitor.click(".analysis button", "Analysis")

    file = tmp_path / "record.json"
    file.write_text(json.dumps(played))
    visitor.driver.get(served.address)
    visitor.see("a.card")
    visitor.driver.find_element("css selector", "input[accept*=json]").send_keys(str(file))
    visitor.see(".status", "over")
    assert len(visitor.all(".move-list li")) == len(played["moves"]) + 1
    assert not visitor.complaints()


def test_a_sheet_with_mistakes_shows_each_at_its_line_and_a_good_one_is_played(
    visitor: Visitor, served: Served
) -> None:
    visitor.driver.get(served.address)
    visitor.click("button", "Paste rules")
    area = visitor.see(".sheet textarea")
    area.send_keys(BAD_SHEET)
    visitor.see(".findings .error", "line 3, column 1")
    assert visitor.see(".sheet .button.main").get_attribute("aria-disabled") == "true"
    area.clear()
    visitor.driver.execute_script(
        "arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('input', {bubbles: true}))",
        area,
        "(role me) (init (at 1)) (<= (legal me (go 2)) (true (at 1))) (<= (next (at ?x)) (does me (go ?x)))"
        "(<= terminal (true (at 2))) (<= (goal me 100) (true (at 2))) (<= (goal me 0) (true (at 1)))",
    )
    visitor.click(".sheet a.button.main[href]")
    visitor.click("form button.main", "Begin")
    visitor.see(".status", "Your move")


def test_two_spectators_see_a_move_at_once_and_a_second_tab_is_told_that_the_role_is_played_elsewhere(
    visitor: Visitor, served: Served
) -> None:
    match = begin(visitor, served, "tic_tac_toe", "person", "person")
    spectators = [served.events(match, tab) for tab in ("spectator-1", "spectator-2")]
    assert {spectator.next("snapshot")["match"] for spectator in spectators} == {match}
    visitor.place("2,2")
    assert [spectator.next("node")["moves"] for spectator in spectators] == [["(mark 2 2)", "noop"]] * 2
    refused = served.post(f"/match/{match}/move", role=1, move="(mark 1 1)", node=1, tab="spectator-1")
    assert "another tab" in refused["error"]
    assert served.post(f"/match/{match}/sit", role=1, tab="spectator-1") == {}
    visitor.see(".seats", "played in another tab")
    assert served.post(f"/match/{match}/move", role=1, move="(mark 1 1)", node=1, tab="spectator-1") == {}
    visitor.see(".move-list li", "2.")
    for spectator in spectators:
        spectator.close()


def test_an_analysis_that_is_on_begins_again_where_another_tab_has_ended_it(visitor: Visitor, served: Served) -> None:
    match = begin(visitor, served, "tic_tac_toe", "person", "person")
    events = served.events(match, "tab-2")
    visitor.click(".analysis button", "Analysis")
    events.next("state", analysing=0)
    served.post(f"/match/{match}/analyse", on=False, tab="tab-2")
    events.next("state", analysing=None)
    events.next("state", analysing=0)
    events.close()
    assert visitor.see('.analysis button[aria-pressed="true"]', "Analysis")


def test_a_page_goes_on_after_a_reload_and_after_the_server_was_killed(visitor: Visitor, tmp_path: Path) -> None:
    first = Served(tmp_path)
    match = begin(visitor, first, "tic_tac_toe", "person", "person")
    visitor.place("2,2")
    visitor.see(".move-list li", "1.")
    visitor.driver.refresh()
    visitor.see(".status", "nought")
    visitor.place("1,1")
    visitor.see(".move-list li", "2.")
    file = tmp_path / "ludens" / "play" / f"{match}.json"
    until(lambda: file.exists() and len(json.loads(file.read_text())["nodes"]) == 3)
    first.kill()
    visitor.see(".banner", "No connection")
    second = Served(tmp_path, port=first.port)
    try:
        until(lambda: not visitor.all(".banner"))
        visitor.place("3,3")
        visitor.see(".move-list li", "3.")
    finally:
        second.close()


@pytest.mark.parametrize("width", [360, 3840])
def test_a_match_fits_every_screen(width: int, served: Served) -> None:
    with chromium(width, 800) as driver:
        driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": False},
        )
        visitor = Visitor(driver)
        begin(visitor, served, "connect_four", "person", "person")
        assert driver.execute_script("return document.documentElement.scrollWidth <= innerWidth")


def test_a_game_is_played_by_the_keyboard_alone(visitor: Visitor, served: Served) -> None:
    begin(visitor, served, "tic_tac_toe", "person", "person")
    body = visitor.driver.find_element("css selector", "body")
    focused: Callable[[], Any] = lambda: visitor.driver.switch_to.active_element  # noqa: E731
    body.click()
    until(lambda: _tab(focused()) or "place" in (focused().get_attribute("class") or ""))
    focused().send_keys("\ue007")  # Enter
    visitor.see(".move-list li", "1.")
    visitor.see('[role="grid"]')
    assert visitor.see('.status[role="status"]').text


def _tab(element: Any) -> bool:
    element.send_keys("\ue004")
    return False
