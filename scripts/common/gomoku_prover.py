"""Proofs that the first player wins five in a row from a position on 15 x 15 cells.

Best-first proof-number search (Allis, van der Meulen and van den Herik, "Proof-number search", 1994) above threat-space
search (native/src/gomoku/threats.hpp), after Allis, "Searching for solutions in games and artificial intelligence",
1994.

* With black to move a position is won if threat-space search finds a win. Else the moves that make or prevent the best
  shapes are tried, and if white would win by threats were it to move, only moves that can prevent that. What is left
  out may win as well, so a position that is not proven is open, or given up.
* With white to move black's last stone is a threat if threat-space search wins for black though white passes. Then only
  the stones of white that may undo that proof are answers; against others it holds as it is (Thomsen, "Lambda-search
  in game trees with application to Go", 2000). Where the last stone is no threat all cells are answers.

Positions that are the same up to the eight symmetries of the board are one. What won a position is tried first, and
alone, where the stones are the same but for white ones far from all of black's: most proofs hold there as well, and to
see that they do takes as many positions as the proof has, not as many as it took to find it (Kawano, "Using similar
positions to search game trees", 1996).
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from ludens.games.gomoku.rules import GomokuRules, native_game
from ludens.games.gomoku.shapes import worth
from ludens.native.core import States, ThreatSearch, gomoku_shapes

SIZE = 15
RULES = GomokuRules(SIZE, SIZE, 5)
CELLS = RULES.cells
_WORDS = 2 * CELLS // 64 + 1  # of a state
_TRIED = 8  # moves of black where threats alone do not win
_WIN_POSITIONS = 8_000  # of the search for a win of the side to move
_THREAT_POSITIONS = 4_000  # of the search for a win if the other side passes
_QUIET_PROOF = 60.0  # leaves that are taken to prove a move that is no threat
_NEAR = 3  # rows and columns from black's stones, within which white's tell similar positions apart
_WIDENED = 150.0  # leaves to prove, from which on more is tried than what won a similar position
_FOUR = 5  # the shape of which one cell completes a row


@dataclass(slots=True, eq=False)
class Node:
    """A position, with how many leaves at least decide it."""

    black: int  # a bit for each cell with a stone
    white: int
    keys: tuple[int, ...]  # of the position seen under each symmetry
    black_moves: bool
    answers: list[int] | None = None  # of white: those that need to be looked at; None: all
    proof: float = 1.0  # leaves to prove for a win of black; 0: won
    disproof: float = 1.0  # leaves to disprove; 0: given up
    children: list[Node] | None = None
    moves: list[int] | None = None  # of black, to the children
    narrow: bool = False  # whether black has more moves to try
    parents: list[Node] = field(default_factory=list)

    @property
    def decided(self) -> bool:
        """Whether it is proven or given up."""
        return not (self.proof and self.disproof)

    def free(self) -> list[int]:
        """Returns the empty cells."""
        taken = self.black | self.white
        return [cell for cell in range(CELLS) if not taken >> cell & 1]

    def update(self) -> bool:
        """Takes the numbers from the children; says whether they changed."""
        assert self.children
        proofs, disproofs = ([child.proof for child in self.children], [child.disproof for child in self.children])
        before = self.proof, self.disproof
        if self.black_moves:
            self.proof, self.disproof = min(proofs), max(sum(disproofs), self.narrow)
        else:
            self.proof, self.disproof = sum(proofs), min(disproofs)
        return before != (self.proof, self.disproof)


class Prover:
    """Looks for proofs, and remembers what it has found."""

    def __init__(self) -> None:
        self._game = native_game(RULES)
        self._threats = ThreatSearch(self._game)
        rng = random.Random(1)
        stones = [[rng.getrandbits(96) for _ in range(CELLS)] for _ in range(2)]
        self._keys = [[tuple(keys[image[cell]] for image in SYMMETRIES) for cell in range(CELLS)] for keys in stones]
        self._nodes: dict[tuple[int, bool], Node] = {}
        self._winning: dict[int, int] = {}  # moves, by similarity

    @property
    def counts(self) -> tuple[int, int]:
        """How many positions there are, and how many of them are proven."""
        return len(self._nodes), sum(node.proof == 0 for node in self._nodes.values())

    def position(self, moves: Iterable[int]) -> Node:
        """Returns the position after moves of both sides by turns, black's first."""
        node = Node(0, 0, (0,) * len(SYMMETRIES), black_moves=True)
        for move in moves:
            node = self._after(node, move)
        return self._known(node, _WIN_POSITIONS)

    def answers(self, node: Node, moves: list[int] | None = None) -> list[Node]:
        """Returns what follows a position by these moves, or by all that are to be tried, once it is known."""
        if not node.children:
            self._expand(node, moves)
            self._back_up(node)
        assert node.children
        return node.children

    def by_promise(self, node: Node) -> list[int]:
        """Returns the empty cells, those first on which a stone makes or prevents the best shapes."""
        gain = worth(self._shapes(node)).sum(axis=0)
        return sorted(node.free(), key=lambda cell: -gain[cell])

    def run(self, root: Node, positions: int, end: float) -> None:
        """Searches until the root is decided, with so many more positions at most, or CPU time is `end`."""
        most = len(self._nodes) + positions
        while not root.decided and len(self._nodes) < most and time.process_time() < end:
            node = root
            while node.children and not (node.narrow and node.proof > _WIDENED):
                node = min(node.children, key=_by_proof if node.black_moves else _by_disproof)
            self._expand(node)
            self._back_up(node)

    def _expand(self, node: Node, moves: list[int] | None = None) -> None:
        most = _WIN_POSITIONS
        if moves is None and node.black_moves:
            similar = None if node.narrow else self._similar(node)
            moves, node.narrow = ([similar], True) if similar is not None else (self._promising(node), False)
        elif moves is None and node.answers is not None:
            moves = node.answers
        elif moves is None:
            moves, most = node.free(), _THREAT_POSITIONS
        children = {
            id(child): (child, move) for move in moves for child in [self._known(self._after(node, move), most)]
        }
        node.children = [child for child, _ in children.values()]
        node.moves = [move for _, move in children.values()] if node.black_moves else None
        for child in node.children:
            child.parents.append(node)

    def _back_up(self, node: Node) -> None:
        waiting = [node]
        while waiting:
            changed = waiting.pop()
            if changed.update():
                waiting += changed.parents
                if changed.black_moves and changed.proof == 0:
                    self._remember(changed)

    def _remember(self, node: Node) -> None:
        """Notes what won, for similar positions."""
        assert node.children and node.moves
        key, symmetry = self._similarity(node)
        move = next(move for child, move in zip(node.children, node.moves, strict=True) if child.proof == 0)
        self._winning[key] = SYMMETRIES[symmetry][move]

    def _similar(self, node: Node) -> int | None:
        """Returns the move that won a similar position, None if there is none."""
        key, symmetry = self._similarity(node)
        image = self._winning.get(key)
        if image is None:
            return None
        move = SYMMETRIES[symmetry].index(image)
        return None if (node.black | node.white) >> move & 1 else move

    def _similarity(self, node: Node) -> tuple[int, int]:
        """Returns a key that similar positions share, and the symmetry under which they do."""
        near = 0
        for cell in _cells(node.black):
            near |= _AROUND[cell]
        keys = [0] * len(SYMMETRIES)
        for side, stones in enumerate((node.black, node.white & near)):
            for cell in _cells(stones):
                keys = [a ^ b for a, b in zip(keys, self._keys[side][cell], strict=True)]
        least = min(keys)
        return least, keys.index(least)

    def _after(self, node: Node, move: int) -> Node:
        side = 0 if node.black_moves else 1
        keys = tuple(a ^ b for a, b in zip(node.keys, self._keys[side][move], strict=True))
        bit = 1 << move
        if node.black_moves:
            return Node(node.black | bit, node.white, keys, black_moves=False)
        return Node(node.black, node.white | bit, keys, black_moves=True)

    def _known(self, node: Node, most_positions: int) -> Node:
        """Returns the node that the table has of a position; if it has none, this one, when it has been judged."""
        key = min(node.keys), node.black_moves
        known = self._nodes.get(key)
        if known is None:
            known = self._nodes[key] = node
            self._judge(node, most_positions)
        return known

    def _judge(self, node: Node, most_positions: int) -> None:
        """Sets the numbers of a new leaf."""
        if self._wins(node, black=node.black_moves, most_positions=most_positions):
            node.proof, node.disproof = (0.0, math.inf) if node.black_moves else (math.inf, 0.0)
        elif not node.black_moves:
            node.proof = _QUIET_PROOF
            if self._wins(node, black=True, most_positions=_THREAT_POSITIONS):
                node.answers = self._threats.relevant().tolist()
                node.proof = float(len(node.answers))

    def _wins(self, node: Node, *, black: bool, most_positions: int) -> bool:
        """Whether a side would win by threats, were it to move."""
        return self._threats.run(_state(node, black), most_positions=most_positions, with_proof=False).verdict == "won"

    def _shapes(self, node: Node) -> npt.NDArray[np.uint8]:
        return gomoku_shapes(self._game, state=_state(node, black=True))

    def _promising(self, node: Node) -> list[int]:
        """Returns the moves of black to try."""
        cells = self.by_promise(node)
        if self._wins(node, black=False, most_positions=_THREAT_POSITIONS):
            fours = np.flatnonzero((self._shapes(node)[0] >= _FOUR).any(axis=1)).tolist()
            useful = {*self._threats.relevant().tolist(), *fours}
            cells = [cell for cell in cells if cell in useful] or cells
        return cells[:_TRIED]


