"""Tells how far away the other end of a TCP connection is, as the system has measured it.

Linux measures the round trip of each connection while it is made: from its answer to the request for a connection until
that is confirmed. A proxy or a tunnel hides what lies behind it.
"""

from __future__ import annotations

import socket
import struct
from typing import Any

ROUND_TRIPS = 2
"""Round trips from when a manager connects, which starts its clock, until it has an answer that takes no time.

The connection is made in one, and request and answer take half of one each.
"""

_LENGTH = 104  # bytes of `struct tcp_info` in linux/tcp.h that are asked for
_ROUND_TRIP = 68  # where `tcpi_rtt` is in it, in microseconds


def round_trip(transport: Any) -> float:
    """Returns the seconds that a message and its answer take on a connection; 0 where that is not known."""
    try:
        told = transport.getHandle().getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _LENGTH)
    except (AttributeError, OSError):  # no connection of TCP any more, or another system than Linux
        return 0.0
    return struct.unpack_from("I", told, _ROUND_TRIP)[0] / 1e6 if len(told) == _LENGTH else 0.0
