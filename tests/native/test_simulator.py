"""The bit-sliced simulator: right, uniform, replayable, and the same on every instruction set."""

from __future__ import annotations

import dataclasses
import itertools
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from ludens import games
from ludens.native.core import Game, Simulator, instruction_sets, pack_bits, unpack_bits
from ludens.propnet.base.errors import NativeError
from ludens.propnet.compile.loader import load
from ludens.propnet.gdl.parser import parse_rules
from ludens.propnet.network.evaluate import Evaluator
from ludens.propnet.network.propnet import FALSE, Propnet
from tests.support.paths import ROOT

DIE = """
(role player)
(init start)
{faces}
(<= (legal player (roll ?n)) (face ?n) (true start))
(<= (next (rolled ?n)) (does player (roll ?n)))
(<= terminal (true (rolled ?n)))
(<= (goal player ?n) (true (rolled ?n)))
"""

ILLEGAL = """
(role walker) (role waiter) (init start)
(<= (legal walker go) (true start)) (<= (legal walker stay) (true open))
(legal waiter wait)
(<= (next open) (does walker go)) (<= (next open) (true other)) (<= (next other) (does walker stay))
(<= terminal (true open))
(goal walker 100) (goal waiter 0)
"""

RING = """
(role walker)
(init (at 0)) (init (count 0))
(link 0 1) (link 1 2) (link 2 0) (link 3 4)
(step 0 1) (step 1 2) (step 2 3) (step 3 4)
(<= (legal walker (add ?x ?y)) (link ?x ?y))
(<= (legal walker wait))
(<= (next (edge ?x ?y)) (does walker (add ?x ?y)))
(<= (next (edge ?x ?y)) (true (edge ?x ?y)))
(<= (next (at 0)))
(<= (next (count ?n)) (true (count ?m)) (step ?m ?n))
(<= (reached ?x) (true (at ?x)))
(<= (reached ?y) (reached ?x) (true (edge ?x ?y)))
(<= (reached ?x) (reached ?y) (true (edge ?x ?y)))
(<= terminal (true (count 4)))
(<= (goal walker 100) (reached 2))
(<= (goal walker 0) (not (reached 2)))
"""

STUCK = """
(role mover)
(init (left 2))
(step 2 1) (step 1 0)
(<= (legal mover go) (true (left ?n)) (step ?n ?m))
(<= (next (left ?m)) (does mover go) (true (left ?n)) (step ?n ?m))
(<= terminal (true never))
(<= (next never) (true never))
(<= (goal mover 70) (true (left 0)))
"""

# Every move but one goes on; whoever goes on beyond twelve steps has the goal 100.
LONG = f"""
(role walker)
(init (count 0)) (up 20 20)
{" ".join(f"(up {n} {n + 1})" for n in range(20))}
{" ".join(f"(late {n})" for n in range(13, 21))}
{" ".join(f"(legal walker (go {n}))" for n in range(7))}
(legal walker stop)
(<= (next (count ?n)) (true (count ?m)) (up ?m ?n))
(<= (next over) (does walker stop))
(<= terminal (true over))
(<= far (true (count ?n)) (late ?n))
(<= (goal walker 100) far)
(<= (goal walker 0) (not far))
"""


def blank(**parts: object) -> Propnet:
    """A network without propositions, moves of its one role, and gates, but for `parts`."""
    none = np.zeros(0, np.int32)
    whole: dict[str, Any] = {
        "roles": ("alone",),
        "propositions": (),
        "moves": ((),),
        "initial": np.zeros(0, np.bool_),
        "gates": np.zeros((0, 2), np.int32),
        "next": none,
        "legal": none,
        "terminal": 0,
        "goal_role": none,
        "goal_value": none,
        "goal_literal": none,
        "feedback": none,
        "loops": np.zeros((0, 4), np.int32),
    }
    return Propnet(**(whole | parts))


def load_sheet(text: str) -> Propnet:
    return load(parse_rules(text))


