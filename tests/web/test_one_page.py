"""A page that is one file is shown to browsers on this machine, and to no other pages or users."""

from __future__ import annotations

import http.client
import threading
from collections.abc import Iterator

import pytest
from twisted.internet.selectreactor import SelectReactor

from ludens.agent.web.one_page import show_page
from ludens.agent.web.peer_user import knows_users
from ludens.propnet.base.errors import LudensError
from tests.support.another_user import ask_as_another_user
from tests.support.waiting import PATIENCE

PAGE = """<!doctype html><meta http-equiv="Content-Security-Policy" content="default-src 'none'"><p>A match"""


@pytest.fixture
def port() -> Iterator[int]:
    """The port at which the page is shown."""
    reactor = SelectReactor()
    address = show_page(reactor, PAGE, 0)
    thread = threading.Thread(target=reactor.run, kwargs={"installSignalHandlers": False})
    thread.start()
    yield int(address.rstrip("/").rsplit(":", 1)[1])
    reactor.callFromThread(reactor.stop)
    thread.join(PATIENCE)


def ask(port: int, path: str = "/", **headers: str) -> tuple[int, str, str]:
    """Status, policy and content of a reply."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    connection.request("GET", path, headers=headers)
    reply = connection.getresponse()
    found = reply.status, reply.getheader("Content-Security-Policy", ""), reply.read().decode()
    connection.close()
    return found


def test_the_page_is_sent_with_the_policy_that_it_names(port: int) -> None:
    status, policy, content = ask(port)
    assert (status, content) == (200, PAGE)
    assert policy == "default-src 'none'; frame-ancestors 'none'"


def test_other_names_other_pages_and_other_paths_get_nothing(port: int) -> None:
    assert ask(port, Host="evil.example")[0] == 403
    assert ask(port, Origin="http://evil.example")[0] == 403
    assert ask(port, "/etc/passwd")[0] == 404


def test_a_port_that_is_taken_is_said_in_one_line(port: int) -> None:
    with pytest.raises(LudensError, match=rf"cannot listen on 127\.0\.0\.1:{port}: .*; choose another --port"):
        show_page(SelectReactor(), PAGE, port)


@pytest.mark.skipif(not knows_users(), reason="only Linux says whose a connection is")
def test_another_user_of_the_machine_does_not_get_the_page(port: int) -> None:
    status, told = ask_as_another_user(port, "/")
    assert status == 403
    assert "only programs of the user who started this page" in told
