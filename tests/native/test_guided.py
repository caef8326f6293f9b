"""The search that an evaluation guides: what it proves, what it finds, and that it keeps within its memory."""

from __future__ import annotations

import mmap
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from ludens.native.core import Evaluation, EvaluationWeights, Game, Search, Simulator, States, pack_bits, unpack_bits
from ludens.propnet.analysis.symmetries import symmetries
from ludens.propnet.base.errors import NativeError
from tests.support.evaluations import ignorant, opinionated
from tests.support.search_sheets import WANDERING
from tests.support.searching import network, proven_goals, successor
from tests.support.waiting import until

_MANY = 600.0  # seconds: no machine is too slow


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


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize(("name", "symmetric"), [("tic_tac_toe", False), ("tic_tac_toe", True), ("nim", False)])
def test_small_games_are_solved_as_minimax_solves_them(name: str, symmetric: bool, threads: int) -> None:
    images = symmetries(network(name), seconds=_MANY) if symmetric else None
    search = guided(name, symmetries=images, threads=threads)
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


@pytest.mark.parametrize("name", ["nim", "connect_four", "tic_tac_toe", "breakthrough", "gomoku"])
@pytest.mark.parametrize("exploration", [0.1, 1.0, 10.0])
def test_the_first_visits_are_those_that_puct_chooses(name: str, exploration: float) -> None:
    """The oracle: the formula in numpy, visit by visit, until one would follow another to the same child."""
    evaluation = opinionated(Game.from_propnet(network(name)))
    search = guided(name, evaluation=evaluation, exploration=exploration)
    search.run(playouts=1)
    _, children = Minimax(search.game).children(search.game.initial)
    assert search.root_moves(0).visits.tolist() == first_visits(evaluation, children, 0, exploration)


def first_visits(evaluation: Evaluation, children: dict[int, States], mover: int, exploration: float) -> list[int]:
    """Returns how often each move is visited by the first leaves, as far as these are different ones."""
    values = evaluation.values(np.array(list(children.values())))[:, mover]
    priors = np.exp(values / 10) / np.exp(values / 10).sum()
    visits = np.zeros(len(values), np.int64)
    for _ in range(32):
        chosen = np.argmax(values + 100 * exploration * priors * np.sqrt(visits.sum() + 1) / (1 + visits))
        if visits[chosen]:
            break
        visits[chosen] = 1
    return visits.tolist()


# Both choose in the steps that are named, and in turn in others; at the end a has 100 for what b said last.
def sometimes_together(last: int, *together: int) -> str:
    lines = [f"(follows {step} {step + 1})" for step in range(last)] + [f"(together {step})" for step in together]
    lines += [f"(turn {'ab'[step % 2]} {step})" for step in range(last) if step not in together]
    return f"""
(role a) (role b) (init (step 0)) {" ".join(lines)}
(word 1) (word 2) (word 3) (word 4) (word 5)
(<= (next (step ?m)) (true (step ?n)) (follows ?n ?m))
(<= (chooses ?r) (true (step ?n)) (turn ?r ?n))
(<= (chooses ?r) (role ?r) (true (step ?n)) (together ?n))
(<= (legal ?r (say ?w)) (chooses ?r) (word ?w))
(<= (legal ?r wait) (role ?r) (not (chooses ?r)))
(<= (next (said ?r ?n ?w)) (does ?r (say ?w)) (true (step ?n)))
(<= (next (said ?r ?n ?w)) (true (said ?r ?n ?w)))
(<= terminal (true (step {last})))
(<= one (true (said b {last - 1} 1)))
(<= (goal a 100) one) (<= (goal b 0) one) (<= (goal a 0) (not one)) (<= (goal b 100) (not one))
"""


def test_moves_are_searched_by_turns_where_nobody_chooses_together_any_more() -> None:
    """They do at first only; and when it is the first root again the other search goes on."""
    net = network(sometimes_together(12, 0))
    evaluation = opinionated(Game.from_propnet(net))
    search = guided(sometimes_together(12, 0), evaluation=evaluation, exploration=1.0)
    state = successor(net, search.game.initial, ["(say 1)", "(say 2)"])
    for _ in range(2):
        search.set_root()
        search.run(playouts=100)
        assert [len(search.root_moves(role).moves) for role in (0, 1)] == [5, 5]
        search.set_root(state)
        search.run(playouts=1)
        mover, children = Minimax(search.game).children(state)
        assert search.root_moves(mover).visits.tolist() == first_visits(evaluation, children, mover, 1.0)


