"""Five in a row on 15 x 15 cells between strategies of the native core, reference policies, `auto`, and other programs.

    python -m scripts.strength.gomoku_match patterns uct --games 40 --seconds 1
    python -m scripts.strength.gomoku_match patterns network:auto:learn=20 --games 40
    python -m scripts.strength.gomoku_match uct plain:uct --seconds 0.1
    python -m scripts.strength.gomoku_match guided:learn=10 plain:guided:learn=10 --seconds 0.1
    python -m scripts.strength.gomoku_match patterns policy:minimax --seconds 1
    python -m scripts.strength.gomoku_match patterns "brain:/opt/engines/brain --quiet" --seconds 1

A strategy plays on the native core; `plain:` stands before one that is told nothing of threats and patterns there, and
`guided` learns for so many seconds of CPU time before. `network:` stands before one that plays on the network of the
built-in rules, as `auto` did before the core was known; `policy:` before a reference policy, and `brain:` before the
command of a program that speaks the Gomocup protocol. Policies and programs go by the wall clock, so on a busy machine
they have less time than strategies, which have CPU time; with --wall these go by the wall clock, too. Who moves to a
cell with a stone has lost: a fault.

Openings are random stones near each other after which neither side, were it to move, is seen to win by threats. How
games are arranged and counted is said in scripts/common/match_runner.py.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cache
from typing import Protocol

import numpy as np

from ludens.agent.gomoku.strategies import game_on_core, read_strategy
from ludens.agent.learning.learning import Learner
from ludens.agent.learning.self_play_learner import LearningPace
from ludens.agent.preparation.budget import TimeBudget
from ludens.agent.preparation.prepare import prepare
from ludens.agent.preparation.prepare_untimed import prepare_on_core
from ludens.agent.search.assembly import new_search
from ludens.agent.search.config import SearchConfig
from ludens.agent.search.contract import GameSearch
from ludens.agent.search.strategy_choice import GUIDED
from ludens.agent.settings.players import read_search
from ludens.games import read
from ludens.games.gomoku.competition import random_opening
from ludens.games.gomoku.on_core import GomokuOnCore
from ludens.games.gomoku.policies.policy import Policy
from ludens.games.gomoku.policies.table import read_policy
from ludens.games.gomoku.recognition import Recognised, recognise
from ludens.games.gomoku.rules import Bools, GomokuRules, native_game, pack
from ludens.games.gomoku.state import MAX, MIN, Action, GomokuState
from ludens.native.core import Evaluation, ThreatSearch, pack_bits
from ludens.propnet.base.errors import LudensError
from ludens.propnet.compile.loader import load
from ludens.propnet.network.propnet import Propnet
from scripts.common.gomocup_brain import Brain
from scripts.common.match_runner import Outcome, Task, add_arguments, key, play_match, seed_of
from scripts.common.progress import tell
from scripts.common.searching_side import SearchingSide

_SHEET = "gomoku"
_SIZE, _LENGTH = 15, 5
_RULES = GomokuRules(_SIZE, _SIZE, _LENGTH)
_OPENINGS_TRIED = 1000
_OPENING_POSITIONS = 200_000  # of the search for wins in an opening
_RECOGNITION = 30.0  # seconds
_PACE = LearningPace(random_games=20_000, random_seconds=0.0, round_states=1 << 15, round_seconds=0.0)


@dataclass(frozen=True, slots=True)
class GomokuTask(Task):
    """One game to be played."""

    wall: bool = False  # whether strategies go by the wall clock


class Side(Protocol):
    """Chooses the moves of one side."""

    def choose(self, state: GomokuState, actions: list[Action]) -> Action:
        """Returns a move in a position, to which these actions led."""

    def effort(self) -> int:
        """Returns the playouts, or positions, of an average move; 0 if they are not known."""

    def close(self) -> None:
        """Ends what runs for it."""


class Searching(SearchingSide):
    """A search of some game."""

    def __init__(self, search: GameSearch, task: GomokuTask, threads: int) -> None:
        if task.wall:
            super().__init__(search, task.seconds, 1, time.monotonic)
        else:
            super().__init__(search, task.seconds, threads)

    def close(self) -> None:
        """See `Side`."""


class OnCore(Searching):
    """A strategy on the native core."""

    def choose(self, state: GomokuState, actions: list[Action]) -> Action:
        """See `Side`."""
        stones, second = _stones(state), np.array([state.current_player == MIN])
        return divmod(self.best(pack(stones, second)[0], int(second[0])), _SIZE)


class OnNetwork(Searching):
    """A strategy on the network of the rules."""

    def __init__(self, recognised: Recognised, search: GameSearch, task: GomokuTask, threads: int) -> None:
        super().__init__(search, task, threads)
        self._encoding = recognised.encoding

    def choose(self, state: GomokuState, actions: list[Action]) -> Action:
        """See `Side`."""
        second = np.array([state.current_player == MIN])
        role = int(second[0]) ^ self._encoding.rules.first_role
        best = self.best(pack_bits(self._encoding.encode(_stones(state), second))[0], role)
        cell: int = self._encoding.moves[role].tolist().index(best)
        return divmod(cell, _SIZE)


class ByPolicy:
    """A reference policy."""

    def __init__(self, policy: Policy, seconds: float) -> None:
        self._policy, self._seconds = policy, seconds

    def choose(self, state: GomokuState, actions: list[Action]) -> Action:
        """See `Side`."""
        return self._policy.choose(state, self._seconds)

    def effort(self) -> int:
        """See `Side`."""
        return 0

    def close(self) -> None:
        """See `Side`."""


class ByBrain:
    """Another program."""

    def __init__(self, brain: Brain) -> None:
        self._brain = brain

    def choose(self, state: GomokuState, actions: list[Action]) -> Action:
        """See `Side`."""
        return divmod(self._brain.choose([row * _SIZE + column for row, column in actions]), _SIZE)

    def effort(self) -> int:
        """See `Side`."""
        return 0

    def close(self) -> None:
        """See `Side`."""
        self._brain.close()


@cache
def network() -> tuple[Propnet, Recognised]:
    """Returns the network of the built-in rules, and what is recognised in it."""
    net = load(read(_SHEET))
    return net, recognise(net, _RECOGNITION, games=500)


@cache
def prepared(text: str, seconds: float) -> SearchConfig:
    """Prepares a strategy on the network, once for all games of this process."""
    options = read_search(text)
    budget = TimeBudget(options.unclocked_seconds, seconds, seed=1, clock=time.process_time, tell=tell)
    return prepare(network()[0], options, budget, recognised=None)


def side(text: str, task: GomokuTask, seed: int) -> Side:
    """Returns the side that `text` describes; raises LudensError."""
    kind, _, rest = text.partition(":")
    if kind == "policy":
        return ByPolicy(read_policy(rest, seed), task.seconds)
    if kind == "brain":
        return ByBrain(Brain(rest, _SIZE, task.seconds))
    if kind == "network":
        config = prepared(rest, task.seconds)
        search = new_search(config, seed)
        if search is None:
            raise LudensError(f"{text}: {config.strategy} does not search")
        return OnNetwork(network()[1], search, task, config.threads)
    return on_core(rest if kind == "plain" else text, task, seed, insight=kind != "plain")


def on_core(text: str, task: GomokuTask, seed: int, *, insight: bool) -> OnCore:
    """Returns a strategy on the native core, with or without insight; raises LudensError."""
    guided = text.partition(":")[0] == GUIDED
    options = read_search(text) if guided else read_strategy(text)
    policy = game_on_core(_RULES, options).policy
    config = prepare_on_core(GomokuOnCore(_RULES, policy=policy, insight=insight), options)
    if guided:
        config = replace(config, strategy=GUIDED, evaluation=learned(options.unclocked_seconds))
    search = new_search(config, seed)
    assert search is not None, text
    return OnCore(search, task, options.workers)


@cache
def learned(seconds: float) -> Evaluation:
    """Returns what self-play on the native core teaches in so many seconds of CPU time, but in one round at least."""
    learner, end = Learner(native_game(_RULES), 1, pace=_PACE), time.process_time() + seconds
    while True:
        learner.round()
        if time.process_time() >= end:
            return Evaluation(learner.learned().weights)


def balanced_opening(moves: int, seed: int) -> tuple[Action, ...]:
    """Returns a random opening in which neither side wins by threats, as far as a short search sees.

    Raises LudensError if none is found.
    """
    rng, threats = random.Random(seed), ThreatSearch(native_game(_RULES))
    start = GomokuState.blank(_SIZE, _LENGTH)
    for _ in range(_OPENINGS_TRIED):
        opening = random_opening(start, moves, rng.getrandbits(32))
        stones = _stones(start.play_seq(opening))
        turns = [pack(stones, np.array([second]))[0] for second in (False, True)]
        found = [threats.run(state, most_positions=_OPENING_POSITIONS).verdict for state in turns]
        if len(opening) == moves and found == ["none", "none"]:
            return opening
    raise LudensError(f"no opening of {moves} stones is balanced")


def play(task: Task) -> Outcome:
    """Plays one game; in seat 0 the first player moves first."""
    assert isinstance(task, GomokuTask)
    actions = list(balanced_opening(task.opening_moves, task.opening))
    state = GomokuState.blank(_SIZE, _LENGTH).play_seq(actions)
    with ExitStack() as stack:
        sides = []
        for number, text in enumerate(task.players):
            sides.append(side(text, task, seed_of(task, number)))
            stack.callback(sides[-1].close)
        faults = [0, 0]
        while not state.is_game_over:
            mover = int(state.current_player == MIN) ^ task.seat
            action = sides[mover].choose(state, actions)
            if action in actions:
                faults[mover] = 1
                break
            state = state.perform(action)
            actions.append(action)
    score = {MAX: 1.0, MIN: 0.0}.get(state.winner, 0.5)
    if task.seat:
        score = 1 - score
    if any(faults):
        score = float(faults[1])
    efforts = sides[0].effort(), sides[1].effort()
    return Outcome(key(task), score, len(actions), efforts, (faults[0], faults[1]))


def _stones(state: GomokuState) -> Bools:
    """Returns the stones bool[1, 2, cells] of a position."""
    return state.board[[MAX, MIN]].reshape(1, 2, -1).astype(np.bool_)


def main() -> int:
    """Plays the match and prints its summary as JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_arguments(parser, "as in uct, network:auto, policy:minimax or brain:COMMAND", opening_moves=5)
    parser.add_argument("--wall", action="store_true", help="strategies go by the wall clock as well")
    args = parser.parse_args(namespace=argparse.Namespace(game=_SHEET))

    def new_task(**settings: object) -> GomokuTask:
        return GomokuTask(**settings, wall=args.wall)  # type: ignore[arg-type]

    try:
        play_match(args, 2, play, new_task)
    except LudensError as error:
        print(f"gomoku_match: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
