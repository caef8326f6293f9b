"""The documents build as a site, without a warning."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from scripts.docs.pages import DOCS
from tests.support.waiting import PATIENCE


@pytest.mark.slow
@pytest.mark.skipif(not find_spec("furo"), reason="the packages of `make docs` are not installed")
def test_the_site_builds_without_warnings(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "sphinx", "--builder", "html", "--fail-on-warning", "--quiet"]
    done = subprocess.run(
        [*command, "--doctree-dir", str(tmp_path / "trees"), str(DOCS), str(tmp_path / "html")],
        check=False,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "html" / "index.html").exists()
