"""Rewritings of the rules that let the grounder finish, one file a technique."""

from propnet.rewrite.dependence import changing, relevant
from propnet.rewrite.flatten import flatten
from propnet.rewrite.magic import magic_sets
from propnet.rewrite.projection import project
from propnet.rewrite.terms import Namer
from propnet.syntax import RuleSheet

__all__ = ["Namer", "changing", "flatten", "magic_sets", "narrow", "plain", "project", "relevant"]


def plain(sheet: RuleSheet) -> RuleSheet:
    """The rules in the form that the grounder takes, and otherwise as they stand."""
    return relevant(flatten(sheet, Namer()))


def narrow(sheet: RuleSheet) -> RuleSheet:
    """The rules with as few ground instances as possible."""
    fresh = Namer()
    magic = magic_sets(relevant(flatten(sheet, fresh)), fresh)
    return project(magic, fresh, _heads(magic))


def _heads(sheet: RuleSheet) -> set[str]:
    return {rule.head.name for rule in sheet.rules}
