"""Addresses of players elsewhere, as users write them: `http://host:port`."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from ludens.propnet.base.errors import LudensError


@dataclass(frozen=True, slots=True)
class Address:
    """Where a player listens."""

    host: str
    port: int
    path: str = "/"

    @classmethod
    def from_url(cls, url: str) -> Address:
        """Returns the address in `http://host:port`; raises `LudensError` for any other text."""
        try:
            parts = urlsplit(url)
            host, port = parts.hostname, parts.port
        except ValueError:  # such as of brackets without an address
            host = port = None
        if not host or port is None or parts.scheme != "http":
            raise LudensError(f"{url!r} is no player: write http://host:port")
        return cls(host, port, parts.path or "/")

    @property
    def place(self) -> str:
        """The host and the port, with brackets around a host that has colons."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"
