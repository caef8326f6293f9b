"""Fits the weights of alpha-beta on the patterns of gomoku to games that it plays against itself.

    python -m scripts.strength.gomoku_weights play --games 3000 --playouts 2500 --out games.txt
    python -m scripts.strength.gomoku_weights fit games.txt  # writes native/src/gomoku/pattern_weights.hpp

An empty cell is described by the shapes that a side's stone would make of the four lines through it, in any order: its
class. Four weights of each class are fitted.

* Two for the estimate of a position: what a cell of this class is worth to the side to move, and to the other side.
  They are those of a logistic regression of who won the game on the numbers of cells of each class (as P. Österlund
  described for chess, "Texel's tuning method", 2014), with a Gaussian prior (ridge). So are the
  weights of the number of cells in which a three or more is made.
* Two for the order of moves: for a cell of the class of the side to move and of the class of the other side. They are
  those of a conditional logit model (McFadden, 1974) of which of the cells near stones was played.

Positions in which a side can complete a row or has an open four are left out, as the search never estimates them.
"""

from __future__ import annotations

import argparse
import random
from dataclasses import dataclass
from itertools import combinations_with_replacement, permutations, product
from math import comb
from pathlib import Path

import numpy as np

from ludens.games.gomoku.competition import random_opening
from ludens.games.gomoku.rules import Bools, GomokuRules, native_game, pack
from ludens.games.gomoku.state import GomokuState
from ludens.native.core import Search, ThreatSearch, gomoku_shapes
from scripts.common import arguments
from scripts.common.gomoku_rows import LENGTH, completes
from scripts.common.progress import tell

SIZE = 15
CELLS = SIZE * SIZE
SHAPES = 8  # nothing … five, as gomoku_shapes numbers them
OPEN_FOUR, FIVE = 6, 7
RULES = GomokuRules(SIZE, SIZE, LENGTH)
LINES = 4  # through a cell
CLASSES = comb(SHAPES + LINES - 1, LINES)
FOURS_POSITIONS = 200  # looked at for a win by fours, as at leaves
THREATS, NUMBERS = (3, 4, 5, 6), 8  # three … open four; how many of them are told apart
TEST_EVERY = 10  # every tenth game is held out for a test
UNIT = 250 / np.log(3)  # of estimates: 250 for odds of 3 to 1, as pattern_search.cpp takes them
PROMISE_UNIT = 256
FILE = Path(__file__).parents[2] / "native/src/gomoku/pattern_weights.hpp"

HEAD = """// The weights of the pattern search, as scripts/strength/gomoku_weights.py fits them to games.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "gomoku/shapes.hpp"

namespace ludens::gomoku {

// Of an empty cell by the class of the shapes that a side's stone would make there.
struct PatternWeights {
    std::int16_t moving, waiting;             // what it is worth to the side to move, and to the other one
    std::int16_t own_promise, other_promise;  // how soon to look at a move there: as the mover's, or the other side's
};

// The number of a class: its shapes in rising order, counted in the combinatorial number system.
constexpr std::size_t class_number(const std::array<std::size_t, 4>& shapes) {
    const auto [a, b, c, d] = shapes;
    return a + (b + 1) * b / 2 + (c + 2) * (c + 1) * c / 6 + (d + 3) * (d + 2) * (d + 1) * d / 24;
}

constexpr int tempo = TEMPO;  // what it is worth to be the side to move

// clang-format off
constexpr std::array<PatternWeights, 330> pattern_weights{{
"""
MIDDLE = """
}};

// What so many cells (the last: or more) are worth in which a side makes a three, an open three, a four or an open four
// at best: [the side to move, the other][shape from three on][number]
constexpr std::array<std::array<std::array<std::int16_t, 8>, 4>, 2> threat_weights{{
"""
TAIL = """
}};
// clang-format on

}  // namespace ludens::gomoku
"""


