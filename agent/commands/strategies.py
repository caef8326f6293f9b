"""`ludens strategies`: what each strategy does."""

from __future__ import annotations

import textwrap

from ludens.agent.commands.terminal import columns
from ludens.agent.settings.strategies import EXPLANATIONS

_WIDEST = 100


def run() -> int:
    """Runs the subcommand."""
    width = columns(_WIDEST, elsewhere=80)
    column = max(map(len, EXPLANATIONS)) + 2
    for name, meaning in EXPLANATIONS.items():
        print(textwrap.fill(meaning, width, initial_indent=f"{name:<{column}}", subsequent_indent=" " * column))
    return 0
