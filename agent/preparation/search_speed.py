"""Measures how many iterations a search makes in a second."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ludens.agent.search.assembly import new_search
from ludens.agent.search.config import SearchConfig

_SECONDS = 0.05
_MEMORY_MB = 32


def iterations_per_second(config: SearchConfig, seed: int, clock: Callable[[], float]) -> float:
    """Searches the initial state for a moment, in one thread."""
    search = new_search(replace(config, threads=1, memory_mb=_MEMORY_MB), seed)
    assert search is not None  # whoever chooses at once has no speed
    search.set_root()
    began = clock()
    search.run(_SECONDS)
    return max(1, search.stats().iterations) / max(1e-9, clock() - began)
