"""What the process of `late_preparation` does in tests in place of preparing; it finds this module by `PYTHONPATH`."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ludens.agent.engine.late_preparation import Task
from ludens.agent.learning.short_learning import learn
from ludens.agent.preparation.prepare_untimed import prepare_guided
from ludens.agent.search.config import SearchConfig
from ludens.agent.variants.game_variant import GameVariant
from ludens.native.core import Evaluation
from ludens.propnet.base.errors import NativeError


def finds_another(task: Task, tell: Callable[[Any], None]) -> SearchConfig:
    """Finds a search with an evaluation."""
    tell(("explain", "prepares later"))
    variant = GameVariant.of_network(task.net)
    settings = replace(task.settings, strategy="guided")
    return prepare_guided(variant, settings, Evaluation(learn(variant.game, 0.05).weights))


def fails(_task: Task, _tell: Callable[[Any], None]) -> None:
    raise NativeError("no room")


def lasts_for_ever(_task: Task, tell: Callable[[Any], None]) -> None:
    tell(("explain", "lasts for ever"))
    while True:
        time.sleep(0.01)
