"""The table of random games on a GPU, from docs/data/gpu.json, which `scripts.bench.gpu --json` writes."""

from __future__ import annotations

import json
from typing import Any

from scripts.bench.gpu import Measured
from scripts.docs.pages import DATA, markdown_table

FILE = DATA / "gpu.json"


def table() -> str:
    """Says which GPU it was, and how fast it was beside one core in each game."""
    data: dict[str, Any] = json.loads(FILE.read_text("utf-8"))
    head = ["game", "played by", "GPU, games/s", "one core, games/s", "ratio", "batch, ms"]
    rows = [
        [m.game, m.played, f"{m.gpu:,.0f}", f"{m.core:,.0f}", f"{m.ratio:.1f}", f"{m.batch_ms:.2f}"]
        for m in (Measured(**each) for each in data["measured"])
    ]
    return f"{data['device']}, numba {data['numba']}:\n\n{markdown_table(head, rows)}"
