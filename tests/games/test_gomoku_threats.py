"""Shapes, and proofs of wins by threats, against plain boards on which everything is tried."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

from ludens import games
from ludens.games.gomoku.rules import GomokuRules, native_game, pack
from ludens.native.core import Game, States, ThreatSearch, gomoku_shapes
from ludens.propnet.base.errors import NativeError
from ludens.propnet.compile.loader import load
from ludens.propnet.gdl.parser import parse_rules
from tests.support.gomoku_proofs import WAYS, Board, minimax, refutation, wins_by_fours


def board_of(rules: GomokuRules, cells: list[int]) -> Board:
    """The board after these moves by turns."""
    board = Board(rules.rows, rules.columns, rules.length, exact=rules.exact)
    for ply, cell in enumerate(cells):
        board.cells[cell] = ply % 2
    return board


def state_of(board: Board, side: int) -> States:
    stones = np.array([[each == owner for each in board.cells] for owner in (0, 1)])
    state: States = pack(stones[None], np.array([side == 1]))[0]
    return state


def quiet_moves(rules: GomokuRules, count: int, rng: random.Random) -> list[int]:
    """Random moves that complete no row, near the middle first, so that threats are many."""
    board, cells = board_of(rules, []), []
    for ply in range(count):
        moves = [cell for cell in board.empty() if not board.wins(cell, ply % 2)]
        if not moves:
            break
        near = [cell for cell in moves if all(abs(a - b) <= 2 for a, b in
                zip(divmod(cell, rules.columns), (rules.rows // 2, rules.columns // 2), strict=True))]  # fmt: skip
        cells.append(rng.choice(near or moves))
        board.cells[cells[-1]] = ply % 2
    return cells


def shapes_of_lines(length: int, exact: bool) -> Callable[[str, int], int]:
    """Returns a function from a line, such as "x..o", and a place with a new stone x to its shape."""

    def wins(line: str, place: int) -> bool:
        before, after = line[:place][::-1], line[place:]
        run = len(before) - len(before.lstrip("x")) + len(after) - len(after.lstrip("x"))
        return run == length if exact else run >= length

    @cache
    def shape(line: str, place: int, further: int) -> int:
        if wins(line, place):
            return 7
        if not further:
            return 0
        after = [shape(line[:i] + "x" + line[i + 1 :], place, further - 1) for i, c in enumerate(line) if c == "."]
        fives = after.count(7)
        if fives:
            return 6 if fives > 1 else 5
        return next((made for seen, made in ((6, 4), (5, 3), (4, 2), (3, 1)) if seen in after), 0)

    return lambda line, place: shape(line, place, 3)


SHAPED = [
    GomokuRules(7, 7, 5),
    GomokuRules(6, 8, 4),
    GomokuRules(5, 5, 3),
    GomokuRules(8, 8, 4, exact=True),
    GomokuRules(9, 9, 5, exact=True),
    GomokuRules(9, 3, 7),
]


@pytest.mark.parametrize("rules", SHAPED, ids=str)
def test_shapes_are_those_of_the_lines(rules: GomokuRules) -> None:
    rng = random.Random(rules.cells + rules.length)
    game, shape = native_game(rules), shapes_of_lines(rules.length, rules.exact)
    for _ in range(12):
        cells = rng.sample(range(rules.cells), rng.randrange(rules.cells))
        back = rng.randrange(len(cells) // 2 + 1)
        found = gomoku_shapes(game, cells, back=back)
        board = board_of(rules, cells[: len(cells) - back])
        for cell in board.empty():
            row, column = divmod(cell, rules.columns)
            for way, (down, right) in enumerate(WAYS):
                places = [(row + i * down, column + i * right) for i in range(-22, 23)]
                on = [r * rules.columns + c for r, c in places if 0 <= r < rules.rows and 0 <= c < rules.columns]
                for side in (0, 1):
                    marks = {side: "x", 1 - side: "o", None: "."}
                    line = "".join("x" if each == cell else marks[board.cells[each]] for each in on)
                    assert found[side, cell, way] == shape(line, on.index(cell)), (line, side, cell, way)


def test_shapes_set_at_once_are_those_made_move_by_move() -> None:
    rules = GomokuRules(15, 15, 5)
    game, rng = native_game(rules), random.Random(3)
    for count in (0, 1, 60, 150, 224):
        cells = rng.sample(range(225), count)
        state = state_of(board_of(rules, cells), count % 2)
        assert (gomoku_shapes(game, cells) == gomoku_shapes(game, state=state)).all()


SEARCHED = [
    (GomokuRules(7, 7, 5), range(8, 20)),
    (GomokuRules(6, 6, 4), range(4, 12)),
    (GomokuRules(6, 7, 4, exact=True), range(4, 14)),
    (GomokuRules(8, 8, 5, exact=True), range(8, 20)),
]


@pytest.mark.parametrize(("rules", "plies"), SEARCHED, ids=[str(case[0]) for case in SEARCHED])
def test_wins_by_fours_are_found_where_there_are_some(rules: GomokuRules, plies: range) -> None:
    rng, search, won = random.Random(7), ThreatSearch(native_game(rules)), 0
    for _ in range(25):
        cells = quiet_moves(rules, rng.choice(plies), rng)
        board, side = board_of(rules, cells), len(cells) % 2
        found = search.run(state_of(board, side), threes=False)
        assert found.verdict == ("won" if wins_by_fours(board, side) else "none")
        assert (found.proof is not None) == (found.verdict == "won")
        if found.proof:
            assert refutation(board, found.proof, side) == ""
            won += 1
    assert won > 0


@pytest.mark.parametrize(("rules", "plies"), SEARCHED, ids=[str(case[0]) for case in SEARCHED])
def test_proofs_by_threes_answer_every_move(rules: GomokuRules, plies: range) -> None:
    rng, search, by_threes = random.Random(8), ThreatSearch(native_game(rules)), 0
    for _ in range(25):
        cells = quiet_moves(rules, rng.choice(plies), rng)
        board, side = board_of(rules, cells), len(cells) % 2
        found = search.run(state_of(board, side), most_positions=3000)
        fours = search.run(state_of(board, side), threes=False)
        assert fours.verdict != "won" or found.verdict == "won"
        if found.proof:
            assert refutation(board, found.proof, side) == ""
            by_threes += fours.verdict != "won"
    assert by_threes > 0


@pytest.mark.parametrize(("rules", "plies"), SEARCHED, ids=[str(case[0]) for case in SEARCHED])
def test_proofs_hold_with_a_stone_where_it_does_not_matter(rules: GomokuRules, plies: range) -> None:
    rng, search, held = random.Random(12), ThreatSearch(native_game(rules)), 0
    for _ in range(25):
        cells = quiet_moves(rules, rng.choice(plies), rng)
        board, side = board_of(rules, cells), len(cells) % 2
        found = search.run(state_of(board, side), most_positions=3000)
        relevant = search.relevant().tolist()
        assert bool(relevant) == (found.proof is not None)
        for cell in board.empty():
            if found.proof and cell not in relevant and not board.wins(cell, 1 - side):
                board.cells[cell] = 1 - side
                assert refutation(board, found.proof, side) == ""
                board.cells[cell] = None
                held += 1
    assert held > 0


def test_proofs_that_are_not_asked_for_are_not_read() -> None:
    rules = GomokuRules(15, 15, 5)
    state = state_of(board_of(rules, [112, 0, 113, 1, 114, 2]), 0)
    found = ThreatSearch(native_game(rules)).run(state, with_proof=False)
    assert (found.verdict, found.proof) == ("won", None)


@pytest.mark.parametrize(
    "rules",
    [GomokuRules(4, 4, 3), GomokuRules(3, 5, 3), GomokuRules(4, 5, 4), GomokuRules(4, 4, 3, exact=True)],
    ids=str,
)
def test_what_is_won_by_threats_is_won(rules: GomokuRules) -> None:
    rng, search, won = random.Random(9), ThreatSearch(native_game(rules)), 0
    known: dict[tuple[int | None, ...], int] = {}
    for _ in range(60):
        cells = quiet_moves(rules, rng.randrange(rules.cells // 2, rules.cells), rng)
        board, side = board_of(rules, cells), len(cells) % 2
        found = search.run(state_of(board, side))
        if found.verdict == "won":
            won += 1
            assert minimax(board, side, known) == 1
    assert won > 0


def test_wins_that_take_more_threats_are_not_given_up_after_shorter_lines() -> None:
    """A line of fours that was found within a search leaves it open whether something was left out elsewhere."""
    rules = GomokuRules(15, 15, 5)
    board = board_of(rules, [])
    for side, cells in enumerate(([79, 81, 82, 96, 112, 141, 158], [66, 67, 94, 110, 114, 154])):
        for cell in cells:
            board.cells[cell] = side
    assert ThreatSearch(native_game(rules)).run(state_of(board, 1)).verdict == "won"


def test_what_was_found_before_changes_no_verdict() -> None:
    rules = GomokuRules(7, 7, 5)
    rng, search = random.Random(11), ThreatSearch(native_game(rules))
    for _ in range(40):
        cells = quiet_moves(rules, rng.randrange(8, 20), rng)
        state = state_of(board_of(rules, cells), len(cells) % 2)
        threes = rng.random() < 0.5
        alone = ThreatSearch(native_game(rules)).run(state, threes=threes, most_positions=100_000)
        for _ in range(2):
            again = search.run(state, threes=threes, most_positions=100_000)
            assert "unknown" in (alone.verdict, again.verdict) or again.verdict == alone.verdict


def test_a_search_ends_when_it_has_looked_at_enough() -> None:
    rules = GomokuRules(15, 15, 5)
    cells = [112, 0, 96, 14, 128, 210, 98, 224]
    found = ThreatSearch(native_game(rules)).run(state_of(board_of(rules, cells), 0), most_positions=0)
    assert (found.verdict, found.proof, found.positions) == ("unknown", None, 0)


def test_misuse_is_refused() -> None:
    rules = GomokuRules(5, 5, 3)
    game = native_game(rules)
    with pytest.raises(NativeError, match="the game is over"):
        ThreatSearch(game).run(state_of(board_of(rules, [0, 9, 1, 14, 2]), 1))
    with pytest.raises(NativeError, match="a stone can only be put on an empty cell"):
        gomoku_shapes(game, [3, 3])
    with pytest.raises(NativeError, match="more moves are taken back than were made"):
        gomoku_shapes(game, [3], back=2)
    with pytest.raises(NativeError, match="only games of gomoku on bitboards"):
        ThreatSearch(Game.from_propnet(load(parse_rules(games.read("nim")))))
