"""What people do at the page, in whichever browser: see, click, drag, type."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from tests.support.browser import chromium
from tests.support.firefox import firefox
from tests.support.page_server import Served
from tests.support.waiting import until

ENTER, ESCAPE, TAB = "\ue007", "\ue00c", "\ue004"
LEFT, UP, RIGHT, DOWN = "\ue012", "\ue013", "\ue014", "\ue015"

_FIND = """
  const [css, text] = arguments;
  const seen = (one) => one.checkVisibility({ visibilityProperty: true }) && one.getClientRects().length;
  const told = (one) => one.innerText ?? one.textContent;
  const found = [...document.querySelectorAll(css)].filter((one) => seen(one) && told(one).includes(text));
"""
_SEE = f"{_FIND} return found.length ? told(found[0]).trim() : null;"
_AIM = f"""{_FIND}
  for (const one of found) {{
    one.scrollIntoView({{ block: "center", behavior: "instant" }});
    const box = one.getBoundingClientRect(), x = box.x + box.width / 2, y = box.y + box.height / 2;
    if (!one.matches(":disabled") && one.contains(document.elementFromPoint(x, y))) return [x, y];
  }}
  return null;"""


class Browser(Protocol):
    """A tab of a browser."""

    def get(self, url: str) -> None:
        """Opens a page."""

    def refresh(self) -> None:
        """Loads the page again."""

    def execute_script(self, script: str, *arguments: Any) -> Any:
        """Returns what the body of a JavaScript function returns."""

    def drag(self, points: Sequence[tuple[float, float]]) -> None:
        """Presses at the first point, moves over the others, and lets go at the last one."""

    def press(self, keys: str) -> None:
        """Presses keys, one after the other."""

    def choose_files(self, css: str, *paths: Path) -> None:
        """Chooses files in a field."""

    def complaints(self) -> list[str]:
        """Returns what the browser complained of since it was last asked."""


class Chromium:
    """A tab of a Chromium that selenium drives."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def get(self, url: str) -> None:
        """See `Browser`."""
        self.driver.get(url)

    def refresh(self) -> None:
        """See `Browser`."""
        self.driver.refresh()

    def execute_script(self, script: str, *arguments: Any) -> Any:
        """See `Browser`."""
        return self.driver.execute_script(script, *arguments)

    def drag(self, points: Sequence[tuple[float, float]]) -> None:
        """See `Browser`."""
        from selenium.webdriver.common.actions.action_builder import ActionBuilder

        actions: Any = ActionBuilder(self.driver, duration=50)
        pointer = actions.pointer_action
        pointer.move_to_location(*map(round, points[0])).pointer_down()
        for point in points[1:]:
            pointer.move_to_location(*map(round, point))
        pointer.pointer_up()
        actions.perform()

    def press(self, keys: str) -> None:
        """See `Browser`."""
        from selenium.webdriver import ActionChains

        ActionChains(self.driver).send_keys(keys).perform()

    def choose_files(self, css: str, *paths: Path) -> None:
        """See `Browser`."""
        self.driver.find_element("css selector", css).send_keys("\n".join(map(str, paths)))

    def complaints(self) -> list[str]:
        """See `Browser`."""
        return [str(entry["message"]) for entry in self.driver.get_log("browser")]


