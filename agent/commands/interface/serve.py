"""The command line of `ludens serve`: an option for every setting of the player."""

from __future__ import annotations

import rich_click as click

from ludens.agent.commands.interface.declare import declare
from ludens.agent.commands.interface.parameters import Watchable, archive_option, verbose_option, watch_port_option
from ludens.agent.commands.interface.settings import flag, settings_options
from ludens.agent.settings.errors import OptionError
from ludens.agent.settings.options import PlayerOptions


@declare(
    "serve",
    examples="""\
  ludens serve                              on this machine, port 9147
  ludens serve --port 9148 --name Second    a second player beside it
  ludens serve --interface 0.0.0.0          for Game Managers on other machines
  ludens serve --log ludens.log             with a log file
  ludens serve --records matches            with a record of each match
  ludens serve --watch 9181                 and a page that shows its matches
""",
    kind=Watchable,
)
@settings_options(threads="0, or 1 with --cluster")
@archive_option
@watch_port_option
@verbose_option
def command(verbose: bool, archived: bool, watch: int | None, **texts: str | None) -> int:
    """Wait for a Game Manager to start a match.

    Listens for Game Managers over HTTP and plays the matches that they start, one at a time
    unless --matches says otherwise. Ends with Ctrl-C, or SIGTERM.
    """
    from ludens.agent.commands import serve

    given = {name: text for name, text in texts.items() if text is not None}
    if "cluster" not in given:  # whose other searches need processors of this machine too
        given.setdefault("threads", "0")
    try:
        options = PlayerOptions.from_texts(given)
    except OptionError as error:
        raise click.UsageError(f"{error.spelled(flag)} ({error.see})") from error
    return serve.run(options, verbose, archived, watch)