def _state(node: Node, black: bool) -> States:
    """Returns a position as the native core has it, with one side or the other to move."""
    bits = node.black | node.white << CELLS | (not black) << 2 * CELLS
    state: States = np.frombuffer(bits.to_bytes(8 * _WORDS, "little"), np.uint64)
    return state


def _by_proof(node: Node) -> float:
    return node.proof


def _by_disproof(node: Node) -> float:
    return node.disproof


def _cells(stones: int) -> Iterator[int]:
    while stones:
        yield (stones & -stones).bit_length() - 1
        stones &= stones - 1


def _around(cell: int) -> int:
    """Returns the cells near a cell, a bit each."""
    row, column = divmod(cell, SIZE)
    rows = range(max(0, row - _NEAR), min(SIZE, row + _NEAR + 1))
    columns = range(max(0, column - _NEAR), min(SIZE, column + _NEAR + 1))
    return sum(1 << r * SIZE + c for r in rows for c in columns)


def _symmetries() -> list[list[int]]:
    """Returns what each of the eight symmetries makes of the cells."""
    cells = np.arange(CELLS).reshape(SIZE, SIZE)
    turned = [np.rot90(board, times) for board in (cells, cells.T) for times in range(4)]
    return [board.ravel().tolist() for board in turned]


SYMMETRIES = _symmetries()
_AROUND = [_around(cell) for cell in range(CELLS)]