def die(faces: int) -> Propnet:
    return load(DIE.format(faces=" ".join(f"(face {n})" for n in range(faces))))


def play(net: Propnet, recorded: list[np.ndarray]) -> None:
    """Replays recorded games in the numpy evaluator and holds the simulator to every state of them."""
    evaluator, simulator = Evaluator(net), Simulator(Game.from_propnet(net))
    for moves in recorded:
        state = net.initial
        for joint in moves:
            check_state(evaluator, simulator, state)
            successor = evaluator.next(state, joint)
            packed = simulator.next(pack_bits(state[None]), joint[None])
            assert (unpack_bits(packed[0], net.state_bits) == successor).all()
            state = successor
        check_state(evaluator, simulator, state)


def check_state(evaluator: Evaluator, simulator: Simulator, state: np.ndarray) -> None:
    packed = pack_bits(state[None])
    for expected, got in zip(evaluator.legal_by_role(state), simulator.legal(packed), strict=True):
        assert (expected == got[0]).all()
    assert evaluator.terminal(state) == simulator.terminal(packed)[0]
    assert evaluator.goals(state).tolist() == simulator.goals(packed)[0].tolist()


@pytest.mark.parametrize("sheet", [DIE.format(faces="(face 1) (face 6)"), RING, STUCK])
def test_the_simulator_agrees_with_the_numpy_evaluator_along_random_games(sheet: str) -> None:
    net = load(sheet)
    play(net, Simulator(Game.from_propnet(net), 64, seed=5).record(max_steps=10)[:20])


@pytest.mark.parametrize("name", ["english_draughts", "hex_small", "mini_chess", "pentago", "tron_four"])
def test_every_instruction_set_agrees_with_the_numpy_evaluator_on_a_whole_game(name: str) -> None:
    net = load(games.read(name))
    game, evaluator = Game.from_propnet(net), Evaluator(net)
    for instruction_set in instruction_sets():
        simulator = Simulator(game, seed=2, instruction_set=instruction_set)
        moves = simulator.record(max_steps=150)[0]
        states = [net.initial]
        for joint in moves:
            states.append(evaluator.next(states[-1], joint))
        batch, packed = np.array(states), pack_bits(np.array(states))
        assert (unpack_bits(simulator.next(packed[:-1], moves), net.state_bits) == batch[1:]).all()
        assert (np.concatenate(simulator.legal(packed), axis=1) == evaluator.legal(batch)).all()
        assert (simulator.terminal(packed) == evaluator.terminal(batch)).all()
        assert (simulator.goals(packed) == evaluator.goals(batch)).all()


def test_a_loop_in_the_network_settles_at_its_least_fixpoint() -> None:
    net = load(RING)
    assert len(net.loops) == 1
    assert len(net.feedback) >= 1
    stats = Simulator(Game.from_propnet(net), seed=3).playouts(20_000)
    # Four of the five moves a step matter: the goal needs (2 0), or (0 1) and (1 2), among four draws of five.
    draws = np.indices((5,) * 4).reshape(4, -1)
    has = [(draws == link).any(axis=0) for link in range(3)]
    expected = 100 * (has[2] | (has[0] & has[1])).mean()
    assert stats.goal_means[0] == pytest.approx(expected, abs=2)


@pytest.mark.parametrize("faces", [2, 3, 7, 8, 9, 17, 64, 100])
def test_every_legal_move_is_chosen_equally_often(faces: int) -> None:
    simulator = Simulator(Game.from_propnet(die(faces)), 512, seed=faces)
    counts = Counter(int(game[0, 0]) for _ in range(60) for game in simulator.record(max_steps=2))
    total = sum(counts.values())
    chi_square = sum((counts[n] - total / faces) ** 2 for n in range(faces)) * faces / total
    # Six standard deviations of the chi-square distribution with faces - 1 degrees of freedom.
    assert chi_square < faces - 1 + 6 * np.sqrt(2 * (faces - 1)) + 6


