"""Listens on a port, or says which option of the command names another."""

from __future__ import annotations

import errno
from typing import Any

from twisted.internet.error import CannotListenError

from ludens.agent.server.registration import host_and_port
from ludens.propnet.base.errors import LudensError


class ListenError(LudensError):
    """There is nothing to listen on where it should be."""


def listen_on(reactor: Any, port: int, factory: Any, interface: str, port_option: str = "--port") -> Any:
    """Returns the port, on which the connections of a factory are taken.

    Raises `ListenError`, which names what to change: `port_option` is what the command calls the option of the port.
    """
    try:
        return reactor.listenTCP(port, factory, interface=interface)
    except CannotListenError as error:
        place, reason = host_and_port(interface, port), error.socketError
        busy = isinstance(reason, OSError) and reason.errno in (errno.EADDRINUSE, errno.EACCES)
        option = port_option if busy else "--interface"
        raise ListenError(f"cannot listen on {place}: {reason}; choose another {option}") from None
