"""The generated part of the reference: commands, settings, strategies, games, and the Python modules.

All of it comes from the program itself, so that it cannot be wrong: `docs/conf.py` calls `write` whenever the site
is built.
"""

from __future__ import annotations

import dataclasses
import os
import re
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from ludens import games
from ludens.agent.settings.options import PlayerOptions
from ludens.native.strategies import STRATEGIES
from scripts.docs.pages import ROOT, markdown_table

_WIDTH = 96  # columns of help texts
_COMMAND = re.compile(r"^    ([a-z]+) ", re.MULTILINE)
_NETWORK = ROOT / "propnet"
_ROOMS = sorted(path.name for path in _NETWORK.iterdir() if any(path.glob("*.py")))


def write(folder: Path) -> None:
    """Writes every page into `folder`, where nothing else may be."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, page in PAGES.items():
        text = page()
        path = folder / f"{name}.md"
        if not path.exists() or path.read_text("utf-8") != text:
            path.write_text(text, encoding="utf-8")


def commands() -> str:
    """What `ludens --help` says, and the help of every subcommand."""
    main = help_of()
    sections = [f"# Commands\n\n```text\n{main}```"]
    names = _COMMAND.findall(main.partition("commands:")[2])
    sections += [f"## ludens {name}\n\n```text\n{help_of(name)}```" for name in names]
    return "\n\n".join(sections) + "\n"


def help_of(*command: str) -> str:
    """The help text of `ludens`, or of one of its subcommands."""
    call = [sys.executable, "-m", "ludens.agent.commands.cli", *command, "--help"]
    width = os.environ | {"COLUMNS": str(_WIDTH)}
    return subprocess.run(call, env=width, check=True, capture_output=True, text=True).stdout


def settings() -> str:
    """Every setting of a player, from the table in agent/settings/options.py."""
    rows = [
        [f"`{field.name}`", _values(field.metadata), f"`{field.default}`", field.metadata["meaning"]]
        for field in _knobs()
    ]
    return (
        "# Settings of a player\n\n"
        "On the command line of `ludens serve` a setting is a flag, as in `--nodes-mb 512`; in a description of a "
        "player it follows a colon, as in `uct:nodes_mb=512,threads=2`.\n\n"
        f"{markdown_table(['setting', 'values', 'default', 'meaning'], rows)}\n"
    )


def strategies() -> str:
    """Every search strategy, from native/strategies.h."""
    rows = [[f"`{name}`", meaning] for name, meaning in STRATEGIES.items()]
    rows.insert(0, ["`auto`", "finds out in the start clock which of the others suits the game; the default"])
    rows += [["`random`", "any legal move, without a search"], ["`first`", "the first legal move, without a search"]]
    return f"# Strategies\n\n{markdown_table(['strategy', 'how it searches'], rows)}\n"


def built_in_games() -> str:
    """The games that come with Ludens."""
    rows = [
        [f"`{name}`", about.title, str(about.players), about.summary, ", ".join(f"`{other}`" for other in about.also)]
        for name in games.names()
        for about in (games.about(name),)
    ]
    return f"# Built-in games\n\n{markdown_table(['name', 'title', 'players', 'what it is', 'also called'], rows)}\n"


def network_room(room: str) -> str:
    """The public functions and classes of a room of ludens.propnet."""
    names = sorted(path.stem for path in (_NETWORK / room).glob("*.py"))
    modules = [f"ludens.propnet.{room}" + ("" if name == "__init__" else f".{name}") for name in names]
    return "\n\n".join([f"# ludens.propnet.{room}", *map(_module, modules)]) + "\n"


def native_modules() -> str:
    """The public functions and classes of ludens.native.core."""
    names = sorted(
        path.stem for path in (ROOT / "native" / "core").glob("*.py") if path.stem not in ("__init__", "binding")
    )
    head = "# ludens.native.core\n\nThe native core: games, simulators, searches. All names are imported from `ludens.native.core`."
    return "\n\n".join([head, *(_module(f"ludens.native.core.{name}") for name in names)]) + "\n"


PAGES: dict[str, Callable[[], str]] = {
    "commands": commands,
    "settings": settings,
    "strategies": strategies,
    "games": built_in_games,
    "python-native": native_modules,
    **{f"python-propnet-{room}": partial(network_room, room) for room in _ROOMS},
}
"""What makes each page, by its name."""


def _knobs() -> tuple[dataclasses.Field[Any], ...]:
    return dataclasses.fields(PlayerOptions)


def _values(bounds: Any) -> str:
    if "choices" in bounds:
        return ", ".join(f"`{choice}`" for choice in bounds["choices"])
    return f"{bounds['low']} to {bounds['high']}" if "low" in bounds else "text"


def _module(name: str) -> str:
    """What autodoc says of a module; only what it defines itself, not what it passes on from others."""
    return f"## {name}\n\n```{{eval-rst}}\n.. automodule:: {name}\n   :ignore-module-all:\n```"
