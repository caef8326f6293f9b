"""Fits the weights of the evaluation of Tak to games that alpha-beta plays against itself.

    python -m scripts.strength.tak_weights play 5 --games 3000 --playouts 2500 --out games-5.txt
    python -m scripts.strength.tak_weights fit 5 games-5.txt  # writes native/src/tak/evaluation_weights.hpp

With few games --ridge has to be larger; --seed makes other games.

The weights of one size of the board are those of a logistic regression of who won the game on the terms of each
position (as P. Österlund described for chess, "Texel's tuning method", 2014), with a Gaussian prior (ridge). A drawn
game counts as half a win. native/src/tak/evaluation.hpp says what the terms are.
"""

from __future__ import annotations

import argparse
import random
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ludens.games.tak.native_game import native_game, pack
from ludens.games.tak.rules.parameters import RESERVES, TakRules
from ludens.games.tak.rules.reference import Position, first_position, legal_moves, made, outcome
from ludens.native.core import Search, tak_estimates
from scripts.common import arguments
from scripts.common.progress import tell

MOST_PLIES = 200
UNIT = 256  # of weights: odds of e to 1
TEST_EVERY = 10  # every tenth game is held out for a test
FILE = Path(__file__).parents[2] / "native/src/tak/evaluation_weights.hpp"


@dataclass(frozen=True, slots=True)
class GameRecord:
    """A game that was played: its moves by number, how many of them were made at random, and the score of player 0."""

    random_moves: int
    score: float
    moves: list[int]


def play(size: int, games: int, playouts: int, seed: int, out: Path) -> None:
    """Adds a line for each game: the moves made at random, twice the score of player 0, and all moves."""
    rules, rng = TakRules(size), random.Random(seed)
    game = native_game(rules)
    search = Search(game, strategy="td", memory_bytes=16 << 20)
    with out.open("a", encoding="utf-8") as file:
        for number in range(games):
            position, moves = first_position(rules), []
            opening = rng.randint(2, 2 * size)
            while not (end := outcome(position)) and position.ply < MOST_PLIES:
                if position.ply < opening:
                    move = rng.choice(legal_moves(position))
                else:
                    search.set_root(pack(position))
                    search.run(playouts=playouts)
                    found = search.root_moves(position.turn)
                    chosen = rules.move(int(found.moves[found.best]))
                    assert chosen is not None
                    move = chosen
                moves.append(rules.number(move))
                position = made(position, move)
            points = 1 if end is None or end.winner is None else 2 * (end.winner == 0)
            print(min(opening, len(moves)), points, *moves, file=file, flush=True)
            if number % 100 == 99:
                tell(f"{number + 1} games")


def read_games(path: Path) -> list[GameRecord]:
    """Reads games as `play` writes them."""
    found = []
    for line in path.read_text(encoding="utf-8").splitlines():
        opening, points, *moves = map(int, line.split())
        found.append(GameRecord(opening, points / 2, moves))
    return found


def positions_of(record: GameRecord, rules: TakRules) -> list[Position]:
    """Returns the positions of a game from where its random moves end, without the last, in which it is over."""
    position, found = first_position(rules), []
    for ply, number in enumerate(record.moves):
        if ply >= record.random_moves:
            found.append(position)
        move = rules.move(number)
        assert move is not None
        position = made(position, move)
    return found


@dataclass(frozen=True, slots=True)
class Positions:
    """Positions to be estimated."""

    terms: npt.NDArray[np.float64]  # [positions, terms] for who is to move
    scores: npt.NDArray[np.float64]  # [positions] of who is to move, at the end of the game
    games: npt.NDArray[np.int64]  # [positions] which game a position is of


def describe(records: list[GameRecord], rules: TakRules) -> Positions:
    """Describes the positions of games by the terms of the evaluation."""
    game = native_game(rules)
    terms, scores, games = [], [], []
    for number, record in enumerate(records):
        positions = positions_of(record, rules)
        if not positions:
            continue
        terms.append(tak_estimates(game, np.stack([pack(position) for position in positions]))[0])
        scores += [record.score if position.turn == 0 else 1 - record.score for position in positions]
        games += [number] * len(positions)
        if number % 500 == 499:
            tell(f"{number + 1} games read")
    return Positions(np.concatenate(terms).astype(np.float64), np.array(scores), np.array(games))


def fit(data: Positions, ridge: float, steps: int = 30) -> npt.NDArray[np.float64]:
    """Returns weights float64[terms] in units of the logarithm of the odds, by Newton steps."""
    held_out = data.games % TEST_EVERY == 0
    train, scores = data.terms[~held_out], data.scores[~held_out]
    weights = np.zeros(train.shape[1])
    for _ in range(steps):
        odds = logistic(train, weights)
        curvature = train.T @ (train * (odds * (1 - odds))[:, None]) + ridge * np.eye(len(weights))
        weights += np.linalg.solve(curvature, train.T @ (scores - odds) - ridge * weights)
    odds, scores = logistic(data.terms[held_out], weights), data.scores[held_out]
    loss = -np.mean(scores * np.log(odds) + (1 - scores) * np.log(1 - odds))
    print(f"{len(data.scores):,} positions, loss {loss:.4f} on those held out")
    return weights


def logistic(terms: npt.NDArray[np.float64], weights: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Returns float64[positions], the chances that terms and weights make."""
    result: npt.NDArray[np.float64] = 1 / (1 + np.exp(-np.clip(terms @ weights, -30, 30)))
    return result


def read_weights(size: int) -> npt.NDArray[np.int64]:
    """Returns the weights int64[terms] of a size of the board that the core is compiled with."""
    numbers = re.findall(r"-?\d+", _table(size).search(FILE.read_text(encoding="utf-8"))[2])  # type: ignore[index]
    return np.array(numbers, np.int64)


def write_weights(size: int, weights: npt.NDArray[np.float64]) -> None:
    """Writes those of one size in place of what was there."""
    whole = np.rint(weights * UNIT).clip(-30_000, 30_000).astype(np.int64)
    rows = [f"    {', '.join(map(str, whole[i : i + 20]))},\n" for i in range(0, len(whole), 20)]
    text = FILE.read_text(encoding="utf-8")
    FILE.write_text(_table(size).sub(lambda found: found[1] + "".join(rows) + found[3], text), encoding="utf-8")


def _table(size: int) -> re.Pattern[str]:
    return re.compile(rf"(evaluation_weights<{size}>{{\n)([^}}]*)(}};)")


def main() -> None:
    """Runs the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    playing = commands.add_parser("play", help="add games to a file")
    fitting = commands.add_parser("fit", help="write the weights")
    for command in (playing, fitting):
        command.add_argument("size", type=int, choices=RESERVES, help="squares on a side of the board")
    playing.add_argument("--games", type=arguments.count, default=2000, help="how many (%(default)s)")
    playing.add_argument("--playouts", type=arguments.count, default=2500, help="positions a move (%(default)s)")
    playing.add_argument("--seed", type=int, default=1, help="of the openings (%(default)s)")
    playing.add_argument("--out", type=Path, required=True, help="the file")
    fitting.add_argument("games", type=Path, nargs="+", help="files of games")
    fitting.add_argument("--ridge", type=float, default=10.0, help="precision of the prior (%(default)s)")
    args = parser.parse_args()
    if args.command == "play":
        play(args.size, args.games, args.playouts, args.seed, args.out)
        return
    data = describe([game for path in args.games for game in read_games(path)], TakRules(args.size))
    write_weights(args.size, fit(data, args.ridge))


if __name__ == "__main__":
    main()
