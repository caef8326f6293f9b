"""Rewritings of the rules that let the grounder finish, one file a technique."""

from ludens.propnet.gdl.syntax import RuleSheet
from ludens.propnet.rewrite.carried import split_carried
from ludens.propnet.rewrite.dependence import changing, relevant
from ludens.propnet.rewrite.diagrams import diagrams
from ludens.propnet.rewrite.flatten import flatten
from ludens.propnet.rewrite.magic import magic_sets
from ludens.propnet.rewrite.projection import project
from ludens.propnet.rewrite.sizes import large_helpers
from ludens.propnet.rewrite.terms import Namer
from ludens.propnet.rewrite.unfolding import unfold

__all__ = [
    "Namer",
    "changing",
    "diagrams",
    "flatten",
    "large_helpers",
    "magic_sets",
    "narrow",
    "plain",
    "project",
    "relevant",
]


def plain(sheet: RuleSheet) -> RuleSheet:
    """The rules in the form that the grounder takes, and otherwise as they stand."""
    return relevant(flatten(sheet, Namer()))


def narrow(sheet: RuleSheet) -> RuleSheet:
    """The rules with as few ground instances as possible.

    What costs many rules, or pays only where instances are very many, is done to sheets with large helpers alone.
    """
    fresh = Namer()
    sheet = relevant(flatten(sheet, fresh))
    large = large_helpers(sheet)
    guarded = bool(large)
    if large:
        sheet = split_carried(unfold(sheet), fresh)
        large = large_helpers(sheet)
    return project(diagrams(magic_sets(sheet, fresh, large), fresh), fresh, guarded=guarded)
