"""The command line of `ludens train`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import rich_click as click

from ludens.agent.commands.interface.declare import Argument, declare
from ludens.agent.commands.interface.parameters import Number, Seconds, WholeNumber, kept_option


@declare(
    "train",
    examples="""\
  ludens train tak                              5 x 5 squares, 500,000 games, in tak-5
  ludens train tak --size 4 --games 100000 --out four --threads 2
  ludens train tak --resume --out four          goes on where it was ended or killed
""",
)
@click.argument("game", cls=Argument, metavar="GAME", type=click.Choice(["tak"]), help="The game: tak.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    default=None,
    help="The folder of the training: its checkpoint, its curve and its weights. [default: tak-SIZE]",
)
@click.option(
    "--resume", is_flag=True, help="Go on with the training of the folder, to the last bit as if never ended."
)
@kept_option("--size", WholeNumber(3, 8), "5", "Squares on a side of the board.")
@kept_option("--games", WholeNumber(1, 10**9), "500000", "Games to play in all.")
@kept_option("--seed", WholeNumber(0, 2**63 - 1), "0", "Of the first weights and of the openings.")
@kept_option("--half-komi", WholeNumber(-128, 128), "0", "Halves of a flat that the second player has ahead.")
@kept_option("--rate", Number(0, 1, above=True), "0.005", "Learning rate in a game.")
@kept_option("--end-rate", Number(0, 1, above=True), "0.01", "Learning rate at its end.")
@kept_option("--random-plies", WholeNumber(2, 100), "8", "Most random moves with which a game begins.")
@kept_option("--trace", Number(0, 1), "0", "Lambda of TD(lambda): how far results are handed back.")
@kept_option("--symmetries", click.Choice(["1", "8"]), "1", "Images of each position that are learned from.")
@click.option(
    "--threads",
    type=WholeNumber(0, 1024),
    default=0,
    show_default=False,
    help="Threads; 0, the default, for one on each processor.",
)
@click.option("--interval", type=Seconds(above=True), default=30, help="Seconds between checkpoints.")
def command(
    game: str, out: Path | None, resume: bool, threads: int, interval: float, symmetries: str | None, **options: Any
) -> int:
    """Train the evaluation of a game.

    A network plays against itself and learns from what it foretells and from how games end. The weights follow from the
    options alone, not from threads or interruptions: end it with Ctrl-C or in any other way, and go on with --resume.
    """
    from ludens.agent.commands import train

    given = options | {"symmetries": None if symmetries is None else int(symmetries)}
    given = {name: value for name, value in given.items() if value is not None}
    return train.run(out, given, resume=resume, threads=threads, interval=interval)
