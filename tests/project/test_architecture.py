"""The borders that the code draws hold: who may see whom, without circles, and that each folder's header is true.

A folder says in its README.md which files it holds, one line each, and after "May see:" which folders beside it its
files may import or include. What a folder may see, the folders in it may see too. What lies directly in a folder may
see, and be seen by, what lies in folders in it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from scripts.docs.folders import readmes, renewed
from tests.support.paths import ROOT

PACKAGES = ("propnet", "native", "games", "agent", "scripts", "tests")
CPP = Path("native/src")
_TEXTS = {"", ".md", ".toml", ".py", ".lark", ".kif", ".h", ".hpp", ".inl"}
_MAY_SEE = re.compile(r"^May see: (.*?)\.$", re.MULTILINE | re.DOTALL)


def _python_files() -> list[Path]:
    """All modules of the project, relative to its root."""
    return sorted(path.relative_to(ROOT) for name in PACKAGES for path in (ROOT / name).rglob("*.py"))


def _cpp_files() -> list[Path]:
    kinds = (".hpp", ".cpp", ".inl")
    return sorted(path.relative_to(ROOT) for path in (ROOT / CPP).rglob("*") if path.suffix in kinds)


PYTHON_FOLDERS = sorted({path.parent for path in _python_files()})
CPP_FOLDERS = sorted({path.parent for path in _cpp_files()})
FOLDERS = [*PYTHON_FOLDERS, *CPP_FOLDERS]


@cache
def _header(folder: Path) -> str:
    """What a folder says of itself."""
    return (ROOT / folder / "README.md").read_text(encoding="utf-8")


@cache
def _seen(folder: Path) -> frozenset[Path]:
    """The folders that the files of a folder may see, besides those around it and in it."""
    named = _named(folder)
    return named | _seen(folder.parent) if folder.parent not in (Path(), CPP) else named


def _named(folder: Path) -> frozenset[Path]:
    """The folders that its header names after "May see"."""
    said = _MAY_SEE.search(_header(folder))
    names = re.findall(r"[\w.]+", said[1]) if said else []
    return frozenset(folder.parent / name for name in names if name != "nothing")


def _may_see(folder: Path, other: Path) -> bool:
    around_or_in_it = folder.is_relative_to(other) or other.is_relative_to(folder)
    return around_or_in_it or any(other.is_relative_to(seen) for seen in _seen(folder))


def _imports(path: Path) -> Iterator[str]:
    """Full names of the modules and of the names that a file imports, wherever in it."""
    for node in ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path} imports relatively"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _module(name: str) -> Path | None:
    """The file of the project that an imported name stands for, or lies in; None if it is another project's."""
    parts = name.removeprefix("ludens.").split(".")
    if parts[0] not in PACKAGES or (parts[0] in ("scripts", "tests")) == name.startswith("ludens."):
        return None
    for length in range(len(parts), 0, -1):
        place = Path(*parts[:length])
        for file in (place.with_suffix(".py"), place / "__init__.py"):
            if (ROOT / file).is_file():
                return file
    return None


def _imported(path: Path) -> set[Path]:
    return {file for name in _imports(path) if (file := _module(name)) is not None and file != path}


def _included(path: Path) -> set[Path]:
    names = re.findall(r'^\s*#include "([^"]+)"', (ROOT / path).read_text(encoding="utf-8"), re.MULTILINE)
    return {CPP / name for name in names if (ROOT / CPP / name).is_file()}


def _circle(graph: dict[Path, set[Path]]) -> list[str]:
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return [str(path) for path in error.args[1]]
    return []


def _broken(files: Iterable[Path], seen: dict[Path, set[Path]]) -> list[str]:
    return [
        f"{path} sees {other}"
        for path in files
        for other in sorted(seen[path])
        if not _may_see(path.parent, other.parent)
    ]


def test_python_files_import_only_what_the_header_of_their_folder_allows() -> None:
    files = _python_files()
    assert not _broken(files, {path: _imported(path) for path in files})


