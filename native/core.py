"""The native core in Python: games, simulators and searches over states that are bit strings.

The only module that touches `lib`: every status is checked here and raised as `NativeError` with the native
message. Calls that compute release the interpreter lock.

Shapes: a state is `uint64[state_words]`, proposition i being bit i % 64 of word i // 64; a batch of states is
`uint64[n, state_words]`. A joint move is `int32[roles]` of move indices within the role, -1 for none.

>>> game = Game.from_propnet(net)
>>> Simulator(game).playouts(10_000).mean_length
>>> search = Search(game, threads=2)
>>> search.run(seconds=1.0)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from native._core import ffi, lib
from native.defaults import EXPAND_AFTER, EXPLORATION, MAX_STEPS, MEMORY_MB, PLAYOUTS_PER_LEAF
from propnet.errors import NativeError
from propnet.network import Propnet
from propnet.rule_program import RuleProgram

States = npt.NDArray[np.uint64]
JointMoves = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float32]

_Kind = TypeVar("_Kind", bound=np.generic)


def instruction_sets() -> tuple[str, ...]:
    """Names of the instruction sets this processor can run, best first."""
    return tuple(_text(lib.ludens_instruction_sets()).split())


def pack_bits(bits: npt.NDArray[np.bool_]) -> States:
    """Bit strings `bool[..., n]` as words `uint64[..., ceil(n / 64)]`."""
    words = -(-bits.shape[-1] // 64)
    padded = np.zeros((*bits.shape[:-1], words * 64), np.uint8)
    padded[..., : bits.shape[-1]] = bits
    return np.packbits(padded, axis=-1, bitorder="little").view("<u8").astype(np.uint64, copy=False)


def unpack_bits(words: States, count: int) -> npt.NDArray[np.bool_]:
    """The first `count` bits of words `uint64[..., w]`, as `bool[..., count]`."""
    raw = np.ascontiguousarray(words, dtype="<u8").view(np.uint8)
    return np.unpackbits(raw, axis=-1, count=count, bitorder="little").astype(np.bool_)


class Game:
    """The rules of one game in executable form: immutable, shared by any number of simulators and searches."""

    def __init__(self, handle: Any, moves: Sequence[int], state_bits: int, initial: States) -> None:
        self._handle = ffi.gc(handle, lib.ludens_game_free)
        self.moves = tuple(moves)  # number of moves of each role
        self.state_bits = state_bits
        self.feature_bits = int(lib.ludens_game_feature_bits(handle))  # what evaluations see of a state
        self.initial = initial
        self.cycle = int(lib.ludens_game_cycle(handle))  # steps after which control comes round; 1: it does not

    @classmethod
    def from_propnet(cls, net: Propnet) -> Game:
        """The game that a network describes. Raises NativeError if the network is not well formed."""
        moves = tuple(map(len, net.moves))
        bits, goals = (net.state_bits,), (len(net.goal_role),)
        initial = pack_bits(_shaped(net.initial, bits))
        arrays = _Arrays()
        network = ffi.new(
            "ludens_network *",
            {
                "roles": len(net.roles),
                "propositions": net.state_bits,
                "moves": arrays.int32(moves),
                "initial": arrays.uint64(initial),
                "gate_count": len(net.gates),
                "gates": arrays.int32(net.gates, (len(net.gates), 2)),
                "next": arrays.int32(net.next, bits),
                "legal": arrays.int32(net.legal, (net.move_count,)),
                "terminal": net.terminal,
                "goal_count": len(net.goal_role),
                "goal_role": arrays.int32(net.goal_role, goals),
                "goal_value": arrays.int32(net.goal_value, goals),
                "goal_literal": arrays.int32(net.goal_literal, goals),
                "feedback_count": len(net.feedback),
                "feedback": arrays.int32(net.feedback),
                "loop_count": len(net.loops),
                "loops": arrays.int32(net.loops, (len(net.loops), 4)),
                "feature_count": len(net.features),
                "features": arrays.int32(net.features),
                "playable": ffi.NULL if net.playable is None else arrays.int32(net.playable, (net.move_count,)),
            },
        )
        out = ffi.new("ludens_game **")
        _check(lib.ludens_game_from_network(network, out))
        return cls(out[0], moves, net.state_bits, initial)

    @classmethod
    def from_rules(cls, program: RuleProgram) -> Game:
        """The game of rules that are interpreted. Raises NativeError if they cannot be put in an order.

        Its facts and moves are numbered as they turn up: see `text`, `number` and `seen`. All else is as ever.
        """
        arrays = _Arrays()
        names = [ffi.new("char[]", name.encode()) for name, _ in program.symbols]
        rules = ffi.new(
            "ludens_rules *",
            {
                "symbol_count": len(names),
                "symbol_names": (pointers := ffi.new("const char *[]", names)),
                "symbol_arities": arrays.int32([arity for _, arity in program.symbols]),
                "relation_count": len(program.arities),
                "relation_arities": arrays.int32(program.arities),
                "roles": len(program.roles),
                "role_symbols": arrays.int32(program.role_symbols, (len(program.roles),)),
                "code_length": len(program.code),
                "code": arrays.int32(program.code),
                "facts": program.max_facts,
                "moves": arrays.int32(program.max_moves, (len(program.roles),)),
            },
        )
        out = ffi.new("ludens_game **")
        _check(lib.ludens_game_from_rules(rules, out))
        del pointers
        game = cls(out[0], [int(n) for n in program.max_moves], program.max_facts, np.empty(0, np.uint64))
        game.initial = np.empty(game.state_words, np.uint64)
        _check(lib.ludens_game_initial(game._handle, arrays.uint64(game.initial)))
        return game

    @classmethod
    def from_checkers(cls, goals: npt.ArrayLike, start: Sequence[int], **parameters: int | Sequence[int]) -> Game:
        """A game of the checkers family, on bitboards. Raises NativeError if there is none with these parameters.

        `goals` is int[13, 13, 2]; `start` and the other parameters, which are all needed, are the fields of
        `ludens_checkers` in native/ludens.h, which says what a state is. See games/checkers/machine.py.
        """
        arrays = _Arrays()
        table = arrays.int32(goals, (13, 13, 2))
        out = ffi.new("ludens_game **")
        rules = ffi.new("ludens_checkers *", {"goals": table, "start": list(start), **parameters})
        _check(lib.ludens_game_from_checkers(rules, out))
        count = ffi.new("int32_t[2]")
        _check(lib.ludens_game_moves(out[0], count))
        game = cls(out[0], list(count), 128, np.empty(2, np.uint64))
        _check(lib.ludens_game_initial(game._handle, arrays.uint64(game.initial)))
        return game

    def seen(self, role: int | None = None) -> int:
        """How many moves of a role, or facts if None, a game of rules has numbered so far."""
        out = ffi.new("int32_t *")
        _check(lib.ludens_game_seen(self._handle, -1 if role is None else role, out))
        return int(out[0])

    def text(self, number: int, role: int | None = None) -> str:
        """GDL text of a move of a role, or of a fact if None, of a game of rules."""
        length = ffi.new("int32_t *")
        which = (self._handle, -1 if role is None else role, number)
        _check(lib.ludens_game_text(*which, 0, ffi.NULL, length))
        text = ffi.new("char[]", length[0] + 1)
        _check(lib.ludens_game_text(*which, length[0] + 1, text, length))
        return _text(text)

    def number(self, text: str, role: int | None = None) -> int | None:
        """The number of a move of a role, or of a fact if None, new if need be; None if no rules could make it."""
        out = ffi.new("int32_t *")
        _check(lib.ludens_game_number(self._handle, -1 if role is None else role, text.encode(), out))
        return int(out[0]) if out[0] >= 0 else None

    @property
    def roles(self) -> int:
        """The number of roles."""
        return len(self.moves)

    @property
    def state_words(self) -> int:
        """Words in a state."""
        return -(-self.state_bits // 64)


@dataclass(frozen=True, slots=True)
class Playouts:
    """What a run of random playouts came to. Times in seconds; goal arrays are float64[roles]."""

    count: int
    state_changes: int
    stuck: int  # ended because a role had no legal move, or at the step limit
    seconds: float
    evaluation_seconds: float
    choice_seconds: float
    goal_means: npt.NDArray[np.float64]
    goal_deviations: npt.NDArray[np.float64]  # standard deviations over the playouts

    @property
    def mean_length(self) -> float:
        """State changes per playout."""
        return self.state_changes / self.count if self.count else 0.0


class Simulator:
    """Plays `lanes` games of one game side by side; for one thread at a time.

    `lanes` is 64, 128, 256 or 512 (avx512-jit: 512 only), or 0 for the best here; `instruction_set` one of
    `instruction_sets()` or None for the best that offers those lanes. Everything random follows from `seed`.
    """

    def __init__(self, game: Game, lanes: int = 0, seed: int = 0, instruction_set: str | None = None) -> None:
        self.game = game
        name = ffi.NULL if instruction_set is None else ffi.new("char[]", instruction_set.encode())
        out = ffi.new("ludens_simulator **")
        _check(lib.ludens_simulator_new(game._handle, lanes, name, seed & 0xFFFF_FFFF_FFFF_FFFF, out))
        self._handle = ffi.gc(out[0], lib.ludens_simulator_free)
        self.lanes: int = lib.ludens_simulator_lanes(self._handle)
        self.instruction_set = _text(lib.ludens_simulator_instruction_set(self._handle))

    def legal(self, states: States) -> list[npt.NDArray[np.bool_]]:
        """Which moves are legal: for each role `bool[n, moves of the role]`."""
        batch, total = _batch(self.game, states), sum(self.game.moves)
        out = np.zeros((len(batch), -(-total // 64)), np.uint64)
        self._inspect(batch, legal=out)
        return np.split(unpack_bits(out, total), np.cumsum(self.game.moves)[:-1], axis=1)

    def terminal(self, states: States) -> npt.NDArray[np.bool_]:
        """Which states are terminal: `bool[n]`."""
        batch = _batch(self.game, states)
        out = np.zeros(len(batch), np.uint8)
        self._inspect(batch, terminal=out)
        return out.astype(np.bool_)

    def goals(self, states: States) -> npt.NDArray[np.int32]:
        """Goals `int32[n, roles]`, 0 … 100, or -1 where none or several values hold."""
        batch = _batch(self.game, states)
        out = np.zeros((len(batch), self.game.roles), np.int32)
        self._inspect(batch, goals=out)
        return out

    def next(self, states: States, moves: JointMoves) -> States:
        """Successors `uint64[n, state_words]` under joint moves `int32[n, roles]`; terminal states stay."""
        batch = _batch(self.game, states)
        joint = np.atleast_2d(np.ascontiguousarray(moves, np.int32))
        out = np.empty_like(batch)
        arrays = _Arrays()
        _check(
            lib.ludens_simulator_next(
                self._handle,
                len(batch),
                arrays.uint64(batch),
                arrays.int32(joint, (len(batch), self.game.roles)),
                arrays.uint64(out),
            )
        )
        return out

    def playouts(
        self, count: int, *, seconds: float = 0.0, state: States | None = None, max_steps: int = MAX_STEPS
    ) -> Playouts:
        """Plays `count` random games from `state` (the initial one if None); starts no more after `seconds`."""
        sums = np.zeros(self.game.roles)
        squares = np.zeros(self.game.roles)
        stats = ffi.new("ludens_playout_stats *")
        arrays = _Arrays()
        _check(
            lib.ludens_simulator_playouts(
                self._handle,
                arrays.state(self.game, state),
                count,
                seconds,
                max_steps,
                arrays.double(sums),
                arrays.double(squares),
                stats,
            )
        )
        played = max(stats.playouts, 1)
        means = sums / played
        return Playouts(
            count=stats.playouts,
            state_changes=stats.state_changes,
            stuck=stats.stuck,
            seconds=stats.seconds,
            evaluation_seconds=stats.evaluation_seconds,
            choice_seconds=stats.choice_seconds,
            goal_means=means,
            goal_deviations=np.sqrt(np.maximum(squares / played - means**2, 0)),
        )

    def record(self, state: States | None = None, max_steps: int = MAX_STEPS) -> list[JointMoves]:
        """One random game in every lane, each as its joint moves `int32[length, roles]`."""
        moves = np.empty((self.lanes, max_steps, self.game.roles), np.int32)
        lengths = np.empty(self.lanes, np.int32)
        arrays = _Arrays()
        _check(
            lib.ludens_simulator_record(
                self._handle, arrays.state(self.game, state), max_steps, arrays.int32(moves), arrays.int32(lengths)
            )
        )
        return [moves[i, :n].copy() for i, n in enumerate(lengths)]

    def noted(self) -> npt.NDArray[np.uint64]:
        """Which moves each lane made in the games recorded last, as bit sets `uint64[lanes, move_words]`."""
        sets = np.empty((self.lanes, -(-sum(self.game.moves) // 64)), np.uint64)
        arrays = _Arrays()
        _check(lib.ludens_simulator_noted(self._handle, arrays.uint64(sets)))
        return sets

    def _inspect(self, batch: States, **outputs: npt.NDArray[Any]) -> None:
        arrays = _Arrays()
        pointers = [
            arrays.pointer(ctype, outputs[name]) if name in outputs else ffi.NULL
            for name, ctype in (("legal", "uint64_t[]"), ("terminal", "uint8_t[]"), ("goals", "int32_t[]"))
        ]
        _check(lib.ludens_simulator_inspect(self._handle, len(batch), arrays.uint64(batch), *pointers))


class EvaluationWeights(NamedTuple):
    """The numbers of an evaluation; what they mean is said in native/src/evaluation.hpp.

    float32 arrays; the last input of a set is constant. Set i of `len(control) + 1` is for states in which
    proposition `control[i]` is the first of these to hold, the last set for all others.
    """

    control: tuple[int, ...]
    linear: Floats  # [sets, features + 1, roles]
    inner: Floats  # [sets, features + 1, hidden]
    output: Floats  # [sets, hidden, roles]

    @property
    def features(self) -> int:
        """The number of bits that are seen: propositions, and what the game adds to them."""
        return int(self.linear.shape[1]) - 1

    @property
    def roles(self) -> int:
        """The number of roles."""
        return int(self.linear.shape[2])

    @property
    def hidden(self) -> int:
        """The number of hidden units."""
        return int(self.inner.shape[2])


class Evaluation:
    """What a state is worth to each role, told from its features; immutable, shared by searches.

    Raises NativeError for weights that are not finite or do not fit together.
    """

    def __init__(self, weights: EvaluationWeights) -> None:
        self.weights = weights
        out = ffi.new("ludens_evaluation **")
        arrays = _Arrays()
        _check(lib.ludens_evaluation_new(arrays.weights(weights), out))
        self._handle = ffi.gc(out[0], lib.ludens_evaluation_free)

    def values(self, features: States) -> Floats:
        """Expected goals `float32[n, roles]`, between 0 and 100, of features `uint64[n, feature_words]`."""
        batch = np.atleast_2d(np.ascontiguousarray(features, np.uint64))
        out = np.empty((len(batch), self.weights.roles), np.float32)
        arrays = _Arrays()
        words = arrays.uint64(_shaped(batch, (len(batch), -(-self.weights.features // 64))))
        _check(lib.ludens_evaluation_values(self._handle, len(batch), words, arrays.float32(out)))
        return out


class EvaluationFit:
    """Weights that are being fitted to positions and what came of them, by stochastic gradients."""

    def __init__(self, weights: EvaluationWeights) -> None:
        """Begins at `weights`; raises NativeError as `Evaluation` does."""
        self._first = weights
        out = ffi.new("ludens_fit **")
        arrays = _Arrays()
        _check(lib.ludens_fit_new(arrays.weights(weights), out))
        self._handle = ffi.gc(out[0], lib.ludens_fit_free)

    def fit(self, lessons: Lessons, rate: float, seed: int = 0) -> float:
        """One pass over `lessons`, in an order that follows from `seed`; the mean squared error met, in goals."""
        error = ffi.new("double *")
        arrays = _Arrays()
        shape = (len(lessons.features), -(-self._first.features // 64))
        features = arrays.uint64(_shaped(lessons.features, shape))
        targets = arrays.float32(_shaped(lessons.targets, (len(lessons.features), self._first.roles)))
        _check(lib.ludens_fit_pass(self._handle, len(lessons.features), features, targets, rate, seed, error))
        return float(error[0])

    @property
    def weights(self) -> EvaluationWeights:
        """What they are by now."""
        now = EvaluationWeights(self._first.control, *(np.empty(w.shape, np.float32) for w in self._first[1:]))
        arrays = _Arrays()
        _check(lib.ludens_fit_read(self._handle, *(arrays.float32(w) for w in now[1:])))
        return now


class Lessons(NamedTuple):
    """Positions to learn from, with what came of them."""

    features: States  # [n, feature_words]: a state, and then what evaluations see besides
    targets: Floats  # [n, roles], 0 … 100
    games: int

    def states(self, game: Game) -> States:
        """The states alone, `uint64[n, state_words]`."""
        return pack_bits(unpack_bits(self.features, game.state_bits))


def random_lessons(
    game: Game, games: int, *, seconds: float = 0.0, max_steps: int = MAX_STEPS, seed: int = 0
) -> Lessons:
    """One random position of each of `games` random games, with the goals it ended with; none after `seconds`."""
    out = ffi.new("ludens_lessons **")
    _check(lib.ludens_lessons_random(game._handle, games, seconds, max_steps, seed & 0xFFFF_FFFF_FFFF_FFFF, out))
    return _read_lessons(game, out[0])


def self_play_lessons(
    game: Game,
    evaluation: Evaluation,
    games: int,
    *,
    seconds: float = 0.0,
    random_moves: int = 0,
    temperature: float = 1.0,
    trace: float = 1.0,
    max_steps: int = MAX_STEPS,
    seed: int = 0,
) -> Lessons:
    """Positions of games in which all look one move ahead with `evaluation`, and their lambda-returns.

    The first moves of a game, at most `random_moves`, are random and not recorded; later ones are drawn by the
    softmax of the expected goals at `temperature`, in goals. `trace` is lambda. No game begins after `seconds`.
    """
    options = ffi.new(
        "ludens_self_play_options *",
        {
            "games": games,
            "seconds": seconds,
            "random_moves": random_moves,
            "temperature": temperature,
            "trace": trace,
            "max_steps": max_steps,
            "seed": seed & 0xFFFF_FFFF_FFFF_FFFF,
        },
    )
    out = ffi.new("ludens_lessons **")
    _check(lib.ludens_lessons_self_play(game._handle, evaluation._handle, options, out))
    return _read_lessons(game, out[0])


def _read_lessons(game: Game, handle: Any) -> Lessons:
    owned = ffi.gc(handle, lib.ludens_lessons_free)
    count = lib.ludens_lessons_count(owned)
    features = np.empty((count, -(-game.feature_bits // 64)), np.uint64)
    targets = np.empty((count, game.roles), np.float32)
    arrays = _Arrays()
    _check(lib.ludens_lessons_read(owned, arrays.uint64(features), arrays.float32(targets)))
    return Lessons(features, targets, lib.ludens_lessons_games(owned))


@dataclass(frozen=True, slots=True)
class SearchStats:
    """Counters of a search since it was made; `nodes` and `memory_bytes` are what it holds now."""

    playouts: int
    iterations: int  # descents from the root, with `playouts_per_leaf` playouts each
    state_changes: int
    root_visits: int
    nodes: int
    recycled: int  # nodes given up for room
    memory_bytes: int
    depth: int  # deepest descent so far
    bytes_per_node: int
    solved: bool  # what to play at the root is proven: a run would return at once


class RootMoves(NamedTuple):
    """What a search knows of one role's legal moves: parallel arrays [n], and which of them it would play."""

    moves: npt.NDArray[np.int32]
    visits: npt.NDArray[np.int64]
    values: npt.NDArray[np.float64]  # mean goal of the role, 0 … 100; NaN while unvisited
    proven: npt.NDArray[np.int32]  # its goal after that move with perfect play, 0 … 100; -1 while unknown
    best: int  # index into these arrays; -1 where there are no moves


