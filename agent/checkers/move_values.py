"""What the moves of positions are worth: by random games from every child, or by a native search.

Monte Carlo random descent as the checkers program had it that Ludens grew from: random games from each child of a
position; the win rate is what the move is worth to the mover, draws counted half. Shares of the games are equal, or in
proportion to promise: games go round by round to the moves in proportion to 1 / (d + u), d the distance of a mean to
the best one and u the standard error (inverse gap weighting, see native/src/mcts/mcrd.cpp: the strategy `mcrd`
does the same for replies as well).

Random games are played on the native bitboards, or by the kernel for graphics processors, on one or on the processor,
which plays the same games there. What is played depends on that choice, the seed and the positions alone, not on
threads: each block of positions has a machine of its own, or random numbers of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from threading import Lock

import numpy as np
import numpy.typing as npt

from ludens.agent.checkers.views import MOVES, Words, states_of
from ludens.games.checkers.bitboards.native_game import native_game, unpack
from ludens.games.checkers.kernels.playouts import CheckersPlayouts
from ludens.games.checkers.rules.parameters import UP, CheckersRules
from ludens.native.core import CheckersNetwork, Game, NetworkEvaluation, RootMoves, Search, Simulator, States

_LANES = 256  # games side by side: a number, so that shards are the same with every instruction set
_BLOCK = 64  # positions
_KERNEL_BLOCK = 1024  # of the kernel, which plays many games at once
_LOOKED_AT = 8192  # positions whose legal moves are found at once: a table of all moves for each takes memory
_ROUNDS = 8  # after which shares are worked out again
_SEARCH_LANES, _SEARCH_MEMORY = 64, 8 << 20
_DEVIATION = 0.5  # of the result of a game, at most


@dataclass(frozen=True, slots=True)
class MoveValues:
    """The legal moves of n positions, one position after the other, and what they are worth."""

    first: npt.NDArray[np.int64]  # [n + 1]: where the moves of a position begin
    moves: npt.NDArray[np.uint8]  # [m]: 4 * square + direction
    values: npt.NDArray[np.float32]  # [m]: win rate of the mover, 0 to 1; NaN without games
    visits: npt.NDArray[np.int32]  # [m]: games
    playouts: int  # in all

    @staticmethod
    def none(count: int) -> MoveValues:
        """Returns what is known of the moves of `count` positions where nothing was asked."""
        empty = np.zeros(0)
        return MoveValues(
            np.zeros(count + 1, np.int64), empty.astype(np.uint8), empty.astype(np.float32), empty.astype(np.int32), 0
        )

    @staticmethod
    def joined(parts: list[MoveValues]) -> MoveValues:
        """Returns what is known of all positions of several parts."""
        counts = np.concatenate([np.diff(part.first) for part in parts])
        return MoveValues(
            np.concatenate(([0], np.cumsum(counts))),
            np.concatenate([part.moves for part in parts]),
            np.concatenate([part.values for part in parts]),
            np.concatenate([part.visits for part in parts]),
            sum(part.playouts for part in parts),
        )


Judge = Callable[[Words, int], MoveValues]  # of a block of positions, with a seed
KERNELS = ("gpu", "processor", "off")
"""Where the kernel plays random games, or that the native bitboards do."""


def block_size(kernel: str) -> int:
    """Returns how many positions are judged at once."""
    return _BLOCK if kernel == "off" else _KERNEL_BLOCK


def random_descent(rules: CheckersRules, playouts: int, proportional: bool, kernel: str = "off") -> Judge:
    """Returns what judges moves by `playouts` random games each, or as many in all but in proportion to promise.

    `kernel` is of `KERNELS`; raises `LudensError` where numba or the GPU is missing.
    """
    play: _PlayGames = partial(_on_bitboards, rules) if kernel == "off" else _Kernel(rules, kernel == "gpu").play
    return partial(_descend, play, native_game(rules), playouts, proportional)


def searched(rules: CheckersRules, strategy: str, playouts: int, network: CheckersNetwork | None = None) -> Judge:
    """Returns what judges moves by a native search with `playouts` random games, or visits, for each legal move.

    Strategies that need an evaluation judge positions by a `network`.
    """
    game = native_game(rules)
    evaluation = NetworkEvaluation(network, game) if network else None
    return partial(_search, game, strategy, playouts, evaluation)


def judge_all(
    judge: Judge, words: Words, seed: np.random.SeedSequence, threads: int, block: int = _BLOCK
) -> MoveValues:
    """Judges the moves of any number of positions, `block` at once, with so many threads."""
    with ThreadPoolExecutor(threads) as pool:
        return MoveValues.joined(list(pool.map(judge, *zip(*seeded_blocks(words, seed, block), strict=True))))


def seeded_blocks(words: Words, seed: np.random.SeedSequence, size: int = _BLOCK) -> list[tuple[Words, int]]:
    """Returns positions in blocks of a `size` that are judged one by one, each with a seed."""
    blocks = [words[start : start + size] for start in range(0, len(words), size)]
    seeds = [int(child.generate_state(1, np.uint64)[0]) for child in seed.spawn(len(blocks))]
    return list(zip(blocks, seeds, strict=True))


def legal_moves(rules: CheckersRules, words: Words) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint8]]:
    """Returns the rows [m] and moves [m], 4 * square + direction, of all legal moves of positions."""
    simulator, starts = Simulator(native_game(rules), _LANES), range(0, len(words), _LOOKED_AT)
    found = [_moves_of_up(simulator, states_of(words[start : start + _LOOKED_AT])) for start in starts]
    rows = np.concatenate([rows + start for start, (rows, _) in zip(starts, found, strict=True)])
    return rows, np.concatenate([(numbers % MOVES).astype(np.uint8) for _, numbers in found])


def children_of(simulator: Simulator, states: States) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], States]:
    """Returns the rows [m] and numbers [m] of all moves of UP in states in which it is to move, and the children."""
    rows, numbers = _moves_of_up(simulator, states)
    joint = np.stack((numbers, np.full(len(numbers), simulator.game.moves[0] - 1)), axis=1)
    return rows, numbers, simulator.next(states[rows], joint.astype(np.int32))


def _moves_of_up(simulator: Simulator, states: States) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Returns the rows [m] and numbers [m] of all moves of UP, without that of waiting."""
    rows, numbers = np.nonzero(simulator.legal(states)[0][:, :-1])
    return rows, numbers


