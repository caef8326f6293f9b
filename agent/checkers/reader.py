"""Reads checkers data in batches, with games held out for tests.

Positions of one game are alike, so whole games are held out and not positions: else a network would be tested on what
it has seen. The one symmetry of the game is used up by views from the mover's side; there are no other images to learn
from.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
class MoveTargets:
    """The legal moves of n positions, one position after the other, and the share of each in the policy.

    A position has few of the 128 moves: a million of them take a tenth of the memory of tables with all.
    """

    first: npt.NDArray[np.int64]  # [n + 1]: where the moves of a position begin
    numbers: npt.NDArray[np.uint8]  # [m]: 4 * square + direction
    shares: npt.NDArray[np.float32]  # [m]

    @staticmethod
    def of_rows(count: int, rows: npt.NDArray[np.int64], numbers: Any, shares: Any) -> MoveTargets:
        """Returns the moves of `count` positions, with the row [m] that each is of, in order."""
        first = np.concatenate(([0], np.cumsum(np.bincount(rows, minlength=count))))
        return MoveTargets(first, numbers, shares.astype(np.float32))

    @staticmethod
    def joined(parts: Sequence[MoveTargets]) -> MoveTargets:
        """Returns the moves of all positions of several parts."""
        counts = np.concatenate([np.diff(part.first) for part in parts])
        return MoveTargets(
            np.concatenate(([0], np.cumsum(counts))),
            np.concatenate([part.numbers for part in parts]),
            np.concatenate([part.shares for part in parts]),
        )

    def __getitem__(self, rows: npt.NDArray[Any] | slice) -> MoveTargets:
        starts, counts = self.first[:-1][rows], np.diff(self.first)[rows]
        first = np.concatenate(([0], np.cumsum(counts)))
        chosen = np.arange(first[-1]) + np.repeat(starts - first[:-1], counts)
        return MoveTargets(first, self.numbers[chosen], self.shares[chosen])

    def spread(self, values: npt.NDArray[Any], none: Any) -> npt.NDArray[Any]:
        """Returns the values [m] of moves in tables of all of them, [n, MOVES], where others have `none`."""
        table = np.full((len(self.first) - 1, MOVES), none)
        table[np.repeat(np.arange(len(table)), np.diff(self.first)), self.numbers] = values
        return table


@dataclass(frozen=True, slots=True)
class Examples:
    """Positions to learn from, [n] each; what is not known is NaN."""

    words: Words  # [n, 3]
    game: npt.NDArray[np.int64]
    result: npt.NDArray[np.float32]  # of the game for the mover: 1, 0 or -1
    outcome: npt.NDArray[np.float32]  # the interpolated result of the game for the mover, -1 to 1
    value: npt.NDArray[np.float32]  # of the best move for the mover, -1 to 1; NaN where moves were not judged
    moves: MoveTargets

    def __len__(self) -> int:
        return len(self.words)

    @property
    def policy(self) -> npt.NDArray[np.float32]:
        """The target of the move head, which sums to 1: [n, MOVES]."""
        return self.moves.spread(self.moves.shares, np.float32(0))

    @property
    def legal(self) -> npt.NDArray[np.bool_]:
        """Which moves are legal, [n, MOVES]."""
        return self.moves.spread(np.ones(len(self.moves.numbers), np.bool_), np.False_)

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
    plain: dict[str, Any] = {
        name: np.concatenate([getattr(part, name) for part in parts]) for name in Examples.__slots__ if name != "moves"
    }
    return Examples(**plain, moves=MoveTargets.joined([part.moves for part in parts]))


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
    words, method = shard["words"], options.method
    value = np.full(len(words), np.nan, np.float32)
    if method == "outcome":
        rows, numbers = legal_moves(counted_rules(options.idle, options.cap), words)
        moves = MoveTargets.of_rows(len(words), rows, numbers, numbers == shard["played"][rows])
    else:
        rows, numbers = np.repeat(np.arange(len(words)), np.diff(shard["first"])), shard["moves"]
        rates = np.nan_to_num(shard["values"]).astype(float)
        best = np.full(len(words), -np.inf)
        np.maximum.at(best, rows, rates)
        weights = np.exp((rates - best[rows]) / temperature)
        if method == "search":
            weights = _visits(shard["visits"], rows, rates == best[rows], len(words))
            best[rows] = rates[_most(weights, numbers, rows)]
        value = (2 * best - 1).astype(np.float32)
        moves = MoveTargets.of_rows(len(words), rows, numbers, weights / np.bincount(rows, weights)[rows])
    return Examples(words, shard["game"], shard["result"].astype(np.float32), shard["label"], value, moves)


def _visits(visits: Any, rows: Any, is_best: Any, count: int) -> Any:
    """Returns the visits of moves; where a search proved all without any, one for each of the best."""
    none = np.bincount(rows, visits, count)[rows] == 0
    return np.where(none, is_best, visits).astype(float)


def _most(weights: Any, numbers: Any, rows: Any) -> Any:
    """Returns for each move, [m], the one of its position with the greatest weight, of equals the lowest number.

    By visits in a search, since values of moves seldom tried say little.
    """
    order = np.lexsort((numbers, -weights, rows))
    starts = np.flatnonzero(np.diff(rows, prepend=-1))
    return np.repeat(order[starts], np.diff(starts, append=len(rows)))
