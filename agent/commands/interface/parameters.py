"""Kinds of arguments and options that several subcommands take: what they accept, and how a shell completes them."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any, TypeVar

import click
import rich_click
from click.shell_completion import CompletionItem

from ludens import games
from ludens.agent.commands.interface.declare import Argument, Command
from ludens.agent.settings.options import PlayerOptions
from ludens.agent.settings.setting import listed_values
from ludens.agent.settings.strategies import EXPLANATIONS, HUMAN

_NOT_OF_PLAYERS = {"strategy", "player", "name", "interface", "port", "log", "records", "matches", "allow_origin"}
"""Settings that a player of `ludens match` has no use for."""

_COUNTABLE = 2**63 - 1  # what computers count with goes no further
_WATCH = "--watch"

Function = TypeVar("Function", bound=Callable[..., Any])


class Number(click.ParamType[float]):
    """A number within bounds."""

    name = "n"  # as help shows it, in capitals
    kind: type[int] | type[float] = float
    what = "a number"

    def __init__(self, low: float = 0, high: float = math.inf, above: bool = False) -> None:
        """Takes numbers from `low` (or only those above it) to `high`."""
        self._low, self._high, self._above = low, high, above

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Returns the number; fails with what is wanted."""
        try:
            number = self.kind(value)
        except ValueError:
            number = self.kind(self._low) - 1
        if not self._low <= number <= self._high or (self._above and number == self._low):
            self.fail(f"{value!r} is not {self.what} {self._bounds(number)}", param, ctx)
        return number

    def _bounds(self, number: float) -> str:
        """Says between which bounds the number is not."""
        low, high = f"{self._low:,.10g}", f"{self._high:,.10g}"
        if self._above:
            return f"above {low}, up to {high}"
        if self._high < _COUNTABLE:
            return f"from {low} to {high}"
        return f"of at least {low}" if number < self._low else f"of at most {self._high:,}"


class WholeNumber(Number):
    """A whole number within bounds."""

    kind = int
    what = "a whole number"

    def __init__(self, low: float = 0, high: float = _COUNTABLE) -> None:
        """Takes numbers from `low` to `high`; by default as many as a computer counts with."""
        super().__init__(low, high)


class Seconds(Number):
    """A number of seconds, which may be a fraction."""

    name = "s"
    what = "a number of seconds"

    def __init__(self, low: float = 0, high: float = 1e6, above: bool = False) -> None:
        super().__init__(low, high, above)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Returns the number; one without a fraction as `int`, since many programs write and read only those."""
        number = super().convert(value, param, ctx)
        return int(number) if number == int(number) else number


class Game(click.ParamType[str]):
    """A built-in game or the path of a rule sheet."""

    name = "game"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Offers the built-in games and rule sheets, or files where none fits."""
        name = incomplete.rpartition("/")[2]
        folder = incomplete.removesuffix(name)
        sheets = sorted(folder + path.name for path in Path(folder or ".").glob("*.kif"))
        found = [CompletionItem(name) for name in (*games.names(), *sheets) if name.startswith(incomplete)]
        return found or [CompletionItem(incomplete, type="file")]


class Player(click.ParamType[str]):
    """A strategy, with settings or without, or the address of a player."""

    name = "player"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Offers strategies, then settings, then their values."""
        _strategy, colon, settings = incomplete.partition(":")
        if not colon:
            known = {HUMAN: "you, at the terminal"} | EXPLANATIONS
            return [CompletionItem(name, help=about) for name, about in known.items() if name.startswith(incomplete)]
        begun = settings.rpartition(",")[2]
        before = incomplete.removesuffix(begun)
        return [
            CompletionItem(before + text, help=about)
            for text, about in _setting_texts(begun.partition("=")[0] if "=" in begun else "")
            if text.startswith(begun)
        ]


def _setting_texts(setting: str) -> Iterator[tuple[str, str]]:
    """Yields the settings of a player in a match, as `name=`, with their meanings; of one `setting` the values."""
    for knob in dataclasses.fields(PlayerOptions):
        if knob.name in _NOT_OF_PLAYERS:
            continue
        if not setting:
            yield f"{knob.name}=", knob.metadata["meaning"]
        elif knob.name == setting:
            for value in listed_values(knob.metadata):
                yield f"{knob.name}={value}", ""


def game_argument(function: Function) -> Function:
    """Adds the argument GAME."""
    about = "A built-in game (`ludens games` lists them) or the path of a rule sheet."
    return rich_click.argument("game", cls=Argument, metavar="GAME", type=Game(), help=about)(function)


def kept_option(name: str, kind: click.ParamType[Any], default: str, about: str) -> Callable[[Function], Function]:
    """Returns an option that work is kept with: None unless it is given, so that another one is refused on going on."""
    return rich_click.option(name, type=kind, default=None, help=f"{about} [default: {default}]")


def grounding_options(function: Function) -> Function:
    """Adds the options --grounding-seconds and --grounding-mb, for commands that can do without a network."""
    return _grounding_options(function, "; where it does not suffice the rules are interpreted")


def needed_grounding_options(function: Function) -> Function:
    """Adds the same options for commands that need a network."""
    return _grounding_options(function, "")


def _grounding_options(function: Function, otherwise: str) -> Function:
    for option in (
        rich_click.option(
            "--grounding-mb",
            type=WholeNumber(64),
            default=2048,
            help=f"Memory to make a network of the rules, in MB{otherwise}.",
        ),
        rich_click.option(
            "--grounding-seconds", type=Seconds(), default=60, help="Longest time to make a network of the rules."
        ),
    ):
        function = option(function)
    return function


def archive_option(function: Function) -> Function:
    """Adds the option --no-archive."""
    about = "Keep no record in your archive of matches (`ludens archive` searches it)."
    return rich_click.option(
        "--no-archive", "archived", is_flag=True, flag_value=False, default=True, show_default=False, help=about
    )(function)


class Watchable(Command):
    """A command with the option --watch, whose port may be left out, whatever comes after it."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Reads the command line."""
        return super().parse_args(ctx, with_port(args))


def with_port(arguments: Sequence[str]) -> list[str]:
    """Returns arguments in which --watch says any free port where no number follows.

    >>> with_port(["nim", "--watch", "uct", "--watch", "9181"])
    ['nim', '--watch=0', 'uct', '--watch', '9181']
    """
    pairs = zip_longest(arguments, arguments[1:], fillvalue="")
    return [f"{first}=0" if first == _WATCH and not after.isdecimal() else first for first, after in pairs]


def watch_port_option(function: Function) -> Function:
    """Adds the option --watch to a `Watchable` command."""
    about = "Show the matches as they go, thoughts included, on a page at PORT; at any free one if PORT is left out."
    return rich_click.option(_WATCH, type=WholeNumber(0, 65535), metavar="PORT", help=about)(function)


def cluster_option(function: Function) -> Function:
    """Adds the option --cluster."""
    about = (
        "Work on the machines of a cluster of Ray: HOST:PORT of its head, `auto` for the one of this machine, or "
        "`local` for processes of this machine alone."
    )
    return rich_click.option("--cluster", metavar="ADDRESS", default=None, help=about)(function)


def json_option(function: Function) -> Function:
    """Adds the option --json."""
    return rich_click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")(function)


def verbose_option(function: Function) -> Function:
    """Adds the option --verbose."""
    about = "Also show what only experts in search and networks need."
    return rich_click.option("--verbose", is_flag=True, help=about)(function)
