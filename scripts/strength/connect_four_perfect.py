"""Measures how well a player plays connect four: every move is compared with the value that a solver proves.

    python -m scripts.strength.connect_four_perfect auto:learn=24 --games 20 --seconds 2 --out perfect.jsonl
    python -m scripts.strength.connect_four_perfect auto:learn=24 --games 40 --kept

The perfect player (scripts/strength/connect_four_solver.py) keeps the value of every position, and among the moves
that do chooses one that leaves fewest replies which keep it in their turn. A game is seeded, and may begin with
random moves; with --seat both the player takes both seats in turn. What is learned first is learned once, in `learn`
CPU seconds. With --kept the player uses what is kept of the game, which has to be so good that it learns nothing more.

The empty board is known to be won by the first player (Allis, "A Knowledge-based Approach of Connect-Four", 1988),
and positions after few moves take the solver many minutes. So a player at the first seat makes its first moves
unseen, while the other, who has lost, moves at random and then as UCT would. If the position then is still won,
every move kept the win; if not, the moves are looked at one by one, the last first. Slow answers are kept in the
user's cache.

The time of a move is CPU time, so that other work on the machine does not tell against the player.

Games are written to --out as they end; called again with the same arguments a match goes on where it stopped.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ludens.agent.learning.evaluation_cache import EvaluationCache
from ludens.agent.preparation.start_clock_learning import KNOWN_WELL
from ludens.agent.settings.players import read_search
from ludens.games.rules import find_rules
from ludens.native.core import Game, Simulator
from ludens.propnet.base.cache import cache_directory
from ludens.propnet.base.errors import LudensError
from ludens.propnet.base.words import duration
from scripts.common import arguments, json_lines
from scripts.common.file_digests import digest, digests
from scripts.common.progress import tell
from scripts.strength.game_position import GamePosition
from scripts.strength.match import Player, further, is_over, legal_moves, network

if TYPE_CHECKING:
    from scripts.strength.connect_four_solver import Board, Solver

GAME = "connect_four"
_CACHE = "connect-four-values.jsonl"
_SEATS = {"first": (0,), "second": (1,), "both": (0, 1)}
_SEEN_FROM = 8  # stones; before, a game that is known to be won is not looked at
_RESISTS_FROM = 10  # stones; before, it takes too long to count the replies that keep the value
_EARLY = "uct:nodes_mb=64", 0.1  # who moves for the perfect player before, and the CPU seconds of its moves
_SEEDS_APART = 1000  # the random numbers of a game's opening and replies, and those of its player


@dataclass(frozen=True, slots=True)
class Played:
    """One game of the player at `seat`."""

    key: str
    seat: int
    columns: str  # all moves, columns from 1
    values: tuple[int, ...]  # of the player's positions before its moves: 1 won, 0 drawn, -1 lost
    kept: tuple[bool, ...]  # whether each of its moves kept that value
    score: float  # 1 won, 0.5 drawn, 0 lost

    @property
    def threw_away_a_win(self) -> bool:
        """Whether it had a won position at some time and did not win."""
        return 1 in self.values and self.score < 1


class Table:
    """A game under way, on the network for the player and on bitboards for the solver."""

    def __init__(self, solver: Solver) -> None:
        self._solver = solver
        self._net = network(GAME)
        self._simulator = Simulator(Game.from_propnet(self._net), 64)
        self.position = GamePosition(self._simulator.game.initial)
        self.board: Board = solver.after([])
        self.columns: list[int] = []  # of the moves made

    @property
    def turn(self) -> int:
        """Returns the seat to move."""
        return len(self.columns) % 2

    @property
    def over(self) -> bool:
        """Says whether the game is over; both rules have to agree on that."""
        over = self._solver.over(self.board)
        assert over == is_over(self._simulator, self.position.state)
        return over

    def asked(self, player: Player, seconds: float) -> int:
        """Returns the column that a player chooses for the seat to move within `seconds` of CPU time."""
        legal = legal_moves(self._simulator, self.position.state)
        return self.column_of(player.choose(self.position, legal, self.turn, seconds))

    def column_of(self, move: int) -> int:
        """Returns the column in which a move of the seat to move drops its stone."""
        return self._drops(self.turn)[move]

    def drop(self, column: int) -> None:
        """Makes a move."""
        joint = [moves[0] for moves in legal_moves(self._simulator, self.position.state)]
        joint[self.turn] = next(move for move, c in self._drops(self.turn).items() if c == column)
        self.position = further(self._simulator, self.position, joint)
        self.board = self._solver.drop(self.board, column)
        self.columns.append(column)

    def score(self, seat: int) -> float:
        """Returns the score of a game that is over: 1 won, 0.5 drawn, 0 lost."""
        if not self._solver.lost(self.board):
            return 0.5
        return float(seat != self.turn)

    def _drops(self, seat: int) -> dict[int, int]:
        """Returns the columns of the moves that drop a stone."""
        texts = [text.strip("()").split() for text in self._net.moves[seat]]
        return {move: int(words[1]) - 1 for move, words in enumerate(texts) if words[0] == "drop"}


def play(solver: Solver, args: argparse.Namespace, seed: int, seat: int, key: str) -> Played:
    """Plays one game of the player against the perfect one."""
    opening_moves, sheet = args.opening_moves, find_rules(GAME).sheet() if args.kept else None
    rng, table = random.Random(_SEEDS_APART * seed), open_table(solver, seed, opening_moves)
    player = Player(network(GAME), args.player, args.seconds, _SEEDS_APART * seed + 1 + seat, sheet=sheet)
    early = Player(network(GAME), *_EARLY, _SEEDS_APART * seed + 3 + seat)
    unseen = _SEEN_FROM if seat == 0 and opening_moves == 0 else 0
    positions: list[Board] = []  # before the moves of the player
    while not table.over:
        if table.turn == seat:
            positions.append(table.board)
            column = table.asked(player, args.seconds)
        else:
            column = reply(solver, table, early, unseen, rng)
        table.drop(column)
    columns = "".join(str(c + 1) for c in table.columns)
    values = values_of(solver, positions, (unseen + 1) // 2)
    ours = table.columns[opening_moves + (opening_moves + seat) % 2 :: 2]
    kept = [keeps(solver, positions, values, n, column) for n, column in enumerate(ours)]
    return Played(key, seat, columns, tuple(values), tuple(kept), table.score(seat))


def reply(solver: Solver, table: Table, early: Player, unseen: int, rng: random.Random) -> int:
    """Returns the column that the perfect player chooses."""
    board, stones = table.board, len(table.columns)
    columns = solver.columns(board)
    if stones < unseen:
        return rng.choice(columns) if stones < 2 else table.asked(early, _EARLY[1])
    value = solver.value(board)
    keeping = [c for c in columns if solver.keeps(board, c, value)]
    if stones < _RESISTS_FROM:
        asked = table.asked(early, _EARLY[1])
        return asked if asked in keeping else rng.choice(keeping)
    left = [answers(solver, solver.drop(board, column)) for column in keeping]
    return rng.choice([column for column, count in zip(keeping, left, strict=True) if count == min(left)])


def answers(solver: Solver, board: Board) -> int:
    """Counts the moves that keep the value of a position; all there could be where the game is over."""
    if solver.over(board):
        return solver.width
    value = solver.value(board)
    return sum(solver.keeps(board, column, value) for column in solver.columns(board))


def keeps(solver: Solver, positions: list[Board], values: list[int], n: int, column: int) -> bool:
    """Says whether the n-th move of a player kept the value: for sure where it has still won at its next one."""
    won_on = n + 1 < len(values) and values[n] == values[n + 1] == 1
    return won_on or solver.keeps(positions[n], column, values[n])


def values_of(solver: Solver, positions: list[Board], unseen: int) -> list[int]:
    """Returns the values of one player's positions, of which the first `unseen` began from a won one.

    What is won later was won before, whatever the other one did.
    """
    values = [solver.value(board) for board in positions[unseen:]]
    won = bool(values) and values[0] == 1
    for board in reversed(positions[:unseen]):
        values.insert(0, 1 if won else solver.value(board))
        won = values[0] == 1
    return values


def new_solver() -> Solver:
    """Makes a solver that remembers in the user's cache. Raises `LudensError` where numba is missing."""
    try:
        from scripts.strength.connect_four_solver import Solver
    except ImportError:
        raise LudensError("the solver needs numba: pip install 'ludens[gpu]'") from None
    return Solver(cache=cache_directory() / _CACHE, tell=tell)


