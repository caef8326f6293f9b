"""The network on a GPU plays the games of the native simulator; here on numba's CUDA simulator."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ludens import games
from ludens.native.core import Game, JointMoves, Simulator, States
from ludens.native.cuda.program import BLOCK_MOVES, lay_out
from ludens.propnet.base.errors import NativeError
from ludens.propnet.compile.loader import load
from tests.native.test_simulator import LONG, RING, STUCK, blank
from tests.support.cuda_child import SIMULATED, run

pytest.importorskip("numba")

pytestmark = pytest.mark.slow

LANES, SEED = 64, 7
SHEETS = {"ring": RING, "stuck": STUCK, "long": LONG} | {
    name: games.read(name) for name in ("tic_tac_toe", "rock_paper_scissors", "hex_small", "connect_four", "goofspiel")
}
RECORDED = {"ring": 9, "stuck": 5, "tic_tac_toe": 9, "rock_paper_scissors": 4, "hex_small": 5, "connect_four": 9}
STARTED = ("tic_tac_toe", "rock_paper_scissors")  # from several states
COUNTED = {"ring": 6, "stuck": 6, "long": 15, "tic_tac_toe": 6, "goofspiel": 5}


@pytest.fixture(scope="module")
def played() -> dict[tuple[Any, ...], Any]:
    """Every job of this module, by method, sheet and key, if it has one: processes are dear."""
    jobs = [_job("record", name, steps) for name, steps in RECORDED.items()]
    jobs += [_job("playouts", name, steps) | {"count": LANES} for name, steps in COUNTED.items()]
    for name in STARTED:
        given = {"states": states_of(name).tolist()}
        first = {"states": given["states"][:2]}
        jobs.append(_job("record", name, 100) | first | {"key": "from"})
        jobs += [
            _job("goals", name, 100) | states | {"games": games, "key": games}
            for games, states in ((32, first), (150, given))
        ]
    jobs.append(_job("many", "tic_tac_toe", 100) | {"count": 150})
    jobs.append(_job("timed", "tic_tac_toe", 100) | {"count": 1 << 40, "seconds": 0.5})
    results = run([job | {"sheet": SHEETS[job["sheet"]]} for job in jobs], SIMULATED)
    keys = [(job["method"], job["sheet"], *([job["key"]] if "key" in job else [])) for job in jobs]
    return dict(zip(keys, results, strict=True))


def _job(method: str, sheet: str, steps: int) -> dict[str, Any]:
    return {"method": method, "sheet": sheet, "lanes": LANES, "seed": SEED, "steps": steps}


def native(name: str) -> Simulator:
    return Simulator(Game.from_propnet(load(SHEETS[name])), LANES, SEED)


@pytest.mark.parametrize("name", RECORDED)
def test_each_lane_plays_the_game_that_it_plays_in_the_native_simulator(name: str, played: Any) -> None:
    expected = native(name).record(max_steps=RECORDED[name])
    assert played["record", name] == [game.tolist() for game in expected]


@pytest.mark.parametrize("name", COUNTED)
def test_the_same_games_have_the_same_goals_lengths_and_endings(name: str, played: Any) -> None:
    expected = native(name).playouts(LANES, max_steps=COUNTED[name])
    got = played["playouts", name]
    assert [got["count"], got["state_changes"], got["stuck"]] == [
        expected.count,
        expected.state_changes,
        expected.stuck,
    ]
    assert got["goal_means"] == pytest.approx(expected.goal_means)
    assert got["goal_deviations"] == pytest.approx(expected.goal_deviations)


def states_of(name: str) -> States:
    """The initial state, and states that follow in a random game."""
    simulator = Simulator(Game.from_propnet(load(SHEETS[name])), 64, seed=1)
    states = [simulator.game.initial]
    for joint in simulator.record()[0][:2]:
        states.append(simulator.next(states[-1], joint)[0])
    return np.stack(states)


def means_of(name: str, state: States, games: list[JointMoves]) -> list[float]:
    """What games from a state came to."""
    simulator, ends = native(name), []
    for game in games:
        at = state
        for joint in game:
            at = simulator.next(at, joint)[0]
        ends.append(simulator.goals(at)[0])
    means: list[float] = np.mean(ends, axis=0).tolist()
    return means


@pytest.mark.parametrize("name", STARTED)
def test_each_thread_plays_from_its_state_the_games_that_the_native_simulator_plays(name: str, played: Any) -> None:
    states = states_of(name)[:2]
    for thread, state in enumerate(states):
        lanes = slice(32 * thread, 32 * thread + 32)
        expected = native(name).record(state, max_steps=100)[lanes]
        assert played["record", name, "from"][lanes] == [game.tolist() for game in expected]
        assert played["goals", name, 32][thread] == pytest.approx(means_of(name, state, expected))


@pytest.mark.parametrize("name", STARTED)
def test_games_from_more_states_than_threads_are_fair(name: str, played: Any) -> None:
    for state, means in zip(states_of(name), played["goals", name, 150], strict=True):
        expected = native(name).playouts(20_000, state=state)
        error = 5 * expected.goal_deviations / 150**0.5 + 1e-9
        assert (np.abs(np.array(means) - expected.goal_means) <= error).all()


def test_more_games_than_lanes_are_all_played_and_fairly(played: Any) -> None:
    got, expected = played["many", "tic_tac_toe"], native("tic_tac_toe").playouts(200_000)
    assert got["count"] == 150
    for mean, true, deviation in zip(got["goal_means"], expected.goal_means, expected.goal_deviations, strict=True):
        assert mean == pytest.approx(true, abs=5 * deviation / 150**0.5)
    assert got["state_changes"] / 150 == pytest.approx(expected.mean_length, abs=0.3)


def test_games_that_were_started_in_time_are_finished_and_counted(played: Any) -> None:
    got = played["timed", "tic_tac_toe"]
    assert LANES <= got["count"] < 1 << 40
    assert 5 <= got["state_changes"] / got["count"] <= 9


def test_a_network_takes_fewer_words_than_it_has_gates() -> None:
    net = load(games.read("connect_four"))
    program = lay_out(net)
    assert len(program.gates) >= len(net.gates)
    assert net.first_gate <= program.slots < len(net.gates) // 2
    assert len(program.legal) == 2 * BLOCK_MOVES * -(-len(net.moves[0]) // BLOCK_MOVES)


def test_a_network_too_large_for_the_device_is_refused() -> None:
    with pytest.raises(NativeError, match="too many for the device"):
        lay_out(blank(propositions=("p",) * (1 << 20), next=2 * np.arange(1, (1 << 20) + 1)))


def test_lanes_that_do_not_fill_blocks_are_refused() -> None:
    (refusal,) = run([_job("record", "stuck", 1) | {"sheet": STUCK, "lanes": 100}], SIMULATED)
    assert "lanes must be a multiple of 64" in refusal


@pytest.mark.skipif(not SIMULATED, reason="a GPU's own threads are not simulated")
def test_simulated_threads_share_an_array_that_all_ask_for_at_once() -> None:
    assert run([{"method": "share", "value": 7, "threads": 8}], SIMULATED) == [[7] * 8]
