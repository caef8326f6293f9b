"""The native checkers machine against the family played by the book and the network of the built-in sheet."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ludens.games import read
from ludens.games.checkers.bitboards.native_game import NativeCore, native_game, pack, unpack
from ludens.games.checkers.recognition.recognise import recognise
from ludens.games.checkers.rules.parameters import CheckersRules, Forcing, Jumps, MoveTable, goal_table
from ludens.games.checkers.rules.positions import Positions, random_positions
from ludens.games.checkers.rules.reference import Reference
from ludens.native.core import Game, Simulator
from ludens.propnet.base.errors import NativeError
from ludens.propnet.compile.loader import load
from tests.support.reference_core import ReferenceCore

MAJORITY = goal_table(
    lambda up, down: (50 + 50 * (up > down) - 50 * (up < down), 50 + 50 * (down > up) - 50 * (down < up))
)
CAPTURES = goal_table(lambda up, down: (8 * (12 - down), 8 * (12 - up)))
OPTIONAL = CheckersRules(
    forcing=Forcing.NONE, jumps=Jumps.UP_TO_THREE, goals=MAJORITY, stuck_goals=None, step_limit=101
)
LONGEST = replace(OPTIONAL, forcing=Forcing.LONGEST, step_limit=59)
ONE_JUMP = CheckersRules(jumps=Jumps.ONE, goals=CAPTURES, stuck_goals=None, stuck_either=True, step_limit=99)
BY_PLIES = CheckersRules(jumps=Jumps.BY_PLIES, idle_limit=40)
GAMES = {
    "one jump a ply": BY_PLIES,
    "one jump a ply, optional": replace(BY_PLIES, forcing=Forcing.NONE),
    "one jump a ply, roles changed": replace(BY_PLIES, idle_limit=20, first_role=1),
    "optional": OPTIONAL,
    "optional, six files": replace(OPTIONAL, width=6),
    "optional, four files": replace(OPTIONAL, width=4),
    "optional, cylinder": replace(OPTIONAL, wrap_files=True),
    "longest": LONGEST,
    "longest, cylinder": replace(LONGEST, wrap_files=True, first_role=1),
    "longest, torus": replace(LONGEST, wrap_files=True, wrap_ranks=True),
    "one jump, torus": replace(ONE_JUMP, wrap_files=True, wrap_ranks=True),
    "one jump, torus, no kings": replace(ONE_JUMP, wrap_files=True, wrap_ranks=True, kings=False, stuck_either=False),
    "one jump, barrel, no kings": replace(ONE_JUMP, wrap_ranks=True, kings=False),
}
PERFT = {
    "optional": (7, 49, 379, 2872, 23582),
    "optional, six files": (5, 25, 141, 770, 4650),
    "optional, four files": (3, 9, 31, 100, 371),
    "optional, cylinder": (8, 64, 560, 4832, 45168),
    "longest": (7, 49, 302, 1469, 7361),
    "longest, cylinder": (8, 64, 432, 2128, 10272),
    "longest, torus": (8, 64, 432, 2128, 10272),
    "one jump a ply": (7, 49, 302),
}


def same(a: Positions, b: Positions) -> bool:
    return all(np.array_equal(getattr(a, name), getattr(b, name)) for name in Positions.__slots__)


@pytest.mark.parametrize("name", GAMES)
def test_scattered_pieces_play_as_by_the_book(name: str, instruction_set: str) -> None:
    rules, rng = GAMES[name], np.random.default_rng(5)
    native, book = NativeCore(rules, instruction_set=instruction_set), ReferenceCore(rules)
    positions = random_positions(rules, 150, rng)
    for _ in range(4):
        assert same(unpack(pack(positions)), positions)
        legal = book.legal(positions)
        assert np.array_equal(native.legal(positions), legal)
        over = book.terminal(positions)
        assert np.array_equal(native.terminal(positions), over)
        assert np.array_equal(native.goals(positions), book.goals(positions))
        positions, legal = positions[~over], legal[~over]
        moves = np.array([rng.choice(np.flatnonzero(row)) for row in legal])
        after = native.next(positions, moves)
        assert same(after, book.next(positions, moves))
        positions = after


@pytest.mark.parametrize("name", GAMES)
def test_a_number_means_one_path_and_does_nothing_where_that_leaves_the_board(name: str) -> None:
    rules = GAMES[name]
    table, core = MoveTable(rules), NativeCore(rules)
    paths = [path for path in table.paths if path is not None]
    assert len(set(paths)) == len(paths)
    nowhere = np.array([number for number, path in enumerate(table.paths) if path is None], np.int64)
    assert (len(nowhere) == 0) == (rules.wrap_files and rules.wrap_ranks)
    positions = random_positions(rules, 200, np.random.default_rng(6))
    moves = np.resize(nowhere, len(positions)) if len(nowhere) else np.full(len(positions), table.empty)
    joint = np.full((len(positions), 2), table.empty, np.int32)
    joint[np.arange(len(positions)), core.role(positions)] = moves
    assert same(unpack(core.simulator.next(pack(positions), joint, only_legal=False)), positions)


@pytest.mark.parametrize("name", GAMES)
def test_random_games_are_games_by_the_book(name: str) -> None:
    rules = GAMES[name]
    book, table = Reference(rules), MoveTable(rules)
    for game in NativeCore(rules, seed=3).simulator.record(max_steps=400)[:20]:
        position = book.initial()
        for joint in game:
            assert not book.terminal(position)
            mover = rules.role(position.turn)
            assert joint[1 - mover] == table.empty
            path = table.paths[joint[mover]]
            assert path in book.legal(position, position.turn)
            assert path is not None
            position = book.next(position, path)
        assert book.terminal(position)


@pytest.mark.parametrize("name", PERFT)
def test_moves_are_as_many_as_published(name: str) -> None:
    core = NativeCore(GAMES[name])
    positions = core.initial(1)
    for count in PERFT[name]:
        rows, moves = np.nonzero(core.legal(positions))
        assert len(moves) == count
        positions = core.next(positions[rows], moves)


@pytest.mark.parametrize("name", ["one jump a ply", "optional", "longest, torus"])
def test_every_action_is_chosen_as_often(name: str, instruction_set: str) -> None:
    """Pearson's test over all actions of a few positions, at one in ten thousand for each."""
    rules, rng = GAMES[name], np.random.default_rng(2)
    core = NativeCore(rules, instruction_set=instruction_set)
    positions = random_positions(rules, 400, rng)
    counts = core.legal(positions).sum(axis=1)
    positions = positions[~core.terminal(positions) & (counts > 1)][:8]
    for row in range(len(positions)):
        one = positions[np.array([row])]
        legal = np.flatnonzero(core.legal(one)[0])
        mover = rules.role(int(one.turn[0]))
        chosen = np.zeros(core.legal(one).shape[1], np.int64)
        for _ in range(20):
            games = core.simulator.record(pack(one), max_steps=1)
            np.add.at(chosen, [int(game[0, mover]) for game in games], 1)
        assert chosen.sum() == chosen[legal].sum()
        expected = chosen.sum() / len(legal)
        free = len(legal) - 1
        deviation = (((chosen[legal] - expected) ** 2 / expected).sum() - free) / np.sqrt(2 * free)
        assert deviation < 7  # in standard deviations; for one degree of freedom a chance of 1 in 10^4


