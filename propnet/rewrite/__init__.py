"""Rewritings of the rules that let the grounder finish, one file a technique."""

from propnet.rewrite.flatten import flatten
from propnet.rewrite.relevance import relevant
from propnet.rewrite.terms import Namer
from propnet.syntax import RuleSheet

__all__ = ["plain"]


def plain(sheet: RuleSheet) -> RuleSheet:
    """The rules in the form that the grounder takes, and otherwise as they stand."""
    return relevant(flatten(sheet, Namer()))
