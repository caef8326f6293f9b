"""The user's browser is opened where it has a window, and no command waits for it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import webbrowser
from pathlib import Path

import pytest

from ludens.agent.commands import browser
from tests.support.paths import ROOT
from tests.support.waiting import PATIENCE, until

# Says that it is open, and stays as long as the file of the address that says so is there.
_BROWSER = """#!/bin/sh
echo "$1" > "{open}.new"
mv "{open}.new" "{open}"
while [ -e "{open}" ]; do sleep 0.1; done
"""


@pytest.mark.parametrize(
    ("name", "opened"),
    [("/usr/bin/firefox", True), ("chromium", True), ("/usr/bin/w3m", False), ("lynx", False), ("www-browser", False)],
)
def test_a_browser_that_takes_the_terminal_is_not_opened(
    monkeypatch: pytest.MonkeyPatch, name: str, opened: bool
) -> None:
    addresses: list[str] = []
    found = webbrowser.GenericBrowser(name)
    monkeypatch.setattr(found, "open", addresses.append)
    monkeypatch.setattr(webbrowser, "get", lambda: found)
    browser._open("http://127.0.0.1:9180/")
    assert addresses == ["http://127.0.0.1:9180/"] * opened


def test_where_there_is_no_browser_nothing_is_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    def none() -> None:
        raise webbrowser.Error("could not locate runnable browser")

    monkeypatch.setattr(webbrowser, "get", none)
    browser._open("http://127.0.0.1:9180/")


def test_a_command_ends_though_the_browser_that_it_opened_is_still_there(tmp_path: Path) -> None:
    program, shown = tmp_path / "firefox", tmp_path / "open"
    program.write_text(_BROWSER.format(open=shown), encoding="utf-8")
    program.chmod(0o755)
    play = [sys.executable, "-m", "ludens.agent.commands.cli", "play", "--port", "0", "--no-archive"]
    environment = {**os.environ, "BROWSER": f"{program} %s"}
    with subprocess.Popen(play, stdout=subprocess.DEVNULL, cwd=ROOT, env=environment) as process:
        try:
            until(shown.exists)
            process.send_signal(signal.SIGINT)
            assert process.wait(PATIENCE) == 0
            assert shown.read_text(encoding="utf-8").startswith("http://127.0.0.1:")
        finally:
            shown.unlink(missing_ok=True)
