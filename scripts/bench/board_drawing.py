"""Measures how long the page's board takes in a browser to draw a position of go's size: `python -m` this.

Each figure is the median of many runs and includes the browser's layout: a board of 19 × 19 that is made with 361
stones, the change to a position in which every stone is another one, one move, and an engine's thoughts.
"""

from __future__ import annotations

import json
import re
import sys

from ludens.agent.web.bundle import PAGE, bundle
from ludens.propnet.base.errors import LudensError
from scripts.common.browser import document

SIDE = 19
_SCRIPT = """
const side = %d, count = side * side;
const places = Array.from({ length: count }, (_, i) => (
  { id: `${i}`, x: (i %% side) + 0.5, y: Math.floor(i / side) + 0.5, label: `p${i}` }));
const board = { id: "go", style: "squares", columns: [], rows: [], checkered: false, places };
const pieces = { b: { shape: "stone", owner: 0, text: "b" }, w: { shape: "stone", owner: 1, text: "w" } };
const moves = [0, 1].map(() => places.map((_, i) => ({ text: `(put ${i})`, label: `${i}`, steps: [[0, i]] })));
const view = { version: 1, game: "go", roles: ["black", "white"], boards: [board], pieces, moves };
const legal = [places.map((_, i) => i), []];
const standing = (key) => places.map((_, i) => key(i));
const position = (stones) => ({ boards: [stones], hands: [], counters: [], facts: [], turn: [0], legal, terminal: false,
  goals: null });
const [one, other] = ["bw", "wb"].map((keys) => position(standing((i) => keys[i %% 2])));
const moved = position(one.boards[0].map((key, i) => (i === 180 ? "w" : key)));
const candidates = legal[0].slice(0, 10).map((i) => ({ role: 0, move: `(put ${i})`, visits: 9, value: 50 }));
const thoughts = { role: 0, candidates, line: [] };
const box = document.querySelector("#board"), runs = 40;
const figures = {};

function measure(name, before, action) {
  const times = [];
  for (let i = 0; i < runs; i++) {
    const shown = before();
    box.getBoundingClientRect();
    const start = performance.now();
    action(shown);
    box.querySelector("svg").getBoundingClientRect();
    times.push(performance.now() - start);
  }
  figures[name] = times.sort((a, b) => a - b)[runs / 2];
}

const make = (shown) => {
  const made = new Board(box, view, { roles: [0], animate: false });
  made.show(shown);
  return made;
};
measure("make and show", () => box.replaceChildren(), () => make(one));
measure("change every stone", () => make(one), (made) => made.show(other));
measure("one move", () => make(one), (made) => made.show(moved));
measure("thoughts", () => make(one), (made) => made.annotate({ thoughts }));
document.querySelector("#figures").textContent = JSON.stringify(figures);
"""


def measure() -> dict[str, float]:
    """Returns milliseconds by what is measured; raises `LudensError`."""
    style = (PAGE / "board.css").read_text(encoding="utf-8")
    page = f"""<!doctype html><meta charset="utf-8"><style>{style}</style><div id="board"></div><pre id="figures"></pre>
<script type="module">{bundle("board.js")}{_SCRIPT % SIDE}</script>"""
    found = re.search(r'id="figures">(\{.*?\})<', document(page))
    if found is None:
        raise LudensError("the browser has measured nothing")
    figures: dict[str, float] = json.loads(found[1])
    return figures


def main() -> int:
    """Runs the script."""
    for name, milliseconds in measure().items():
        print(f"{name:<20} {milliseconds:6.1f} ms")
    return 0


if __name__ == "__main__":
    sys.exit(main())
