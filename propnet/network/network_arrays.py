"""Networks as named arrays of numbers, for files: names go as JSON, and nothing needs to be unpickled."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np
import numpy.typing as npt

from ludens.propnet.network.propnet import FeatureName, Propnet

_TEXTS = ("roles", "propositions", "moves", "machine_policy", "feature_names")
_NUMBERS = tuple(field.name for field in fields(Propnet) if field.name not in _TEXTS)


def to_arrays(net: Propnet) -> dict[str, npt.NDArray[np.generic]]:
    """Returns a network as arrays; `from_arrays` makes it of them again."""
    texts = json.dumps({name: getattr(net, name) for name in _TEXTS}).encode()
    numbers = {name: getattr(net, name) for name in _NUMBERS}
    present = {name: np.asarray(value) for name, value in numbers.items() if value is not None}
    return {"texts": np.frombuffer(texts, np.uint8), **present}


def from_arrays(stored: Mapping[str, npt.NDArray[np.generic]]) -> Propnet:
    """Returns the network of arrays; raises `ValueError`, `TypeError` or `LookupError` for those of none.

    Whether its numbers make sense is for who plays it to find out: the native core refuses networks that do not.
    """
    texts = json.loads(stored["texts"].tobytes())
    values: dict[str, Any] = {name: stored[name] for name in _NUMBERS if name in stored}
    values |= {
        "roles": tuple(texts["roles"]),
        "propositions": tuple(texts["propositions"]),
        "moves": tuple(map(tuple, texts["moves"])),
        "machine_policy": str(texts["machine_policy"]),
        "feature_names": tuple(FeatureName(*name) for name in texts["feature_names"]),
        "terminal": int(stored["terminal"].astype(np.int64)),
    }
    return Propnet(**values)
