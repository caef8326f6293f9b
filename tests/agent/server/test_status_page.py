"""The page that a browser gets, and that messages in the path of a GET are answered all the same."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any
from urllib.parse import quote_plus

import pytest

from tests.support.player_harness import AVAILABLE, START, Connection, PlayerHarness
from tests.support.served import Served

BROWSER = "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8\r\nSec-Fetch-Site: none"


def get(harness: PlayerHarness, path: str, headers: str = BROWSER, host: str = "127.0.0.1:9147") -> Connection:
    return harness.http(f"GET {path} HTTP/1.1\r\nHost: {host}\r\n{headers}\r\n\r\n".encode())


class Page(HTMLParser):
    """The texts of a page, with their tags; fails where tags do not match."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.texts: list[str] = []
        self._open: list[str] = []
        self.feed(text)
        assert not self._open

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag not in ("meta", "link"):
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.texts).split())


def test_a_browser_is_told_who_it_has_found_and_how_each_manager_finds_it(harness: PlayerHarness) -> None:
    reply = get(harness, "/")
    assert reply.status == 200
    assert reply.headers["content-type"] == "text/html; charset=utf-8"
    text = Page(reply.reply).text
    assert "Tester" in text
    assert "available" in text
    assert "No match is on." in text
    for manager in ("ggp-base Server", "GameServerRunner", "Dresden", "Stanford", "ludens match GAME"):
        assert manager in text
    assert "127.0.0.1 9147 Tester" in text


@pytest.mark.parametrize(
    ("settings", "chooser"),
    [({"strategy": "uct"}, "uct"), ({"player": "/somewhere/my_player.py:Cautious"}, "my_player.py:Cautious")],
)
def test_a_browser_is_told_what_chooses_the_moves_but_of_a_file_no_folder(
    settings: dict[str, Any], chooser: str
) -> None:
    text = Page(get(PlayerHarness(**settings), "/").reply).text
    assert f"its moves are chosen by {chooser} ." in text
    assert "somewhere" not in text


def test_the_page_shows_the_matches_that_are_on_and_that_there_is_no_room_for_more(harness: PlayerHarness) -> None:
    harness.first_turn()
    text = Page(get(harness, "/").reply).text
    assert "m1 x 0 10 s 8 s" in text
    assert "busy" in text


def test_no_name_of_a_match_becomes_part_of_the_page(harness: PlayerHarness) -> None:
    harness.post(START.replace("m1", "<script>alert</script>&amp"))
    reply = get(harness, "/", host='"><script>:1')
    assert "<script" not in reply.reply
    assert "<script>alert</script>&amp" in Page(reply.reply).text


def test_the_host_is_the_one_that_the_browser_has_used() -> None:
    harness = PlayerHarness(interface="0.0.0.0")
    assert "player.example.org:8080" in Page(get(harness, "/", host="player.example.org:8080").reply).text


@pytest.mark.parametrize("headers", [BROWSER, "Accept: */*", "User-Agent: Java/1.8\r\nAccept: text/html, *; q=.2"])
def test_a_message_in_the_path_is_answered_whatever_is_accepted(harness: PlayerHarness, headers: str) -> None:
    for path in ("/" + quote_plus("( INFO )"), "/?" + quote_plus("( INFO )"), "/(INFO)"):
        assert get(harness, path, headers).reply == AVAILABLE


@pytest.mark.parametrize("headers", ["Accept: */*", "Accept: text/delim", "X: y"])
def test_who_does_not_ask_for_a_page_gets_none(harness: PlayerHarness, headers: str) -> None:
    assert get(harness, "/", headers).reply == AVAILABLE


def test_a_link_from_another_page_leads_to_it(harness: PlayerHarness) -> None:
    assert (
        get(harness, "/", "Accept: text/html\r\nSec-Fetch-Site: cross-site\r\nReferer: http://docs.example").status
        == 200
    )


def test_a_running_player_shows_its_page() -> None:
    player = Served("--name", "Shown", "--matches", "3")
    head, body = player.exchange(f"GET / HTTP/1.1\r\nHost: localhost:{player.port}\r\n{BROWSER}\r\n\r\n".encode())
    assert b"Content-Security-Policy: default-src 'none'" in head
    text = Page(body.decode()).text
    assert "available for 3 more of 3 matches at once" in text
    assert f"http://localhost:{player.port}" in text
    assert player.exchange(b"GET /%28INFO%29 HTTP/1.0\r\n\r\n")[1] == b"( ( name Shown ) ( status available ) )"
    player.stop()
