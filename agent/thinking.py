"""What thinks inside an engine process: a mind for each way to play the rules.

A mind stands at one position of a match. `go_to` moves it along the history and says what holds there,
`think` searches for a moment and says what is best so far. On the propositional network that is the native
tree search; on the reference interpreter, which is slow but there at once, flat Monte Carlo: random games
from each move in turn.
"""

from __future__ import annotations

import math
import random
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Generic, TypeVar

import numpy as np
import numpy.typing as npt

from agent.options import PlayerOptions
from agent.wire import Joint, Position, Thought
from native.core import Game, JointMoves, Search, Simulator, States
from propnet.interpreter import Interpreter, State
from propnet.network import Propnet
from propnet.parser import parse_term
from propnet.syntax import RuleSheet, Term

S = TypeVar("S")

SEARCHES = ("uct", "flat")
"""The strategies that search; the others choose a move at once."""

_LINE_STEPS = 12
_NOISE = 0.1  # moves with less than this share of the most visits were only looked at, and are not played


class Path(Generic[S]):
    """The states along a match; keeps those that two histories share, so that one more move is one step."""

    def __init__(self, first: S, step: Callable[[S, Joint], S]) -> None:
        """Begins at `first`; `step` makes one joint move."""
        self._states = [first]
        self._history: tuple[Joint, ...] = ()
        self._step = step

    def follow(self, history: tuple[Joint, ...]) -> S:
        """The state that `history` leads to."""
        common = 0
        for known, told in zip(self._history, history, strict=False):
            if known != told:
                break
            common += 1
        del self._states[common + 1 :]
        for moves in history[common:]:
            self._states.append(self._step(self._states[-1], moves))
        self._history = history
        return self._states[-1]


class Mind(ABC):
    """One way to play the rules; used by one thread, but for `interrupt`."""

    position = Position(0, (), False)
    """Where it stands; without moves before the first `go_to`."""

    @abstractmethod
    def go_to(self, history: tuple[Joint, ...]) -> Position:
        """Stands at the end of `history` from now on, and says what holds there."""

    @abstractmethod
    def think(self, seconds: float) -> Thought:
        """Searches the position, which must have a legal move, for about `seconds`; the best move so far."""

    @abstractmethod
    def interrupt(self) -> None:
        """Ends `think` early, from another thread."""


