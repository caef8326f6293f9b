"""Where the project is, and the rule sheets and traces that only some machines have: see docs/conformance.md."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def real_sheets() -> dict[str, Path]:
    """Returns real rule sheets by name; skips the test where there are none."""
    return _files("LUDENS_SHEETS", "rulesheets", ".kif")


def traces() -> dict[str, Path]:
    """Returns recorded playouts of them by name; skips the test where there are none."""
    return _files("LUDENS_TRACES", "traces", ".json.gz")


def _files(variable: str, name: str, suffix: str) -> dict[str, Path]:
    """Finds files in the folder that a variable of the environment names, else in `shared` beside the project."""
    folder = Path(os.environ.get(variable) or ROOT.parent / "shared" / name)
    found = {path.name.removesuffix(suffix): path for path in sorted(folder.rglob(f"*{suffix}"))}
    if not found:
        pytest.skip(f"no *{suffix} in {folder}; {variable} names another folder: docs/conformance.md")
    return found
