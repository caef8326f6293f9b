"""Faults in a match at the page, in a real browser: each has a clear message, and the match goes on."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from ludens.agent.records.record import to_json
from tests.support.browser import chromium
from tests.support.page_server import Served
from tests.support.recorded_match import RECORD, THOUGHT
from tests.support.served import Served as ServedPlayer
from tests.support.visitor import Chromium, Visitor, begin, place
from tests.support.waiting import until
from tests.web.test_watching import ludens, said

TYPE = """
    const field = document.querySelector(arguments[0]);
    field.value = arguments[1];
    field.dispatchEvent(new Event("input", { bubbles: true }));
"""


@pytest.fixture(scope="module")
def visitor() -> Iterator[Visitor]:
    with chromium(1200, 900) as driver:
        yield Visitor(Chromium(driver))


@pytest.fixture
def player() -> Iterator[ServedPlayer]:
    """A player elsewhere: `ludens serve`."""
    player = ServedPlayer("--iterations", "50", "--no-archive")
    yield player
    if player.process.poll() is None:
        player.stop()


def state(served: Served, match: str) -> dict[str, object]:
    """Where a match stands, as the server knows it."""
    found: dict[str, object] = served.get(f"/match/{match}/snapshot")["state"]
    return found


@pytest.fixture
def watched_from_elsewhere() -> Iterator[str]:
    """The address, as other machines have it, of a page that shows the matches of `ludens serve`."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        asking.connect(("192.0.2.1", 9))  # nothing is sent: this only says which way it would go
        host = asking.getsockname()[0]
    with ludens("serve", "--interface", "0.0.0.0", "--port", "0", "--watch", "0", "--no-archive") as player:
        port = said(player, r"Watch its matches at http://\S+:(\d+)/")[1]
        yield f"http://{host}:{port}/"


def test_a_page_that_other_machines_reach_without_encryption_shows_matches_alone(
    visitor: Visitor, watched_from_elsewhere: str
) -> None:
    visitor.open(watched_from_elsewhere)
    visitor.see("h1", "Matches to watch")
    visitor.see("main", "No match is on")
    assert not visitor.all(".chooser") + visitor.all("a.card") + visitor.all("details")


def play_on(visitor: Visitor) -> None:
    """Makes any move, once it is the visitor's turn, unless the game is over by then."""
    until(lambda: "Your move" in visitor.status or "over" in visitor.status)
    made = visitor.all(".move-list li")
    if "over" not in visitor.status:
        visitor.click(".board .place.start")
        until(lambda: visitor.all(".move-list li") > made)


def choose_a_player_elsewhere(visitor: Visitor, served: Served, address: str) -> None:
    """Begins a match of tic-tac-toe against a player at an address, by what the page offers."""
    visitor.open(served.address)
    visitor.click("a.card", "Tic-Tac-Toe")
    visitor.see("form button.main", "Begin")
    visitor.choose('select[aria-label="Who plays nought"]', "address")
    visitor.write('input[aria-label="Address of the player of nought"]', address)
    visitor.click("form button.main", "Begin")
    visitor.see(".board svg")


def test_a_whole_game_is_played_against_a_player_elsewhere(
    visitor: Visitor, served: Served, player: ServedPlayer
) -> None:
    choose_a_player_elsewhere(visitor, served, f"http://127.0.0.1:{player.port}")
    while "over" not in visitor.status:
        play_on(visitor)
    record = served.get(f"/match/{visitor.match}/record")
    assert record["isCompleted"]
    assert not any(mark for errors in record["errors"] for mark in errors)
    assert not visitor.all(".notes")


