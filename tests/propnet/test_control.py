"""Networks split by control: the same games as on the whole network, whatever phases the lanes are in."""

from __future__ import annotations

import numpy as np
import pytest

from ludens import games
from ludens.native.core import Game, Simulator, instruction_sets, pack_bits, unpack_bits
from ludens.propnet.analysis.control import autonomous, control_of
from ludens.propnet.compile.loader import load
from ludens.propnet.network.evaluate import Evaluator
from ludens.propnet.network.propnet import Propnet
from ludens.propnet.passes import reopen
from tests.support.networks import without_control

GAMES = ["breakthrough_small", "pentago", "mini_chess", "reversi"]


@pytest.fixture(scope="module", params=GAMES)
def net(request: pytest.FixtureRequest) -> Propnet:
    return load(games.read(request.param))


@pytest.mark.parametrize(("name", "cycle"), [("breakthrough", 2), ("pentago", 4), ("lights_out", 1), ("tron", 1)])
def test_the_cycle_of_control_is_found(name: str, cycle: int) -> None:
    net = load(games.read(name))
    assert Game.from_propnet(net).cycle == cycle
    assert Game.from_propnet(without_control(net)).cycle == 1


def test_control_that_does_not_come_round_is_none() -> None:
    # A counter of three bits, whose first bit alone has a short period, and one that stops at the fifth step.
    counter = """
        (role r) (init (low 0)) (init (high 0)) (init (at 0))
        (other 0 1) (other 1 0) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 5)
        (<= (legal r (say ?n)) (true (low ?n)))
        (<= (legal r (stay ?n)) (true (high ?n)))
        (<= (next (low ?m)) (true (low ?n)) (other ?n ?m))
        (<= (next (high ?m)) (true (low 1)) (true (high ?n)) (other ?n ?m))
        (<= (next (high ?n)) (true (low 0)) (true (high ?n)))
        (<= (next (at ?m)) (true (at ?n)) (succ ?n ?m))
        (<= terminal (true (at 5)) (true (high 1)))
        (<= (goal r 100) (true (low 1)))
        (<= (goal r 0) (true (low 0)))
    """
    net = load(counter)
    assert Game.from_propnet(net).cycle == 4
    # Six steps each: (at 5) and (high 1) hold together first at the sixth.
    assert {len(moves) for moves in Simulator(Game.from_propnet(net), 64).record()} == {6}


@pytest.mark.parametrize("steps", [20, 300])
def test_all_sets_that_move_by_themselves_are_found(steps: int) -> None:
    """A counter, of which as much is seen as can be followed, and a light of its own, beside what moves change."""
    circuit = reopen(
        load(
            "(role r) (init (at 0)) (init lit) (init (held 0)) (legal r wait)"
            + " ".join(f"(succ {n} {n + 1}) (<= (goal r {n % 100}) (true (at {n})))" for n in range(steps))
            + """
            (<= (legal r take) (not (true (held 1))))
            (<= (next (at ?m)) (true (at ?n)) (succ ?n ?m))
            (<= (next lit) (not (true lit)))
            (<= (next (held 1)) (does r take)) (<= (next (held 1)) (true (held 1)) (true lit))
            (<= terminal (true lit) (true (held 1)))
            """
        )
    )
    sets = [control_of(circuit, [p]) for p in range(len(circuit.propositions))]
    known = {control.propositions for control in sets if control}
    widest = {one for one in known if not any(set(one) < set(other) for other in known)}
    assert {control.propositions for control in autonomous(circuit)} == widest
    assert len(widest) == 2
    assert max(map(len, widest)) == min(steps, 255)


def test_games_are_the_same_with_and_without_control(net: Propnet) -> None:
    split, whole = Game.from_propnet(net), Game.from_propnet(without_control(net))
    for name in instruction_sets():
        recorded = [Simulator(game, seed=3, instruction_set=name).record(max_steps=60) for game in (split, whole)]
        for one, other in zip(*recorded, strict=True):
            assert (one == other).all()


def test_states_of_several_phases_are_seen_side_by_side(net: Propnet) -> None:
    game, evaluator = Game.from_propnet(net), Evaluator(net)
    for name in instruction_sets():
        simulator = Simulator(game, seed=4, instruction_set=name)
        states, joints = [], []
        for moves in simulator.record(max_steps=25)[:8]:
            state = net.initial
            for joint in moves:
                states.append(state)
                joints.append(joint)
                state = evaluator.next(state, joint)
        for some in (slice(None), slice(0, 1), slice(1, 2), slice(2, 4)):
            batch, chosen = np.array(states)[some], np.array(joints)[some]
            packed = pack_bits(batch)
            successors = unpack_bits(simulator.next(packed, chosen), net.state_bits)
            assert (successors == evaluator.next(batch, chosen)).all()
            assert (np.concatenate(simulator.legal(packed), axis=1) == evaluator.legal(batch)).all()
            assert (simulator.terminal(packed) == evaluator.terminal(batch)).all()
            assert (simulator.goals(packed) == evaluator.goals(batch)).all()


def test_states_whose_control_never_occurs_are_seen_as_they_are(net: Propnet) -> None:
    simulator, evaluator = Simulator(Game.from_propnet(net)), Evaluator(net)
    states = np.random.default_rng(1).random((40, net.state_bits)) < 0.5
    for state in (*states, np.zeros(net.state_bits, np.bool_), ~states[0]):
        packed = pack_bits(state[None])
        assert (np.concatenate(simulator.legal(packed), axis=1) == evaluator.legal(state[None])).all()
        assert (simulator.terminal(packed) == evaluator.terminal(state[None])).all()
        assert (simulator.goals(packed) == evaluator.goals(state[None])).all()


def test_playouts_from_any_phase_end_as_recorded_games_do(net: Propnet) -> None:
    game, evaluator = Game.from_propnet(net), Evaluator(net)
    simulator = Simulator(game, 64, seed=5)
    opening = simulator.record(max_steps=3)[0]
    state = net.initial
    for joint in opening:
        run = simulator.playouts(3000, state=pack_bits(state))
        finals, lengths = [], []
        for moves in [moves for _ in range(3) for moves in simulator.record(state=pack_bits(state))]:
            lengths.append(len(moves))
            packed = pack_bits(state[None])
            for step in moves:
                packed = simulator.next(packed, step[None])
            finals.append(simulator.goals(packed)[0])
        error = 5 * run.goal_deviations * np.sqrt(1 / len(finals) + 1 / run.count) + 1e-9
        assert (np.abs(run.goal_means - np.mean(finals, axis=0)) <= error).all()
        margin = 5 * np.std(lengths) / np.sqrt(len(lengths)) + 1e-9
        assert run.mean_length == pytest.approx(np.mean(lengths), abs=margin)
        state = evaluator.next(state, joint)