def open_table(solver: Solver, seed: int, moves: int) -> Table:
    """Returns a game after some random moves that is not over."""
    rng = random.Random(seed)
    while True:
        table = Table(solver)
        while len(table.columns) < moves and not table.over:
            table.drop(rng.choice(solver.columns(table.board)))
        if not table.over:
            return table


def read(path: Path | None) -> dict[str, Played]:
    """Reads the games written earlier, by key."""
    records = json_lines.read(path)
    return {r["key"]: Played(**{**r, "values": tuple(r["values"]), "kept": tuple(r["kept"])}) for r in records}


def run(args: argparse.Namespace, solver: Solver) -> list[Played]:
    """Plays what has not been played yet."""
    json_lines.mend(args.out)
    done, games = read(args.out), list[Played]()
    seats, files = _SEATS[args.seat], [*digests([args.player]), *([kept_digest(args.player)] if args.kept else [])]
    for number in range(args.games):
        seed, seat = args.seed + number // len(seats), seats[number % len(seats)]
        key = json.dumps([args.player, args.seconds, seed, args.opening_moves, seat, *files])
        if key not in done:
            done[key] = play(solver, args, seed, seat, key)
            json_lines.add(args.out, asdict(done[key]))
        games.append(done[key])
        tell(f"{number + 1}/{args.games}: {account(games[-1])}")
    return games


