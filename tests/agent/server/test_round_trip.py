"""How far away the other end of a connection is."""

from __future__ import annotations

import socket
from types import SimpleNamespace

from ludens.agent.server.round_trip import round_trip


def test_the_round_trip_of_a_connection_is_told_by_the_system() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening, socket.create_connection(listening.getsockname()):
        accepted, _ = listening.accept()
        with accepted:
            assert 0 < round_trip(SimpleNamespace(getHandle=lambda: accepted)) < 1


def test_the_round_trip_of_what_is_no_connection_of_tcp_is_not_known() -> None:
    one, other = socket.socketpair()
    with one, other:
        assert round_trip(SimpleNamespace(getHandle=lambda: one)) == 0
    assert round_trip(SimpleNamespace(getHandle=lambda: one)) == 0, "nor of one that is closed"
    assert round_trip(object()) == 0