def test_only_legal_moves_are_chosen_when_most_are_illegal() -> None:
    sheet = DIE.format(faces=" ".join(f"(face {n})" for n in range(50)))
    sheet = sheet.replace("(face ?n) (true", "(open ?n) (true")
    net = load(sheet + "(open 3) (open 31) (open 49) (<= (open ?n) (face ?n) (true (rolled ?n)))")
    recorded = Simulator(Game.from_propnet(net), seed=1).record(max_steps=1)
    assert {net.moves[0][int(game[0, 0])] for game in recorded} == {"(roll 3)", "(roll 31)", "(roll 49)"}


def test_a_seed_replays_exactly_and_another_seed_does_not() -> None:
    game = Game.from_propnet(die(100))
    first, again, other = ([int(g[0, 0]) for g in Simulator(game, 256, seed).record(max_steps=1)] for seed in (7, 7, 8))
    assert first == again
    assert first != other


WORD = (1 << 64) - 1


def random_words(seed: int, word: int) -> Iterator[int]:
    """What the 64 lanes of a word draw: xoroshiro128+, seeded by splitmix64, from their definitions."""
    state, x = [], (seed + 0x632BE59BD9B4E019 * (word + 1)) & WORD
    for _ in range(2):
        x = (x + 0x9E3779B97F4A7C15) & WORD
        z = ((x ^ x >> 30) * 0xBF58476D1CE4E5B9) & WORD
        z = ((z ^ z >> 27) * 0x94D049BB133111EB) & WORD
        state.append(z ^ z >> 31)
    a, b = state
    while True:
        yield (a + b) & WORD
        b ^= a
        a = ((a << 24 | a >> 40) ^ b ^ b << 16) & WORD
        b = (b << 37 | b >> 27) & WORD


