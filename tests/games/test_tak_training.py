"""Training of Tak by temporal differences: the native one against the readable one in numpy."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from ludens.games.tak.native_game import native_game, pack, unpack
from ludens.games.tak.rules.parameters import Kind, TakRules
from ludens.games.tak.rules.reference import Position, Stack, after, first_position, legal_moves, outcome
from ludens.games.tak.temporal_differences.inputs import input_count, inputs
from ludens.games.tak.temporal_differences.network import Floats, Network
from ludens.native.core import Search, TakTraining, tak_weight_count
from ludens.propnet.base.errors import NativeError

SIZES = [3, 4, 5, 6, 7, 8]


def flat(network: Network) -> Floats:
    """Returns the weights in the order of the core."""
    return np.concatenate([network.hidden.ravel(), network.output.T.ravel()])


def in_the_midst(size: int, plies: int, seed: int) -> Position:
    rng, position = random.Random(seed), first_position(TakRules(size))
    for _ in range(plies):
        position = after(position, rng.choice(legal_moves(position)))
        assert outcome(position) is None
    return position


def value_of(network: Network, position: Position) -> float:
    """Returns what a position that goes on is worth for who is to move."""
    doing, other = network.outputs(inputs(position))
    return float(doing - other)


def one_ply_ahead(weights: Floats, position: Position) -> tuple[int, float]:
    """Returns the number of the move that seems best to who looks one ply ahead, and its value for who makes it."""
    game = native_game(position.rules)
    search = Search(game, strategy="td", td_weights=weights, depth=1, memory_bytes=1 << 20)
    search.set_root(pack(position))
    search.run()
    known = search.root_moves(position.turn)
    return int(known.moves[known.best]), float(known.values[known.best]) / 50 - 1


def test_the_inputs_of_a_position_by_hand() -> None:
    rules = TakRules(3)
    board = [Stack()] * 9
    board[0], board[1], board[4] = Stack((0,)), Stack((1, 0)), Stack((0, 1), Kind.WALL)
    position = Position(rules, tuple(board), ((7, 0), (8, 0)), 6)
    seen = inputs(position)
    assert len(seen) == input_count(rules) == 42
    assert seen[:9].tolist() == [2, 2, 0, 0, -1, 0, 0, 0, 0]
    assert seen[9:18].tolist() == [1, 2, 0, 0, 2, 0, 0, 0, 0]
    assert seen[18:27].tolist() == [1, 0, 0, 0, 0, 0, 0, 0, 0]
    assert seen[27:36] == pytest.approx([7, 0, 8, 0, 3 / 9, 0.06, 2, 1, 0])
    assert seen[36:].tolist() == [2, -2, 0, 1, -1, 0]


@pytest.mark.parametrize("size", SIZES)
def test_the_core_judges_positions_as_the_readable_network_does(size: int) -> None:
    rules = TakRules(size)
    network = Network.random(input_count(rules), seed=size)
    position = in_the_midst(size, min(2 * size, 12), seed=size + 1)
    ends: list[bool] = []
    values: dict[int, float] = {}
    for move in legal_moves(position):
        following = after(position, move)
        end = outcome(following)
        if end:
            ends.append(end.winner == position.turn)
        else:
            values[rules.number(move)] = -value_of(network, following)
    chosen, value = one_ply_ahead(flat(network), position)
    assert any(ends) or value == pytest.approx(max(values.values()), abs=1e-5)
    assert any(ends) or values[chosen] == pytest.approx(value, abs=1e-5)


@pytest.mark.parametrize(("size", "seed"), [(3, 1), (3, 2), (4, 3)])
def test_a_game_of_training_as_it_is_described(size: int, seed: int) -> None:
    """In the only game flats count, since half of one game is none."""
    rules = TakRules(size)
    network = Network.random(input_count(rules), seed)
    training = TakTraining(size, flat(network), games=1, side_by_side=1, random_plies=4, most_plies=40, seed=seed)
    state_words = native_game(rules).state_words
    position = unpack(rules, training.save()[-state_words:])
    training.run()
    while (end := outcome(position)) is None and position.ply < 40:
        following = max((after(position, move) for move in legal_moves(position)), key=lambda p: worth(network, p))
        target = network.outputs(inputs(following))[::-1]
        network = network.trained(inputs(position), target, 0.005)
        position = following
    for viewer in (0, 1):
        won = [float(end is not None and end.winner == player) for player in (viewer, 1 - viewer)]
        network = network.trained(inputs(position, viewer), np.array(won, np.float32), 0.01)
    assert training.stats.games == 1
    assert training.weights == pytest.approx(flat(network), abs=1e-5)


@pytest.mark.parametrize("trace", [0.4, 1.0])
def test_a_game_of_training_with_a_trace(trace: float) -> None:
    """Targets are made of what follows, at the end of the game and from there back."""
    rules = TakRules(3)
    network = Network.random(input_count(rules), seed=4)
    options = {"games": 1, "side_by_side": 1, "random_plies": 4, "most_plies": 40, "seed": 4, "trace": trace}
    training = TakTraining(3, flat(network), **options)  # type: ignore[arg-type]
    position = unpack(rules, training.save()[-native_game(rules).state_words - 1 : -1])
    played = [position]
    while (end := outcome(position)) is None and position.ply < 40:
        position = max((after(position, move) for move in legal_moves(position)), key=lambda p: worth(network, p))
        played.append(position)
    training.run()

    def result(viewer: int) -> Floats:
        won = [float(end is not None and end.winner == player) for player in (viewer, 1 - viewer)]
        return np.array(won, np.float32)

    target = result(position.turn)
    for before, later in reversed(list(pairwise(played))):
        target = ((1 - trace) * network.outputs(inputs(later)) + trace * target)[::-1]
        network = network.trained(inputs(before), target, 0.005)
    for viewer in (0, 1):
        network = network.trained(inputs(position, viewer), result(viewer), 0.01)
    assert training.stats.plies == len(played) - 1
    assert training.weights == pytest.approx(flat(network), abs=1e-5)


def image(position: Position, symmetry: int) -> Position:
    """Returns the position on a board that is reflected: at its diagonal (1), its ranks (2), its files (4) reversed."""
    size = position.rules.size
    board: list[Stack] = [Stack()] * position.rules.squares
    for square, stack in enumerate(position.board):
        rank, file = divmod(square, size)
        if symmetry & 1:
            rank, file = file, rank
        rank, file = size - 1 - rank if symmetry & 2 else rank, size - 1 - file if symmetry & 4 else file
        board[rank * size + file] = stack
    return replace(position, board=tuple(board))


def test_a_ply_of_training_with_symmetries() -> None:
    rules = TakRules(4)
    network = Network.random(input_count(rules), seed=6)
    options = {"games": 1, "side_by_side": 1, "most_plies": 9, "seed": 6, "symmetries": 8, "rate": 0.02}
    training = TakTraining(4, flat(network), **options)  # type: ignore[arg-type]
    position = unpack(rules, training.save()[-native_game(rules).state_words :])
    training.run()
    while position.ply < 9:
        following = max((after(position, move) for move in legal_moves(position)), key=lambda p: worth(network, p))
        assert outcome(following) is None
        target = network.outputs(inputs(following))[::-1]
        for symmetry in range(8):
            network = network.trained(inputs(image(position, symmetry)), target, 0.02)
        position = following
    for viewer in (0, 1):
        for symmetry in range(8):
            network = network.trained(inputs(image(position, symmetry), viewer), np.zeros(2, np.float32), 0.01)
    assert training.weights == pytest.approx(flat(network), abs=1e-5)


def worth(network: Network, following: Position) -> float:
    """Returns the value of a position for who moved there."""
    end = outcome(following)
    if end is None:
        return -value_of(network, following)
    return 0.0 if end.winner is None else 1.0 if end.winner != following.turn else -1.0


def test_training_follows_from_the_seed_and_goes_on_where_it_was_saved() -> None:
    begun = flat(Network.random(input_count(TakRules(4)), seed=1))

    def training(seed: int = 5) -> TakTraining:
        return TakTraining(4, begun, games=60, seed=seed)

    whole, threads, other = training(), training(), training(seed=6)
    whole.run()
    threads.run(threads=3)
    other.run()
    assert (whole.weights == threads.weights).all() and whole.stats == threads.stats
    assert (whole.weights != other.weights).any()
    assert whole.stats.games == 60 == whole.stats.roads + whole.stats.flats + whole.stats.ties
    part = training()
    part.run(seconds=1e-6)
    assert 0 < part.stats.plies < whole.stats.plies
    resumed = training()
    resumed.restore(part.save())
    resumed.run()
    assert (resumed.weights == whole.weights).all() and resumed.stats == whole.stats


def test_training_finds_roads() -> None:
    """A network that learned for some hundred games beats one that did not, both looking one ply ahead."""
    rules = TakRules(4)
    blank = flat(Network.random(input_count(rules), seed=1))
    training = TakTraining(4, blank, games=4000, seed=1)
    training.run()
    wins = 0
    for number in range(20):
        position = in_the_midst(4, 4, seed=number)
        mine = number % 2
        while (end := outcome(position)) is None and position.ply < 100:
            weights = training.weights if position.turn == mine else blank
            move = rules.move(one_ply_ahead(weights, position)[0])
            assert move is not None
            position = after(position, move)
        wins += end is not None and end.winner == mine
    assert wins >= 15


@pytest.mark.parametrize("options", [{"trace": 0.7}, {"symmetries": 8}])
def test_training_with_options_goes_on_where_it_was_saved(options: dict[str, float]) -> None:
    begun = flat(Network.random(input_count(TakRules(4)), seed=1))
    whole, part, resumed = (TakTraining(4, begun, games=80, **options) for _ in range(3))  # type: ignore[arg-type]
    whole.run()
    part.run(games=20)
    assert 20 <= part.stats.games < 80
    resumed.restore(part.save())
    resumed.run(threads=2)
    assert (resumed.weights == whole.weights).all() and resumed.stats == whole.stats


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"size": 9}, "no board of size 9"),
        ({"size": 4}, "another size"),
        ({"games": 0}, "a game at least"),
        ({"side_by_side": 0}, "a game at least"),
        ({"random_plies": 1}, "two random moves"),
        ({"most_plies": 8}, "two random moves"),
        ({"trace": 1.5}, "from 0 to 1"),
        ({"trace": float("nan")}, "from 0 to 1"),
        ({"symmetries": 4}, "1 or 8 symmetries"),
        ({"instruction_set": "none"}, "not available for Tak"),
    ],
)
def test_options_that_make_no_sense(options: dict[str, object], message: str) -> None:
    weights = np.zeros(tak_weight_count(5), np.float32)
    with pytest.raises(NativeError, match=message):
        TakTraining(**{"size": 5, "weights": weights, "games": 10} | options)  # type: ignore[arg-type]


def test_what_was_saved_fits_only_the_same_training() -> None:
    weights = np.zeros(tak_weight_count(3), np.float32)
    training = TakTraining(3, weights, games=10)
    with pytest.raises(NativeError, match="other options"):
        TakTraining(3, weights, games=11).restore(training.save())
    with pytest.raises(NativeError, match="cut short"):
        training.restore(training.save()[:-1])
    with pytest.raises(NativeError, match="more was saved"):
        training.restore(np.append(training.save(), np.uint64(0)))
