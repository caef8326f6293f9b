"""One setting: a field with its meaning and the values that it takes, how they are read, checked and written."""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Mapping
from dataclasses import field
from functools import partial
from typing import Any

from ludens.agent.settings.errors import OptionError
from ludens.propnet.base.suggestions import did_you_mean

LARGEST = 2**63 - 1
"""The largest number that the native core takes."""

_FEW_VALUES = 10  # that can all be listed


def setting(default: Any, meaning: str, *, expert: bool = False, **bounds: Any) -> Any:
    """Makes a field with its meaning and its bounds: `low` and `high`, `choices`, or a `pattern` and its `rule`.

    An `automatic` number may also be 0, and is then found out. `form` is what help shows for the value, where its type
    says too little. `shipped` is a value that stands for a file of Ludens.
    """
    return field(default=default, metadata={"meaning": meaning, "expert": expert, **bounds})


expert_setting = partial(setting, expert=True)
"""Makes a field that only experts need."""


def values_text(bounds: Mapping[str, Any]) -> str:
    """Returns which values a setting takes, from the metadata of its field; empty if that is any text."""
    if "choices" in bounds:
        return ", ".join(map(str, bounds["choices"]))
    if "low" not in bounds:
        return ""
    low, high = value_text(bounds["low"]), value_text(bounds["high"])
    values = f"at least {low}" if bounds["high"] == LARGEST else f"{low} to {high}"
    return f"0 or {values}" if bounds.get("automatic") else values


def listed_values(bounds: Mapping[str, Any]) -> tuple[str, ...]:
    """Returns the values of a setting, from the metadata of its field, if they are few; else none."""
    if isinstance(bounds.get("high"), int) and bounds["high"] <= _FEW_VALUES:
        return tuple(map(str, range(bounds["low"], bounds["high"] + 1)))
    return tuple(map(str, bounds.get("choices", ())))


def value_text(value: Any) -> str:
    """Returns a value of a setting as users write it, or what it means where nobody can write it."""
    if value == math.inf:
        return "no limit"
    return f"{value:g}" if isinstance(value, float) else str(value) or "none"


def convert(knob: dataclasses.Field[Any], text: str) -> Any:
    """Returns the value of a setting that a text says; raises `OptionError`."""
    kind: type = type(knob.default)
    try:
        return _finite(text) if kind is float else kind(text)
    except ValueError:
        wanted = "a whole number" if kind is int else "a number"
        raise OptionError(f"{{{knob.name}}} must be {wanted}, not {{given!r}}", given=text) from None


def _finite(text: str) -> float:
    """Reads a number; raises ValueError for text that is none, or infinity."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(text)
    return number


def check(knob: dataclasses.Field[Any], value: Any) -> None:
    """Raises `OptionError` for a value that a setting does not take."""
    bounds = knob.metadata
    fits = isinstance(value, (int, float) if isinstance(knob.default, float) else type(knob.default))
    if fits and "choices" in bounds:
        fits = value in bounds["choices"]
    elif fits and "low" in bounds:
        automatic = value == 0 and bounds.get("automatic", False)
        fits = automatic or value == knob.default or bounds["low"] <= value <= bounds["high"]
    elif fits and "pattern" in bounds:
        fits = re.fullmatch(bounds["pattern"], value) is not None
    if not fits:
        wanted = values_text(bounds) or bounds.get("rule", f"of type {type(knob.default).__name__}")
        near = did_you_mean(str(value), map(str, bounds.get("choices", ())))
        text = f"{{{knob.name}}} must be {{wanted}}, not {{given!r}}{{near}}"
        raise OptionError(text, wanted=wanted, given=value, near=near)
