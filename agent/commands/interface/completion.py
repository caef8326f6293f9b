"""The command line of `ludens completion`."""

from __future__ import annotations

import rich_click as click
from click.shell_completion import get_completion_class

from ludens.agent.commands.interface.declare import Argument, declare


@declare(
    "completion",
    examples="""\
  eval "$(ludens completion bash)"     in ~/.bashrc
  eval "$(ludens completion zsh)"      in ~/.zshrc, after compinit
  ludens completion fish | source      in ~/.config/fish/config.fish
""",
)
@click.argument(
    "shell",
    cls=Argument,
    type=click.Choice(["bash", "zsh", "fish"]),
    metavar="SHELL",
    help="Your shell: bash, zsh or fish.",
)
@click.pass_context
def command(context: click.Context, shell: str) -> int:
    """Print what makes a shell complete commands, options, games and strategies.

    Add the line for your shell below to the file that it reads when it starts, and open a new terminal.
    """
    complete = get_completion_class(shell)
    assert complete, "the shells above are those that click knows"
    print(complete(context.find_root().command, {}, "ludens", "_LUDENS_COMPLETE").source())
    return 0