@pytest.mark.parametrize("faces", [2, 3, 7, 8, 9, 16, 17, 33, 100, 260])
@pytest.mark.parametrize("instruction_set", instruction_sets())
def test_the_move_chosen_is_the_one_that_the_random_digits_name(faces: int, instruction_set: str) -> None:
    simulator = Simulator(Game.from_propnet(die(faces)), seed=faces, instruction_set=instruction_set)
    chosen = [int(moves[0, 0]) for moves in simulator.record(max_steps=1)]
    digits = faces.bit_length() + 10
    for word in range(simulator.lanes // 64):
        rows = list(itertools.islice(random_words(faces, word), digits))
        for lane in range(64):
            number = sum((row >> lane & 1) << digit for digit, row in enumerate(rows))
            assert chosen[64 * word + lane] == number * faces >> digits


@pytest.mark.parametrize("sheet", [RING, games.read("english_draughts"), games.read("breakthrough")])
def test_a_lane_draws_the_same_whatever_the_lane_count_and_instruction_set(sheet: str) -> None:
    game = Game.from_propnet(load(sheet))
    reference = Simulator(game, 64, seed=11, instruction_set="baseline").record(max_steps=5)
    for name in instruction_sets():
        offered = {"avx512-jit": (128, 512), "avx2-jit": (128, 256, 512), "neon-jit": (128,)}.get(
            name, (64, 128, 256, 512)
        )
        for lanes in offered:
            recorded = Simulator(game, lanes, seed=11, instruction_set=name).record(max_steps=5)
            assert len(recorded) == lanes
            for expected, got in zip(reference, recorded, strict=False):
                assert (expected == got).all()
        for lanes in {64, 128, 256, 512}.difference(offered):
            with pytest.raises(NativeError, match="lanes"):
                Simulator(game, lanes, instruction_set=name)


@pytest.mark.skipif("avx2-jit" not in instruction_sets(), reason="needs machine code for AVX2")
@pytest.mark.parametrize(
    ("name", "lanes"),
    [("breakthrough", 512), ("hex", 256), ("gomoku", 256), ("amazons", 256)],  # hex has a loop, the last two many rows
)
def test_machine_code_for_avx2_has_two_registers_of_lanes_for_networks_with_few_rows(name: str, lanes: int) -> None:
    assert Simulator(Game.from_propnet(load(games.read(name))), instruction_set="avx2-jit").lanes == lanes


def test_a_role_without_a_legal_move_ends_the_game_and_is_counted_as_stuck() -> None:
    stats = Simulator(Game.from_propnet(load(STUCK))).playouts(1000)
    assert (stats.count, stats.stuck, stats.state_changes) == (1000, 1000, 2000)
    assert stats.goal_means[0] == 70


def test_games_are_cut_at_the_step_limit() -> None:
    stats = Simulator(Game.from_propnet(load(RING))).playouts(1000, max_steps=3)
    assert (stats.count, stats.stuck, stats.state_changes) == (1000, 1000, 3000)


def test_games_that_are_cut_have_the_goals_of_the_step_at_which_they_are_cut() -> None:
    stats = Simulator(Game.from_propnet(load(LONG)), 64, seed=1).playouts(5000, max_steps=12)
    assert stats.stuck > 500
    assert stats.goal_means[0] == 0


# A game that ends in each of its first steps, in either phase of a cycle of two, with goals of many values, two at
# once and none.
COUNTDOWN = f"""
(role left) (role right)
(init (control left)) (init (count 0)) (next-to left right) (next-to right left)
{" ".join(f"(up {n} {n + 1})" for n in range(9))}
{" ".join(f"(legal-move (go {n}))" for n in range(5))}
(<= (legal ?r ?m) (true (control ?r)) (legal-move ?m))
(<= (legal ?r wait) (role ?r) (not (true (control ?r))))
(<= (next (control ?b)) (true (control ?a)) (next-to ?a ?b))
(<= (next (count ?m)) (true (count ?n)) (up ?n ?m))
(<= (next (said ?n)) (does ?r (go ?n)))
(<= terminal (true (said 0)))
(<= terminal (true (count 9)))
{" ".join(f"(<= (goal left {10 * n}) (true (said 0)) (true (count {n})))" for n in range(1, 10))}
(<= (goal right 100) (true (said 0)) (true (control right)))
(<= (goal right 30) (true (said 0)) (true (count 4)))
(<= (goal right 40) (true (said 0)) (true (count 4)))
(<= (goal right 7) (true (said 3)))
"""


@pytest.mark.parametrize("lanes", [64, 256, 512])
@pytest.mark.parametrize("count", [1, 63, 500, 30_000])
def test_playouts_add_up_to_what_follows_from_the_rules(lanes: int, count: int) -> None:
    """Of games that last n steps, 0.2 * 0.8 ** (n - 1) of all and the rest at 9; goals by the rules above."""
    stats = Simulator(Game.from_propnet(load(COUNTDOWN)), lanes, seed=count).playouts(count)
    share = {n: 0.2 * 0.8 ** (n - 1) for n in range(1, 10)}
    rest = 0.8**9
    length = sum(n * p for n, p in share.items()) + 9 * rest
    left = sum(10 * n * p for n, p in share.items()) + 50 * rest
    odd = sum(p for n, p in share.items() if n % 2 == 1)
    even = sum(p for n, p in share.items() if n % 2 == 0)
    right = 100 * odd + 50 * even + rest * (7 / 4 + 50 * 3 / 4)
    assert (stats.count, stats.stuck) == (count, 0)
    error = 6 / np.sqrt(count)
    assert stats.mean_length == pytest.approx(length, abs=3 * error)
    assert stats.goal_means == pytest.approx([left, right], abs=50 * error)


def test_a_game_without_propositions_can_be_played() -> None:
    game = Game.from_propnet(blank(moves=(("wait",),), legal=np.array([1], np.int32)))
    for name in instruction_sets():
        simulator = Simulator(game, instruction_set=name)
        assert simulator.next(game.initial, np.array([0])).shape == (1, 0)
        stats = simulator.playouts(100, max_steps=5)
        assert (stats.count, stats.state_changes, stats.goal_means[0]) == (100, 500, 50)


@pytest.mark.parametrize("moves", [((),), (("a", "b"), ())])
def test_a_role_without_moves_ends_the_game_at_once(moves: tuple[tuple[str, ...], ...]) -> None:
    legal = np.ones(sum(map(len, moves)), np.int32)
    game = Game.from_propnet(blank(roles=("x", "y")[: len(moves)], moves=moves, legal=legal))
    for name in instruction_sets():
        simulator = Simulator(game, instruction_set=name)
        assert [bits.shape for bits in simulator.legal(game.initial)] == [(1, len(names)) for names in moves]
        assert simulator.playouts(100).stuck == 100


@pytest.mark.parametrize("bits", [63, 64, 65, 127, 128])
def test_states_may_end_at_or_beside_the_end_of_a_word(bits: int) -> None:
    # Every proposition takes the complement of the one before it.
    literals = np.array([2 * (1 + (n - 1) % bits) + 1 for n in range(bits)], np.int32)
    net = blank(
        propositions=tuple(f"p{n}" for n in range(bits)),
        initial=np.zeros(bits, np.bool_),
        next=literals,
        moves=(("wait",),),
        legal=np.array([1], np.int32),
    )
    states = np.random.default_rng(bits).random((70, bits)) < 0.5
    for name in instruction_sets():
        successors = Simulator(Game.from_propnet(net), instruction_set=name).next(
            pack_bits(states), np.zeros((70, 1), np.int32)
        )
        assert (unpack_bits(successors, bits) == ~np.roll(states, 1, axis=1)).all()


def test_playouts_start_from_the_state_they_are_given() -> None:
    net = load(RING)
    state = net.initial.copy()
    state[[net.propositions.index(fact) for fact in ("(count 3)", "(edge 2 0)")]] = True
    state[net.propositions.index("(count 0)")] = False
    stats = Simulator(Game.from_propnet(net)).playouts(700, state=pack_bits(state))
    assert stats.mean_length == 1
    assert stats.goal_means[0] == 100


def test_more_states_than_lanes_are_inspected_in_order() -> None:
    net = load(RING)
    simulator = Simulator(Game.from_propnet(net), 64)
    states = np.random.default_rng(1).random((150, net.state_bits)) < 0.5
    assert (simulator.terminal(pack_bits(states)) == Evaluator(net).terminal(states)).all()


def test_packing_bits_is_undone_by_unpacking() -> None:
    bits = np.random.default_rng(2).random((5, 130)) < 0.5
    assert pack_bits(bits).shape == (5, 3)
    assert (unpack_bits(pack_bits(bits), 130) == bits).all()


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda net: {"terminal": 10**6}, "terminal is out of range"),
        (lambda net: {"next": np.full_like(net.next, -2)}, "next is out of range"),
        (lambda net: {"terminal": 2 * (1 + net.state_bits)}, "depends on a move"),
        (lambda net: {"goal_role": np.full_like(net.goal_role, 9)}, "unknown role"),
        (lambda net: {"goal_value": net.goal_value + 100}, "not from 0 to 100"),
        (lambda net: {"loops": np.array([[0, 10**6, 0, 0]], np.int32)}, "out of range"),
        (lambda net: {"initial": net.initial[1:]}, "shape"),
        (lambda net: {"gates": net.gates.reshape(-1)}, "shape"),
        (lambda net: {"next": net.next[1:]}, "shape"),
        (lambda net: {"legal": net.legal[1:]}, "shape"),
        (lambda net: {"goal_value": net.goal_value[1:]}, "shape"),
        (lambda net: {"loops": np.zeros(4, np.int32)}, "shape"),
    ],
)
def test_a_network_that_is_not_well_formed_is_refused(
    change: Callable[[Propnet], dict[str, Any]], complaint: str
) -> None:
    net = die(4)
    with pytest.raises(NativeError, match=complaint):
        Game.from_propnet(dataclasses.replace(net, **change(net)))


