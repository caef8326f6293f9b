"""Which requests of browsers are answered; Game Managers, which are programs, always are."""

from __future__ import annotations

import pytest

from ludens.agent.settings.errors import OptionError
from ludens.agent.settings.options import MANAGER_PAGES, PlayerOptions
from tests.support.player_harness import AVAILABLE, START, PlayerHarness
from tests.support.served import Served, dresden, ggp_base

EVIL = "http://evil.example"


def post(harness: PlayerHarness, message: str, *headers: str) -> tuple[int, dict[str, str], str]:
    head = "\r\n".join(["POST / HTTP/1.1", *headers, f"Content-Length: {len(message)}", "", ""])
    connection = harness.http(f"{head}{message}".encode())
    return connection.status, connection.headers, connection.reply


# ---- Pages that send messages ----


@pytest.mark.parametrize("interface", ["127.0.0.1", "0.0.0.0"])
@pytest.mark.parametrize(
    "headers",
    [
        (f"Origin: {EVIL}",),
        ("Origin: null",),
        ("Origin: http://ggp.stanford.edu.evil.example",),
        ("Origin: http://localhost.evil.example",),
        ("Origin: http://10.0.0.1",),
        ("Sec-Fetch-Site: cross-site",),
        ("Sec-Fetch-Site: same-site",),
        (f"Referer: {EVIL}/page?x=http://localhost/",),
    ],
    ids=str,
)
def test_a_web_page_starts_no_match_and_is_told_which_option_would_let_it(
    headers: tuple[str, ...], interface: str, caplog: pytest.LogCaptureFixture
) -> None:
    harness = PlayerHarness(interface=interface)
    for _ in range(2):
        status, told, reply = post(harness, START, "Host: 127.0.0.1:9147", *headers)
        assert status == 403
        assert "access-control-allow-origin" not in told
        assert reply.startswith("error: ")
    assert not harness.engines.taken
    assert len(caplog.records) == 1, "said once"
    if headers[0] == f"Origin: {EVIL}":
        assert f"`--allow-origin {EVIL}` lets it" in caplog.text


def test_what_a_log_line_tells_to_type_is_harmless_and_short(
    harness: PlayerHarness, caplog: pytest.LogCaptureFixture
) -> None:
    post(harness, START, "Host: h", "Origin: $(reboot)")
    assert "--allow-origin '$(reboot)'" in caplog.text
    post(harness, START, "Host: h", "Origin: http://" + "x" * 100_000)
    assert len(caplog.text) < 2000


def test_nor_does_one_by_an_address_that_looks_like_an_image(harness: PlayerHarness) -> None:
    harness.begin()
    request = b"GET /(ABORT%20m1) HTTP/1.1\r\nHost: 127.0.0.1:9147\r\nSec-Fetch-Site: cross-site\r\n\r\n"
    assert harness.http(request).status == 403
    assert not harness.engine.killed


@pytest.mark.parametrize(
    ("sent", "is_refused"),
    [
        ("User-Agent: Mozilla/5.0 (X11; Linux x86_64)", True),  # of a page that keeps its address to itself
        ("User-Agent: Mozilla/5.0 (X11; Linux x86_64)\r\nSec-Fetch-Site: none", False),  # typed by hand
        ("User-Agent: Java/17.0.1", False),
        ("X-None: 0", False),
    ],
)
def test_nor_does_a_link_on_a_page_where_the_connection_is_not_one_that_browsers_trust(
    sent: str, is_refused: bool
) -> None:
    harness = PlayerHarness(interface="0.0.0.0")
    harness.begin()
    harness.http(f"GET /(ABORT%20m1) HTTP/1.1\r\nHost: 192.168.1.5:9147\r\n{sent}\r\n\r\n".encode())
    assert harness.engine.killed != is_refused


@pytest.mark.parametrize("origin", [*MANAGER_PAGES, "http://localhost:3000", "http://127.0.0.1", "http://[::1]:80"])
def test_pages_of_managers_and_of_this_machine_may_send_messages(harness: PlayerHarness, origin: str) -> None:
    status, headers, reply = post(harness, "( INFO )", "Host: 127.0.0.1:9147", f"Origin: {origin}")
    assert (status, reply) == (200, AVAILABLE)
    assert headers["access-control-allow-origin"] == origin
    assert headers["vary"] == "Origin"


