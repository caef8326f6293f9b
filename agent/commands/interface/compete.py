"""The command line of `ludens compete`."""

from __future__ import annotations

import rich_click as click

from ludens.agent.commands.interface.declare import Argument, declare
from ludens.agent.commands.interface.parameters import Seconds, WholeNumber

_POLICY = (
    "One of random, mcts and minimax, which are written in Python to be read, or a strategy of the native core such as "
    "uct; settings follow a colon, as in mcts:iterations=500, minimax:depth=3 or uct:threads=2."
)


@declare(
    "compete",
    examples="""\
  ludens compete gomoku minimax mcts          15 x 15 cells, five in a row
  ludens compete gomoku --board-size 9 --win-size 4 uct minimax --games 4 --quiet
  ludens compete gomoku mcts:iterations=500 random --opening-moves 4
""",
)
@click.argument("game", cls=Argument, metavar="GAME", type=click.Choice(["gomoku"]), help="The game: gomoku.")
@click.argument("first", cls=Argument, metavar="POLICY", help=f"Plays x in the first game. {_POLICY}")
@click.argument("second", cls=Argument, metavar="POLICY", help="Plays o in the first game.")
@click.option("--board-size", type=WholeNumber(1, 22), default=15, help="Rows of the board, which has as many columns.")
@click.option("--win-size", type=WholeNumber(1, 22), default=5, help="Stones in a row that win.")
@click.option("--seconds", type=Seconds(above=True), default=1, help="Time of a move.")
@click.option("--games", type=WholeNumber(1), default=1, help="Games to play; colours change from game to game.")
@click.option(
    "--opening-moves", type=WholeNumber(0), default=0, help="Random stones before a game; two games have the same."
)
@click.option("--seed", type=WholeNumber(0, 2**63 - 1), default=1, help="Of openings and of policies.")
@click.option("--quiet", is_flag=True, help="Print results only.")
def command(
    game: str,
    first: str,
    second: str,
    board_size: int,
    win_size: int,
    seconds: float,
    games: int,
    opening_moves: int,
    seed: int,
    quiet: bool,
) -> int:
    """Let two policies compete, and print each turn.

    Shows the board after every turn and how long it took; at the end, the score and the run times of both. The score of
    a game is the number of empty cells plus one, negative if o has won, or 0.
    """
    from ludens.agent.commands import compete

    return compete.run(
        (first, second),
        board_size,
        win_size,
        seconds=seconds,
        games=games,
        opening=opening_moves,
        seed=seed,
        quiet=quiet,
    )
