"""Decides which requests of web pages are answered: any page in a browser could send messages to a player otherwise.

Game Managers are programs. They send no `Origin`, and in `Host` whatever the name of this machine is to them, without
a port, or nothing at all; they are always answered. A browser, though, sends what any page asks it to, also to players
that only this machine can reach. It gives the page away in `Origin`, else in `Sec-Fetch-Site` or `Referer`; where a
connection is neither encrypted nor within this machine, a link may come without any of them, but with the name of the
browser in `User-Agent`. A page can still pass for one of ours by having the name of its own server lead to this machine
after it was loaded (DNS rebinding); then `Host` has that name, with the port.
"""

from __future__ import annotations

import ipaddress
import logging
import re
import shlex
import socket
from collections.abc import Callable
from typing import TypeAlias
from urllib.parse import urlsplit

log = logging.getLogger("ludens")

_ALL = "*"
_HTTP_PORT = 80  # which browsers leave out
_DOMAIN_NAME = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)+\.?")
_MOST_REMEMBERED = 100
_SHOWN = 200  # characters of an address that others have made up

Header: TypeAlias = Callable[[str], str]
"""Returns a header of a request by its name, or an empty text if it is not there."""


class WebAccess:
    """Who may send messages to a player from a browser."""

    def __init__(self, allowed: str, interface: str) -> None:
        """`allowed` is what the setting `allow_origin` says, `interface` is where the player listens."""
        self._allowed = frozenset(allowed.split(","))
        self._local_only = is_this_machine(interface)
        self._hosts = {socket.gethostname().lower(), *map(_host, self._allowed)}
        self._refused: set[str] = set()

    def refusal(self, header: Header, port: int, *, message: bool, in_address: bool = False) -> str:
        """Returns why a request to our `port` is refused, or nothing; the log is told so once for each page.

        `message`: whether it is one, rather than a person who looks at what the player does; `in_address`: whether it
        is all in the address, so that a link may have sent it.
        """
        reason = self._reason(header, port, message, in_address)
        if reason and reason not in self._refused and len(self._refused) < _MOST_REMEMBERED:
            self._refused.add(reason)
            log.warning("refused: %s", reason)
        return reason

    def headers(self, header: Header) -> dict[str, str]:
        """Returns what tells a browser that a page may read the reply."""
        origin = header("origin")
        if not origin or not self._allows(origin):
            return {}
        granted = {"Access-Control-Allow-Origin": _ALL if _ALL in self._allowed else origin, "Vary": "Origin"}
        if header("access-control-request-private-network"):
            granted["Access-Control-Allow-Private-Network"] = "true"
        return granted

    def _reason(self, header: Header, port: int, message: bool, in_address: bool) -> str:
        if _ALL in self._allowed:
            return ""
        host = header("host")
        if self._local_only and self._is_foreign(host, port):
            return f"only this machine is served, not {_cut(host)}; {_option(f'http://{host}')} allows it"
        page = header("origin") or _origin(header("referer"))
        if message and page and not self._allows(page):
            return f"the web page {_cut(page)} may not send messages to this player; {_option(page)} lets it"
        if message and not page and _is_of_a_page(header, in_address):
            all_pages = f"`--allow-origin '{_ALL}'` lets all pages"
            return f"a web page that does not say its origin may not send messages to this player; {all_pages}"
        return ""

    def _allows(self, origin: str) -> bool:
        return bool(self._allowed & {_ALL, origin}) or is_this_machine(_host(origin))

    def _is_foreign(self, host: str, port: int) -> bool:
        """Says whether a browser has sent this `Host` for a name that others may let lead to this machine."""
        name, colon, _ = host.lower().partition(":")
        if not colon and port != _HTTP_PORT:
            return False
        ours = name in self._hosts or _address(name) or is_this_machine(name)
        return bool(_DOMAIN_NAME.fullmatch(name)) and not ours


def _is_of_a_page(header: Header, in_address: bool) -> bool:
    """Says whether a request without an origin may be one that a page has a browser make, as by a link or a picture.

    Browsers tell that only of connections that they trust; of others they are known by what they call themselves.
    """
    site = header("sec-fetch-site")
    by_name = in_address and not site and header("user-agent").startswith("Mozilla/")
    return by_name or site in ("cross-site", "same-site")


def _cut(text: str) -> str:
    return text[:_SHOWN]


def _option(origin: str) -> str:
    """Returns what to type to let an origin in; safe to type, whatever somebody has sent as an origin."""
    return f"`--allow-origin {shlex.quote(_cut(origin))}`"


def is_this_machine(host: str) -> bool:
    """Says whether a name or address always means the machine that uses it."""
    address = _address(host)
    return address.is_loopback if address else host == "localhost" or host.endswith(".localhost")


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def _origin(url: str) -> str:
    scheme, _, rest = url.partition("://")
    return f"{scheme}://{rest.partition('/')[0]}" if rest else ""
