"""Finds rules that may make terms without end, for which no time and memory are enough."""

from __future__ import annotations

from collections.abc import Iterator

from ludens.propnet.diagnosis.finding import Finding, warning
from ludens.propnet.gdl.argument_domains import ArgumentDomains
from ludens.propnet.gdl.growth import growing
from ludens.propnet.gdl.syntax import RuleSheet


def endless_terms(sheet: RuleSheet, domains: ArgumentDomains) -> Iterator[Finding]:
    """Warnings for rules that may put terms into ever deeper ones."""
    for rule, variable in growing(sheet, domains):
        advice = f"add a condition that only so many values of {variable} meet, such as a relation that lists them"
        yield warning(rule.position, f"{rule.head} may be made of ever deeper terms, without end: {advice}")
