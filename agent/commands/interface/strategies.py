"""The command line of `ludens strategies`."""

from __future__ import annotations

from ludens.agent.commands.interface.declare import declare


@declare(
    "strategies",
    examples="""\
  ludens strategies
  ludens match connect_four alphabeta uct
""",
)
def command() -> int:
    """Explain how each strategy chooses its moves.

    Each strategy is a player of `ludens match` and a value of `ludens serve --strategy`.
    """
    from ludens.agent.commands import strategies

    return strategies.run()
