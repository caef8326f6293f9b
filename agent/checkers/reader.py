"""Reads checkers data in batches, with games held out for tests.

Positions of one game are alike, so whole games are held out and not positions: else a network would be tested on what
it has seen. The one symmetry of the game is used up by views from the mover's side; there are no other images to learn
from.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ludens.agent.checkers.dataset import DataOptions
from ludens.agent.checkers.move_values import legal_moves
from ludens.agent.checkers.shards import DataError, Shard, read_configuration, read_shard, shard_path
from ludens.agent.checkers.views import MOVES, Words, counted_rules

_MIX = np.uint64(0x9E3779B97F4A7C15)
_SPLIT = 1 << 16


@dataclass(frozen=True, slots=True)
class Examples:
    """Positions to learn from, [n] each; what is not known is NaN."""

    words: Words  # [n, 3]
    game: npt.NDArray[np.int64]
    result: npt.NDArray[np.float32]  # of the game for the mover: 1, 0 or -1
    outcome: npt.NDArray[np.float32]  # the interpolated result of the game for the mover, -1 to 1
    value: npt.NDArray[np.float32]  # of the best move for the mover, -1 to 1; NaN where moves were not judged
    policy: npt.NDArray[np.float32]  # [n, MOVES]: the target of the move head, which sums to 1
    legal: npt.NDArray[np.bool_]  # [n, MOVES]

    def __len__(self) -> int:
        return len(self.words)

    @property
    def judged(self) -> npt.NDArray[np.bool_]:
        """Where moves were judged, so that the best one is known, [n]."""
        return ~np.isnan(self.value)

    def __getitem__(self, rows: npt.NDArray[Any] | slice) -> Examples:
        return Examples(*(getattr(self, name)[rows] for name in Examples.__slots__))


def configuration(folder: Path) -> DataOptions:
    """Returns from which options the data in a folder follow; raises `DataError`."""
    found = read_configuration(folder, asdict(DataOptions()))
    if found is None:
        raise DataError(f"{folder} has no checkers data")
    return DataOptions(**found)


def read_examples(folder: Path, *, temperature: float = 0.05) -> Examples:
    """Returns all positions of a folder; raises `DataError`.

    The policy of moves judged by random games is the softmax of their win rates over `temperature`, that of a search
    its visits, and that of games alone the move that was played.
    """
    options = configuration(folder)
    count = -(-options.positions // options.shard)
    parts = [_examples(read_shard(shard_path(folder, n)), options, temperature) for n in range(count)]
    return Examples(*(np.concatenate([getattr(part, name) for part in parts]) for name in Examples.__slots__))


def held_out(examples: Examples, share: float) -> npt.NDArray[np.bool_]:
    """Says which positions are of the games that are held out: about `share` of all games, the same ones for ever."""
    mixed = (examples.game.astype(np.uint64) + np.uint64(1)) * _MIX
    found: npt.NDArray[np.bool_] = (mixed >> np.uint64(48)) < np.uint64(share * _SPLIT)
    return found


def batches(examples: Examples, rows: npt.NDArray[np.intp], size: int) -> Iterator[Examples]:
    """Yields the positions of these rows in batches of `size` and a smaller one."""
    for start in range(0, len(rows), size):
        yield examples[rows[start : start + size]]


def _examples(shard: Shard, options: DataOptions, temperature: float) -> Examples:
    n, rows = len(shard["words"]), np.repeat(np.arange(len(shard["words"])), np.diff(shard["first"]))
    policy, legal = np.zeros((n, MOVES), np.float32), np.zeros((n, MOVES), np.bool_)
    value, method = np.full(n, np.nan, np.float32), options.method
    if method == "outcome":
        legal[legal_moves(counted_rules(options.idle, options.cap), shard["words"])] = True
        policy[np.arange(n), shard["played"]] = 1
    else:
        legal[rows, shard["moves"]] = True
        rates = np.full((n, MOVES), -np.inf)
        rates[rows, shard["moves"]] = np.nan_to_num(shard["values"])
        value = (2 * _best(shard, rows, rates, method) - 1).astype(np.float32)
        policy[rows, shard["moves"]] = _targets(shard, rows, rates, method, temperature)
    return Examples(
        shard["words"], shard["game"], shard["result"].astype(np.float32), shard["label"], value, policy, legal
    )


def _best(shard: Shard, rows: Any, rates: Any, method: str) -> Any:
    """Returns the win rate of the best move: by visits in a search, since values of moves seldom tried say little."""
    if method != "search":
        return rates.max(axis=1)
    visits = np.full(rates.shape, -1.0)
    visits[rows, shard["moves"]] = _visits(shard, rows, rates)
    return rates[np.arange(len(rates)), visits.argmax(axis=1)]


def _visits(shard: Shard, rows: Any, rates: Any) -> Any:
    """Returns the visits of moves; where a search proved all without any, one for each of the best."""
    none = np.bincount(rows, shard["visits"], len(rates))[rows] == 0
    return np.where(none, rates[rows, shard["moves"]] == rates.max(axis=1)[rows], shard["visits"]).astype(float)


def _targets(shard: Shard, rows: Any, rates: Any, method: str, temperature: float) -> Any:
    if method == "search":
        weights = _visits(shard, rows, rates)
    else:
        weights = np.exp((rates[rows, shard["moves"]] - rates.max(axis=1)[rows]) / temperature)
    return weights / np.bincount(rows, weights, len(rates))[rows]
