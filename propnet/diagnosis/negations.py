"""Finds conditions by which a rule may deny itself, where only the grounded rules tell whether it does."""

from __future__ import annotations

from collections.abc import Iterator

from ludens.propnet.diagnosis.finding import Finding, warning
from ludens.propnet.gdl.stratification import negative_recursion
from ludens.propnet.gdl.syntax import RuleSheet


def possible_self_negations(sheet: RuleSheet) -> Iterator[Finding]:
    """Yields a warning for each condition that leads to its rule again by names of relations alone."""
    for rule, atom in negative_recursion(sheet):
        message = f"{rule.head} may depend on its own negation through {atom}: only playing the rules tells"
        yield warning(atom.position, message)
