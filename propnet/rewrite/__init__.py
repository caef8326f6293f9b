"""Rewritings of the rules that let the grounder finish, one file a technique."""

from propnet.rewrite.flatten import flatten
from propnet.rewrite.projection import project
from propnet.rewrite.relevance import relevant
from propnet.rewrite.terms import Namer
from propnet.syntax import RuleSheet

__all__ = ["narrow", "plain"]


def plain(sheet: RuleSheet) -> RuleSheet:
    """The rules in the form that the grounder takes, and otherwise as they stand."""
    return relevant(flatten(sheet, Namer()))


def narrow(sheet: RuleSheet) -> RuleSheet:
    """The rules rewritten to have as few ground instances as possible; the network may come out larger."""
    fresh = Namer()
    return project(relevant(flatten(sheet, fresh)), fresh)
