"""Walks through the page in real browsers, as a person takes them who has never seen GDL."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.browser import chromium
from tests.support.page_server import Served, page_server
from tests.support.visitor import BROWSERS, DOWN, ENTER, LEFT, RIGHT, TAB, UP, Chromium, Visitor, begin, visitor_with
from tests.support.waiting import until

BAD_SHEET = "(role x)\n(<= (legal x a) (tru b))\n(init (b)\n"

GOOD_SHEET = """; One step and it is won.
(role me) (init (at 1)) (<= (legal me (go 2)) (true (at 1))) (<= (next (at ?x)) (does me (go ?x)))
(<= terminal (true (at 2))) (<= (goal me 100) (true (at 2))) (<= (goal me 0) (true (at 1)))
"""

FIRST_MOVE = """
import ludens

class FirstMove(ludens.Player):
    def choose(self, state, seconds):
        return state.legal(self.role)[0]
"""


@pytest.fixture(scope="module", params=BROWSERS)
def visitor(request: pytest.FixtureRequest) -> Iterator[Visitor]:
    with visitor_with(request.param) as visitor:
        yield visitor


@pytest.fixture(autouse=True)
def complaints_of_its_own(visitor: Visitor) -> None:
    """Has no test hear what the browser complained of in those before."""
    visitor.browser.get("about:blank")
    visitor.complaints()


def until_moved(visitor: Visitor, made: int) -> None:
    """Waits until more positions are listed than were."""
    until(lambda: visitor.all(".move-list li") > made)


def test_a_game_is_chosen_played_by_clicks_to_its_end_taken_back_analysed_saved_and_replayed(
    visitor: Visitor, served: Served, tmp_path: Path
) -> None:
    visitor.open(served.address)
    visitor.click("a.card", "Tic-Tac-Toe")
    visitor.click("form button.main", "Begin")
    visitor.see(".board svg")
    while "over" not in visitor.status:
        until(lambda: "Your move" in visitor.status or "over" in visitor.status)
        made = visitor.all(".move-list li")
        if visitor.all(".board .place.start"):
            visitor.click(".board .place.start")
            until_moved(visitor, made)
    assert visitor.all(".seats output")
    played = served.get(f"/match/{visitor.match}/record")
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
    visitor.open(served.address)
    visitor.see("a.card")
    visitor.browser.choose_files("input[accept*=json]", file)
    visitor.see(".status", "over")
    assert visitor.all(".move-list li") == len(played["moves"]) + 1
    assert not visitor.complaints()


def test_a_game_of_tak_in_ptn_is_opened_stepped_through_and_played_on(
    visitor: Visitor, served: Served, tmp_path: Path
) -> None:
    file = tmp_path / "game.ptn"
    file.write_text('[Size "3"]\n[Player1 "Ann"]\n[Player2 "Ben"]\n\n1. a1 c3 2. b2 Sb1 3. c3< b1+ *')
    visitor.open(served.address)
    visitor.see("a.card")
    visitor.browser.choose_files("input[accept*=ptn]", file)
    visitor.see(".error", "game.ptn: line 5, column 31: '*' is no move in PTN")
    assert all("409" in complaint for complaint in visitor.complaints())  # chromium tells of what was refused
    file.write_text('[Size "3"]\n[Player1 "Ann"]\n[Player2 "Ben"]\n\n1. a1 c3 2. b2 Sb1 3. c3< b1+')
    visitor.open(served.address)
    visitor.see("a.card")
    visitor.browser.choose_files("input[accept*=ptn]", file)
    visitor.see(".move-list li", "spread b1 up 1")
    assert visitor.all(".move-list li") == 7
    visitor.see(".notes li", "Ann, Ben played")
    visitor.see(".status", "Your move")
    visitor.place("c1")
    visitor.click(".choices button", "wall")
    visitor.see(".move-list li", "place c1 wall")
    assert not visitor.complaints()


def test_a_player_of_your_own_is_chosen_like_any_other(visitor: Visitor, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(FIRST_MOVE)
    own = f"{tmp_path}/mine.py:FirstMove"
    with page_server(tmp_path, "tic_tac_toe", "--player", own) as server:
        visitor.open(server.address)
        visitor.see("form legend", "nought")
        visitor.choose('select[aria-label="Who plays nought"]', own)
        visitor.click("form button.main", "Begin")
        visitor.place("3,3")
        visitor.see(".move-list li", "mark 1,1")
        visitor.see(".seats li", "mine.py:FirstMove")
        assert not visitor.complaints()


def test_a_sheet_with_mistakes_shows_each_at_its_line_and_a_good_one_is_played(
    visitor: Visitor, served: Served
) -> None:
    visitor.open(served.address)
    visitor.click("button", "Paste rules")
    visitor.type(".sheet textarea", BAD_SHEET)
    visitor.see(".findings .error", "line 3, column 1")
    assert visitor.attribute(".sheet .button.main", "aria-disabled") == "true"
    visitor.write(".sheet textarea", GOOD_SHEET + "; pasted, so that it is not the sheet of other tests")
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
    visitor.click(".seats button", "Swap sides")
    visitor.see(".seats li:nth-child(2) span", "you")
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


def test_an_analysis_says_what_is_expected_where_there_is_only_one_move(visitor: Visitor, served: Served) -> None:
    match = begin(visitor, served, "tic_tac_toe", "person", "person")
    events = served.events(match)
    for node, place in enumerate(("1 1", "1 2", "1 3", "2 2", "2 1", "3 1", "3 2", "2 3")):
        served.post(f"/match/{match}/sit", role=node % 2)
        served.post(f"/match/{match}/move", role=node % 2, move=f"(mark {place})", node=node)
        events.next("node", number=node + 1)
    events.close()
    visitor.click(".analysis button", "Analysis")
    visitor.see(".analysis p", "There is only one move here.")
    assert visitor.see(".analysis .bar") == "cross 50, nought 50"


def test_a_page_goes_on_after_a_reload_and_after_the_server_was_killed(visitor: Visitor, tmp_path: Path) -> None:
    first = Served(tmp_path)
    match = begin(visitor, first, "tic_tac_toe", "person", "person")
    visitor.place("2,2")
    visitor.see(".move-list li", "1.")
    visitor.browser.refresh()
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


def test_a_side_branch_stays_in_sight_whatever_happens_to_the_match(visitor: Visitor, served: Served) -> None:
    begin(visitor, served, "tic_tac_toe", "person", "person")
    visitor.place("2,2")
    visitor.see(".status", "nought")
    visitor.click(".controls button", "Take back")
    visitor.see(".status", "cross")
    visitor.place("1,1")
    visitor.click(".branches button", "mark 2,2")
    visitor.see(".status", "Position 1 of 1")
    visitor.click(".controls button", "Pause")
    visitor.see(".controls button", "Go on")
    assert "Position 1 of 1" in visitor.status
    assert "mark 2,2" in visitor.see('.move-list [aria-current="true"]')
    visitor.click('.slider button[aria-label="One position back"]')
    visitor.run("document.dispatchEvent(new Event('visibilitychange'))")  # after which the page asks for all anew
    visitor.click(".controls button", "Go on")
    visitor.see(".controls button", "Pause")
    assert "Position 0 of 1" in visitor.status
    assert "mark 2,2" in visitor.see(".move-list li > button", "1.")


def test_the_last_move_is_marked_where_its_stone_fell_after_a_reload_and_a_step_back(
    visitor: Visitor, served: Served
) -> None:
    begin(visitor, served, "connect_four", "person", "person")
    for step in (1, 2, 3):
        visitor.place("4,1")
        visitor.see(".move-list li", f"{step}.")
    visitor.browser.refresh()
    visitor.see(".board .place.last")
    for row in (3, 2):
        last = f'.board .place.last[aria-label^="4,{row},"]'
        until(lambda last=last: visitor.all(last) == 1)  # type: ignore[misc]
        assert visitor.all(".board .place.last") == 1
        visitor.click('.slider button[aria-label="One position back"]')


def test_a_hint_is_announced_and_then_drawn(visitor: Visitor, served: Served) -> None:
    begin(visitor, served, "connect_four", "person", "person")
    visitor.click(".controls button", "Hint")
    visitor.see(".status", "Ludens thinks about a hint")
    until(lambda: visitor.all(".board .hint") > 0)
    assert "hint" not in visitor.status


def test_who_looks_for_thoughts_where_nobody_thought_is_told_where_they_are(visitor: Visitor, served: Served) -> None:
    begin(visitor, served, "tic_tac_toe", "uct:iterations=200", "person")
    visitor.see(".move-list li", "1.")
    visitor.click(".controls button", "Thoughts of players")
    visitor.see(".table .waiting", "one position back")
    visitor.click('.slider button[aria-label="One position back"]')
    until(lambda: visitor.all(".board .candidate") > 0)
    assert not visitor.all(".table .waiting")


def test_a_sheet_that_is_dropped_on_the_page_is_played(visitor: Visitor, served: Served) -> None:
    visitor.open(served.address)
    visitor.see("a.card")
    visitor.drop(".home-page", "one_step.kif", GOOD_SHEET)
    visitor.see(".findings", "No mistake")
    visitor.click(".sheet a.button.main[href]")
    visitor.see("h1", "one step")


def test_a_sheet_that_was_mended_and_is_dropped_again_is_the_new_one(visitor: Visitor, served: Served) -> None:
    visitor.open(served.address)
    visitor.see("a.card")
    visitor.drop(".home-page", "one_step.kif", BAD_SHEET)
    visitor.see(".findings .error", "line 3, column 1")
    visitor.drop(".home-page", "one_step.kif", GOOD_SHEET)
    visitor.see(".findings", "No mistake")
    visitor.write(".sheet textarea", GOOD_SHEET + " (")  # while it is not read yet, the old rules are not played
    assert visitor.attribute(".sheet .button.main", "aria-disabled") == "true"


def test_a_folder_of_sheets_is_opened_with_a_card_each(visitor: Visitor, served: Served, tmp_path: Path) -> None:
    if not isinstance(visitor.browser, Chromium):
        pytest.skip("WebDriver BiDi chooses files, and no folders")
    (tmp_path / "one_step.kif").write_text(GOOD_SHEET)
    (tmp_path / "broken.kif").write_text(BAD_SHEET)
    (tmp_path / "other.md").write_text("no sheet")
    visitor.open(served.address)
    visitor.see("a.card")
    visitor.browser.choose_files("input[webkitdirectory]", tmp_path)
    card = visitor.see("button.card", "one_step")
    assert "1 player" in card and "One step and it is won." in card
    assert visitor.all("button.card") == 2
    visitor.click("button.card", "broken")
    visitor.see(".findings .error", "line 3, column 1")
    visitor.click("button.card", "one_step")
    visitor.see("h1", "one step")


def test_a_match_is_saved_as_a_page_that_replays_it_without_a_network(
    visitor: Visitor, served: Served, tmp_path: Path
) -> None:
    begin(visitor, served, "tic_tac_toe", "person", "person")
    visitor.place("2,2")
    visitor.see(".move-list li", "1.")
    link = visitor.attribute('.controls a[href*="/page/"]', "href")
    status, content, headers = served.request("GET", str(link))
    assert (status, headers["content-disposition"]) == (200, 'attachment; filename="tic_tac_toe.html"')
    status, refusal, headers = served.request("GET", f"{str(link).rpartition('/')[0]}/99")
    assert b"there is no position 99" in refusal
    assert status >= 400 and "content-disposition" not in headers  # an error is no page to save
    file = tmp_path / "match.html"
    file.write_bytes(content)
    visitor.open(served.address)
    visitor.see("a.card")
    visitor.browser.choose_files("input[accept*=json]", file)
    visitor.see(".move-list li", "1.")
    if isinstance(visitor.browser, Chromium):  # WebDriver BiDi opens no files
        visitor.open(file.as_uri())
        assert "2,2" in visitor.see(".turns li") or visitor.see(".where") == "0 / 1"
    assert not visitor.complaints()


@pytest.mark.parametrize("width", [360, 3840])
def test_a_match_fits_every_screen(width: int, served: Served) -> None:
    with chromium(width, 800) as driver:
        driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": False},
        )
        begin(Visitor(Chromium(driver)), served, "connect_four", "person", "person")
        assert driver.execute_script("return document.documentElement.scrollWidth <= innerWidth")


def tab_to(visitor: Visitor, css: str, text: str = "") -> None:
    """Presses the tab key until something has the focus."""
    at = "const at = document.activeElement; return at.matches(arguments[0]) && at.textContent.includes(arguments[1])"
    for _ in range(200):
        if visitor.run(at, css, text):
            return
        visitor.browser.press(TAB)
    raise AssertionError(f"the tab key does not lead to {css}")


def step_to_a_free_place(visitor: Visitor) -> None:
    """Presses arrows, from the place with the focus over the whole board of nine, until a move may begin there."""
    at_start = "return document.activeElement.matches('.place.start')"
    for keys in [UP * 2 + LEFT * 2, *[RIGHT] * 2, DOWN + LEFT * 2, *[RIGHT] * 2, DOWN + LEFT * 2, *[RIGHT] * 2]:
        visitor.browser.press(keys)
        if visitor.run(at_start):
            return
    raise AssertionError("arrows do not lead to a place where a move may begin")


def test_a_whole_game_is_played_by_the_keyboard_alone(visitor: Visitor, served: Served) -> None:
    visitor.open(served.address)
    visitor.see("a.card")
    tab_to(visitor, "a.card", "Tic-Tac-Toe")
    visitor.browser.press(ENTER)
    visitor.see("form button.main", "Begin")
    tab_to(visitor, "button.main", "Begin")
    visitor.browser.press(ENTER)
    visitor.see(".board svg")
    while "over" not in visitor.status:
        until(lambda: "Your move" in visitor.status or "over" in visitor.status)
        made = visitor.all(".move-list li")
        if visitor.all(".board .place.start"):
            tab_to(visitor, ".board .place")
            step_to_a_free_place(visitor)
            visitor.browser.press(ENTER)
            until_moved(visitor, made)
    assert visitor.all(".seats output") == 2
    assert visitor.all('[role="grid"]')
    assert not visitor.complaints()
