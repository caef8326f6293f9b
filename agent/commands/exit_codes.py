"""The exit codes of every command, and errors that end a command with one of them.

>>> ExitCode.PLAYER_FAILED.meaning.startswith("a player failed")
True
"""

from __future__ import annotations

from enum import IntEnum

from ludens.propnet.base.errors import LudensError


class ExitCode(IntEnum):
    """What a command tells the shell; the documents show this table."""

    meaning: str

    def __new__(cls, number: int, meaning: str) -> ExitCode:
        """Makes a code of a number and of what it means to users."""
        code = int.__new__(cls, number)
        code._value_ = number
        code.meaning = meaning
        return code

    OK = 0, "all is well; `ludens match`: the game was played to its end and no player failed"
    FAULTY_INPUT = (
        1,
        "the input has faults: rules that `ludens validate` refuses, a file that cannot be read or written, an address "
        "that cannot be listened on, rules too large for the time and memory allowed",
    )
    WRONG_USAGE = (
        2,
        "the command line is wrong: an unknown command, option, game, strategy or setting, a value out of range, too "
        "many players",
    )
    PLAYER_FAILED = (
        3,
        "a player failed in a match: it could not start, was busy or absent, or answered late, with an illegal move or "
        "not at all",
    )
    TURN_LIMIT = 4, "the match was stopped at `--max-turns`, before the game was over"
    INTERNAL_ERROR = 70, "a mistake of Ludens itself; the message names a file to report it with"
    INTERRUPTED = 130, "ended by Ctrl-C before it was done"


class CommandError(LudensError):
    """Ends a command with its text as one line on standard error, and with an exit code of its own."""

    def __init__(self, message: str, code: ExitCode) -> None:
        super().__init__(message)
        self.code = code


class UsageError(CommandError):
    """Ends a command whose arguments make no sense; the user is pointed to the help of the command."""

    def __init__(self, message: str) -> None:
        super().__init__(message, ExitCode.WRONG_USAGE)
