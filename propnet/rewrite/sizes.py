"""Finds the helpers that have too many instances to be worked out for all arguments."""

from __future__ import annotations

from ludens.propnet.gdl.argument_domains import ArgumentDomains
from ludens.propnet.gdl.syntax import RuleSheet
from ludens.propnet.rewrite.dependence import ROOTS, changing

MOST_INSTANCES = 1_000_000
"""Of a relation that is worked out as it stands."""

_LEAST_ARGUMENTS = 4  # of a helper that may have more


def large_helpers(sheet: RuleSheet) -> set[str]:
    """The helpers that depend on the state and may have more than `MOST_INSTANCES`; bodies must be flat."""
    heads = {rule.head.name: len(rule.head.args) for rule in sheet.rules}
    wide = {name: heads[name] for name in changing(sheet) - {*ROOTS} if heads.get(name, 0) >= _LEAST_ARGUMENTS}
    if not wide:
        return set()
    domains = ArgumentDomains(sheet.rules)
    return {name for name, width in wide.items() if domains.instances((name, width)) > MOST_INSTANCES}
