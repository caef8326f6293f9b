"""Finds which relations depend on which: those that matter to the game, and those that change during it."""

from __future__ import annotations

from ludens.propnet.base.graphs import leading, reachable, successors
from ludens.propnet.gdl.syntax import RuleSheet
from ludens.propnet.rewrite.terms import literal_atom

ROOTS = ("role", "init", "next", "legal", "terminal", "goal")
"""The relations that make up a game; all others are helpers."""


def relevant(sheet: RuleSheet) -> RuleSheet:
    """The rules of the relations that `ROOTS` depend on; bodies must be flat.

    `base`, `input` and whatever else only documents a sheet go: what is reachable is found by grounding, so
    declarations that are too small or too large cannot mislead it.
    """
    needed = reachable(ROOTS, successors(_dependences(sheet)))
    return RuleSheet(tuple(rule for rule in sheet.rules if rule.head.name in needed))


def changing(sheet: RuleSheet) -> set[str]:
    """The relations that depend on the state or on the moves; bodies must be flat."""
    return leading(("true", "does"), _dependences(sheet))


def _dependences(sheet: RuleSheet) -> set[tuple[str, str]]:
    """Pairs of a relation and one that a rule of it uses."""
    return {(rule.head.name, atom.name) for rule in sheet.rules for part in rule.body if (atom := literal_atom(part))}
