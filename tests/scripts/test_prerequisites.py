"""What a bare machine lacks is said in one line, with the command that helps."""

from __future__ import annotations

import importlib.util
import shutil
import sysconfig
from pathlib import Path

import pytest

from scripts import prerequisites


def test_a_machine_that_runs_the_tests_lacks_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert prerequisites.main() == 0
    assert capsys.readouterr().err == ""


def test_a_bare_machine_is_told_which_packages_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sysconfig, "get_path", lambda _: str(tmp_path))
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    monkeypatch.setattr(shutil, "which", lambda _: None)
    assert prerequisites.main() == 1
    assert capsys.readouterr().err == (
        "Ludens cannot be built yet; first run: sudo apt-get install python3-venv python3-dev g++\n"
    )
