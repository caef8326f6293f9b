"""Searches of games that end at unstoppable wins: wins are played to the end, lost positions are not given up."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ludens import games
from ludens.agent.engine.backends import network_backend
from ludens.agent.engine.native_agent import NativeAgent
from ludens.agent.playable.text_game import NetworkGame
from ludens.agent.search.assembly import new_search
from ludens.agent.search.config import SearchConfig
from ludens.agent.search.early_win_search import EarlyWinSearch
from ludens.agent.settings.options import PlayerOptions
from ludens.agent.variants.early_wins import early_wins
from ludens.agent.variants.game_variant import GameVariant, compile_variant
from ludens.native.core import Game, RootMoves, Simulator, States
from ludens.propnet.compile.loader import load
from ludens.propnet.gdl.parser import parse_rules
from ludens.propnet.network.propnet import Propnet
from tests.support.racing_sheets import racing_sheet
from tests.support.solved_game import SolvedGame

_BEST, _WORST = 100, 0


def early(net: Propnet) -> GameVariant:
    wins = early_wins(net, print)
    assert wins is not None
    return compile_variant(net, wins)


def config_of(variant: GameVariant, **settings: Any) -> SearchConfig:
    options = PlayerOptions(**{"strategy": "uct", "seed": 1, "nodes_mb": 16, **settings})
    return SearchConfig.from_settings(options, variant, "uniform")


def search_of(net: Propnet, **settings: Any) -> EarlyWinSearch:
    search = new_search(config_of(early(net), **settings), seed=1)
    assert isinstance(search, EarlyWinSearch)
    return search


def mover_of(simulator: Simulator, state: States) -> int:
    return int(np.argmax([moves.sum() for moves in simulator.legal(state)]))


def known_to(search: EarlyWinSearch, state: States, mover: int) -> RootMoves:
    search.set_root(state)
    search.run(playouts=20_000)
    return search.root_moves(mover)


@pytest.mark.parametrize("seed", [0, 4, 9])
def test_won_positions_are_won_against_perfect_answers(seed: int) -> None:
    net = load(parse_rules(racing_sheet(seed)))
    game = Game.from_propnet(net)
    simulator = Simulator(game, 64)
    solved = SolvedGame(net, game.initial.reshape(1, -1))
    search = search_of(net)

    def value(state: States, role: int) -> int:
        first = int(solved.values[solved.number[state.tobytes()]])
        return first if role == 0 else _BEST - first

    def after(state: States, joint: tuple[int, int]) -> States:
        return simulator.next(state, np.array(joint, np.int32)).reshape(-1)

    early = Simulator(search.game, 64)
    over, sooner = simulator.terminal(solved.states), early.terminal(solved.states)
    won_early = solved.states[sooner & ~over][::97]
    assert len(won_early)
    for won in won_early:
        state, role = won, mover_of(simulator, won)
        while not simulator.terminal(state)[0]:
            mover = mover_of(simulator, state)
            if mover == role:
                known = known_to(search, state, role)
                move = int(known.moves[known.best])
                (joint,) = (j for j in all_joints(simulator, state) if j[role] == move)
            else:
                joint = min(all_joints(simulator, state), key=lambda j: value(after(state, j), role))
            state = after(state, joint)
        assert simulator.goals(state)[0][role] == _BEST


def positions(net: Propnet) -> tuple[GameVariant, States]:
    """A variant that ends early, and states of random games of it."""
    variant = early(net)
    game = variant.full_game
    simulator, states = Simulator(game, seed=1), []
    for moves in simulator.record(max_steps=100)[:20]:
        state = game.initial
        for joint in moves[:-1]:
            state = simulator.next(state, joint)[0]
            states.append(state)
    return variant, np.array(states)


def test_where_a_race_is_won_or_lost_the_whole_game_is_searched() -> None:
    net = load(games.read("breakthrough_small"))
    variant, states = positions(net)
    simulator, search = Simulator(variant.game, 64), search_of(net, solver_share=0.0)
    won = states[simulator.terminal(states)][0]
    mover = mover_of(Simulator(variant.full_game, 64), won)
    known = known_to(search, won, mover)
    assert known.visits.sum() > 0
    assert not simulator.terminal(variant.game.initial)[0]
    search.set_root()
    assert search.stats().root_visits == 0  # the other tree's
    lost = 0
    for state in states[~simulator.terminal(states)]:
        mover = mover_of(Simulator(variant.full_game, 64), state)
        joints = all_joints(Simulator(variant.full_game, 64), state)
        after = simulator.next(np.repeat(state.reshape(1, -1), len(joints), axis=0), np.array(joints, np.int32))
        if (simulator.terminal(after) & (simulator.goals(after)[:, mover] == _WORST)).all():
            lost += 1
            search.set_root(state)
            search.run(playouts=2_000)
            before = search.stats()
            search.run(playouts=2_000)
            assert before.solved or search.stats().root_visits > before.root_visits
            assert (search.root_moves(mover).proven == _WORST).all()
    assert lost > 0


def test_who_is_known_to_have_lost_when_its_turn_comes_plays_on() -> None:
    """While the other was thought about, its win was proven; what to answer is not known by that."""
    net = load(games.read("breakthrough_small"))
    variant, states = positions(net)
    early_simulator, simulator = Simulator(variant.game, 64), Simulator(variant.full_game, 64)
    search, lost = search_of(net, solver_share=0.0), 0
    for state in states[~early_simulator.terminal(states)]:
        mover = mover_of(simulator, state)
        known = known_to(search, state, mover)
        if known.proven[known.best] == _BEST:
            move = int(known.moves[known.best])
            (joint,) = (each for each in all_joints(simulator, state) if each[mover] == move)
            after = simulator.next(state, np.array(joint, np.int32)).reshape(-1)
            if not early_simulator.terminal(after)[0]:
                lost += 1
                search.set_root(after)
                assert not search.stats().solved
                search.run(playouts=2_000)
                other = search.root_moves(1 - mover)
                assert other.visits.sum() > 0 and (other.proven == _WORST).all()
    assert lost > 0


def all_joints(simulator: Simulator, state: States) -> list[tuple[int, int]]:
    first, second = (np.flatnonzero(moves[0]).tolist() for moves in simulator.legal(state))
    return [(a, b) for a in first for b in second]


def test_counters_add_up_over_both_trees() -> None:
    net = load(games.read("breakthrough_small"))
    variant, states = positions(net)
    search = search_of(net, solver_share=0.0)
    search.set_root()
    search.run(playouts=5_000)
    one = search.stats()
    search.set_root(states[Simulator(variant.game, 64).terminal(states)][0])
    search.run(playouts=5_000)
    both = search.stats()
    assert one.playouts >= 5_000
    assert both.playouts > one.playouts
    assert both.memory_bytes == one.memory_bytes == 16 << 20


def test_an_agent_goes_by_the_rules_and_not_by_the_race() -> None:
    net = load(games.read("breakthrough_small"))
    variant, states = positions(net)
    simulator = Simulator(variant.full_game, seed=1)
    moves = next(m for m in simulator.record(max_steps=100) if len(m) > 2)
    history = [tuple(net.moves[r][int(i)] for r, i in enumerate(joint)) for joint in moves]
    agent = NativeAgent(network_backend(net, config_of(variant)), "white", 1, print)
    for step in range(len(history)):
        position = agent.go_to(tuple(history[:step]))
        assert not position.terminal
        assert position.legal
    assert agent.go_to(tuple(history)).terminal
    full_game = NetworkGame(net, variant.full_game)
    assert full_game.terminal(states[0]) == NetworkGame(net).terminal(states[0])


def test_what_is_no_race_is_played_as_it_is() -> None:
    told: list[str] = []
    assert early_wins(load(games.read("connect_four")), told.append) is None
    assert not told


def test_it_is_told_why_no_unstoppable_wins_are_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    monkeypatch.setattr("ludens.agent.variants.early_wins._SECONDS", 0.0)
    assert early_wins(load(games.read("breakthrough_small")), told.append) is None
    (text,) = told
    assert "wins that nobody can prevent are not looked for: it takes too much time" in text
