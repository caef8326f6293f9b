"""The page's server without a network: games of a large folder, pages that go while they wait, and long bodies."""

from __future__ import annotations

import json
import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from twisted.internet.address import IPv4Address
from twisted.internet.defer import Deferred
from twisted.internet.error import ConnectionDone
from twisted.internet.testing import MemoryReactorClock, StringTransport
from twisted.python.failure import Failure

from ludens import games
from ludens.agent.play.feed import Feed
from ludens.agent.web import catalogue as catalogue_module
from ludens.agent.web.access import PageAccess
from ludens.agent.web.catalogue import Catalogue, UnknownGameError
from ludens.agent.web.requests import MOST_BODY, BoundedRequest, BoundedSite, Handlers
from ludens.agent.web.server import DEFAULT_PORT, PageOptions, PageServer
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
        with pytest.raises(UnknownGameError):
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

    def is_found(self) -> None:
        self.found.callback(
            SimpleNamespace(feed=Feed(9), snapshot=dict, arrive=self.present.append, leave=self.present.remove)
        )


@pytest.mark.parametrize("gone", [False, True])
def test_a_page_that_goes_while_its_match_is_loaded_is_not_present(
    gone: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reactor, loading = MemoryReactorClock(), Loading()
    server = PageServer(reactor, PageOptions(DEFAULT_PORT, store=tmp_path, archived=False))
    monkeypatch.setattr(server.matches, "find", loading.find)
    transport = StringTransport(IPv4Address("TCP", "127.0.0.1", DEFAULT_PORT), IPv4Address("TCP", "127.0.0.1", 50_000))
    site: Any = reactor.tcpServers[0][1]
    page = site.buildProtocol(None)
    page.makeConnection(transport)
    page.dataReceived(f"GET /match/abc/events?tab=tab-1 HTTP/1.1\r\nHost: 127.0.0.1:{DEFAULT_PORT}\r\n\r\n".encode())
    if gone:
        page.connectionLost(Failure(ConnectionDone()))
    loading.is_found()
    assert loading.present == ([] if gone else ["tab-1"])


class SlowChanges:
    """Changes things when the test says so."""

    def __init__(self) -> None:
        self.begun: list[Deferred[None]] = []
        self._access = PageAccess("127.0.0.1")
        handlers = Handlers(self._access, {}, {"change": self._change})
        make_site: Any = BoundedSite
        self._site = make_site(handlers, requestFactory=BoundedRequest, reactor=MemoryReactorClock())

    async def _change(self, _request: Any, _path: list[str], _body: Any) -> dict[str, Any]:
        self.begun.append(Deferred())
        await self.begun[-1]
        return {}

    def asked(self, length: int, machine: str = "127.0.0.1") -> StringTransport:
        """Has a page on a machine ask for a change by a body of this length; returns where the answer comes."""
        transport = StringTransport(IPv4Address("TCP", "127.0.0.1", DEFAULT_PORT), IPv4Address("TCP", machine, 50_000))
        channel = self._site.buildProtocol(None)
        channel.makeConnection(transport)
        head = [
            "POST /change HTTP/1.1",
            f"Host: 127.0.0.1:{DEFAULT_PORT}",
            f"X-Ludens-Token: {self._access.token}",
            f"Content-Length: {length}",
        ]
        channel.dataReceived("".join(f"{line}\r\n" for line in [*head, ""]).encode())
        channel.dataReceived(json.dumps({}).encode().ljust(length))
        return transport


def test_long_bodies_are_taken_one_after_the_other_and_short_ones_at_once() -> None:
    changes = SlowChanges()
    answers = [changes.asked(length) for length in (MOST_BODY + 1, MOST_BODY + 1, MOST_BODY)]
    assert len(changes.begun) == 2
    for begun in changes.begun[:]:
        begun.callback(None)
    assert [b"200 OK" in answer.value() for answer in answers] == [True, False, True]
    changes.begun[2].callback(None)
    assert b"200 OK" in answers[1].value()


def test_a_page_on_another_machine_sends_no_long_body() -> None:
    changes = SlowChanges()
    assert b"that is too long: 2 MB are taken" in changes.asked(MOST_BODY + 1, "192.0.2.1").value()
    assert not changes.begun