def test_roles_that_choose_together_now_and_then_are_searched_as_before() -> None:
    """Nobody sees beyond their choices by turns: b has to say one thing in the end to win, and a said nothing yet."""
    net = network(sometimes_together(5, 0, 2))
    search = guided(sometimes_together(5, 0, 2))
    search.set_root(successor(net, search.game.initial, ["(say 1)", "(say 2)"]))
    search.run(playouts=2_000)
    assert search.root_moves(1).values.max() > 90  # by turns 50, as the evaluation says
    assert search.stats().depth > 2


def test_images_share_nodes_and_roots_have_moves_of_their_own() -> None:
    name = "breakthrough_small"
    (row,) = symmetries(network(name), seconds=_MANY)
    search = guided(name, symmetries=row[None])
    simulator = Simulator(search.game, 64)
    first = np.flatnonzero(simulator.legal(search.game.initial)[0][0])[0]
    state = simulator.next(search.game.initial, np.array([first, network(name).moves[1].index("noop")], np.int32))[0]
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


@pytest.mark.parametrize("threads", [2, 3])
def test_visits_add_up_with_several_threads(threads: int) -> None:
    search = guided("breakthrough", threads=threads)
    search.run(playouts=5_000)
    known, stats = search.root_moves(0), search.stats()
    assert known.visits.sum() == stats.root_visits == stats.iterations >= 5_000
    assert len(search.root_moves(1).moves) == 1


@pytest.mark.parametrize("name", ["breakthrough", "breakthrough_small"])
def test_visits_add_up_while_the_number_of_threads_that_pay_is_found_out(name: str) -> None:
    search = guided(name, memory_bytes=1 << 22, threads=4)
    for _ in range(4):
        search.run(playouts=40_000)  # some shifts, of one, two and four threads
        known, stats = search.root_moves(0), search.stats()
        assert known.visits.sum() == stats.root_visits > 0


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_it_is_reported_on_and_stopped_while_it_runs(threads: int) -> None:
    search = guided("breakthrough", threads=threads)
    with ThreadPoolExecutor(1) as pool:
        for _ in range(2):
            before = search.stats().iterations
            running = pool.submit(search.run)
            until(lambda before=before: search.stats().iterations > before + 2_000)  # type: ignore[misc]
            known, line = search.root_moves(0), search.expected_line(3)
            assert 0 < known.visits.sum() <= search.stats().iterations
            assert len(line) > 0
            assert not running.done()
            search.stop()
            running.result()
            # Nothing is under way any more.
            known, stats = search.root_moves(0), search.stats()
            assert known.visits.sum() == stats.root_visits == stats.iterations


@pytest.mark.parametrize("threads", [1, 3])
def test_a_tree_smaller_than_what_is_under_way_is_kept_within_its_memory(threads: int) -> None:
    search = guided("breakthrough", memory_bytes=1 << 17, threads=threads)
    for _ in range(3):
        search.run(playouts=2_000)
        known, stats = search.root_moves(0), search.stats()
        assert known.visits.sum() == stats.root_visits
        assert stats.nodes * stats.bytes_per_node <= 1 << 17
    assert search.stats().recycled > 0


@pytest.mark.parametrize("threads", [1, 3])
def test_memory_is_kept_and_made_room_in(threads: int) -> None:
    search = guided("breakthrough", memory_bytes=1 << 20, threads=threads)
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


def wide_game() -> str:
    """Of two moves of a either leads to 600 moves of b, all alike; from there on both have two."""
    follows = "".join(f"(follows {n} {n + 1})" for n in range(14))
    turns = "".join(f"(turn {'ab'[n % 2]} {n})" for n in range(14) if n != 1)
    digits = "".join(f"(digit {n})" for n in range(10)) + "".join(f"(six {n})" for n in range(6))
    every = " ".join(f"(true (left {n}))" for n in range(14) if n != 1)
    return f"""
(role a) (role b) (init (step 0)) {follows} {turns} {digits}
(<= (next (step ?m)) (true (step ?n)) (follows ?n ?m))
(<= chooses_a (true (step ?n)) (turn a ?n)) (<= chooses_b (true (step ?n)) (turn b ?n))
(<= (legal a left) chooses_a) (<= (legal a right) chooses_a) (<= (legal a wait) (not chooses_a))
(<= (legal b left) chooses_b) (<= (legal b right) chooses_b)
(<= (legal b wait) (not chooses_b) (not (true (step 1))))
(<= (legal b (dial ?k ?m ?n)) (true (step 1)) (six ?k) (digit ?m) (digit ?n))
(<= (next (left ?n)) (true (step ?n)) (does ?r left))
(<= (next (left ?n)) (true (left ?n)))
(<= terminal (true (step 14))) (<= every {every})
(<= (goal ?r 100) (role ?r) every) (<= (goal ?r 50) (role ?r) (not every))
"""


