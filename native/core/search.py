"""Searches in the native core, whatever their strategy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from ludens.native._core import ffi, lib

from ludens.native.core.binding import Arrays, JointMoves, States, Words, check, shaped, whole
from ludens.native.core.checkers import Knowledge
from ludens.native.core.evaluation import Evaluation
from ludens.native.core.game import Game
from ludens.native.defaults import EXPAND_AFTER, EXPLORATION, MAX_STEPS, MEMORY_MB, PLAYOUTS_PER_LEAF, SOLVER_STEPS
from ludens.native.strategies import STRATEGIES
from ludens.propnet.base.errors import NativeError

_MOST_LANES = 512  # of a network machine
_MOST_LEAVES = 32  # that a thread of a search without random games has evaluated together

MOST_PEERS = 64
"""Of a search."""


@dataclass(frozen=True, slots=True)
class SearchStats:
    """Counters since a search was made; `nodes` and `memory_bytes` are what it holds now."""

    playouts: int
    iterations: int  # descents from the root, with `playouts_per_leaf` playouts each
    state_changes: int
    root_visits: int
    nodes: int
    recycled: int  # nodes removed for want of memory
    memory_bytes: int
    depth: int  # deepest descent so far
    bytes_per_node: int
    solved: bool  # it is proven what to play at the root: a run would return at once


class SharingCosts(NamedTuple):
    """What it cost the threads of a search that they share something, since it was made, summed over them."""

    updates: int  # of the number of playouts, which all threads count together
    locks: int  # taken
    waited_seconds: float  # for them
    held_seconds: float  # that they were held


class RootMoves(NamedTuple):
    """What a search knows of one role's legal moves at the root: parallel arrays [n], and which of them it would play.

    Perfect play is that of opponents, where the goals of two roles had the same sum at all ends so far: of equally good
    moves each takes the worst for the other.
    """

    moves: npt.NDArray[np.int32]
    visits: npt.NDArray[np.int64]
    values: npt.NDArray[np.float64]  # mean goal of the role, 0 … 100; NaN while unvisited
    proven: npt.NDArray[np.int32]  # its goal after that move with perfect play, 0 … 100; -1 while unknown
    best: int  # index into these arrays; -1 where there are no moves
    optimal: bool = False  # the visits are a mixed strategy of an equilibrium, in millionths

    def expected(self, index: int) -> float:
        """Returns the role's goal after a move: the proven one, or else the mean; NaN while it is unknown."""
        return float(self.proven[index] if self.proven[index] >= 0 else self.values[index])


class Leaves(NamedTuple):
    """Leaves of a search whose random games the caller plays, and the tickets that name them in `Search.report`."""

    tickets: npt.NDArray[np.int64]  # [n]
    states: States  # [n, state_words]


