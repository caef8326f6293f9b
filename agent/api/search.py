"""Searches of any state, with any strategy and any budget.

>>> with Search(load("tic_tac_toe").initial, "uct", seed=1) as search:
...     found = search.run(iterations=20_000)
>>> found.move()
'(mark 2 2)'
"""

from __future__ import annotations

import math
import os
import random
import threading
import time
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, replace
from inspect import GEN_SUSPENDED, getgeneratorstate
from types import TracebackType
from typing import Self
from weakref import WeakSet

from ludens.agent.api.errors import ClosedError, EvaluationError, GameOverError, InUseError, StateError
from ludens.agent.api.evaluation import Evaluation
from ludens.agent.api.game import Game, JointMove, State
from ludens.agent.api.numbers import check_limits, seed_of, whole
from ludens.agent.api.renderer import MarkedMove, with_table
from ludens.agent.api.searched_game import SearchedGame, core_of
from ludens.agent.preparation.prepare_untimed import prepare_at_once, prepare_on_core, prepare_repeatable, prepare_rules
from ludens.agent.protocol.wire import Joint
from ludens.agent.search.assembly import new_search
from ludens.agent.search.config import SearchConfig
from ludens.agent.search.contract import GameSearch
from ludens.agent.search.mixed_strategy import choose
from ludens.agent.search.strategy_choice import needs_core, resolve_strategy
from ludens.agent.settings.errors import OptionError
from ludens.agent.settings.options import PlayerOptions
from ludens.agent.settings.players import read_search
from ludens.agent.settings.strategies import INSTANT
from ludens.games.recognised_game import RecognisedGame
from ludens.native.core import RootMoves
from ludens.native.strategies import STRATEGIES
from ludens.propnet.base.interruptible import running

_MOST_MARKED = 10  # moves of a role that are shown
_EVALUATING = ("guided", "alphabeta")  # strategies that have a use for an evaluation
_LOOK_SECONDS = 0.005  # between two looks whether there are as many nodes as allowed
_WAIT_SECONDS = 0.25  # where nobody looks at the progress


