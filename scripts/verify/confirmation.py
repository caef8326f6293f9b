"""Checks a recognised game against the interpreter, and in far more games than recognition plays.

The rules that were accepted are played by the reference (`games.checkers.rules`) beside the interpreter of the
sheet; neither shares code with networks or bitboards. Then the network and the bitboards play many times the games
and positions of recognition from another seed, and games on their own, of which the results are compared.
"""

from __future__ import annotations

import random

import numpy as np

from ludens.games.checkers.bitboards.native_game import NativeCore
from ludens.games.checkers.recognition.proof import Prover
from ludens.games.checkers.recognition.recognise import RecognisedRules
from ludens.games.checkers.rules.parameters import MoveTable, Path
from ludens.games.checkers.rules.positions import Positions
from ludens.games.checkers.rules.reference import Position, Reference
from ludens.native.core import Game, Simulator
from ludens.propnet.base.errors import NotRecognisedError
from ludens.propnet.gdl.interpreter import Interpreter
from ludens.propnet.gdl.parser import parse_term
from ludens.propnet.gdl.syntax import RuleSheet
from ludens.propnet.network.propnet import Propnet

_SEED = 10_007  # recognition has another
_PLAYOUTS = 10_000
_LONGEST = 400  # plies; without a limit kings go on for ever
_DEVIATIONS = 6.0  # of a mean, in standard errors


def difference(
    sheet: RuleSheet, net: Propnet, found: RecognisedRules, plies: int, positions: int, games: int, seconds: float
) -> str:
    """Returns what differs from the rules that were recognised; empty if nothing does.

    `plies` are compared with the interpreter, `positions` and `games` with the network, and these no longer than
    for `seconds`.
    """
    try:
        _ask_interpreter(sheet, net, found, plies)
        game = Game.from_propnet(net)
        core = NativeCore(found.rules, seed=_SEED)
        prover = Prover(net, found.encoding, Simulator(game, seed=_SEED), core, _SEED)
        prover.prove(positions, games, seconds)
        _compare_results(found, Simulator(game, seed=_SEED + 1), core.simulator)
    except NotRecognisedError as reason:
        return str(reason)
    return ""


def _ask_interpreter(sheet: RuleSheet, net: Propnet, found: RecognisedRules, plies: int) -> None:
    """Plays games by the reference and by the interpreter at once, captures first in every other one."""
    oracle, reference, rng = Interpreter(sheet), Reference(found.rules), random.Random(_SEED)
    table, games = found.encoding.moves.table, 0
    while plies > 0:
        state, position, last, capture = oracle.initial(), reference.initial(), -1, -1
        games += 1
        while True:
            plies -= 1
            row = Positions.of([position])
            _same_facts(net, found, row, last, capture, {str(fact) for fact in state})
            over = reference.terminal(position)
            _same(over == oracle.terminal(state), "whether a game is over")
            goals = reference.goals(position)
            _same(oracle.goals(state) == tuple(goals[found.rules.role(role)] for role in (0, 1)), "goals")
            if over or plies <= 0:
                break
            paths = reference.legal(position, position.turn)
            texts, wait = _legal_texts(net, found, position, paths)
            mover, waiter = (net.roles[found.rules.role(side)] for side in (position.turn, 1 - position.turn))
            _same({str(move) for move in oracle.legal(state, mover)} == set(texts), "legal moves")
            _same([str(move) for move in oracle.legal(state, waiter)] == [wait], "legal moves")
            chosen = rng.choice(range(len(paths)) if games % 2 else _longest_captures(table, paths))
            last = position.turn
            capture = int(found.encoding.captures(row, np.array([table.numbers[paths[chosen]]]))[0])
            state = oracle.next(state, {mover: parse_term(texts[chosen]), waiter: parse_term(wait)})
            position = reference.next(position, paths[chosen])


def _legal_texts(net: Propnet, found: RecognisedRules, position: Position, paths: list[Path]) -> tuple[list[str], str]:
    """Returns the network's texts of moves of the side to move, and of the move with which the other waits."""
    encoding, mover = found.encoding, found.rules.role(position.turn)
    numbers = np.array([encoding.moves.table.numbers[path] for path in paths], np.int64)
    moves = encoding.network_moves(Positions.of([position] * len(paths)), numbers).tolist()
    return [net.moves[mover][move] for move in moves], net.moves[1 - mover][encoding.waiting[1 - mover]]


def _longest_captures(table: MoveTable, paths: list[Path]) -> list[int]:
    """Returns the places of the moves with the most jumps; of all moves where none captures."""
    jumps = [len(path) - 1 if table.numbers[path] >= table.first_jump else 0 for path in paths]
    return [place for place, count in enumerate(jumps) if count == max(jumps)]


def _same_facts(net: Propnet, found: RecognisedRules, row: Positions, last: int, capture: int, facts: set[str]) -> None:
    for before in (last,) if last >= 0 else (0, 1):  # nobody has moved yet: the sheet may say either
        bits = found.encoding.encode(row, np.array([before]), np.array([capture]))[0]
        expected = {name for name, holds in zip(net.propositions, bits, strict=True) if holds}
        if expected == facts & set(net.propositions):
            return
    raise NotRecognisedError(f"facts differ: {sorted(expected ^ facts)[:3]}")


def _compare_results(found: RecognisedRules, network: Simulator, boards: Simulator) -> None:
    one, other = (core.playouts(_PLAYOUTS, max_steps=_LONGEST) for core in (network, boards))
    error = np.sqrt((one.goal_deviations**2 + other.goal_deviations**2) / _PLAYOUTS) + 1e-9
    _same(bool((np.abs(one.goal_means - other.goal_means) < _DEVIATIONS * error).all()), "results of random games")
    _same(abs(one.mean_length - other.mean_length) < 2, "lengths of random games")


def _same(equal: bool, what: str) -> None:
    if not equal:
        raise NotRecognisedError(f"{what} differ")
