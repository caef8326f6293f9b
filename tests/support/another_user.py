"""Requests of another user of this machine."""

from __future__ import annotations

import http.client
import os
import socket
from contextlib import closing

import pytest

from tests.support.waiting import PATIENCE


def ask_as_another_user(port: int, path: str) -> tuple[int, str]:
    """Returns status and content of an answer; skips the test, saying why, where nobody else can be played."""
    with closing(http.client.HTTPConnection("127.0.0.1", port)) as connection:
        connection.sock = _socket_of_another_user()
        connection.sock.settimeout(PATIENCE)
        connection.sock.connect(("127.0.0.1", port))
        connection.request("GET", path)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()


def _socket_of_another_user() -> socket.socket:
    """Makes a socket, which stays that user's though this process is its own user's again afterwards."""
    own = os.geteuid()
    try:
        os.seteuid(own + 1)
    except OSError:
        pytest.skip("needs root, who can act as another user")
    try:
        return socket.socket()
    finally:
        os.seteuid(own)