def test_what_was_found_below_a_node_that_is_removed_is_not_forgotten() -> None:
    """The evaluation hopes for much after one and two moves, and for little later, which a search soon finds out.

    There is room for one of two wide nodes when room is made, and so the other one is made anew again and again.
    """
    net = network(wide_game())
    game = Game.from_propnet(net)
    weights = EvaluationWeights(
        (),
        np.zeros((1, game.state_bits + 1, 2), np.float32),
        np.zeros((1, game.state_bits + 1, 0), np.float32),
        np.zeros((1, 0, 2), np.float32),
    )
    for step in range(1, 14):
        of_a = 3.0 if step < 3 else -3.0
        weights.linear[0, net.propositions.index(f"(step {step})")] = of_a, -of_a
    search = guided(wide_game(), evaluation=Evaluation(weights), memory_bytes=1 << 16)
    search.run(playouts=100)
    for _ in range(200):
        search.run(playouts=1)
        assert search.root_moves(0).values.max() < 30
    assert search.stats().recycled > 100


def in_huge_pages() -> int:
    """Bytes of this process's memory that huge pages were asked for."""
    path, size, total = Path("/proc/self/smaps"), 0, 0
    for line in path.read_text().splitlines() if path.exists() else ():
        if line.startswith("Size:"):
            size = int(line.split()[1]) << 10
        elif line.startswith("VmFlags:") and "hg" in line.split():
            total += size
    return total


def test_the_memory_of_a_tree_is_in_huge_pages() -> None:
    """A tree grows with every leaf, and small pages are slow to make."""
    before = in_huge_pages()
    with mmap.mmap(-1, 1 << 22) as probe:
        if hasattr(mmap, "MADV_HUGEPAGE"):
            probe.madvise(mmap.MADV_HUGEPAGE)
        if in_huge_pages() == before:
            pytest.skip("this system has none, or does not say where")
    before = in_huge_pages()
    search = guided("tic_tac_toe", memory_bytes=1 << 26)
    assert in_huge_pages() - before > 1 << 25
    assert search.stats().memory_bytes == 1 << 26


def test_too_little_memory_for_a_root_is_an_error() -> None:
    with pytest.raises(NativeError, match="memory_bytes"):
        guided("breakthrough", memory_bytes=1000)


def narrow_game() -> str:
    """Twenty times a role sets a bit or does not: its nodes are as small as any."""
    follows = "".join(f"(follows {n} {n + 1})" for n in range(20))
    every = " ".join(f"(true (on {n}))" for n in range(20))
    return f"""
(role a) (init (step 0)) {follows}
(legal a skip) (legal a set)
(<= (next (step ?m)) (true (step ?n)) (follows ?n ?m))
(<= (next (on ?n)) (does a set) (true (step ?n)))
(<= (next (on ?n)) (true (on ?n)))
(<= terminal (true (step 20)))
(<= every {every})
(<= (goal a 0) every)
(<= (goal a 50) (not every))
"""


@pytest.mark.parametrize("memory_bytes", [100_000, 130_000, 131_072, 140_000])
def test_a_tree_of_small_nodes_goes_on_when_it_is_full(memory_bytes: int) -> None:
    search = guided(narrow_game(), memory_bytes=memory_bytes)
    for runs in range(1, 6):
        search.run(playouts=2_000)
        assert search.stats().iterations >= runs * 2_000
    assert search.stats().recycled > 0


# What b takes is the same to b, but not to a.
INDIFFERENT = """
(role a) (role b) (init (step 0)) (follows 0 1) (follows 1 2)
(<= (next (step ?m)) (true (step ?n)) (follows ?n ?m))
(<= (legal a left) (true (step 0)))
(<= (legal a right) (true (step 0)))
(<= (legal b noop) (true (step 0)))
(<= (legal b x) (true (step 1)))
(<= (legal b y) (true (step 1)))
(<= (legal a noop) (true (step 1)))
(<= (next left) (does a left))
(<= (next left) (true left))
(<= (next x) (does b x))
(<= terminal (true (step 2)))
(goal b 20)
(<= (goal a 100) (true left) (true x))
(<= (goal a 90) (true left) (not (true x)))
(<= (goal a 80) (not (true left)))
"""


