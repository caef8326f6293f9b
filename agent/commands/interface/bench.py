"""The command line of `ludens bench`."""

from __future__ import annotations

import rich_click as click

from ludens.agent.commands.interface.declare import declare
from ludens.agent.commands.interface.parameters import (
    Seconds,
    WholeNumber,
    game_argument,
    grounding_options,
    json_option,
)


@declare("bench", examples="  ludens bench connect_four\n  ludens bench breakthrough --seconds 10 --threads 2 --json\n")
@game_argument
@click.option("--seconds", type=Seconds(above=True), default=3, help="Length of each of the two runs.")
@click.option(
    "--lanes",
    type=WholeNumber(),
    default=0,
    show_default=False,
    help="Games side by side in a thread; 0, the default, takes the best number for this machine.",
)
@click.option("--threads", type=WholeNumber(1, 256), default=1, help="Threads.")
@grounding_options
@json_option
def command(
    game: str, seconds: float, lanes: int, threads: int, grounding_seconds: float, grounding_mb: int, as_json: bool
) -> int:
    """Measure how fast a game is played.

    Plays a game at random, then with tree search, and says how much got done in a second.
    """
    from ludens.agent.commands import bench
    from ludens.propnet.base.child import Limits

    return bench.run(game, seconds, lanes, threads, Limits(grounding_seconds, grounding_mb), as_json)
