"""`ludens validate`: says what is wrong with rule sheets, and where."""

from __future__ import annotations

from collections.abc import Sequence

from ludens.agent.commands.exit_codes import ExitCode
from ludens.agent.commands.rules import find_rules
from ludens.propnet.base.errors import GdlError
from ludens.propnet.gdl.check import faults, warnings
from ludens.propnet.gdl.parser import parse_rules


def run(sheets: Sequence[str]) -> int:
    """Checks built-in games and files; raises `LudensError` for what cannot be read."""
    good = [_report(sheet, find_rules(sheet).text) for sheet in sheets]
    return ExitCode.OK if all(good) else ExitCode.FAULTY_INPUT


def _report(sheet_name: str, text: str) -> bool:
    """Prints the faults and warnings of a sheet, and returns whether it has no fault."""
    try:
        sheet = parse_rules(text)
        found = faults(sheet)
    except GdlError as error:
        found = [error]
    for fault in found:
        print(f"{sheet_name}: {fault}")
    if not found:
        for warning in warnings(sheet):
            print(f"{sheet_name}: warning: {warning}")
        print(f"{sheet_name}: no mistake found")
    return not found
