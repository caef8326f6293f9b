"""The native core in Python: games, simulators and searches over states that are bit strings.

Its modules are the only ones that touch `lib`: every status is checked in them and raised as `NativeError` with
the native message. Calls that compute release the interpreter lock. Shapes are said in `binding`.

>>> game = Game.from_propnet(net)
>>> Simulator(game).playouts(10_000).mean_length
>>> search = Search(game, threads=2)
>>> search.run(seconds=1.0)
"""

from ludens.native.core.batch import BatchLayout, SteppedGames
from ludens.native.core.binding import Floats, JointMoves, States, Words, pack_bits, unpack_bits
from ludens.native.core.board_network import BoardEvaluation, BoardNetwork, BoardNetworkWeights, board_weight_shapes
from ludens.native.core.checkers import EndgameTable, Knowledge, checkers_baseline_move, checkers_perft
from ludens.native.core.checkers_network import CheckersNetwork, NetworkEvaluation, NetworkWeights
from ludens.native.core.evaluation import (
    Evaluation,
    EvaluationFit,
    EvaluationWeights,
    FitMemory,
    PositionImages,
    RandomGames,
    SelfPlay,
    TrainingSamples,
    random_samples,
)
from ludens.native.core.game import Game
from ludens.native.core.gomoku import ProofNode, Threats, ThreatSearch, gomoku_shapes
from ludens.native.core.search import MOST_PEERS, Leaves, RootMoves, Search, SearchStats, SharingCosts
from ludens.native.core.simulator import Playouts, Simulator, instruction_sets
from ludens.native.core.sources import native_sources
from ludens.native.core.tak import (
    TakTraining,
    TrainingStats,
    tak_estimates,
    tak_moves_by_rank,
    tak_perft,
    tak_weight_count,
)
from ludens.native.core.tinue import Tinue, TinueNode, TinueSearch

__all__ = [
    "MOST_PEERS",
    "BatchLayout",
    "BoardEvaluation",
    "BoardNetwork",
    "BoardNetworkWeights",
    "CheckersNetwork",
    "EndgameTable",
    "Evaluation",
    "EvaluationFit",
    "EvaluationWeights",
    "FitMemory",
    "Floats",
    "Game",
    "JointMoves",
    "Knowledge",
    "Leaves",
    "NetworkEvaluation",
    "NetworkWeights",
    "Playouts",
    "PositionImages",
    "ProofNode",
    "RandomGames",
    "RootMoves",
    "Search",
    "SearchStats",
    "SelfPlay",
    "SharingCosts",
    "Simulator",
    "States",
    "SteppedGames",
    "TakTraining",
    "ThreatSearch",
    "Threats",
    "Tinue",
    "TinueNode",
    "TinueSearch",
    "TrainingSamples",
    "TrainingStats",
    "Words",
    "board_weight_shapes",
    "checkers_baseline_move",
    "checkers_perft",
    "gomoku_shapes",
    "instruction_sets",
    "native_sources",
    "pack_bits",
    "random_samples",
    "tak_estimates",
    "tak_moves_by_rank",
    "tak_perft",
    "tak_weight_count",
    "unpack_bits",
]
