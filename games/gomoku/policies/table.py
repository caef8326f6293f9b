"""The reference policies by name, and how users write them: `mcts`, or with settings `mcts:iterations=500`."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from ludens.games.gomoku.policies.mcts import MctsPolicy
from ludens.games.gomoku.policies.minimax import MinimaxPolicy
from ludens.games.gomoku.policies.policy import Policy, RandomPolicy
from ludens.propnet.base.errors import LudensError
from ludens.propnet.base.suggestions import did_you_mean

_KINDS: Mapping[str, type[RandomPolicy | MctsPolicy | MinimaxPolicy]] = {
    "random": RandomPolicy,
    "mcts": MctsPolicy,
    "minimax": MinimaxPolicy,
}
NAMES = tuple(_KINDS)
"""The names of the reference policies."""


def read_policy(text: str, seed: int) -> Policy:
    """Returns the policy that `text` describes, with this seed unless it has one; raises LudensError."""
    name, _, rest = text.partition(":")
    if name not in _KINDS:
        raise LudensError(f"there is no policy {name!r}{did_you_mean(name, NAMES)}")
    kind = _KINDS[name]
    settings = {field.name: field.type for field in dataclasses.fields(kind) if field.init}
    given: dict[str, Any] = {"seed": seed}
    for setting in filter(None, rest.split(",")):
        key, _, value = setting.partition("=")
        if key not in settings:
            raise LudensError(f"{text}: {name} has no setting {key!r}{did_you_mean(key, settings)}")
        given[key] = _number(text, key, value, whole=settings[key] == "int", low=int(key == "width"))
    return kind(**given)


def _number(text: str, key: str, value: str, *, whole: bool, low: int) -> int | float:
    try:
        number = int(value) if whole else float(value)
    except ValueError:
        number = low - 1
    if not low <= number < 10**12:  # nor is NaN
        raise LudensError(f"{text}: {key} must be a {'whole ' if whole else ''}number of at least {low}, not {value!r}")
    return number
