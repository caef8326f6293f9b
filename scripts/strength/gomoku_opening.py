"""The opening of five in a row in free style on 15 x 15 cells, which the first player wins (Allis 1994).

    python -m scripts.strength.gomoku_opening prove --minutes 60
    python -m scripts.strength.gomoku_opening hold uct --games 20 --seconds 1

`prove` looks for a proof by best-first proof-number search (Allis, van der Meulen and van den Herik 1994) from a black
stone in the middle. Positions with black to move are won if threat-space search proves it; else the moves that make
or prevent the best shapes are tried, so that what is not proven may still be won. White's answers are all looked at.
It prints how far it came: positions, how many of them are proven, and which of white's first answers are refuted.

`hold` plays games from there: black has so many seconds a move, white ten times as many. White's first stone is
another one in each game, as long as there are any that symmetry does not map on each other. Times are CPU time.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from ludens.agent.gomoku.strategies import read_strategy
from ludens.agent.preparation.prepare import prepare_on_core
from ludens.agent.search.assembly import new_search
from ludens.games.gomoku.on_core import GomokuOnCore
from ludens.games.gomoku.rules import GomokuRules, native_game, pack
from ludens.games.gomoku.shapes import worth
from ludens.native.core import States, ThreatSearch, gomoku_shapes
from scripts.common import arguments
from scripts.common.match_runner import think
from scripts.common.progress import tell

_SIZE = 15
_RULES = GomokuRules(_SIZE, _SIZE, 5)
_MIDDLE = _RULES.cells // 2
_POSITIONS = 100_000  # of the threat search of one position
_TRIED = 8  # moves of black where threats alone do not win
_REACH = 5  # rows and columns from the middle of white's first stones in `hold`
_HANDICAP = 10  # times as long as black white thinks


@dataclass(slots=True)
class Node:
    """A position, known by its stones, with how many leaves at least decide it."""

    moves: tuple[int, ...]
    proof: float = 1.0  # leaves to prove for a win of black; 0: won
    disproof: float = 1.0  # leaves to disprove; 0: given up
    children: list[Node] | None = None
    parents: list[Node] = field(default_factory=list)

    @property
    def black_moves(self) -> bool:
        """Whether it is black's turn."""
        return len(self.moves) % 2 == 0

    def update(self) -> bool:
        """Takes the numbers from the children; says whether they changed."""
        assert self.children
        proofs, disproofs = ([child.proof for child in self.children], [child.disproof for child in self.children])
        before = self.proof, self.disproof
        if self.black_moves:
            self.proof, self.disproof = min(proofs), sum(disproofs)
        else:
            self.proof, self.disproof = sum(proofs), min(disproofs)
        return before != (self.proof, self.disproof)


class ProofSearch:
    """Proof-number search over positions that threat-space search does not decide."""

    def __init__(self) -> None:
        self._game = native_game(_RULES)
        self._threats = ThreatSearch(self._game)
        self._nodes: dict[tuple[frozenset[int], frozenset[int]], Node] = {}
        self.root = Node((_MIDDLE,))

    def run(self, end: float) -> None:
        """Searches until the root is decided or a moment of time.monotonic."""
        while self.root.proof and self.root.disproof and time.monotonic() < end:
            node = self.root
            while node.children:
                number = "proof" if node.black_moves else "disproof"
                node = min(node.children, key=lambda child: getattr(child, number))
            self._expand(node)
            self._back_up(node)

    @property
    def counts(self) -> tuple[int, int]:
        """How many positions there are, and how many of them are proven."""
        return len(self._nodes), sum(node.proof == 0 for node in self._nodes.values())

    def _expand(self, node: Node) -> None:
        taken = set(node.moves)
        free = [cell for cell in range(_RULES.cells) if cell not in taken]
        cells = self._promising(node, free) if node.black_moves else free
        node.children = [self._child(node, cell) for cell in cells]

    def _child(self, node: Node, cell: int) -> Node:
        moves = (*node.moves, cell)
        key = frozenset(moves[0::2]), frozenset(moves[1::2])
        child = self._nodes.get(key)
        if child is None:
            child = self._nodes[key] = Node(moves)
            self._judge(child)
        child.parents.append(node)
        return child

    def _judge(self, node: Node) -> None:
        """Sets the numbers of a new leaf: a side that wins by threats has won."""
        if self._threats.run(_state(node.moves), most_positions=_POSITIONS).proof is not None:
            node.proof, node.disproof = (0.0, math.inf) if node.black_moves else (math.inf, 0.0)

    def _promising(self, node: Node, free: list[int]) -> list[int]:
        """Returns the moves of black that make or prevent the best shapes."""
        gain = worth(gomoku_shapes(self._game, state=_state(node.moves))).sum(axis=0)
        return sorted(free, key=lambda cell: -gain[cell])[:_TRIED]

    @staticmethod
    def _back_up(node: Node) -> None:
        waiting = [node]
        while waiting:
            changed = waiting.pop()
            if changed.update():
                waiting += changed.parents


