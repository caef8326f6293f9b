"""`ludens strategies`: what each strategy does."""

from __future__ import annotations

import shutil
import textwrap

from ludens.agent.settings.strategies import EXPLANATIONS

_WIDEST = 100


def run() -> int:
    """Runs the subcommand."""
    width = min(shutil.get_terminal_size((80, 24)).columns, _WIDEST)
    column = max(map(len, EXPLANATIONS)) + 2
    for name, meaning in EXPLANATIONS.items():
        print(textwrap.fill(meaning, width, initial_indent=f"{name:<{column}}", subsequent_indent=" " * column))
    return 0
