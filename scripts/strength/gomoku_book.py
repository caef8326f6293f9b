"""Makes the opening book of five in a row in free style on 15 x 15 cells from games against a side with more time.

    python -m scripts.strength.gomoku_book play --rounds 2 --seconds 0.5 --white 0.5 1 2
    python -m scripts.strength.gomoku_book write  # writes native/src/gomoku_search/opening_lines.hpp

`play` adds games to docs/data/gomoku_opening_games.txt, a line of cells each, in rounds: from a black stone in the
middle and each of white's first stones near it, or those of `--answers`. Black has so many seconds a move, white as
many as the next number says, from game to game in turn. Times are CPU time. Black follows the tree of the games so far
(`Tree`). Where the best move there is worth little, it makes one that was not tried; where no game has come, a search
chooses, with the book as it was built last. So what loses gives way to another move, the last one first.

`write` takes the positions of these games with up to so many stones in which black is to move, with the best move of
each if it is worth more than a half. Positions that symmetry maps on each other are one.
"""

from __future__ import annotations

import argparse
import itertools
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ludens.agent.gomoku.strategies import read_strategy
from ludens.agent.preparation.prepare_untimed import prepare_on_core
from ludens.agent.search.assembly import new_search
from ludens.agent.search.contract import GameSearch
from ludens.games.gomoku.on_core import GomokuOnCore
from scripts.common import arguments
from scripts.common.gomoku_prover import CELLS, RULES, SIZE, SYMMETRIES
from scripts.common.match_runner import think
from scripts.common.progress import tell
from scripts.strength.gomoku_opening import MIDDLE, distance, first_answers, has_won, state_of

PLAYER = "patterns"
STONES = 24  # on the board, at most, in positions of the book
_BRANCHES = 12  # stones on the board, at most, where other moves are tried on purpose
_WIDTH = 2  # moves that are tried in such a position
_UNTRIED = 0.4  # what a move that was not tried is taken to be worth
_REACH = 2  # rows and columns from a stone to the moves that are tried
GAMES = Path(__file__).parents[2] / "docs/data/gomoku_opening_games.txt"
FILE = Path(__file__).parents[2] / "native/src/gomoku_search/opening_lines.hpp"

Position = tuple[int, ...]  # the cells of black's stones and white's by turns, each sorted

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


@dataclass(slots=True)
class Tried:
    """A move of black's in the games that made it: how often white's answer led where, or who won."""

    games: int = 0
    won: int = 0  # of those that went no further
    next: Counter[Position] = field(default_factory=Counter)


class Tree:
    """The games by the positions with up to `STONES` stones in which black is to move, up to symmetry.

    A position is worth what its best move is, and a move what white's answers lead to, as often as they came. Games
    that go no further count 1 if black won and 0 otherwise; with one half for one game more, for what is not known.
    """

    def __init__(self, games: list[list[int]]) -> None:
        """Takes the games."""
        self.tried: defaultdict[Position, defaultdict[int, Tried]] = defaultdict(lambda: defaultdict(Tried))
        self._worths: dict[Position, float] = {}
        for game in games:
            for stones in range(0, min(STONES + 1, len(game)), 2):
                position, image = canonical(game[:stones])
                move = self.tried[position][image[game[stones]]]
                move.games += 1
                if stones + 2 <= min(STONES, len(game) - 1):
                    move.next[canonical(game[: stones + 2])[0]] += 1
                else:
                    move.won += is_won(game)

    def best(self, position: Position) -> tuple[int, float] | None:
        """Returns the best move that was tried and what it is worth."""
        worths = {move: self._of_move(tried) for move, tried in self.tried.get(position, {}).items()}
        return max(worths.items(), key=lambda item: item[1]) if worths else None

    def _of_move(self, tried: Tried) -> float:
        worth = sum(count * self._of_position(position) for position, count in tried.next.items())
        ended = tried.games - tried.next.total()
        return (worth + ended * (tried.won + 0.5) / (ended + 1)) / tried.games

    def _of_position(self, position: Position) -> float:
        if position not in self._worths:
            best = self.best(position)
            assert best is not None
            more = _may_try(position, self.tried[position])
            self._worths[position] = max(best[1], _UNTRIED) if more else best[1]
        return self._worths[position]


def _may_try(position: Position, tried: Mapping[int, Tried]) -> bool:
    """Says whether another move of black's is to be tried there if those so far lose."""
    return 2 <= len(position) <= _BRANCHES and len(tried) < _WIDTH


def canonical(cells: list[int]) -> tuple[Position, tuple[int, ...]]:
    """Returns what stands for a position and those that symmetry maps on it, and where a symmetry takes cells there."""
    images = []
    for number, image in enumerate(SYMMETRIES):
        sides = [sorted(image[cell] for cell in cells[side::2]) for side in (0, 1)]
        images.append((tuple(cell for pair in zip(*sides, strict=True) for cell in pair), number))
    position, number = min(images)
    return position, tuple(SYMMETRIES[number])