@pytest.mark.parametrize("threads", [1, 2])
def test_ends_that_leave_a_node_open_count_with_their_goals(threads: int) -> None:
    net, search = network(INDIFFERENT), guided(INDIFFERENT, threads=threads)
    search.run(playouts=2_000)
    known = search.root_moves(0)
    values = {net.moves[0][move]: float(value) for move, value in zip(known.moves, known.values, strict=True)}
    assert 90 <= values["left"] <= 100
    assert values["right"] == 80
    assert net.moves[0][known.moves[known.best]] == "left"
    assert search.stats().nodes == 3  # none for an end


# After x, b wins at once or goes on; after y the game is over.
THREATENED = """
(role a) (role b) (role c) (init (step 0))
(follows 0 1) (follows 1 2) (follows 2 3) (follows 3 4) (follows 4 5) (follows 5 6) (follows 6 7) (follows 7 8)
(follows 8 9) (follows 9 10) (follows 10 11) (follows 11 12)
(<= (next (step ?m)) (true (step ?n)) (follows ?n ?m))
(<= (legal a x) (true (step 0)))
(<= (legal a y) (true (step 0)))
(<= (legal b win) (true (step 1)))
(<= (legal b on) (true (step 1)))
(<= later (true (step ?n)) (distinct ?n 0) (distinct ?n 1))
(<= (legal c left) later)
(<= (legal c right) later)
(<= (legal a noop) (not (true (step 0))))
(<= (legal b noop) (not (true (step 1))))
(<= (legal c noop) (not later))
(<= (next y) (does a y))
(<= (next won) (does b win))
(<= (next (turned ?n)) (does c left) (true (step ?n)))
(<= (next (turned ?n)) (true (turned ?n)))
(<= kept (follows ?n ?m) (distinct ?n 0) (distinct ?n 1) (not (true (turned ?n))))
(<= terminal (true y))
(<= terminal (true won))
(<= terminal (true (step 12)))
(<= (goal a 20) (true y))
(<= (goal a 0) (true won))
(<= (goal a 50) (not (true y)) (not (true won)))
(<= (goal b 100) (true won))
(<= (goal b 50) (not (true won)))
(<= (goal c 0) (true won))
(<= (goal c 50) (not (true won)) kept)
(<= (goal c 60) (not (true won)) (not kept))
"""


@pytest.mark.parametrize("threads", [1, 2])
def test_what_a_role_would_not_do_as_it_can_win_counts_for_nothing(threads: int) -> None:
    net, search = network(THREATENED), guided(THREATENED, threads=threads)
    search.run(playouts=1_000)
    known = search.root_moves(0)
    values = {net.moves[0][move]: float(value) for move, value in zip(known.moves, known.values, strict=True)}
    assert values["y"] == 20
    assert values["x"] < 5
    assert net.moves[0][known.moves[known.best]] == "y"


# After x b wins at once or goes on; after y the game goes on. What c does has no end soon.
CHALLENGED = (
    THREATENED.replace("(<= terminal (true y))", "")
    .replace("(legal b win) (true (step 1))", "(legal b win) (true (step 1)) (not (true y))")
    .replace("(legal b on) (true (step 1))", "(legal b on) (true (step 1)) (not (true y))")
    .replace(
        "(legal b noop) (not (true (step 1))))", "(legal b noop) (not (true (step 1)))) (<= (legal b noop) (true y))"
    )
)


@pytest.mark.parametrize("threads", [1, 2])
def test_nobody_looks_at_moves_that_a_role_will_not_make_as_it_can_win(threads: int) -> None:
    """Every leaf is below y, but for the position after x, however often that is visited."""
    net, search = network(CHALLENGED), guided(CHALLENGED, threads=threads)
    search.run(playouts=400)
    known = search.root_moves(0)
    visits = {net.moves[0][move]: count for move, count in zip(known.moves, known.visits.tolist(), strict=True)}
    assert visits["x"] > 5
    assert 0 < search.stats().nodes - 2 <= visits["y"]  # the root and the position after x


