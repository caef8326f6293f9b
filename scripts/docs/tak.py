"""What the pages say of the training of Tak: tables and pictures of the runs that are kept."""

from __future__ import annotations

import json
from typing import Any

from ludens.agent.tak.training_curve import CurvePoint, picture
from scripts.docs.pages import DATA, ROOT, markdown_table
from scripts.strength import tak_training

_TRAINED = ROOT / "games" / "tak" / "temporal_differences" / "trained"


def training() -> str:
    """The curve of the weights for 5 × 5 squares that come with Ludens."""
    known = json.loads((_TRAINED / "tak_5.json").read_text("utf-8"))
    return picture([CurvePoint(**point) for point in known["curve"]], "Training of Tak on 5 × 5 squares")


def strength() -> str:
    """How strong the weights were along the way."""
    return tak_training.picture(_measured()["scores"], _measured()["size"])


def strength_table() -> str:
    """The same as a table."""
    return markdown_table(tak_training.columns(), list(tak_training.rows(_measured()["scores"])))


def _measured() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((DATA / "tak-training.json").read_text("utf-8"))
    return found
