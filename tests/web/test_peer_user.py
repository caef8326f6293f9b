"""Whose program is at the other end of a connection, as the kernel says."""

from __future__ import annotations

import os
import socket

import pytest

from ludens.agent.web.peer_user import KNOWS_USERS, peer_user

pytestmark = pytest.mark.skipif(not KNOWS_USERS, reason="only Linux lists connections with their users")


@pytest.mark.parametrize(
    ("server", "client"), [("127.0.0.1", "127.0.0.1"), ("127.0.0.1", "::ffff:127.0.0.1"), ("::1", "::1")]
)
def test_the_user_of_a_connection_is_told_until_its_program_closes_it(server: str, client: str) -> None:
    ours, theirs = (socket.AF_INET6 if ":" in host else socket.AF_INET for host in (server, client))
    try:
        listener, connection = socket.create_server((server, 0), family=ours), socket.socket(theirs)
    except OSError:
        pytest.skip("needs IPv6")
    with listener, connection:
        connection.connect((client, listener.getsockname()[1]))
        accepted, peer = listener.accept()
        with accepted:
            here = accepted.getsockname()[:2]
            assert peer_user(peer[:2], here) == os.geteuid()
            assert peer_user(here, peer[:2]) == os.geteuid()
            assert peer_user(here, here) is None
            connection.close()
            assert peer_user(peer[:2], here) is None
