"""The built-in games: their headers, their rules against hand-written ones and known counts, and the simulator."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterable
from functools import cache

import numpy as np
import numpy.typing as npt
import pytest

from ludens import games
from ludens.native.core import Game, Simulator, States, pack_bits, unpack_bits
from ludens.propnet.base.errors import LudensError
from ludens.propnet.compile.loader import load
from ludens.propnet.gdl.check import check
from ludens.propnet.gdl.interpreter import Interpreter
from ludens.propnet.gdl.parser import parse_rules
from ludens.propnet.gdl.syntax import RuleSheet
from ludens.propnet.network.propnet import Propnet
from scripts.common.replay import Comparison, Step, play
from tests.support.by_hand import BY_HAND
from tests.support.paths import ROOT

Ways = npt.NDArray[np.int64]
PERFT = json.loads((ROOT / "tests" / "support" / "perft.json").read_text(encoding="utf-8"))
PLAYOUTS = int(os.environ.get("LUDENS_GAME_PLAYOUTS", "1"))  # of each game by the oracle; more take long
MAX_STEPS = 150  # of one game; none but those of draughts are often longer
every_game = pytest.mark.parametrize("name", games.names())


@cache
def sheet(name: str) -> RuleSheet:
    return parse_rules(games.read(name))


@cache
def network(name: str) -> Propnet:
    return load(sheet(name))


@cache
def played(name: str) -> list[list[Step]]:
    """Random games by the oracle."""
    oracle = Interpreter(sheet(name))
    return [list(play(oracle, random.Random(f"{name} {number}"), MAX_STEPS)) for number in range(PLAYOUTS)]


def test_at_least_the_promised_games_are_there() -> None:
    promised = (
        "tic_tac_toe connect_four breakthrough english_draughts reversi hex gomoku amazons pentago nim mini_chess"
    )
    assert set(promised.split()) <= set(games.names())
    players = [games.about(name).players for name in games.names()]
    assert players.count(1) >= 2 and players.count(3) >= 1 and players.count(4) >= 1


@every_game
def test_the_header_says_what_the_rules_say(name: str) -> None:
    about = games.about(name)
    assert about.name == name
    assert all(games.resolve_name(other) == name for other in (name, *about.also))
    assert about.title and about.summary.endswith(".") and about.source.endswith(".")
    assert about.players == len(sheet(name).roles)


def test_an_unknown_game_is_refused_with_near_names() -> None:
    with pytest.raises(LudensError, match="'conect_four'; did you mean connect_four"):
        games.read("conect_four")


def test_a_name_like_no_other_is_refused_with_what_lists_all_names() -> None:
    with pytest.raises(LudensError, match=r"zzzzzz.*`ludens games`"):
        games.read("zzzzzz")


def test_a_path_is_not_a_name() -> None:
    with pytest.raises(LudensError, match="no built-in game"):
        games.read("../sheets/nim")


@every_game
def test_the_rules_pass_the_checks(name: str) -> None:
    check(sheet(name))


@every_game
def test_random_games_end_with_a_goal_for_every_role(name: str) -> None:
    for steps in played(name):
        assert steps[-1].terminal or len(steps) > MAX_STEPS
        for step in steps:
            assert step.terminal or all(step.legal), "a role has no legal move"
            assert step.goals is None or None not in step.goals


@pytest.mark.parametrize("name", BY_HAND)
def test_the_rules_play_like_those_written_by_hand(name: str) -> None:
    for steps in played(name):
        game = BY_HAND[name]()
        for step in steps:
            assert game.over == step.terminal
            if step.terminal:
                assert game.goals() == step.goals
            else:
                assert game.legal() == [set(map(str, moves)) for moves in step.legal]
            if step.moves:
                game.play(list(map(str, step.moves)))


@pytest.mark.parametrize("name", BY_HAND)
def test_simulated_games_go_as_they_do_by_hand(name: str) -> None:
    net = network(name)
    simulator = Simulator(Game.from_propnet(net), lanes=64, seed=3)
    for joint in simulator.record(max_steps=1000)[:8]:
        states = [pack_bits(net.initial)]
        for moves in joint:
            states.append(simulator.next(states[-1], moves)[0])
        legal, goals = simulator.legal(np.array(states)), simulator.goals(np.array(states))
        game = BY_HAND[name]()
        for place, moves in enumerate(joint):
            assert not game.over
            found = [texts(net, role, np.flatnonzero(rows[place])) for role, rows in enumerate(legal)]
            assert game.legal() == [set(moves) for moves in found]
            game.play([texts(net, role, [move])[0] for role, move in enumerate(moves)])
        assert game.over
        assert game.goals() == tuple(goals[-1])


def texts(net: Propnet, role: int, moves: Iterable[int]) -> list[str]:
    return [net.moves[role][move] for move in moves]


@every_game
def test_the_simulator_agrees_with_the_oracle_state_for_state(name: str) -> None:
    comparison = Comparison.of_network(network(name))
    for steps in played(name):
        assert comparison.disagreements(steps) == []


@every_game
def test_all_of_many_simulated_games_end_with_goals(name: str) -> None:
    net = network(name)
    simulator = Simulator(Game.from_propnet(net), lanes=64, seed=7)
    stats = simulator.playouts(64, max_steps=1000)
    assert stats.stuck == 0
    state = pack_bits(net.initial)
    for moves in simulator.record()[0]:
        state = simulator.next(state, moves)
    assert simulator.terminal(state).all()
    assert (simulator.goals(state) >= 0).all()


@pytest.mark.parametrize("name", PERFT)
def test_the_number_of_lines_of_play_is_as_known(name: str) -> None:
    known = PERFT[name]
    assert perft(network(name), len(known["counts"]), known["within_turn"]) == known["counts"]


def perft(net: Propnet, depth: int, within_turn: str) -> list[int]:
    """How many lines of play there are of 1, 2 … `depth` turns; for games in which one role moves at a time.

    A state with a fact of the relation `within_turn` is in the middle of a turn.
    """
    simulator = Simulator(Game.from_propnet(net))
    unfinished = np.array([fact.startswith(f"({within_turn} ") for fact in net.propositions])
    states, ways = pack_bits(net.initial)[None], np.ones(1, np.int64)
    counts: list[int] = []
    for _ in range(depth):
        done: list[tuple[States, Ways]] = []
        while len(states):
            states, ways = followers(simulator, states, ways)
            halfway = (unpack_bits(states, net.state_bits) & unfinished).any(axis=1)
            done.append((states[~halfway], ways[~halfway]))
            states, ways = states[halfway], ways[halfway]
        states, ways = (np.concatenate(parts) for parts in zip(*done, strict=True))
        counts.append(int(ways.sum()))
    return counts


def followers(simulator: Simulator, states: States, ways: Ways) -> tuple[States, Ways]:
    """The different states one ply on, and in how many ways each is reached."""
    going = ~simulator.terminal(states)
    states, ways = states[going], ways[going]
    rows, joint = choices(simulator.legal(states))
    unique, place = np.unique(simulator.next(states[rows], joint), axis=0, return_inverse=True)
    sums = np.zeros(len(unique), np.int64)
    np.add.at(sums, place.ravel(), ways[rows])
    return unique, sums


def choices(legal: list[npt.NDArray[np.bool_]]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
    """All joint moves, and the state of each: the mover is the role with most moves, the others have one."""
    mover = np.argmax([moves.sum(axis=1) for moves in legal], axis=0)
    first = np.stack([moves.argmax(axis=1) for moves in legal], axis=1).astype(np.int32)
    rows: list[npt.NDArray[np.int64]] = []
    joint: list[npt.NDArray[np.int32]] = []
    for role, moves in enumerate(legal):
        row, move = (moves & (mover == role)[:, None]).nonzero()
        rows.append(row)
        joint.append(first[row])
        joint[-1][:, role] = move
    return np.concatenate(rows), np.concatenate(joint)
