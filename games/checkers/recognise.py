"""Recognises a game of the checkers family by what its network does, and proves it by play.

    recognised = recognise(net, seconds=5)

Nothing is read from names. Random games of the network show which facts are the board, whose the pieces are and
which way they go (`changes`, `board`), what its moves mean (`moves`) and what else it remembers (`facts`);
questions about positions show the rest of the rules (`fit`). What was found is only believed if a game core with
these rules and the network agree on everything in thousands of positions and games (`proof`). Where anything is
different the game is refused, and stays with the network.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from games.checkers.board import find_board
from games.checkers.encoding import Encoding
from games.checkers.facts import FactReader
from games.checkers.family import CheckersRules
from games.checkers.fit import fit
from games.checkers.history import read_history
from games.checkers.moves import read_moves
from games.checkers.plays import play
from games.checkers.positions import Core, ReferenceCore
from games.checkers.proof import Proof, Prover
from games.checkers.terms import groups
from native.core import Game, Simulator
from propnet.network import Propnet

_POSITIONS = 4096
_GAMES = 10_000


@dataclass(frozen=True, slots=True, eq=False)
class Recognised:
    """A game that is one of the family: its rules, how the network writes them, and what proves it."""

    rules: CheckersRules
    encoding: Encoding
    proof: Proof


def recognise(
    net: Propnet,
    seconds: float,
    *,
    make_core: Callable[[CheckersRules], Core] = ReferenceCore,
    positions: int = _POSITIONS,
    games: int = _GAMES,
    seed: int = 0,
) -> Recognised:
    """The game of a network as one of the family, proven on `games` games or as many as the time allows.

    Raises NotRecognisedError, with the reason, for any other game.
    """
    game = Game.from_propnet(net)
    simulator = Simulator(game, seed=seed)
    encoding = interpret(net, game, simulator, seed)
    prover = Prover(net, encoding, simulator, make_core(encoding.rules), seed)
    return Recognised(encoding.rules, encoding, prover.prove(positions, games, seconds))


def interpret(net: Propnet, game: Game, simulator: Simulator, seed: int = 0) -> Encoding:
    """What a network means, if it is checkers: not proven. Raises NotRecognisedError."""
    plays = play(net, game, simulator)
    facts = groups(net.propositions)
    board = find_board(plays, facts)
    history = read_history(plays, board)
    rules, moves = read_moves(plays, board, history, net.moves)
    reader = FactReader(plays, board, history, simulator)
    for group in facts:
        if group is not board.group:
            reader.read(group)
    encoding = Encoding(rules, net.state_bits, board, reader.facts, moves, plays.waiting)
    return replace(encoding, rules=fit(encoding, plays, simulator, np.random.default_rng(seed)))
