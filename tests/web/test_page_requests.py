"""The page's server without a network: games of a large folder, pages that go while they wait, long bodies, users."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from twisted.internet.address import IPv4Address
from twisted.internet.defer import Deferred, succeed
from twisted.internet.error import ConnectionDone
from twisted.internet.testing import MemoryReactorClock, StringTransport
from twisted.python.failure import Failure

from ludens import games
from ludens.agent.play.feed import Feed
from ludens.agent.web import access
from ludens.agent.web import catalogue as catalogue_module
from ludens.agent.web import server as server_module
from ludens.agent.web.access import TOKEN_HEADER, PageAccess
from ludens.agent.web.catalogue import Catalogue, UnlistedGameError
from ludens.agent.web.peer_user import End
from ludens.agent.web.requests import MOST_BODY, BoundedRequest, BoundedSite, Handlers
from ludens.agent.web.server import DEFAULT_PORT, PageOptions, PageServer
from ludens.agent.web.static import page_file
from ludens.agent.web.store import StoreError
from ludens.propnet.base.child import Limits


def test_all_games_of_a_large_folder_can_be_chosen_and_pasted_ones_do_not_push_them_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catalogue_module, "_MOST_TEXTS", 2)
    for number in range(4):
        (tmp_path / f"mine{number}.kif").write_text(f"; mine {number}\n(role a)")
    catalogue = Catalogue(Limits(1.0, 100), tmp_path)
    pasted = [catalogue.remember(f"pasted{number}", f"(role a{number})") for number in range(3)]
    chosen = {line["name"]: line["key"] for line in catalogue.listing()}
    assert {name: catalogue.text(key)[0] for name, key in chosen.items()} == {name: name for name in chosen}
    assert chosen.keys() == {*games.names(), *(f"mine{number}" for number in range(4))}
    assert [catalogue.text(key)[0] for key in pasted[1:]] == ["pasted1", "pasted2"]
    (tmp_path / "mine0.kif").write_text("; changed\n(role b)")
    for key in (pasted[0], chosen["mine0"]):
        with pytest.raises(UnlistedGameError):
            catalogue.text(key)


def test_a_sheet_whose_name_is_not_utf_8_is_listed_by_a_name_that_all_can_write(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"caf\xe9.kif")).write_text("(role a)")
    catalogue = Catalogue(Limits(1.0, 100), tmp_path)
    mine = next(line for line in catalogue.listing() if not line["built_in"])
    assert mine["name"] == mine["title"] == catalogue.text(mine["key"])[0] == "caf?"


class Loading:
    """A match that is looked for as long as the test wants, and who looks at it."""

    def __init__(self) -> None:
        self.found: Deferred[Any] = Deferred()
        self.present: list[str] = []

    def find(self, _name: str) -> Deferred[Any]:
        return self.found

    def is_found(self, most: int = 9) -> None:
        feed = Feed(most)
        self.found.callback(
            SimpleNamespace(feed=feed, snapshot=dict, arrive=self.present.append, leave=self.present.remove)
        )


OWN, ROOT, OTHER = os.geteuid(), 0, os.geteuid() + 1


@pytest.fixture
def user_is(monkeypatch: pytest.MonkeyPatch) -> Callable[[int | None], None]:
    """Says whose connections are from now on, in place of the kernel."""

    def says(user: int | None) -> None:
        monkeypatch.setattr(access, "knows_users", lambda: True)
        monkeypatch.setattr(access, "peer_user", lambda _peer, _here: user)

    says(OWN)
    return says


HERE = f"127.0.0.1:{DEFAULT_PORT}"


def visit(reactor: MemoryReactorClock, *requests: str, host: str = HERE) -> tuple[Any, StringTransport]:
    """A connection to the page's server with requests on it, and what goes over it."""
    here, peer = (IPv4Address("TCP", "127.0.0.1", port) for port in (DEFAULT_PORT, 50_000))
    transport = StringTransport(here, peer)
    site: Any = reactor.tcpServers[0][1]
    page = site.buildProtocol(None)
    page.makeConnection(transport)
    for request in requests:
        page.dataReceived(f"{request}\r\nHost: {host}\r\n\r\n".encode())
    return page, transport


