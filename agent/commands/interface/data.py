"""The command line of `ludens data`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import rich_click as click

from ludens.agent.commands.interface.declare import Argument, declare, refuse_given
from ludens.agent.commands.interface.parameters import WholeNumber, cluster_option, kept_option


@declare(
    "data",
    examples="""\
  ludens data checkers --out games --method outcome --positions 1000000
  ludens data checkers --out values --positions 100000 --playouts 1000
  ludens data checkers --out visits --method search --strategy guided --network checkers.network --playouts 50
  ludens data checkers --out values --resume     goes on where it was ended or killed
""",
)
@click.argument("game", cls=Argument, metavar="GAME", type=click.Choice(["checkers"]), help="The game: checkers.")
@click.option("--out", type=click.Path(path_type=Path), metavar="FOLDER", required=True, help="The folder of the data.")
@click.option("--resume", is_flag=True, help="Go on with the data of the folder, as if never ended.")
@kept_option("--positions", WholeNumber(1, 10**9), "100000", "Positions in all, no two alike.")
@kept_option(
    "--method",
    click.Choice(["outcome", "mcrd", "search"]),
    "mcrd",
    "What positions are worth: how their games ended (outcome), or also what random games from each move say (mcrd), "
    "or a tree search (search).",
)
@kept_option("--playouts", WholeNumber(1, 10**7), "1000", "Random games for each legal move, of mcrd and search.")
@kept_option("--shares", click.Choice(["equal", "proportional"]), "equal", "Shares of the moves in the games of mcrd.")
@kept_option(
    "--strategy", click.Choice(["uct", "mcrd", "rave", "flat", "guided"]), "uct", "The strategy of the method search."
)
@kept_option(
    "--network",
    click.Path(exists=True, dir_okay=False, resolve_path=True),
    "none",
    "The file of the trained network by which guided judges positions.",
)
@kept_option(
    "--kernel",
    click.Choice(["gpu", "processor", "off"]),
    "gpu where there is one and no cluster, else off",
    "Where the kernel for graphics processors plays the random games of mcrd; native bitboards do if it is off.",
)
@kept_option("--idle", WholeNumber(1, 4000), "40", "Plies without capture or move of a man that end a random game.")
@kept_option("--cap", WholeNumber(1, 4000), "200", "Plies that end a random game; who has more pieces then has won.")
@kept_option("--shard", WholeNumber(1, 1 << 20), "4096", "Positions in a file.")
@kept_option("--seed", WholeNumber(0, 2**63 - 1), "0", "Of all that is random.")
@click.option(
    "--threads", type=WholeNumber(0, 1024), default=0, show_default=False, help="Threads. [default: one a processor]"
)
@cluster_option
def command(game: str, out: Path, resume: bool, threads: int, cluster: str | None, **options: Any) -> int:
    """Make data to learn from.

    Plays games of checkers, keeps positions of them, and works out what every move is worth. What is made follows from
    the options alone, of which --kernel goes by the machine unless you give it, not from threads, other machines or
    interruptions: end it with Ctrl-C or in any other way, and go on
    with --resume.
    """
    from ludens.agent.commands import data

    if cluster:
        refuse_given(("threads",), "does not go with --cluster, which works on all processors of its machines")
    given = {name: value for name, value in options.items() if value is not None}
    return data.run(out, given, resume=resume, threads=threads, cluster=cluster)
