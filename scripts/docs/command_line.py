"""What pages say of the command line, made from the tables of the program."""

from __future__ import annotations

from ludens.agent.commands.exit_codes import ExitCode
from ludens.agent.settings.strategies import EXPLANATIONS
from scripts.docs.pages import markdown_table


def exit_codes() -> str:
    """The exit codes of all commands."""
    return markdown_table(["code", "means"], [[str(code.value), code.meaning] for code in ExitCode])


def strategies() -> str:
    """What each strategy does."""
    return markdown_table(["strategy", "what it does"], [[f"`{name}`", text] for name, text in EXPLANATIONS.items()])