def test_a_player_that_vanishes_is_named_and_the_match_goes_on_and_is_finished_by_another(
    visitor: Visitor, served: Served, player: ServedPlayer
) -> None:
    choose_a_player_elsewhere(visitor, served, f"http://127.0.0.1:{player.port}")
    play_on(visitor)
    visitor.see(".move-list li", "2.")
    player.process.kill()
    player.process.communicate()
    play_on(visitor)
    assert "nought: " in visitor.see(".notes li", "was drawn at random in its place")
    visitor.click(".seats button", "Change players")
    visitor.choose('select[aria-label="Who plays nought"]', "level")
    visitor.click(".seats button.main", "Go on like this")
    visitor.see(".seats li", "Ludens, level 3")
    visitor.click(".seats button", "Let Ludens finish")
    visitor.see(".status", "over")


def test_what_somebody_types_stays_while_engines_play_on(visitor: Visitor, served: Served) -> None:
    begin(visitor, served, "amazons", "uct:iterations=200", "uct:iterations=200")
    busy = visitor.where(".seats button", "Change players")
    until(lambda: visitor.all(".move-list li") > 0)
    assert visitor.where(".seats button", "Change players") == busy, "what players do moves buttons"
    visitor.click(".seats button", "Change players")
    field = 'input[aria-label="Strategy of white, with settings"]'
    until(lambda: visitor.all(field) > 0)
    visitor.run(TYPE, field, "uct:threads=1")  # without the clicks that the board's growth may lead astray
    moves = visitor.all(".move-list li")
    until(lambda: visitor.all(".move-list li") > moves)
    assert visitor.run("return document.querySelector(arguments[0]).value", field) == "uct:threads=1"
    visitor.click(".seats button", "Leave it")


def test_a_piece_that_was_chosen_when_the_page_was_loaded_again_is_chosen_anew(
    visitor: Visitor, served: Served
) -> None:
    begin(visitor, served, "breakthrough", "person", "person")
    visitor.place("1,2")
    until(lambda: visitor.all(".board .target") > 0)
    visitor.browser.refresh()
    visitor.see(".status", "Your move")
    assert not visitor.all(".board .target")
    visitor.place("1,2")
    visitor.place("1,3")
    visitor.see(".move-list li", "1.")


def test_a_piece_is_dragged_on_the_page(visitor: Visitor, served: Served) -> None:
    match = begin(visitor, served, "breakthrough", "person", "person")
    visitor.browser.drag([visitor.where(place("2,2")), visitor.where(place("2,3"))])
    visitor.see(".move-list li", "1.")
    assert served.get(f"/match/{match}/record")["moves"] == [["(move 2 2 2 3)", "noop"]]


def test_a_hidden_page_gives_its_connection_back_and_catches_up_when_it_is_seen_again(
    visitor: Visitor, served: Served
) -> None:
    match = begin(visitor, served, "tic_tac_toe", "person", "person")
    driver = visitor.browser.driver  # type: ignore[attr-defined]
    here = driver.current_window_handle
    until(lambda: state(served, match)["absent"] == [])
    driver.switch_to.new_window("tab")
    until(lambda: state(served, match)["absent"] == [0, 1])
    assert served.post(f"/match/{match}/sit", role=0) == {}
    assert served.post(f"/match/{match}/move", role=0, move="(mark 2 2)", node=0) == {}
    driver.close()
    driver.switch_to.window(here)
    visitor.see(".move-list li", "1.")
    visitor.place("1,1")
    visitor.see(".move-list li", "2.")


def test_a_page_that_is_opened_hidden_takes_no_connection_until_it_is_seen(visitor: Visitor, served: Served) -> None:
    """As where several matches are opened in tabs behind this one: a browser has six connections for all of them."""
    match = begin(visitor, served, "tic_tac_toe", "person", "person")
    visitor.open(served.address)
    visitor.see("a.card")
    visitor.run(
        "window.opened = 0; window.begun = false;"
        "const Source = window.EventSource, listen = window.addEventListener;"
        "window.EventSource = class extends Source { constructor(...told) { super(...told); opened += 1; } };"
        "window.addEventListener = (...told) => {"
        "  listen.apply(window, told); if (told[0] === 'pagehide') setTimeout(() => (begun = true)); };"
        "Object.defineProperty(document, 'hidden', { configurable: true, get: () => true });"
        f"location.hash = 'match={match}'"
    )
    visitor.see("main.match-page", "looks for the match")
    until(lambda: bool(visitor.run("return begun")))  # to follow the match
    assert visitor.run("return opened") == 0
    visitor.run("delete document.hidden; document.dispatchEvent(new Event('visibilitychange'))")
    visitor.see(".board svg")
    assert visitor.run("return opened") == 1


