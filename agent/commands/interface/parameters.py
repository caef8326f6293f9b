"""Kinds of arguments and options that several subcommands take: what they accept, and how a shell completes them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeVar

import click
import rich_click
from click.shell_completion import CompletionItem

from ludens import games
from ludens.agent.commands.interface.declare import Argument
from ludens.agent.settings.strategies import EXPLANATIONS

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
            self.fail(f"{value!r} is not {self.what} {self._bounds()}", param, ctx)
        return number

    def _bounds(self) -> str:
        low, high = f"{self._low:,.10g}", f"{self._high:,.10g}"
        if self._above:
            return f"above {low}"
        return f"from {low} to {high}" if math.isfinite(self._high) else f"of at least {low}"


class WholeNumber(Number):
    """A whole number within bounds."""

    kind = int
    what = "a whole number"


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
        """Offers the built-in games, or files where none fits."""
        found = [CompletionItem(name) for name in games.names() if name.startswith(incomplete)]
        return found or [CompletionItem(incomplete, type="file")]


class Player(click.ParamType[str]):
    """A strategy, with settings or without, or the address of a player."""

    name = "player"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Offers the strategies."""
        return [
            CompletionItem(name, help=meaning) for name, meaning in EXPLANATIONS.items() if name.startswith(incomplete)
        ]


def game_argument(function: Function) -> Function:
    """Adds the argument GAME."""
    about = "A built-in game (`ludens games` lists them) or the path of a rule sheet."
    return rich_click.argument("game", cls=Argument, metavar="GAME", type=Game(), help=about)(function)


def grounding_options(function: Function) -> Function:
    """Adds the options --grounding-seconds and --grounding-mb, for commands that can do without a network."""
    for option in (
        rich_click.option(
            "--grounding-mb",
            type=WholeNumber(64),
            default=2048,
            help="Memory to make a network of the rules, in MB; where it does not suffice the rules are interpreted.",
        ),
        rich_click.option(
            "--grounding-seconds", type=Seconds(), default=60, help="Longest time to make a network of the rules."
        ),
    ):
        function = option(function)
    return function


def json_option(function: Function) -> Function:
    """Adds the option --json."""
    return rich_click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")(function)


def verbose_option(function: Function) -> Function:
    """Adds the option --verbose."""
    about = "Also show what only experts in search and networks need."
    return rich_click.option("--verbose", is_flag=True, help=about)(function)
