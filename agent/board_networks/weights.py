"""The weights of a network over the board of a game, and where they are kept for that game under whatever names."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from ludens.agent.board_networks.board_planes import BoardPlanes
from ludens.agent.learning.evaluation_cache import EvaluationCache
from ludens.agent.learning.fit import Learned
from ludens.native.core import BoardEvaluation, BoardNetwork, BoardNetworkWeights, Evaluation, Game
from ludens.propnet.base.array_file import StoredArrays
from ludens.propnet.base.errors import NativeError
from ludens.propnet.network.propnet import Propnet


class BoardWeights(NamedTuple):
    """A network in whole numbers, and what it sees."""

    planes: BoardPlanes
    network: BoardNetworkWeights

    def evaluation(self, game: Game) -> Evaluation:
        """Returns the evaluation of the game that they are of; raises NativeError for numbers that are none."""
        return BoardEvaluation(BoardNetwork(self.network), game, self.planes.columns, self.planes.fills)


LearnedNetwork: TypeAlias = Learned[BoardWeights]


class BoardEntry:
    """Reads and writes networks over the board of a game, whose propositions have canonical `names`."""

    def __init__(self, cache: EvaluationCache, net: Propnet) -> None:
        self._cache, self._roles = cache, len(net.roles)
        self.names = np.array([cache.canonical(text) for text in net.propositions], np.str_)
        self._order = np.argsort(self.names)  # of propositions as they are stored
        self._ranks = np.argsort(self._order)  # of each proposition among those

    def seconds(self) -> float:
        """Returns how long the network in its place was learned; 0 if there is none, or one of other propositions."""
        return self._cache.seconds_of(self.names)

    def read(self) -> LearnedNetwork | None:
        """Returns the saved network of the game; None if there is none that fits."""
        stored = self._cache.load()
        try:
            return None if stored is None else self._restored(stored)
        except (ValueError, TypeError, LookupError, MemoryError, NativeError):
            return None

    def write(self, learned: LearnedNetwork) -> None:
        """Saves a network in the place of the older one. Raises `OSError`."""
        planes, network = learned.weights
        self._cache.store(
            {
                "names": self.names[self._order],
                "timed_out": np.array([], np.str_),
                "rounds": np.array(learned.rounds),
                "seconds": np.array(learned.seconds),
                "gated": np.array(learned.gated),
                "shape": np.array([planes.height, planes.width]),
                "columns": _renumbered(planes.columns, self._ranks),
                "fills": np.column_stack((_renumbered(planes.fills[:, 0], self._ranks), planes.fills[:, 1:])),
                **network._asdict(),
            }
        )

    def _restored(self, stored: StoredArrays) -> LearnedNetwork | None:
        """Returns what arrays say; None, or any of the errors that `read` takes, where they do not fit."""
        if not np.array_equal(stored["names"], self.names[self._order]):
            return None
        height, width = (int(size) for size in stored["shape"].astype(np.int64))
        columns, (facts, *others) = stored["columns"].astype(np.int64), stored["fills"].astype(np.int64).T
        fills = np.column_stack((_renumbered(facts, self._order), *others)).astype(np.int32)
        planes = BoardPlanes(height, width, _renumbered(columns, self._order), fills)
        planes.check(len(self.names))
        arrays: dict[str, Any] = {name: stored[name] for name in BoardNetworkWeights._fields}
        network = BoardNetworkWeights(**arrays)
        BoardNetwork(network)  # raises where the numbers do not fit together
        rounds, seconds = int(stored["rounds"].astype(np.int64)), float(stored["seconds"].astype(np.float64))
        seen = (network.squares, network.planes, network.outputs)
        fits = seen == (planes.squares, planes.number, self._roles) and rounds >= 0 and seconds >= 0
        return (
            Learned(BoardWeights(planes, network), rounds, seconds, bool(stored.get("gated", False))) if fits else None
        )


def _renumbered(propositions: npt.NDArray[np.integer], numbers: npt.NDArray[np.int64]) -> npt.NDArray[np.int32]:
    """Returns propositions by other numbers; -1 stays. Raises `IndexError` for what is none."""
    if propositions.size and propositions.min() < -1:
        raise IndexError("a proposition has a number below -1")
    renumbered: npt.NDArray[np.int32] = np.append(numbers, -1)[propositions].astype(np.int32)
    return renumbered