def play(games: int, playouts: int, seed: int, out: Path) -> None:
    """Writes a line for each game: how many stones were set at random, the winner (1, 2 or 0), and all moves."""
    start, rng = GomokuState.blank(SIZE, LENGTH), random.Random(seed)
    search = Search(native_game(RULES), strategy="patterns", memory_bytes=16 << 20)
    with out.open("a", encoding="utf-8") as file:
        for number in range(games):
            opening = random_opening(start, rng.randint(1, 8), rng.getrandbits(32))
            moves = [row * SIZE + column for row, column in opening]
            board = np.zeros(CELLS, np.int8)
            board[moves[0::2]], board[moves[1::2]] = 1, 2
            winner = 0
            while not winner and len(moves) < CELLS:
                second = len(moves) % 2 == 1
                search.set_root(pack(np.stack((board == 1, board == 2))[None], np.array([second]))[0])
                search.run(playouts=playouts)
                found = search.root_moves(int(second))
                cell = int(found.moves[found.best])
                winner = (1 + second) * completes(board, SIZE, cell, 1 + second)
                board[cell] = 1 + second
                moves.append(cell)
            print(len(opening), winner, *moves, file=file, flush=True)
            if number % 100 == 99:
                tell(f"{number + 1} games")


def class_table() -> np.ndarray:
    """Returns the class int64[8, 8, 8, 8] of four shapes, as `class_number` in pattern_weights.hpp counts them."""
    table = np.zeros((SHAPES,) * LINES, np.int64)
    for shapes in combinations_with_replacement(range(SHAPES), LINES):
        for order in set(permutations(shapes)):
            table[order] = sum(comb(shape + i, i + 1) for i, shape in enumerate(shapes))
    return table


def read_games(path: Path) -> list[tuple[int, int, list[int]]]:
    """Reads games as `play` writes them."""
    found = []
    for line in path.read_text(encoding="utf-8").splitlines():
        opening, winner, *moves = map(int, line.split())
        found.append((opening, winner, moves))
    return found


def near(taken: Bools) -> Bools:
    """Returns the empty cells bool[225] no more than two away from a stone in a line."""
    board, wide = taken.reshape(SIZE, SIZE), np.zeros((SIZE + 4, SIZE + 4), bool)
    for down, right in product((-1, 0, 1), repeat=2):
        for step in (1, 2):
            top, left = 2 + step * down, 2 + step * right
            wide[top : top + SIZE, left : left + SIZE] |= board
    result: Bools = wide[2:-2, 2:-2].ravel() & ~taken
    return result


@dataclass(frozen=True, slots=True)
class Estimates:
    """Positions to be estimated."""

    counts: np.ndarray  # float32[positions, 2 * classes] cells of each class: of the side to move, then of the other
    scores: np.ndarray  # float32[positions] 1 where the side to move won, 0.5 where nobody did
    games: np.ndarray  # int64[positions] which game a position is of


@dataclass(frozen=True, slots=True)
class Choices:
    """Moves that were played, among those that could have been."""

    classes: np.ndarray  # int64[2, moves] of the side to move and of the other
    position: np.ndarray  # int64[moves] which one a move belongs to
    played: np.ndarray  # int64[positions] the index of the move played
    games: np.ndarray  # int64[positions] which game a position is of

    def of(self, chosen: Bools) -> Choices:
        """Returns those in chosen positions, bool[positions]."""
        moves = chosen[self.position]
        position, played = np.cumsum(chosen)[self.position[moves]] - 1, np.cumsum(moves)[self.played[chosen]] - 1
        return Choices(self.classes[:, moves], position, played, self.games[chosen])

    def first_moves(self) -> np.ndarray:
        """Returns int64[positions], the index of the first move of each."""
        return np.searchsorted(self.position, np.arange(len(self.played)))

    def odds(self, weights: np.ndarray) -> np.ndarray:
        """Returns float64[moves], the chances that weights of classes make of each move among those of its position."""
        starts = self.first_moves()
        logits = weights[0, self.classes[0]] + weights[1, self.classes[1]]
        odds = np.exp(logits - np.maximum.reduceat(logits, starts)[self.position])
        result: np.ndarray = odds / np.add.reduceat(odds, starts)[self.position]
        return result


