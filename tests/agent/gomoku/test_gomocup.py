"""The Gomocup protocol: every command, what makes no sense, and limits of time and memory, without a process."""

from __future__ import annotations

import random
import time

import numpy as np
import pytest

from ludens.agent.commands.line_input import split_lines
from ludens.agent.gomoku.gomocup import Session
from ludens.agent.gomoku.strategies import StrategyPolicy, StrategySearch, read_strategy
from ludens.agent.gomoku.thinker import Thinker
from ludens.agent.gomoku.time_control import TimeControl
from ludens.agent.settings.errors import PlayerError
from ludens.games.gomoku.renju import forbidden
from ludens.games.gomoku.rules import Bools, GomokuRules
from ludens.games.gomoku.state import GomokuState
from ludens.games.gomoku.stones import BLACK, NEUTRAL, WHITE, Stones
from ludens.games.gomoku.variants import Variant, wins
from ludens.native.core import RootMoves
from tests.support.gomocup_manager import MOVE
from tests.support.waiting import PATIENCE, until

QUICK = "uct:iterations=64"


def session(player: str = QUICK, spare_mb: int = 16) -> Session:
    return Session(read_strategy(player), lambda limit: spare_mb)


def talk(*lines: str, to: Session | None = None) -> list[str]:
    """The answers to some lines."""
    brain = to or session()
    return [answer for line in lines for answer in brain.answer(line, time.monotonic())]


def is_move(text: str) -> bool:
    return MOVE.fullmatch(text) is not None


