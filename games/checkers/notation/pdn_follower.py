"""Follows a game that is written in PDN through the rules of a sheet, of which a capture may be one ply or several."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product

from ludens.games.checkers.notation.pdn import Ply
from ludens.games.checkers.notation.pdn_reader import PdnError, PdnGame, WrittenMove

_MOST_JOINT_MOVES = 2000


class PdnFollower:
    """A `WrittenMatch`; knows of the rules only what a joint move does, and the number of a square."""

    def __init__(
        self,
        game: PdnGame,
        players: tuple[str, ...],
        ply: Callable[[Sequence[str]], Ply | None],
        number: Callable[[int], int],
    ) -> None:
        """`ply` returns what a joint move does, None for nothing on the board."""
        self.players = players
        self.ends = bool(game.result)
        self._game = game
        self._ply = ply
        self._number = number
        self._made = 0  # written moves
        self._left: tuple[int, ...] = ()  # squares of a written move that is not made to its end

    def next(self, legal: Sequence[Sequence[str]]) -> tuple[str, ...] | None:
        """See `WrittenMatch`."""
        if self._made == len(self._game.moves):
            return None
        written = self._game.moves[self._made]
        squares = self._left or written.squares
        paths = self._paths(legal)
        fitting = [(joint, path) for joint, path, _ in paths if _begins(squares, path, written)]
        if not fitting and written.jump and len(squares) == 2:  # its first jump, of a move that names only its ends
            fitting = [(joint, path) for joint, path, jump in paths if jump and path[0] == squares[0]]
        if len({path for _, path in fitting}) != 1:
            known = "fits several moves" if fitting else "is no legal move"
            raise PdnError(f"move {self._made // 2 + 1}: {written.text} {known}")
        joint, path = fitting[0]
        self._left = squares[len(path) - 1 :] if squares[: len(path)] == path else (path[-1], squares[-1])
        if len(set(self._left)) == 1:
            self._left, self._made = (), self._made + 1
        return joint

    def _paths(self, legal: Sequence[Sequence[str]]) -> list[tuple[tuple[str, ...], tuple[int, ...], bool]]:
        """Returns the joint moves that do something, with the squares that each goes over, and whether it captures."""
        found = []
        for _, joint in zip(range(_MOST_JOINT_MOVES), product(*legal), strict=False):
            ply = self._ply(joint)
            if ply is not None:
                found.append((joint, tuple(map(self._number, ply.path)), ply.jump))
        return found


def _begins(squares: tuple[int, ...], path: tuple[int, ...], written: WrittenMove) -> bool:
    """Says whether a path may be the next part of a written move, which may name only its ends."""
    if squares[: len(path)] == path:
        return True
    return written.jump and len(squares) == 2 and path[0] == squares[0] and len(path) > 1 and path[-1] == squares[-1]