class Search:
    """A search of one game in native threads, which keeps what it knows from turn to turn.

    `strategy` is one of `ludens.native.strategies.STRATEGIES`; `threads` and `lanes` as for simulators;
    `memory_bytes` for the nodes of all threads; `exploration` the UCB constant in units of the range of goals;
    `playouts_per_leaf` random games for each new leaf; `expand_after` visits of an edge before its child becomes
    a node; `evaluation` for strategies that need one, and for alpha-beta; `knowledge` of the ends of games;
    `solver_share` of the time for solvers near the end (alpha-beta, and backward induction where several roles choose
    at once), which is where random games last at most `solver_steps` on average, or of `td` for forced wins by roads;
    `symmetries`, int32[K, state_bits], for proof-number search, guided search and backward induction: where each
    proposition of a state goes in an image that is worth the same to every role; `td_weights`,
    float32[tak_weight_count(size)], of the network of `td`, and the `depth` to which `td` looks ahead (0: as far as
    time allows); `peers`, at most `MOST_PEERS` searches of the same game elsewhere, whose statistics it may take;
    `prior_noise`, 0 … 1, is the part of the priors of guided search that is drawn by lot, so that peers differ.
    `stop`, `shared_stats`, `take_stats`, `stats`, `root_moves` and `expected_line` may be called from any thread during
    `run`.
    """

    def __init__(
        self,
        game: Game,
        *,
        strategy: str = "uct",
        threads: int = 1,
        lanes: int = 0,
        memory_bytes: int = MEMORY_MB << 20,
        exploration: float = EXPLORATION,
        playouts_per_leaf: int = PLAYOUTS_PER_LEAF,
        expand_after: int = EXPAND_AFTER,
        max_steps: int = MAX_STEPS,
        seed: int = 0,
        evaluation: Evaluation | None = None,
        knowledge: Knowledge | None = None,
        solver_share: float = 0.0,
        solver_steps: int = SOLVER_STEPS,
        symmetries: npt.ArrayLike | None = None,
        td_weights: npt.NDArray[np.float32] | None = None,
        depth: int = 0,
        peers: int = 0,
        prior_noise: float = 0.0,
    ) -> None:
        self.game = game
        arrays = Arrays()
        images = np.zeros((0, game.state_bits), np.int32) if symmetries is None else np.asarray(symmetries)
        weights = np.zeros(0, np.float32) if td_weights is None else td_weights.reshape(-1)
        name = ffi.new("char[]", strategy.encode())
        options = ffi.new(
            "ludens_search_options *",
            {
                "strategy": name,
                "threads": threads,
                "lanes": lanes,
                "memory_bytes": memory_bytes,
                "exploration": exploration,
                "playouts_per_leaf": playouts_per_leaf,
                "expand_after": expand_after,
                "max_steps": max_steps,
                "seed": seed & 0xFFFF_FFFF_FFFF_FFFF,
                "evaluation": ffi.NULL if evaluation is None else evaluation.handle,
                "knowledge": ffi.NULL if knowledge is None else knowledge.handle,
                "solver_share": solver_share,
                "solver_steps": solver_steps,
                "symmetry_count": len(images),
                "symmetries": arrays.int32(images, (len(images), game.state_bits)),
                "td_weight_count": weights.size,
                "td_weights": arrays.float32(weights),
                "depth": depth,
                "peers": peers,
                "prior_noise": prior_noise,
            },
        )
        out = ffi.new("ludens_search **")
        check(lib.ludens_search_new(game.handle, options, out))
        self._knowledge = knowledge  # its tables are not copied
        self.mixes = STRATEGIES[strategy].mixes
        side_by_side = (lanes or _MOST_LANES) if STRATEGIES[strategy].plays_random_games else _MOST_LEAVES
        self.unguided_visits = threads * side_by_side  # that begin before the first result is known
        self.handle = ffi.gc(out[0], lib.ludens_search_free)

    def set_root(self, state: States | None = None) -> None:
        """Makes `state` (the initial one if None) the root, and keeps what is known of it; not during `run`."""
        arrays = Arrays()
        check(lib.ludens_search_set_root(self.handle, arrays.state(self.game.state_words, state)))

    def run(self, seconds: float = 0.0, playouts: int = 0) -> None:
        """Searches for `seconds` or until `playouts` more are finished (0: no limit), or until stopped.

        Returns at once where nothing is left to be found out. Without either limit only that or `stop` from another
        thread ends a run; Ctrl-C is noticed at its end.
        """
        check(lib.ludens_search_run(self.handle, seconds, playouts))

    def collect(self, room: int) -> Leaves:
        """Returns at most `room` leaves whose random games the caller plays; none where all visits end in the tree.

        Such visits are counted at once; look at `stats().solved` then. Not during `run`; NativeError for more than
        one thread, for strategies that grow no tree of random games, and for more than some 65,000 leaves at a time.
        """
        tickets = np.empty(room, np.int64)
        states = np.empty((room, self.game.state_words), np.uint64)
        count = ffi.new("int32_t *")
        arrays = Arrays()
        pointers = arrays.uint64(states), arrays.pointer("int64_t[]", tickets)
        check(lib.ludens_search_collect(self.handle, room, count, *pointers))
        return Leaves(tickets[: count[0]], states[: count[0]])

    def report(self, tickets: npt.NDArray[np.int64], goals: npt.NDArray[np.float64], games: int) -> None:
        """Takes the mean goals `float64[n, roles]`, 0 … 100, of `games` games from each leaf, in any order.

        Passes over leaves that the search has forgotten, for want of memory at a new root.
        """
        goals = np.ascontiguousarray(goals, np.float64)
        arrays = Arrays()
        named = arrays.int64(whole(tickets, "a ticket is a number"))
        pointers = named, arrays.double(shaped(goals, (len(tickets), self.game.roles)))
        check(lib.ludens_search_report(self.handle, len(tickets), *pointers, games))

    def stop(self) -> None:
        """Ends a run in progress, soon; from any thread."""
        check(lib.ludens_search_stop(self.handle))

    def suggest(self, moves: JointMoves) -> None:
        """Offers joint moves `int32[steps, roles]` from the root on; strategies without use for a line ignore it."""
        line = np.ascontiguousarray(moves, np.int32)
        arrays = Arrays()
        check(lib.ludens_search_suggest(self.handle, len(line), arrays.int32(line, (len(line), self.game.roles))))

    def shared_stats(self, most: int) -> Words:
        """Returns what it found out by itself about the `most` nodes that it visits most, for searches elsewhere.

        Whoever takes them plays the same game: the words speak of states and moves by their numbers. None for
        strategies that share nothing (`Strategy.shares`), and as long as nothing is known.
        """
        count, words = ffi.new("int64_t *"), ffi.new("uint64_t **")
        check(lib.ludens_search_shared_stats(self.handle, most, count, words))
        owned = ffi.gc(words[0], lib.ludens_words_free)
        return np.frombuffer(ffi.buffer(owned, count[0] * 8), np.uint64).copy()

    def take_stats(self, peer: int, words: Words) -> None:
        """Takes what the search elsewhere of that number, 0 … `peers` - 1, found out, in place of what it told before.

        Raises NativeError for words that no search of this game returned, and if there is no such peer.
        """
        arrays = Arrays()
        check(lib.ludens_search_take_stats(self.handle, peer, len(words), arrays.uint64(words)))

    def stats(self) -> SearchStats:
        """Returns the counters so far."""
        out = ffi.new("ludens_search_stats *")
        check(lib.ludens_search_get_stats(self.handle, out))
        counters = {name: getattr(out, name) for name in SearchStats.__slots__}
        return SearchStats(**counters | {"solved": bool(out.solved)})

    def sharing_costs(self) -> SharingCosts:
        """Returns what it cost the threads that they share something; zeros where a strategy grows no tree."""
        out = ffi.new("ludens_sharing_costs *")
        check(lib.ludens_search_sharing_costs(self.handle, out))
        return SharingCosts(out.updates, out.locks, out.waited_seconds, out.held_seconds)

    def root_moves(self, role: int) -> RootMoves:
        """Returns the legal moves of a role at the root, in order of their index.

        Raises NativeError if there is no such role.
        """
        if not 0 <= role < self.game.roles:
            raise NativeError(f"there is no role {role}")
        room = self.game.moves[role]
        moves = np.empty(room, np.int32)
        visits = np.empty(room, np.int64)
        values = np.empty(room, np.float64)
        proven = np.empty(room, np.int32)
        count, best, optimal = (ffi.new("int32_t *") for _ in range(3))
        arrays = Arrays()
        told = arrays.pointer("int64_t[]", visits), arrays.double(values), arrays.int32(proven)
        check(lib.ludens_search_root_moves(self.handle, role, room, count, arrays.int32(moves), *told, best, optimal))
        n = count[0]
        return RootMoves(moves[:n], visits[:n], values[:n], proven[:n], best[0], bool(optimal[0]))

    def expected_line(self, room: int = 20) -> JointMoves:
        """Returns the joint moves expected from the root on: `int32[steps, roles]`, at most `room` steps."""
        moves = np.empty((room, self.game.roles), np.int32)
        length = ffi.new("int32_t *")
        arrays = Arrays()
        check(lib.ludens_search_expected_line(self.handle, room, length, arrays.int32(moves)))
        return moves[: length[0]]
