"""The generated part of the reference: commands, settings, strategies, games, and the Python modules.

All of it comes from the program itself, so that it cannot be wrong: `docs/conf.py` calls `write` whenever the site
is built.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable
from contextlib import redirect_stdout, suppress
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Any
from unittest.mock import patch

import click

from ludens import games
from ludens.agent.commands import cli
from ludens.agent.settings.options import PLAYOUT_POLICIES, PlayerOptions
from ludens.agent.settings.setting import value_text, values_text
from ludens.native.playout_policies import MACHINE_POLICIES
from ludens.native.strategies import STRATEGIES, Strategy
from ludens.propnet.policies.table import POLICIES
from scripts.docs import command_line
from scripts.docs.pages import ROOT, markdown_table

_WIDTH = 96  # columns of help texts
_TRAITS = {
    "plays_random_games": "random games",
    "needs_evaluation": "evaluation",
    "solves": "solver",
    "searches_factors": "factors",
    "takes_leaf_batches": "leaf batches",
    "needs_core": "game core",
}
_NETWORK = ROOT / "propnet"
_FOLDERS = sorted(path.name for path in _NETWORK.iterdir() if any(path.glob("*.py")))


def write(folder: Path) -> None:
    """Writes every page into `folder`, and removes what else is there: pages of modules that are gone."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.iterdir():
        if path.stem not in PAGES:
            path.unlink()
    for name, page in PAGES.items():
        text = page()
        path = folder / f"{name}.md"
        if not path.exists() or path.read_text("utf-8") != text:
            path.write_text(text, encoding="utf-8")


def commands() -> str:
    """What `ludens --help` says, and the help of every subcommand."""
    sections = [f"# Commands\n\n```text\n{help_of()}```"]
    for name in cli.COMMANDS:
        sections.append(f"## ludens {name}\n\n```text\n{help_of(name)}```")
        inner = getattr(cli.command_line.get_command(click.Context(cli.command_line), name), "commands", {})
        sections += [f"### ludens {name} {each}\n\n```text\n{help_of(name, each)}```" for each in inner]
    return "\n\n".join(sections) + "\n"


def help_of(*command: str) -> str:
    """The help text of `ludens`, or of one of its subcommands."""
    text = StringIO()
    with patch.dict(os.environ, COLUMNS=str(_WIDTH)), redirect_stdout(text), suppress(SystemExit):
        cli.main([*command, "--help"])
    return text.getvalue()


def settings() -> str:
    """Every setting of a player, from the table in agent/settings/options.py, everyday and expert ones apart."""
    head = ["setting", "values", "default", "meaning"]
    tables = [
        markdown_table(head, [_setting(knob) for knob in _knobs() if knob.metadata["expert"] is expert])
        for expert in (False, True)
    ]
    return (
        "# Settings of a player\n\n"
        "On the command line of `ludens serve` a setting is a flag, as in `--nodes-mb 512`; in a description of a "
        "player it follows a colon, as in `uct:nodes_mb=512,threads=2`.\n\n"
        f"## Everyday settings\n\n{tables[0]}\n\n## Expert settings\n\n{tables[1]}\n"
    )


def strategies() -> str:
    """What every strategy does, and what those that search can do, from native/strategies.h."""
    rows = [[f"`{one.name}`", str(one.most_roles or "any"), *_traits(one)] for one in STRATEGIES.values()]
    head = ["strategy", "most roles", *_TRAITS.values()]
    return (
        "# Strategies\n\nHow a player of ours chooses its moves: a player of `ludens match`, a value of `ludens serve "
        f"--strategy`. `auto` is the default.\n\n{command_line.strategies()}\n\n"
        f"## What each search can do\n\n{markdown_table(head, rows)}\n\n"
        "*Random games*: values positions by random games, which follow a policy. *Evaluation*: needs a learned "
        "one. *Solver*: proves what to play by itself, so it gets no solver beside it. *Factors*: may search the "
        "independent parts of a game alone. *Leaf batches*: may play several random games from each leaf, and have a "
        "GPU play a batch of leaves. *Game core*: plays only recognised games that have the game core for which it is "
        "made.\n"
    )


def policies() -> str:
    """Every playout policy, from the tables of those that are gates of the network and those of the native machine."""
    meanings = {
        "auto": "`anti-decisive` where that is affordable, else `uniform`; the default",
        "uniform": "any legal move, each as likely",
        **{name: policy.meaning for name, policy in POLICIES.items()},
        **MACHINE_POLICIES,
    }
    rows = [[f"`{name}`", meanings[name]] for name in PLAYOUT_POLICIES]
    return (
        "# Playout policies\n\nWhat random games choose from: the setting `policy` of a player.\n\n"
        f"{markdown_table(['policy', 'what it does'], rows)}\n\n"
        "What they gain is in [Experiments](../../experiments/playout-policies.md). A policy that a game cannot "
        "have (its network would be too large, or nobody waits while another moves) is refused, and the log says why.\n"
    )


def built_in_games() -> str:
    """The games that come with Ludens."""
    rows = [
        [f"`{name}`", about.title, str(about.players), about.summary, ", ".join(f"`{other}`" for other in about.also)]
        for name in games.names()
        for about in (games.about(name),)
    ]
    return f"# Built-in games\n\n{markdown_table(['name', 'title', 'players', 'what it is', 'also called'], rows)}\n"


def network_folder(folder: str) -> str:
    """The public functions and classes of a folder of ludens.propnet."""
    names = sorted(path.stem for path in (_NETWORK / folder).glob("*.py"))
    modules = [f"ludens.propnet.{folder}" + ("" if name == "__init__" else f".{name}") for name in names]
    return "\n\n".join([f"# ludens.propnet.{folder}", *map(_module, modules)]) + "\n"


def native_modules() -> str:
    """The public functions and classes of ludens.native.core."""
    names = sorted(
        path.stem for path in (ROOT / "native" / "core").glob("*.py") if path.stem not in ("__init__", "binding")
    )
    head = "# ludens.native.core\n\nGames, simulators, searches. All names are in `ludens.native.core`."
    return "\n\n".join([head, *(_module(f"ludens.native.core.{name}") for name in names)]) + "\n"


PAGES: dict[str, Callable[[], str]] = {
    "commands": commands,
    "settings": settings,
    "strategies": strategies,
    "playout-policies": policies,
    "games": built_in_games,
    "python-native": native_modules,
    **{f"python-propnet-{folder}": partial(network_folder, folder) for folder in _FOLDERS},
}
"""What makes each page, by its name."""


def _traits(strategy: Strategy) -> list[str]:
    return ["yes" if getattr(strategy, trait) else "–" for trait in _TRAITS]


def _setting(knob: dataclasses.Field[Any]) -> list[str]:
    about = knob.metadata
    return [f"`{knob.name}`", values_text(about) or "text", f"`{value_text(knob.default)}`", about["meaning"]]


def _knobs() -> tuple[dataclasses.Field[Any], ...]:
    return dataclasses.fields(PlayerOptions)


def _module(name: str) -> str:
    """What autodoc says of a module; only what it defines itself, not what it passes on from others."""
    return f"## {name}\n\n```{{eval-rst}}\n.. automodule:: {name}\n   :ignore-module-all:\n```"