def prove(minutes: float) -> None:
    """Searches for a proof and prints how far it came."""
    search, end = ProofSearch(), time.monotonic() + 60 * minutes
    while search.root.proof and search.root.disproof and time.monotonic() < end:
        search.run(min(end, time.monotonic() + 20))
        tell(f"{search.counts[0]:,} positions, {search.root.proof:g} to prove")
    positions, proven = search.counts
    answers = search.root.children or []
    refuted = sum(answer.proof == 0 for answer in answers)
    verdict = "proven" if search.root.proof == 0 else "given up" if search.root.disproof == 0 else "open"
    print(
        f"{verdict}: {positions:,} positions, {proven:,} proven; {refuted} of {len(answers)} first answers of white "
        f"refuted; at least {search.root.proof:g} positions still to prove"
    )


def first_answers() -> Iterator[int]:
    """Yields white's first stones near the middle, one of those that symmetry maps on each other."""
    for down in range(_REACH + 1):
        for right in range(max(1, down), _REACH + 1):
            yield _MIDDLE + down * _SIZE + right


def hold(player: str, games: int, seconds: float, seed: int) -> None:
    """Plays games that black should win and prints how many it does."""
    options, answers = read_strategy(player), list(first_answers())
    won = 0
    for number in range(games):
        config = prepare_on_core(GomokuOnCore(_RULES), options)
        searches = [new_search(config, seed + 2 * number + side) for side in (0, 1)]
        moves = [_MIDDLE, answers[number % len(answers)]]
        while len(moves) < _RULES.cells and not _has_won(moves):
            side = len(moves) % 2
            search = searches[side]
            assert search is not None
            search.set_root(_state(moves))
            think(search, seconds * (_HANDICAP if side else 1), options.workers)
            found = search.root_moves(side)
            moves.append(int(found.moves[found.best]))
        won += _has_won(moves) and len(moves) % 2 == 1
        tell(f"game {number + 1}: {won} won by black")
    share = won / games
    spread = 1.96 * math.sqrt(share * (1 - share) / games)
    print(
        f"black, {seconds:g} s a move, against white, {_HANDICAP * seconds:g} s: won {won} of {games} games "
        f"({100 * share:.1f} ± {100 * spread:.1f} %)"
    )


def _state(moves: tuple[int, ...] | list[int]) -> States:
    stones = np.zeros((1, 2, _RULES.cells), np.bool_)
    stones[0, 0, list(moves[0::2])] = True
    stones[0, 1, list(moves[1::2])] = True
    state: States = pack(stones, np.array([len(moves) % 2 == 1]))[0]
    return state


def _has_won(moves: list[int]) -> bool:
    """Says whether the last stone has completed a row."""
    own = set(moves[-1::-2])
    row, column = divmod(moves[-1], _SIZE)
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
        length = 1
        for sign in (1, -1):
            r, c = row + sign * down, column + sign * right
            while 0 <= r < _SIZE and 0 <= c < _SIZE and r * _SIZE + c in own:
                length, r, c = length + 1, r + sign * down, c + sign * right
        if length >= _RULES.length:
            return True
    return False


def main() -> int:
    """Proves or plays."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    prover = commands.add_parser("prove", help="look for a proof")
    prover.add_argument("--minutes", type=arguments.minutes, default=60.0, help="at most (%(default)s)")
    holder = commands.add_parser("hold", help="play games that black should win")
    holder.add_argument("player", help="as in uct or uct:threads=2")
    holder.add_argument("--games", type=arguments.count, default=20)
    holder.add_argument("--seconds", type=arguments.seconds, default=1.0, help="of black a move (%(default)s)")
    holder.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    if args.command == "prove":
        prove(args.minutes)
    else:
        hold(args.player, args.games, args.seconds, args.seed)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