@dataclass(frozen=True, slots=True)
class FoundMove:
    """What a search knows of a legal move of a role."""

    move: str
    index: int
    visits: int
    value: float | None  # the goal that its role can expect after it, 0 to 100; None: it was not visited
    proven: int | None
    """The goal after it with perfect play; in a solved state that of the worse moves is what they get at most."""

    @property
    def told(self) -> str:
        """The expected goal in a word: `57`, `100!` if it is proven, `?` if nothing is known."""
        if self.proven is not None:
            return f"{self.proven}!"
        return "?" if self.value is None else f"{self.value:.0f}"


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What a search knows of its state; a snapshot, which does not change when the search goes on."""

    state: State
    found: tuple[tuple[FoundMove, ...], ...]  # for each role its legal moves, most visited first
    best: tuple[str, ...]  # for each role the move that it would make
    line: tuple[Joint, ...]  # the joint moves that are expected from here
    iterations: int  # random games, or positions judged, since the search came to this state
    nodes: int  # of the tree now
    seconds: float  # of searching, since it came to this state
    solved: bool  # it is proven what to play

    def move(self, role: str | int | None = None) -> str:
        """Returns the best move of a role; by default of the only one that has a choice."""
        return self.best[_role_number(self.state, role)]

    def moves(self, role: str | int | None = None) -> tuple[FoundMove, ...]:
        """Returns what is known of the legal moves of a role, the most visited first."""
        return self.found[_role_number(self.state, role)]

    def value(self, role: str | int | None = None) -> float | None:
        """Returns the goal that a role can expect, 0 to 100; None while nothing is known."""
        number = _role_number(self.state, role)
        best = next(move for move in self.found[number] if move.move == self.best[number])
        return best.value if best.proven is None else float(best.proven)

    def svg(self) -> str:
        """Returns the position as SVG, with the goal that each role can expect after its most visited moves.

        An exclamation mark stands behind a goal that is proven; the best move has the thickest ring.
        """
        marked = [
            MarkedMove(role, move.move, move.told, move.move == self.best[role])
            for role, moves in enumerate(self.found)
            if len(moves) > 1
            for move in sorted(moves[:_MOST_MARKED], key=lambda move: move.move != self.best[role])
        ]
        return self.state._game._renderer.svg(self.state._drawn_state, marked)

    def _repr_svg_(self) -> str:
        return self.svg()

    def _repr_html_(self) -> str:
        several = len(self.state.game.roles) > 1
        rows = [
            (*([role] * several), move.move, f"{move.visits:,}", move.told)
            for role, moves in zip(self.state.game.roles, self.found, strict=True)
            if len(moves) > 1
            for move in moves[:_MOST_MARKED]
        ]
        return with_table(self.svg(), (*(["role"] * several), "move", "visits", "expected goal"), rows)


class Search:
    """A search of a game, which keeps what it has found out from state to state.

    `strategy` is one that `ludens strategies` explains, with settings if you like: `uct`, `uct:exploration=0.5`; by
    default `guided` if there is an `evaluation`, else `uct`, and `puzzle` for games of one role. `td` and `patterns`
    play on the core of the game as which a game is recognised, which takes seconds the first time, and from states that
    `State.play` led to from the first one; any other is a `StateError`. `threads` search at once. With a `seed`, one
    thread and a budget of iterations, a search finds the same on every machine; seed 0 is a new one each time, and
    somewhat faster. With `uct:iterations=1000` runs have that budget unless they are given another. Raises
    `OptionError` for a strategy or a setting that there is not, and `EvaluationError` for an evaluation that is
    missing, has no use or is of another game.

    A search runs in threads of its own without the interpreter lock; Ctrl-C ends it soon. One thread at a time may use
    it, but for `result` and `stop`, which any thread may call while it runs; a second one gets an `InUseError`. It
    ends with `close`, or as a context manager; after that, and in a process that was forked, it is a `ClosedError`.
    """

    def __init__(
        self,
        start: State | Game,
        strategy: str = "auto",
        *,
        threads: int = 1,
        seed: int = 0,
        memory_mb: int = 0,
        evaluation: Evaluation | None = None,
    ) -> None:
        state = start.initial if isinstance(start, Game) else start
        if not isinstance(state, State):
            raise StateError(f"{state!r} is neither a state nor a game")
        options = _options(strategy, threads, seed, memory_mb)
        self._begin(state, *_configured(state.game, options, evaluation), options.seed, options.move_iterations)

    @classmethod
    def _of_options(cls, state: State, options: PlayerOptions) -> Self:
        """Makes a search with the settings of a player, who has learned nothing."""
        return cls._of_config(state, *_configured(state.game, options, None), options.seed)

    @classmethod
    def _of_config(cls, state: State, config: SearchConfig, recognised: RecognisedGame | None, seed: int) -> Self:
        """Makes a search as `preparation` has decided, for a game on the core of a `recognised` one; for players."""
        search = cls.__new__(cls)
        search._begin(state, config, recognised, seed)
        return search

    def _begin(
        self, state: State, config: SearchConfig, recognised: RecognisedGame | None, seed: int, iterations: int = 0
    ) -> None:
        native = new_search(config, seed or int.from_bytes(os.urandom(7)))
        assert native is not None, "strategies that do not search are refused before"
        self.strategy = str(config)
        self._native: GameSearch | None = native
        self._process = os.getpid()
        self._in_use = threading.Lock()
        self._runs: WeakSet[Generator[SearchResult, None, None]] = WeakSet()  # by `progress`
        self._stopped = False
        self._iterations = iterations or None  # of a run without a limit
        self._game = state.game
        self._searched = SearchedGame(state.game, config, recognised)
        self.go_to(state)

    # ---- Where it is ----

    @property
    def state(self) -> State:
        """The state that is searched."""
        return self._state

    def go_to(self, state: State) -> None:
        """Searches `state` from now on; what is known of it from before is kept. Raises `GameOverError` at the end."""
        native = self._open()
        state = self._game.own(state)
        if state.terminal:
            raise GameOverError(f"the game is over: there is nothing to search in this state of {state.game.name}")
        with self._alone():
            words = self._searched.words(state)
            native.set_root(words)
            self._state, self._words = state, words
            self._before = native.stats().playouts
            self._seconds = 0.0

    def advance(self, moves: JointMove = None) -> State:
        """Plays moves, as `State.play` takes them, and goes to the state after them; what is known of it is kept."""
        state = self._state.play(moves)
        self.go_to(state)
        return state

    # ---- Searching ----

    def run(
        self, *, seconds: float | None = None, iterations: int | None = None, nodes: int | None = None
    ) -> SearchResult:
        """Searches until one of the limits is reached, or it is proven what to play; returns what is known then.

        `nodes` are those of the whole tree, and looked at now and then; a search that has to remove nodes for want of
        memory ends as well. (`alphabeta`, `proof`, `td` and `patterns` keep a table in place of a tree, which may never
        have so many: give them another limit too.) Without a limit there are as many iterations as the strategy was
        made with. Raises `BudgetError` if that is none, or for a limit that is not above 0, and `NativeError` if the
        game fails.
        """
        for _ in self.progress(_WAIT_SECONDS, seconds=seconds, iterations=iterations, nodes=nodes):
            pass
        return self.result()

    def progress(
        self,
        every: float = 0.25,
        *,
        seconds: float | None = None,
        iterations: int | None = None,
        nodes: int | None = None,
    ) -> Iterator[SearchResult]:
        """Searches as `run` does, and yields what is known every so many seconds; leaving the loop ends the search."""
        if all(limit is None for limit in (seconds, iterations, nodes)):
            iterations = self._iterations
        check_limits(seconds=seconds, iterations=iterations, nodes=nodes)
        check_limits(every=every)
        for name, limit in (("iterations", iterations), ("nodes", nodes)):
            if limit is not None:
                whole(name, limit)
        steps = self._progress(every, seconds, iterations, nodes)
        self._runs.add(steps)
        return steps

    def stop(self) -> None:
        """Ends a run in progress, soon; from any thread."""
        self._stopped = True
        self._open().stop()

    def choose(self, role: str | int | None = None, chance: Callable[[], float] = random.random) -> str:
        """Returns the move that a player makes by what is known: the best one, or one that nobody can foresee.

        Where several roles choose at once, visits of some strategies are a mixed one, from which it is drawn; `chance`
        returns a number in [0, 1). By default the role is the only one that has a choice.
        """
        native, number = self._open(), _role_number(self._state, role)
        known = native.root_moves(number)
        chosen = choose(known, chance, hidden=len(self._state.to_move) > 1, mixes=native.mixes)
        return self._searched.play.move(number, int(known.moves[chosen]), self._words)

    def result(self) -> SearchResult:
        """Returns what is known of the state by now."""
        native = self._open()
        game, stats = self._state.game, native.stats()
        roots = [native.root_moves(role) for role in range(len(game.roles))]
        play, words = self._searched.play, self._words
        best = tuple(play.move(role, int(root.moves[root.best]), words) for role, root in enumerate(roots))
        return SearchResult(
            state=self._state,
            found=tuple(
                _found(game, role, root, play.texts(role, root.moves, words)) for role, root in enumerate(roots)
            ),
            best=best,
            line=tuple(play.line(words, native.expected_line())) or (best,),
            iterations=stats.playouts - self._before,
            nodes=stats.nodes,
            seconds=self._seconds,
            solved=stats.solved,
        )

    def close(self) -> None:
        """Ends a run in progress and gives back the memory; a second time nothing happens."""
        if self._native is None:
            return
        if os.getpid() != self._process:  # a copy of it, whose threads are not here
            self._native = None
            return
        self._stopped = True
        while not self._in_use.acquire(timeout=_LOOK_SECONDS):
            self._native.stop()
            for steps in list(self._runs):
                if getgeneratorstate(steps) == GEN_SUSPENDED:
                    steps.close()
        self._native = None
        self._in_use.release()

    def __enter__(self) -> Self:
        self._open()
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<ludens.Search by {self.strategy} of {self._state!r}>"

    def _progress(
        self, every: float, seconds: float | None, iterations: int | None, nodes: int | None
    ) -> Generator[SearchResult, None, None]:
        native = self._open()
        with self._alone():
            began, before, recycled = time.monotonic(), self._seconds, native.stats().recycled
            shown = began
            self._stopped = False
            work = running(
                lambda: None if self._stopped else native.run(seconds or 0.0, iterations or 0),
                native.stop,
                min(every, threading.TIMEOUT_MAX if nodes is None else _LOOK_SECONDS),
            )
            try:
                for _ in work:
                    self._seconds = before + time.monotonic() - began
                    stats = native.stats()
                    if nodes is not None and (stats.nodes >= nodes or stats.recycled > recycled):
                        break
                    if time.monotonic() - shown >= every:
                        shown = time.monotonic()
                        yield self.result()
            finally:
                work.close()
                self._seconds = before + time.monotonic() - began

    def _open(self) -> GameSearch:
        if self._native is None:
            raise ClosedError("this search is closed")
        if os.getpid() != self._process:
            raise ClosedError("this search belongs to the process that made it: make another one after a fork")
        return self._native

    def _alone(self) -> _Alone:
        return _Alone(self._in_use)


class _Alone:
    """Keeps a second thread from a search that is in use."""

    def __init__(self, lock: threading.Lock) -> None:
        self._lock = lock

    def __enter__(self) -> None:
        if not self._lock.acquire(blocking=False):
            raise InUseError("this search is running: end that first, or make a search for each thread")

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self._lock.release()


def _options(strategy: str, threads: int, seed: int, memory_mb: int) -> PlayerOptions:
    if not isinstance(strategy, str):
        raise OptionError("{given} is no strategy: give a text such as 'uct'", given=repr(strategy))
    options = read_search(strategy)
    if options.strategy in INSTANT:
        raise OptionError("{given} chooses moves without a search", given=options.strategy)
    check_unprepared(options)
    return replace(
        options,
        threads=whole("threads", threads, 1) if threads != 1 else options.threads,
        seed=seed_of(seed) or options.seed,
        nodes_mb=whole("memory_mb", memory_mb) or options.nodes_mb,
    )


def check_unprepared(options: PlayerOptions) -> None:
    """Raises `OptionError` for settings that a search has no use for unless it was prepared for a match."""
    for name in ("network", "cluster"):
        if getattr(options, name):
            text = "{given} is only for players of matches that prepare: with a start clock, on a network of the rules"
            raise OptionError(text, given=name)


def _configured(
    game: Game, options: PlayerOptions, evaluation: Evaluation | None
) -> tuple[SearchConfig, RecognisedGame | None]:
    """Returns how the game is searched, and as what it was recognised if the strategy plays on its core."""
    if evaluation is not None or not needs_core(options.strategy):
        return _config(game, options, evaluation), None
    recognised = core_of(game, options)
    if recognised is None or recognised.strategy != options.strategy:
        raise OptionError(
            "{given} plays only games that are recognised, on a game core, and " + f"{game.name} is none of its games",
            given=options.strategy,
        )
    return prepare_on_core(recognised, options), recognised


def _config(game: Game, options: PlayerOptions, evaluation: Evaluation | None) -> SearchConfig:
    """Returns how the game is searched; raises `EvaluationError` for an evaluation that does not fit."""
    strategy = resolve_strategy(options.strategy, len(game.roles), learned=True)
    if evaluation is None:
        if options.strategy in STRATEGIES and STRATEGIES[options.strategy].needs_evaluation:
            raise EvaluationError(f"{options.strategy} needs an evaluation: see `ludens.learn`")
        if not game.has_network:
            return prepare_rules(game.native, options)
        prepare = prepare_repeatable if options.seed else prepare_at_once
        return prepare(game.net, options, lambda _line: None)
    if not isinstance(evaluation, Evaluation):
        raise EvaluationError(f"{evaluation!r} is no evaluation: see `ludens.learn`")
    if evaluation.game != game:
        raise EvaluationError(f"an evaluation of {evaluation.game.name} was given for {game.name}")
    if strategy not in _EVALUATING:
        raise EvaluationError(f"{strategy} has no use for an evaluation: choose {' or '.join(_EVALUATING)}")
    return prepare_at_once(game.net, options, lambda _line: None, evaluation.native, evaluation.variant)


def _role_number(state: State, role: str | int | None) -> int:
    """Returns the number of a role; by default of the only one that has a choice."""
    return state.game.roles.index(state.only_role) if role is None else state.game.role_index(role)


def _found(game: Game, role: int, root: RootMoves, texts: tuple[str, ...]) -> tuple[FoundMove, ...]:
    indices = [game._play.number(role, text) for text in texts]  # a core has others
    rows = zip(texts, indices, *(column.tolist() for column in root[1:4]), strict=True)
    moves = [
        FoundMove(text, index, visits, None if math.isnan(value) else value, None if proven < 0 else proven)
        for text, index, visits, value, proven in rows
    ]
    return tuple(sorted(moves, key=lambda move: -move.visits))
