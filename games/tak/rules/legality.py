"""Says which rule a move breaks, without listing the moves that are legal: quick enough to read long games."""

from __future__ import annotations

from ludens.games.tak.rules.parameters import Kind, Move, Placement, Spread
from ludens.games.tak.rules.reference import OPENING_PLIES, Position, outcome


def broken_rule(position: Position, move: Move) -> str:
    """Returns why a move of the board's squares is not legal; empty if it is."""
    if outcome(position) is not None:
        return "the game is over"
    if isinstance(move, Placement):
        return _of_placement(position, move)
    return _of_lifting(position, move) or _of_way(position, move)


def _of_placement(position: Position, move: Placement) -> str:
    rules, player = position.rules, position.turn + 1
    if position.board[move.square].owners:
        return f"{rules.name(move.square)} is taken"
    if position.ply < OPENING_PLIES:
        return "" if move.kind == Kind.FLAT else "the first move of each player is a flat"
    flats, capstones = position.reserves[position.turn]
    if move.kind != Kind.CAPSTONE:
        return "" if flats else f"player {player} has no flats and walls left"
    if not rules.reserve[1]:
        return f"there are no capstones on size {rules.size}"
    return "" if capstones else f"player {player} has no capstone left"


def _of_lifting(position: Position, move: Spread) -> str:
    """Says why the pieces cannot be taken up."""
    stack, name, size = position.board[move.square], position.rules.name(move.square), position.rules.size
    if position.ply < OPENING_PLIES:
        return "the first move of each player is a flat"
    if stack.controller is None:
        return f"there are no pieces on {name}"
    if stack.controller != position.turn:
        return f"the stack on {name} is not that of player {position.turn + 1}"
    if sum(move.drops) > stack.height:
        return f"at most {stack.height} can be taken from {name}, where there are no more"
    if sum(move.drops) > size:
        return f"at most {size} can be taken from {name}: that is the carry limit on size {size}"
    return ""


def _of_way(position: Position, move: Spread) -> str:
    """Says what is in the way of pieces that can be taken up."""
    way = position.rules.lines[move.square][move.direction]
    if len(move.drops) > len(way):
        return "the edge is in the way"
    for count, square in enumerate(way[: len(move.drops)], 1):
        top, name = position.board[square].top, position.rules.name(square)
        if top == Kind.CAPSTONE:
            return f"a capstone is in the way, on {name}"
        alone = count == len(move.drops) and move.drops[-1] == 1
        if top == Kind.WALL and not (alone and position.board[move.square].top == Kind.CAPSTONE):
            return f"a wall is in the way, on {name}: only a capstone by itself flattens it"
    return ""
