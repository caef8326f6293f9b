"""The table of levels of an opponent for people, from the gaps in docs/data/levels.jsonl."""

from __future__ import annotations

import json
import math

from ludens.agent.settings.levels import LEVELS
from scripts.docs.pages import DATA, markdown_table
from scripts.strength.levels import Gap, elo, named

_FILE = DATA / "levels.jsonl"


def gaps() -> list[Gap]:
    """Returns all gaps that were measured."""
    return [Gap(**json.loads(line)) for line in _FILE.read_text(encoding="utf-8").splitlines()]


def render() -> str:
    """Returns what each level does, and how many points it is above the one below it in each game, in Markdown."""
    found = {(gap.game, gap.level): gap for gap in gaps()}
    games = list(dict.fromkeys(game for game, _ in found))
    rows = [
        [str(number), named(level), *(_cell(found.get((game, number))) for game in games)]
        for number, level in enumerate(LEVELS, start=1)
    ]
    return markdown_table(["level", "a move", *games], rows)


def _cell(gap: Gap | None) -> str:
    if gap is None:
        return ""
    return f"{_points(gap.score)} ({_points(gap.low)} to {_points(gap.high)})"


def _points(score: float) -> str:
    points = elo(score)
    if math.isinf(points):
        return "all won" if points > 0 else "all lost"
    return f"{points:+.0f}"
