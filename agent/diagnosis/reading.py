"""Finds the mistakes of a rule sheet, and of its author's hints about how the game looks, by reading them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from ludens.games.view.hints import HintError, hint_mistakes, unknown_names
from ludens.propnet.diagnosis import reading
from ludens.propnet.diagnosis.finding import Finding, Severity
from ludens.propnet.gdl.syntax import RuleSheet


def diagnose(text: str) -> reading.Diagnosis:
    """Reads a rule sheet with its hints, and finds all mistakes that can be told without playing."""
    diagnosis = reading.diagnose(text)
    found = (*diagnosis.findings, *_of_hints(text, diagnosis))
    return replace(diagnosis, findings=reading.in_order(found))


def _of_hints(text: str, diagnosis: reading.Diagnosis) -> Iterator[Finding]:
    mistakes = hint_mistakes(text, diagnosis.sheet.roles)
    yield from (_finding(Severity.ERROR, mistake) for mistake in mistakes)
    if not mistakes and not diagnosis.has_errors:
        yield from (_finding(Severity.WARNING, slip) for slip in unknown_names(text, _names(diagnosis.sheet)))


def _finding(severity: Severity, mistake: HintError) -> Finding:
    return Finding(severity, mistake.message, mistake.line, mistake.column, file=mistake.file)


def _names(sheet: RuleSheet) -> set[str]:
    """All names in the rules."""
    return set(re.findall(r"[^\s()]+", str(sheet)))
