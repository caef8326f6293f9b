"""Measures how many iterations a search makes in a second."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ludens.agent.search.assembly import new_search
from ludens.agent.search.config import SearchConfig

_SECONDS = 0.05  # of a run
_LEAST_ITERATIONS = 100
_MOST_SECONDS = 0.5  # for so many, on slow machines
_MEMORY_MB = 32


def iterations_per_second(config: SearchConfig, seed: int, clock: Callable[[], float]) -> float:
    """Searches the initial state for a moment, in one thread.

    Random games of all lanes begin at the same time: those of the first run, after which they no longer do, do not
    count, unless it solves the game.
    """
    search = new_search(replace(config, threads=1, memory_mb=_MEMORY_MB), seed)
    assert search is not None  # whoever chooses at once has no speed
    search.set_root()
    began = clock()
    search.run(_SECONDS)
    before, filled = search.stats().iterations, clock()
    while not (stats := search.stats()).solved and stats.iterations < before + _LEAST_ITERATIONS:
        if clock() >= filled + _MOST_SECONDS:
            break
        search.run(_SECONDS)
    if stats.solved:
        before, filled = 0, began
    return max(1, stats.iterations - before) / max(1e-9, clock() - filled)
