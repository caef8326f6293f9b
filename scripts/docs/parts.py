"""What is generated into hand-written pages, by name."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from scripts.docs import (
    choice,
    command_line,
    environments,
    gpu,
    levels,
    matches,
    perfect_play,
    puzzles,
    served_matches,
    speed,
    tak,
)

PARTS: dict[str, Callable[[], str]] = {
    **{f"matches/{name}": partial(matches.render, name) for name in matches.tables()},
    **{name: partial(perfect_play.render, name) for name in perfect_play.FILES},
    "summary/auto-against-uct": partial(matches.summary, "auto-against-uct"),
    "served/test-set": served_matches.games_by_kind,
    "served/summary": served_matches.summary,
    "served/matches": served_matches.render,
    "choice/left-out": choice.render,
    "choice/served": choice.served,
    "speed/summary": speed.summary,
    "speed/playouts": speed.playouts_table,
    "speed/search": speed.search_table,
    "speed/instruction-sets": speed.instruction_sets_table,
    "speed/instruction-set-floors": speed.instruction_sets_floors,
    "speed/search-sets": speed.search_sets_table,
    "speed/search-set-floors": speed.search_sets_floors,
    "speed/roofline": speed.roofline_table,
    "speed/roofline-core": speed.roofline_core_table,
    "speed/contention": speed.contention_table,
    "speed/contention-line": speed.contention_line,
    "speed/neon-code": speed.code_counts_table,
    "speed/neon-code-floors": speed.code_counts_floors,
    "environments/peers": environments.peers_table,
    "environments/floors": environments.floors_table,
    "environments/own": environments.own_table,
    "environments/machine": environments.machine,
    "gpu": gpu.table,
    "puzzles": puzzles.render,
    "exit-codes": command_line.exit_codes,
    "strategies": command_line.strategies,
    "levels": levels.render,
    "tak/strength": tak.strength_table,
}
"""Gives the Markdown of each part."""
