"""The curve of a training, whose points are instances of one dataclass of numbers: as a table and as JSON."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


def to_json(curve: Sequence[DataclassInstance], about: Mapping[str, Any]) -> str:
    """Returns the curve with what is said about the training."""
    return json.dumps({**about, "curve": [dataclasses.asdict(point) for point in curve]}, indent=1) + "\n"


def to_csv(curve: Sequence[DataclassInstance], kind: type[DataclassInstance]) -> str:
    """Returns a table with a row for each point, names of columns first; all points are of this `kind`."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([field.name for field in dataclasses.fields(kind)])
    writer.writerows(dataclasses.astuple(point) for point in curve)
    return out.getvalue()
