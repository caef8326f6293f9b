"""`ludens games`: the games that come with Ludens, and their rules."""

from __future__ import annotations

from ludens import games
from ludens.games.rules import find_built_in


def run(show: str | None) -> int:
    """Lists the games, or prints the rules of one; raises `UsageError` for a game that is not there."""
    print(find_built_in(show).text if show else _listing())
    return 0


def _listing() -> str:
    abouts = [games.about(name) for name in games.names()]
    width = max(len(about.name) for about in abouts)
    lines = []
    for a in abouts:
        also = f" Also called {', '.join(a.also)}." if a.also else ""
        lines.append(f"{a.name:<{width}}  {a.players} player{'s' if a.players > 1 else ' '}  {a.summary}{also}")
    return "\n".join(lines)