class Visitor:
    """Somebody in front of a browser; waits for what must come to be seen."""

    def __init__(self, browser: Browser) -> None:
        self.browser = browser
        self.run = browser.execute_script

    def open(self, address: str) -> None:
        """Opens a page anew, though only what is behind its # may differ."""
        self.browser.get("about:blank")
        self.browser.get(address)

    def all(self, css: str) -> int:
        """Returns how many elements there are."""
        return int(self.run("return document.querySelectorAll(arguments[0]).length", css))

    def see(self, css: str, text: str = "") -> str:
        """Waits until something is to be seen whose text holds this one, and returns its text."""
        return str(self._once(lambda: self.run(_SEE, css, text)))

    def attribute(self, css: str, name: str) -> str | None:
        """Returns an attribute of the first such element."""
        found: str | None = self.run(
            "return document.querySelector(arguments[0])?.getAttribute(arguments[1]) ?? null", css, name
        )
        return found

    def click(self, css: str, text: str = "") -> None:
        """Clicks on what is there, or will be, with nothing over it."""
        self.browser.drag([self.where(css, text)])

    def where(self, css: str, text: str = "") -> tuple[float, float]:
        """Returns the middle of what is there, or will be, at rest and with nothing over it."""
        before: list[float] | None = None

        def at_rest() -> list[float] | None:
            nonlocal before
            last, before = before, self.run(_AIM, css, text)
            return before if before == last else None

        x, y = self._once(at_rest)
        return x, y

    def type(self, css: str, text: str) -> None:
        """Writes into a field."""
        self.click(css)
        self.browser.press(text)

    def write(self, css: str, text: str) -> None:
        """Puts text into a field as pasting does, in place of what is there."""
        self.where(css)
        self.run(
            "const field = document.querySelector(arguments[0]);"
            "const holder = field.tagName === 'TEXTAREA' ? HTMLTextAreaElement : HTMLInputElement;"
            "Object.getOwnPropertyDescriptor(holder.prototype, 'value').set.call(field, arguments[1]);"
            "for (const kind of ['input', 'change']) field.dispatchEvent(new Event(kind, {bubbles: true}));",
            css,
            text,
        )

    def choose(self, css: str, value: str) -> None:
        """Chooses from a list by the value of what is chosen."""
        self.where(css)
        self.run(
            "const list = document.querySelector(arguments[0]); list.value = arguments[1];"
            "list.dispatchEvent(new Event('change', {bubbles: true}))",
            css,
            value,
        )

    def drop(self, css: str, name: str, text: str) -> None:
        """Drops a file on what is there."""
        self.where(css)
        self.run(
            "const data = new DataTransfer(); data.items.add(new File([arguments[2]], arguments[1]));"
            "document.querySelector(arguments[0]).dispatchEvent("
            "new DragEvent('drop', {bubbles: true, cancelable: true, dataTransfer: data}))",
            css,
            name,
            text,
        )

    def place(self, label: str) -> None:
        """Clicks on a place of the board."""
        self.click(place(label))

    @property
    def status(self) -> str:
        """What stands below the board."""
        return self.see(".status")

    @property
    def match(self) -> str:
        """The name of the match that is looked at."""
        return str(self.run("return location.hash")).removeprefix("#match=")

    def complaints(self) -> list[str]:
        """What the browser complains of, other than that the server was gone for a while."""
        gone = ("ERR_CONNECTION", "ERR_INCOMPLETE", "NetworkError")
        return [text for text in self.browser.complaints() if not any(word in text for word in gone)]

    @staticmethod
    def _once(find: Callable[[], Any]) -> Any:
        """Returns what is found as soon as there is something."""
        found: list[Any] = []

        def there() -> bool:
            found[:] = [find()]
            return found[0] is not None

        until(there)
        return found[0]


def place(label: str) -> str:
    """Returns the CSS selector of a place of the board."""
    return f'.board .place[aria-label^="{label},"]'


def begin(visitor: Visitor, served: Served, game: str, *players: str, **pace: float) -> str:
    """Opens a match of a game between these players, which begins before it is looked at; returns its name."""
    key = next(found["key"] for found in served.get("/games")["games"] if found["name"] == game)
    match = str(served.post("/matches", game=key, players=list(players), tab="nobody", **pace)["match"])
    visitor.open(f"{served.address}#match={match}")
    visitor.see(".board svg")
    return match


BROWSERS = ("chromium", "firefox")


@contextmanager
def visitor_with(browser: str, width: int = 1200, height: int = 900) -> Iterator[Visitor]:
    """Somebody in front of one of `BROWSERS`; skips the test, saying why, where it is not installed."""
    if browser == "firefox":
        with firefox(width, height) as opened:
            yield Visitor(opened)
    else:
        with chromium(width, height) as driver:
            yield Visitor(Chromium(driver))