def test_a_match_that_is_not_there_is_said_to_be_so(visitor: Visitor, served: Served) -> None:
    visitor.open(f"{served.address}#match={'0' * 16}")
    visitor.see("main .error", "there is no such match")


def test_a_match_of_which_much_is_to_be_told_is_shown(visitor: Visitor, served: Served) -> None:
    """So much that it comes in parts."""
    candidate = {"role": 0, "move": "(mark 2 2)", "visits": 70, "value": 61.0, "proven": False}
    thought = THOUGHT | {"candidates": [candidate] * 1000}
    record = to_json(replace(RECORD, thoughts=[[], [], [thought]]))
    match = served.post("/records", text=json.dumps(record))["match"]
    assert len(served.text(f"/match/{match}/snapshot")) > 3 * (16 << 10)
    visitor.open(f"{served.address}#match={match}")
    visitor.see(".board svg")


def test_of_two_tabs_that_act_for_one_role_one_is_told_that_the_other_does(visitor: Visitor, served: Served) -> None:
    match = begin(visitor, served, "tic_tac_toe", "person", "random")
    driver = visitor.browser.driver  # type: ignore[attr-defined]
    first = driver.current_window_handle
    driver.switch_to.new_window("window")
    visitor.open(f"{served.address}#match={match}")
    visitor.see(".seats li", "another tab")
    assert not visitor.all(".board .place.start")
    visitor.click(".seats button", "Play cross here")
    visitor.place("2,2")
    visitor.see(".move-list li", "1.")
    driver.close()
    driver.switch_to.window(first)
    visitor.see(".move-list li", "1.")
    visitor.see(".seats li", "Play cross here")
    assert not visitor.all(".board .place.start")


def test_a_file_that_is_too_long_is_refused_with_a_reason(visitor: Visitor, served: Served, tmp_path: Path) -> None:
    file = tmp_path / "long.html"
    file.write_bytes(b" " * (33 << 20))
    visitor.open(served.address)
    visitor.see("a.card")
    visitor.browser.choose_files("input[accept*=json]", file)
    visitor.see(".error", "long.html: that is too long: 32 MB are taken")


@pytest.mark.parametrize(
    ("part", "told"),
    [(0.002, "it is cut before the match begins"), *((part, "breaks off in line 1") for part in (0.3, 0.6, 0.95))],
)
def test_a_record_that_is_cut_is_opened_as_far_as_it_goes_or_refused_with_a_reason(
    visitor: Visitor, served: Served, tmp_path: Path, part: float, told: str
) -> None:
    match = begin(visitor, served, "tic_tac_toe", "person", "person")
    for node, (role, move) in enumerate([(0, "(mark 2 2)"), (1, "(mark 1 1)"), (0, "(mark 3 3)")]):
        served.post(f"/match/{match}/sit", role=role)
        assert served.post(f"/match/{match}/move", role=role, move=move, node=node) == {}
        until(lambda node=node: state(served, match)["at"] == node + 1)  # type: ignore[misc]
    text = json.dumps(served.get(f"/match/{match}/record"))
    file = tmp_path / "cut.json"
    file.write_text(text[: int(len(text) * part)])
    visitor.open(served.address)
    visitor.see("a.card")
    visitor.browser.choose_files("input[accept*=json]", file)
    visitor.see(".error[role=alert], .notes li", told)