@pytest.mark.parametrize("gone", ["", "altogether", "perhaps"])
@pytest.mark.usefixtures("user_is")
def test_a_page_that_goes_while_its_match_is_loaded_is_not_present(
    gone: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reactor, loading = MemoryReactorClock(), Loading()
    server = PageServer(reactor, PageOptions(DEFAULT_PORT, store=tmp_path, archived=False))
    monkeypatch.setattr(server.matches, "find", loading.find)
    page, transport = visit(reactor, "GET /match/abc/events?tab=tab-1 HTTP/1.1")
    if gone == "altogether":
        page.connectionLost(Failure(ConnectionDone()))
    elif gone == "perhaps":
        page.readConnectionLost()
    loading.is_found()
    assert loading.present == ([] if gone else ["tab-1"])
    assert transport.disconnecting == (gone == "perhaps")


@pytest.mark.usefixtures("user_is")
def test_a_page_that_ends_its_sending_half_follows_no_match(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reactor, loading = MemoryReactorClock(), Loading()
    server = PageServer(reactor, PageOptions(DEFAULT_PORT, store=tmp_path, archived=False))
    monkeypatch.setattr(server.matches, "find", loading.find)
    page, transport = visit(reactor, "GET /match/abc/events?tab=tab-1 HTTP/1.1")
    loading.is_found()
    assert not transport.disconnecting
    page.readConnectionLost()
    assert transport.disconnected


@pytest.mark.usefixtures("user_is")
@pytest.mark.parametrize("sent", ["", "GET / HT", "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{", "\r\n"])
def test_a_connection_whose_sending_half_ends_with_nothing_to_answer_is_closed(sent: str, tmp_path: Path) -> None:
    reactor = MemoryReactorClock()
    PageServer(reactor, PageOptions(DEFAULT_PORT, store=tmp_path, archived=False))
    page, transport = visit(reactor, "GET / HTTP/1.1")
    page.dataReceived(sent.encode())
    assert not transport.disconnecting
    page.readConnectionLost()
    assert transport.disconnecting
    assert transport.value().count(b"HTTP/1.1 200 OK") == 1


@pytest.mark.parametrize(
    ("end", "reason"),
    [
        (lambda loading: loading.is_found(most=0), "too many look at this match already"),
        (lambda loading: loading.found.errback(StoreError("there is no such match")), "there is no such match"),
    ],
)
@pytest.mark.usefixtures("user_is")
def test_a_page_is_told_in_its_stream_why_there_is_none(
    end: Callable[[Loading], None], reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A browser hands nothing on of a reply that is no stream."""
    reactor, loading = MemoryReactorClock(), Loading()
    server = PageServer(reactor, PageOptions(DEFAULT_PORT, store=tmp_path, archived=False))
    monkeypatch.setattr(server.matches, "find", loading.find)
    _, transport = visit(reactor, "GET /match/abc/events?tab=tab-1 HTTP/1.1")
    end(loading)
    assert transport.value().startswith(b"HTTP/1.1 200 ")
    assert f'event: refused\ndata: "{reason}"\n\n'.encode() in transport.value()
    assert not loading.present


@pytest.mark.usefixtures("user_is")
def test_a_match_is_made_a_page_for_nobody_who_has_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reactor, made = MemoryReactorClock(), list[Deferred[Any]]()

    def in_thread(*_: object) -> Deferred[Any]:
        made.append(Deferred())
        return made[-1]

    match = SimpleNamespace(at=SimpleNamespace(number=0), game=SimpleNamespace(name="g"), record=lambda _: None)
    server = PageServer(reactor, PageOptions(DEFAULT_PORT, store=tmp_path, archived=False))
    monkeypatch.setattr(server.matches, "find", lambda _: succeed(match))
    monkeypatch.setattr(server_module, "in_thread", in_thread)
    pages = [visit(reactor, "GET /match/abc/page HTTP/1.1") for _ in range(3)]
    pages[1][0].connectionLost(Failure(ConnectionDone()))
    for count in (1, 2):
        assert len(made) == count
        made[-1].callback(page_file(b"the page", ".html"))
    assert len(made) == 2
    assert [b"the page" in transport.value() for _, transport in pages] == [True, False, True]


@pytest.mark.usefixtures("user_is")
def test_pages_are_told_how_long_rules_may_be_turned_into_a_network(tmp_path: Path) -> None:
    reactor = MemoryReactorClock()
    PageServer(reactor, PageOptions(DEFAULT_PORT, limits=Limits(7.0, 100), store=tmp_path, archived=False))
    assert b'"limit":7.0' in visit(reactor, "GET /strategies HTTP/1.1")[1].value()


class SlowChanges:
    """Changes things when the test says so."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(access, "knows_users", lambda: False)
        self.begun: list[Deferred[None]] = []
        self._access = PageAccess("127.0.0.1")
        handlers = Handlers(self._access, {}, {"change": self._change})
        make_site: Any = BoundedSite
        self._site = make_site(handlers, requestFactory=BoundedRequest, reactor=MemoryReactorClock())

    async def _change(self, _request: Any, _path: list[str], _body: Any) -> dict[str, Any]:
        self.begun.append(Deferred())
        await self.begun[-1]
        return {}

    def asked(self, length: int, machine: str = "127.0.0.1", *, times: int = 1, ends: bool = False) -> StringTransport:
        """Has a page on a machine ask for a change by a body of this length; returns where the answer comes.

        The page may ask several `times`, and end its sending half then.
        """
        transport = StringTransport(IPv4Address("TCP", "127.0.0.1", DEFAULT_PORT), IPv4Address("TCP", machine, 50_000))
        channel = self._site.buildProtocol(None)
        channel.makeConnection(transport)
        head = [
            "POST /change HTTP/1.1",
            f"Host: 127.0.0.1:{DEFAULT_PORT}",
            f"X-Ludens-Token: {self._access.token}",
            f"Content-Length: {length}",
        ]
        for _ in range(times):
            channel.dataReceived("".join(f"{line}\r\n" for line in [*head, ""]).encode())
            channel.dataReceived(json.dumps({}).encode().ljust(length))
        if ends:
            channel.readConnectionLost()
        return transport


def test_long_bodies_are_taken_one_after_the_other_and_short_ones_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    changes = SlowChanges(monkeypatch)
    answers = [changes.asked(length) for length in (MOST_BODY + 1, MOST_BODY + 1, MOST_BODY)]
    assert len(changes.begun) == 2
    for begun in changes.begun[:]:
        begun.callback(None)
    assert [b"200 OK" in answer.value() for answer in answers] == [True, False, True]
    changes.begun[2].callback(None)
    assert b"200 OK" in answers[1].value()


def test_a_program_that_ends_its_sending_half_has_all_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """As one that pipes requests into a connection."""
    changes = SlowChanges(monkeypatch)
    transport = changes.asked(2, times=2, ends=True)
    for number in range(2):
        assert not transport.disconnecting
        changes.begun[number].callback(None)
        assert transport.value().count(b"200 OK") == number + 1
    assert transport.disconnecting


def test_a_page_on_another_machine_sends_no_long_body(monkeypatch: pytest.MonkeyPatch) -> None:
    changes = SlowChanges(monkeypatch)
    assert b"that is too long: 2 MB are taken" in changes.asked(MOST_BODY + 1, "192.0.2.1").value()
    assert not changes.begun


class Routes:
    """Stands for the handlers of a server: notes which there are, and answers nothing in their place."""

    def __init__(self) -> None:
        self.orders: list[str] = []  # requests that reach a handler each, as far as their tokens

    def handlers(self, page_access: PageAccess, reads: Iterable[str], changes: Iterable[str]) -> Handlers:
        async def answer(*_: object) -> dict[str, Any]:
            return {}

        self.orders = [f"GET /{name} HTTP/1.1" for name in reads]
        self.orders += [f"POST /{name} HTTP/1.1\r\n{TOKEN_HEADER}: {page_access.token}" for name in changes]
        return Handlers(page_access, dict.fromkeys(reads, answer), dict.fromkeys(changes, answer))


@pytest.mark.parametrize(
    ("interface", "user", "status"),
    [
        ("127.0.0.1", OWN, 200),
        ("127.0.0.1", ROOT, 200),
        ("127.0.0.1", OTHER, 403),
        ("127.0.0.1", None, 403),
        ("::1", OTHER, 403),
        ("localhost", OTHER, 403),
        ("0.0.0.0", OTHER, 200),
    ],
)
def test_whatever_can_be_asked_of_a_page_on_this_machine_is_answered_to_its_user_alone(
    interface: str,
    user: int | None,
    status: int,
    user_is: Callable[[int | None], None],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    user_is(user)
    reactor, routes = MemoryReactorClock(), Routes()
    monkeypatch.setattr(server_module, "Handlers", routes.handlers)
    PageServer(reactor, PageOptions(DEFAULT_PORT, interface=interface, store=tmp_path, archived=False))
    assert routes.orders
    for order in [*routes.orders, *(["GET /nothing HTTP/1.1"] if status == 403 else [])]:
        answer = visit(reactor, order)[1].value().decode()
        assert answer.startswith(f"HTTP/1.1 {status} "), order
        assert ("only programs of the user who started this page" in answer) == (status == 403)


@pytest.mark.usefixtures("user_is")
def test_the_kernel_is_asked_once_a_connection_whose_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[End, End]] = []

    def peer_user(peer: End, here: End) -> int:
        asked.append((peer, here))
        return OWN

    monkeypatch.setattr(access, "peer_user", peer_user)
    reactor = MemoryReactorClock()
    PageServer(reactor, PageOptions(DEFAULT_PORT, store=tmp_path, archived=False))
    _, transport = visit(reactor, "GET / HTTP/1.1", "GET /page/app.js HTTP/1.1")
    assert transport.value().count(b"200 OK") == 2
    assert asked == [(("127.0.0.1", 50_000), ("127.0.0.1", DEFAULT_PORT))]


def test_another_user_is_refused_once_a_connection(
    user_is: Callable[[int | None], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Asking the kernel takes the time of the page's own user."""
    user_is(OWN + 1)
    reactor = MemoryReactorClock()
    PageServer(reactor, PageOptions(DEFAULT_PORT, store=tmp_path, archived=False))
    _, transport = visit(reactor, *["GET / HTTP/1.1"] * 3)
    assert transport.value().count(b"HTTP/1.1 403") == 1
    assert transport.disconnecting


def test_where_the_kernel_does_not_know_users_a_page_goes_on_for_all_of_this_machine(
    user_is: Callable[[int | None], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    user_is(None)
    monkeypatch.setattr(access, "knows_users", lambda: False)
    reactor = MemoryReactorClock()
    PageServer(reactor, PageOptions(DEFAULT_PORT, store=tmp_path, archived=False))
    assert b"200 OK" in visit(reactor, "GET / HTTP/1.1")[1].value()


@pytest.mark.parametrize("host", [f"box.local:{DEFAULT_PORT}", "box.local", "watch.example:8443"])
@pytest.mark.parametrize(("interface", "status"), [("0.0.0.0", 200), ("127.0.0.1", 403)])
@pytest.mark.usefixtures("user_is")
def test_a_page_for_other_machines_is_answered_by_whatever_name_and_port_they_know_it(
    interface: str, status: int, host: str, tmp_path: Path
) -> None:
    reactor = MemoryReactorClock()
    PageServer(reactor, PageOptions(DEFAULT_PORT, interface=interface, store=tmp_path, archived=False))
    for request in ("GET / HTTP/1.1", f"GET /matches HTTP/1.1\r\nOrigin: https://{host}"):
        assert visit(reactor, request, host=host)[1].value().startswith(f"HTTP/1.1 {status} ".encode())
    asked = visit(reactor, "GET /matches HTTP/1.1\r\nOrigin: http://other.example", host=host)[1].value()
    assert asked.startswith(b"HTTP/1.1 403 ")
