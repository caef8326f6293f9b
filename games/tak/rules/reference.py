"""A slow and simple implementation of Tak: the oracle of the fast game core.

>>> position = first_position(TakRules(5))
>>> position = after(position, legal_moves(position)[0])
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from ludens.games.tak.rules.parameters import Kind, Move, Placement, Spread, TakError, TakRules

OPENING_PLIES = 2
"""In which each player places a flat of the other one."""


@dataclass(frozen=True, slots=True)
class Stack:
    """The pieces on a square: their owners from below to the top, and what the top one is."""

    owners: tuple[int, ...] = ()
    top: Kind = Kind.FLAT

    @property
    def height(self) -> int:
        """Returns the number of pieces."""
        return len(self.owners)

    @property
    def controller(self) -> int | None:
        """Returns the owner of the top piece; None if the square is empty."""
        return self.owners[-1] if self.owners else None

    def is_road_of(self, player: int) -> bool:
        """Says whether the square can be part of a player's road."""
        return self.controller == player and self.top != Kind.WALL


EMPTY = Stack()


@dataclass(frozen=True, slots=True)
class Position:
    """A position: the stacks by square, what flats and capstones both players have left, and the plies so far."""

    rules: TakRules
    board: tuple[Stack, ...]
    reserves: tuple[tuple[int, int], tuple[int, int]]
    ply: int

    @property
    def turn(self) -> int:
        """Returns who is to move."""
        return self.ply % 2


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended: who won, None if nobody did, and whether by a road."""

    winner: int | None
    road: bool

    @property
    def goals(self) -> tuple[int, int]:
        """Returns the goals of both players."""
        return (50, 50) if self.winner is None else ((100, 0), (0, 100))[self.winner]


def first_position(rules: TakRules) -> Position:
    """Returns the empty board."""
    return Position(rules, (EMPTY,) * rules.squares, (rules.reserve, rules.reserve), 0)


def legal_moves(position: Position) -> list[Move]:
    """Returns the legal moves of who is to move, in the order of their numbers; none after the end."""
    if outcome(position) is not None:
        return []
    moves: list[Move] = list(_placements(position))
    if position.ply >= OPENING_PLIES:
        moves += _spreads(position)
    return sorted(moves, key=position.rules.number)


def after(position: Position, move: Move) -> Position:
    """Returns the position after a move; raises `TakError` if it is not legal."""
    if move not in legal_moves(position):
        raise TakError("this move is not legal")
    return made(position, move)


def outcome(position: Position) -> Outcome | None:
    """Returns how the game has ended; None if it goes on. Of two roads that of who moved last counts."""
    mover = 1 - position.turn
    for player in (mover, 1 - mover):
        if has_road(position, player):
            return Outcome(player, road=True)
    if all(stack.owners for stack in position.board) or any(sum(reserve) == 0 for reserve in position.reserves):
        lead = flat_lead(position)
        return Outcome(None if lead == 0 else int(lead < 0), road=False)
    limit = position.rules.ply_limit
    return Outcome(None, road=False) if limit and position.ply >= limit else None


def flat_lead(position: Position) -> int:
    """Returns by how many halves of a flat player 0 is ahead of player 1, whose komi counts."""
    tops = [stack.controller for stack in position.board if stack.owners and stack.top == Kind.FLAT]
    return 2 * (tops.count(0) - tops.count(1)) - position.rules.half_komi


def has_road(position: Position, player: int) -> bool:
    """Says whether flats and capstones of a player connect two opposite edges."""
    size = position.rules.size
    own = {square for square, stack in enumerate(position.board) if stack.is_road_of(player)}
    for first, last in (
        ({s for s in own if s < size}, {s for s in own if s >= size * (size - 1)}),
        ({s for s in own if s % size == 0}, {s for s in own if s % size == size - 1}),
    ):
        if _connected(position.rules, own, first) & last:
            return True
    return False


def perft(position: Position, depth: int, *, count_ended: bool) -> int:
    """Returns the number of move sequences of `depth` plies; those that end the game earlier count if it is said."""
    if depth == 0:
        return 1
    if outcome(position) is not None:
        return int(count_ended)
    return sum(perft(made(position, move), depth - 1, count_ended=count_ended) for move in legal_moves(position))


def made(position: Position, move: Move) -> Position:
    """Returns the position after a move that is legal."""
    board = list(position.board)
    reserves = position.reserves
    if isinstance(move, Placement):
        owner = _owner_of_placed(position)
        board[move.square] = Stack((owner,), move.kind)
        reserves = _without(reserves, owner, move.kind)
    else:
        _spread(position.rules, board, move)
    return replace(position, board=tuple(board), reserves=reserves, ply=position.ply + 1)


def _connected(rules: TakRules, own: set[int], start: set[int]) -> set[int]:
    """Returns the squares of `own` that can be reached from `start` within `own`."""
    reached, new = set(start), list(start)
    while new:
        for line in rules.lines[new.pop()]:
            if line and line[0] in own and line[0] not in reached:
                reached.add(line[0])
                new.append(line[0])
    return reached


def _owner_of_placed(position: Position) -> int:
    return 1 - position.turn if position.ply < OPENING_PLIES else position.turn


def _placements(position: Position) -> Iterator[Placement]:
    flats, capstones = position.reserves[_owner_of_placed(position)]
    kinds = [Kind.FLAT, Kind.WALL] if flats else []
    kinds += [Kind.CAPSTONE] if capstones else []
    if position.ply < OPENING_PLIES:
        kinds = [Kind.FLAT]
    for square, stack in enumerate(position.board):
        if not stack.owners:
            yield from (Placement(square, kind) for kind in kinds)


def _spreads(position: Position) -> Iterator[Spread]:
    for square, stack in enumerate(position.board):
        if stack.controller == position.turn:
            for direction in range(4):
                for taken in range(1, min(stack.height, position.rules.size) + 1):
                    yield from _spreads_of(position, square, direction, taken)


def _spreads_of(position: Position, square: int, direction: int, taken: int) -> Iterator[Spread]:
    """Yields the ways to leave `taken` pieces along a direction."""
    stack = position.board[square]
    way = position.rules.lines[square][direction]
    for drops in _compositions(taken, len(way)):
        *before, end = (position.board[at] for at in way[: len(drops)])
        flattens = stack.top == Kind.CAPSTONE and drops[-1] == 1 and end.top == Kind.WALL
        if all(passed.top == Kind.FLAT for passed in before) and (end.top == Kind.FLAT or flattens):
            yield Spread(square, direction, drops)


def _compositions(total: int, most: int) -> Iterator[tuple[int, ...]]:
    """Yields the ways to write `total` as an ordered sum of at most `most` positive numbers."""
    if total == 0:
        yield ()
    elif most > 0:
        for first in range(1, total + 1):
            yield from ((first, *rest) for rest in _compositions(total - first, most - 1))


def _spread(rules: TakRules, board: list[Stack], move: Spread) -> None:
    stack = board[move.square]
    left = stack.height - sum(move.drops)
    carried = list(stack.owners[left:])
    board[move.square] = Stack(stack.owners[:left])
    way = rules.lines[move.square][move.direction][: len(move.drops)]
    for at, count in zip(way, move.drops, strict=True):
        board[at] = Stack(board[at].owners + tuple(carried[:count]))
        del carried[:count]
    board[way[-1]] = replace(board[way[-1]], top=stack.top)


def _without(
    reserves: tuple[tuple[int, int], tuple[int, int]], owner: int, kind: Kind
) -> tuple[tuple[int, int], tuple[int, int]]:
    """Returns the reserves after a piece has been taken from one of them."""
    flats, capstones = reserves[owner]
    rest = (flats, capstones - 1) if kind == Kind.CAPSTONE else (flats - 1, capstones)
    return (rest, reserves[1]) if owner == 0 else (reserves[0], rest)
