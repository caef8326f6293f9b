"""Finds the parameters of the rules that the facts do not show, by asking the network about positions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ludens.games.checkers.recognition.encoding import Encoding
from ludens.games.checkers.recognition.sampled_games import SampledTransitions
from ludens.games.checkers.rules.parameters import (
    DIRECTIONS,
    MOST_PIECES,
    UP,
    CheckersRules,
    Forcing,
    Jumps,
    goal_table,
)
from ludens.games.checkers.rules.positions import Bools, Ints, Positions, random_boards
from ludens.games.checkers.rules.reference import Position, Reference
from ludens.native.core import Simulator, States, pack_bits
from ludens.propnet.base.errors import NotRecognisedError

_BOARDS = 8  # for each number of pieces


def infer_rules(
    encoding: Encoding, samples: SampledTransitions, simulator: Simulator, rng: np.random.Generator
) -> CheckersRules:
    """Completes the rules; raises NotRecognisedError where the network answers differently to equal questions."""
    rules = replace(
        encoding.rules,
        step_limit=encoding.facts.step_limit,
        idle_limit=encoding.facts.idle_limit,
        forcing=_forcing(encoding, samples),
    )
    rules = _infer_goals(replace(encoding, rules=rules), simulator, rng)
    return replace(rules, stuck_either=_stuck_either(replace(encoding, rules=rules), simulator))


def _forcing(encoding: Encoding, samples: SampledTransitions) -> Forcing:
    """Finds out which moves are forced, from which kinds are legal together: steps, captures of each length."""
    table, together = encoding.moves.table, np.zeros(0, np.bool_)
    seen: set[tuple[bool, ...]] = set()
    for role in (0, 1):
        lengths = np.full(samples.legal[role].shape[1], -1)
        for kind in (0, 1):
            for number, path in enumerate(table.paths):
                move = encoding.moves.network[role, kind, number]
                if move >= 0 and path:
                    lengths[move] = 0 if number < table.first_jump else len(path) - 1
        legal = samples.legal[role][samples.mover == role]
        together = np.stack([legal[:, lengths == length].any(axis=1) for length in range(4)], axis=1)
        seen |= set(map(tuple, together.tolist()))
    if any(step and any(jumps) for step, *jumps in seen):
        return Forcing.NONE
    several = any(sum(jumps) > 1 for _, *jumps in seen)
    return Forcing.ANY if several or encoding.rules.jumps is not Jumps.UP_TO_THREE else Forcing.LONGEST


def _infer_goals(encoding: Encoding, simulator: Simulator, rng: np.random.Generator) -> CheckersRules:
    """Adds the goals to the rules: by numbers of pieces where the side to move can move, then where it has no piece."""
    rules = encoding.rules
    most = [bits.bit_count() for bits in rules.initial[:2]]
    if max(most) > MOST_PIECES:
        raise NotRecognisedError(f"a side has more than {MOST_PIECES} pieces")
    numbers = np.array([(up, down) for up in range(most[0] + 1) for down in range(most[1] + 1) if up or down])
    up, down = np.repeat(numbers, _BOARDS, axis=0).T
    boards = random_boards(rules, up, down, rng)
    able = replace(boards, turn=np.where(up == 0, 1, np.where(down == 0, 0, boards.turn)))
    states = _states(encoding, able)
    goals = simulator.goals(states)[:, [rules.role(UP), rules.role(1 - UP)]].astype(np.int64)
    moves = _can_move(encoding, simulator, states, able)
    table: dict[tuple[int, int], tuple[int, int]] = {}
    for a, b in numbers.tolist():
        rows = moves & (up == a) & (down == b)
        if not rows.any() or (goals[rows] != goals[rows][0]).any():
            raise NotRecognisedError(f"the goals do not follow from the numbers of pieces, such as {a} and {b}")
        table[a, b] = int(goals[rows][0, 0]), int(goals[rows][0, 1])
    nobody = table[0, 1]
    rules = replace(rules, goals=goal_table(lambda a, b: table.get((min(a, most[0]), min(b, most[1])), nobody)))
    return replace(rules, stuck_goals=_stuck_goals(encoding, simulator, boards, table))


def _stuck_goals(
    encoding: Encoding, simulator: Simulator, boards: Positions, table: dict[tuple[int, int], tuple[int, int]]
) -> tuple[int, int] | None:
    """Returns the goals of a side without a piece and of the other; None if they are those of the table."""
    rows = (boards.up == 0) | (boards.down == 0)
    lost = replace(boards, turn=(boards.down == 0).astype(np.int64))[rows]
    role = lost.turn ^ encoding.rules.first_role
    goals = simulator.goals(_states(encoding, lost))
    n = np.arange(len(lost))
    found = set(zip(goals[n, role].tolist(), goals[n, 1 - role].tolist(), strict=True))
    by_table = [table[u, d] for u, d in zip(lost.pieces(0).tolist(), lost.pieces(1).tolist(), strict=True)]
    expected = [goal[::-1] if turn else goal for goal, turn in zip(by_table, lost.turn.tolist(), strict=True)]
    if list(zip(goals[n, role].tolist(), goals[n, 1 - role].tolist(), strict=True)) == expected:
        return None
    if len(found) > 1:
        raise NotRecognisedError("a side without pieces does not always get the same goals")
    return found.pop()


def _stuck_either(encoding: Encoding, simulator: Simulator) -> bool:
    """Finds out whether the game is over when the side that waits could not move."""
    positions = Positions.of(_blocked(encoding.rules))
    states = _states(encoding, positions)
    over = simulator.terminal(states)[_can_move(encoding, simulator, states, positions)]
    if not len(over) or over.any() != over.all():
        raise NotRecognisedError("having no move sometimes ends the game and sometimes does not")
    return bool(over[0])


def _blocked(rules: CheckersRules) -> list[Position]:
    """Returns positions in which UP can move, and the one man of DOWN could not."""
    found, game = [], Reference(rules)
    for square in range(rules.squares):
        around = set()
        for way in range(len(DIRECTIONS)):
            near = rules.neighbour(square, way)
            around |= {near, None if near is None else rules.neighbour(near, way)}
        up = sum(1 << s for s in around - {None, square} if s is not None)
        position = Position(up, 1 << square, up & rules.crown_squares(UP) if rules.kings else 0)
        if square >= rules.row and game.legal(position, UP) and not game.legal(replace(position, turn=1), 1):
            found.append(position)
    return found


def _states(encoding: Encoding, positions: Positions) -> States:
    return pack_bits(encoding.encode(positions, 1 - positions.turn, np.full(len(positions), -1)))


def _can_move(encoding: Encoding, simulator: Simulator, states: States, positions: Positions) -> Bools:
    """Returns whether the side to move has a legal move in the network, [n]."""
    legal = simulator.legal(states)
    counts = np.stack([moves.sum(axis=1) for moves in legal])
    waits = np.stack([moves[:, wait] for moves, wait in zip(legal, encoding.waiting, strict=True)])
    role: Ints = positions.turn ^ encoding.rules.first_role
    rows = np.arange(len(positions))
    return (counts[role, rows] > 0) & ~waits[role, rows]
