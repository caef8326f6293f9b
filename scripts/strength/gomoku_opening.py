"""The opening of five in a row in free style on 15 x 15 cells, which the first player wins (Allis 1994).

    python -m scripts.strength.gomoku_opening prove --minutes 60
    python -m scripts.strength.gomoku_opening hold uct --games 20 --seconds 1

`prove` looks for refutations of white's first answers to a black stone in the middle, those farthest away first, by the
proofs of `scripts.common.gomoku_prover`. Black's second stone is the diagonal neighbour of its first that is farthest
from white's; then white's answers, the most promising first, have more and more positions each until all are refuted.
It prints how far it came: which of white's first answers are refuted, with how many positions. Times are CPU time.

`hold` plays games from there: black has so many seconds a move, white ten times as many. White's first stone is
another one in each game, as long as there are any that symmetry does not map on each other, or one of `--answers` in
turn. Times are CPU time.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator

import numpy as np

from ludens.agent.gomoku.strategies import read_strategy
from ludens.agent.preparation.prepare_untimed import prepare_on_core
from ludens.agent.search.assembly import new_search
from ludens.agent.settings.options import PlayerOptions
from ludens.games.gomoku.on_core import GomokuOnCore
from ludens.games.gomoku.rules import pack
from ludens.native.core import States
from scripts.common import arguments
from scripts.common.gomoku_prover import CELLS, RULES, SIZE, Node, Prover
from scripts.common.match_runner import in_percent, think
from scripts.common.progress import tell

MIDDLE = CELLS // 2
_ROUNDS = (1_000, 4_000, 16_000, 64_000)  # positions for an answer of white's
_REACH = 5  # rows and columns from the middle of white's first stones in `hold`
HANDICAP = 10  # times as long as black white thinks


def prove(minutes: float) -> None:
    """Looks for refutations of white's first answers and prints how far it came."""
    prover, end = Prover(), time.process_time() + 60 * minutes
    root = prover.position([MIDDLE])
    answers = sorted(prover.answers(root), key=lambda node: distance(_stone(node), MIDDLE), reverse=True)
    for answer in answers:
        refute(prover, answer, end)
        if time.process_time() >= end:
            break
        verdict = "refuted" if answer.proof == 0 else "open"
        tell(f"white at {divmod(_stone(answer), SIZE)}: {verdict}, {prover.counts[0]:,} positions so far")
    refuted = [answer for answer in answers if answer.proof == 0]
    positions, proven = prover.counts
    print(
        f"{'proven' if root.proof == 0 else 'open'}: {positions:,} positions, {proven:,} proven;"
        f" {sum(_images(answer) for answer in refuted)} of {CELLS - 1} first answers of white refuted,"
        f" {len(refuted)} of {len(answers)} up to symmetry"
    )


def refute(prover: Prover, answer: Node, end: float) -> None:
    """Looks for a refutation of one of white's first answers, until a moment of CPU time."""
    diagonal = [MIDDLE + down * SIZE + right for down in (-1, 1) for right in (-1, 1)]
    free = [cell for cell in diagonal if not answer.white >> cell & 1]
    (second,) = prover.answers(answer, [max(free, key=lambda cell: distance(_stone(answer), cell))])
    open_ones = prover.answers(second, prover.by_promise(second))
    for positions in _ROUNDS:
        for node in open_ones:
            prover.run(node, positions, end)
        open_ones = [node for node in open_ones if node.proof]


def _stone(node: Node) -> int:
    """Returns the cell of white's only stone."""
    return node.white.bit_length() - 1


def distance(a: int, b: int) -> tuple[int, int]:
    """Returns how far cells are from each other: the greater number of rows or columns, then both."""
    (top, left), (bottom, right) = divmod(a, SIZE), divmod(b, SIZE)
    down, across = abs(top - bottom), abs(left - right)
    return max(down, across), down + across


def _images(node: Node) -> int:
    """Returns how many positions are the same as this one up to symmetry."""
    return len(set(node.keys))


def first_answers() -> Iterator[int]:
    """Yields white's first stones near the middle, one of those that symmetry maps on each other."""
    for down in range(_REACH + 1):
        for right in range(max(1, down), _REACH + 1):
            yield MIDDLE + down * SIZE + right


def hold(player: str, games: int, seconds: float, seed: int, answers: list[int]) -> None:
    """Plays games that black should win, from white's first stones in turn, and prints how many it does."""
    options = read_strategy(player)
    scores: list[float] = []  # of black
    for number in range(games):
        moves = play_on([MIDDLE, answers[number % len(answers)]], options, seconds, seed + 2 * number)
        scores.append(float(has_won(moves) and len(moves) % 2 == 1))
        tell(f"game {number + 1}, from {moves[1]}: {sum(scores):.0f} won by black")
    print(
        f"black, {seconds:g} s a move, against white, {HANDICAP * seconds:g} s: won {sum(scores):.0f} of {games} games "
        f"({in_percent(scores, 1)})"
    )


def play_on(opening: list[int], options: PlayerOptions, seconds: float, seed: int) -> list[int]:
    """Plays a game to its end, white with ten times as many seconds a move as black, and returns all moves."""
    config = prepare_on_core(GomokuOnCore(RULES), options)
    searches = [new_search(config, seed + side) for side in (0, 1)]
    moves = list(opening)
    while len(moves) < CELLS and not has_won(moves):
        side = len(moves) % 2
        search = searches[side]
        assert search is not None
        search.set_root(state_of(moves))
        think(search, seconds * (HANDICAP if side else 1), options.workers)
        found = search.root_moves(side)
        moves.append(int(found.moves[found.best]))
    return moves


def state_of(moves: list[int]) -> States:
    """Returns the position after moves of both sides by turns, black's first."""
    stones = np.zeros((1, 2, CELLS), np.bool_)
    stones[0, 0, list(moves[0::2])] = True
    stones[0, 1, list(moves[1::2])] = True
    state: States = pack(stones, np.array([len(moves) % 2 == 1]))[0]
    return state


def has_won(moves: list[int]) -> bool:
    """Says whether the last stone has completed a row."""
    own = set(moves[-1::-2])
    row, column = divmod(moves[-1], SIZE)
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
        length = 1
        for sign in (1, -1):
            r, c = row + sign * down, column + sign * right
            while 0 <= r < SIZE and 0 <= c < SIZE and r * SIZE + c in own:
                length, r, c = length + 1, r + sign * down, c + sign * right
        if length >= RULES.length:
            return True
    return False


def main() -> int:
    """Proves or plays."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    prover = commands.add_parser("prove", help="look for a proof")
    prover.add_argument("--minutes", type=arguments.minutes, default=60.0, help="of CPU time, at most (%(default)s)")
    holder = commands.add_parser("hold", help="play games that black should win")
    holder.add_argument("player", help="as in uct or uct:threads=2")
    holder.add_argument("--games", type=arguments.count, default=20)
    holder.add_argument("--seconds", type=arguments.seconds, default=1.0, help="of black a move (%(default)s)")
    holder.add_argument("--answers", type=int, nargs="+", help="white's first stones, as cells (all near the middle)")
    holder.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    if args.command == "prove":
        prove(args.minutes)
    else:
        hold(args.player, args.games, args.seconds, args.seed, args.answers or list(first_answers()))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
