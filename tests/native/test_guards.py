"""Groups of gates that rest while their guards are false: the same games as where nothing rests."""

from __future__ import annotations

import numpy as np
import pytest

from ludens.native.core import Game, Simulator, instruction_sets, pack_bits, unpack_bits
from ludens.propnet.compile.loader import load
from ludens.propnet.network.evaluate import Evaluator
from ludens.propnet.network.propnet import Propnet
from tests.support.networks import without_control

_CELLS = 20

# Stones on a ring: every step founds a chain, which swallows the chains of the same player beside its stone.
CHAINS = f"""
    (role black) (role white)
    {" ".join(f"(cell {n}) (beside {n} {(n + 1) % _CELLS}) (step {n} {n + 1})" for n in range(_CELLS))}
    (init (control black)) (init (now 0))
    (<= (legal ?r (place ?c)) (true (control ?r)) (cell ?c) (not (taken ?c)))
    (<= (taken ?c) (true (stone ?c)))
    (<= (legal white noop) (true (control black)))
    (<= (legal black noop) (true (control white)))
    (<= (next (control white)) (true (control black)))
    (<= (next (control black)) (true (control white)))
    (<= (next (now ?n)) (true (now ?m)) (step ?m ?n))
    (<= (next (stone ?c)) (true (stone ?c)))
    (<= (next (stone ?c)) (does ?r (place ?c)))
    (<= (next (owner ?k ?r)) (true (now ?k)) (true (control ?r)))
    (<= (next (owner ?k ?r)) (true (owner ?k ?r)))
    (<= (adjacent ?c ?d) (beside ?c ?d))
    (<= (adjacent ?c ?d) (beside ?d ?c))
    (<= (swallowed ?k) (does ?r (place ?c)) (true (owner ?k ?r)) (true (chain ?k ?d)) (adjacent ?c ?d))
    (<= (next (chain ?k ?c)) (true (now ?k)) (does ?r (place ?c)))
    (<= (next (chain ?k ?c)) (true (now ?k)) (swallowed ?e) (true (chain ?e ?c)))
    (<= (next (chain ?k ?c)) (true (chain ?k ?c)) (not (swallowed ?k)))
    (<= (spans ?k) (true (chain ?k ?c)) (true (chain ?k ?d)) (far ?c ?d))
    {" ".join(f"(far {n} {(n + 3) % _CELLS})" for n in range(_CELLS))}
    (<= (wins ?r) (spans ?k) (true (owner ?k ?r)))
    (<= terminal (wins ?r))
    (<= terminal (true (now {_CELLS})))
    (<= (goal ?r 100) (wins ?r))
    (<= (goal ?r 0) (role ?r) (not (wins ?r)))
"""


@pytest.fixture(scope="module")
def net() -> Propnet:
    return load(CHAINS)


def test_games_are_the_same_whether_groups_rest_or_not(net: Propnet) -> None:
    guarded, whole = Game.from_propnet(net), Game.from_propnet(without_control(net))
    for name in instruction_sets():
        recorded = [Simulator(game, seed=3, instruction_set=name).record() for game in (guarded, whole)]
        assert len({len(moves) for moves in recorded[0]}) > 3
        for one, other in zip(*recorded, strict=True):
            assert len(one) == len(other)
            assert (one == other).all()


def test_states_are_followed_in_step_and_out_of_step(net: Propnet) -> None:
    game, evaluator = Game.from_propnet(net), Evaluator(net)
    recorded = Simulator(game, 64, seed=1, instruction_set="baseline").record()[:16]
    batches: list[tuple[list[np.ndarray], list[np.ndarray]]] = [([], []) for _ in range(_CELLS)]
    for moves in recorded:
        state = net.initial
        for (states, joints), joint in zip(batches, moves, strict=False):
            states.append(state)
            joints.append(joint)
            state = evaluator.next(state, joint)
    everything = tuple([item for batch in batches for item in batch[part]] for part in (0, 1))
    for name in instruction_sets():
        simulator = Simulator(game, seed=1, instruction_set=name)
        for states, joints in filter(lambda batch: batch[0], (*batches, everything)):
            batch, chosen = np.array(states), np.array(joints)
            following = unpack_bits(simulator.next(pack_bits(batch), chosen), net.state_bits)
            assert (following == evaluator.next(batch, chosen)).all()


def test_playouts_that_wait_for_each_other_end_as_others_do(net: Propnet) -> None:
    guarded, whole = (Simulator(Game.from_propnet(n), seed=9).playouts(40_000) for n in (net, without_control(net)))
    error = 6 * whole.goal_deviations / np.sqrt(20_000)
    assert (np.abs(guarded.goal_means - whole.goal_means) <= error).all()
    assert guarded.mean_length == pytest.approx(whole.mean_length, rel=0.02)
    assert guarded.stuck == whole.stuck == 0
