"""What a distribution holds: everything that runs, nothing else."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.paths import ROOT
from tests.support.waiting import PATIENCE

PACKAGES = ("agent", "games", "native", "propnet")
DATA = ("propnet/gdl.lark", "games/sheets/connect_four.kif", "native/ludens.h", "native/py.typed")


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The packages as a wheel holds them, with the native core that is built already."""
    pytest.importorskip("setuptools")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "setup.py", "-q", "build_py", "--build-lib", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=PATIENCE)
    for core in (ROOT / "native").glob("_core.*.so"):
        shutil.copy(core, folder / "native")
    return folder


def files(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_all_modules_and_their_data_are_packed(installed: Path) -> None:
    modules = {path.relative_to(ROOT).as_posix() for name in PACKAGES for path in (ROOT / name).rglob("*.py")}
    assert modules | set(DATA) <= files(installed)


def test_neither_tests_nor_sources_of_the_native_core_are_packed(installed: Path) -> None:
    assert {name.split("/")[0] for name in files(installed)} == set(PACKAGES)
    assert not [name for name in files(installed) if name.endswith((".cpp", ".hpp", ".inl"))]


def test_the_command_runs_away_from_the_sources(installed: Path, tmp_path: Path) -> None:
    code = f"import sys; sys.path.insert(0, {str(installed)!r})"
    code += "; from ludens.agent.commands.cli import main; sys.exit(main())"
    command = [sys.executable, "-P", "-c", code, "analyse", "tic_tac_toe"]
    done = subprocess.run(command, check=False, cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    assert "gates" in done.stdout
