"""What a distribution holds: one package, all that it needs to run, and nothing else."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterable
from email import message_from_bytes
from importlib.metadata import distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from tests.support.paths import ROOT
from tests.support.waiting import PATIENCE

FOLDERS = ("agent", "games", "native", "propnet")
DATA = (
    "games/sheets/nim.kif",
    "games/tak/temporal_differences/trained/tak_5.td",
    "native/_core.abi3.so",
    "native/strategies.h",
    "propnet/gdl/gdl.lark",
    "py.typed",
)
PAGE = ("index.html", "app.js", "board.js", "style.css", "vendor/preact.js", "vendor/LICENSE.preact")


def run(*command: str | Path, cwd: Path) -> str:
    """What the command prints; it must succeed."""
    done = subprocess.run(command, check=False, cwd=cwd, capture_output=True, text=True, timeout=2 * PATIENCE)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel that LUDENS_WHEEL names, else one made here of what is compiled already."""
    if given := os.environ.get("LUDENS_WHEEL"):
        return ROOT / given
    folder = tmp_path_factory.mktemp("dist")
    command = ("pip", "wheel", "--no-build-isolation", "--no-deps", "--wheel-dir", folder, ROOT)
    with (ROOT / "build" / "lock").open("w") as lock:  # several processes may test
        fcntl.flock(lock, fcntl.LOCK_EX)
        run(sys.executable, "-m", *command, cwd=ROOT)
    return next(folder.glob("*.whl"))


def metadata_of(wheel: Path, field: str) -> list[str]:
    """What the wheel says of itself under a name, once or several times."""
    with zipfile.ZipFile(wheel) as files:
        metadata = next(name for name in files.namelist() if name.endswith(".dist-info/METADATA"))
        return message_from_bytes(files.read(metadata)).get_all(field, [])


def link_needed(requirements: Iterable[str], packages: Path, done: set[str]) -> None:
    """Has an environment find what is required, and what that requires, where it is installed already: no network."""
    for requirement in map(Requirement, requirements):
        is_needed = requirement.marker is None or requirement.marker.evaluate({"extra": ""})
        if is_needed and requirement.name not in done:
            done.add(requirement.name)
            needed = distribution(requirement.name)
            for name in {file.parts[0] for file in needed.files or ()} - {"..", "__pycache__"}:
                if not (packages / name).exists():
                    (packages / name).symlink_to(Path(str(needed.locate_file(name))).resolve())
            link_needed(needed.requires or (), packages, done)


@pytest.fixture
def project_of_a_user(tmp_path: Path) -> Path:
    """A folder whose modules have the names of our folders, and cannot be imported."""
    for module in ("agent.py", "games/__init__.py", "native.py", "propnet.py", "scripts.py", "tests.py"):
        (tmp_path / module).parent.mkdir(exist_ok=True)
        (tmp_path / module).write_text(f"raise ImportError('{module} of the user')\n")
    return tmp_path


def test_a_wheel_holds_all_modules_and_their_data(wheel: Path) -> None:
    modules = {path.relative_to(ROOT).as_posix() for name in FOLDERS for path in (ROOT / name).rglob("*.py")}
    needed = (modules | set(DATA)) - {"native/build_core.py"}
    needed |= {f"agent/web/page/{name}" for name in PAGE}
    assert {f"ludens/{name}" for name in needed} <= set(zipfile.ZipFile(wheel).namelist())


def test_a_wheel_holds_one_package_and_no_sources_of_the_native_core(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0].split("-")[0] for name in names} <= {"ludens", "ludens.libs"}
    assert not [name for name in names if name.startswith("ludens/native/src") or name.endswith("build_core.py")]


def test_one_wheel_serves_all_later_versions_of_python(wheel: Path) -> None:
    assert wheel.stem.split("-")[2:4] == ["cp311", "abi3"]


def test_a_wheel_has_the_licences_of_all_that_is_in_it(wheel: Path) -> None:
    assert metadata_of(wheel, "License-Expression") == ["Apache-2.0 AND MIT"]
    files = metadata_of(wheel, "License-File")
    assert sorted(Path(file).name for file in files) == ["LICENSE", "LICENSE.htm", "LICENSE.preact"]
    names = zipfile.ZipFile(wheel).namelist()
    assert all(any(name.endswith(f".dist-info/licenses/{file}") for name in names) for file in files)


@pytest.mark.slow
def test_an_installed_wheel_plays_beside_modules_of_the_same_names(wheel: Path, project_of_a_user: Path) -> None:
    environment = project_of_a_user / "environment"
    run(sys.executable, "-m", "venv", environment, cwd=project_of_a_user)
    link_needed(metadata_of(wheel, "Requires-Dist"), next(environment.glob("lib/python*/site-packages")), set())
    run(environment / "bin" / "pip", "install", "--no-index", wheel, cwd=project_of_a_user)
    players, clocks = ("uct:iterations=2000", "random"), ("--startclock", "60", "--playclock", "60")
    match = ("match", "tic_tac_toe", *players, *clocks, "--seed", "1")
    printed = run(environment / "bin" / "python", "-m", "ludens.agent.commands.cli", *match, cwd=project_of_a_user)
    assert "100" in printed
    assert "gates" in run(environment / "bin" / "ludens", "analyse", "tic_tac_toe", cwd=project_of_a_user)


def test_the_sources_for_distribution_hold_what_building_needs_as_real_files(tmp_path: Path) -> None:
    code = f"import scikit_build_core.build as backend; backend.build_sdist({str(tmp_path)!r})"
    run(sys.executable, "-c", code, cwd=ROOT)
    with tarfile.open(next(tmp_path.glob("*.tar.gz"))) as sources:
        assert all(member.isfile() for member in sources)
        names = {member.name.split("/", 1)[1] for member in sources}
    native = {path.relative_to(ROOT).as_posix() for path in (ROOT / "native" / "src").rglob("*.*")}
    assert {f"src/ludens/{name}" for name in native} | {"CMakeLists.txt", "pyproject.toml"} <= names
    assert not [name for name in names if name.endswith((".so", ".pyc")) or name.startswith(("tests", "native"))]
