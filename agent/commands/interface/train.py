"""The command line of `ludens train`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import rich_click as click

from ludens.agent.commands.interface.declare import Argument, declare, refuse_given
from ludens.agent.commands.interface.parameters import Number, Seconds, WholeNumber, kept_option

_NUMBERS = ("symmetries", "width")  # that are chosen from a few
_OF_TAK = ("size", "games", "half_komi", "rate", "end_rate", "random_plies", "trace", "symmetries")
_OF_CHECKERS = ("data", "label", "width", "blocks", "epochs", "step")


@declare(
    "train",
    examples="""\
  ludens train tak                              5 x 5 squares, 500,000 games, in tak-5
  ludens train tak --size 4 --games 100000 --out four --threads 2
  ludens train tak --resume --out four          goes on where it was ended or killed
  ludens train checkers values --out network    values is a folder of `ludens data checkers`
  ludens train checkers --resume --out network
""",
)
@click.argument(
    "game", cls=Argument, metavar="GAME", type=click.Choice(["tak", "checkers"]), help="The game: tak or checkers."
)
@click.argument(
    "data",
    cls=Argument,
    metavar="[DATA]",
    required=False,
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="checkers: the folder of `ludens data checkers` to learn from; with --resume only if it was moved.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    default=None,
    help="The folder of the training: its checkpoint, its curve and its weights. [default: tak-SIZE, checkers-network]",
)
@click.option("--resume", is_flag=True, help="Go on with the training of the folder, as if never ended.")
@kept_option("--seed", WholeNumber(0, 2**63 - 1), "0", "Of all that is random, such as the first weights.")
@kept_option("--size", WholeNumber(3, 8), "5", "tak: squares on a side of the board.")
@kept_option("--games", WholeNumber(1, 10**9), "500000", "tak: games to play in all.")
@kept_option("--half-komi", WholeNumber(-128, 128), "0", "tak: halves of a flat that the second player has ahead.")
@kept_option("--rate", Number(0, 1, above=True), "0.005", "tak: learning rate in a game.")
@kept_option("--end-rate", Number(0, 1, above=True), "0.01", "tak: learning rate at its end.")
@kept_option("--random-plies", WholeNumber(2, 100), "8", "tak: most random moves with which a game begins.")
@kept_option("--trace", Number(0, 1), "0", "tak: lambda of TD(lambda): how far results are handed back.")
@kept_option("--symmetries", click.Choice(["1", "8"]), "1", "tak: images of each position that are learned from.")
@kept_option(
    "--label",
    click.Choice(["result", "outcome", "value"]),
    "value",
    "checkers: what values are taught: how games ended (result), the same interpolated from 0 at the start (outcome), "
    "or what the best move is worth (value).",
)
@kept_option("--width", click.Choice(["32", "64", "96", "128"]), "32", "checkers: activations a square.")
@kept_option("--blocks", WholeNumber(0, 16), "2", "checkers: residual blocks.")
@kept_option("--epochs", WholeNumber(1, 10_000), "8", "checkers: passes over the data.")
@kept_option(
    "--step",
    Number(0, 1, above=True),
    "0.002",
    "checkers: the greatest width of gradient steps; another one may be given with --resume.",
)
@click.option(
    "--threads",
    type=WholeNumber(0, 1024),
    default=0,
    show_default=False,
    help="Threads; 0, the default, for one on each processor.",
)
@click.option("--interval", type=Seconds(above=True), default=30, help="Seconds between checkpoints.")
def command(
    game: str, data: Path | None, out: Path | None, resume: bool, threads: int, interval: float, **options: Any
) -> int:
    """Train the evaluation of a game.

    Of tak: a network plays against itself and learns from what it foretells and from how games end; its weights follow
    from the options alone, not from threads or interruptions. Of checkers: a network over the board learns from data
    of `ludens data checkers`, which needs PyTorch. End it with Ctrl-C or in any other way, and go on with --resume.
    """
    from ludens.agent.commands import train

    refuse_given(_OF_CHECKERS if game == "tak" else _OF_TAK, f"is not for {game}")
    if game == "checkers" and not (data or resume):
        raise click.UsageError("checkers need DATA: a folder of `ludens data checkers` to learn from")
    given = {name: int(value) if name in _NUMBERS else value for name, value in options.items() if value is not None}
    request = train.TrainRequest(out, given, resume, threads, interval)
    return train.train_tak(request) if game == "tak" else train.train_checkers(request, data)
