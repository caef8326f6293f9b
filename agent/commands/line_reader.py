"""Reads lines from a person at the terminal while a match goes on, with completion where there is readline."""

from __future__ import annotations

import contextlib
import io
import os
import sys
import threading
from collections.abc import Callable, Iterable
from typing import Any

from twisted.internet.defer import Deferred

Complete = Callable[[str], Iterable[str]]


class LineReader:
    """Reads from standard input in a thread of its own, one line for each time that it is asked."""

    def __init__(self, reactor: Any) -> None:
        """Reads nothing yet."""
        self._reactor = reactor
        self._asked: Deferred[str | None] | None = None
        self._reading = False
        self._complete: Complete = lambda _text: ()
        self._terminal = _terminal_settings()
        self._is_terminal = sys.stdin.isatty() and sys.stdout.isatty()
        self._piped = b""  # what was read and not yet asked for
        if self._is_terminal:
            if isinstance(sys.stdin, io.TextIOWrapper):
                sys.stdin.reconfigure(errors="replace")  # a letter that cannot be decoded does not end the input
            _set_completer(self._completions)

    def ask(self, prompt: str, complete: Complete) -> Deferred[str | None]:
        """Returns the next line, without its end; None where there are no more, or prompts cannot be shown any more.

        Who asked before gets no answer.
        """
        self._complete = complete
        self._asked = Deferred()
        if self._reading:  # a line is being typed already, at an earlier prompt
            print(prompt, end="", flush=True)
        else:
            self._reading = True
            threading.Thread(target=self._read, args=(prompt,), daemon=True).start()
        return self._asked

    def close(self) -> None:
        """Leaves the terminal as it was found, though a line may be half typed."""
        if self._terminal is not None:
            import termios

            with contextlib.suppress(termios.error):
                termios.tcsetattr(sys.stdin.fileno(), termios.TCSADRAIN, self._terminal)

    def _completions(self, text: str) -> Iterable[str]:
        return self._complete(text)

    def _read(self, prompt: str) -> None:
        line = None
        with contextlib.suppress(OSError):
            line = self._read_typed(prompt) if self._is_terminal else self._read_piped(prompt)
        self._reactor.callFromThread(self._deliver, line)

    def _read_typed(self, prompt: str) -> str | None:
        try:
            return input(prompt)
        except (EOFError, ValueError):
            return None

    def _read_piped(self, prompt: str) -> str | None:
        """Reads past Python's buffer: it may not be busy when the process ends."""
        print(prompt, end="", flush=True)
        while b"\n" not in self._piped and (more := os.read(sys.stdin.fileno(), 1 << 12)):
            self._piped += more
        line, end, self._piped = self._piped.partition(b"\n")
        text = line.decode("utf-8", "replace")
        print(text, flush=True)  # so that a log of a match shows what was said
        return text if end or text else None

    def _deliver(self, line: str | None) -> None:
        self._reading = False
        asked, self._asked = self._asked, None
        if asked is not None:
            asked.callback(line)


def _terminal_settings() -> Any:
    """Returns how the terminal is set; None where there is none, or on systems without such settings."""
    try:
        import termios

        return termios.tcgetattr(sys.stdin.fileno())
    except (ImportError, OSError, ValueError, termios.error):
        return None


def _set_completer(complete: Complete) -> None:
    """Has the Tab key complete whole lines, where there is readline."""
    try:
        import readline
    except ImportError:
        return
    found: list[str] = []

    def completer(text: str, number: int) -> str | None:
        if number == 0:
            found[:] = complete(text)
        return found[number] if number < len(found) else None

    readline.set_completer_delims("\n")
    readline.set_completer(completer)
    libedit = "libedit" in (readline.__doc__ or "")
    readline.parse_and_bind("bind ^I rl_complete" if libedit else "tab: complete")
