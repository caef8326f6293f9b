"""The command `ludens`: its subcommands, and how it says that something is wrong.

Whatever a user does wrong ends in one line on standard error and one of the codes in `exit_codes`.

A subcommand is a module of `interface` with a click command called `command`, and its name in `COMMANDS`. Modules are
imported when they are needed, so that help costs little.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Sequence
from importlib import import_module

import click
import rich_click

from ludens.agent.commands.exit_codes import CommandError, ExitCode
from ludens.agent.commands.interface import shells
from ludens.agent.commands.interface.declare import CONTEXT, PlainEpilog
from ludens.agent.commands.terminal import OUTPUT, make_printable, name_output, open_closed_streams, printable
from ludens.propnet.base.errors import LudensError
from ludens.propnet.base.suggestions import did_you_mean

COMMANDS = (
    *("play", "match", "tournament", "replay", "archive", "serve", "games", "strategies"),
    *(
        "validate",
        "analyse",
        "bench",
        "perft",
        "endgame",
        "compete",
        "gomocup",
        "tei",
        "data",
        "train",
        "learn",
        "completion",
    ),
)  # modules of `interface`

_FULL = (errno.ENOSPC, errno.EDQUOT)
"""Why no file at all can be written, such as those that keep what processes tell each other, and have no name."""

_EXAMPLES = """\
Examples:
  ludens play                               play any game in your browser
  ludens games                              the games that come with Ludens
  ludens match connect_four uct random      watch a match between two players
  ludens serve                              wait for a Game Manager
  ludens bench breakthrough                 measure how fast a game is played
  ludens validate my_game.kif               look for mistakes in your own rules

`ludens COMMAND --help` explains a command.

Environment:
  LUDENS_INSTRUCTION_SET  the best instruction set to use, though the processor
                          may have better ones: avx512-jit, avx512,
                          avx2-jit, avx2, neon-jit or baseline
"""


class CommandLine(PlainEpilog, rich_click.RichGroup):  # type: ignore[misc]  # rich-click ignores it likewise
    """The subcommands of `COMMANDS`, imported by name."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Returns the names in the order of help."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Returns a subcommand; None if there is none with this name."""
        if cmd_name not in COMMANDS:
            return None
        found: click.Command = import_module(f"{__package__}.interface.{cmd_name}").command
        return found

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Finds the subcommand that the arguments begin with; suggests the nearest where there is none."""
        name = args[0]
        if name not in COMMANDS and not name.startswith("-") and not ctx.resilient_parsing:
            ctx.fail(f"there is no command {name!r}{did_you_mean(name, COMMANDS)}")
        return super().resolve_command(ctx, args)


@rich_click.group(cls=CommandLine, epilog=_EXAMPLES, context_settings=CONTEXT)
@click.version_option(package_name="ludens", prog_name="ludens", message="%(prog)s %(version)s")
def command_line() -> None:
    """Play any game whose rules are written in GDL, the Game Description Language."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line and returns its exit code."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    open_closed_streams()
    name_output()
    make_printable()
    shells.register()
    try:
        code: int = command_line.main(given, prog_name="ludens", standalone_mode=False)
        sys.stdout.flush()
    except click.UsageError as error:
        return _complain(_one_line(error), ExitCode.WRONG_USAGE)
    except CommandError as error:
        return _complain(str(error), error.code)
    except LudensError as error:
        return _complain(str(error), ExitCode.FAULTY_INPUT)
    except (KeyboardInterrupt, click.Abort):
        return _complain("interrupted", ExitCode.INTERRUPTED)
    except BrokenPipeError:  # whoever read our output has gone
        return _drop_output()
    except Exception as error:  # noqa: BLE001 - a full disk, or a mistake of ours
        if isinstance(error, OSError) and error.filename == OUTPUT:
            return _complain(f"cannot write {OUTPUT}: {error.strerror}", _drop_output())
        if isinstance(error, OSError) and error.errno in _FULL:
            return _complain(f"cannot write {error.filename or 'a file'}: {error.strerror}", ExitCode.FAULTY_INPUT)
        from ludens.agent.commands.internal_error import describe

        return _complain(describe(error), ExitCode.INTERNAL_ERROR)
    return code


def _drop_output() -> ExitCode:
    """Writes no more of the output, so that Python does not complain at exit that it cannot be written."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return ExitCode.FAULTY_INPUT


def _complain(message: str, code: ExitCode) -> ExitCode:
    print(f"ludens: {printable(message)}", file=sys.stderr)
    return code


def _one_line(error: click.UsageError) -> str:
    """Returns what is wrong with the command line, and which help tells more."""
    if isinstance(error, click.NoSuchOption):
        near = [name for name in error.possibilities or () if name.startswith("--")]
        text = f"there is no option {error.option_name}{did_you_mean(error.option_name, near)}"
    else:
        text = " ".join(error.format_message().rstrip(".").split())  # in one line
    if not text[1:2].isupper():  # the name of an argument
        text = text[:1].lower() + text[1:]
    if "`ludens " in text:  # says itself which command tells more
        return text
    return f"{text} (see `{error.ctx.command_path if error.ctx else 'ludens'} --help`)"


if __name__ == "__main__":
    sys.exit(main())
