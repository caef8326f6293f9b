"""Recognises a game of the checkers family by what its network does, and proves it by play.

    recognised = recognise(net, seconds=5)

Nothing is read from names. Random games of the network show which facts are the board, whose the pieces are and
which way they go (`board_layouts`, `board`), what its moves mean (`moves`) and what else it remembers (`facts`);
questions about positions show the rest of the rules (`rule_inference`). What was found is only believed if a game core
with these rules and the network agree on everything in thousands of positions and games (`proof`). Where anything is
different the game is refused, and stays with the network.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ludens.games.checkers.bitboards.native_game import NativeCore
from ludens.games.checkers.recognition.board import find_board
from ludens.games.checkers.recognition.board_layouts import find_layouts
from ludens.games.checkers.recognition.encoding import Encoding
from ludens.games.checkers.recognition.facts import FactInterpreter
from ludens.games.checkers.recognition.history import read_history
from ludens.games.checkers.recognition.moves import read_moves
from ludens.games.checkers.recognition.proof import Proof, Prover
from ludens.games.checkers.recognition.rule_inference import infer_rules
from ludens.games.checkers.recognition.sampled_games import sample_transitions
from ludens.games.checkers.recognition.term_shapes import group_by_shape
from ludens.games.checkers.rules.parameters import CheckersRules
from ludens.native.core import Game, Simulator
from ludens.propnet.base.errors import NativeError, NotRecognisedError, UnprovenError
from ludens.propnet.network.propnet import Propnet

_POSITIONS = 2048
_GAMES = 10_000
_LEAST_GAMES = 500


@dataclass(frozen=True, slots=True, eq=False)
class RecognisedRules:
    """The rules that a network plays, how it represents positions and moves, and what proves it."""

    rules: CheckersRules
    encoding: Encoding
    proof: Proof

    def __str__(self) -> str:
        """One line for people."""
        proof = self.proof
        return f"{self.rules}; proven on {proof.games:,} games and {proof.positions:,} positions"


def recognise(
    net: Propnet, seconds: float, *, positions: int = _POSITIONS, games: int = _GAMES, seed: int = 0
) -> RecognisedRules:
    """Recognises a network and proves it on `games` random games, or as many as the time allows.

    Raises NotRecognisedError, with the reason, for any other game, and UnprovenError if the time was too short.
    """
    game = Game.from_propnet(net)
    simulator = Simulator(game, seed=seed)
    encoding = interpret(net, game, simulator, seed)
    try:
        core = NativeCore(encoding.rules)
    except NativeError as error:
        raise NotRecognisedError(str(error)) from error
    proof = Prover(net, encoding, simulator, core, seed).prove(positions, games, seconds)
    if proof.games < min(games, _LEAST_GAMES):
        raise UnprovenError(f"only {proof.games:,} games could be compared in {proof.seconds:.1f} s")
    return RecognisedRules(encoding.rules, encoding, proof)


def looks_like_checkers(net: Propnet) -> bool:
    """Says whether `recognise` is worth its time: some facts look like the board, and there are two roles."""
    return len(net.roles) == 2 and any(True for _ in find_layouts(group_by_shape(net.propositions)))


def interpret(net: Propnet, game: Game, simulator: Simulator, seed: int = 0) -> Encoding:
    """Finds out what a network means, without a proof; raises NotRecognisedError."""
    facts = group_by_shape(net.propositions)
    candidates = list(find_layouts(facts))
    if not candidates:
        raise NotRecognisedError(
            "no facts look like a board with 8 rows and 4, 6 or 8 columns of which every second square is used"
        )
    samples = sample_transitions(net, game, simulator)
    board = find_board(samples, candidates)
    history = read_history(samples, board)
    rules, moves = read_moves(samples, board, history, net.moves)
    reader = FactInterpreter(samples, board, history, simulator)
    for group in facts:
        if group is not board.group:
            reader.read(group)
    encoding = Encoding(rules, net.state_bits, board, reader.facts, moves, samples.waiting)
    return replace(encoding, rules=infer_rules(encoding, samples, simulator, np.random.default_rng(seed)))
