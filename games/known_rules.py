"""Finds out which built-in game some rules are, whatever names they use."""

from __future__ import annotations

from functools import cache

from ludens import games
from ludens.propnet.gdl.fingerprint import fingerprint
from ludens.propnet.gdl.parser import parse_rules
from ludens.propnet.gdl.syntax import RuleSheet


def built_in_name(sheet: RuleSheet) -> str:
    """Returns the name of the built-in game with these checked rules; empty for rules that are of none."""
    alike = [name for name in games.names() if _shape(_sheet(name)) == _shape(sheet)]
    digest = fingerprint(sheet).digest if alike else ""
    return next((name for name in alike if fingerprint(_sheet(name)).digest == digest), "")


@cache
def _sheet(name: str) -> RuleSheet:
    return parse_rules(games.read(name))


def _shape(sheet: RuleSheet) -> tuple[int, int]:
    """Returns what is soon counted and the same in all sheets of a game."""
    return len(sheet.roles), len(sheet.rules)
