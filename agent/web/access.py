"""Decides which requests the page's server answers: those of its own pages in a browser of who started it.

Every user of this machine can reach its ports. Where the page is for this machine alone, only programs of the user who
started it are answered, and those of root, to whom nothing is closed: the kernel knows who has opened a connection. A
secret in the address of the page would be less safe. The browser that opens it has it among its arguments, which all
users can read; and if a cookie keeps it, it goes to any port of this machine that the browser visits.

Any page in that browser can send requests too. A browser gives that away in `Origin` or `Sec-Fetch-Site`; and a page
whose own name was made to lead here after it was loaded (DNS rebinding), in `Host`. What changes anything needs a token
besides, which only our own pages can read.

A page that other machines can reach shows matches to whoever asks, and changes nothing. People reach it by names that
nobody here knows, such as those of their router or of a proxy, and by other ports: there every `Host` is answered.
"""

from __future__ import annotations

import hmac
import os
import secrets
from urllib.parse import urlsplit

from ludens.agent.server.web_access import Header, is_this_machine
from ludens.agent.web.peer_user import End, knows_users, peer_user
from ludens.propnet.base.errors import LudensError

TOKEN_HEADER = "x-ludens-token"
_ROOT = 0

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
"""Of every reply: nothing is run or fetched but what comes from here, and nobody else shows or reads it."""


class AccessError(LudensError):
    """A request that is not answered."""


class PageAccess:
    """Who may read the pages of this server, and who may change something."""

    def __init__(self, interface: str) -> None:
        """`interface` is where the server listens: others are let in only where it is open to other machines."""
        self.token = secrets.token_urlsafe(24)
        self._is_private = is_this_machine(interface)
        self._is_of_one_user = self._is_private and knows_users()

    def check_user(self, peer: End, here: End) -> None:
        """Raises `AccessError` for a connection that another user has opened, unless the page is for others too."""
        if self._is_of_one_user and peer_user(peer, here) not in (_ROOT, os.geteuid()):
            raise AccessError("only programs of the user who started this page are answered")

    def check(self, header: Header, port: int) -> None:
        """Raises `AccessError` for a request that comes from another page, or to a name that is not ours."""
        host = header("host").lower()
        if self._is_private and not _is_ours(host, port):
            raise AccessError(f"this server is not {host[:100]!r}")
        origin = header("origin").lower()
        if origin and origin.partition("://")[2] != host:  # a proxy may speak another protocol to browsers
            raise AccessError("another page may not use this server")
        if (
            not origin
            and header("sec-fetch-site") in ("cross-site", "same-site")
            and header("sec-fetch-mode") != "navigate"
        ):
            raise AccessError("another page may not use this server")

    def check_change(self, header: Header) -> None:
        """Raises `AccessError` unless a request has the token of our pages."""
        if not hmac.compare_digest(header(TOKEN_HEADER).encode(), self.token.encode()):
            raise AccessError("the page is older than this server: load it again")


def _is_ours(host: str, port: int) -> bool:
    """Says whether a `Host` names this port of this machine, or of an address: no other page's name leads there."""
    try:
        parts = urlsplit(f"//{host}")
        name, asked = parts.hostname or "", parts.port or 80
    except ValueError:
        return False
    is_address = name.replace(".", "").isdecimal() or ":" in name
    return asked == port and (is_this_machine(name) or is_address)
