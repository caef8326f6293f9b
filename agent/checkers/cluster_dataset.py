"""Makes checkers data on a cluster: workers play games and judge blocks of positions, and this process writes shards.

The shards are those that one machine makes, bit by bit: what is played and judged follows from seeds, and positions are
chosen here, shard after shard. Games of later shards are played meanwhile. A shard is written when all its blocks are
judged; what is lost when a run ends is made again when it goes on.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ludens.agent.checkers.dataset import (
    DataOptions,
    Progress,
    ShardChoice,
    kept_words,
    new_judge,
    new_player,
    shard_seeds,
    shard_sizes,
    with_words,
)
from ludens.agent.checkers.games import GamePositions
from ludens.agent.checkers.move_values import MoveValues, seeded_blocks
from ludens.agent.checkers.shards import DataError, shard_path, write_shard
from ludens.agent.checkers.views import Words
from ludens.agent.cluster.actor_pool import ActorPool, Place
from ludens.agent.cluster.errors import ClusterError
from ludens.propnet.base.child import Tell

_AHEAD = 64  # shards that are played before the first of them is written
_BLOCKS = 8  # that a worker judges at once, so that messages are few


@dataclass(frozen=True, slots=True)
class Games:
    """Games to be played for a shard, in batches, until they have as many positions as it needs or one batch more."""

    shard: int
    size: int
    rng: np.random.Generator
    one_batch: bool = False


@dataclass(frozen=True, slots=True)
class Blocks:
    """Positions of a shard to be judged."""

    shard: int
    number: int
    blocks: list[tuple[Words, int]]  # each with its seed


Task = Games | Blocks
Played = tuple[list[GamePositions], np.random.Generator]  # batches, and what the next one is random by


class DataWorker:
    """Plays games and judges positions."""

    def __init__(self, options: DataOptions, place: Place) -> None:
        """Raises `ClusterError` if this machine has another network than that by which the data were begun, or none."""
        self._player = new_player(options)
        try:
            self._judge = new_judge(options)
        except DataError as error:
            raise ClusterError(f"{place.host}: {error}") from None

    def do(self, task: Task) -> Played | MoveValues:
        """Returns the batches of games, or what the moves of positions are worth."""
        if isinstance(task, Blocks):
            assert self._judge is not None
            return MoveValues.joined([self._judge(words, seed) for words, seed in task.blocks])
        choice, rng = ShardChoice(task.shard, task.size, np.zeros(0, np.uint64)), task.rng
        batches = [self._player.play(choice.games, rng)]
        choice.add(batches[0])
        while not (task.one_batch or choice.enough):
            batches.append(self._player.play(choice.games, rng))
            choice.add(batches[-1])
        return batches, rng


@dataclass(slots=True)
class _Shard:
    """A shard that is being judged."""

    positions: GamePositions
    values: list[MoveValues | None] = field(default_factory=list)  # of each task


def make_on_cluster(ray: Any, folder: Path, options: DataOptions, tell: Tell, warn: Callable[[str], None]) -> Progress:
    """Makes the shards that are missing or damaged, as `make` does; raises `DataError` or `ClusterError`."""
    maker = _ClusterMaker(folder, options, tell, warn)
    pool: ActorPool[Task, Played | MoveValues] = ActorPool(ray, partial(DataWorker, options), warn)
    for task, result in filter(None, pool.results(maker.tasks())):
        maker.take(task, result)
    return maker.made


class _ClusterMaker:
    """Says what is to be done, and takes what was."""

    def __init__(self, folder: Path, options: DataOptions, tell: Tell, warn: Callable[[str], None]) -> None:
        self.made = Progress()
        self._folder, self._options, self._tell = folder, options, tell
        self._began = time.monotonic()
        self._sizes = shard_sizes(options)
        found = (kept_words(shard_path(folder, number), size, warn) for number, size in enumerate(self._sizes))
        self._kept = {number: words for number, words in enumerate(found) if words is not None}
        self._done = sum(len(words) for words in self._kept.values())  # positions that are written
        self._missing = deque(number for number in range(len(self._sizes)) if number not in self._kept)
        self._played: dict[int, Played] = {}  # by shard
        self._open: dict[int, _Shard] = {}
        self._urgent = deque[Task]()
        self._known = np.zeros(0, np.uint64)  # of the shards before ...
        self._next = 0  # ... the one that is chosen next
        self._choice: ShardChoice | None = None  # of this one
        self._choose()

    def tasks(self) -> Iterator[Task | None]:
        """Yields what is to be done next, None where that has to wait; ends when all shards are written."""
        while self._done < self._options.positions:
            self._tell(self.made.line(self._done, self._options.positions))
            if self._urgent:
                yield self._urgent.popleft()
            elif self._missing and self._missing[0] < self._next + _AHEAD:
                number = self._missing.popleft()
                yield Games(number, self._sizes[number], shard_seeds(self._options, number)[0])
            else:
                yield None

    def take(self, task: Task, result: Any) -> None:
        """Takes the result of a task; raises `DataError`."""
        if isinstance(task, Games):
            self._played[task.shard] = result
            self._choose()
            return
        shard = self._open[task.shard]
        shard.values[task.number] = result
        if None not in shard.values:
            self._write(task.shard, shard.positions, MoveValues.joined([each for each in shard.values if each]))

    def _choose(self) -> None:
        """Chooses the positions of all shards that can be chosen by now, one after the other."""
        while self._next < len(self._sizes):
            number = self._next
            words = self._kept.pop(number, None)
            if words is None:
                if number not in self._played:
                    return
                batches, rng = self._played.pop(number)
                choice = self._choice = self._choice or ShardChoice(number, self._sizes[number], self._known)
                for batch in batches:
                    choice.add(batch)
                if not choice.enough:  # some are in shards before
                    self._urgent.appendleft(Games(number, self._sizes[number], rng, one_batch=True))
                    return
                self._choice, positions = None, choice.chosen(rng)
                self._begin(number, positions)
                words = positions.words
            self._known = with_words(self._known, words)
            self._next += 1

    def _begin(self, number: int, positions: GamePositions) -> None:
        """Has the positions of a shard judged, or writes it at once where nothing is asked of them."""
        if self._options.method == "outcome":
            self._write(number, positions, MoveValues.none(len(positions)))
            return
        blocks = seeded_blocks(positions.words, shard_seeds(self._options, number)[1])
        parts = [blocks[start : start + _BLOCKS] for start in range(0, len(blocks), _BLOCKS)]
        self._open[number] = _Shard(positions, [None] * len(parts))
        self._urgent.extend(Blocks(number, place, part) for place, part in enumerate(parts))

    def _write(self, number: int, positions: GamePositions, values: MoveValues) -> None:
        write_shard(shard_path(self._folder, number), positions, values)
        self._open.pop(number, None)
        self._done += len(positions)
        self.made.positions += len(positions)
        self.made.playouts += values.playouts
        self.made.seconds = time.monotonic() - self._began