def test_a_loop_driven_from_behind_it_is_refused() -> None:
    net = load(RING)
    last = 2 * (net.first_gate + len(net.gates) - 1)
    assert net.loops[-1, 1] < len(net.gates)
    with pytest.raises(NativeError, match="feedback is out of range"):
        Game.from_propnet(dataclasses.replace(net, feedback=np.full_like(net.feedback, last)))


def test_a_loop_without_gates_which_would_never_be_closed_is_refused() -> None:
    net = load(RING)
    loops = net.loops.copy()
    loops[-1, 0] = loops[-1, 1]
    with pytest.raises(NativeError, match="a loop has no gates"):
        Game.from_propnet(dataclasses.replace(net, loops=loops))


def test_a_loop_that_never_settles_is_an_error() -> None:
    net = load(RING)
    simulator = Simulator(Game.from_propnet(dataclasses.replace(net, feedback=net.feedback ^ 1)))
    with pytest.raises(NativeError, match="denies itself"):
        simulator.goals(net_states(net))


def net_states(net: Propnet) -> np.ndarray:
    """Some states, not all of which can be reached."""
    return pack_bits(np.random.default_rng(1).random((100, net.state_bits)) < 0.5)


def test_arrays_of_another_shape_than_the_game_has_are_refused() -> None:
    game = Game.from_propnet(die(2))
    simulator = Simulator(game)
    states = np.zeros((2, game.state_words), np.uint64)
    calls: list[Callable[[], object]] = [
        lambda: simulator.legal(np.zeros((2, game.state_words + 1), np.uint64)),
        lambda: simulator.terminal(np.zeros((1, 0), np.uint64)),
        lambda: simulator.next(states, np.zeros((1, 1), np.int32)),
        lambda: simulator.next(states, np.zeros((2, 2), np.int32)),
        lambda: simulator.playouts(1, state=states),
        lambda: simulator.playouts(1, state=states[:0]),
        lambda: simulator.record(states),
    ]
    for call in calls:
        with pytest.raises(NativeError, match="shape"):
            call()


