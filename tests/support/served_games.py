"""Games of whole players as the data of documents have them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ludens.agent.settings.options import PlayerOptions
from scripts.common import match_runner
from scripts.common.match_runner import Outcome
from scripts.strength.served_match import ServedTask


def add_game(
    path: Path,
    number: int,
    score: float,
    said: tuple[str, ...],
    *,
    game: str = "breakthrough",
    second: str = "uct",
    faults: tuple[int, int] = (0, 0),
    **conditions: Any,
) -> None:
    """Writes the game of a number, two of which share an opening, of `auto`, who `said` so of its choices."""
    usual: dict[str, Any] = {"seconds": 2.0, "start_clock": 30.0, "scrambled": False, "instruction_set": "avx2"}
    usual |= {"threads": 1, "margin": PlayerOptions().margin, "slow_down": 1, "manager": ""}
    task = ServedTask(
        game, ("auto", second), opening=1 + number // 2, opening_moves=0, seat=number % 2, **(usual | conditions)
    )
    match_runner.write(path, Outcome(match_runner.key(task), score, 40, (100, 0), faults, (said, ())))