class Leaves(NamedTuple):
    """Leaves of a search whose random games are played elsewhere, and the tickets by which results are told."""

    tickets: npt.NDArray[np.int64]  # [n]
    states: States  # [n, state_words]


class Search:
    """A tree search of one game in native threads, kept between turns.

    `strategy` is one of `native.strategies.STRATEGIES`; `threads` and `lanes` as for simulators;
    `memory_bytes` for the nodes of all threads; `exploration` the UCB constant in units of the range of goals;
    `playouts_per_leaf` random games for each new leaf; `expand_after` visits of an edge before its child becomes
    a node; `evaluation` for strategies that need one, and for alpha-beta; `knowledge` of the ends of games;
    `solver_share` of the time for alpha-beta near the end.
    `stop`, `stats`, `root_moves` and `expected_line` may be called from any thread during `run`.
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
    ) -> None:
        self.game = game
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
                "evaluation": ffi.NULL if evaluation is None else evaluation._handle,
                "knowledge": ffi.NULL if knowledge is None else knowledge._handle,
                "solver_share": solver_share,
            },
        )
        out = ffi.new("ludens_search **")
        _check(lib.ludens_search_new(game._handle, options, out))
        self._knowledge = knowledge  # its tables are not copied
        self._handle = ffi.gc(out[0], lib.ludens_search_free)

    def set_root(self, state: States | None = None) -> None:
        """Makes `state` (the initial one if None) the root; what is known of it is kept."""
        arrays = _Arrays()
        _check(lib.ludens_search_set_root(self._handle, arrays.state(self.game, state)))

    def run(self, seconds: float = 0.0, playouts: int = 0) -> None:
        """Searches for `seconds` or until `playouts` more are finished (0: no limit), or until stopped."""
        _check(lib.ludens_search_run(self._handle, seconds, playouts))

    def collect(self, room: int) -> Leaves:
        """At most `room` leaves for random games that are played elsewhere; none where all visits end in the tree.

        Such visits are counted at once; look at `stats().solved` then. Not during `run`; NativeError for more than
        one thread, and for strategies that grow no tree of random games.
        """
        tickets = np.empty(room, np.int64)
        states = np.empty((room, self.game.state_words), np.uint64)
        count = ffi.new("int32_t *")
        arrays = _Arrays()
        pointers = arrays.uint64(states), arrays.pointer("int64_t[]", tickets)
        _check(lib.ludens_search_collect(self._handle, room, count, *pointers))
        return Leaves(tickets[: count[0]], states[: count[0]])

    def report(self, tickets: npt.NDArray[np.int64], goals: npt.NDArray[np.float64], games: int) -> None:
        """Tells the mean goals `float64[n, roles]`, 0 … 100, of `games` games from each leaf; in any order.

        Leaves that the search has forgotten, for want of memory at a new root, are passed over.
        """
        goals = np.ascontiguousarray(goals, np.float64)
        arrays = _Arrays()
        pointers = (
            arrays.pointer("int64_t[]", tickets),
            arrays.double(_shaped(goals, (len(tickets), self.game.roles))),
        )
        _check(lib.ludens_search_report(self._handle, len(tickets), *pointers, games))

    def stop(self) -> None:
        """Ends a run in progress, soon."""
        _check(lib.ludens_search_stop(self._handle))

    def suggest(self, moves: JointMoves) -> None:
        """Offers a line `int32[steps, roles]` from the root on; searches that have no use for one ignore it."""
        line = np.ascontiguousarray(moves, np.int32)
        arrays = _Arrays()
        _check(
            lib.ludens_search_suggest(self._handle, len(line), arrays.int32(line, (len(line), self.game.roles)))
        )

    def stats(self) -> SearchStats:
        """The counters so far."""
        out = ffi.new("ludens_search_stats *")
        _check(lib.ludens_search_get_stats(self._handle, out))
        counters = {name: getattr(out, name) for name in SearchStats.__slots__}
        return SearchStats(**counters | {"solved": bool(out.solved)})

    def root_moves(self, role: int) -> RootMoves:
        """The legal moves of a role at the root, in order of their index."""
        if not 0 <= role < self.game.roles:
            raise NativeError(f"there is no role {role}")
        room = self.game.moves[role]
        moves = np.empty(room, np.int32)
        visits = np.empty(room, np.int64)
        values = np.empty(room, np.float64)
        proven = np.empty(room, np.int32)
        count, best = ffi.new("int32_t *"), ffi.new("int32_t *")
        arrays = _Arrays()
        _check(
            lib.ludens_search_root_moves(
                self._handle,
                role,
                room,
                count,
                arrays.int32(moves),
                arrays.pointer("int64_t[]", visits),
                arrays.double(values),
                arrays.int32(proven),
                best,
            )
        )
        n = count[0]
        return RootMoves(moves[:n], visits[:n], values[:n], proven[:n], best[0])

    def expected_line(self, room: int = 20) -> JointMoves:
        """The joint moves the search expects from the root on: `int32[steps, roles]`, at most `room` steps."""
        moves = np.empty((room, self.game.roles), np.int32)
        length = ffi.new("int32_t *")
        arrays = _Arrays()
        _check(lib.ludens_search_expected_line(self._handle, room, length, arrays.int32(moves)))
        return moves[: length[0]]


def checkers_perft(
    depth: int, board: Sequence[int] = (0x00000FFF, 0xFFF00000, 0, 0), instruction_set: str | None = None
) -> int:
    """How many sequences of `depth` moves of English draughts there are, a whole chain of captures being one.

    `board` is (black, red, kings, 1 if red is to move) as sets of squares; see native/src/checkers_board.hpp.
    `instruction_set` is one of avx512, avx2 and baseline, or None for the best here. Raises NativeError if the
    board is no position or the instruction set is not there.
    """
    out = ffi.new("int64_t *")
    name = ffi.NULL if instruction_set is None else ffi.new("char[]", instruction_set.encode())
    _check(lib.ludens_checkers_perft(ffi.new("uint32_t[4]", list(board)), depth, name, out))
    return int(out[0])


class EndgameTable:
    """What every position of English draughts with few pieces is worth; see `ludens.h` for what a byte means.

    The values are used where they are, so that they can be a file mapped into memory.

    >>> table = EndgameTable(4, 0, np.empty(EndgameTable.size(4), np.uint8))
    >>> for step in range(len(table.work)):
    ...     table.build(step)
    """

    def __init__(self, pieces: int, limit: int, values: npt.NDArray[np.uint8]) -> None:
        """A table of positions with 2 to `pieces` pieces; `limit` plies without progress are a draw, if not 0."""
        self.pieces = pieces
        self.limit = limit
        self.values = _shaped(values, (self.size(pieces),))
        arrays = _Arrays()
        out = ffi.new("ludens_endgame **")
        _check(lib.ludens_endgame_new(pieces, limit, arrays.pointer("uint8_t[]", values), len(values), out))
        self._handle = ffi.gc(out[0], lib.ludens_endgame_free)
        count = ffi.new("int32_t *")
        _check(lib.ludens_endgame_steps(self._handle, count, ffi.NULL))
        self.work = np.empty(count[0], np.int64)  # positions of each step
        _check(lib.ludens_endgame_steps(self._handle, count, arrays.pointer("int64_t[]", self.work)))

    @staticmethod
    def size(pieces: int) -> int:
        """How many values a table has."""
        out = ffi.new("int64_t *")
        _check(lib.ludens_endgame_size(pieces, out))
        return int(out[0])

    def build(self, step: int, threads: int = 1) -> None:
        """Works one step out; those before it must be there already."""
        if not self.values.flags.writeable:
            raise NativeError("an endgame table that may only be read cannot be built")
        _check(lib.ludens_endgame_build(self._handle, step, threads))

    def contradictions(self, step: int, threads: int = 1) -> int:
        """How many positions of a step have a value that does not follow from those of their children."""
        out = ffi.new("int64_t *")
        _check(lib.ludens_endgame_check(self._handle, step, threads, out))
        return int(out[0])

    def probe(self, boards: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint8]:
        """Values `uint8[n]` of boards `uint32[n, 4]`: squares of black, of red, of kings, and the turn."""
        boards = np.ascontiguousarray(boards, np.uint32)
        values = np.empty(len(boards), np.uint8)
        arrays = _Arrays()
        pointers = (
            arrays.pointer("uint32_t[]", _shaped(boards, (len(boards), 4))),
            arrays.pointer("uint8_t[]", values),
        )
        _check(lib.ludens_endgame_probe(self._handle, len(boards), *pointers))
        return values


class Knowledge:
    """What is known of a game's states without a search; immutable, shared by searches."""

    def __init__(self, game: Game, table: EndgameTable) -> None:
        """What a table proves of a game `from_checkers`; raises NativeError where it says nothing of it."""
        out = ffi.new("ludens_knowledge **")
        _check(lib.ludens_knowledge_from_endgame(game._handle, table._handle, out))
        self._game, self._table = game, table  # neither the values nor their numbering are copied
        self._handle = ffi.gc(out[0], lib.ludens_knowledge_free)

    def find(self, states: States) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
        """Goals `int32[n, roles]` after perfect play and distances `int32[n]`; no state may be over.

        A distance is in plies to the end, or in tables with a limit to the next progress; 0 for draws, -1 where
        nothing is known and the goals mean nothing.
        """
        batch = np.atleast_2d(np.ascontiguousarray(states, np.uint64))
        goals = np.zeros((len(batch), self._game.roles), np.int32)
        distances = np.empty(len(batch), np.int32)
        arrays = _Arrays()
        words = arrays.uint64(_shaped(batch, (len(batch), self._game.state_words)))
        _check(
            lib.ludens_knowledge_find(
                self._handle, len(batch), words, arrays.int32(goals), arrays.int32(distances)
            )
        )
        return goals, distances


