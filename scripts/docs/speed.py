"""The tables of speed, from docs/data: JSON files that scripts of scripts/bench write."""

from __future__ import annotations

import json

from scripts.bench import code_counts, contention, instruction_sets, roofline, search_sets
from scripts.bench.table import Row
from scripts.docs.pages import DATA, markdown_table

FILE = DATA / "bench.json"

_PLAYOUTS = ["game", "gates", "set-up s", "playouts/s", "M state changes/s", "moves a game", "network %", "choice %"]
_SEARCH = ["game", "UCT k iterations/s", "with 2 threads", "playouts × OpenSpiel", "UCT × OpenSpiel"]


def rows() -> list[Row]:
    """What was measured, a row for each game."""
    return [Row(**row) for row in json.loads(FILE.read_text("utf-8"))]


def playouts_table() -> str:
    """How fast random games are played."""
    return markdown_table(_PLAYOUTS, [_playouts(row) for row in rows()])


def search_table() -> str:
    """How fast UCT searches, and both beside OpenSpiel."""
    return markdown_table(_SEARCH, [_search(row) for row in rows()])


def _by_instruction_set() -> list[instruction_sets.Row]:
    text = (DATA / "instruction_sets.json").read_text("utf-8")
    return [instruction_sets.Row(**row) for row in json.loads(text)]


def instruction_sets_table() -> str:
    """How fast random games are played on each instruction set, and how many instructions NEON takes for that."""
    head, cells = instruction_sets.table(_by_instruction_set())
    counts = {row.game: f"{row.total:,}" for row in _code_counts()}
    return markdown_table([*head, "neon-jit, instructions"], [[*row, counts.get(row[0], "–")] for row in cells])


def instruction_sets_floors() -> str:
    """What was reached of the floors, on the geometric mean."""
    return "\n".join(f"* {line}" for line in instruction_sets.floors(_by_instruction_set()))


def _search_sets() -> list[search_sets.Row]:
    text = (DATA / "search_sets.json").read_text("utf-8")
    return [search_sets.Row(**row) for row in json.loads(text)]


def search_sets_table() -> str:
    """How fast UCT searches on each instruction set, beside OpenSpiel."""
    return markdown_table(*search_sets.table(_search_sets()))


def search_sets_floors() -> str:
    """What was reached of the floors, game by game."""
    return "\n".join(f"* {line}" for line in search_sets.floors(_search_sets()))


def _roofline() -> roofline.Run:
    return roofline.read((DATA / "roofline.json").read_text("utf-8"))


def roofline_core_table() -> str:
    """What the core does in a cycle."""
    return markdown_table(*roofline.core_table(_roofline()))


def roofline_table() -> str:
    """What limits the machine code of each game."""
    return markdown_table(*roofline.table(_roofline()))


def contention_run() -> contention.Run:
    """What the threads of a search share, as it was measured."""
    return contention.read((DATA / "contention.json").read_text("utf-8"))


def contention_table() -> str:
    """What the threads of a search share, and what more of them would gain."""
    return markdown_table(*contention.table(contention_run()))


def contention_line() -> str:
    """What an update of a shared line of the cache takes."""
    return contention.summary(contention_run())


def _code_counts() -> list[code_counts.Row]:
    return [code_counts.Row(**row) for row in json.loads((DATA / "neon_code.json").read_text("utf-8"))]


def code_counts_table() -> str:
    """How many instructions NEON takes."""
    return markdown_table(*code_counts.table(_code_counts()))


def code_counts_floors() -> str:
    """What was reached of the floor, on the geometric mean."""
    return "\n".join(f"* {line}" for line in code_counts.floors(_code_counts()))


def summary() -> str:
    """A sentence with the least and the greatest ratio to OpenSpiel."""
    playouts = [r.playouts_per_s / r.openspiel_playouts_per_s for r in rows() if r.openspiel_playouts_per_s]
    searches = [r.iterations_per_s / r.openspiel_iterations_per_s for r in rows() if r.openspiel_iterations_per_s]
    searches = [ratio for ratio in searches if ratio]  # 0: solved before there is a rate
    return (
        f"Random games are {min(playouts):,.0f} to {max(playouts):,.0f} times as fast as OpenSpiel's, and UCT is "
        f"{min(searches):,.0f} to {max(searches):,.0f} times as fast as its MCTSBot."
    )


def _playouts(row: Row) -> list[str]:
    shares = (f"{100 * share:.0f}" for share in (row.evaluation_share, row.choice_share))
    rates = [f"{row.playouts_per_s:,.0f}", f"{row.state_changes_per_s / 1e6:.1f}", f"{row.mean_length:.1f}"]
    return [row.game, f"{row.gates:,}", f"{row.setup_s:.2f}", *rates, *shares]


def _search(row: Row) -> list[str]:
    ratios = [
        row.against_openspiel(row.playouts_per_s, row.openspiel_playouts_per_s),
        row.against_openspiel(row.iterations_per_s, row.openspiel_iterations_per_s),
    ]
    return [row.game, *row.searches(), *ratios]