class InterpreterMind(Mind):
    """Plays on the reference interpreter."""

    def __init__(self, sheet: RuleSheet, role: str, options: PlayerOptions) -> None:
        """Works out the first state."""
        self._rules = Interpreter(sheet)
        self._seat = self._rules.roles.index(role)
        self._max_steps = options.max_steps
        self._random = _random(options)
        self._interrupted = False
        self._path = Path(self._rules.initial(), self._after)

    def go_to(self, history: tuple[Joint, ...]) -> Position:
        """See `Mind`."""
        self._interrupted = False
        self._state = self._path.follow(history)
        terminal = self._rules.terminal(self._state)
        goals = self._rules.goals(self._state) if terminal else ()
        legal = tuple(map(str, self._rules.legal(self._state, self._rules.roles[self._seat])))
        self.position = Position(len(history), legal, terminal, goals)
        self._sums = dict.fromkeys(legal, 0.0)
        self._counts = dict.fromkeys(legal, 0)
        return self.position

    def think(self, seconds: float) -> Thought:
        """See `Mind`; a random game that has begun is played to its end."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and not self._interrupted:
            move = min(self._counts, key=self._counts.__getitem__)
            goal = self._playout(parse_term(move))
            if goal is not None:
                self._sums[move] += goal
                self._counts[move] += 1
        return self._thought()

    def interrupt(self) -> None:
        """See `Mind`."""
        self._interrupted = True

    def _thought(self) -> Thought:
        means = {move: self._sums[move] / n for move, n in self._counts.items() if n}
        best = max(means, key=means.__getitem__, default=self.position.legal[0])
        return Thought(
            step=self.position.step,
            move=best,
            playouts=sum(self._counts.values()),
            value=means.get(best),
            machine="interpreter",
            final=len(self.position.legal) == 1,
        )

    def _playout(self, move: Term) -> float | None:
        """Our goal after a random game that begins with `move`: 50 without one, None if interrupted."""
        rules, state = self._rules, self._state
        role = rules.roles[self._seat]
        for step in range(self._max_steps):
            if self._interrupted:
                return None
            moves = [rules.legal(state, role) for role in rules.roles]
            if rules.terminal(state) or not all(moves):
                break
            joint = list(map(self._random.choice, moves))
            if step == 0:
                joint[self._seat] = move
            state = rules.next(state, joint)
        goal = rules.goal(state, role)
        return 50.0 if goal is None else float(goal)

    def _after(self, state: State, moves: Joint) -> State:
        return self._rules.next(state, list(map(parse_term, moves)))


class NetworkMind(Mind):
    """Plays on the propositional network with the native search, which keeps its tree from turn to turn."""

    def __init__(self, net: Propnet, role: str, options: PlayerOptions) -> None:
        """Builds the native machines; raises `NativeError` or `MemoryError` if there is no room for them."""
        self._net = net
        self._seat = net.roles.index(role)
        self._random = _random(options)
        game = Game.from_propnet(net)
        self._simulator = Simulator(game, lanes=64)
        self._strategy = options.strategy
        self._search = _new_search(game, options, self._random)
        self._index = [{move: i for i, move in enumerate(moves)} for moves in net.moves]
        self._path = Path(game.initial, self._after)

    def go_to(self, history: tuple[Joint, ...]) -> Position:
        """See `Mind`."""
        state = self._path.follow(history)
        legal = [np.flatnonzero(moves[0]) for moves in self._simulator.legal(state)]
        terminal = bool(self._simulator.terminal(state)[0])
        goals = tuple(None if g < 0 else int(g) for g in self._simulator.goals(state)[0]) if terminal else ()
        self._legal = legal[self._seat]
        self._hidden = sum(len(moves) > 1 for moves in legal) > 1 and len(self._legal) > 1
        self._lot = self._random.random()
        if not terminal and self._search is not None:
            self._search.set_root(state)
            self._playouts = self._search.stats().playouts  # those of earlier positions
        texts = tuple(self._net.moves[self._seat][move] for move in self._legal)
        self.position = Position(len(history), texts, terminal, goals)
        return self.position

    def think(self, seconds: float) -> Thought:
        """See `Mind`."""
        assert self._search is not None
        self._search.run(seconds)
        known = self._search.root_moves(self._seat)
        chosen = draw(known.visits, self._lot) if self._hidden else known.best(self._strategy)
        value = float(known.values[chosen])
        return Thought(
            step=self.position.step,
            move=self._net.moves[self._seat][known.moves[chosen]],
            playouts=self._search.stats().playouts - self._playouts,
            value=None if math.isnan(value) else value,
            line=tuple(map(self._texts, self._search.expected_line(_LINE_STEPS))),
            machine="network",
            final=len(self._legal) == 1,
        )

    def interrupt(self) -> None:
        """See `Mind`."""
        if self._search is not None:
            self._search.stop()

    def _texts(self, joint: JointMoves) -> Joint:
        return tuple(moves[i] if i >= 0 else "none" for moves, i in zip(self._net.moves, joint, strict=True))

    def _after(self, state: States, moves: Joint) -> States:
        """The next state; a move that the network does not know counts as none."""
        joint = [index.get(move, -1) for index, move in zip(self._index, moves, strict=True)]
        successors = self._simulator.next(state, np.array(joint, np.int32))
        return successors.reshape(-1)


def draw(visits: npt.NDArray[np.int64], lot: float) -> int:
    """The index that `lot`, in [0, 1), falls on when moves are chosen in proportion to their visits.

    Where others choose at the same moment, the most visited move alone can be foreseen and answered; the
    visits of decoupled UCT approach a mixed strategy. A position keeps its lot while visits grow, so that the
    choice settles as they do. Moves that were hardly visited are left out.
    """
    weights = np.where(visits >= _NOISE * visits.max(), visits, 0) + (visits.max() == 0)
    bounds = np.cumsum(weights)
    return int(np.searchsorted(bounds, lot * bounds[-1], side="right"))


def _new_search(game: Game, options: PlayerOptions, rng: random.Random) -> Search | None:
    if options.strategy not in SEARCHES:
        return None
    return Search(
        game,
        strategy=options.strategy,
        threads=options.threads,
        lanes=options.lanes,
        memory_bytes=options.nodes_mb << 20,
        exploration=options.exploration,
        playouts_per_leaf=options.playouts_per_leaf,
        expand_after=options.expand_after,
        max_steps=options.max_steps,
        seed=rng.getrandbits(63),
    )


def _random(options: PlayerOptions) -> random.Random:
    return random.Random(options.seed or None)