def test_a_browser_that_asks_first_is_told_what_such_a_page_may_do(harness: PlayerHarness) -> None:
    ask = "OPTIONS / HTTP/1.1\r\nHost: h\r\nAccess-Control-Request-Private-Network: true\r\nOrigin: {}\r\n\r\n"
    allowed = harness.http(ask.format(MANAGER_PAGES[0]).encode())
    assert (allowed.status, allowed.body) == (200, b"")
    assert "POST" in allowed.headers["access-control-allow-methods"]
    assert "Sender" in allowed.headers["access-control-allow-headers"]
    assert allowed.headers["access-control-allow-private-network"] == "true"
    refused = harness.http(ask.format(EVIL).encode())
    assert refused.status == 403
    assert "access-control-allow-origin" not in refused.headers


def test_allow_origin_lets_other_pages_in_and_keeps_those_that_are_not_named_out() -> None:
    harness = PlayerHarness(allow_origin=f"{EVIL},null,https://other.example:8080")
    for origin, status in {
        EVIL: 200,
        "null": 200,
        "https://other.example:8080": 200,
        "https://other.example": 403,
        MANAGER_PAGES[0]: 403,
    }.items():
        assert post(harness, "( INFO )", "Host: h", f"Origin: {origin}")[0] == status


def test_a_star_lets_all_in() -> None:
    harness = PlayerHarness(allow_origin="*")
    status, headers, _ = post(harness, "( INFO )", "Host: evil.example:9147", f"Origin: {EVIL}")
    assert status == 200
    assert headers["access-control-allow-origin"] == "*"


def test_an_empty_list_lets_no_page_of_other_machines_in() -> None:
    harness = PlayerHarness(allow_origin="")
    assert post(harness, "( INFO )", "Host: h", f"Origin: {MANAGER_PAGES[0]}")[0] == 403


@pytest.mark.parametrize("text", ["evil.example", "http://a b", "http://a/", "http://a,", "*,http://a", "://a"])
def test_what_is_no_list_of_origins_is_refused(text: str) -> None:
    with pytest.raises(OptionError, match=r"allow_origin must be .*http://host:port"):
        PlayerOptions(allow_origin=text)


# ---- Names that lead here ----


@pytest.mark.parametrize("host", ["evil.example:9147", "EVIL.example.:9147", "127.0.0.1.evil.example:9147"])
def test_a_name_of_others_that_leads_to_this_machine_gets_nothing(harness: PlayerHarness, host: str) -> None:
    assert post(harness, START, f"Host: {host}")[0] == 403
    page = harness.http(f"GET / HTTP/1.1\r\nHost: {host}\r\nAccept: text/html\r\n\r\n".encode())
    assert page.status == 403
    assert "Tester" not in page.reply
    assert not harness.engines.taken


@pytest.mark.parametrize(
    "host",
    [
        "",
        "localhost",
        "localhost:9147",
        "player.localhost:9147",
        "127.0.0.1",
        "127.0.0.1:9147",
        "192.168.1.7:9147",
        "[::1]:9147",
        "mymachine",
        "mymachine:9147",
        "kubernetes.docker.internal",  # what Java takes 127.0.0.1 for on some machines; ggp-base writes it without port
        "view-localhost.example.org",
        "odd host:name",
    ],
)
def test_managers_are_answered_whatever_they_call_this_machine(harness: PlayerHarness, host: str) -> None:
    assert post(harness, "( INFO )", f"Host: {host}")[2] == AVAILABLE


def test_a_request_without_a_host_is_answered(harness: PlayerHarness) -> None:
    assert harness.ask("( INFO )") == AVAILABLE


def test_a_player_that_other_machines_reach_is_called_by_any_name() -> None:
    harness = PlayerHarness(interface="0.0.0.0")
    assert post(harness, "( INFO )", "Host: player.example.org:9147")[2] == AVAILABLE


def test_the_host_of_a_page_that_is_allowed_is_a_name_of_this_machine() -> None:
    harness = PlayerHarness(allow_origin="http://tunnel.example:9147")
    assert post(harness, "( INFO )", "Host: tunnel.example:9147")[2] == AVAILABLE
    assert post(harness, "( INFO )", "Host: evil.example:9147")[0] == 403


# ---- Over real sockets ----


def test_a_running_player_refuses_web_pages_and_serves_managers() -> None:
    player = Served()
    start = "( START m x ((role x)) 1 1 )"
    foreign = ggp_base(start).replace(b"Sender:", f"Origin: {EVIL}\r\nSender:".encode())
    assert b" 403 " in player.exchange(foreign)[0]
    rebound = ggp_base(start).replace(b"Host: 127.0.0.1", b"Host: evil.example:9147")
    assert b" 403 " in player.exchange(rebound)[0]
    for message in (ggp_base("( INFO )"), dresden("(INFO)")):
        assert b"available" in player.exchange(message)[1]
    printed = player.stop()
    assert f"--allow-origin {EVIL}" in printed
    assert "--allow-origin http://evil.example:9147" in printed
