"""Code is told apart by a digest, however it is installed."""

from __future__ import annotations

from pathlib import Path

import pytest

from ludens.agent.cluster.code_digest import digest_of


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A package as in a checkout, whose folders are links."""
    for name in ("agent/server/log.py", "native/build_core.py", "agent/README.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("first\n")
    package = tmp_path / "src" / "ludens"
    package.mkdir(parents=True)
    for name in ("agent", "native"):
        (package / name).symlink_to(tmp_path / name)
    return package


def test_another_line_of_python_is_other_code(package: Path) -> None:
    before = digest_of(package, "core")
    (package / "agent" / "server" / "log.py").write_text("second\n")
    assert digest_of(package, "core") != before


def test_a_module_with_another_name_is_other_code(package: Path) -> None:
    before = digest_of(package, "core")
    (package / "agent" / "server" / "log.py").rename(package / "agent" / "log.py")
    assert digest_of(package, "core") != before


def test_another_native_core_is_other_code(package: Path) -> None:
    assert digest_of(package, "core") != digest_of(package, "another core")


def test_what_is_not_run_makes_no_difference(package: Path) -> None:
    """So that an installed wheel is the same code as the checkout of which it was made."""
    before = digest_of(package, "core")
    (package / "agent" / "README.md").write_text("second\n")
    (package / "native" / "build_core.py").unlink()
    assert digest_of(package, "core") == before
