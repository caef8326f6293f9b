"""The search that an evaluation guides: what it proves, what it finds, and that it keeps within its memory."""

from __future__ import annotations

import numpy as np
import pytest

from native.core import Evaluation, EvaluationWeights, Game, Search, Simulator, States, pack_bits, unpack_bits
from propnet.errors import NativeError
from propnet.symmetries import symmetries
from tests.searching import WANDERING, network, proven_goals

_MANY = 600.0  # seconds: no machine is too slow


def ignorant(game: Game) -> Evaluation:
    """Says fifty of everything."""
    linear, inner = (np.zeros((1, game.state_bits + 1, n), np.float32) for n in (game.roles, 0))
    return Evaluation(EvaluationWeights((), linear, inner, np.zeros((1, 0, game.roles), np.float32)))


def guided(name: str, **options: object) -> Search:
    game = Game.from_propnet(network(name))
    chosen = {"memory_bytes": 1 << 24, "lanes": 64, "evaluation": ignorant(game)} | options
    return Search(game, strategy="guided", **chosen)  # type: ignore[arg-type]


class Minimax:
    """The oracle: goals under perfect play, for two roles that move in turn and whose goals sum to 100."""

    def __init__(self, game: Game) -> None:
        self.simulator = Simulator(game, 64)
        self.known: dict[bytes, int] = {}

    def value(self, state: States) -> int:
        """Of role 0."""
        key = state.tobytes()
        if key not in self.known:
            if self.simulator.terminal(state)[0]:
                self.known[key] = int(self.simulator.goals(state)[0, 0])
            else:
                mover, children = self.children(state)
                values = [self.value(child) for child in children.values()]
                self.known[key] = max(values) if mover == 0 else min(values)
        return self.known[key]

    def children(self, state: States) -> tuple[int, dict[int, States]]:
        moves = [np.flatnonzero(m[0]) for m in self.simulator.legal(state)]
        mover = int(len(moves[1]) > 1)
        joint = np.array([[a, b] for a in moves[0] for b in moves[1]], np.int32)
        after = self.simulator.next(np.repeat(state[None], len(joint), axis=0), joint)
        return mover, dict(zip(joint[:, mover].tolist(), after, strict=True))


@pytest.mark.parametrize(("name", "symmetric"), [("tic_tac_toe", False), ("tic_tac_toe", True), ("nim", False)])
def test_small_games_are_solved_as_minimax_solves_them(name: str, symmetric: bool) -> None:
    search = guided(name, symmetries=symmetries(network(name), seconds=_MANY) if symmetric else None)
    search.run(playouts=200_000)
    assert search.stats().solved
    oracle = Minimax(search.game)
    for _ in range(3):
        state = search.game.initial
        while not oracle.simulator.terminal(state)[0]:
            mover, children = oracle.children(state)
            search.set_root(state)
            search.run(playouts=200_000)
            known = search.root_moves(mover)
            for move, proven in zip(known.moves.tolist(), known.proven.tolist(), strict=True):
                value = oracle.value(children[move])
                assert proven in (-1, value if mover == 0 else 100 - value)
            best = int(known.moves[known.best])
            assert oracle.value(children[best]) == oracle.value(state)
            state = children[int(np.random.default_rng(3).choice(list(children)))]


def test_images_share_nodes_and_roots_have_moves_of_their_own() -> None:
    name = "breakthrough_small"
    (row,) = symmetries(network(name), seconds=_MANY)
    search = guided(name, symmetries=row[None])
    simulator = Simulator(search.game, 64)
    first = np.flatnonzero(simulator.legal(search.game.initial)[0][0])[0]
    state = simulator.next(search.game.initial, np.array([first, network(name).moves[1].index("noop")], np.int32))[
        0
    ]
    bits = unpack_bits(state, search.game.state_bits)
    image = np.zeros_like(bits)
    image[row] = bits
    for root in (state, pack_bits(image)):
        search.set_root(root)
        before = search.stats().nodes
        search.run(playouts=1)
        assert root is state or search.stats().nodes == before  # the states that follow from the image are known
        search.run(playouts=2_000)
        known = search.root_moves(1)
        assert known.moves.tolist() == np.flatnonzero(simulator.legal(root)[1][0]).tolist()
        line = search.expected_line(20)
        assert len(line) > 0
        for joint in line:
            legal = simulator.legal(root)
            assert all(moves[0][move] for moves, move in zip(legal, joint, strict=True))
            root = simulator.next(root, joint)[0]  # noqa: PLW2901


def test_a_proven_root_ends_the_run() -> None:
    search = guided("tic_tac_toe")
    search.run()
    done = search.stats().iterations
    search.run()
    assert search.stats().iterations == done


def test_one_thread_repeats_itself() -> None:
    lines = []
    for _ in range(2):
        search = guided("breakthrough")
        search.run(playouts=3_000)
        lines.append((search.root_moves(0).visits.tolist(), search.expected_line().tolist()))
    assert lines[0] == lines[1]


def test_visits_add_up_with_several_threads() -> None:
    search = guided("breakthrough", threads=3)
    search.run(playouts=5_000)
    known, stats = search.root_moves(0), search.stats()
    assert known.visits.sum() == stats.root_visits == stats.iterations >= 5_000
    assert len(search.root_moves(1).moves) == 1


def test_memory_is_kept_and_made_room_in() -> None:
    search = guided("breakthrough", memory_bytes=1 << 20)
    search.run(playouts=5_000)
    stats = search.stats()
    assert stats.recycled > 0
    assert stats.iterations >= 5_000
    assert stats.nodes * stats.bytes_per_node <= 1 << 20
    known = search.root_moves(0)
    assert known.visits.sum() == stats.root_visits
    state = search.game.initial
    simulator = Simulator(search.game, 64)
    for _ in range(6):
        joint = search.expected_line(1)
        state = simulator.next(state, joint)[0]
        search.set_root(state)
        search.run(playouts=2_000)
    assert search.stats().root_visits >= 2_000


def test_too_little_memory_for_a_root_is_an_error() -> None:
    with pytest.raises(NativeError, match="memory_bytes"):
        guided("breakthrough", memory_bytes=1000)


def test_the_tree_is_kept_from_turn_to_turn() -> None:
    search = guided("breakthrough")
    search.run(playouts=5_000)
    known, line = search.root_moves(0), search.expected_line(1)
    search.set_root(Simulator(search.game, 64).next(search.game.initial, line)[0])
    assert 0 < search.stats().root_visits <= known.visits.max()


def test_what_it_needs_is_told() -> None:
    with pytest.raises(NativeError, match="needs an evaluation"):
        guided("breakthrough", evaluation=None)
    with pytest.raises(NativeError, match="one role chooses"):
        guided("goofspiel")
    with pytest.raises(NativeError, match="another game"):
        guided("breakthrough", evaluation=ignorant(Game.from_propnet(network("nim"))))


def test_a_puzzle_is_solved() -> None:
    search = guided("lights_out")
    search.run(playouts=100_000)
    assert search.root_moves(0).values.max() == 100


def test_what_was_proven_of_ends_that_agreed_is_withdrawn_when_one_does_not() -> None:
    net, search = network(WANDERING), guided(WANDERING)
    dare: list[int] = []
    for _ in range(100):
        search.run(playouts=100)
        dare.append(proven_goals(net, 0, search)["dare"])
    assert 0 in dare
    assert dare[-1] == -1
    assert proven_goals(net, 0, search)["wander"] == 50
