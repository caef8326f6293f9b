"""Every exception that Ludens raises on purpose, under one root.

A leaf module: it imports nothing of the project, so that every layer can raise these.
"""

from __future__ import annotations


class LudensError(Exception):
    """Root of all errors a user can cause; its text is one clear line."""


class GdlError(LudensError):
    """Rules or a message that are not GDL, or GDL that breaks a rule of the language.

    `line` and `column` count from 1; 0 means that the place is not known. `message` is the text without the place.
    """

    def __init__(self, message: str, line: int = 0, column: int = 0) -> None:
        place = f"line {line}, column {column}: " if line else ""
        super().__init__(place + message)
        self.message = message
        self.line = line
        self.column = column


class GroundingError(LudensError):
    """The rules could not be turned into a network within the time or memory allowed."""


class NativeError(LudensError):
    """The native core refused a call; the text is its own message."""


class KernelError(NativeError):
    """A kernel that plays a search's random games failed; a new search can do without it."""


class NotRecognisedError(LudensError):
    """A game is not the one it was taken for; the text says why."""


class UnprovenError(NotRecognisedError):
    """A game that may be what it was taken for, but too little could be compared in the time to prove it."""
