"""Reference policies of gomoku: at all sizes to the last cell, and against games that are tried move by move."""

from __future__ import annotations

import random
from types import SimpleNamespace

import numpy as np
import pytest

from ludens.games.gomoku.competition import PlayedGame, Turn, play_game, random_opening
from ludens.games.gomoku.policies import mcts
from ludens.games.gomoku.policies.mcts import MctsPolicy, play_randomly, score_of
from ludens.games.gomoku.policies.minimax import MinimaxPolicy, look_ahead
from ludens.games.gomoku.policies.policy import Policy, RandomPolicy
from ludens.games.gomoku.policies.table import NAMES, read_policy
from ludens.games.gomoku.policies.windows import candidates, double_threats, winning_cells
from ludens.games.gomoku.state import EMPTY, MAX, MIN, Action, GomokuState
from ludens.propnet.base.errors import LudensError

SIZES = [(size, length) for size in range(3, 23) for length in range(3, 8)]


def quick(name: str) -> Policy:
    settings = {"random": "", "mcts": ":iterations=6", "minimax": ":depth=1,width=3"}
    return read_policy(name + settings[name], seed=1)


def silent(first: Policy, second: Policy, size: int, win_size: int) -> PlayedGame:
    """A game of two policies from the blank board."""
    return play_game((first, second), GomokuState.blank(size, win_size), 1.0, lambda turn: None, ())


def without_rows(board_size: int, win_size: int, left: int, seed: int) -> GomokuState:
    """A position with so many empty cells in which nobody has a row, if moves that avoid rows lead there."""
    rng = random.Random(seed)
    state = GomokuState.blank(board_size, win_size)
    while state.empty_cells > left:
        free = np.flatnonzero(state.board[EMPTY]).tolist()
        quiet = sorted(set(free) - winning_cells(state, state.current_player))
        after = state.perform(divmod(rng.choice(quiet or free), board_size))
        if after.is_game_over:
            break
        state = after
    return state


@pytest.mark.parametrize(("board_size", "win_size"), SIZES)
def test_policies_play_on_to_the_last_cell_at_every_size(board_size: int, win_size: int) -> None:
    start = without_rows(board_size, win_size, left=6, seed=board_size)
    for first, second in (("mcts", "minimax"), ("minimax", "random"), ("random", "mcts")):
        told: list[Turn] = []
        played = play_game((quick(first), quick(second)), start, 1.0, told.append, ())
        assert played.state.is_game_over
        assert len(told) == len(played.actions)
        again = start.play_seq(played.actions, midgame=True)
        assert str(again) == str(played.state) == str(told[-1].state)


def test_some_games_of_policies_fill_the_board() -> None:
    full = 0
    for seed in range(25):
        start = without_rows(9, 6, left=2, seed=seed)
        played = play_game((quick("mcts"), quick("minimax")), start, 1.0, lambda turn: None, ())
        full += played.state.empty_cells == 0
        assert played.state.current_score == 0 or played.state.winner
    assert full > 5


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("board_size", "win_size"), [(1, 1), (1, 3), (2, 2), (3, 1), (3, 7), (22, 5)])
def test_policies_play_on_boards_of_odd_sizes(board_size: int, win_size: int, name: str) -> None:
    state = GomokuState.blank(board_size, win_size)
    state = state.perform(quick(name).choose(state, 0.01))
    if not state.is_game_over:
        assert quick(name).choose(state, 0.01) in state.valid_actions


@pytest.mark.parametrize("name", ["mcts", "minimax"])
@pytest.mark.parametrize("row", [0, 6, 14])
@pytest.mark.parametrize("turned", [False, True])
def test_policies_see_rows_along_edges_and_in_corners(row: int, turned: bool, name: str) -> None:
    actions = [(row, 0), (7, 7), (row, 1), (5, 5), (row, 2), (9, 3), (row, 3), (3, 10)]
    last = (row, 4)
    if turned:
        actions, last = [(c, r) for r, c in actions], (4, row)
    assert quick(name).choose(GomokuState.blank().play_seq(actions), 1.0) == last
    assert quick(name).choose(GomokuState.blank().play_seq(actions[:-1]), 1.0) == last


