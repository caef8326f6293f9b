"""Finds the rules that a user names on the command line: a built-in game, or a file."""

from __future__ import annotations

from ludens.agent.commands.exit_codes import UsageError
from ludens.games import UnknownGameError, rules
from ludens.games.rules import NamedRules, read_rules

__all__ = ["NamedRules", "find_built_in", "find_rules", "read_rules"]


def find_rules(game: str) -> NamedRules:
    """Does what `games.rules.find_rules` does, but raises `UsageError` for a name that is no game's."""
    try:
        return rules.find_rules(game)
    except UnknownGameError as error:
        raise UsageError(str(error)) from error


def find_built_in(game: str) -> NamedRules:
    """Finds the rules of a built-in game; raises `UsageError` if there is none with this name."""
    try:
        return rules.find_built_in(game)
    except UnknownGameError as error:
        raise UsageError(str(error)) from error
