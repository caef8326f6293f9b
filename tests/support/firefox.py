"""An installed Firefox for tests, through WebDriver BiDi, which Firefox speaks without a driver beside it.

It has those methods of a selenium driver that tests of both browsers use. Source: https://www.w3.org/TR/webdriver-bidi/.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.support.waiting import PATIENCE, until

_BROWSERS = ("firefox", "firefox-esr")


@contextmanager
def firefox(width: int = 900, height: int = 900) -> Iterator[Firefox]:
    """A headless Firefox with a page of this size; skips the test, saying why, where there is none."""
    websocket = pytest.importorskip("websocket", reason="needs websocket-client, which selenium brings")
    found = next(filter(None, map(shutil.which, _BROWSERS)), None)
    if found is None:
        pytest.skip("needs an installed Firefox: apt-get install firefox-esr")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        command = [found, "--headless", "--no-remote", "--profile", profile, "--remote-debugging-port", "0"]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            address = Path(profile, "WebDriverBiDiServer.json")
            until(lambda: process.poll() is not None or (address.exists() and bool(address.read_text())))
            if process.poll() is not None:
                pytest.skip(f"needs a Firefox that speaks WebDriver BiDi: {found} ended with {process.returncode}")
            url = f"ws://127.0.0.1:{json.loads(address.read_text())['ws_port']}/session"
            with closing(websocket.create_connection(url, timeout=PATIENCE, suppress_origin=True)) as socket:
                yield Firefox(socket, width, height)
        finally:
            process.terminate()
            process.wait(PATIENCE)


class Firefox:
    """One tab of a Firefox."""

    def __init__(self, socket: Any, width: int, height: int) -> None:
        """Begins a session by a web socket."""
        self._socket = socket
        self._number = 0
        self._log: list[str] = []
        self._command("session.new", capabilities={})
        # a tab of its own, since the first one of a headless Firefox has no focus
        self._context = self._command("browsingContext.create", type="tab")["context"]
        self._command("session.subscribe", events=["log.entryAdded"])
        self._of_tab("browsingContext.setViewport", viewport={"width": width, "height": height})

    def get(self, url: str) -> None:
        """Opens a page, and returns once it is loaded."""
        self._of_tab("browsingContext.navigate", url=url, wait="complete")

    def refresh(self) -> None:
        """Loads the page again."""
        self._of_tab("browsingContext.reload", wait="complete")

    def execute_script(self, script: str, *arguments: Any) -> Any:
        """Returns what the body of a JavaScript function returns; arguments and result go through JSON."""
        data = {"type": "string", "value": json.dumps(arguments)}
        found = self._command(
            "script.callFunction",
            functionDeclaration=f"(text) => JSON.stringify((function() {{ {script} }})(...JSON.parse(text)) ?? null)",
            awaitPromise=False,
            target={"context": self._context},
            arguments=[data],
        )
        assert found["type"] == "success", found["exceptionDetails"]["text"]
        return json.loads(found["result"]["value"])

    def drag(self, points: Sequence[tuple[float, float]]) -> None:
        """Presses the button of a mouse at the first point, moves over the others, and lets go at the last one."""
        moves: list[dict[str, Any]] = [{"type": "pointerMove", "x": round(x), "y": round(y)} for x, y in points]
        press, release = ({"type": kind, "button": 0} for kind in ("pointerDown", "pointerUp"))
        self._perform("pointer", moves[0], press, *moves[1:], release)

    def press(self, keys: str) -> None:
        """Presses keys, one after the other."""
        self._perform("key", *({"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")))

    def choose_files(self, css: str, *paths: Path) -> None:
        """Chooses files in a field."""
        (field,) = self._of_tab("browsingContext.locateNodes", locator={"type": "css", "value": css})["nodes"]
        self._of_tab("input.setFiles", element={"sharedId": field["sharedId"]}, files=list(map(str, paths)))

    def complaints(self) -> list[str]:
        """Returns the mistakes of scripts that were logged since it was last asked."""
        self.execute_script("")  # what was logged before comes before its reply
        told, self._log = self._log, []
        return told

    def _perform(self, kind: str, *actions: dict[str, Any]) -> None:
        self._of_tab("input.performActions", actions=[{"type": kind, "id": kind, "actions": list(actions)}])

    def _of_tab(self, method: str, **parameters: Any) -> Any:
        return self._command(method, context=self._context, **parameters)

    def _command(self, method: str, **parameters: Any) -> Any:
        """Returns the result of a command; keeps what is logged meanwhile."""
        self._number += 1
        self._socket.send(json.dumps({"id": self._number, "method": method, "params": parameters}))
        while (told := json.loads(self._socket.recv())).get("id") != self._number:
            if told.get("method") == "log.entryAdded" and told["params"]["level"] == "error":
                self._log.append(str(told["params"]["text"]))
        assert told["type"] == "success", f"{method}: {told['error']}: {told['message']}"
        return told["result"]
