"""Where the project is, and what may lie beside it."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
SHARED = ROOT.parent / "shared"
REAL_SHEETS = SHARED / "rulesheets"
