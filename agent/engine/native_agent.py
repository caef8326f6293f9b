"""The agent that plays with a native search, which lasts the match.

Imported no earlier than an engine is told to think: see `backends`.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np

from ludens.agent.engine.backends import SearchBackend
from ludens.agent.engine.match_agent import KnownPlan, SearchAgent, new_random
from ludens.agent.engine.proven_end import ProvenEnd
from ludens.agent.playable.text_game import Numbers
from ludens.agent.protocol.state_history import StateHistory, rest_of
from ludens.agent.protocol.wire import MOST_CANDIDATES, MOST_TOLD, Candidate, History, Joint, Position, SearchReport
from ludens.agent.search.assembly import new_search
from ludens.agent.search.mixed_strategy import choose
from ludens.agent.search.strategy_choice import PUZZLE
from ludens.native.core import RootMoves
from ludens.propnet.base.errors import NativeError

T = TypeVar("T")

_LINE_STEPS = 12  # of an expected line that are reported
_PROVEN_STEPS = 500  # of one that may lead to the end of the game
_PLAN_STEPS = 1 << 16
_PROOF = 1 << 62  # weighs more than any number of visits


class NativeAgent(SearchAgent):
    """Plays a native game with a native search, which keeps its tree from turn to turn.

    A native game can fail in the midst of a search: the rule machine has room for so many facts and moves, and
    random games may see more of them, or states where the rules never come to an end. Then all is made again, without
    what may have failed, and begins from the present position, whose best move so far is kept. Along the match itself
    few facts and moves are met. The plan for a puzzle is kept as texts, and suggested to the search that begins again.
    """

    def __init__(self, backend: SearchBackend, role: str, seed: int, tell: Callable[[str], None]) -> None:
        """`tell` takes what goes wrong. Raises what making the game does, and `NativeError` for want of room."""
        self.rank = backend.stage
        self._backend = backend
        self._tell = tell
        self._last_error = ""
        self._failures = 0
        self._begins_again = False  # and has not arrived at a position since
        self._tells_sample = False  # has told that not all legal moves are considered
        self._random = new_random(seed)
        self._role_name = role
        self._history: History = ()
        self._make()

    def go_to(self, history: History) -> Position:
        """See `MatchAgent`; raises `NativeError` if the position is too much even for a new game."""
        position = self._twice(lambda: self._arrive(history))
        self._quantile = self._random.random()
        self._report = SearchReport(position.step, "", machine=self._game.machine)
        self._history, self.position, self.weight, self.plan = history, position, -1, KnownPlan()
        self.can_search = self._search is not None and bool(position.legal) and not position.terminal
        if self.can_search:
            self._update_report()
        return position

    def illegal_moves(self, history: History, moves: Joint) -> int:
        """See `MatchAgent`; raises as `go_to` does."""
        return self._twice(lambda: self._count_illegal(history, moves))

    def think(self, seconds: float) -> SearchReport:
        """See `SearchAgent`."""
        assert self._search is not None
        before = self._search.stats().playouts
        try:
            self._run(seconds)
        except NativeError as error:
            self.can_search = self._search.stats().playouts > before  # else it would fail again at once
            self._update_report()
            self._begin_again(error)
            self._arrive(self._history)
        self._update_report()
        return self._report

    def _run(self, seconds: float) -> None:
        assert self._search is not None
        self._search.run(seconds)

    def known(self) -> SearchReport | None:
        """See `MatchAgent`."""
        return self._report if self.weight > 0 or self.plan.goal >= 0 else None

    def take_plan(self, plan: KnownPlan) -> None:
        """See `MatchAgent`."""
        if plan.goal > self.plan.goal:
            self._suggest_moves(plan.moves)

    def interrupt(self) -> None:
        """See `MatchAgent`."""
        search = self._search  # once: the agent's own thread may take it away
        if search is not None:
            search.stop()

    def _make(self) -> None:
        self._game, self._config = self._backend.make()
        for _ in range(min(self._failures, 2)):  # the kernel may fail, or memory for an evaluation
            self._config = self._config.fallback()
        self._path = StateHistory(self._game.game.initial, self._game.after)
        self._role = self._game.roles.index(self._role_name)
        self._end = ProvenEnd(self._game, self._role)
        self._new_search()

    def _new_search(self) -> None:
        self._search = None  # gives back its memory first: there is room for one tree
        self._search = new_search(self._config, self._random.getrandbits(63))

    def _twice(self, work: Callable[[], T]) -> T:
        """Returns what `work` does, at the second attempt if the game fails at the first."""
        try:
            return work()
        except NativeError as error:
            self._begin_again(error)
            return work()

    def _begin_again(self, error: NativeError) -> None:
        if str(error) != self._last_error:
            self._last_error = str(error)
            self._tell(f"{self._game.machine}: {error}; beginning again")
        self._failures += 1
        self._begins_again = True
        self._search, before = None, self._config  # gives back its memory first
        self._make()
        if str(self._config) != str(before):
            self._tell(f"goes on by {self._config}")

    def _count_illegal(self, history: History, moves: Joint) -> int:
        legal = self._game.legal(self._path.follow(history))
        numbers = [self._game.number(role, move) for role, move in enumerate(moves)]
        return sum(number not in ours and not self._sampled(ours) for number, ours in zip(numbers, legal, strict=True))

    def _arrive(self, history: History) -> Position:
        game, state = self._game, self._path.follow(history)
        self._state = state
        terminal = game.terminal(state)
        self._legal = legal = game.legal(state)
        if self._search is not None and not terminal:
            self._search.set_root(state)
            self._playouts = self._search.stats().playouts  # those of earlier positions
            self._unguided = self._search.unguided_visits
            if self._begins_again:
                self._begins_again = False
                self._suggest_moves(rest_of(self._history + self.plan.moves, history))
        self._hidden = sum(len(moves) > 1 for moves in legal) > 1 and len(legal[self._role]) > 1
        ours = legal[self._role]
        if self._sampled(ours) and not self._tells_sample:
            self._tells_sample = True
            self._tell(f"there are very many legal moves: the search chooses from {len(ours):,} of them")
        told = ours if len(ours) <= MOST_TOLD else self._random.sample(list(ours), MOST_TOLD)
        complete = len(told) == len(ours) and not self._sampled(ours)
        goals = game.goals(state) if terminal else ()
        return Position(len(history), game.texts(self._role, told, state), terminal, goals, complete)

    def _suggest_moves(self, moves: History) -> None:
        """Suggests a line from the root on to the search, which looks itself what becomes of it."""
        assert self._search is not None
        with contextlib.suppress(NativeError):  # it meets more than there is room for
            line = [[self._game.number(role, move) for role, move in enumerate(joint)] for joint in moves]
            self._search.suggest(np.array(line, np.int32).reshape(len(line), len(self._game.roles)))

    def _sampled(self, legal: Numbers) -> bool:
        """Says whether there may be legal moves beside these."""
        return 0 < self._game.sample <= len(legal)

    def _update_report(self) -> None:
        """Reports the search's best move, unless an earlier search of this position was better founded."""
        assert self._search is not None
        stats = self._search.stats()
        weight = _PROOF if stats.solved else max(0, stats.root_visits - self._unguided)
        known_moves = [self._search.root_moves(role) for role in range(len(self._game.roles))]
        known = known_moves[self._role]
        goal = self._planned_goal(known)
        if (goal, weight) < (self.plan.goal, self.weight):
            return
        chosen = choose(known, lambda: self._quantile, hidden=self._hidden, mixes=self._search.mixes)
        proven, value = bool(known.proven[chosen] >= 0), known.expected(chosen)
        self.weight = weight
        if goal > self.plan.goal:
            joints = self._search.expected_line(_PLAN_STEPS)
            self.plan = KnownPlan(goal, tuple(self._game.line(self._state, joints)))
        self.can_search = self.can_search and not stats.solved
        others = np.delete(known.proven, chosen)
        # What to play follows from what the others are worth.
        settled = stats.solved and not proven and len(others) > 0 and bool((others >= 0).all())
        line, turns_left = self._expected(int(known.moves[chosen]), value if proven else None)
        self._report = SearchReport(
            step=self.position.step,
            move=self._game.move(self._role, int(known.moves[chosen]), self._state),
            playouts=stats.playouts - self._playouts,
            value=None if settled else _known(value),
            line=line[:_LINE_STEPS],
            machine=self._game.machine,
            final=stats.solved or len(self.position.legal) == 1,
            proven=proven,
            others=float(others.max()) if settled else None,
            turns_left=turns_left,
            candidates=self._candidates(known_moves),
            values=tuple(map(_best_value, known_moves)),
        )

    def _planned_goal(self, known: RootMoves) -> float:
        """Returns the goal of the search's plan, if it makes plans and has one."""
        goal = _best_value(known) if self._config.strategy == PUZZLE else None
        return KnownPlan().goal if goal is None else goal

    def _candidates(self, known_moves: Sequence[RootMoves]) -> tuple[Candidate, ...]:
        """Returns what is known of the moves of the roles that have a choice, the most visited ones first."""
        found: list[Candidate] = []
        for role, known in enumerate(known_moves):
            if len(known.moves) > 1:
                for i in np.argsort(-known.visits, kind="stable")[:MOST_CANDIDATES]:
                    text = self._game.move(role, int(known.moves[i]), self._state)
                    value = _known(known.expected(int(i)))
                    found.append((role, text, int(known.visits[i]), value, bool(known.proven[i] >= 0)))
        return tuple(found)

    def _expected(self, move: int, proven: float | None) -> tuple[History, int | None]:
        """Returns the line expected after a move of ours, and the turns to the end if it is proven to have a goal."""
        assert self._search is not None
        turns_left = None
        if proven is None or self._hidden:
            line = tuple(self._game.line(self._state, self._search.expected_line(_LINE_STEPS)))
        else:
            joints = self._search.expected_line(_PROVEN_STEPS)
            line, turns_left = self._end.line_of(self._history, self._state, self._legal, move, joints, proven)
        begins = line and line[0][self._role] == self._game.move(self._role, move, self._state)
        return (line, turns_left) if begins else ((), None)


def _known(value: float) -> float | None:
    """Returns a value as reports have it: None while it is unknown."""
    return None if math.isnan(value) else value


def _best_value(known: RootMoves) -> float | None:
    """Returns the expected goal of a role after the move that it would make; None while it is unknown."""
    return _known(known.expected(known.best)) if known.best >= 0 else None
