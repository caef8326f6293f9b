"""Draws positions of games as PNG pictures, by the page's own board in a headless Chromium.

`python -m scripts.docs.board_pictures FILE.json… --out FOLDER`, where a file holds `{"view": GameView, "position":
PositionView}`, or a list of such; `"annotations"` and `"options"` are as board.js takes them. Several positions of a
file are drawn side by side in one picture.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ludens.agent.web.bundle import PAGE, bundle
from ludens.propnet.base.errors import LudensError

_BROWSERS = ("chromium", "chromium-browser", "google-chrome")
_SECONDS = 60
_SCRIPT = """
const positions = JSON.parse(document.querySelector("#positions").textContent);
for (const { view, position, annotations, options } of positions) {
  const figure = document.createElement("figure");
  const caption = document.createElement("figcaption");
  caption.textContent = view.game;
  const box = document.createElement("div");
  figure.append(caption, box);
  document.body.append(figure);
  new Board(box, view, { animate: false, ...options }).show(position, annotations ?? {});
}
"""
_STYLE = """
body { margin: 8px; display: flex; flex-wrap: wrap; gap: 12px; font-family: sans-serif; color-scheme: light dark; }
figure { margin: 0; flex: 1 1 %dpx; max-width: %dpx; }
"""


def browser() -> str:
    """Returns the path of a Chromium; raises `LudensError` if none is installed."""
    found = next(filter(None, map(shutil.which, _BROWSERS)), None)
    if found is None:
        raise LudensError(f"pictures are drawn by a browser: install one of {', '.join(_BROWSERS)}")
    return found


def draw(positions: Sequence[dict[str, Any]], path: Path, width: int, height: int, *, dark: bool = False) -> None:
    """Draws positions, each with its view, side by side in one picture; raises `LudensError`."""
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "page.html"
        page.write_text(_page(positions, width, dark), encoding="utf-8")
        options = ["--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--user-data-dir={folder}/user"]
        shot = [f"--window-size={width},{height}", f"--screenshot={path.resolve()}"]
        command = [browser(), "--headless", *options, *shot, str(page)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False)
    if not path.exists():
        raise LudensError(f"the browser has drawn nothing: {done.stderr.strip()}")


def _page(positions: Sequence[dict[str, Any]], width: int, dark: bool) -> str:
    each = min(width - 16, 480)
    style = (PAGE / "board.css").read_text(encoding="utf-8") + _STYLE % (each, max(each, width // len(positions)))
    data = json.dumps(list(positions)).replace("<", "\\u003c")
    theme = ' data-theme="dark" style="background: #1b1e22; color: #eee"' if dark else ""
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
