"""The table of puzzles, from docs/data/puzzles.json, which `scripts.strength.puzzles --json` writes."""

from __future__ import annotations

import json
from typing import Any

from scripts.docs.pages import DATA, markdown_table

FILE = DATA / "puzzles.json"

_BEST = 100
_HEAD = ["puzzle", "best goal", "best possible", "moves", "s", "CPU s", "played on"]


def rows() -> list[dict[str, Any]]:
    """What was found, a row for each puzzle."""
    found: list[dict[str, Any]] = json.loads(FILE.read_text("utf-8"))
    return found


def render() -> str:
    """The table in Markdown, and a sentence that counts."""
    lines = []
    for row in rows():
        proven = "yes" if row["proven"] else "not known"
        times = [f"{row['seconds']:.1f}", f"{row['cpu']:.2f}"]
        cells = [row["game"], str(row["goal"]), proven, str(row["moves"]), *times, row["machine"]]
        lines.append(cells)
    solved, proven = sum(row["goal"] == _BEST for row in rows()), sum(row["proven"] for row in rows())
    count = f"{solved} of {len(lines)} puzzles reach {_BEST}. For {proven} it is proven that no plan has a better goal."
    return markdown_table(_HEAD, lines) + "\n\n" + count