def checkers_yardstick(game: Game, state: States, depth: int, seed: int = 0) -> int:
    """What plain alpha-beta to `depth` plays in a state of a game `from_checkers`, by English rules.

    An opponent to measure others by: material alone, captures followed to their end. Raises NativeError for other
    games and where there is no move.
    """
    out = ffi.new("int32_t *")
    arrays = _Arrays()
    _check(lib.ludens_checkers_yardstick(game._handle, arrays.state(game, state), depth, seed, out))
    return int(out[0])


class _Arrays:
    """Hands numpy arrays to a native call and keeps them alive until it is over."""

    def __init__(self) -> None:
        self._kept: list[npt.NDArray[Any]] = []

    def pointer(self, ctype: str, array: npt.NDArray[Any]) -> Any:
        self._kept.append(array)
        return ffi.from_buffer(ctype, array)

    def int32(self, values: npt.ArrayLike, shape: tuple[int, ...] | None = None) -> Any:
        array = np.ascontiguousarray(values, np.int32)
        return self.pointer("int32_t[]", array if shape is None else _shaped(array, shape))

    def uint64(self, values: npt.ArrayLike) -> Any:
        return self.pointer("uint64_t[]", np.ascontiguousarray(values, np.uint64))

    def double(self, values: npt.ArrayLike) -> Any:
        return self.pointer("double[]", np.ascontiguousarray(values, np.float64))

    def float32(self, values: npt.ArrayLike, shape: tuple[int, ...] | None = None) -> Any:
        array = np.ascontiguousarray(values, np.float32)
        return self.pointer("float[]", array if shape is None else _shaped(array, shape))

    def weights(self, weights: EvaluationWeights) -> Any:
        sets, inputs, roles, hidden = len(weights.control) + 1, *weights.linear.shape[1:], weights.hidden
        return ffi.new(
            "ludens_evaluation_weights *",
            {
                "features": inputs - 1,
                "roles": roles,
                "hidden": hidden,
                "control_count": len(weights.control),
                "control": self.int32(weights.control),
                "linear": self.float32(weights.linear, (sets, inputs, roles)),
                "inner": self.float32(weights.inner, (sets, inputs, hidden)),
                "output": self.float32(weights.output, (sets, hidden, roles)),
            },
        )

    def state(self, game: Game, state: States | None) -> Any:
        """One state; null, which means the initial one, if None."""
        return ffi.NULL if state is None else self.uint64(_shaped(_batch(game, state), (1, game.state_words)))


def _batch(game: Game, states: States) -> States:
    """States as `uint64[n, state_words]`, n being 1 if a single one was given."""
    batch: States = np.atleast_2d(np.ascontiguousarray(states, np.uint64))
    return _shaped(batch, (len(batch), game.state_words))


def _shaped(array: npt.NDArray[_Kind], shape: tuple[int, ...]) -> npt.NDArray[_Kind]:
    """The array, if it is as large as the native core will take it to be."""
    if array.shape != shape:
        raise NativeError(f"an array of shape {array.shape} was given where {shape} is needed")
    return array


def _check(status: int) -> None:
    if status != 0:
        raise NativeError(_text(lib.ludens_error()))


def _text(pointer: Any) -> str:
    raw: bytes = ffi.string(pointer)
    return raw.decode()