def positions(seed: int, count: int) -> list[GomokuState]:
    """Positions in the middle of random games on small boards."""
    rng = random.Random(seed)
    found: list[GomokuState] = []
    while len(found) < count:
        size = rng.randint(3, 6)
        state = GomokuState.blank(size, rng.randint(3, min(size, 5)))
        actions = list(state.valid_actions)
        rng.shuffle(actions)
        for action in actions[: rng.randrange(size * size)]:
            if not state.is_game_over:
                state = state.perform(action)
        if not state.is_game_over:
            found.append(state)
    return found


def completing(state: GomokuState, player: int) -> set[Action]:
    """The actions that complete a row of a player, each tried on a board of its own."""
    found = set()
    for action in state.valid_actions:
        board = state.board.copy()
        board[(EMPTY, *action)], board[(player, *action)] = 0, 1
        size, length = state.board_size, state.win_size
        text = board[player]
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
            for row, column in np.ndindex(size, size):
                places = [(row + i * down, column + i * right) for i in range(length)]
                if all(0 <= r < size and 0 <= c < size and text[r, c] for r, c in places):
                    found.add(action)
    return found


def test_winning_cells_are_those_that_complete_a_row() -> None:
    seen = 0
    for state in positions(1, 150):
        for player in (MIN, MAX):
            cells = {divmod(cell, state.board_size) for cell in winning_cells(state, player)}
            assert cells == completing(state, player)
            seen += len(cells)
    assert seen > 50


def test_double_threats_leave_several_cells_to_complete_a_row() -> None:
    seen = 0
    for state in positions(2, 40):
        player = state.current_player
        if winning_cells(state, player):
            continue
        threats = double_threats(state, player)
        for action in state.valid_actions:
            after = state.perform(action)
            cell = action[0] * state.board_size + action[1]
            left = {r * state.board_size + c for r, c in completing(after, player)}
            assert (threats.get(cell, set()) == left) or (len(left) < 2 and cell not in threats)
            seen += cell in threats
    assert seen > 8


def worth(state: GomokuState, known: dict[bytes, int]) -> int:
    """The score of the game for max, with the best play of both, by trying everything."""
    if state.is_game_over:
        return state.current_score
    key = state.board.tobytes()
    if key not in known:
        scores = (worth(state.perform(action), known) for action in state.valid_actions)
        known[key] = max(scores) if state.current_player == MAX else min(scores)
    return known[key]


def endings(seed: int, count: int) -> list[GomokuState]:
    found = [state for state in positions(seed, 20 * count) if state.empty_cells <= 6]
    return found[:count]


def test_looking_ahead_on_winning_patterns_says_what_trying_everything_does() -> None:
    known_ahead = 0
    for state in endings(3, 60):
        ahead = look_ahead(state)
        if ahead is not None:
            sign = 1 if state.current_player == MAX else -1
            assert ahead == sign * worth(state, {})
            known_ahead += 1
    assert known_ahead > 20


def test_deep_minimax_keeps_the_value_of_endings() -> None:
    for state in endings(4, 40):
        action = MinimaxPolicy(depth=9, width=36).choose(state, 1.0)
        assert np.sign(worth(state.perform(action), {})) == np.sign(worth(state, {}))


def test_minimax_searches_no_deeper_than_there_are_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    depths: list[int] = []
    search = MinimaxPolicy._search_root

    def counted(policy: MinimaxPolicy, state: GomokuState, actions: list[Action], depth: int, rest: None) -> object:
        depths.append(depth)
        return search(policy, state, actions, depth, rest)

    monkeypatch.setattr(MinimaxPolicy, "_search_root", counted)
    MinimaxPolicy(depth=100).choose(without_rows(5, 5, left=3, seed=7), 1.0)
    assert depths == [1, 2, 3]


def test_the_candidates_hold_a_best_action() -> None:
    for state in endings(5, 60):
        best = worth(state, {})
        found = [divmod(cell, state.board_size) for cell in candidates(state)]
        values = [worth(state.perform(action), {}) for action in found]
        assert np.sign(best) in np.sign(values)


