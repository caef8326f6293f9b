"""Makes the opening book of five in a row in free style on 15 x 15 cells from games against ten times the time.

    python -m scripts.strength.gomoku_book play --rounds 2 --seconds 0.05
    python -m scripts.strength.gomoku_book write  # writes native/src/gomoku_search/opening_lines.hpp

`play` adds games to docs/data/gomoku_opening_games.txt, a line of cells each, in rounds: from a black stone in the
middle and each of white's first stones near it, until black has won one. Black has so many seconds a move, white ten
times as many. Black's second stone, near its first one, is the one that has won the most games more than it lost so
far; of several the one for which a search of as many seconds as a move of white's likes black's side best. So what wins
is kept, and what loses gives way to another. Later moves of black are those of the book as it was built last. With
`--opening` the games start there alone. Times are CPU time.

`write` takes the positions of these games with up to so many stones in which black is to move: its move is the one that
won the most games more than it lost, and positions in which none did are left out. Positions that symmetry maps on each
other are one.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from pathlib import Path

from ludens.agent.gomoku.strategies import read_strategy
from ludens.agent.preparation.prepare import prepare_on_core
from ludens.agent.search.assembly import new_search
from ludens.games.gomoku.on_core import GomokuOnCore
from scripts.common import arguments
from scripts.common.gomoku_prover import RULES, SIZE, SYMMETRIES
from scripts.common.match_runner import think
from scripts.common.progress import tell
from scripts.strength.gomoku_opening import HANDICAP, MIDDLE, first_answers, has_won, play_on, state_of

PLAYER = "patterns"
REACH = 2  # rows and columns from black's first stone to its second
STONES = 8  # on the board, at most, in positions of the book
GAMES = Path(__file__).parents[2] / "docs/data/gomoku_opening_games.txt"
FILE = Path(__file__).parents[2] / "native/src/gomoku_search/opening_lines.hpp"

HEAD = """// The opening book of free style on 15 x 15 cells, as scripts/strength/gomoku_book.py makes it of games.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace ludens::gomoku {

constexpr int book_side = 15, book_length = 5;
constexpr std::size_t most_book_stones = STONES;

// The cells of so many stones, black's and white's by turns, and then that of black's move.
struct BookLine {
    std::size_t stones;
    std::array<std::int16_t, most_book_stones + 1> cells;
};

// clang-format off
constexpr std::array<BookLine, LINES> book_lines{{
"""
FOOT = """}};
// clang-format on

}  // namespace ludens::gomoku
"""


def play(out: Path, rounds: int, seconds: float) -> None:
    """Adds games to a file in so many rounds."""
    orders = {answer: _by_search(answer, seconds) for answer in first_answers()}
    for number in range(rounds):
        for answer, order in orders.items():
            for _ in order:
                if _add_game(out, [MIDDLE, answer, most_won(read(out), answer, order)], seconds, seed=number):
                    break


def most_won(games: list[list[int]], answer: int, order: list[int]) -> int:
    """Returns the second stone that won the most games more than it lost, the first of an order where several did."""
    gains: Counter[int] = Counter()
    for game in games:
        if game[1] == answer:
            gains[game[2]] += 1 if is_won(game) else -1
    return max(order, key=lambda cell: gains[cell])


def play_from(out: Path, rounds: int, seconds: float, opening: list[int]) -> None:
    """Adds so many games from an opening to a file."""
    for number in range(rounds):
        _add_game(out, opening, seconds, seed=number)


def _add_game(out: Path, opening: list[int], seconds: float, seed: int) -> bool:
    """Adds a game to a file and says whether black has won it."""
    game = play_on(opening, read_strategy(PLAYER), seconds, seed)
    with out.open("a", encoding="utf-8") as file:
        print(*game, file=file)
    tell(f"{' '.join(map(str, game[: len(opening)]))}: {'won' if is_won(game) else 'not won'} by black")
    return is_won(game)


def _by_search(answer: int, seconds: float) -> list[int]:
    """Returns black's second stones, those first that a search likes best."""
    search = new_search(prepare_on_core(GomokuOnCore(RULES), read_strategy(PLAYER)), 1)
    assert search is not None
    steps = range(-REACH, REACH + 1)
    cells = {MIDDLE + down * SIZE + right for down in steps for right in steps} - {MIDDLE, answer}
    worth = {}
    for cell in sorted(cells):
        search.set_root(state_of([MIDDLE, answer, cell]))
        think(search, seconds * HANDICAP / len(cells))
        found = search.root_moves(0)
        worth[cell] = float(found.values[found.best])
    return sorted(worth, key=lambda cell: -worth[cell])


def read(path: Path) -> list[list[int]]:
    """Reads games, each a list of cells; none if there is no file yet."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return [[int(word) for word in line.split()] for line in lines]


def is_won(game: list[int]) -> bool:
    """Says whether black has won."""
    return len(game) % 2 == 1 and has_won(game)


def book(games: list[list[int]]) -> list[list[int]]:
    """Returns the lines of the book: the cells of a position, and then that of black's move."""
    gains: defaultdict[tuple[int, ...], Counter[int]] = defaultdict(Counter)
    for game in games:
        for stones in range(0, min(STONES + 1, len(game)), 2):
            position, symmetry = _canonical(game[:stones])
            gains[position][SYMMETRIES[symmetry][game[stones]]] += 1 if is_won(game) else -1
    best = {position: max(moves, key=lambda move: moves[move]) for position, moves in gains.items()}
    return sorted(
        ([*position, move] for position, move in best.items() if gains[position][move] > 0),
        key=lambda line: (len(line), line),
    )


def _canonical(cells: list[int]) -> tuple[tuple[int, ...], int]:
    """Returns what stands for a position and those that symmetry maps on it, and a symmetry that maps it there."""
    images = []
    for number, image in enumerate(SYMMETRIES):
        sides = [sorted(image[cell] for cell in cells[side::2]) for side in (0, 1)]
        images.append((tuple(cell for pair in zip(*sides, strict=True) for cell in pair), number))
    return min(images)


def write(games: list[list[int]]) -> None:
    """Writes the lines of the book as C++."""
    lines = book(games)
    rows = [f"    {{{len(line) - 1}, {{{', '.join(map(str, line))}}}}},\n" for line in lines]
    head = HEAD.replace("STONES", str(STONES)).replace("LINES", str(len(lines)))
    FILE.write_text(head + "".join(rows) + FOOT, encoding="utf-8")
    tell(f"{len(lines)} positions of {len(games)} games, {sum(map(is_won, games))} of which black won")


def main() -> int:
    """Plays or writes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    player = commands.add_parser("play", help="play games")
    player.add_argument("--rounds", type=arguments.count, default=2, help="(%(default)s)")
    player.add_argument("--seconds", type=arguments.seconds, default=0.05, help="of black a move (%(default)s)")
    player.add_argument("--opening", type=int, nargs="+", help="cells: play from here alone, a game a round")
    player.add_argument("--out", type=Path, default=GAMES, help="a file to which games are added (%(default)s)")
    writer = commands.add_parser("write", help="write the book")
    writer.add_argument("games", type=Path, nargs="?", default=GAMES, help="a file of games (%(default)s)")
    args = parser.parse_args()
    if args.command == "play" and args.opening:
        play_from(args.out, args.rounds, args.seconds, args.opening)
    elif args.command == "play":
        play(args.out, args.rounds, args.seconds)
    else:
        write(read(args.games))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