@pytest.fixture
def visits(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many visits the moves have after each search, as soon as there is one."""
    found = list[int]()
    run = StrategySearch.run

    def counted(search: StrategySearch, stones: Bools, second: bool, seconds: float | None) -> RootMoves:
        known = run(search, stones, second, seconds)
        found.append(int(known.visits.sum()))
        return known

    monkeypatch.setattr(StrategySearch, "run", counted)
    return found


def test_a_game_begins_in_the_middle_or_with_a_turn() -> None:
    assert talk("START 15", "BEGIN") == ["OK", "7,7"]
    assert talk("start 20", "begin") == ["OK", "10,10"]
    ok, move = talk("START 15", "TURN 7,7")
    assert ok == "OK"
    assert is_move(move)
    assert move != "7,7"


def test_boards_that_are_no_squares_have_columns_first() -> None:
    brain = session()
    assert talk("RECTSTART 20,5", "TURN 19,4", to=brain)[0] == "OK"
    assert talk("RECTSTART 20,5", "TURN 4,19") == ["OK", "ERROR '4,19' is not on the board of 20 x 5"]


def test_a_strategy_that_plays_only_on_another_core_is_refused() -> None:
    with pytest.raises(PlayerError, match="td does not search here: choose one of uct,"):
        read_strategy("td")


def test_a_small_tree_that_was_asked_for_is_searched() -> None:
    """What was not searched is worth 50."""
    player = read_strategy("uct:nodes_mb=1,iterations=2000,seed=1")
    thinker = Thinker(15, 15, Variant.FREE_STYLE, player, player.tree_mb)
    stones = Stones(15, 15)
    stones.cells[7 * 15 + 7] = BLACK
    found = thinker.choose(stones, WHITE, time.monotonic() + 600)
    assert found is not None and found.value != 50.0


def test_restart_empties_the_board() -> None:
    brain = session()
    talk("START 9", "BEGIN", "TURN 0,0", to=brain)
    assert talk("RESTART", "BEGIN", to=brain) == ["OK", "4,4"]


def test_a_position_is_set_up_and_answered() -> None:
    lines = ("START 15", "BOARD", "1,0,1", "5,5,2", "2,0,1", "5,6,2", "3,0,1", "5,7,2", "4,0,1", "9,9,2", "DONE")
    assert talk(*lines)[1] in ("0,0", "5,0")
    assert talk("START 15", "BOARD", "DONE") == ["OK", "7,7"]


def test_stones_are_taken_back() -> None:
    brain = session()
    talk("START 15", "BEGIN", "TURN 8,8", to=brain)
    assert talk("TAKEBACK 8,8", "TAKEBACK 8,8", to=brain) == ["OK", "ERROR there is no stone at 8,8"]
    assert is_move(talk("TURN 8,8", to=brain)[0])


def test_a_move_can_be_imposed() -> None:
    brain = session()
    assert talk("START 15", "PLAY 3,4", to=brain) == ["OK", "3,4"]
    assert talk("PLAY 3,4", to=brain) == ["ERROR there is a stone at 3,4 already"]
    assert is_move(talk("TURN 0,0", to=brain)[0])


def test_it_says_what_it_is() -> None:
    assert talk("ABOUT")[0].startswith('name="Ludens", version="')


def test_end_is_not_answered() -> None:
    assert talk("START 15", "BOARD", "7,7,1", "END") == ["OK"]


def test_settings_are_not_answered_and_unknown_ones_ignored() -> None:
    keys = ("timeout_turn 1000", "timeout_match 90000", "time_left 5000", "time_left -20", "max_memory 83886080")
    others = ("game_type 1", "rule 0", "folder /tmp/a b", "evaluate 3,4", "max_depth 9", "")
    assert talk("INFO timeout_turn 1", "START 15", *(f"INFO {key}" for key in (*keys, *others))) == ["OK"]


def test_the_opening_swap2() -> None:
    three = talk("START 15", "SWAP2BOARD", "DONE")[1].split(" ")
    assert len(set(three)) == 3
    assert all(map(is_move, three))
    for stones in (("7,7", "8,8", "9,9"), ("7,7", "8,8", "9,9", "1,1", "2,5")):
        answer = talk("START 15", "SWAP2BOARD", *stones, "DONE")[1]
        assert answer == "SWAP" or (is_move(answer) and answer not in stones)
    winning = ("7,7", "0,0", "8,7", "14,14", "9,7")  # an open three of black, which white has to answer
    assert talk("START 15", "SWAP2BOARD", *winning, "DONE", to=session("patterns:iterations=20000"))[1] == "SWAP"
    small = talk("RECTSTART 5,5", "SWAP2BOARD", "DONE")[1].split(" ")
    assert len(set(small)) == 3


def test_after_a_swap_the_game_goes_on() -> None:
    brain = session()
    answer = talk("START 15", "SWAP2BOARD", "7,7", "8,8", "9,9", "DONE", to=brain)[1]
    free = next(cell for cell in ("0,0", "0,1") if cell != answer)
    assert is_move(talk(f"TURN {free}", to=brain)[0])


@pytest.mark.parametrize(
    ("lines", "answer"),
    [
        (["TURN 7,7"], "ERROR START comes first"),
        (["BEGIN"], "ERROR START comes first"),
        (["RESTART"], "ERROR START comes first"),
        (["BOARD", "7,7,1", "DONE"], "ERROR START comes first"),
        (["SWAP2BOARD", "DONE"], "ERROR START comes first"),
        (["START"], "ERROR START takes the size of the board, not ''"),
        (["START fifteen"], "ERROR START takes the size of the board, not 'fifteen'"),
        (["START 4"], "ERROR a board has 5 to 22 rows and columns, not 4 x 4"),
        (["START 23"], "ERROR a board has 5 to 22 rows and columns, not 23 x 23"),
        (["START 99999999999999999999"], "ERROR START takes the size of the board, not '99999999999999999999'"),
        (["RECTSTART 15"], "ERROR RECTSTART takes columns,rows, not '15'"),
        (["RECTSTART 30,15"], "ERROR a board has 5 to 22 rows and columns, not 30 x 15"),
        (["START 15", "TURN"], "ERROR TURN takes x,y, not ''"),
        (["START 15", "TURN 7"], "ERROR TURN takes x,y, not '7'"),
        (["START 15", "TURN 7,7,7"], "ERROR TURN takes x,y, not '7,7,7'"),
        (["START 15", "TURN 15,0"], "ERROR '15,0' is not on the board of 15 x 15"),
        (["START 15", "TURN -1,0"], "ERROR '-1,0' is not on the board of 15 x 15"),
        (["START 15", "TURN ٣,٤"], "ERROR TURN takes x,y, not '\\u0663,\\u0664'"),
        (["START 15", "BEGIN now"], "ERROR nothing follows BEGIN, not 'now'"),
        (["START 15", "PLAY 1,1", "BEGIN"], "ERROR BEGIN is for an empty board: RESTART comes first"),
        (["START 15", "TAKEBACK 3,3"], "ERROR there is no stone at 3,3"),
        (["START 15", "BOARD", "7,7,1", "7,7,2", "DONE"], "ERROR BOARD has two stones at 7,7"),
        (["START 15", "BOARD", "7,7,4", "DONE"], "ERROR the owner in '7,7,4' must be 1, 2 or 3"),
        (["START 15", "BOARD", "7;7", "DONE"], "ERROR a line of BOARD is x,y,owner, not '7;7'"),
        (["START 15", "BOARD", "TURN 7,7", "DONE"], "ERROR a line of BOARD is x,y,owner, not 'TURN 7,7'"),
        (["START 15", "BOARD", "99,7,1", "DONE"], "ERROR '99,7,1' is not on the board of 15 x 15"),
        (
            ["START 15", "BOARD", "7,7,1", "DONE"],
            "ERROR it cannot be our turn with 1 stones of ours and 0 of the opponent",
        ),
        (
            ["START 15", "BOARD", "7,7,2", "8,7,2", "DONE"],
            "ERROR it cannot be our turn with 0 stones of ours and 2 of the opponent",
        ),
        (["START 15", "SWAP2BOARD", "7,7", "DONE"], "ERROR SWAP2BOARD has 0, 3 or 5 stones, not 1"),
        (["START 15", "SWAP2BOARD", "7,7", "7,7", "DONE"], "ERROR SWAP2BOARD has two stones at 7,7"),
        (["START 15", "SWAP2BOARD", "x", "DONE"], "ERROR a line of SWAP2BOARD is x,y, not 'x'"),
        (["INFO timeout_turn soon"], "ERROR INFO timeout_turn takes a whole number from 0 on, not 'soon'"),
        (["INFO max_memory -1"], "ERROR INFO max_memory takes a whole number from 0 on, not '-1'"),
        (["INFO rule 12"], "ERROR rule 12 is not known: 0, 1, 4 or 8, and 2 more for games that go on"),
        (["INFO rule 16"], "ERROR rule 16 is not known: 0, 1, 4 or 8, and 2 more for games that go on"),
        (["HELLO"], "UNKNOWN there is no command 'HELLO'"),
        (["\x00\x01\ufffd"], "UNKNOWN there is no command '\\x00\\x01\\ufffd'"),
        (["x" * 5000], f"UNKNOWN there is no command '{'x' * 40}\\u2026'"),
        (["END now please"], ""),
    ],
)
def test_what_makes_no_sense_is_answered_once(lines: list[str], answer: str) -> None:
    brain = session()
    if lines[0].startswith("START") and len(lines) > 1:
        assert talk(lines.pop(0), to=brain) == ["OK"]
    answers = talk(*lines, to=brain)
    assert [each for each in answers if not is_move(each)] == ([answer] if answer else [])
    assert "\n" not in "".join(answers)
    assert talk("START 15", "BEGIN", to=brain) == ["OK", "7,7"]  # and goes on as if nothing had been


def test_lines_without_words_are_not_answered() -> None:
    assert talk("", "   ", "\t") == []


def test_a_position_with_far_too_many_lines_is_refused() -> None:
    lines = [f"{number % 15},{number // 15 % 15},1" for number in range(5000)]
    assert talk("START 15", "BOARD", *lines, "DONE") == ["OK", "ERROR BOARD has more than 1000 lines"]


def test_no_free_cell_is_an_error() -> None:
    cells = [(x, y) for x in range(5) for y in range(5)]
    marks = [1 + ((x + 2 * y) // 2 % 2) for x, y in cells]
    assert {abs(2 * marks.count(1) - 25)} == {1}
    owners = marks if marks.count(1) < 13 else [3 - mark for mark in marks]
    lines = [f"{x},{y},{owner}" for (x, y), owner in zip(cells, owners, strict=True)]
    assert talk("START 5", "BOARD", *lines, "DONE") == ["OK", "ERROR there is no free cell"]


# ---- Rules -----------------------------------------------------------------------------------------------------------


def play_out(rule: int, variant: Variant, size: int, seed: int) -> int:
    """A game against random moves: the brain keeps to the rules until somebody wins; returns who, or 0."""
    rng = random.Random(seed)
    brain, stones, side = session(), Stones(size, size), BLACK
    assert talk(f"INFO rule {rule}", "INFO timeout_turn 0", f"START {size}", to=brain) == ["OK"]
    ours = rng.choice((BLACK, WHITE))
    command = "BEGIN"
    while stones.free:
        if side == ours:
            move = MOVE.fullmatch(talk(command, to=brain)[0])
            assert move, command
            cell = int(move[2]) * size + int(move[1])
        else:
            legal = [
                c for c in stones.free if variant is not Variant.RENJU or side == WHITE or not forbidden(stones, c)
            ]
            if not legal:
                return 0
            cell = rng.choice(legal)
            command = f"TURN {cell % size},{cell // size}"
        assert stones.cells[cell] == 0
        if variant is Variant.RENJU and side == BLACK:
            assert not forbidden(stones, cell)
        stones.cells[cell] = side
        if wins(stones, cell, variant):
            return side if side == ours else -side
        side = BLACK + WHITE - side
    return 0


@pytest.mark.parametrize(
    ("rule", "variant"),
    [(0, Variant.FREE_STYLE), (1, Variant.EXACT), (4, Variant.RENJU), (8, Variant.CARO), (2, Variant.FREE_STYLE)],
)
def test_games_under_every_rule(rule: int, variant: Variant) -> None:
    won = [play_out(rule, variant, size, seed) for seed, size in enumerate((9, 15, 11, 10, 6, 5))]
    assert sum(each > 0 for each in won) >= 4
    assert min(won) >= 0


def board_lines(text: str) -> tuple[str, ...]:
    """BOARD with our stones x, the opponent's o, and n for nobody's."""
    rows = text.split()
    owners = {"x": 1, "o": 2, "n": 3}
    placed = [(c, r, owners[mark]) for r, row in enumerate(rows) for c, mark in enumerate(row) if mark in owners]
    return (f"START {len(rows)}", "BOARD", *(f"{c},{r},{owner}" for c, r, owner in placed), "DONE")


def test_in_renju_black_keeps_off_forbidden_moves() -> None:
    six = board_lines("........o ..o...... ..o...... ......... ..xxx.xx. ......... ......... ......... o......o.")
    assert talk(*six)[1] == "5,4"  # in free style six are as good as five
    threes = board_lines("......... ....x.o.. ....x.... ..xx..... .o....o.. .......o. ......... ......... .........")
    for position, forbidden_move in ((six, "5,4"), (threes, "4,3")):
        brain = session("uct:iterations=2000")
        talk("INFO rule 4", to=brain)
        ok, move = talk(*position, to=brain)
        assert ok == "OK"
        assert is_move(move)
        assert move != forbidden_move


def test_in_caro_a_five_between_two_stones_of_the_other_does_not_win() -> None:
    position = board_lines("......... ......... oxxxx.o.. ......... ..xxxx... ......... .ooo..... ..o.o.... .o.......")
    assert talk(*position)[1] in ("5,2", "1,4", "6,4")
    brain = session()
    talk("INFO rule 8", to=brain)
    move = talk(*position, to=brain)[1]
    assert move in ("1,4", "6,4")


def test_in_games_that_go_on_stones_may_belong_to_nobody() -> None:
    brain = session()
    talk("INFO rule 2", to=brain)
    five = board_lines("nnnnn.... ......... ...o..... ....x.... ..n...... ......... ......... ......... .........")
    assert is_move(talk(*five, to=brain)[1])
    row = board_lines("xxxxx.... ooo.o.... ......... ......... ......... ......... ......... ......... .........")
    assert is_move(talk(*row, to=brain)[1])


@pytest.mark.parametrize(("first", "step"), [(0, 1), (0, 9), (0, 10), (8, 8)])
def test_rows_of_stones_of_nobody_do_not_end_the_game(first: int, step: int) -> None:
    """What was not searched is worth 50."""
    player = read_strategy("uct:nodes_mb=1,iterations=2000,seed=1")
    thinker = Thinker(9, 9, Variant.FREE_STYLE, player, player.tree_mb)
    stones = Stones(9, 9)
    stones.cells[first : first + 5 * step : step] = [NEUTRAL] * 5
    stones.cells[78], stones.cells[79] = BLACK, WHITE
    found = thinker.choose(stones, BLACK, time.monotonic() + PATIENCE)
    assert found is not None and found.value != 50.0


@pytest.mark.parametrize("rule", [0, 1])
def test_a_row_is_not_completed_by_a_stone_of_nobody(rule: int) -> None:
    """We would have five in a row with it; the four of the opponent has to be answered."""
    brain = session("uct:nodes_mb=16,iterations=2000,seed=1")
    talk(f"INFO rule {rule}", to=brain)
    rows = ["." * 15] * 15
    for row, stones in {0: "n", 1: ".x", 2: "..x", 3: "...x", 7: "..xoooo"}.items():
        rows[row] = stones.ljust(15, ".")
    assert talk(*board_lines(" ".join(rows)), to=brain)[1] == "7,7"


def test_in_games_that_go_on_it_is_our_turn_however_many_stones_there_are() -> None:
    """Both sides have four in a row that one stone makes five; we have two stones more."""
    brain = session()
    talk("INFO rule 2", to=brain)
    fours = board_lines("xxxx.o... ......... oooo.x... ......... ......... ......... x.......x ......... ........o")
    assert talk(*fours, to=brain)[1] == "4,0"
    assert is_move(talk("TURN 4,2", to=brain)[0])


def test_the_rule_may_change_in_the_middle_of_a_game() -> None:
    brain = session()
    talk("START 15", "BEGIN", "TURN 0,0", "INFO rule 1", to=brain)
    assert is_move(talk("TURN 1,1", to=brain)[0])


# ---- Time and memory -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("limits", "least", "most"),
    [
        (TimeControl(turn=0), 0, 0),
        (TimeControl(turn=0, match=0, left=9_000), 0, 0),
        (TimeControl(turn=100), 0.05, 0.1),
        (TimeControl(turn=1000), 0.9, 0.95),
        (TimeControl(turn=5000, match=0, left=2**31 - 1), 4.5, 5),
        (TimeControl(turn=5000, match=0, left=1000), 0.02, 0.05),
        (TimeControl(turn=5000, match=100_000, left=40_000), 1.5, 2),
        (TimeControl(turn=5000, match=20_000), 0.8, 1),
        (TimeControl(turn=5000, match=20_000, left=0), 0, 0),
        (TimeControl(turn=10, match=20_000, left=10), 0, 0.001),
    ],
)
def test_a_move_takes_less_than_every_limit(limits: TimeControl, least: float, most: float) -> None:
    assert least <= limits.seconds() <= most


def test_the_time_ends_a_search_before_its_iterations(visits: list[int]) -> None:
    """Where there is any time to search: a busy machine may have left none."""
    brain = session("uct:nodes_mb=16,iterations=100000000")
    talk("INFO timeout_turn 50", to=brain)

    def searched() -> bool:
        assert is_move(talk("START 15", "TURN 7,7", to=brain)[1])
        return bool(visits)

    until(searched)
    assert visits[0] < 100_000_000


def test_a_search_ends_with_its_iterations_before_its_time() -> None:
    blank, rules = np.zeros((2, 225), np.bool_), GomokuRules(15, 15, 5)
    for seconds in (PATIENCE, None):
        search = StrategySearch(rules, read_strategy("uct:nodes_mb=16,iterations=500,playouts_per_leaf=1"), 1)
        assert 400 < search.run(blank, False, seconds).visits.sum() < 1000


def test_a_policy_makes_all_its_iterations_in_any_time(visits: list[int]) -> None:
    for iterations in (0, 20_000):
        player = f"uct:nodes_mb=16,iterations={iterations},playouts_per_leaf=1"
        StrategyPolicy(player, read_strategy(player), 1).choose(GomokuState.blank(), 0.0)
    assert visits[0] < 10_000 < visits[1]


@pytest.mark.parametrize("memory_mb", [-100, 0, 7])
def test_without_memory_for_a_tree_moves_are_still_made(memory_mb: int) -> None:
    brain = session("uct", spare_mb=memory_mb)
    talk("INFO timeout_turn 600000000", "INFO max_memory 83886080", to=brain)
    move = talk("START 15", "TURN 7,7", to=brain)[1]
    assert is_move(move)


def test_moves_at_once_complete_rows_and_prevent_them() -> None:
    brain = session("uct")
    talk("INFO timeout_turn 0", to=brain)
    row = "......... .xxxx.... ......... .oooo.... ......... ......... ......... ......... ........."
    assert talk(*board_lines(row), to=brain)[1] in ("0,1", "5,1")
    row = "......... .xxx..x.. ......... .oooo.... ......... ......... ......... ......... ........."
    assert talk(*board_lines(row), to=brain)[1] in ("0,3", "5,3")
    row = "......... ......... ..xxx.... ......... ...ooo... ......... ......... ......... ........."
    assert talk(*board_lines(row), to=brain)[1] in ("1,2", "5,2")


# ---- Lines -----------------------------------------------------------------------------------------------------------


def test_lines_come_out_the_same_however_they_are_cut() -> None:
    data = b"START 15\r\nBEGIN\n\nTURN 1,2\r\n\xff\x00\r\rx\nEND"
    whole = [line.text for line in split_lines(iter([data]))]
    assert whole == ["START 15", "BEGIN", "", "TURN 1,2", "\ufffd\x00\r\rx", "END"]
    rng = random.Random(1)
    for _ in range(200):
        cuts = sorted(rng.sample(range(len(data)), rng.randrange(len(data))))
        chunks = [data[a:b] for a, b in zip([0, *cuts], [*cuts, len(data)], strict=True)]
        assert [line.text for line in split_lines(iter(filter(None, chunks)))] == whole


@pytest.mark.parametrize("chunk", [1000, 4096, 1 << 16, 1 << 21])
def test_a_line_that_is_too_long_is_one_line_and_takes_little_memory(chunk: int) -> None:
    data = b"a" * 1_000_000 + b"\r\nBEGIN\r\n" + b"b" * 5000
    lines = list(split_lines(iter([data[i : i + chunk] for i in range(0, len(data), chunk)])))
    assert [(line.text[:5], line.too_long) for line in lines] == [("aaaaa", True), ("BEGIN", False), ("bbbbb", True)]
    assert max(len(line.text) for line in lines) == 4096