def by_steps(state: GomokuState, order: np.ndarray) -> float:
    """The result of a random game that is played step by step: cells in an order, unless a row can be completed."""
    cells = np.flatnonzero(state.board[EMPTY])
    queue = cells[np.argsort(order)].tolist()
    for cell in queue:
        wins = winning_cells(state, state.current_player)
        state = state.perform(divmod(min(wins) if wins else cell, state.board_size))
        if state.is_game_over:
            break
    return score_of(state)


def test_random_games_that_are_drawn_at_once_end_as_those_played_by_steps() -> None:
    rng = np.random.default_rng(6)
    results = []
    for state in positions(6, 400):
        order = rng.permutation(state.empty_cells)
        fixed = SimpleNamespace(permutation=lambda count, order=order: order)
        results.append(play_randomly(state, fixed))  # type: ignore[arg-type]
        assert results[-1] == by_steps(state, order)
    assert min(sum(np.sign(results) == sign) for sign in (-1, 0, 1)) > 20


def test_search_beats_random_play() -> None:
    for name in ("mcts:iterations=60", "minimax:depth=2"):
        won = 0
        for seed in range(10):
            first, second = read_policy(name, seed), RandomPolicy(seed)
            side = seed % 2
            played = silent(second, first, 7, 4) if side else silent(first, second, 7, 4)
            won += played.state.winner == (MAX if side == 0 else MIN)
        assert won >= 9


def test_nobody_beats_minimax_at_noughts_and_crosses() -> None:
    for seed in range(12):
        first, second = MinimaxPolicy(depth=9), MctsPolicy(seed, iterations=30)
        played = silent(second, first, 3, 3) if seed % 2 else silent(first, second, 3, 3)
        assert played.state.winner in (EMPTY, MAX if seed % 2 == 0 else MIN)


def test_a_tree_grows_no_further_than_it_may_within_a_move(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcts, "_MOST_NODES", 40)
    policy, state = MctsPolicy(1, iterations=100), GomokuState.blank(5, 4)
    for _ in range(5):
        state = state.perform(policy.choose(state, 1.0))
        assert 0 < len(policy._nodes) <= 40


def test_a_move_that_begins_with_memory_nearly_full_still_grows_a_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcts, "_MOST_NODES", 40)
    policy, state = MctsPolicy(1, iterations=38), GomokuState.blank(7, 4).perform((0, 0))
    policy.choose(state, 1.0)
    assert 30 < len(policy._nodes) < 40
    state = GomokuState.blank(3, 3).perform((1, 1))
    policy.choose(state, 1.0)
    depths = [state.empty_cells - kept.state.empty_cells for kept in policy._nodes.values()]
    assert max(depths) > 1


def test_the_same_seed_plays_the_same_game() -> None:
    games = [silent(read_policy("mcts:iterations=20", 5), RandomPolicy(5), 6, 4).actions for _ in range(2)]
    assert games[0] == games[1]


def test_a_policy_whose_time_is_over_still_moves() -> None:
    state = random_opening(GomokuState.blank(), 4, seed=1)
    at = GomokuState.blank().play_seq(state)
    for name in NAMES:
        assert read_policy(name, 1).choose(at, 0.0) in at.valid_actions


def test_openings_are_the_same_for_a_seed_and_never_end_a_game() -> None:
    start = GomokuState.blank(5, 3)
    assert random_opening(start, 6, 1) == random_opening(start, 6, 1)
    for seed in range(50):
        assert not start.play_seq(random_opening(start, 24, seed)).is_game_over


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("minmax", "there is no policy 'minmax'; did you mean minimax"),
        ("mcts:iteration=4", "mcts has no setting 'iteration'; did you mean iterations"),
        ("mcts:iterations=many", "iterations must be a whole number of at least 0, not 'many'"),
        ("mcts:exploration=nan", "exploration must be a number of at least 0, not 'nan'"),
        ("minimax:depth=-1", "depth must be a whole number of at least 0, not '-1'"),
        ("minimax:width=0", "width must be a whole number of at least 1, not '0'"),
    ],
)
def test_policies_that_make_no_sense_are_refused(text: str, message: str) -> None:
    with pytest.raises(LudensError, match=message.replace("?", r"\?")):
        read_policy(text, 1)
