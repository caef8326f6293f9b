"""Forced wins by a road in Tak (tinuë) on the readable rules alone: replays proofs, and finds short wins by trying all.

Only the form of a proof is taken from the native core. What moves there are, what they lead to and what a road is
follow from `ludens.games.tak.rules.reference`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from ludens.games.tak.notation.ptn import write_move
from ludens.games.tak.rules.parameters import Move
from ludens.games.tak.rules.reference import Position, has_road, legal_moves, made, outcome
from ludens.native.core import TinueNode


def successors(position: Position) -> Iterator[tuple[Move, Position]]:
    """Yields the legal moves of who is to move, each with the position after it; none after the end."""
    for move in legal_moves(position):
        yield move, made(position, move)


def refutation(position: Position, node: TinueNode) -> str:
    """Returns what is wrong with the proof that who is to move wins by a road, "" if nothing is.

    Every legal answer to every move of the proof is made, and the attacker's road is looked for at the end.
    """
    attacker, number = position.turn, position.rules.number
    moves = {number(move): (write_move(position.rules, move), after) for move, after in successors(position)}
    if node.move not in moves:
        return f"move {node.move} is not legal"
    name, after = moves[node.move]
    end = outcome(after)
    if node.road is None:
        return "" if end and _is_road_of(after, attacker) else f"{name} completes no road"
    if end:
        return f"{name} ends the game"
    answers = {number(move): (write_move(position.rules, move), answered) for move, answered in successors(after)}
    if not node.answers.keys() <= answers.keys():
        return f"{name} has an answer that is not legal"
    for answer, (told, answered) in answers.items():
        if outcome(answered) is None:
            wrong = refutation(answered, node.answers.get(answer, TinueNode(node.road, None, {})))
        else:
            wrong = "" if _is_road_of(answered, attacker) else "ends the game without the attacker's road"
        if wrong:
            return f"{name} {told} {wrong}"
    return ""


@cache
def wins_by_threats(position: Position, moves: int) -> bool:
    """Says whether who is to move can force a road with so many moves, each a threat to complete one with the next.

    Tries all moves of both sides.
    """
    attacker = position.turn
    after = [next_one for _, next_one in successors(position)]
    if any(_is_road_of(next_one, attacker) for next_one in after):
        return True
    return moves > 1 and any(
        outcome(next_one) is None
        and threatens_road(next_one)
        and all(_goes_on(answered, attacker, moves - 1) for _, answered in successors(next_one))
        for next_one in after
    )


def threatens_road(position: Position) -> bool:
    """Says whether who has just moved could complete a road if the other side passed."""
    passed = replace(position, ply=position.ply + 1)
    return any(_is_road_of(after, passed.turn) for _, after in successors(passed))


def moves_of(node: TinueNode) -> int:
    """Returns the number of the attacker's moves in the longest line of a proof."""
    return 1 if node.road is None else 1 + max([1, *map(moves_of, node.answers.values())])


def _goes_on(position: Position, attacker: int, moves: int) -> bool:
    return wins_by_threats(position, moves) if legal_moves(position) else _is_road_of(position, attacker)


def _is_road_of(position: Position, player: int) -> bool:
    """Whether the game is over by a road of a player: of two roads that of who moved last counts."""
    return has_road(position, player) and (position.turn != player or not has_road(position, 1 - player))
