"""The command line of `ludens learn`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import rich_click as click

from ludens.agent.commands.interface.declare import declare, refuse_given
from ludens.agent.commands.interface.parameters import (
    Number,
    WholeNumber,
    cluster_option,
    game_argument,
    kept_option,
    needed_grounding_options,
)
from ludens.agent.settings.options import FEATURES, PLANES

ONLY_IN_FILES = (
    "random_games",
    "round_states",
    "searched_after",
    "searched_leaves",
    "searched_visits",
    "searched_states",
    "searched_rate",
    "first_gate",
    "rated_games",
    "rated_seconds",
    "reference_seconds",
    "match_share",
)
"""Options of a run that only a file sets."""

_FILE = click.Path(path_type=Path, dir_okay=False)
_OF_LEARNING = ("hours", "resume", "threads", "cluster")
_OF_LEARNED = ("hidden", "seed", "rate", "width", "blocks", "gate_games", "gate_leaves")
_OF_RUNS = ("out", *_OF_LEARNED)
IN_FILES = ("features", *_OF_LEARNED, *ONLY_IN_FILES)
"""All options that a file may set."""


@declare(
    "learn",
    examples="""\
  ludens learn breakthrough --hours 1            in the folder breakthrough-learning
  ludens learn breakthrough --hours 3 --resume   goes on until it has taken three hours in all
  ludens learn my_game.kif --hours 8 --hidden 94 --out mine
  ludens learn breakthrough --status             what has been learned of it so far
  ludens learn breakthrough --export breakthrough.npz
  ludens learn breakthrough --import breakthrough.npz
""",
)
@game_argument
@click.option("--hours", type=Number(0, 10_000, above=True), default=1, help="How long to learn, in all runs together.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    default=None,
    help="The folder of the run: its checkpoint, its curve and its evaluations. [default: GAME-learning]",
)
@click.option("--resume", is_flag=True, help="Go on with the run of the folder.")
@click.option(
    "--config",
    type=_FILE,
    metavar="FILE",
    default=None,
    help=f"TOML with options of the run, by name: {', '.join(IN_FILES)}.",
)
@kept_option("--hidden", WholeNumber(1, 96), "62", "Hidden units of the evaluation.")
@kept_option("--seed", WholeNumber(0, 2**63 - 1), "0", "Of all that is random.")
@kept_option("--rate", Number(0, 1, above=True), "0.003", "Learning rate of the first round; 0.0005 with planes.")
@kept_option(
    "--features",
    click.Choice([*FEATURES, PLANES]),
    "all",
    "What it sees of a state besides its facts; with planes it is a network over the board, which needs PyTorch.",
)
@kept_option(
    "--width", WholeNumber(32, 128), "32", "Activations a square of a network over the board: 32, 64, 96 or 128."
)
@kept_option("--blocks", WholeNumber(0, 16), "2", "Residual blocks of it.")
@kept_option("--gate-games", WholeNumber(2, 100_000), "120", "Most games against the best evaluation before.")
@kept_option("--gate-leaves", WholeNumber(1, 10**7), "200", "Positions that a move of these is searched for.")
@click.option(
    "--threads", type=WholeNumber(0, 1024), default=0, show_default=False, help="Threads. [default: one a processor]"
)
@cluster_option
@needed_grounding_options
@click.option("--status", is_flag=True, help="Say what is kept of the game and of the run, and do nothing else.")
@click.option("--export", type=_FILE, metavar="FILE", default=None, help="Write the evaluation that is kept to a file.")
@click.option("--import", "take", type=_FILE, metavar="FILE", default=None, help="Keep the evaluation of a file.")
def command(
    game: str,
    hours: float,
    out: Path | None,
    resume: bool,
    config: Path | None,
    threads: int,
    cluster: str | None,
    grounding_seconds: float,
    grounding_mb: int,
    status: bool,
    export: Path | None,
    take: Path | None,
    **options: Any,
) -> int:
    """Learn a game for hours.

    Ludens plays against itself, learns from it what positions are worth, and has what it learned play the best that it
    had learned before. What wins is kept: `auto` and `guided` use it in their next match of the game, under whatever
    names, unless recall is off or they see other features than these --features. End it with Ctrl-C or in any other
    way, and go on with --resume.
    """
    from ludens.agent.commands import learn
    from ludens.propnet.base.child import Limits

    asked = {"--status": status, "--export": export is not None, "--import": take is not None}
    _refuse_ignored([name for name, is_asked in asked.items() if is_asked])
    given = {name: value for name, value in options.items() if value is not None}
    wanted = learn.WantedGame(game, config, given, Limits(grounding_seconds, grounding_mb))
    if status:
        return learn.status(wanted, out)
    if export is not None:
        return learn.export(wanted, export)
    if take is not None:
        return learn.take(wanted, take)
    return learn.run(learn.LearnRequest(wanted, out, 3600 * hours, resume, threads), cluster)


def _refuse_ignored(asked: Sequence[str]) -> None:
    """Raises `click.UsageError` where several things are asked for instead of learning, or options that they ignore."""
    if len(asked) > 1:
        raise click.UsageError("--status, --export and --import exclude each other")
    for name in asked:
        refuse_given(_OF_LEARNING, f"does not go with {name}, which learns nothing")
        if name != "--status":
            refuse_given(_OF_RUNS, f"does not go with {name}, which is about what is kept, and no run")
