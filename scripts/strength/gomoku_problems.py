"""Problems of gomoku made from own games, and how many of them threat-space search solves in a given time.

    python -m scripts.strength.gomoku_problems make --count 120 --out docs/data/gomoku_problems.csv
    python -m scripts.strength.gomoku_problems solve              # those of docs/data/gomoku_problems.csv

A problem is a position of free style on 15 x 15 cells in which the side to move wins by fours alone (VCF), or not so
but with threes (VCT). Positions are those of games that a strategy plays against itself from random openings, at most
one problem of a kind from a game: the hardest. Nothing of the search that is measured decides which wins by fours are
problems: a solver that shares no code with it (`scripts.common.gomoku_rows`) finds them. Wins by threes are found by a
long search of the native core, and that solver plays the proof out against every answer; where it has the time, with
--brute, it also finds the win by itself.

A line of the file has the kind, the moves from the empty board as x,y with semicolons between them, and how many
positions were looked at to find the win: a measure of how hard it is. Plain problems are left out.
Times are CPU time, so that other work on the machine does not count.
"""

from __future__ import annotations

import argparse
import csv
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ludens.agent.gomoku.strategies import StrategySearch, read_strategy
from ludens.games.gomoku.competition import random_opening
from ludens.games.gomoku.rules import GomokuRules, native_game, pack
from ludens.games.gomoku.state import GomokuState
from ludens.native.core import ThreatSearch
from ludens.propnet.base.errors import LudensError
from scripts.common import arguments
from scripts.common.gomoku_rows import LENGTH, completes, refutation, wins_by_fours, wins_by_threes
from scripts.common.progress import tell

SIZE = 15
FOURS, THREES = "VCF", "VCT"
FILE = Path(__file__).parents[2] / "docs/data/gomoku_problems.csv"
"""The problems that are kept."""

LIMITS = {FOURS: 0.1, THREES: 2.0}
"""CPU seconds in which a problem of each kind should be solved."""

_RULES = GomokuRules(SIZE, SIZE, LENGTH)
_LEAST_POSITIONS = {FOURS: 12, THREES: 500}  # for a problem that is not plain
_FOURS_BUDGET = 1_000  # positions of the solver
_LONG_SEARCH = 300_000  # positions of the native search
_MISSES = 2  # positions without a win, going back in a game, after which no more are looked for
_MEASURED_SEARCH = 100_000_000  # positions of the native search that is measured: more than there is time for


@dataclass(frozen=True, slots=True)
class Problem:
    """A position in which the side to move wins."""

    kind: str
    moves: tuple[int, ...]  # cells, by turns
    positions: int  # that were looked at to find the win

    @property
    def side(self) -> int:
        """Who is to move: 1 or 2, as on the boards of the solver."""
        return 1 + len(self.moves) % 2

    def board(self) -> np.ndarray:
        """Returns the board of the solver."""
        return board_of(self.moves)

    def state(self) -> np.ndarray:
        """Returns the native state."""
        return state_of(self.moves)


def board_of(moves: Sequence[int]) -> np.ndarray:
    """Returns the solver's board after these moves."""
    board = np.zeros(_RULES.cells, np.int8)
    board[list(moves[0::2])] = 1
    board[list(moves[1::2])] = 2
    return board


def state_of(moves: Sequence[int]) -> np.ndarray:
    """Returns the native state after these moves."""
    board = board_of(moves)
    state: np.ndarray = pack(np.stack((board == 1, board == 2))[None], np.array([len(moves) % 2 == 1]))[0]
    return state


def games(player: str, seed: int) -> Iterator[list[int]]:
    """Yields the moves of games that a strategy plays against itself, without end."""
    start = GomokuState.blank(SIZE, LENGTH)
    while True:
        search = StrategySearch(_RULES, read_strategy(player), seed)
        moves = [row * SIZE + column for row, column in random_opening(start, 3 + seed % 4, seed)]
        board = board_of(moves)
        while len(moves) < _RULES.cells:
            second = len(moves) % 2 == 1
            found = search.run(np.stack((board == 1, board == 2)), second, None)
            cell = int(found.moves[found.best])
            ends = completes(board, SIZE, cell, 1 + second)
            board[cell] = 1 + second
            moves.append(cell)
            if ends:
                break
        yield moves
        seed += 1


def wins_by_fours_of(moves: Sequence[int]) -> Iterator[Problem]:
    """Yields the positions of a game in which the side to move wins by fours."""
    for ply in range(6, len(moves)):
        budget = np.array([_FOURS_BUDGET])
        if wins_by_fours(board_of(moves[:ply]), SIZE, 1 + ply % 2, budget) > 0:
            yield Problem(FOURS, tuple(moves[:ply]), _FOURS_BUDGET - int(budget[0]))


def wins_by_threes_of(moves: Sequence[int], threats: ThreatSearch) -> Iterator[Problem]:
    """Yields the positions before the end of a game in which the winner wins by threes and not by fours alone."""
    misses = 0
    for ply in range(len(moves) - 1, 5, -2):
        if wins_by_fours(board_of(moves[:ply]), SIZE, 1 + ply % 2, np.array([_FOURS_BUDGET])):
            continue
        found = threats.run(state_of(moves[:ply]), most_positions=_LONG_SEARCH)
        if found.proof is not None:
            yield Problem(THREES, tuple(moves[:ply]), found.positions)
        misses += found.proof is None
        if misses == _MISSES:
            return


