"""A mistake found in a rule sheet: how bad it is, where it is, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum

from ludens.propnet.base.errors import GdlError
from ludens.propnet.base.suggestions import did_you_mean
from ludens.propnet.gdl.syntax import Position

ALIKE = 0.7  # how alike names must be for one to be taken for a slip of the other
VERY_ALIKE = 0.85  # the same for names that both make sense: one letter too many or too few of four or more

_MOST_NAMES = 400  # that one is compared with; the sheets of real games have fewer


class Severity(Enum):
    """How bad a mistake is."""

    ERROR = "error"  # the sheet cannot mean what it says
    WARNING = "warning"  # legal, and yet likely a slip


@dataclass(frozen=True, slots=True)
class Finding:
    """A mistake in a rule sheet; line and column count from 1, and are 0 where it concerns the sheet as a whole."""

    severity: Severity
    message: str
    line: int = 0
    column: int = 0
    about: str | None = field(default=None, compare=False)  # rules that hold this name decide on it; None: all rules
    file: str = ""  # beside the sheet, where it is; empty: the sheet itself

    @property
    def place(self) -> tuple[str, int, int]:
        """File, line and column, by which findings are sorted."""
        return self.file, self.line, self.column

    def __str__(self) -> str:
        file = f"{self.file}: " if self.file else ""
        where = f"line {self.line}, column {self.column}: " if self.line else ""
        return f"{file}{where}{self.severity.value}: {self.message}"


def error(position: Position, message: str, about: str | None = None) -> Finding:
    """Makes the finding of an error."""
    return Finding(Severity.ERROR, message, position.line, position.column, about)


def warning(position: Position, message: str, about: str | None = None) -> Finding:
    """Makes the finding of a warning."""
    return Finding(Severity.WARNING, message, position.line, position.column, about)


def from_exception(exception: GdlError) -> Finding:
    """Makes the finding of an error that was raised."""
    return Finding(Severity.ERROR, exception.message, exception.line, exception.column)


def has_errors(findings: Iterable[Finding]) -> bool:
    """Returns whether one of the findings is an error."""
    return any(finding.severity is Severity.ERROR for finding in findings)


def slip_of(name: str, names: Iterable[str], alike: float = ALIKE) -> str:
    """Returns a question for the one of `names` that `name` may be a slip of; empty if there is none, or too many."""
    others = sorted(set(names) - {name})
    return did_you_mean(name, others, most=1, alike=alike) if len(others) <= _MOST_NAMES else ""
