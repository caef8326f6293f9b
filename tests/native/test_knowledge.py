"""What endgame tables tell searches: nothing wrong under rules with limits, and enough to win what is won."""

from __future__ import annotations

import os
import random
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from ludens import games
from ludens.games.checkers.bitboards import endgame_tables
from ludens.games.checkers.bitboards.endgame_tables import endgame_knowledge, open_endgame, table_limit, table_path
from ludens.games.checkers.bitboards.native_game import native_game, pack
from ludens.games.checkers.rules.parameters import UP, CheckersRules, Forcing, Jumps, even_goals, goal_table
from ludens.games.checkers.rules.positions import Positions
from ludens.games.checkers.rules.reference import Position
from ludens.native.core import EndgameTable, Evaluation, EvaluationWeights, Game, Knowledge, Search, Simulator, States
from ludens.native.kernels.kernel_search import KernelSearch
from ludens.propnet.base.errors import NativeError
from tests.support.draughts_positions import random_position
from tests.support.kernels import Instant
from tests.support.solved_draughts import solve

BY_PLIES = CheckersRules(jumps=Jumps.BY_PLIES)
TEN = replace(BY_PLIES, idle_limit=10)
STRATEGIES = ("uct", "guided", "alphabeta", "kernel", "uct with a solver")
Solved = list[tuple[Position, int]]


def _states(positions: Iterable[Position]) -> States:
    return pack(Positions.of(list(positions)))


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[int, int], EndgameTable]:
    directory = tmp_path_factory.mktemp("tables")
    sizes = ((4, 0), (3, 0), (2, 10), (3, 10), (3, 20))
    return {(n, limit): open_endgame(n, limit, directory=directory) for n, limit in sizes}


@pytest.fixture(scope="module")
def solved() -> Solved:
    """English draughts with draws after 10 idle plies, by brute force: all of 2 pieces, and some of 3."""
    text = games.read("english_draughts").replace("(true (idle 40))", "(true (idle 10))")
    rng = random.Random(9)
    starts = [random_position(2, rng) for _ in range(3000)]
    starts += [Position(1 << rng.randrange(24, 28) | 1 << 9, 1 << s, 1 << 9 | 1 << s) for s in (11, 20, 30)]
    return solve(text, starts)


def _goals(position: Position, value: int) -> list[int]:
    up = value if position.turn == UP else -value
    return [50 + 50 * up, 50 - 50 * up]


def _alive(game: Game, found: Solved) -> tuple[States, list[list[int]]]:
    """Those whose game goes on, and the goals of perfect play."""
    states = _states(position for position, _ in found)
    going = ~Simulator(game).terminal(states)
    return states[going], [_goals(*found[i]) for i in np.flatnonzero(going)]


# ---- What is proven --------------------------------------------------------------------------------------------


def test_with_the_limit_of_the_rules_everything_is_known(
    tables: dict[tuple[int, int], EndgameTable], solved: Solved
) -> None:
    game = native_game(TEN)
    states, goals = _alive(game, solved)
    found, distances = Knowledge(game, tables[3, 10]).find(states)
    assert distances.min() >= 0
    assert found.tolist() == goals
    assert min(goals.count(g) for g in ([0, 100], [50, 50], [100, 0])) > 1000


def test_a_table_without_a_limit_claims_nothing_wrong(
    tables: dict[tuple[int, int], EndgameTable], solved: Solved
) -> None:
    game = native_game(TEN)
    states, goals = _alive(game, solved)
    found, distances = Knowledge(game, tables[4, 0]).find(states)
    known = distances >= 0
    assert np.array_equal(found[known], np.array(goals)[known])
    assert known.sum() > 10_000
    assert (~known).sum() > 1000


def test_in_the_midst_of_a_chain_the_best_way_on_counts(tables: dict[tuple[int, int], EndgameTable]) -> None:
    game = native_game(BY_PLIES)
    knowledge = Knowledge(game, tables[4, 0])
    simulator = Simulator(game, seed=2)
    rng = random.Random(4)
    met = 0
    for state in _states(random_position(4, rng) for _ in range(3000)):
        if simulator.terminal(state)[0]:
            continue
        for child in _children(simulator, state):
            if child[1] >> np.uint64(33) & np.uint64(63) == 0 or simulator.terminal(child)[0]:
                continue
            mover = int(child[1] >> np.uint64(32) & np.uint64(1))
            after = _children(simulator, child)
            over = simulator.terminal(after)
            goals = np.where(over[:, None], simulator.goals(after), knowledge.find(after)[0])
            assert knowledge.find(child)[0][0, mover] == goals[:, mover].max()
            met += 1
    assert met > 20


