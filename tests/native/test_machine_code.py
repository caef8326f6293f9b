"""Machine code and interpreted gates, lane for lane, against the numpy evaluator: random networks, built-in games."""

from __future__ import annotations

import random

import numpy as np
import pytest

from ludens import games
from ludens.native.core import Game, Simulator, instruction_sets, pack_bits, unpack_bits
from ludens.propnet.compile.loader import compile_rules, load
from ludens.propnet.gdl.interpreter import Interpreter
from ludens.propnet.gdl.parser import parse_rules
from ludens.propnet.network.evaluate import Evaluator
from ludens.propnet.network.propnet import Propnet
from ludens.propnet.rewrite import narrow
from scripts.common.random_networks import random_network
from scripts.common.replay import Comparison, play
from tests.support.looped_sheets import LOOPS

NETWORKS = 200  # random ones
STATES = 600  # more than any machine has lanes

pytestmark = pytest.mark.lanes


def simulators(game: Game, seed: int) -> list[Simulator]:
    """On every instruction set; on avx2-jit with rows of one register and of two."""
    widths = {"avx2-jit": (256, 512)}
    return [
        Simulator(game, lanes, seed=seed, instruction_set=name)
        for name in instruction_sets()
        for lanes in widths.get(name, (0,))
    ]


def compare(net: Propnet, states: np.ndarray, joint: np.ndarray) -> None:
    """What holds in the states, and what follows from the moves, on every instruction set."""
    game, evaluator, packed = Game.from_propnet(net), Evaluator(net), pack_bits(states)
    terminal = evaluator.terminal(states)
    able = np.all([legal.any(axis=-1) for legal in evaluator.legal_by_role(states)], axis=0)
    successors = np.where((able & ~terminal)[:, None], evaluator.next(states, joint), states)
    legal, goals = evaluator.legal(states), evaluator.goals(states)
    for simulator in simulators(game, seed=1):
        assert (np.concatenate(simulator.legal(packed), axis=1) == legal).all()
        assert (simulator.terminal(packed) == terminal).all()
        assert (simulator.goals(packed) == goals).all()
        followed = unpack_bits(simulator.next(packed, joint, only_legal=False), net.state_bits)
        assert (followed == successors)[able].all()


def compare_random_games(net: Propnet, max_steps: int) -> None:
    """The lanes of all instruction sets choose the same moves."""
    game = Game.from_propnet(net)
    first, *others = [simulator.record(max_steps=max_steps) for simulator in simulators(game, seed=9)]
    for other in others:
        assert all(np.array_equal(ours, theirs) for ours, theirs in zip(first, other, strict=False))


@pytest.mark.parametrize("seed", range(0, NETWORKS, 20))
def test_random_networks_are_evaluated_alike(seed: int) -> None:
    for number in range(seed, seed + 20):
        rng = np.random.default_rng(number)
        net = random_network(rng)
        states = rng.random((STATES, net.state_bits)) < rng.random()
        joint = np.stack([rng.integers(0, len(names), STATES) for names in net.moves], axis=1).astype(np.int32)
        compare(net, states, joint)
        compare_random_games(net, max_steps=4)


@pytest.mark.parametrize("seed", range(0, NETWORKS, 20))
def test_random_networks_with_loops_are_evaluated_alike(seed: int) -> None:
    for number in range(seed, seed + 20):
        rng = np.random.default_rng(number)
        net = random_network(rng, looped=True)
        states = rng.random((STATES, net.state_bits)) < rng.random()
        joint = np.stack([rng.integers(0, len(names), STATES) for names in net.moves], axis=1).astype(np.int32)
        compare(net, states, joint)
        compare_random_games(net, max_steps=4)


@pytest.mark.parametrize("rules", LOOPS.values(), ids=list(LOOPS))
def test_loops_are_evaluated_as_their_rules_say(rules: str) -> None:
    """In each state of random games, on every instruction set."""
    sheet = parse_rules(rules)
    net, oracle = compile_rules(narrow(sheet), lambda _line: None).net, Interpreter(sheet)
    assert len(net.loops)
    for name in instruction_sets():
        for seed in range(10):
            steps = list(play(oracle, random.Random(seed), 8))
            assert Comparison.of_network(net, name).disagreements(steps) == []


@pytest.mark.parametrize("name", games.names())
def test_built_in_games_are_evaluated_alike(name: str) -> None:
    """In positions of random games, with their moves."""
    net = load(games.read(name))
    evaluator = Evaluator(net)
    recorded = Simulator(Game.from_propnet(net), 64, seed=6).record(max_steps=60)
    states, joint, alive = [np.tile(net.initial, (len(recorded), 1))], [], np.ones(len(recorded), np.bool_)
    for step in range(min(12, max(map(len, recorded)))):
        made = np.array([moves[step] if step < len(moves) else np.zeros(len(net.roles), int) for moves in recorded])
        joint.append(made)
        alive = np.array([step < len(moves) for moves in recorded])
        states.append(np.where(alive[:, None], evaluator.next(states[-1], made), states[-1]))
    compare(net, np.concatenate(states[:-1]), np.concatenate(joint).astype(np.int32))
    compare_random_games(net, max_steps=200)
