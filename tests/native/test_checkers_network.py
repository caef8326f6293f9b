"""Networks of checkers in the native core: the same to the last bit as a reference in numpy, and of use to searches."""

from __future__ import annotations

import pickle
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from ludens.agent.checkers.views import counted_rules, words_of
from ludens.games.checkers.bitboards.native_game import NativeCore, native_game, pack, unpack
from ludens.games.checkers.networks.guided_games import GuidedGames
from ludens.games.checkers.rules.parameters import CheckersRules, Jumps
from ludens.native.core import CheckersNetwork, Game, NetworkEvaluation, Search, Simulator, States
from ludens.native.core.checkers_network import ONE
from ludens.native.kernels.kernel_search import KernelSearch
from ludens.propnet.base.errors import NativeError
from tests.support.board_network import compiled_sets
from tests.support.checkers_network import extreme_weights, random_weights, random_words, reference

pytestmark = pytest.mark.lanes
BY_PLIES = CheckersRules(jumps=Jumps.BY_PLIES, step_limit=200)


@cache
def network(seed: int = 1) -> CheckersNetwork:
    return CheckersNetwork(random_weights(32, 2, seed))


def some_states(count: int, seed: int = 1, rules: CheckersRules = BY_PLIES) -> States:
    """Returns states of random games, of both sides to move and within chains of captures."""
    core, rng, found = NativeCore(rules), np.random.default_rng(seed), []
    positions = core.initial(8)
    for _ in range(count):
        legal = core.legal(positions)
        positions = core.next(positions, (rng.random(legal.shape) * legal).argmax(axis=1))
        positions = positions[~core.terminal(positions)]
        if not len(positions):
            positions = core.initial(8)
        found.append(positions)
    return np.concatenate([pack(each) for each in found])[:count]


@pytest.mark.parametrize("name", compiled_sets())
@pytest.mark.parametrize(("width", "blocks"), [(32, 2), (32, 0), (64, 1), (96, 1), (128, 1)])
def test_every_instruction_set_says_what_the_reference_says(width: int, blocks: int, name: str) -> None:
    words = random_words(70, seed=width + blocks)
    for weights in (random_weights(width, blocks, seed=blocks), extreme_weights(width, blocks)):
        values, logits = CheckersNetwork(weights, name).evaluate(words)
        wanted_values, wanted_logits = reference(weights, words)
        assert values.tolist() == wanted_values.tolist()
        assert logits.tolist() == wanted_logits.tolist()


def test_weights_that_make_no_network_are_refused() -> None:
    good = random_weights(32, 1, 1)
    bad: list[tuple[dict[str, Any], str]] = [
        ({"stem": good.stem.astype(np.int16)}, "int16"),
        ({"stem": np.where(good.stem == good.stem[0, 0, 0], -128, good.stem).astype(np.int8)}, "-128"),
        ({"moves": good.moves[:3]}, "shape"),
        ({"biases": good.biases + np.int32(1 << 25)}, "too large"),
    ]
    for change, message in bad:
        with pytest.raises(NativeError, match=message):
            CheckersNetwork(good._replace(**change))
    with pytest.raises(NativeError, match="width must be"):
        CheckersNetwork(random_weights(16, 1, 1))
    with pytest.raises(NativeError, match="not available"):
        CheckersNetwork(good, "mmx")


@pytest.mark.parametrize("first_role", [0, 1])
def test_states_are_judged_from_the_side_that_is_to_move(first_role: int) -> None:
    rules = CheckersRules(jumps=Jumps.BY_PLIES, first_role=first_role)
    states = some_states(300, rules=rules)
    game = native_game(rules)
    goals = NetworkEvaluation(network(), game).values(states)
    values, _ = reference(network().weights, words_of(states))
    movers = unpack(states).turn ^ first_role
    rows = np.arange(len(states))
    assert set(movers.tolist()) == {0, 1}
    assert goals[rows, movers] == pytest.approx(50 + 50 * np.tanh(values / ONE), abs=1e-3)
    assert goals.sum(axis=1) == pytest.approx(100, abs=1e-3)


def test_other_games_are_refused() -> None:
    for game in (native_game(CheckersRules(jumps=Jumps.ONE)), Game.from_tak(3)):
        with pytest.raises(NativeError, match="English draughts"):
            NetworkEvaluation(network(), game)
    giveaway = native_game(replace(BY_PLIES, stuck_goals=(100, 0)))
    with pytest.raises(NativeError, match="who cannot move loses"):
        NetworkEvaluation(network(), giveaway)
    with pytest.raises(NativeError, match="English draughts"):
        Search(Game.from_tak(3), strategy="guided", evaluation=NetworkEvaluation(network(), native_game(BY_PLIES)))


