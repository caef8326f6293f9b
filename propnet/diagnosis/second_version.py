"""Finds what GDL-II gives a meaning, and GDL, as it is played here, does not: chance, and what is hidden."""

from __future__ import annotations

from collections.abc import Iterator

from ludens.propnet.diagnosis.finding import Finding, warning
from ludens.propnet.diagnosis.roles import NATURE, positions
from ludens.propnet.diagnosis.unread import PERCEPTS
from ludens.propnet.gdl.syntax import RuleSheet


def second_version(sheet: RuleSheet) -> Iterator[Finding]:
    """Warnings where the role for chance is listed, and where the first rule says what a role sees."""
    if (position := positions(sheet).get(NATURE)) is not None:
        yield warning(position, f"{NATURE} is a role like others, which chooses its moves: chance is of GDL-II", NATURE)
    for rule in sheet.rules:
        if rule.head.name == PERCEPTS:
            message = f"{PERCEPTS} has no meaning, as each role sees everything: what is hidden is of GDL-II"
            yield warning(rule.head.position, message, PERCEPTS)
            return
