"""Declares a subcommand: how its help looks, and what happens around every run.

>>> @declare("double", examples="  ludens double 21")
... @click.argument("number", type=WholeNumber())
... def command(number: int) -> int:
...     '''Double a number.'''
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection
from typing import Any

import click
import rich_click
from click.core import ParameterSource

from ludens.agent.commands.exit_codes import CommandError, ExitCode, UsageError
from ludens.agent.settings.errors import OptionError, PlayerError
from ludens.games import UnknownGameError

_NATIVE_CORE = "ludens.native._core"

CONTEXT: dict[str, Any] = {
    "help_option_names": ["-h", "--help"],
    "show_default": True,
    "max_content_width": 100,
    "rich_help_config": {
        "theme": "default-slim",
        "text_markup": None,  # brackets are meant
        "force_terminal": None,  # colours on a terminal only
        "style_helptext": "",
        "padding_helptext_first_line": (0, 0, 1, 0),
        "text_paragraph_linebreaks": "\n\n",
        "append_metavars_help_string": "{}",
        "default_string": r"\[default: {}]",
        "options_table_help_sections": ["help", "default"],
        "max_width": 100,
        "show_arguments": True,
    },
}
"""How the help of all commands looks, and how it is asked for."""


class PlainEpilog(rich_click.RichCommand):
    """A command whose examples stay line by line in its help, where click would make one paragraph of them."""

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Writes the examples."""
        from rich.text import Text

        formatter.write(Text(self.epilog or ""))

    def get_help(self, ctx: click.Context) -> str:
        """Returns the help without blanks at the ends of lines."""
        return re.sub(r" +$", "", super().get_help(ctx), flags=re.MULTILINE)


class Command(PlainEpilog):
    """A subcommand: arguments that turn out to make no sense while it runs are refused like unknown options."""

    def invoke(self, ctx: click.Context) -> Any:
        """Runs the subcommand and returns its exit code; raises `LudensError`."""
        try:
            _check_instruction_set()
            return super().invoke(ctx)
        except (UsageError, PlayerError, UnknownGameError) as error:
            raise click.UsageError(str(error), ctx) from error
        except OptionError as error:
            raise click.UsageError(f"{error} ({error.see})", ctx) from error
        except KeyboardInterrupt as interrupt:
            raise CommandError("interrupted", ExitCode.INTERRUPTED) from interrupt
        except ImportError as error:
            if error.name != _NATIVE_CORE:
                raise
            advice = "install Ludens again, or run `make play` in the folder of its sources"
            raise CommandError(
                f"the native core cannot be loaded ({error}): {advice}", ExitCode.FAULTY_INPUT
            ) from error


def declare(name: str, *, examples: str, kind: type[Command] = Command) -> Callable[[Callable[..., int]], Command]:
    """Makes a function the subcommand `name`: its docstring is the help, its parameters are options and arguments."""
    return rich_click.command(name, cls=kind, epilog=f"Examples:\n{examples}", context_settings=CONTEXT)


def refuse_given(names: Collection[str], reason: str) -> None:
    """Raises `click.UsageError` if one of these options of the command that runs is given: it would be ignored."""
    ctx = click.get_current_context()
    for parameter in ctx.command.params:
        if parameter.name in names and ctx.get_parameter_source(parameter.name) is not ParameterSource.DEFAULT:
            raise click.UsageError(f"{_spelled(parameter, ctx.params[parameter.name])} {reason}", ctx)


def _spelled(parameter: click.Parameter, value: Any) -> str:
    """Returns the name of an argument, or of an option with this value, as the user writes it."""
    if isinstance(parameter, click.Argument):
        return parameter.human_readable_name.strip("[]")
    return (parameter.secondary_opts if value is False else parameter.opts)[0]


class Argument(rich_click.RichArgument):
    """An argument that help names as the line of usage does."""

    def get_rich_table_row(self, ctx: Any, formatter: Any, panel: Any = None) -> list[Any]:
        """Returns short name, name and help."""
        from rich.text import Text

        *_, about = super().get_rich_table_row(ctx, formatter, panel)
        return [None, Text(self.make_metavar(ctx), formatter.config.style_argument), about]


def _check_instruction_set() -> None:
    """Refuses a wrong LUDENS_INSTRUCTION_SET before a child process meets it; raises `NativeError`."""
    if "LUDENS_INSTRUCTION_SET" in os.environ:
        from ludens.native.core import instruction_sets

        instruction_sets()
