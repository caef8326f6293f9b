"""The referees say what the oracle says of a match, and the slow one is there when the fast one cannot be."""

from __future__ import annotations

import random
import threading
from collections.abc import Sequence

import pytest
from twisted.internet.selectreactor import SelectReactor

from ludens import games
from ludens.agent.manager.referee import MatchState, Referee, choose_referee
from ludens.agent.playable.text_game import NetworkGame, RulesGame
from ludens.agent.protocol.wire import History
from ludens.agent.reactor.in_thread import in_thread
from ludens.native.core import States
from ludens.propnet.base.child import Limits
from ludens.propnet.base.errors import LudensError
from ludens.propnet.compile.loader import load
from ludens.propnet.gdl.interpreter import Interpreter, State
from ludens.propnet.gdl.parser import parse_rules, parse_term
from tests.support.waiting import PATIENCE

# Whoever jumps falls into a rule without end.
PIT = """
    (role p) (init (n 0)) (init open)
    (<= (legal p jump) (true open)) (<= (legal p wait) (true open))
    (<= (next fallen) (does p jump)) (<= (next open) (does p wait)) (<= (next (n 0)))
    (<= terminal (true fallen) (deep 0)) (<= (deep ?x) (true fallen) (deep (s ?x)))
    (<= (goal p 50))
"""


def as_sets(position: MatchState) -> tuple[object, ...]:
    return position.facts, tuple(map(frozenset, position.legal)), position.terminal, position.goals


def by_the_oracle(rules: Interpreter, state: State) -> MatchState:
    return MatchState(
        facts=tuple(sorted(map(str, state))),
        legal=tuple(tuple(map(str, rules.legal(state, role))) for role in rules.roles),
        terminal=rules.terminal(state),
        goals=rules.goals(state),
    )


def test_a_position_one_move_on_is_one_step_further(monkeypatch: pytest.MonkeyPatch) -> None:
    game, steps = RulesGame(parse_rules(games.read("tic_tac_toe"))), list[Sequence[str]]()
    original = game.after

    def after(state: States, moves: Sequence[str]) -> States:
        steps.append(moves)
        return original(state, moves)

    monkeypatch.setattr(game, "after", after)
    referee = Referee(game)
    history: History = ()
    while not (position := referee.at(history)).terminal:
        history = (*history, tuple(min(moves) for moves in position.legal))
    assert tuple(steps) == history
    assert as_sets(referee.at(history[:3])) == as_sets(Referee(game).at(history[:3]))


@pytest.mark.parametrize("machine", ["network", "rules"])
@pytest.mark.parametrize("game", ["tic_tac_toe", "nim", "rock_paper_scissors", "eight_puzzle"])
def test_a_referee_says_what_the_oracle_says(game: str, machine: str) -> None:
    sheet = parse_rules(games.read(game))
    oracle = Interpreter(sheet)
    referee = Referee(NetworkGame(load(sheet)) if machine == "network" else RulesGame(sheet))
    rng = random.Random(game)
    position, state = referee.first(), oracle.initial()
    for _ in range(12):
        assert as_sets(position) == as_sets(by_the_oracle(oracle, state))
        if position.terminal:
            position, state = referee.first(), oracle.initial()
        joint = [rng.choice(sorted(moves)) for moves in position.legal]
        position = referee.after(joint)
        state = oracle.next(state, list(map(parse_term, joint)))


def test_the_network_is_the_referee_where_there_is_time() -> None:
    choice = choose_referee(parse_rules(games.read("tic_tac_toe")), Limits(PATIENCE))
    assert choice.net is not None
    assert not choice.fallback_reason


def test_without_time_the_rule_machine_is_the_referee_and_says_so() -> None:
    choice = choose_referee(parse_rules(games.read("tic_tac_toe")), Limits(seconds=0.0))
    assert choice.fallback_reason.startswith("the rules are interpreted")
    assert len(choice.referee.first().legal[0]) == 9


def test_what_runs_in_a_thread_brings_its_result_or_its_error_to_the_reactor() -> None:
    reactor = SelectReactor()
    brought: list[object] = []

    def fail() -> None:
        raise LudensError(threading.current_thread().name)

    def begin() -> None:
        first = in_thread(reactor, threading.current_thread).addCallback(brought.append)
        second = first.addCallback(lambda _: in_thread(reactor, fail)).addErrback(brought.append)
        second.addCallback(lambda _: reactor.stop())

    reactor.callWhenRunning(begin)
    reactor.callLater(PATIENCE, reactor.crash)
    reactor.run(installSignalHandlers=False)
    thread, failure = brought
    assert thread is not threading.current_thread()
    assert failure.check(LudensError)  # type: ignore[attr-defined]