def kept_digest(player: str) -> str:
    """Returns what tells the evaluation that a player finds kept of the game from others.

    Raises `LudensError` if there is none, or the player would learn on from it: then each match had another one.
    """
    options, sheet = read_search(player), find_rules(GAME).sheet()
    cache = EvaluationCache.of_sheet(sheet, options.features)
    if options.recall == "off":
        raise LudensError(f"{player} uses nothing that is kept: leave recall=off out")
    if cache.load() is None:
        raise LudensError(f"nothing is kept of {GAME}: `ludens learn {GAME}` learns it")
    if cache.seconds() < KNOWN_WELL * options.unclocked_seconds:
        known = duration(cache.seconds())
        raise LudensError(f"{player} would learn on from what is kept, learned in {known}: it needs a smaller learn=")
    return f"kept {digest(cache.path)}"


def account(game: Played) -> str:
    """Writes a game in a line, the moves that lost value marked."""
    moves = list(game.columns)
    ours = [i for i in range(len(moves)) if i % 2 == game.seat][-len(game.kept) :] if game.kept else []
    for i, kept in zip(ours, game.kept, strict=True):
        moves[i] += "" if kept else "?"
    result = {1: "won", 0.5: "drawn", 0: "lost"}[game.score]
    return f"seat {game.seat + 1}, {' '.join(moves)}, {result}"


def summary(args: argparse.Namespace, games: list[Played]) -> dict[str, object]:
    """Returns the figures to be quoted."""
    kept = [k for game in games for k in game.kept]
    open_moves = [k for game in games for v, k in zip(game.values, game.kept, strict=True) if v > -1]
    return {
        "player": args.player,
        "seconds": args.seconds,
        "seat": args.seat,
        "seed": args.seed,
        "opening_moves": args.opening_moves,
        "games": len(games),
        "won": sum(g.score == 1 for g in games),
        "drawn": sum(g.score == 0.5 for g in games),
        "lost": sum(g.score == 0 for g in games),
        "wins_thrown_away": sum(g.threw_away_a_win for g in games),
        "moves": len(kept),
        "keep_the_value": round(sum(kept) / max(len(kept), 1), 4),
        "moves_with_something_to_lose": len(open_moves),
        "keep_it": round(sum(open_moves) / max(len(open_moves), 1), 4),
    }


def main() -> int:
    """Plays the games and prints the summary as JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("player", help="a strategy, as in auto:learn=24 or uct:nodes_mb=256")
    parser.add_argument("--games", type=arguments.count, default=20, help="games to play (%(default)s)")
    parser.add_argument("--seconds", type=arguments.seconds, default=2.0, help="CPU time of each move (%(default)s)")
    parser.add_argument("--seat", choices=sorted(_SEATS), default="first", help="of the player (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help=arguments.SEED_OF_OPENINGS)
    parser.add_argument("--opening-moves", type=int, default=0, help="random moves before the game (%(default)s)")
    parser.add_argument("--kept", action="store_true", help="use what is kept of the game, as by `ludens learn`")
    parser.add_argument("--out", type=Path, help="JSON lines of the games, to be resumed from")
    args = parser.parse_args()
    try:
        games = run(args, new_solver())
    except LudensError as error:
        tell(f"connect_four_perfect: {error}")
        return 1
    print(json.dumps(summary(args, games)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
