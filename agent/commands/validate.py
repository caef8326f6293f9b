"""`ludens validate`: says what is wrong with rule sheets and their hints, and where."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import click

from ludens.agent.commands.exit_codes import ExitCode
from ludens.agent.commands.progress import progress
from ludens.agent.commands.terminal import printable
from ludens.agent.diagnosis.child_process import PlayDiagnosis, diagnose_by_play
from ludens.agent.diagnosis.reading import diagnose
from ludens.games.rules import find_rules
from ludens.games.view.hints import hint_files
from ludens.propnet.base.words import counted
from ludens.propnet.diagnosis.finding import Finding, Severity, has_errors
from ludens.propnet.diagnosis.negations import possible_self_negations
from ludens.propnet.diagnosis.reading import in_order
from ludens.propnet.gdl.syntax import RuleSheet

_EXCERPT_COLUMNS = 100  # of a line of rules that is shown

_COLOURS = {Severity.ERROR: "red", Severity.WARNING: "yellow"}  # on terminals


def run(sheets: Sequence[str], play: bool) -> int:
    """Checks built-in games and files, by playing them too if `play`; raises `LudensError` for what cannot be read."""
    good = [report(sheet, find_rules(sheet).text, play) for sheet in sheets]
    return ExitCode.OK if all(good) else ExitCode.FAULTY_INPUT


def report(sheet_name: str, text: str, play: bool) -> bool:
    """Prints what is wrong with a rule sheet, and returns whether there is no error in it."""
    with progress(f"reading {sheet_name}"):
        diagnosis = diagnose(text)
    findings, played = diagnosis.findings, ""
    if not diagnosis.has_errors:
        found, played = _play(sheet_name, diagnosis.sheet) if play else (PlayDiagnosis(), "")
        findings = (*findings, *found.findings)
        if not (found.games or has_errors(findings)):
            findings = (*findings, *possible_self_negations(diagnosis.sheet))
        findings = in_order(findings)
    files = {"": text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), **hint_files(text)}
    for finding in findings:
        file = str(Path(sheet_name).with_name(finding.file)) if finding.file else sheet_name
        where = f"line {finding.line}, column {finding.column}: " if finding.line else ""
        severity = click.style(finding.severity.value, fg=_COLOURS[finding.severity], bold=True)
        click.echo(f"{file}: {where}{severity}: {printable(finding.message)}")
        if finding.line:
            click.echo(_excerpt(files[finding.file][finding.line - 1], finding))
    click.echo(f"{sheet_name}: {_summary(findings)}{played}")
    return not has_errors(findings)


def _play(sheet_name: str, sheet: RuleSheet) -> tuple[PlayDiagnosis, str]:
    """Returns what random games have shown, and says how many were played, or why none were."""
    with progress(f"playing random games of {sheet_name}"):
        found = diagnose_by_play(sheet)
    if found.games:
        return found, f"; played {counted(found.games, 'random game')}"
    return found, f"; no random games were played: {found.obstacle or 'none was over in time'}"


def _excerpt(line: str, finding: Finding) -> str:
    """The line of the text in which a finding is, as far as it fits, with a mark under its column."""
    start = max(0, finding.column - _EXCERPT_COLUMNS // 2) if len(line) > _EXCERPT_COLUMNS else 0
    shown = printable(line[start : start + _EXCERPT_COLUMNS].rstrip())
    margin = "".join(character if character == "\t" else " " for character in line[start : finding.column - 1])
    return f"{finding.line:>6} | {shown}\n{'':>6} | {margin}^"


def _summary(findings: Sequence[Finding]) -> str:
    counts = Counter(finding.severity.value for finding in findings)
    shown = [counted(count, severity) for severity, count in sorted(counts.items())]
    return " and ".join(shown) if shown else "no mistake found"
