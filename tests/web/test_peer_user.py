"""Whose program is at the other end of a connection, as the kernel says."""

from __future__ import annotations

import os
import platform
import socket
from contextlib import ExitStack
from pathlib import Path

import pytest

from ludens.agent.web.peer_user import knows_users, peer_user

pytestmark = pytest.mark.skipif(not knows_users(), reason="only Linux lists connections with their users")


@pytest.mark.parametrize(
    ("server", "client"), [("127.0.0.1", "127.0.0.1"), ("127.0.0.1", "::ffff:127.0.0.1"), ("::1", "::1")]
)
def test_the_user_of_a_connection_is_told_until_its_program_closes_it(server: str, client: str) -> None:
    ours, theirs = (socket.AF_INET6 if ":" in host else socket.AF_INET for host in (server, client))
    with ExitStack() as opened:
        try:
            listener = opened.enter_context(socket.create_server((server, 0), family=ours))
            connection = opened.enter_context(socket.socket(theirs))
            connection.connect((client, listener.getsockname()[1]))
        except OSError:
            pytest.skip("needs IPv6")
        accepted, peer = listener.accept()
        with accepted:
            here = accepted.getsockname()[:2]
            assert peer_user(peer[:2], here) == os.geteuid()
            assert peer_user(here, peer[:2]) == os.geteuid()
            assert peer_user(here, here) is None
            connection.shutdown(socket.SHUT_WR)  # it still reads; but that of root may be one that nobody has any more
            assert peer_user(peer[:2], here) == (os.geteuid() or None)
            connection.close()
            assert peer_user(peer[:2], here) is None


@pytest.mark.parametrize(("release", "expected"), [("6.1.0-amd64", True), ("5.15.90.1-microsoft-standard-WSL2", False)])
def test_linux_within_windows_does_not_know_users(
    release: str, expected: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(platform, "release", lambda: release)
    assert knows_users.__wrapped__() == expected


@pytest.mark.parametrize("fault", [FileNotFoundError, PermissionError])
def test_a_kernel_whose_tables_may_not_be_read_tells_of_nobody(
    fault: type[OSError], monkeypatch: pytest.MonkeyPatch
) -> None:
    def unread(*_: object) -> str:
        raise fault("/proc/net/tcp")

    monkeypatch.setattr(Path, "read_text", unread)
    assert not knows_users.__wrapped__()
    assert peer_user(("127.0.0.1", 1), ("127.0.0.1", 2)) is None