class Player:
    """Plays the games: black by the tree and a search, white by a search."""

    def __init__(self, seconds: float) -> None:
        """Takes the seconds a move of black's."""
        self._seconds = seconds
        self._config = prepare_on_core(GomokuOnCore(RULES), read_strategy(PLAYER))
        self._orders: dict[Position, list[int]] = {}

    def play(self, tree: Tree, answer: int, white_seconds: float, seed: int) -> list[int]:
        """Plays a game from white's first stone on and returns all moves."""
        black, white = self._new_search(seed), self._new_search(seed + 1)
        moves = [MIDDLE, answer]
        while len(moves) < CELLS and not has_won(moves):
            if len(moves) % 2:
                moves.append(_search_move(white, moves, white_seconds))
            else:
                known = self.from_tree(tree, moves)
                moves.append(_search_move(black, moves, self._seconds) if known is None else known)
        return moves

    def from_tree(self, tree: Tree, moves: list[int]) -> int | None:
        """Returns black's move by the games so far; None where these do not say."""
        if len(moves) > STONES:
            return None
        position, image = canonical(moves)
        found = tree.best(position)
        if found is None and len(moves) > 2:
            return None
        move, worth = found or (-1, 0.0)
        tried: Mapping[int, Tried] = tree.tried.get(position, {})
        if worth < _UNTRIED and _may_try(position, tried):
            move = next(cell for cell in self.order(position) if cell not in tried)
        elif worth <= 0.5 and len(moves) > _BRANCHES:
            return None
        return image.index(move)

    def order(self, position: Position) -> list[int]:
        """Returns the moves near the stones, the most promising first.

        That is what a search after the move likes, and before that, for a second stone, the diagonal neighbours of the
        first one, those nearest to white's first.
        """
        if position not in self._orders:
            search, worths = self._new_search(1), {}
            cells = sorted(set().union(*map(_near, position)) - set(position))
            for cell in cells:
                search.set_root(state_of([*position, cell]))
                think(search, 4 * self._seconds / len(cells))
                found = search.root_moves(0)
                worths[cell] = float(found.values[found.best])
            self._orders[position] = sorted(cells, key=lambda cell: (_beside(position, cell), -worths[cell]))
        return self._orders[position]

    def _new_search(self, seed: int) -> GameSearch:
        search = new_search(self._config, seed)
        assert search is not None
        return search


def _beside(position: Position, cell: int) -> int:
    """Returns how far a second stone is from white's first if it is a diagonal neighbour of black's; more elsewhere."""
    if len(position) == 2 and distance(cell, position[0]) == (1, 2):
        return distance(cell, position[1])[1]
    return 2 * SIZE


def _near(cell: int) -> set[int]:
    return {other for other in range(CELLS) if distance(cell, other)[0] <= _REACH}


def _search_move(search: GameSearch, moves: list[int], seconds: float) -> int:
    search.set_root(state_of(moves))
    think(search, seconds)
    found = search.root_moves(len(moves) % 2)
    return int(found.moves[found.best])


def play(out: Path, rounds: int, seconds: float, white: list[float], answers: list[int]) -> None:
    """Adds games to a file in so many rounds."""
    player, times = Player(seconds), itertools.cycle(white)
    for number in range(rounds):
        white_seconds = next(times)
        for answer in answers:
            game = player.play(Tree(read(out)), answer, white_seconds, seed=2 * number)
            with out.open("a", encoding="utf-8") as file:
                print(*game, file=file)
            result = "won" if is_won(game) else "not won"
            tell(f"{' '.join(map(str, game[:5]))}: {result} by black in {len(game)} moves, white {white_seconds:g} s")


def read(path: Path) -> list[list[int]]:
    """Reads games, each a list of cells; none if there is no file yet."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return [[int(word) for word in line.split()] for line in lines]


def is_won(game: list[int]) -> bool:
    """Says whether black has won."""
    return len(game) % 2 == 1 and has_won(game)


def book(games: list[list[int]]) -> list[list[int]]:
    """Returns the lines of the book: the cells of a position, and then that of black's move."""
    tree = Tree(games)
    best = {position: tree.best(position) for position in list(tree.tried)}
    return sorted(
        ([*position, found[0]] for position, found in best.items() if found and found[1] > 0.5),
        key=lambda line: (len(line), line),
    )


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
    player.add_argument("--seconds", type=arguments.seconds, default=0.5, help="of black a move (%(default)s)")
    player.add_argument("--white", type=arguments.seconds, nargs="+", default=[1.0], help="of white (%(default)s)")
    player.add_argument("--answers", type=int, nargs="+", help="white's first stones, as cells (all near the middle)")
    player.add_argument("--out", type=Path, default=GAMES, help="a file to which games are added (%(default)s)")
    writer = commands.add_parser("write", help="write the book")
    writer.add_argument("games", type=Path, nargs="?", default=GAMES, help="a file of games (%(default)s)")
    args = parser.parse_args()
    if args.command == "play":
        play(args.out, args.rounds, args.seconds, args.white, args.answers or list(first_answers()))
    else:
        write(read(args.games))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
