"""Finds the mistakes of a rule sheet by reading it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ludens.propnet.diagnosis.declarations import missing_relations, undeclared
from ludens.propnet.diagnosis.endless import endless_terms
from ludens.propnet.diagnosis.finding import Finding, Severity, from_exception, has_errors
from ludens.propnet.diagnosis.impossible import impossible
from ludens.propnet.diagnosis.roles import idle_roles, misspelt_goals, no_roles
from ludens.propnet.diagnosis.second_version import second_version
from ludens.propnet.diagnosis.unread import unread_facts, unread_relations
from ludens.propnet.gdl.argument_domains import ArgumentDomains
from ludens.propnet.gdl.check import faults
from ludens.propnet.gdl.recovery import Reading, read
from ludens.propnet.gdl.syntax import RuleSheet


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What reading has found, in the order of the text."""

    sheet: RuleSheet  # the rules that could be read
    findings: tuple[Finding, ...]

    @property
    def has_errors(self) -> bool:
        """Whether one of the findings is an error."""
        return has_errors(self.findings)


def diagnose(text: str) -> Diagnosis:
    """Reads a rule sheet and finds all mistakes that can be told without playing."""
    reading = read(text)
    found = [from_exception(fault) for fault in reading.faults]
    found += _of_part(reading) if reading.faults else _of_whole(reading.sheet)
    return Diagnosis(reading.sheet, in_order(found))


def in_order(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Sorts findings by their places; where one thing is an error, warnings at the same place are left out."""
    found = list(dict.fromkeys(findings))
    wrong = {finding.place for finding in found if finding.severity is Severity.ERROR and finding.line}
    kept = (one for one in found if one.severity is Severity.ERROR or one.place not in wrong)
    return tuple(sorted(kept, key=lambda finding: finding.place))


def _of_part(reading: Reading) -> Iterator[Finding]:
    """What can be told of the rules that could be read, whatever stands in the others."""
    yield from (fault for fault in map(from_exception, faults(reading.sheet)) if fault.line)
    unread = {*reading.unread, *map(str.lower, reading.unread)}
    for finding in _of_whole(reading.sheet):
        if finding.about is not None and finding.about not in unread:
            yield finding


def _of_whole(sheet: RuleSheet) -> Iterator[Finding]:
    domains = ArgumentDomains(sheet.rules)
    yield from map(from_exception, faults(sheet))
    yield from no_roles(sheet)
    yield from misspelt_goals(sheet)
    yield from idle_roles(sheet, domains)
    yield from impossible(sheet, domains)
    yield from endless_terms(sheet, domains)
    yield from second_version(sheet)
    yield from unread_relations(sheet)
    yield from unread_facts(sheet)
    yield from missing_relations(sheet)
    yield from undeclared(sheet)