def read(path: Path) -> list[Problem]:
    """Reads problems."""
    with path.open(encoding="utf-8", newline="") as file:
        return [Problem(row["kind"], _cells(row["moves"]), int(row["positions"])) for row in csv.DictReader(file)]


def write(path: Path, problems: Sequence[Problem]) -> None:
    """Writes problems."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("kind", "moves", "positions"))
        for problem in problems:
            text = ";".join(f"{cell % SIZE},{cell // SIZE}" for cell in problem.moves)
            writer.writerow((problem.kind, text, problem.positions))


def _cells(text: str) -> tuple[int, ...]:
    pairs = (pair.split(",") for pair in text.split(";"))
    return tuple(int(y) * SIZE + int(x) for x, y in pairs)


def check(problem: Problem, threats: ThreatSearch) -> None:
    """Plays out the win that the native core claims; raises LudensError if it is none."""
    proof = threats.run(problem.state(), most_positions=_LONG_SEARCH).proof
    wrong = refutation(problem.board(), SIZE, proof, problem.side) if proof is not None else "no win is found"
    if wrong:
        raise LudensError(f"{wrong}, after the moves {problem.moves}")


def make(player: str, count: int, seed: int, out: Path) -> None:
    """Writes so many problems of each kind, as they are found."""
    threats, made = ThreatSearch(native_game(_RULES)), {kind: list[Problem]() for kind in LIMITS}
    for number, moves in enumerate(games(player, seed), 1):
        for kind, wins in ((FOURS, wins_by_fours_of(moves)), (THREES, wins_by_threes_of(moves, threats))):
            if len(made[kind]) < count:
                hardest = max(wins, key=lambda win: win.positions, default=None)
                if hardest is not None and hardest.positions >= _LEAST_POSITIONS[kind]:
                    check(hardest, threats)
                    made[kind].append(hardest)
        write(out, [*made[FOURS], *made[THREES]])
        tell(f"{number} games: {len(made[FOURS])} {FOURS}, {len(made[THREES])} {THREES}")
        if all(len(problems) == count for problems in made.values()):
            break


def confirm(path: Path, positions: int) -> int:
    """Prints how many problems the solver solves by itself in so many positions; returns 1 if one is no win."""
    results = []
    for problem in read(path):
        depth = 0 if problem.kind == FOURS else 2
        results.append(wins_by_threes(problem.board(), SIZE, problem.side, depth, np.array([positions])))
        tell(f"{len(results)} problems: {results.count(1)} won, {results.count(-1)} open")
    lost = sum(result == 0 and problem.kind == FOURS for result, problem in zip(results, read(path), strict=True))
    print(f"{results.count(1)} of {len(results)} problems solved without threat search, {lost} refuted")
    return int(lost > 0)


def solve(path: Path) -> int:
    """Prints how many problems of each kind are solved in time; returns 1 if a proof was wrong."""
    threats, status = ThreatSearch(native_game(_RULES)), 0
    problems = read(path)
    for kind, limit in LIMITS.items():
        took, positions, wrong = [], 0, 0
        chosen = [problem for problem in problems if problem.kind == kind]
        for problem in chosen:
            began = time.process_time()
            found = threats.run(problem.state(), threes=kind == THREES, most_positions=_MEASURED_SEARCH)
            took.append(time.process_time() - began if found.proof is not None else float("inf"))
            positions += found.positions
            wrong += found.proof is not None and refutation(problem.board(), SIZE, found.proof, problem.side) != ""
        solved = sum(seconds <= limit for seconds in took)
        print(
            f"{kind}: {solved} of {len(chosen)} solved in {limit:g} s ({100 * solved / len(chosen):.1f} %), "
            f"median {1000 * float(np.median(took)):.2f} ms, longest {max(took):.3f} s, "
            f"{positions:,} positions, {wrong} wrong proofs",
            flush=True,
        )
        status |= wrong > 0
    return status


def main() -> int:
    """Makes problems or solves them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    maker = commands.add_parser("make", help="make problems")
    told = "the strategy that plays, with its iterations (%(default)s)"
    maker.add_argument("--player", default="uct:iterations=3000", help=told)
    maker.add_argument("--count", type=arguments.count, default=120, help="of each kind (%(default)s)")
    maker.add_argument("--seed", type=int, default=1)
    maker.add_argument("--out", type=Path, required=True)
    solver = commands.add_parser("solve", help="measure how many are solved in time")
    solver.add_argument("file", type=Path, nargs="?", default=FILE)
    solver.add_argument(
        "--brute", type=arguments.count, metavar="N", help="have the slow solver look at N positions of each instead"
    )
    args = parser.parse_args()
    if args.command == "solve":
        return confirm(args.file, args.brute) if args.brute else solve(args.file)
    make(args.player, args.count, args.seed, args.out)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