def test_no_states_have_no_successors() -> None:
    game = Game.from_propnet(die(2))
    none = np.zeros((0, game.state_words), np.uint64)
    assert Simulator(game).next(none, np.zeros((0, 1), np.int32)).shape == none.shape


def test_time_and_numbers_of_games_are_not_negative() -> None:
    simulator = Simulator(Game.from_propnet(die(2)))
    for arguments in ({"count": -1}, {"count": 1, "seconds": -1.0}, {"count": 1, "max_steps": 0}):
        with pytest.raises(NativeError):
            simulator.playouts(**arguments)


def test_machine_code_is_left_alone_where_the_system_forbids_it() -> None:
    code = (
        "import ctypes\n"
        "refused = ctypes.CDLL(None).prctl(65, 1, 0, 0, 0)\n"  # PR_SET_MDWE: no memory becomes executable
        "from ludens.native.core import instruction_sets\n"
        "print('unknown' if refused else 'forbidden', *instruction_sets())"
    )
    environment = {name: value for name, value in os.environ.items() if name != "LUDENS_INSTRUCTION_SET"}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    said, *names = done.stdout.split()
    if said == "unknown":
        pytest.skip("this kernel cannot forbid it")
    assert "baseline" in names
    assert not any(name.endswith("-jit") for name in names)
    assert set(names) >= {name for name in instruction_sets() if not name.endswith("-jit")}


def test_unknown_lane_counts_and_instruction_sets_are_refused() -> None:
    game = Game.from_propnet(die(2))
    with pytest.raises(NativeError, match="lanes must be"):
        Simulator(game, 100)
    with pytest.raises(NativeError, match="not available"):
        Simulator(game, instruction_set="mmx")


