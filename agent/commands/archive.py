"""`ludens archive`: searches the matches that were played, and exports them."""

from __future__ import annotations

import dataclasses
import json
import re
from datetime import datetime
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ludens.agent.commands.terminal import printable
from ludens.agent.records import record as records
from ludens.agent.records.archive import Archive, Entry, Query


def show_list(query: Query, as_json: bool) -> int:
    """Prints the matches that fit; raises `ArchiveError`."""
    found = Archive().search(query)
    if as_json:
        print(json.dumps([dataclasses.asdict(entry) for entry in found]))
    elif not found:
        what = " and ".join(f"{name} {word!r}" for name, word in query.words.items())
        print(f"No match in the archive{f' with {what}' if what else ''}.")
    else:
        _print_table(found)
    return 0


def show(number: int, as_json: bool) -> int:
    """Prints a match; raises `ArchiveError`."""
    match = Archive().read(number)
    if as_json:
        print(json.dumps(match.record, indent=1))
        return 0
    entry = match.entry
    lines = [f"{entry.number}: {entry.game}, {_date(entry)}, by `ludens {entry.source}`", f"  {_outcome(entry)}"]
    lines += [f"{turn:5}. {'  '.join(moves)}" for turn, moves in enumerate(match.record["moves"], start=1)]
    lines += [f"  {warning}" for warning in match.record.get("warnings", ())]
    print(printable("\n".join(lines)))
    return 0


def export(query: Query, folder: Path) -> int:
    """Writes a file for each match that fits; raises `ArchiveError` or `RecordError`."""
    archive = Archive()
    found = archive.search(query)
    for entry in found:
        name = f"{entry.number:06}-{re.sub(r'[^A-Za-z0-9_-]', '_', entry.game)}.json"
        records.write_text(json.dumps(archive.read(entry.number).record, indent=1), folder / name)
    print(f"{len(found)} records in {folder}")
    return 0


def _print_table(found: list[Entry]) -> None:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("match", "date", "game", "players and goals", "turns", "by"):
        table.add_column(column, justify="right" if column in ("match", "turns") else "left", overflow="fold")
    for entry in found:
        cells = (str(entry.number), _date(entry), entry.game, _outcome(entry), str(entry.turns), entry.source)
        table.add_row(*(Text(printable(cell)) for cell in cells))  # names are no markup
    console = Console()
    if not console.is_terminal:
        console = Console(width=200)
    console.print(table)


def _date(entry: Entry) -> str:
    return f"{datetime.fromtimestamp(entry.started / 1000):%Y-%m-%d %H:%M}"


def _outcome(entry: Entry) -> str:
    """Returns who played, and what for each came of it; players of whom nothing is known are `?`."""
    names = [player or "?" for player in entry.players]
    if not entry.goals:
        return f"{' – '.join(names)} ({entry.ending or entry.results[0]})"
    return " – ".join(f"{name} {goal}" for name, goal in zip(names, entry.goals, strict=True))