def describe(games: list[tuple[int, int, list[int]]]) -> tuple[Estimates, Choices]:
    """Describes the positions of games by the classes of their cells."""
    table, game, threats = class_table(), native_game(RULES), ThreatSearch(native_game(RULES))
    counts, scores, classes, position, estimated, chosen = [], [], [], [], [], []
    played: list[int] = []
    moves_before = 0
    for number, (opening, winner, moves) in enumerate(games):
        for ply in range(opening, len(moves)):
            shapes = gomoku_shapes(game, moves[:ply])
            if ply % 2:
                shapes = shapes[::-1]
            if (shapes == FIVE).any():
                continue
            taken = np.zeros(CELLS, bool)
            taken[moves[:ply]] = True
            of_cells = table[tuple(np.moveaxis(shapes, -1, 0))]
            cells = np.flatnonzero(near(taken))
            at = np.flatnonzero(cells == moves[ply])
            if len(at):
                position.append(np.full(len(cells), len(played)))
                played.append(moves_before + at[0])
                classes.append(of_cells[:, cells])
                chosen.append(number)
                moves_before += len(cells)
            if (shapes[0] == OPEN_FOUR).any() or wins_by_fours(threats, moves[:ply]):
                continue
            counts.append(np.concatenate([np.bincount(side[~taken], minlength=CLASSES) for side in of_cells]))
            scores.append(0.5 if not winner else float(winner == 1 + ply % 2))
            estimated.append(number)
        if number % 500 == 499:
            tell(f"{number + 1} games read")
    return (
        Estimates(np.array(counts, np.float32), np.array(scores, np.float32), np.array(estimated)),
        Choices(np.concatenate(classes, 1), np.concatenate(position), np.array(played), np.array(chosen)),
    )


def wins_by_fours(threats: ThreatSearch, moves: list[int]) -> bool:
    """Whether the side to move wins by fours, as far as the search at leaves sees."""
    stones = np.zeros((2, CELLS), bool)
    for side in range(2):
        stones[side, moves[side::2]] = True
    state = pack(stones[None], np.array([len(moves) % 2 == 1]))[0]
    return threats.run(state, threes=False, most_positions=FOURS_POSITIONS).verdict == "won"


def shared() -> np.ndarray:
    """Returns float32[classes, 2 * shapes]: how often a class has each shape, and whether it is its best.

    Their weights are shared by classes, so that those seldom seen have sensible ones.
    """
    features = np.zeros((CLASSES, 2 * SHAPES), np.float32)
    for shapes in combinations_with_replacement(range(SHAPES), LINES):
        row = features[sum(comb(shape + i, i + 1) for i, shape in enumerate(shapes))]
        np.add.at(row, list(shapes), 1)
        row[SHAPES + shapes[-1]] = 1
    features[:, [0, SHAPES]] = 0
    return features


def numbers(counts: np.ndarray) -> np.ndarray:
    """Returns float32[positions, threats * numbers]: in how many cells a threat is the best shape, one-hot but for 0.

    `counts` are those of one side. What several threats are worth together is not what they are worth one by one.
    """
    columns = []
    for shape in THREATS:
        number = (counts @ shared()[:, SHAPES + shape]).astype(np.int64).clip(max=NUMBERS - 1)
        columns.append(np.eye(NUMBERS, dtype=np.float32)[number])
        columns[-1][:, 0] = 0
    return np.concatenate(columns, 1)


@dataclass(frozen=True, slots=True)
class EstimateWeights:
    """Weights in units of the logarithm of the odds."""

    classes: np.ndarray  # float64[2, classes]
    threats: np.ndarray  # float64[2, threats, numbers]
    tempo: float


def fit_estimates(data: Estimates, ridge: float, steps: int = 200) -> EstimateWeights:
    """Fits the weights of estimates by Newton steps with a bound of the curvature.

    So every step makes the fit better (Böhning and Lindsay, "Monotonicity of quadratic-approximation algorithms",
    1988).
    """
    classes = np.eye(CLASSES, dtype=np.float32)
    classes[0, 0] = 0  # cells of which nothing is made are worth nothing
    one_side = np.concatenate((classes, shared()), 1)
    sides = data.counts[:, :CLASSES], data.counts[:, CLASSES:]
    ones = np.ones((len(data.scores), 1), np.float32)
    inputs = np.concatenate([*(side @ one_side for side in sides), *map(numbers, sides), ones], 1).astype(np.float64)
    held_out = data.games % TEST_EVERY == 0
    train, scores = inputs[~held_out], data.scores[~held_out]
    weights = np.zeros(inputs.shape[1])
    step_of = np.linalg.inv(train.T @ train / 4 + ridge * np.eye(len(weights)))
    for _ in range(steps):
        weights += step_of @ (train.T @ (scores - logistic(train, weights)) - ridge * weights)
    odds, scores = logistic(inputs[held_out], weights), data.scores[held_out]
    loss = -np.mean(scores * np.log(odds) + (1 - scores) * np.log(1 - odds))
    print(f"{len(inputs):,} positions, loss {loss:.4f} on those held out")
    width, threats = one_side.shape[1], len(THREATS) * NUMBERS
    return EstimateWeights(
        weights[: 2 * width].reshape(2, width) @ one_side.T,
        weights[2 * width : 2 * (width + threats)].reshape(2, len(THREATS), NUMBERS),
        float(weights[-1]),
    )