def _children(simulator: Simulator, state: States) -> States:
    legal = simulator.legal(state)
    joints = [[a, b] for a in np.flatnonzero(legal[0][0]) for b in np.flatnonzero(legal[1][0])]
    return simulator.next(np.tile(state, (len(joints), 1)), np.array(joints, np.int32))


def test_near_the_end_of_all_games_only_what_fits_is_known(tables: dict[tuple[int, int], EndgameTable]) -> None:
    """Against minimax over the plies that are left, without tables."""
    rules = replace(BY_PLIES, step_limit=100)
    game = native_game(rules)
    knowledge = Knowledge(game, tables[3, 0])
    simulator = Simulator(game, seed=2)
    rng = random.Random(6)
    decided = unknown = 0
    for _ in range(400):
        left = rng.randrange(1, 5)
        state = _states([replace(random_position(3, rng), step=100 - left)])[0]
        if simulator.terminal(state)[0]:
            continue
        goals, distance = (rows[0] for rows in knowledge.find(state))
        unknown += int(distance < 0)
        if distance >= 0:
            decided += int(goals[0] != 50)
            assert goals[0] == _minimax(simulator, state)
    assert decided > 20
    assert unknown > 20


@pytest.mark.parametrize("left", [2, 3, 4, 6, 8])
def test_a_chain_that_forks_is_a_draw_if_one_way_is_and_the_other_may_be_lost(
    left: int, tables: dict[tuple[int, int], EndgameTable]
) -> None:
    """Near the end of all games, where losses may come too late: what is known of a state is known of a child."""
    game = native_game(replace(BY_PLIES, step_limit=100))
    knowledge, simulator = Knowledge(game, tables[4, 0]), Simulator(game)
    search = _search(game, "uct", knowledge)
    late = drawn = 0
    for state in _states(replace(fork, step=100 - left) for fork in _forks()):
        after = [_children(simulator, child) for child in _children(simulator, state)]
        goals, distances = knowledge.find(np.concatenate([state[None], *after]))
        if distances[0] >= 0:
            search.set_root(state)
            assert search.stats().solved
            late += int((distances[1:] < 0).any())
            drawn += int(goals[0, 0] == 50)
            assert left > 3 or goals[0, 0] == _minimax(simulator, state)
    assert late > 10
    assert drawn > 50


def _forks() -> Iterator[Position]:
    """Kings of which one captures another, and then one of two."""
    for start in range(32):
        for way, first, landing in _leaps(start):
            arms = [victim for way_on, victim, _ in _leaps(landing) if way_on != 3 - way]
            for one, other in combinations(arms, 2):
                down = 1 << first | 1 << one | 1 << other
                yield Position(1 << start, down, 1 << start | down)


def _leaps(square: int) -> Iterator[tuple[int, int, int]]:
    """The directions of jumps, the squares that are jumped, and where a piece lands."""
    for way in range(4):
        victim = BY_PLIES.neighbour(square, way)
        landing = None if victim is None else BY_PLIES.neighbour(victim, way)
        if victim is not None and landing is not None:
            yield way, victim, landing


def _minimax(simulator: Simulator, state: States) -> int:
    """The goal of the side that moves up."""
    if simulator.terminal(state)[0]:
        return int(simulator.goals(state)[0, 0])
    values = [_minimax(simulator, child) for child in _children(simulator, state)]
    return min(values) if state[1] >> np.uint64(32) & np.uint64(1) else max(values)


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"goals": goal_table(lambda up, down: (50 + up - down, 50 - up + down))}, "count pieces"),
        ({"forcing": Forcing.NONE}, "English draughts"),
        ({"jumps": Jumps.ONE}, "English draughts"),
        ({"width": 6}, "English draughts"),
        ({"wrap_files": True}, "English draughts"),
        ({"kings": False}, "English draughts"),
        ({"stuck_either": True}, "English draughts"),
        ({"stuck_goals": None}, "loses"),
        ({"stuck_goals": (100, 0)}, "loses"),
        ({"stuck_goals": (50, 50)}, "loses"),
    ],
)
def test_games_of_which_a_table_knows_nothing_are_refused(
    tables: dict[tuple[int, int], EndgameTable], change: dict[str, object], fault: str
) -> None:
    game = native_game(replace(BY_PLIES, **change))  # type: ignore[arg-type]
    with pytest.raises(NativeError, match=fault):
        Knowledge(game, tables[3, 0])


def test_a_table_of_another_limit_is_refused(tables: dict[tuple[int, int], EndgameTable]) -> None:
    with pytest.raises(NativeError, match="limit of 20 plies"):
        Knowledge(native_game(TEN), tables[3, 20])


# ---- Files -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("limits", "expected"),
    [({}, 0), ({"idle_limit": 40}, 40), ({"idle_limit": 200}, 0), ({"idle_limit": 40, "step_limit": 100}, 0)],
)
def test_the_table_is_chosen_by_the_limits_of_the_rules(limits: dict[str, int], expected: int) -> None:
    assert table_limit(replace(BY_PLIES, **limits)) == expected  # type: ignore[arg-type]


