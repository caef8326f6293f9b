"""Nothing is imported from the folder in which a user works, by the command or by the processes that it starts."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.waiting import PATIENCE

LUDENS = Path(sys.executable).with_name("ludens")
MODULES = ("agent", "native", "propnet", "scripts", "random", "signal", "json", "numpy", "twisted", "clingo", "numba")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with modules and packages that bear names of ours, and cannot be imported."""
    for name in MODULES:
        (tmp_path / f"{name}.py").write_text(f"raise ImportError('{name}.py of this folder')", encoding="utf-8")
    for name in ("games", "ludens"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text(f"raise ImportError('{name} of this folder')", encoding="utf-8")
    return tmp_path


@pytest.mark.skipif(not LUDENS.exists(), reason="the command is not installed")
def test_a_match_is_played_from_a_folder_with_modules_of_the_same_names(folder: Path) -> None:
    match = ["match", "tic_tac_toe", "uct", "random", "--quiet", "--startclock", "60", "--playclock", "60"]
    done = subprocess.run(
        [str(LUDENS), *match], cwd=folder, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "of this folder" not in done.stdout + done.stderr
    assert "without player errors" in done.stdout
    assert "!" not in done.stdout, "no engine crashed, and none was without the network"


CHILDREN = """
from ludens.native.core import Game
from ludens.native.kernels.kernel_process import KernelProcess
from ludens.propnet.compile.loader import load
from ludens.games import read
net = load(read("tic_tac_toe"))
kernel = KernelProcess(int, Game.from_propnet(net).initial)
try:
    kernel.ready(600)
except Exception as error:
    print(type(error).__name__, error)
"""


def test_processes_that_load_rules_and_that_run_kernels_import_nothing_from_there(folder: Path) -> None:
    command = [sys.executable, "-P", "-c", CHILDREN]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("KernelError the kernel failed: "), done.stdout
    assert "of this folder" not in done.stdout + done.stderr
