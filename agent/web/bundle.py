"""Makes one script of the page's modules, for pages that are one file and may load nothing."""

from __future__ import annotations

import re
from pathlib import Path

PAGE = Path(__file__).parent / "page"
"""The folder of the page's scripts and styles."""

_IMPORT = re.compile(r'^import \{[^}]*\} from "\./([\w.-]+)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:class|const|function|let)\b)", re.MULTILINE)


def bundle(*entries: str, folder: Path = PAGE) -> str:
    """Returns modules, and before each of them all that it imports, as one script without imports and exports.

    All names at the top of the modules are then of one scope, and have to differ.
    """
    texts: dict[str, str] = {}

    def add(name: str) -> None:
        text = (folder / name).read_text(encoding="utf-8")
        for imported in _IMPORT.findall(text):
            if imported not in texts:
                add(imported)
        texts[name] = _EXPORT.sub("", _IMPORT.sub("", text))

    for entry in entries:
        add(entry)
    return "\n".join(texts.values())
