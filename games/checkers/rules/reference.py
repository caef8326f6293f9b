"""A slow and simple implementation of the checkers family: the oracle of the fast game cores.

Squares, sides and moves are those of `parameters`. It works on dictionaries of pieces and shares nothing with
bitboards but the notation of positions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from ludens.games.checkers.rules.parameters import DIRECTIONS, DOWN, FORWARD, UP, CheckersRules, Forcing, Jumps, Path

Piece = tuple[int, bool]  # the side, and whether it is a king
Board = dict[int, Piece]


@dataclass(frozen=True, slots=True)
class Position:
    """One position: pieces as bit sets, whose turn it is, and what else the rules depend on."""

    up: int  # pieces of UP
    down: int  # pieces of DOWN
    kings: int  # those of them that are kings
    turn: int = UP
    chain: int | None = None  # the square of the piece that goes on capturing
    step: int = 0  # plies so far, where they are limited
    idle: int = 0  # plies in a row without progress, where they are limited

    def pieces(self, side: int) -> int:
        """Returns the number of pieces of a side."""
        return (self.up, self.down)[side].bit_count()


class Reference:
    """Plays one game of the family by the book."""

    def __init__(self, rules: CheckersRules) -> None:
        """Plays by these rules."""
        self.rules = rules

    def initial(self) -> Position:
        """Returns the first position."""
        return Position(*self.rules.initial)

    def legal(self, position: Position, side: int) -> list[Path]:
        """Returns the legal moves of a side; just the empty one for the side that waits."""
        if side != position.turn:
            return [()]
        moves = self._moves(position, side)
        if position.chain is not None:
            moves = [path for path in moves if path[0] == position.chain and self._is_jump(path)]
        return moves

    def next(self, position: Position, path: Path) -> Position:
        """Returns the position after a move of the side to move."""
        rules, side = self.rules, position.turn
        board = _board(position)
        owner, king = board.pop(path[0])
        victims = [self._between(*leap) for leap in pairwise(path)] if self._is_jump(path) else []
        for victim in victims:
            del board[victim]
        end = path[-1]
        crowned = rules.kings and not king and end // rules.row == rules.crown_row(side)
        board[end] = (owner, king or crowned)
        chain = None
        if rules.jumps is Jumps.BY_PLIES and victims and not crowned and any(self._jumps(board, end)):
            chain = end
        progress = bool(victims) or not king
        return Position(
            up=_squares(board, lambda piece: piece[0] == UP),
            down=_squares(board, lambda piece: piece[0] == DOWN),
            kings=_squares(board, lambda piece: piece[1]),
            turn=side if chain is not None else 1 - side,
            chain=chain,
            step=position.step + 1 if rules.step_limit else 0,
            idle=position.idle + 1 if rules.idle_limit and not progress else 0,
        )

    def terminal(self, position: Position) -> bool:
        """Says whether the game is over."""
        rules = self.rules
        if rules.step_limit and position.step >= rules.step_limit:
            return True
        if rules.idle_limit and position.idle >= rules.idle_limit:
            return True
        sides = (UP, DOWN) if rules.stuck_either else (position.turn,)
        return not all(self._moves(position, side) for side in sides)

    def goals(self, position: Position) -> tuple[int, int]:
        """Returns the goals of UP and DOWN, in any position."""
        goals = self.rules.goals[position.pieces(UP)][position.pieces(DOWN)]
        if self.rules.stuck_goals and not self._moves(position, position.turn):
            mover, other = self.rules.stuck_goals
            goals = (mover, other) if position.turn == UP else (other, mover)
        return goals

    def _moves(self, position: Position, side: int) -> list[Path]:
        """Returns the moves of a side if it were its turn and no piece had to go on capturing."""
        board = _board(position)
        own = [square for square, (owner, _) in sorted(board.items()) if owner == side]
        captures = [path for square in own for path in self._captures(board, square)]
        steps = [path for square in own for path in self._steps(board, square)]
        match self.rules.forcing:
            case Forcing.NONE:
                return steps + captures
            case Forcing.ANY:
                return captures or steps
            case Forcing.LONGEST:
                most = max(map(len, captures), default=0)
                return [path for path in captures if len(path) == most] or steps

    def _steps(self, board: Board, square: int) -> Iterator[Path]:
        for way in _ways(board[square]):
            to = self.rules.neighbour(square, way)
            if to is not None and to not in board:
                yield square, to

    def _captures(self, board: Board, square: int) -> Iterator[Path]:
        match self.rules.jumps:
            case Jumps.ONE | Jumps.BY_PLIES:
                yield from self._jumps(board, square)
            case Jumps.UP_TO_THREE:
                for length in (1, 2, 3):
                    yield from self._chains(board, (square,), frozenset(), length)
            case Jumps.WHOLE:
                yield from self._whole_chains(board, square)

    def _chains(self, board: Board, path: Path, taken: frozenset[int], length: int) -> Iterator[Path]:
        """Yields chains of `length` more jumps on the board as it stands: captured pieces leave it only at the end."""
        if length == 0:
            yield path
            return
        for victim, landing in self._leaps(board, board[path[0]], path[-1]):
            if victim not in taken:
                yield from self._chains(board, (*path, landing), taken | {victim}, length - 1)

    def _whole_chains(self, board: Board, square: int) -> Iterator[Path]:
        """Yields chains to their end, each jump on the board after the one before; a man that is crowned stops."""
        piece = board[square]
        for victim, landing in self._leaps(board, piece, square):
            after = {s: p for s, p in board.items() if s not in (square, victim)} | {landing: piece}
            side, king = piece
            crowned = self.rules.kings and not king and landing // self.rules.row == self.rules.crown_row(side)
            rest = [] if crowned else list(self._whole_chains(after, landing))
            yield from ((square, *path) for path in rest or [(landing,)])

    def _jumps(self, board: Board, square: int) -> Iterator[Path]:
        for _, landing in self._leaps(board, board[square], square):
            yield square, landing

    def _leaps(self, board: Board, piece: Piece, square: int) -> Iterator[tuple[int, int]]:
        """Yields the squares that one jump of `piece` from `square` goes over and lands on."""
        for way in _ways(piece):
            victim = self.rules.neighbour(square, way)
            landing = None if victim is None else self.rules.neighbour(victim, way)
            if victim is None or landing is None or landing in board:
                continue
            if victim in board and board[victim][0] != piece[0]:
                yield victim, landing

    def _is_jump(self, path: Path) -> bool:
        return path[1] not in [self.rules.neighbour(path[0], way) for way in range(len(DIRECTIONS))]

    def _between(self, start: int, landing: int) -> int:
        for way in range(len(DIRECTIONS)):
            victim = self.rules.neighbour(start, way)
            if victim is not None and self.rules.neighbour(victim, way) == landing:
                return victim
        raise ValueError(f"no jump leads from {start} to {landing}")


def _board(position: Position) -> Board:
    return {
        square: (UP if position.up >> square & 1 else DOWN, bool(position.kings >> square & 1))
        for square in range((position.up | position.down).bit_length())
        if (position.up | position.down) >> square & 1
    }


def _ways(piece: Piece) -> tuple[int, ...]:
    side, king = piece
    return tuple(range(len(DIRECTIONS))) if king else FORWARD[side]


def _squares(board: Board, holds: Callable[[Piece], bool]) -> int:
    return sum(1 << square for square, piece in board.items() if holds(piece))
