"""The command line of `ludens replay`."""

from __future__ import annotations

from pathlib import Path

import rich_click as click

from ludens.agent.commands.interface.declare import Argument, declare, refuse_given
from ludens.agent.commands.interface.parameters import Game, WholeNumber, grounding_options


@declare(
    "replay",
    examples="""\
  ludens replay match.json                        step through a match in the browser
  ludens replay match.json --html match.html      as a page of its own, for others
  ludens replay finalstate.xml --game chess.kif   a match of Dresden's GameController
  ludens replay game.pdn --text                   in the terminal
""",
)
@click.argument(
    "file",
    cls=Argument,
    type=click.Path(path_type=Path),
    help="A record: ggp-base's JSON or ours, Dresden's XML, PDN, PTN, or a page that `ludens match --record` wrote.",
)
@click.option("--game", type=Game(), metavar="GAME", help="Its rules, where the record does not hold or name them.")
@click.option("--text", is_flag=True, help="Show the match in the terminal.")
@click.option("--html", type=click.Path(path_type=Path), metavar="FILE", help="Write the match as a page of one file.")
@click.option("--port", type=WholeNumber(0, 65535), default=0, help="Port of the page; 0 for any free one.")
@click.option("--browser/--no-browser", default=True, show_default=False, help="Open the page in your browser, or not.")
@grounding_options
def command(
    file: Path,
    game: str | None,
    text: bool,
    html: Path | None,
    port: int,
    browser: bool,
    grounding_seconds: float,
    grounding_mb: int,
) -> int:
    """Step through a match that was recorded.

    Shows each position with its board, the last move and what players thought, as far as the record holds that. Of a
    record that is damaged or ends in the middle, it shows what there is and says so.
    """
    from ludens.agent.commands import replay
    from ludens.propnet.base.child import Limits

    if text or html:
        refuse_given(("port", "browser"), "is about the page in the browser, and none is shown there")
    limits = Limits(grounding_seconds, grounding_mb)
    return replay.run(replay.ReplayOptions(file, game, text, html, browser, port, limits))
