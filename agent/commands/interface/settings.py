"""The settings of the player as options of the command line, everyday and expert ones apart."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from typing import Any, TypeVar

import click
import rich_click
from click.shell_completion import CompletionItem

from ludens.agent.settings.options import PlayerOptions
from ludens.agent.settings.setting import listed_values, value_text, values_text

Function = TypeVar("Function", bound=Callable[..., Any])

_METAVARS = {str: "NAME", int: "N", float: "X"}
_LONGEST_METAVAR = len("on|off")
_PANELS = {False: "Everyday options", True: "Expert options"}


class Setting(click.ParamType[str]):
    """A value of a setting, as text: `PlayerOptions` converts and checks it."""

    name = "text"

    def __init__(self, choices: tuple[str, ...]) -> None:
        self._choices = choices

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Offers the values, where they can be listed."""
        return [CompletionItem(text) for text in self._choices if text.startswith(incomplete)]


def settings_options(**defaults: str) -> Callable[[Function], Function]:
    """Adds an option for each setting of a player; `defaults` say what the command takes in place of a default."""

    def add(function: Function) -> Function:
        for knob in reversed(dataclasses.fields(PlayerOptions)):
            function = _option(knob, defaults.get(knob.name, value_text(knob.default)))(function)
        for title in reversed(_PANELS.values()):
            function = rich_click.option_panel(title)(function)
        return function

    return add


def flag(setting: str) -> str:
    """Returns the option of a setting."""
    return "--" + setting.replace("_", "-")


def _option(knob: dataclasses.Field[Any], default: str) -> Callable[[Function], Function]:
    about = knob.metadata
    choices = tuple(map(str, about.get("choices", ())))
    metavar, values = "|".join(choices), ""
    if not 0 < len(metavar) <= _LONGEST_METAVAR:
        metavar, values = about.get("form", _METAVARS[type(knob.default)]), values_text(about)
    shown = "; ".join(filter(None, (values, f"default: {default}" if knob.default != "" else "")))
    meaning = re.sub(r"\b[a-z]+_[a-z]+\b", lambda setting: flag(setting[0]), about["meaning"])
    return rich_click.option(
        flag(knob.name),
        type=Setting(listed_values(about)),
        metavar=metavar,
        help=f"{meaning[0].upper()}{meaning[1:]}.{f' [{shown}]' if shown else ''}",
        panel=_PANELS[about["expert"]],
    )