def test_a_damaged_file_is_built_again_before_it_is_believed(tmp_path: Path) -> None:
    told: list[str] = []
    states = _states([random_position(3, random.Random(n)) for n in range(200)])
    expected = endgame_knowledge(TEN, 3, tell=told.append, directory=tmp_path).find(states)
    assert "building" in told[0]
    path = table_path(3, 10, tmp_path)
    data = bytearray(path.read_bytes())
    data[1000:3000] = bytes(2000)
    path.write_bytes(data)
    again = endgame_knowledge(TEN, 3, directory=tmp_path).find(states)
    assert np.array_equal(expected[0], again[0])
    assert np.array_equal(expected[1], again[1])


def test_a_table_that_takes_minutes_is_not_built_in_a_match(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The largest one that takes seconds is used, and the player told how to build the other."""
    monkeypatch.setattr(endgame_tables, "_QUICK_PIECES", 3)
    told = list[str]()
    found = endgame_knowledge(TEN, 5, tell=told.append, directory=tmp_path)
    assert "ludens endgame --pieces 5 --limit 10" in told[0] and "tables of 3 pieces" in told[-1]
    assert [path.name for path in tmp_path.iterdir()] == [table_path(3, 10).name]
    states = _states([random_position(3, random.Random(n)) for n in range(200)])
    expected = endgame_knowledge(TEN, 3, directory=tmp_path).find(states)
    assert all(np.array_equal(*each) for each in zip(found.find(states), expected, strict=True))


def test_a_large_table_is_neither_verified_nor_built_again_in_a_match(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(endgame_tables, "build_file", lambda *_: pytest.fail("it is built"))
    path, size = table_path(5, 10, tmp_path), EndgameTable.size(5)
    header = endgame_tables._header(5, 10, size, bytes(32))
    with path.open("wb") as file:
        file.write(header)
        file.truncate(len(header) + size)
    endgame_knowledge(TEN, 5, directory=tmp_path)
    os.truncate(path, size)
    told = list[str]()
    monkeypatch.undo()
    monkeypatch.setattr(endgame_tables, "_QUICK_PIECES", 2)
    endgame_knowledge(TEN, 5, tell=told.append, directory=tmp_path)
    assert "wrong size; build them first: ludens endgame --pieces 5 --limit 10" in told[0]


def test_no_table_is_built_for_a_game_of_which_it_knows_nothing(tmp_path: Path) -> None:
    counts = replace(BY_PLIES, goals=goal_table(lambda up, down: (50 + up - down, 50 - up + down)))
    with pytest.raises(NativeError, match="count pieces"):
        endgame_knowledge(counts, 3, directory=tmp_path)
    assert not list(tmp_path.iterdir())


# ---- Searches --------------------------------------------------------------------------------------------------


def _search(game: Game, strategy: str, knowledge: Knowledge | None) -> Search | KernelSearch:
    """The search of a strategy; `kernel` is UCT whose random games are played elsewhere, and tell nothing."""
    strategy, _, solver = strategy.partition(" with a ")
    if strategy == "kernel":
        return KernelSearch(game, Instant(), games=1, knowledge=knowledge, lanes=64, memory_bytes=1 << 24, seed=3)
    bits = game.state_bits + 1
    shapes = (1, bits, 2), (1, bits, 0), (1, 0, 2)
    blank = Evaluation(EvaluationWeights((), *(np.zeros(shape, np.float32) for shape in shapes)))
    evaluation = blank if strategy == "guided" else None
    return Search(
        game,
        strategy=strategy,
        knowledge=knowledge,
        evaluation=evaluation,
        solver_share=0.5 if solver else 0.0,
        lanes=64,
        memory_bytes=1 << 24,
        seed=3,
    )


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_what_follows_from_a_table_is_as_by_brute_force(
    strategy: str, tables: dict[tuple[int, int], EndgameTable], solved: Solved
) -> None:
    """Positions of 3 pieces, of which the search knows what becomes of 2."""
    game = native_game(TEN)
    values = dict(solved)
    search = _search(game, strategy, Knowledge(game, tables[2, 10]))
    three = [p for p, _ in solved if (p.up | p.down).bit_count() == 3 and p.idle < 10]
    rng = random.Random(1)
    proven = 0
    for position in rng.sample(three, 60):
        state = _states([position])[0]
        if Simulator(game).terminal(state)[0]:
            continue
        search.set_root(state)
        search.run(playouts=3000)
        known = search.root_moves(position.turn)
        if search.stats().solved and known.proven[known.best] >= 0:
            assert known.proven[known.best] == 50 + 50 * values[position]
            proven += 1
    assert proven > 20


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_known_root_is_answered_at_once(strategy: str, tables: dict[tuple[int, int], EndgameTable]) -> None:
    game = native_game(BY_PLIES)
    search = _search(game, strategy, Knowledge(game, tables[3, 0]))
    before = search.stats().playouts
    state = _states([Position(1 << 14 | 1 << 21, 1 << 31, 1 << 14 | 1 << 21 | 1 << 31)])[0]
    search.set_root(state)
    search.run()
    assert search.stats().solved
    assert search.stats().playouts == before
    assert search.root_moves(1).proven.tolist() == [0]
    assert len(search.expected_line(5)) == 5


@pytest.mark.parametrize(
    ("pieces", "limit", "strategy", "win"),
    [(3, 0, "uct", 100), (4, 0, "uct", 100), (3, 20, "alphabeta", 100), (3, 0, "uct", 40)],
)
def test_what_is_won_is_won_in_time_against_the_longest_resistance(
    pieces: int, limit: int, strategy: str, win: int, tables: dict[tuple[int, int], EndgameTable]
) -> None:
    """Without a limit as fast as the table says, chains counting once; with one, before the counter is full."""
    rules = replace(BY_PLIES, idle_limit=limit, stuck_goals=(0, win), goals=even_goals(win // 2))
    game = native_game(rules)
    knowledge = Knowledge(game, tables[pieces, limit])
    simulator = Simulator(game)
    search = _search(game, strategy, knowledge)
    rng = random.Random(5)
    played = longest = 0
    while played < 15:
        state = _states([random_position(pieces, rng)])[0]
        if simulator.terminal(state)[0]:
            continue
        goals, distance = (rows[0] for rows in knowledge.find(state))
        if goals[0] == goals[1] or (distance < 9 and not limit):
            continue
        plies, winner = 0, int(goals.argmax())
        while not simulator.terminal(state)[0]:
            turn = state[1] >> np.uint64(32) & np.uint64(1)
            search.set_root(state)
            search.run(playouts=10)
            assert search.stats().solved
            known = [search.root_moves(role) for role in (0, 1)]
            state = simulator.next(state, np.array([k.moves[k.best] for k in known], np.int32)).reshape(-1)
            plies += int(state[1] >> np.uint64(32) & np.uint64(1) != turn)
            assert plies < 300
        assert simulator.goals(state)[0, winner] == win
        if not limit:
            assert plies == distance
        played, longest = played + 1, max(longest, plies)
    assert longest > 20


def test_near_its_tables_a_solver_takes_over(tables: dict[tuple[int, int], EndgameTable]) -> None:
    """Random games of kings last far too long for a solver to be tried without tables."""
    game = native_game(BY_PLIES)
    knowledge = Knowledge(game, tables[4, 0])
    state = _states([Position(0x24002, 0x5, 0x20007, turn=1)])[0]
    assert Simulator(game, seed=1).playouts(200, state=state).mean_length > 20

    def solved(knowledge: Knowledge | None, share: float) -> bool:
        search = Search(game, knowledge=knowledge, solver_share=share, lanes=64, memory_bytes=1 << 24, seed=3)
        search.set_root(state)
        search.run(playouts=20_000)
        return search.stats().solved

    assert solved(knowledge, 0.9)
    assert not solved(knowledge, 0.0)
    assert not solved(None, 0.9)


def test_far_from_its_tables_the_search_is_as_it_was(tables: dict[tuple[int, int], EndgameTable]) -> None:
    game = native_game(BY_PLIES)
    knowledge = Knowledge(game, tables[3, 0])

    def visits(share: float) -> list[int]:
        search = Search(game, knowledge=knowledge, solver_share=share, memory_bytes=1 << 24, seed=3)
        search.run(playouts=3000)
        return list(search.root_moves(0).visits)

    assert visits(0.0) == visits(0.5)


def test_alphabeta_takes_what_it_cannot_see_the_end_of_as_the_evaluation_says() -> None:
    """One that counts pieces, after a capture that cannot be answered."""
    game = native_game(BY_PLIES)
    weights = np.zeros((1, game.state_bits + 1, 2), np.float32)
    weights[0, :32], weights[0, 32:64] = (0.2, -0.2), (-0.2, 0.2)
    blank = np.zeros((1, game.state_bits + 1, 0), np.float32), np.zeros((1, 0, 2), np.float32)
    evaluation = Evaluation(EvaluationWeights((), weights, *blank))
    state = _states([Position(1 << 9 | 1, 1 << 13 | 1 << 31, 0)])[0]
    search = Search(game, strategy="alphabeta", evaluation=evaluation)
    search.set_root(state)
    search.run(playouts=100)
    told = evaluation.values(_children(Simulator(game), state))[0, 0]
    assert told > 54
    assert search.root_moves(0).values.tolist() == pytest.approx([told], abs=0.1)