def guided(evaluation: NetworkEvaluation) -> list[list[float]]:
    search = Search(native_game(BY_PLIES), strategy="guided", evaluation=evaluation, lanes=64, memory_bytes=1 << 22)
    search.run(playouts=2000)
    known = search.root_moves(0)
    return [known.moves.tolist(), known.visits.tolist(), known.values.tolist(), [known.best]]


def test_a_search_by_a_network_is_the_same_every_time_and_with_every_instruction_set() -> None:
    game, weights = native_game(BY_PLIES), network().weights
    found = [guided(NetworkEvaluation(CheckersNetwork(weights, name), game)) for name in compiled_sets()]
    found.append(guided(pickle.loads(pickle.dumps(NetworkEvaluation(network(), game)))))
    assert all(each == found[0] for each in found)
    assert sum(found[0][1]) == pytest.approx(2000, abs=40)
    assert guided(NetworkEvaluation(network(2), game)) != found[0]


def test_without_the_network_guided_games_are_random_games() -> None:
    state = some_states(30)[-1:]
    game = native_game(BY_PLIES)
    mine = network().play(game, state, 40_000, 0.0, seed=3)[0]
    theirs = Simulator(game, 64, seed=4).playouts(40_000, state=state[0]).goal_means
    assert mine == pytest.approx(theirs, abs=1.5)  # 4 standard errors of the difference


def one_ply_worth(core: NativeCore, state: States) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.float64]]:
    """Returns the moves of the state and what each is worth to the mover where any two plies end the game."""
    positions = unpack(state)
    legal, mover = core.legal(positions)[0], int(core.role(positions)[0])
    moves = legal.nonzero()[0]
    after = core.next(positions[np.zeros(len(moves), np.int64)], moves)
    replies = core.legal(after).argmax(axis=1)
    goals = core.goals(core.next(after, replies))[:, mover]
    return moves, goals.astype(np.float64)


@pytest.mark.parametrize("share", [0.4, 1.0])
@pytest.mark.parametrize("turn", [0, 1])
@pytest.mark.parametrize("jumps", [False, True])
def test_the_network_chooses_its_share_of_the_moves(share: float, turn: int, jumps: bool) -> None:
    """Two plies from the end, where captures must be made, a move is worth what its pieces are, whatever the reply."""
    rules = counted_rules(40, 2)
    core = NativeCore(rules)
    for state in some_states(400, seed=5):
        words = words_of(state[None])
        here = np.array([state[0], state[1] & np.uint64(0x1FFFFFFFF)], np.uint64)[None]  # all counters at 0
        position = unpack(here)
        if position.turn[0] != turn or unpack(state[None]).chain[0] >= 0 or core.terminal(position)[0]:
            continue
        moves, worth = one_ply_worth(core, here)
        if len(set(worth.tolist())) > 1 and (moves >= 128).all() == jumps and (moves < 128).all() != jumps:
            break
    else:
        pytest.fail("no such position")
    _, logits = reference(network(7).weights, words)
    seen = moves % 128 if turn == 0 else 127 - moves % 128
    chances = np.exp((logits[0, seen] - logits[0, seen].max()) / ONE)
    chances = share * chances / chances.sum() + (1 - share) / len(moves)
    goals = network(7).play(core.game, here, 40_000, share, seed=6)[0]
    assert goals[int(core.role(position)[0])] == pytest.approx(float(chances @ worth), abs=1.0)


def test_guided_games_are_the_same_with_every_instruction_set_and_refuse_nonsense() -> None:
    game, states = native_game(BY_PLIES), some_states(20)
    found = [
        CheckersNetwork(network().weights, name).play(game, states, 3, 0.3, seed=9).tolist() for name in compiled_sets()
    ]
    assert all(each == found[0] for each in found)
    for games, share in ((0, 0.1), (1, -0.1), (1, 1.5), (1, float("nan"))):
        with pytest.raises(NativeError):
            network().play(game, states, games, share)
    with pytest.raises(NativeError, match="English draughts"):
        network().play(native_game(CheckersRules(jumps=Jumps.ONE)), states, 1, 0.1)


@pytest.mark.parametrize("strategy", ["uct", "mcrd"])
def test_a_tree_search_plays_guided_games_from_its_leaves(strategy: str) -> None:
    game = native_game(BY_PLIES)
    search = KernelSearch(game, GuidedGames(game, network(), 0.2), games=2, strategy=strategy, memory_bytes=1 << 22)
    search.run(playouts=600)
    known = search.root_moves(0)
    assert known.visits.sum() >= 300
    assert np.nanmin(known.values) > 0
