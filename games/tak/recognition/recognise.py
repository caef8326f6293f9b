"""Recognises Tak by what a network does, and proves it by play.

    recognised = recognise(net, seconds=5)

Nothing is read from names. The first moves show the squares (`opening`), random games what other moves do (`moves`) and
which limit of plies and komi hold (`proof`). What was found is only believed if the game core with these rules and the
network agree in thousands of games. Where anything is different the game is refused, and stays with the network.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np

from ludens.games.tak.native_game import native_game
from ludens.games.tak.recognition.moves import count_possible_moves, match_moves, possible_moves
from ludens.games.tak.recognition.opening import Ints, read_opening
from ludens.games.tak.recognition.proof import Proof, find_half_komi, find_ply_limit, prove
from ludens.games.tak.rules.parameters import RESERVES, TakRules
from ludens.games.tak.rules.rare_ends import back_and_forth
from ludens.native.core import Game, Simulator
from ludens.propnet.base.errors import NotRecognisedError, UnprovenError
from ludens.propnet.network.propnet import Propnet

_GAMES = 10_000
_FIRST_PLIES, _PLIES = 8, 60  # of games to find the limit of plies, and then all moves
_LEAST_GAMES = 500


@dataclass(frozen=True, slots=True, eq=False)
class RecognisedRules:
    """The rules that a network plays, its moves, and what proves it."""

    rules: TakRules
    moves: Ints  # [2, moves] the network's number of each role's move, by the core's number; -1 for none
    proof: Proof

    def __str__(self) -> str:
        return f"{self.rules}; proven on {self.proof.games:,} games and {self.proof.positions:,} positions"


def board_size(net: Propnet) -> int:
    """Returns the size of the board on which Tak has as many moves as a network; 0 if there is none."""
    counts = {len(moves) for moves in net.moves} if len(net.roles) == 2 else set()
    sizes = [size for size in RESERVES if counts == {count_possible_moves(TakRules(size)) + 1}]
    return sizes[0] if sizes else 0


def recognise(net: Propnet, seconds: float, *, games: int = _GAMES, seed: int = 0) -> RecognisedRules:
    """Recognises a network and proves it on `games` random games, or as many as the time allows.

    Finding out what moves mean and the proof may take `seconds` each. Raises NotRecognisedError, with the reason, for
    any other game, and UnprovenError if the time was too short.
    """
    size = board_size(net)
    if not size:
        raise NotRecognisedError("its roles have other numbers of moves than players of Tak")
    until = time.monotonic() + seconds
    network, rules = Simulator(Game.from_propnet(net), seed=seed), TakRules(size)
    moves, cycle = read_opening(network, rules), {*islice(back_and_forth(rules), 6)}
    moves = _matched(network, rules, moves, np.array([rules.number(move) for move in cycle]), _FIRST_PLIES, seed, until)
    rules = replace(rules, ply_limit=find_ply_limit(network, rules, moves))
    moves = _matched(network, rules, moves, possible_moves(rules), _PLIES, seed, until)
    rules = replace(rules, half_komi=find_half_komi(network, rules, moves, seed))
    proof = prove(network, rules, moves, games, seconds, seed)
    if proof.games < min(games, _LEAST_GAMES):
        raise UnprovenError(f"only {proof.games:,} games could be compared in {proof.seconds:.1f} s")
    return RecognisedRules(rules, moves, proof)


def _matched(
    network: Simulator, rules: TakRules, moves: Ints, wanted: Ints, plies: int, seed: int, until: float
) -> Ints:
    core = Simulator(native_game(rules), seed=seed)
    return match_moves(network, core, rules, moves, wanted, plies, seed, until)
