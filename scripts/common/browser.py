"""Runs the installed Chromium without a window, on pages that are files."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

from ludens.propnet.base.errors import LudensError

_BROWSERS = ("chromium", "chromium-browser", "google-chrome")
_SECONDS = 120
_OPTIONS = ("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--force-color-profile=srgb")


def photograph(page: str, path: Path, width: int, height: int, fragment: str = "") -> None:
    """Writes a picture of the HTML `page` in a window of this size as PNG; raises `LudensError`.

    `fragment` is what stands behind # in the page's address.
    """
    path.unlink(missing_ok=True)
    complaint = _run(page, f"--window-size={width},{height}", f"--screenshot={path.resolve()}", fragment=fragment)[1]
    if not path.exists():
        raise LudensError(f"the browser has drawn nothing: {complaint}")


def document(page: str) -> str:
    """Returns the document that becomes of the HTML `page` when its scripts have run; raises `LudensError`."""
    return _run(page, "--virtual-time-budget=60000", "--dump-dom")[0]


def _run(page: str, *options: str, fragment: str = "") -> tuple[str, str]:
    found = next(filter(None, map(shutil.which, _BROWSERS)), None)
    if found is None:
        raise LudensError(f"pictures are drawn by a browser: install one of {', '.join(_BROWSERS)}")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "page.html"
        file.write_text(page, encoding="utf-8")
        command = [found, *_OPTIONS, f"--user-data-dir={folder}/user", *options, f"{file.as_uri()}#{fragment}"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False)
    return done.stdout, done.stderr.strip()
