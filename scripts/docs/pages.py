"""Generated parts of hand-written pages: what stands between two comments is replaced, the rest is left alone.

A page says `<!-- generated: NAME -->` … `<!-- end of NAME -->`; `parts.PARTS` gives the Markdown for every NAME.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
DATA = DOCS / "data"

_PART = re.compile(r"<!-- generated: (?P<name>\S+) -->\n.*?<!-- end of (?P=name) -->", re.DOTALL)


def pages() -> list[Path]:
    """Every hand-written page of the site, in order of names."""
    return sorted(path for path in DOCS.rglob("*.md") if "_build" not in path.parts and "generated" not in path.parts)


def renewed_files() -> list[Path]:
    """Every file with generated parts: the pages, and the README.md of the project."""
    return [ROOT / "README.md", *pages()]


def parts_in(text: str) -> list[str]:
    """Names of the generated parts in the text of a page."""
    return [match["name"] for match in _PART.finditer(text)]


def renewed(text: str, parts: Mapping[str, Callable[[], str]]) -> str:
    """The text of a page with all generated parts made anew; raises `KeyError` for an unknown part."""

    def replacement(match: re.Match[str]) -> str:
        name = match["name"]
        return f"<!-- generated: {name} -->\n\n{parts[name]()}\n\n<!-- end of {name} -->"

    return _PART.sub(replacement, text)


def markdown_table(head: list[str], rows: list[list[str]]) -> str:
    """A table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
