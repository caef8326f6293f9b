"""Plans for puzzles: two planners, each an answer set program that clingo solves, take turns in a child process.

For one role a game is a planning problem: find moves that lead to an end with a goal of at least so much. Plans move
after move (`sequential_planning`) say of every goal whether it can be reached; plans of sets of moves
(`parallel_planning`) are found far sooner where moves commute.

Conflict-driven solvers see at once what exhaustive search meets last: that a choice leaves no number for some
square. Long ways through few positions are their weakness, and the strength of a search that remembers.

Source: M. Thielscher, "Answer set programming for single-player games in general game playing", ICLP 2009.
"""

from __future__ import annotations

import contextlib
import math
import threading
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ludens.agent.search.parallel_planning import NoParallelPlanError, ParallelPlanner
from ludens.agent.search.sequential_planning import SequentialPlanner
from ludens.propnet.analysis.composition import CompositionError
from ludens.propnet.analysis.interference import Interference
from ludens.propnet.base import child
from ludens.propnet.base.clock import now
from ludens.propnet.base.errors import LudensError
from ludens.propnet.network.propnet import Propnet

_FIRST_SLICE = 0.5  # seconds that a horizon gets when it is first tried
_MORE_TIME = 4  # times, when it is tried again
_INTERFERENCE_SECONDS = 20.0

_WORDING = child.Wording(
    "planning failed",
    "planning takes more than the {:g} s allowed",
    "planning takes more than the {:,} MB of memory allowed; --grounding-mb allows more",
)


class NotAPuzzleError(LudensError):
    """The network is of a kind that is not planned for."""


class Planning:
    """A plan that is looked for in the background, until it is found, refuted, out of its limits or cancelled."""

    def __init__(
        self, net: Propnet, state: npt.NDArray[np.bool_], limits: child.Limits, most: float = math.inf
    ) -> None:
        """Begins at once; the arguments are those of `plan`."""
        self.found: Plan | None = None
        self.most = most
        """No plan from this state on earns more, as far as is known by now."""
        self._cancelled = threading.Event()
        threading.Thread(target=self._run, args=(net, state, limits), daemon=True).start()

    def cancel(self) -> None:
        """Ends the work, soon."""
        self._cancelled.set()

    def _run(self, net: Propnet, state: npt.NDArray[np.bool_], limits: child.Limits) -> None:
        with contextlib.suppress(LudensError):  # no plan is no failure: the search goes on without
            self.found = plan(net, state, limits, self.most, self._look_for, self._cancelled.is_set)

    def _look_for(self, goal: int) -> None:
        self.most = goal


@dataclass(frozen=True, slots=True)
class Plan:
    """Moves from a state to the end of the game, as indices, and the goal that they earn."""

    moves: tuple[int, ...]
    goal: int


def plan(
    net: Propnet,
    state: npt.NDArray[np.bool_],
    limits: child.Limits,
    most: float = math.inf,
    look_for: Callable[[int], None] = lambda _goal: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> Plan | None:
    """Finds the best plan from `state`, bool[S], in a child process; None if there is none.

    It is known that none earns more than `most`. `look_for` is told each goal that is tried, the highest first. Raises
    `NotAPuzzleError`, and `child.ExceededError` when the limits come first.
    """
    if len(net.roles) != 1:
        raise NotAPuzzleError("plans are for games of one role")
    if len(net.loops):
        raise NotAPuzzleError("the network has loops, which come from recursive rules")
    task = "ludens.agent.search.planning:solve"
    found: Plan | None = child.run(
        task, (net, state, most), limits, _WORDING, lambda goal: look_for(int(goal)), cancelled
    )
    return found


def solve(task: tuple[Propnet, npt.NDArray[np.bool_], float], tell: child.Tell) -> Plan | None:
    """Does what `plan` does, without bounds."""
    net, state, most = task
    interference = _interference(net)
    for goal in sorted({goal for goal in net.goal_value.tolist() if goal <= most}, reverse=True):
        tell(str(goal))
        if (moves := _moves(net, interference, state, goal)) is not None:
            return Plan(moves, goal)
    return None


def _interference(net: Propnet) -> Interference | None:
    """Returns how the moves interfere, if they do not all do so and it is found out in time."""
    with contextlib.suppress(CompositionError):
        found = Interference(net, now() + _INTERFERENCE_SECONDS)
        return found if found.partners() else None
    return None


def _moves(
    net: Propnet, interference: Interference | None, state: npt.NDArray[np.bool_], goal: int
) -> tuple[int, ...] | None:
    """Returns moves that earn a goal, or None once it is certain that there are none.

    Both planners are asked in turn, with more time in each round.
    """
    parallel: ParallelPlanner | None = None
    if interference is not None:
        with contextlib.suppress(NoParallelPlanError):
            parallel = ParallelPlanner(net, interference, state, goal)
    sequential = SequentialPlanner(net, state, goal)
    seconds = _FIRST_SLICE
    while not sequential.refuted:
        for planner in (parallel, sequential):
            if planner is not None and (moves := planner.sweep(seconds)) is not None:
                return moves
        seconds *= _MORE_TIME
    return None
