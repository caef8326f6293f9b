"""Asks the kernel whose program is at the other end of a connection within this machine.

Linux lists all connections with the user who has opened each, but as root's those that are closed, which are not
`ESTABLISHED` any more. Where it runs within Windows, programs of Windows reach its ports too, and are not listed.
Source: https://www.kernel.org/doc/html/latest/networking/proc_net_tcp.html.
"""

from __future__ import annotations

import platform
import re
import struct
import sys
from contextlib import suppress
from functools import cache
from ipaddress import ip_address
from pathlib import Path
from typing import TypeAlias

_TABLES = Path("/proc/net/tcp"), Path("/proc/net/tcp6")
_WITHIN_IPV6 = bytes(10) + b"\xff\xff"  # what comes before an IPv4 address that is written as one of IPv6
_ESTABLISHED = "01"
_WITHIN_WINDOWS = "microsoft"  # in the name of the kernel

End: TypeAlias = tuple[str, int]
"""Address and port of one end of a connection."""


@cache
def knows_users() -> bool:
    """Says whether the kernel tells who has opened a connection: Linux does, where its tables may be read."""
    on_linux = sys.platform == "linux" and _WITHIN_WINDOWS not in platform.release().lower()
    return on_linux and any(map(_read, _TABLES))


def peer_user(peer: End, here: End) -> int | None:
    """Returns the number of the user who has opened a connection from `peer` to `here`; None if there is none."""
    tables = "".join(map(_read, _TABLES))
    for theirs, ours in zip(_as_listed(*peer), _as_listed(*here), strict=True):
        if found := re.search(rf" {theirs} {ours} (\w\w) \S+ \S+ \S+ +(\d+) ", tables):
            state, user = found[1], int(found[2])
            return user if user or state == _ESTABLISHED else None
    return None


def _read(table: Path) -> str:
    with suppress(OSError):  # a kernel without IPv6 has no table of it; and some programs may read none
        return table.read_text("ascii")
    return ""


def _as_listed(host: str, port: int) -> list[str]:
    """Returns how an end may be listed: one of IPv4 also within IPv6, as the program that opened it has chosen."""
    address = ip_address(host)
    forms = [address.packed] if address.version == 6 else [address.packed, _WITHIN_IPV6 + address.packed]
    return [f"{_digits(packed)}:{port:04X}" for packed in forms]


def _digits(packed: bytes) -> str:
    """Returns an address as the kernel writes it: in words of 32 bits, each in the processor's order of bytes."""
    return "".join(f"{word:08X}" for word in struct.unpack(f"={len(packed) // 4}I", packed))
