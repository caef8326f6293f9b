"""What a bare machine lacks is said in one line, with the command that helps."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from scripts import prerequisites
from tests.support.paths import ROOT


def test_a_machine_that_runs_the_tests_lacks_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert prerequisites.main() == 0
    assert capsys.readouterr().err == ""


def test_a_bare_machine_is_told_which_packages_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sysconfig, "get_path", lambda _: str(tmp_path))
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    monkeypatch.setattr(shutil, "which", lambda _: None)
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setattr(sys, "executable", "/usr/bin/python3")
    assert prerequisites.refusal() == (
        "Ludens cannot be built yet; first install what Debian calls python3-venv python3-dev g++"
    )
    monkeypatch.setattr(shutil, "which", lambda name: "/usr/bin/apt-get" if name == "apt-get" else None)
    monkeypatch.setattr(sys, "executable", "/usr/local/bin/python3.12")
    assert prerequisites.main() == 1
    assert capsys.readouterr().err == (
        "Ludens cannot be built yet; first run: sudo apt-get install python3.12-venv python3.12-dev g++\n"
    )


def test_a_compiler_that_is_too_old_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (old := tmp_path / "c++").write_text("#!/bin/sh\necho 'fatal error: ranges: No such file' >&2\nexit 1\n")
    old.chmod(0o755)
    monkeypatch.setenv("CXX", f"{old} -pipe")
    assert prerequisites.main() == 1
    said = capsys.readouterr().err
    assert said.startswith(f"Ludens cannot be built with {old} -pipe: it takes g++ 12 or clang 14, or a later one")
    assert said.endswith("(fatal error: ranges: No such file)\n")
    monkeypatch.setenv("CXX", str(tmp_path / "none"))
    assert "No such file" in prerequisites.refusal()


@pytest.mark.skipif(not shutil.which("make"), reason="make is not installed")
def test_another_python_than_that_of_an_existing_environment_is_refused(tmp_path: Path) -> None:
    shutil.copy(ROOT / "Makefile", tmp_path)
    for path, version in ((".venv/bin/python", "3.11.7"), ("same", "3.11.7"), ("other", "3.12.1")):
        (python := tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        python.write_text(f"#!/bin/sh\necho Python {version}\n")
        python.chmod(0o755)

    def make(*arguments: str) -> subprocess.CompletedProcess[str]:
        call = ["make", "--dry-run", "clean", *arguments]
        alone = {"PATH": os.environ["PATH"]}  # not of a `make` that runs these tests
        return subprocess.run(call, cwd=tmp_path, env=alone, capture_output=True, text=True, check=False)

    refused = make("PYTHON=./other")
    assert refused.returncode != 0
    assert ".venv is of Python 3.11.7, not of ./other: first run `make clean`" in refused.stderr
    assert [make(*arguments).returncode for arguments in ([], ["PYTHON=./same"])] == [0, 0]