def test_cpp_files_include_only_what_the_header_of_their_folder_allows() -> None:
    files = _cpp_files()
    assert not _broken(files, {path: _included(path) for path in files})


def test_headers_allow_nothing_that_no_file_of_their_folder_uses() -> None:
    seen = {path: _imported(path) for path in _python_files()} | {path: _included(path) for path in _cpp_files()}
    unused = [
        f"{folder} does not see {named}"
        for folder in FOLDERS
        for named in sorted(_named(folder))
        if not any(other.is_relative_to(named) for path in seen if path.is_relative_to(folder) for other in seen[path])
    ]
    assert not unused


def test_cpp_files_name_what_they_include_by_its_folder() -> None:
    for path in _cpp_files():
        for name in re.findall(r'^\s*#include "([^"]+)"', (ROOT / path).read_text(encoding="utf-8"), re.MULTILINE):
            assert (ROOT / CPP / name).is_file() or (ROOT / "native" / name).is_file(), f"{path} includes {name}"


def test_cpp_files_do_without_views_of_ranges() -> None:
    """Which clang 14 does not compile with the library of GCC 12: docs/experiments/platforms.md."""
    users = [path for path in _cpp_files() if "views::" in (ROOT / path).read_text(encoding="utf-8")]
    assert not users


def test_no_python_imports_run_in_a_circle() -> None:
    assert not _circle({path: _imported(path) for path in _python_files()})


def test_no_cpp_includes_run_in_a_circle() -> None:
    assert not _circle({path: _included(path) for path in _cpp_files()})


@pytest.mark.parametrize("folder", FOLDERS, ids=str)
def test_a_folder_says_what_it_may_see(folder: Path) -> None:
    assert _MAY_SEE.search(_header(folder)), f"the header of {folder} has no line 'May see: ….'"
    for seen in _seen(folder):
        assert (ROOT / seen).is_dir(), f"{folder} may see {seen}, which is not there"


@pytest.mark.parametrize("parent", [Path(), *(Path(name) for name in PACKAGES), CPP], ids=str)
def test_folders_see_only_those_that_are_lower(parent: Path) -> None:
    folders = [folder for folder in FOLDERS if folder.parent == parent]
    assert not _circle({folder: {seen for seen in _seen(folder) if seen.parent == parent} for folder in folders})


@pytest.mark.parametrize("readme", readmes(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_the_header_of_a_folder_lists_its_files_and_folders(readme: Path) -> None:
    """`make format` renews the lists."""
    assert renewed(readme) == readme.read_text(encoding="utf-8")


def test_only_the_binding_touches_the_native_library() -> None:
    users = {path.parent for path in _python_files() if "ludens.native._core" in {*_modules(path)}}
    assert users == {Path("native/core")}


def _modules(path: Path) -> Iterator[str]:
    for name in _imports(path):
        yield name
        yield name.rpartition(".")[0]


def test_the_oracle_shares_no_code_with_grounding_or_simulation() -> None:
    names = ("base/errors", "base/graphs", "gdl/syntax", "gdl/parser", "gdl/check")
    allowed = {Path(f"propnet/{name}.py") for name in names}
    assert _imported(Path("propnet/gdl/interpreter.py")) <= allowed


def test_no_file_names_a_path_of_one_machine() -> None:
    places = re.compile(r"(?<![\w.])/(?:work|home|root)/")
    texts = [path for path in _files() if path.suffix in _TEXTS and path != Path(__file__)]
    assert len(texts) > 20
    named = [path for path in texts if places.search(path.read_text(encoding="utf-8"))]
    assert not named


def _files() -> Iterator[Path]:
    """The files of the project itself, without what is built or installed."""
    yield from (path for path in ROOT.iterdir() if path.is_file() and path.name != ".git")
    yield from (path for name in (*PACKAGES, "docs", ".ci") for path in (ROOT / name).rglob("*") if path.is_file())
