"""Draws positions of games as PNG pictures, by the page's own board in a headless Chromium.

`python -m scripts.docs.board_pictures FILE.json… --out FOLDER`, where a file holds `{"view": GameView, "position":
PositionView}`, or a list of such; `"annotations"` and `"options"` are as board.js takes them, and of one that is
`"board_alone"` nothing beside the board is shown. Several positions of a
file are drawn side by side in one picture.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ludens.agent.web.bundle import PAGE, bundle
from scripts.common.browser import photograph

_SCRIPT = """
const positions = JSON.parse(document.querySelector("#positions").textContent);
for (const { view, position, annotations, options, board_alone: alone } of positions) {
  const figure = document.createElement("figure");
  const caption = document.createElement("figcaption");
  caption.textContent = view.game;
  const box = document.createElement("div");
  figure.append(...(alone ? [box] : [caption, box]));
  if (alone) document.body.classList.add("alone");
  document.body.append(figure);
  new Board(box, view, { animate: false, ...options }).show(position, annotations ?? {});
}
"""
_STYLE = """
body { margin: 8px; display: flex; flex-wrap: wrap; gap: 12px; font-family: sans-serif; color-scheme: light dark; }
.alone .counters, .alone .facts, .alone .moves { display: none; }
figure { margin: 0; flex: 1 1 %dpx; max-width: %dpx; }
"""


def draw(positions: Sequence[dict[str, Any]], path: Path, width: int, height: int, *, dark: bool = False) -> None:
    """Draws positions, each with its view, side by side in one picture; raises `LudensError`."""
    photograph(_page(positions, width, dark), path, width, height)


def _page(positions: Sequence[dict[str, Any]], width: int, dark: bool) -> str:
    each = min(width - 16, 480)
    style = (PAGE / "board.css").read_text(encoding="utf-8") + _STYLE % (each, max(each, width // len(positions)))
    data = json.dumps(list(positions)).replace("<", "\\u003c")
    theme = ' style="color-scheme: dark; background: #1b1e22; color: #eee"' if dark else ""
    return f"""<!doctype html><html{theme}><meta charset="utf-8"><style>{style}</style><body>
<script type="application/json" id="positions">{data}</script>
<script type="module">{bundle("board.js")}{_SCRIPT}</script>"""


def main() -> int:
    """Runs the script."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path, help="JSON files with views and positions")
    parser.add_argument("--out", type=Path, default=Path(), help="the folder of the pictures")
    parser.add_argument("--size", default="560x620", help="width and height of a picture in pixels")
    parser.add_argument("--dark", action="store_true", help="draw as in dark mode")
    options = parser.parse_args()
    width, height = map(int, options.size.split("x"))
    options.out.mkdir(parents=True, exist_ok=True)
    for file in options.files:
        found = json.loads(file.read_text(encoding="utf-8"))
        picture = options.out / f"{file.stem}.png"
        draw(found if isinstance(found, list) else [found], picture, width, height, dark=options.dark)
        print(picture)
    return 0


if __name__ == "__main__":
    sys.exit(main())
