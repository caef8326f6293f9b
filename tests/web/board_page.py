"""A page with nothing but a board, for tests of the board."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ludens.agent.web.bundle import PAGE, bundle

_SCRIPT = """
const { view, position, annotations, options } = JSON.parse(document.querySelector("#data").textContent);
window.made = [];
window.board = new Board(document.querySelector("#board"), view, options);
board.addEventListener("move", ({ detail }) => made.push([detail.role, detail.move]));
board.show(position, annotations);
"""


class BoardPage:
    """A board in a browser."""

    def __init__(
        self,
        browser: Any,
        folder: Path,
        view: dict[str, Any],
        position: dict[str, Any],
        annotations: dict[str, Any] | None = None,
        **options: Any,
    ) -> None:
        """Opens the page; options and annotations are as board.js takes them."""
        self.browser = browser
        data = {"view": view, "position": position, "annotations": annotations or {}, "options": options}
        page = folder / "board.html"
        page.write_text(
            f"""<!doctype html><meta charset="utf-8"><style>{(PAGE / "board.css").read_text(encoding="utf-8")}</style>
<div id="board"></div><script type="application/json" id="data">{json.dumps(data)}</script>
<script type="module">{bundle("board.js")}{_SCRIPT}</script>""",
            encoding="utf-8",
        )
        browser.get(page.as_uri())

    def run(self, script: str, *arguments: Any) -> Any:
        """Returns what a script returns."""
        return self.browser.execute_script(script, *arguments)

    def place(self, place: int, board: int = 0) -> Any:
        """Returns the element of a place."""
        return self.find(f'svg[data-board="{board}"] .place[data-place="{place}"]')[0]

    def find(self, selector: str) -> list[Any]:
        """Returns the elements that a CSS selector finds."""
        found: list[Any] = self.browser.find_elements("css selector", selector)
        return found

    def click(self, *places: int) -> None:
        """Clicks on places of the first board, one after the other."""
        for place in places:
            self.place(place).click()

    def press(self, *keys: str) -> None:
        """Presses keys on what has the focus."""
        for key in keys:
            self.browser.switch_to.active_element.send_keys(key)

    @property
    def made(self) -> list[list[int]]:
        """The moves that were made: role and number of each."""
        made: list[list[int]] = self.run("return made")
        return made

    @property
    def targets(self) -> int:
        """How many destinations are marked."""
        return len(self.find(".target, .capture"))

    def complaints(self) -> list[str]:
        """Returns what the browser has complained of."""
        return [entry["message"] for entry in self.browser.get_log("browser") if entry["level"] == "SEVERE"]