def test_a_move_out_of_range_is_refused() -> None:
    game = Game.from_propnet(die(2))
    with pytest.raises(NativeError, match="move index"):
        Simulator(game).next(game.initial[None], np.array([[2]]))


def test_an_illegal_joint_move_is_refused_with_its_place_in_the_batch() -> None:
    net = load_sheet(ILLEGAL)
    simulator = Simulator(Game.from_propnet(net), 64)
    states = np.repeat(simulator.game.initial.reshape(1, -1), 3, axis=0)
    go, stay, wait = net.moves[0].index("go"), net.moves[0].index("stay"), net.moves[1].index("wait")
    after = simulator.next(states, np.array([[go, wait]] * 3, np.int32))
    with pytest.raises(NativeError, match=rf"joint move 1: move {stay} of role 0 is not legal"):
        simulator.next(states, np.array([[go, wait], [stay, wait], [go, wait]], np.int32))
    with pytest.raises(NativeError, match=r"joint move 2: no move of role 1 is not legal"):
        simulator.next(states, np.array([[go, wait], [go, wait], [go, -1]], np.int32))
    allowed = simulator.next(states, np.array([[stay, -1]] * 3, np.int32), only_legal=False)
    assert not np.array_equal(allowed, after)


@pytest.mark.lanes
@pytest.mark.parametrize("name", instruction_sets())
def test_a_move_that_is_never_legal_counts_in_the_one_step_in_which_it_is_made(name: str) -> None:
    net = die(2)
    legal = net.legal.copy()
    legal[1] = FALSE
    simulator = Simulator(Game.from_propnet(dataclasses.replace(net, legal=legal)), instruction_set=name)
    before, made, after = (
        simulator.next(simulator.game.initial, np.array([move]), only_legal=False) for move in (0, 1, 0)
    )
    assert (before == after).all()
    assert (made != after).any()


def test_any_joint_move_leaves_a_terminal_state_as_it_is() -> None:
    net = load_sheet(ILLEGAL)
    simulator = Simulator(Game.from_propnet(net), 64)
    joint = np.array([net.moves[0].index("go"), net.moves[1].index("wait")], np.int32)
    end = simulator.next(simulator.game.initial, joint)
    assert simulator.terminal(end)[0]
    for moves in ([-1, -1], [net.moves[0].index("stay"), 0]):
        assert np.array_equal(simulator.next(end, np.array(moves, np.int32)), end)


@pytest.mark.parametrize("count", [1, 64, 200])
def test_every_joint_move_of_a_batch_is_checked(count: int) -> None:
    net = load_sheet(ILLEGAL)
    simulator = Simulator(Game.from_propnet(net), 64)
    go, stay, wait = net.moves[0].index("go"), net.moves[0].index("stay"), net.moves[1].index("wait")
    joint = np.array([[go, wait]] * count, np.int32)
    joint[-1, 0] = stay
    with pytest.raises(NativeError, match=rf"joint move {count - 1}:"):
        simulator.next(np.repeat(simulator.game.initial.reshape(1, -1), count, axis=0), joint)


@pytest.mark.parametrize(
    ("kind", "move", "said"),
    [
        (np.float64, 0, "float64 was given where whole numbers are needed: a state is packed bits"),
        (np.bool_, 0, "bool was given where whole numbers are needed: a state is packed bits"),
        (np.uint64, 0.5, "float64 was given where whole numbers are needed: a joint move has the index of a move"),
        (np.uint64, 2**32, "a move index is out of range"),
    ],
)
def test_arrays_of_another_kind_are_refused_not_rounded(kind: Any, move: float, said: str) -> None:
    simulator = Simulator(Game.from_propnet(die(2)))
    states = simulator.game.initial[None].astype(kind)
    with pytest.raises(NativeError, match=said):
        simulator.next(states, np.array([[move]]))