_PlayGames = Callable[[Simulator, States, npt.NDArray[np.int64], int], npt.NDArray[np.float64]]
"""Plays so many random games from each state, with a machine and a seed, and returns the sums of the goals of UP."""


def _on_bitboards(
    rules: CheckersRules, simulator: Simulator, states: States, games: npt.NDArray[np.int64], _seed: int
) -> npt.NDArray[np.float64]:
    sums, _ = simulator.playouts_from(states, games, max_steps=rules.step_limit + 1)
    goals: npt.NDArray[np.float64] = sums[:, 0]
    return goals


class _Kernel:
    """The kernel, for several threads in turn."""

    def __init__(self, rules: CheckersRules, gpu: bool) -> None:
        self._playouts, self._lock = CheckersPlayouts(rules, gpu=gpu), Lock()
        self._most_steps = rules.step_limit + 1

    def play(
        self, _simulator: Simulator, states: States, games: npt.NDArray[np.int64], seed: int
    ) -> npt.NDArray[np.float64]:
        """See `_PlayGames`."""
        with self._lock:
            found = self._playouts.play(unpack(states), games, seed=seed, max_steps=self._most_steps)
        goals: npt.NDArray[np.float64] = np.nan_to_num(found.goals[:, UP]) * games
        return goals


def _descend(play: _PlayGames, game: Game, playouts: int, proportional: bool, words: Words, seed: int) -> MoveValues:
    simulator = Simulator(game, _LANES, seed)
    rows, numbers, children = children_of(simulator, states_of(words))
    counts = np.bincount(rows, minlength=len(words))
    won, visits = np.zeros(len(rows)), np.zeros(len(rows), np.int64)
    rounds = min(_ROUNDS, playouts) if proportional else 1
    for number in range(rounds):
        each = playouts * (number + 1) // rounds - playouts * number // rounds
        games = np.full(len(rows), each)
        if number:
            games = np.rint(_shares(won / visits, visits, rows, counts) * (each * counts[rows])).astype(np.int64)
        won += play(simulator, children, games, seed + number) / 100
        visits += games
    first = np.concatenate(([0], np.cumsum(counts)))
    values = (won / visits).astype(np.float32)
    return MoveValues(first, (numbers % MOVES).astype(np.uint8), values, visits.astype(np.int32), int(visits.sum()))


def _shares(
    means: npt.NDArray[np.float64],
    visits: npt.NDArray[np.int64],
    rows: npt.NDArray[np.int64],
    counts: npt.NDArray[np.int64],
) -> npt.NDArray[np.float64]:
    """Returns the share of each move among those of its position, in proportion to 1 / (d + u)."""
    best = np.zeros(len(counts))
    np.maximum.at(best, rows, means)
    total = np.bincount(rows, visits, len(counts))
    promise = 1 / (best[rows] - means + _DEVIATION / np.sqrt(total[rows]))
    shares: npt.NDArray[np.float64] = promise / np.bincount(rows, promise, len(counts))[rows]
    return shares


def _search(
    game: Game, strategy: str, playouts: int, evaluation: NetworkEvaluation | None, words: Words, seed: int
) -> MoveValues:
    states = states_of(words)
    simulator = Simulator(game, _SEARCH_LANES)
    legal = simulator.legal(states)[0]
    found = []
    for row, state in enumerate(states):
        search = Search(
            game,
            strategy=strategy,
            lanes=_SEARCH_LANES,
            memory_bytes=_SEARCH_MEMORY,
            seed=seed + row,
            evaluation=evaluation,
        )
        search.set_root(state)
        search.run(playouts=playouts * int(legal[row].sum()))
        found.append(searched_values(search.root_moves(0), search.stats().playouts))
    return MoveValues.joined(found)


def searched_values(known: RootMoves, playouts: int) -> MoveValues:
    """Returns what a search of so many random games knows of the moves of a position.

    A move that is proven gets no more visits, however good it is: it has those of all moves if it is the one to play,
    and none if it is not.
    """
    visits, proven = known.visits.copy(), known.proven >= 0
    values = np.where(proven, known.proven, known.values)
    if proven[known.best]:
        visits[:], visits[known.best] = 0, known.visits.sum()
    else:
        visits[proven] = 0
    order = np.argsort(known.moves)
    return MoveValues(
        np.array([0, len(order)]),
        (known.moves[order] % MOVES).astype(np.uint8),
        (values[order] / 100).astype(np.float32),
        visits[order].astype(np.int32),
        playouts,
    )
