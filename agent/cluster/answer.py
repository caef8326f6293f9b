"""Finds out whether the head of a cluster answers, by a connection of our own.

Ray waits minutes for an address where nothing answers. Heads speak HTTP/2, whose servers send a SETTINGS frame as soon
as a client begins (RFC 9113, 3.4).
"""

from __future__ import annotations

import socket

from ludens.agent.cluster.errors import ClusterError

_SECONDS = 5.0  # in which a head answers
_GREETING = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0])  # ends with empty SETTINGS
_FRAME_HEADER, _FRAME_TYPE, _SETTINGS = 9, 3, 4  # bytes, the one with the type, and this type


def check_answer(head: str) -> None:
    """Raises `ClusterError` if nothing at HOST:PORT speaks as the head of a cluster does."""
    host, _, port = head.rpartition(":")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), _SECONDS) as connection:
            connection.settimeout(_SECONDS)
            connection.sendall(_GREETING)
            answer = b""
            while len(answer) < _FRAME_HEADER and (more := connection.recv(_FRAME_HEADER - len(answer))):
                answer += more
    except (OSError, OverflowError) as error:
        raise ClusterError(f"no head of a cluster answers at {head}: {error}") from error
    if len(answer) < _FRAME_HEADER or answer[_FRAME_TYPE] != _SETTINGS:
        raise ClusterError(f"what answers at {head} is no head of a cluster of Ray")