def logistic(inputs: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Returns float64[positions], the chances that inputs and weights make."""
    result: np.ndarray = 1 / (1 + np.exp(-(inputs @ weights)))
    return result


def fit_choices(data: Choices, ridge: float, steps: int = 300, rate: float = 0.03) -> np.ndarray:
    """Returns the weights float64[2, classes] in units of the logarithm of the odds; by Adam."""
    one_side = np.concatenate((np.eye(CLASSES), shared()), 1)
    weights = np.zeros((2, one_side.shape[1]))
    mean, square = np.zeros_like(weights), np.zeros_like(weights)
    held_out = data.games % TEST_EVERY == 0
    train = data.of(~held_out)
    target = np.stack([np.bincount(side[train.played], minlength=CLASSES) for side in train.classes])
    for step in range(1, steps + 1):
        odds = train.odds(weights @ one_side.T)
        expected = np.stack([np.bincount(side, odds, CLASSES) for side in train.classes])
        gradient = ((target - expected) @ one_side - ridge * weights) / len(train.played)
        mean += 0.1 * (gradient - mean)
        square += 0.01 * (gradient**2 - square)
        weights += rate * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.99**step)) + 1e-9)
    fitted: np.ndarray = weights @ one_side.T
    fitted -= fitted[:, :1]
    print(f"{len(data.played):,} moves, {foretelling(data.of(held_out), fitted)} on those held out")
    return fitted


def foretelling(data: Choices, weights: np.ndarray) -> str:
    """Says how well weights of classes foretell moves."""
    odds = data.odds(weights)
    better = np.add.reduceat((odds > odds[data.played][data.position]).astype(np.int64), data.first_moves())
    shares = ", ".join(f"{(better < n).mean():.3f}" for n in (1, 3, 8, 16, 24))
    return f"loss {-np.log(odds[data.played]).mean():.4f}, among the first 1, 3, 8, 16, 24: {shares}"


def write(estimates: EstimateWeights, choices: np.ndarray) -> None:
    """Writes the weights as C++."""
    classes = whole(np.concatenate((estimates.classes * UNIT * [[1], [-1]], choices * PROMISE_UNIT)))
    lines = [
        "    " + ", ".join(f"{{{a}, {b}, {c}, {d}}}" for a, b, c, d in classes.T[i : i + 4]) + ","
        for i in range(0, CLASSES, 4)
    ]
    threats = whole(estimates.threats * UNIT)
    rows = ["    {{" + ", ".join(f"{{{', '.join(map(str, row))}}}" for row in side) + "}}," for side in threats]
    text = HEAD + "\n".join(lines) + MIDDLE + "\n".join(rows) + TAIL
    FILE.write_text(text.replace("TEMPO", str(round(estimates.tempo * UNIT))), encoding="utf-8")


def whole(weights: np.ndarray) -> np.ndarray:
    """Rounds weights to numbers of 16 bits."""
    rounded: np.ndarray = np.rint(weights).clip(-30_000, 30_000).astype(np.int64)
    return rounded


def main() -> None:
    """Runs the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    playing = commands.add_parser("play", help="add games to a file")
    playing.add_argument("--games", type=arguments.count, default=2000, help="how many (%(default)s)")
    playing.add_argument("--playouts", type=arguments.count, default=2500, help="positions a move (%(default)s)")
    playing.add_argument("--seed", type=int, default=1, help="of the openings (%(default)s)")
    playing.add_argument("--out", type=Path, required=True, help="the file")
    fitting = commands.add_parser("fit", help="write the weights")
    fitting.add_argument("games", type=Path, nargs="+", help="files of games")
    fitting.add_argument("--ridge", type=float, default=4.0, help="precision of the prior (%(default)s)")
    args = parser.parse_args()
    if args.command == "play":
        play(args.games, args.playouts, args.seed, args.out)
        return
    estimates, choices = describe([game for path in args.games for game in read_games(path)])
    write(fit_estimates(estimates, args.ridge), fit_choices(choices, args.ridge))


if __name__ == "__main__":
    main()
