"""The network on a GPU plays games by the rules, with the moves that its random numbers say; on numba's CUDA simulator.

What is legal, follows and is over is asked of the native simulator, and random numbers are worked out once more here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from ludens import games
from ludens.native.core import Game, Simulator, States, unpack_bits
from ludens.native.cuda.program import DeviceProgram, lay_out
from ludens.propnet.base.errors import NativeError
from ludens.propnet.compile.loader import load
from ludens.propnet.network.propnet import Propnet
from tests.native.test_simulator import LONG, RING, STUCK, blank
from tests.support.cuda_child import SIMULATED, run

pytest.importorskip("numba")

pytestmark = pytest.mark.slow

# More moves than a word of moves has, another number for each role, and some of them not legal.
MANY = (
    " ".join(f"(number {n})" for n in range(1, 71))
    + " ".join(f"(few {n})" for n in range(1, 38))
    + """
(role one) (role two) (init (step 0))
(<= (legal one (go ?n)) (number ?n) (not (true (gone ?n))))
(<= (legal two (go ?n)) (few ?n) (not (true (gone ?n))))
(<= (next (gone ?n)) (does one (go ?n))) (<= (next (gone ?n)) (does two (go ?n)))
(<= (next (gone ?n)) (true (gone ?n)))
(<= (next (step 1)) (true (step 0))) (<= (next (step 2)) (true (step 1)))
(<= terminal (true (step 2)))
(<= (goal one 100) (true (gone 33))) (<= (goal one 0) (not (true (gone 33)))) (goal two 50)
"""
)
# A role that never has a move: every game is over at once.
IDLE = "(role one) (init p) (next p) (<= (legal one go) (true q)) (<= (next q) (true q)) (goal one 50)"

LANES, SEED = 64, 7
SHEETS = {"ring": RING, "stuck": STUCK, "long": LONG, "many": MANY} | {
    name: games.read(name) for name in ("tic_tac_toe", "rock_paper_scissors", "hex_small", "connect_four", "goofspiel")
}
RECORDED = {
    "ring": 9,
    "stuck": 5,
    "tic_tac_toe": 9,
    "rock_paper_scissors": 4,
    "hex_small": 5,
    "connect_four": 5,
    "many": 2,
}
SHARED = {"tic_tac_toe": 9, "hex_small": 5}  # by several warps
STARTED = ("tic_tac_toe", "rock_paper_scissors")  # from several states
COUNTED = {"ring": 6, "stuck": 6, "long": 15, "tic_tac_toe": 6, "goofspiel": 5}


@pytest.fixture(scope="module")
def played() -> dict[tuple[Any, ...], Any]:
    """Every job of this module, by method, sheet and key, if it has one: processes are dear."""
    jobs = [_job("record", name, steps) for name, steps in RECORDED.items()]
    jobs += [_job("record", name, steps) | {"threads": 64, "key": "shared"} for name, steps in SHARED.items()]
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
    jobs.append(_job("many", "tic_tac_toe", 6) | {"count": 100, "key": "cut"})
    jobs.append(_job("reused", "rock_paper_scissors", 100) | {"states": states_of("rock_paper_scissors").tolist()})
    jobs.append(_job("timed", "tic_tac_toe", 100) | {"count": 1 << 40, "seconds": 0.5})
    results = run([job | {"sheet": SHEETS[job["sheet"]]} for job in jobs], SIMULATED)
    keys = [(job["method"], job["sheet"], *([job["key"]] if "key" in job else [])) for job in jobs]
    return dict(zip(keys, results, strict=True))


def _job(method: str, sheet: str, steps: int) -> dict[str, Any]:
    return {"method": method, "sheet": sheet, "lanes": LANES, "seed": SEED, "steps": steps}


def native(name: str) -> Simulator:
    return Simulator(Game.from_propnet(load(SHEETS[name])), LANES, SEED)


def word(seed: int, game: int, step: int, role: int) -> int:
    """Random bits: number 64 * step + role of the stream of a game (`random_word` of network_kernels)."""

    def mixed(x: int) -> int:
        x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        x = (x ^ x >> 27) * 0x94D049BB133111EB % 2**64
        return x ^ x >> 31

    stream = mixed((seed + (game + 1) * 0x632BE59BD9B4E019) % 2**64)
    return mixed((stream + (64 * step + role + 1) * 0x9E3779B97F4A7C15) % 2**64) >> 32


@dataclass
class Games:
    """What each lane plays."""

    moves: list[list[list[int]]]
    ends: States
    cut: int = 0  # ended otherwise than by the rules


def expected(name: str, max_steps: int, starts: States | None = None, lanes: int = LANES) -> Games:
    """One game in each lane, from the states of its block of 32; the first move is made in the second step."""
    simulator = native(name)
    states = np.repeat(np.stack([simulator.game.initial] * (lanes // 32)) if starts is None else starts, 32, axis=0)
    played = Games([[] for _ in range(lanes)], states)
    going = [*range(lanes)]
    for step in range(2, max_steps + 3):
        over, legal = simulator.terminal(played.ends), simulator.legal(played.ends)
        able = [lane for lane in going if not over[lane] and all(moves[lane].any() for moves in legal)]
        going = able if step < max_steps + 2 else []
        for lane in going:
            choices = [np.flatnonzero(moves[lane]) for moves in legal]
            joint = [
                int(choice[word(SEED, lane, step, role) * len(choice) >> 32]) for role, choice in enumerate(choices)
            ]
            played.moves[lane].append(joint)
            played.ends[lane] = simulator.next(played.ends[lane], np.array(joint, np.int32))[0]
    played.cut = int((~simulator.terminal(played.ends)).sum())
    return played


@pytest.mark.parametrize("name", RECORDED)
def test_each_lane_plays_the_game_of_its_random_numbers(name: str, played: Any) -> None:
    assert played["record", name] == expected(name, RECORDED[name]).moves


@pytest.mark.parametrize("name", SHARED)
def test_the_games_are_the_same_with_more_threads(name: str, played: Any) -> None:
    assert played["record", name, "shared"] == expected(name, SHARED[name]).moves


@pytest.mark.parametrize("name", COUNTED)
def test_the_same_games_have_the_same_goals_lengths_and_endings(name: str, played: Any) -> None:
    games, got = expected(name, COUNTED[name]), played["playouts", name]
    assert [got["count"], got["state_changes"], got["stuck"]] == [LANES, sum(map(len, games.moves)), games.cut]
    goals = native(name).goals(games.ends)
    assert got["goal_means"] == pytest.approx(goals.mean(axis=0))
    assert got["goal_deviations"] == pytest.approx(goals.std(axis=0))


def states_of(name: str) -> States:
    """The initial state, and states that follow in a random game."""
    simulator = Simulator(Game.from_propnet(load(SHEETS[name])), 64, seed=1)
    states = [simulator.game.initial]
    for joint in simulator.record()[0][:2]:
        states.append(simulator.next(states[-1], joint)[0])
    return np.stack(states)


@pytest.mark.parametrize("name", STARTED)
def test_each_block_plays_from_its_state(name: str, played: Any) -> None:
    games = expected(name, 100, states_of(name)[:2])
    assert played["record", name, "from"] == games.moves
    goals = native(name).goals(games.ends).reshape(2, 32, -1).mean(axis=1)
    assert np.array(played["goals", name, 32]) == pytest.approx(goals)


@pytest.mark.parametrize("name", STARTED)
def test_games_from_more_states_than_blocks_are_fair(name: str, played: Any) -> None:
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


def evaluated(net: Propnet, program: DeviceProgram, words: list[bool], segment: int) -> None:
    """Evaluates a segment of the program for one game, as the kernels do."""

    def value(operand: int) -> bool:
        return words[operand >> 1] != bool(operand & 1)

    for piece in range(*program.segments[segment].tolist()):
        first, last, start, end = program.pieces[piece].tolist()
        for slot, _ in program.feedback[start:end].tolist():
            words[slot] = False
        for _ in range(end - start + 1):
            for row in program.rows[first:last].tolist():
                results = [(slot, value(left) and value(right)) for left, right, slot in row]
                for slot, result in results:
                    words[slot] = result
            driven = [(slot, value(operand)) for slot, operand in program.feedback[start:end].tolist()]
            for slot, result in driven:
                words[slot] = result


@pytest.mark.parametrize("name", SHEETS)
@pytest.mark.parametrize("threads", [1, 5, 64])
def test_rows_say_what_is_legal_what_follows_and_what_it_comes_to(name: str, threads: int) -> None:
    net = load(SHEETS[name])
    program, simulator, rng = lay_out(net, threads), native(name), np.random.default_rng(1)
    state, words = simulator.game.initial, [False] * program.slots
    for _ in range(6):
        words[1 : 1 + net.state_bits] = unpack_bits(state[None], net.state_bits)[0].astype(bool).tolist()
        evaluated(net, program, words, 0)
        legal, over = simulator.legal(state[None]), bool(simulator.terminal(state[None])[0])
        assert words[program.terminal] == over
        joint = []
        for moves, (first, count, move, *_) in zip(legal, program.roles.tolist(), strict=True):
            slots = program.legal[first : first + 32 * count].tolist()
            assert [words[slot] for slot in slots] == [*moves[0].tolist(), *[False] * (len(slots) - moves.shape[1])]
            words[move : move + moves.shape[1]] = [False] * moves.shape[1]
            if moves[0].any():
                joint.append(int(rng.choice(np.flatnonzero(moves[0]))))
                words[move + joint[-1]] = True
        goals = simulator.goals(state[None])[0].tolist()
        evaluated(net, program, words, 1)
        after = [(state, words[value]) for state, value in program.updates.tolist()]
        evaluated(net, program, words, 2)
        for goal, (*_, first, last) in zip(goals, program.roles.tolist(), strict=True):
            assert goal in [value for value, slot in program.goals[first:last].tolist() if words[slot]] or goal < 0
        if over or len(joint) < len(legal):
            break
        for slot, value in after:
            words[slot] = value
        state = simulator.next(state, np.array(joint, np.int32))[0]
        assert words[1 : 1 + net.state_bits] == unpack_bits(state[None], net.state_bits)[0].astype(bool).tolist()


def test_more_roles_than_have_random_numbers_are_refused() -> None:
    with pytest.raises(NativeError, match="65 roles"):
        lay_out(load(" ".join(f"(role r{n}) (legal r{n} m) (goal r{n} 50)" for n in range(65)) + "(init p)"), 2)


def test_a_role_without_moves_ends_every_game() -> None:
    (got,) = run([_job("many", "tic_tac_toe", 9) | {"sheet": IDLE, "count": 70}], SIMULATED)
    assert (got["count"], got["state_changes"], got["stuck"], got["goal_means"]) == (70, 0, 70, [50.0])


def test_a_simulator_that_is_used_again_plays_other_games_or_the_same_of_the_same_seed(played: Any) -> None:
    few, several, few_again, first, second = played["reused", "rock_paper_scissors"]
    assert few == few_again
    assert len(several) == len(states_of("rock_paper_scissors"))
    assert first != second


def test_games_are_cut_whenever_they_begin(played: Any) -> None:
    got = played["many", "tic_tac_toe", "cut"]
    assert got["count"] == 100
    assert 500 <= got["state_changes"] <= 600
    assert 0 < got["stuck"] < 100


def test_a_network_takes_fewer_words_than_it_has_gates() -> None:
    net = load(games.read("connect_four"))
    assert net.first_gate <= lay_out(net, 2).slots < len(net.gates) // 2


def test_a_network_too_large_for_the_device_is_refused() -> None:
    with pytest.raises(NativeError, match="too many for the device"):
        lay_out(blank(propositions=("p",) * (1 << 14), next=2 * np.arange(1, (1 << 14) + 1)), 128)


def test_lanes_that_do_not_fill_blocks_are_refused() -> None:
    (refusal,) = run([_job("record", "stuck", 1) | {"sheet": STUCK, "lanes": 100}], SIMULATED)
    assert "lanes must be a multiple of 32" in refusal


@pytest.mark.skipif(not SIMULATED, reason="a GPU's own threads are not simulated")
def test_simulated_threads_share_an_array_that_all_ask_for_at_once() -> None:
    assert run([{"method": "share", "value": 7, "threads": 8}], SIMULATED) == [[7] * 8]
