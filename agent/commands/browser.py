"""Opens a page in the user's browser."""

from __future__ import annotations

import webbrowser
from pathlib import Path
from typing import Any

from ludens.agent.reactor.in_thread import in_thread

_IN_TERMINAL = {"www-browser", "links", "elinks", "lynx", "w3m"}  # those that `webbrowser` knows


def open_in_browser(reactor: Any, address: str) -> None:
    """Opens an address, in a thread that does not keep the program from ending.

    Nothing is opened where the only browser takes the terminal, in which the user reads the address and presses Ctrl-C.
    """
    in_thread(reactor, _open, address)


def _open(address: str) -> None:
    try:
        browser = webbrowser.get()
    except webbrowser.Error:  # there is none
        return
    if Path(getattr(browser, "name", "")).name not in _IN_TERMINAL:
        browser.open(address)
