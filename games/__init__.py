"""The built-in games: rule sheets that come with Ludens, and what their headers say about them.

Each sheet opens with a comment of `; ` lines: its title, one line that describes the game, then
`; Players: N` and `; Source: …`, and `; Also: …` if the game has other names.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources

from ludens.propnet.base.errors import LudensError
from ludens.propnet.base.suggestions import did_you_mean

SUFFIX = ".kif"
_SHEETS = resources.files(__name__) / "sheets"


class UnknownGameError(LudensError):
    """A name that is no built-in game's, or something else in place of a game."""


@dataclass(frozen=True, slots=True)
class SheetHeader:
    """What the header of a built-in sheet says of its game."""

    name: str
    title: str
    summary: str  # one line
    players: int
    source: str
    also: tuple[str, ...] = ()  # other names


def names() -> tuple[str, ...]:
    """Returns the names of the built-in games, in alphabetical order."""
    sheets = (entry.name for entry in _SHEETS.iterdir())
    return tuple(sorted(sheet.removesuffix(SUFFIX) for sheet in sheets if sheet.endswith(SUFFIX)))


def resolve_name(name: str) -> str:
    """Returns the game with this name or this other name; raises UnknownGameError if there is none."""
    known = names()
    if name in known:
        return name
    for game in known:
        if name in about(game).also:
            return game
    raise UnknownGameError(f"no built-in game is called {name!r}{_suggestion(name)} (`ludens games` lists them)")


def _suggestion(name: str) -> str:
    other_names = {other: game for game in names() for other in about(game).also}
    return did_you_mean(name, names(), other_names)


def read(name: str) -> str:
    """Returns the GDL text of a built-in game; raises LudensError, with similar names, if there is none."""
    return (_SHEETS / f"{resolve_name(name)}{SUFFIX}").read_text(encoding="utf-8")


def about(name: str) -> SheetHeader:
    """Returns what the header of a game says; raises LudensError if there is no such game or no proper header."""
    header = [line.removeprefix("; ") for line in read(name).splitlines()]
    title, summary, players, source, also, *_ = header + [""] * 5
    count = players.removeprefix("Players: ")
    if not (title and summary and count.isdecimal() and source.startswith("Source: ")):
        raise LudensError(f"the sheet of '{name}' does not open with title, summary, players and source")
    others = tuple(also.removeprefix("Also: ").split(", ")) if also.startswith("Also: ") else ()
    return SheetHeader(name, title, summary, int(count), source.removeprefix("Source: "), others)