@pytest.mark.parametrize("name", GAMES)
def test_games_that_are_one_move_long_are_counted_by_the_book(name: str, instruction_set: str) -> None:
    rules, book = GAMES[name], ReferenceCore(GAMES[name])
    simulator = NativeCore(rules, instruction_set=instruction_set).simulator
    positions = random_positions(rules, 300, np.random.default_rng(8))
    over, legal = book.terminal(positions), book.legal(positions)
    for row in [*np.flatnonzero(over)[:10], *np.flatnonzero(~over & (legal.sum(axis=1) == 1))[:10]]:
        one = positions[np.array([row])]
        end = one if over[row] else book.next(one, np.flatnonzero(legal[row]))
        games = simulator.playouts(600, state=pack(one)[0], max_steps=1)
        assert games.count == 600
        assert games.state_changes == (0 if over[row] else 600)
        assert games.stuck == (0 if book.terminal(end)[0] else 600)
        goals = [book.goals(end)[0, rules.first_role ^ role] for role in (0, 1)]
        assert np.array_equal(games.goal_means, goals)
        assert not games.goal_deviations.any()


def test_the_built_in_sheet_is_played_as_by_its_network() -> None:
    net = load(read("english_draughts"))
    proof = recognise(net, 60, positions=2000, games=500).proof
    assert proof.games == 500


def test_goals_of_random_games_are_those_of_the_network() -> None:
    net = load(read("english_draughts"))
    native = Simulator(native_game(BY_PLIES), seed=1).playouts(40_000)
    network = Simulator(Game.from_propnet(net), seed=1).playouts(40_000)
    error = np.sqrt((native.goal_deviations**2 + network.goal_deviations**2) / 40_000)
    assert np.all(np.abs(native.goal_means - network.goal_means) < 5 * error)
    assert abs(native.mean_length - network.mean_length) < 0.5
    assert native.stuck == 0


@pytest.mark.parametrize(
    "rules",
    [
        CheckersRules(),
        replace(OPTIONAL, width=6, wrap_files=True),
        replace(OPTIONAL, step_limit=5000),
        replace(OPTIONAL, start=(3, 2, 0)),
        replace(OPTIONAL, goals=goal_table(lambda _up, _down: (101, 0))),
    ],
    ids=["whole chains", "narrow cylinder", "step limit", "taken twice", "goals"],
)
def test_what_it_cannot_play_is_refused(rules: CheckersRules) -> None:
    with pytest.raises(NativeError):
        native_game(rules)


@pytest.mark.parametrize("lanes", [32, 100, 1 << 20])
def test_lanes_are_whole_words(lanes: int) -> None:
    with pytest.raises(NativeError, match="lanes"):
        Simulator(native_game(OPTIONAL), lanes=lanes)