# From the second state on there is more to choose from than a small tree has room for.
GROWING = """
(role a) (init (step 0)) (follows 0 1) (follows 1 2)
(digit 0) (digit 1) (digit 2) (digit 3) (digit 4) (digit 5) (digit 6) (digit 7) (digit 8) (digit 9)
(<= (next (step ?m)) (true (step ?n)) (follows ?n ?m))
(<= (legal a left) (true (step 0)))
(<= (legal a right) (true (step 0)))
(<= (legal a (dial ?a ?b ?c ?d)) (true (step 1)) (digit ?a) (digit ?b) (digit ?c) (digit ?d))
(<= terminal (true (step 2)))
(goal a 50)
"""


def test_a_root_that_there_is_no_room_for_is_refused_and_the_old_one_kept() -> None:
    search = guided(GROWING, memory_bytes=1 << 17)
    state = successor(network(GROWING), search.game.initial, ["left"])
    for _ in range(2):
        with pytest.raises(NativeError, match="memory_bytes"):
            search.set_root(state)
        search.run(playouts=10)
        assert search.stats().nodes == 1
        assert not search.stats().solved
        assert len(search.root_moves(0).moves) == 2
        assert len(search.expected_line()) == 1


def test_the_tree_is_kept_from_turn_to_turn() -> None:
    search = guided("breakthrough")
    search.run(playouts=5_000)
    known, line = search.root_moves(0), search.expected_line(1)
    search.set_root(Simulator(search.game, 64).next(search.game.initial, line)[0])
    assert 0 < search.stats().root_visits <= known.visits.max()


def test_what_it_needs_is_told() -> None:
    with pytest.raises(NativeError, match="needs an evaluation"):
        guided("breakthrough", evaluation=None)
    with pytest.raises(NativeError, match="another game"):
        guided("breakthrough", evaluation=ignorant(Game.from_propnet(network("nim"))))


def test_a_puzzle_is_solved() -> None:
    search = guided("lights_out")
    search.run(playouts=100_000)
    assert search.root_moves(0).values.max() == 100


@pytest.mark.parametrize("threads", [1, 2])
def test_what_was_proven_of_ends_that_agreed_is_withdrawn_when_one_does_not(threads: int) -> None:
    net, search = network(WANDERING), guided(WANDERING, threads=threads)
    dare: list[int] = []
    for _ in range(100):
        search.run(playouts=100)
        dare.append(proven_goals(net, 0, search)["dare"])
    assert 0 in dare
    assert dare[-1] == -1
    assert proven_goals(net, 0, search)["wander"] == 50


# Both ways a gets 50; they differ for the others.
EITHER = """
(role a) (role b) (role c) (init (turn a))
(<= (legal a (help ?r)) (true (turn a)) (other ?r))
(<= (legal ?r wait) (other ?r) (true (turn a)))
(other b) (other c)
(<= (next (helped ?r)) (does a (help ?r)))
(<= terminal (not (true (turn a))))
(goal a 50)
(<= (goal ?r 100) (true (helped ?r)))
(<= (goal ?r 0) (other ?r) (not (true (helped ?r))))
"""

# One move wins at once; what else there is nobody knows before long.
RACE = f"""
(role a) (role b) (role c) (init (at 0))
(digit 1) (digit 2) (digit 3) (digit 4) (digit 5) (digit 6) (digit 7) (digit 8) (digit 9)
(follows 0 1) (follows 1 2) (follows 2 3) (follows 3 4) (follows 4 5) (follows 5 6) (follows 6 7) (follows 7 8)
(<= (legal a win) (true (at 0)))
(<= (legal a (name ?d)) (digit ?d) (true (at ?n)))
(legal b wait) (legal c wait)
(<= (next won) (does a win))
(<= (next (at ?m)) (does a (name ?d)) (true (at ?n)) (follows ?n ?m))
(<= (next (named ?n ?d)) (does a (name ?d)) (true (at ?n)))
(<= (next (named ?n ?d)) (true (named ?n ?d)))
(<= terminal (true won)) (<= terminal (true (at 8)))
(<= (goal a 100) (true won)) (<= (goal a 30) (not (true won)))
(<= odd {" ".join(f"(true (named {n} 2))" for n in range(8))})
(<= (goal b 90) odd) (<= (goal b 40) (not odd)) (goal c 60)
"""


@pytest.mark.parametrize("sheet", [EITHER, RACE])
def test_a_root_is_solved_when_it_is_proven_what_to_play(sheet: str) -> None:
    """Even where that says nothing about the other roles' goals, or about the other moves."""
    search = guided(sheet)
    search.run(playouts=2_000)
    assert search.stats().solved
    known = search.root_moves(0)
    assert known.proven[known.best] == known.proven.max() >= 50
