"""ARCHITECTURE.md's table of imports, and the other borders it draws, hold in the code."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.paths import ROOT

_TEXTS = {"", ".md", ".toml", ".py", ".lark", ".kif", ".h", ".hpp", ".inl"}
_ROW = re.compile(r"^\| (`\w+`(?:, `\w+`)*) \| ([^|]*) \|", re.MULTILINE)


def _table() -> dict[str, set[str]]:
    """The packages of each package's row, from the section on imports."""
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    section = text.partition("## Who may import whom")[2].partition("\n## ")[0]
    rows = {name: cell for names, cell in _ROW.findall(section) for name in re.findall(r"`(\w+)`", names)}
    every = set(rows)
    return {
        name: every if cell.strip() == "all" else {name, *re.findall(r"`(\w+)`", cell)}
        for name, cell in rows.items()
    }


TABLE = _table()


def _sources(package: str) -> list[Path]:
    return sorted((ROOT / package).rglob("*.py"))


def _imports(path: Path) -> Iterator[str]:
    """Full names of the modules and of the names that a file imports, wherever in it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = _absolute(path, node)
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names)


def _absolute(path: Path, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    base = path.relative_to(ROOT).with_suffix("").parts[: -node.level]
    return ".".join([*base, *filter(None, [node.module])])


def test_the_table_of_imports_names_every_package() -> None:
    packages = {path.parent.name for path in ROOT.glob("*/__init__.py")} | {"scripts", "tests"}
    assert set(TABLE) == packages


@pytest.mark.parametrize("package", TABLE)
def test_a_package_imports_only_what_the_table_allows(package: str) -> None:
    assert _sources(package), f"{package} has no sources"
    allowed = TABLE[package]
    broken = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in _sources(package)
        for name in _imports(path)
        if name.partition(".")[0] in TABLE and name.partition(".")[0] not in allowed
    ]
    assert not broken


def test_only_the_binding_touches_the_native_library() -> None:
    users = {
        str(path.relative_to(ROOT).parent)
        for package in TABLE
        for path in _sources(package)
        if "ludens.native._core" in _imports(path)
    }
    assert users == {"native/core"}


def test_the_oracle_shares_no_code_with_grounding_or_simulation() -> None:
    project = {name for name in _imports(ROOT / "propnet" / "interpreter.py") if name.partition(".")[0] in TABLE}
    allowed = ("ludens.propnet.base.errors", *(f"ludens.propnet.gdl.{name}" for name in ("syntax", "parser", "check")))
    assert all(name.startswith(allowed) for name in project)


def test_no_file_names_a_path_of_one_machine() -> None:
    places = re.compile(r"(?<![\w.])/(?:work|home|root)/")
    texts = [path for path in _files() if path.suffix in _TEXTS and path != Path(__file__)]
    assert len(texts) > 20
    named = [path for path in texts if places.search(path.read_text(encoding="utf-8"))]
    assert not named


def _files() -> Iterator[Path]:
    """The files of the project itself, without what is built or installed."""
    yield from (path for path in ROOT.iterdir() if path.is_file() and path.name != ".git")
    yield from (
        path for folder in (*TABLE, "docs", ".ci") for path in (ROOT / folder).rglob("*") if path.is_file()
    )
