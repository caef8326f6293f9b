"""TPS and PTN: what is written is read again, and each fault has a message that tells its place."""

from __future__ import annotations

import random

import pytest

from ludens.games.tak.notation.ptn import read_move, write_move
from ludens.games.tak.notation.ptn_game import read_game, write_game
from ludens.games.tak.notation.tps import read_tps, write_tps
from ludens.games.tak.rules.legality import broken_rule
from ludens.games.tak.rules.parameters import Kind, Move, Placement, Spread, TakError, TakRules
from ludens.games.tak.rules.reference import Position, Stack, after, first_position, legal_moves, outcome

GAME = """[Date "2015.11.21"]
[Size "5"]
[Player1 "A"]
[Player2 "B"]
[Komi "1.5"]

{a comment, with 1. a1 in it}
1. a1 e5 2. b1 Sd4 3. Cc1 d5?!
4. c1< {capstone walks} d4+' 5. b1+ 2d5>
"""


def random_game(size: int, seed: int, plies: int) -> tuple[list[Position], list[Move]]:
    rng = random.Random(seed)
    positions = [first_position(TakRules(size, half_komi=4))]
    moves: list[Move] = []
    while len(moves) < plies and (legal := legal_moves(positions[-1])):
        spreads = [move for move in legal if isinstance(move, Spread)]
        moves.append(rng.choice(spreads if spreads and rng.random() < 0.4 else legal))
        positions.append(after(positions[-1], moves[-1]))
    return positions, moves


@pytest.mark.parametrize("size", list(range(3, 9)))
def test_positions_and_games_are_read_as_they_were_written(size: int) -> None:
    positions, moves = random_game(size, size, 60)
    for position in positions:
        assert read_tps(write_tps(position), half_komi=4) == position
    game = read_game(write_game(positions, moves, ("one", "two")))
    assert game.positions == tuple(positions) and game.moves == tuple(moves)
    assert game.tags["Player2"] == "two" and game.tags["Komi"] == "2"
    later = read_game(write_game(positions[21:], moves[21:]))
    assert later.positions == tuple(positions[21:]) and later.moves == tuple(moves[21:])


@pytest.mark.parametrize("size", [3, 5, 8])
def test_each_legal_move_has_a_text_of_its_own(size: int) -> None:
    positions, _ = random_game(size, 7, 50)
    for position in positions[::7]:
        legal = legal_moves(position)
        texts = [write_move(position.rules, move) for move in legal]
        assert len(set(texts)) == len(legal)
        assert [read_move(position, text) for text in texts] == legal


def test_a_game_with_comments_remarks_and_komi() -> None:
    game = read_game(GAME)
    assert len(game.moves) == 10 and game.positions[0].rules == TakRules(5, half_komi=3)
    assert game.tags["Date"] == "2015.11.21" and game.result == ""
    assert write_tps(game.positions[-1]) == "x4,122S/x5/x5/x,1C,x3/2,1,x3 1 6"


def test_moves_by_hand() -> None:
    rules = TakRules(5)
    assert write_move(rules, Placement(7, Kind.WALL)) == "Sc2"
    assert write_move(rules, Spread(rules.square("c3"), 3, (1, 2))) == "3c3>12"
    assert write_move(rules, Spread(rules.square("a1"), 0, (1,))) == "a1+"
    mine = read_tps("x5/x5/x2,121C,x,2S/x5/2,x4 1 7")
    flattened = after(mine, read_move(mine, "3c3>21C*"))
    assert flattened.board[rules.square("e3")] == Stack((1, 0), Kind.CAPSTONE)


@pytest.mark.parametrize(
    ("moves", "result"), [("a1 c3 c1 a3 c2", "R-0"), ("a1 c3 c1 a2 b3 a3", "0-R"), ("a1 c3 Sb2 a3", "")]
)
def test_the_result_is_told(moves: str, result: str) -> None:
    positions = [first_position(TakRules(3))]
    made = []
    for word in moves.split():
        made.append(read_move(positions[-1], word))
        positions.append(after(positions[-1], made[-1]))
    assert outcome(positions[-1]) is None or result
    assert read_game(write_game(positions, made)).result == result


TPS_FAULTS = {
    "": "column 1: a board is missing",
    "x5/x5/x5/x5/x5": "column 15: who is to move is missing",
    "x5/x5/x5/x5/x5 1": "column 17: the number of the move is missing",
    "x5/x5/x5/x5/x5 1 1 1": "column 20: '1' stands behind the number of the move",
    "x5/x5/x5/x5/x5 1 1}": "column 18: '1}' is no number of a move",
    "x2/x2 1 1": "column 1: the board has 2 ranks: there is no Tak of size 2",
    "x9/" * 9 + "x9 1 1": "column 1: the board has 10 ranks",
    "x5/x5/x4/x5/x5 1 1": "column 7: 'x4' has 4 squares",
    "x5/x5/x5,1/x5/x5 1 1": "column 7: 'x5,1' has 6 squares",
    "x5/x5/x5//x5 1 1": "column 10: '' is no square",
    "x5/x5/x0,x5/x5/x5 1 1": "column 7: 'x0' is no square",
    "x5/x5/x2,1CS,x2/x5/x5 1 3": "column 10: '1CS' is no square: a wall or a capstone is the top piece",
    "x5/x5/x2,1C1,x2/x5/x5 1 3": "column 10: '1C1' is no square: a wall or a capstone is the top piece",
    "x5/x5/x2,2S11,x2/x5/x5 1 3": "column 10: '2S11' is no square: a wall or a capstone is the top piece",
    "x5/x5/x2,13,x2/x5/x5 1 3": "column 10: '13' is no square: such are",
    "x5/x5/x2,S,x2/x5/x5 1 3": "column 10: 'S' is no square: such are",
    "x5/x5/x2,1s,x2/x5/x5 1 3": "column 10: '1s' is no square: such are",
    "x5/x5/x5/x5/x5 3 1": "column 16: '3' is to move",
    "x5/x5/x5/x5/x5 w 1": "column 16: 'w' is to move",
    "x5/x5/x5/x5/x5 1 0": "column 18: '0' is no number of a move",
    "x5/x5/x5/x5/x5 1 five": "column 18: 'five' is no number of a move",
    "x5/x5/x5/x5/x5 1 -1": "column 18: '-1' is no number of a move",
    "x5/x5/x5/x5/x5 1 10000": "column 18: '10000' is no number of a move",
    "x5/x5/x5/x5/x5 \u0661 1": r"column 16: '\u0661' is to move",
    "x5/x5/x5/x5/x5 1 \uff11": r"column 18: '\uff11' is no number of a move",
    "x5/x5/x5/x5/x\uff15 1 1": r"column 13: 'x\uff15' is no square",
    "x3/x3/1C,x2 1 9": "column 7: with this stack player 1 has more than the 0 capstones of size 3",
    "1C,x4/x5/x5/x5/x4,2221C 1 9": "column 19: with this stack player 1 has more than the 1 capstones of size 5",
    "x3/x3/11111111111,x2 1 99": "column 7: with this stack player 1 has more than the 10 flats and walls of size 3",
    "22222,x2/x3/22222,x,2S 1 99": "column 21: with this stack player 2 has more than the 10 flats and walls of size 3",
    "x5/x5/x5/x5/1,2,1,x2 1 2": "column 24: these pieces, 3, cannot be on the board after 2 moves",
    "x5/x5/x5/x5/1,x4 2 1": "column 20: these pieces, 1, cannot be on the board after 1 move,",
    "x5/x5/x5/x5/x5 1 7": "column 18: these pieces, 0, cannot be on the board after 12 moves",
    "x5/x5/x5/x5/1,x4 2 1 ": "column 20: these pieces, 1, cannot be on the board after 1 move,",
    "x5/x5/x5/x5/1,2S,x3 1 7": "column 23: these pieces, 2, cannot be on the board after 12 moves",
    "x5/x5/x5/x5/x5," + "1" * 3_000_000 + " 1 7": "column 13: 'x5,1111",
    "x,/" * 1_000_000: "who is to move is missing",
    "x5/x5/x5/x5/x5 1 " + "9" * 1_000_000: "column 18: '9999",
    "\0\udcff" * 100_000 + " 1 1": "column 1: the board has 1 rank",
}
PTN_FAULTS = {
    "": "line 1, column 1: the size of the board is missing",
    "1. a1 e5": "line 1, column 1: the size of the board is missing",
    '[Size "9"]\n1. a1': "line 1, column 1: there is no Tak of size 9",
    '[Date "x"] [Size "x"]\n1. a1': "line 1, column 12: 'x' is no size",
    '[Size "\u0665"]\n1. a1': r"line 1, column 1: '\u0665' is no size",
    '[Size "' + "5" * 1_000_000 + '"]': "line 1, column 1: '5555",
    '[Size "5"]\n[Size "5"]\n1. a1': "line 2, column 1: the tag 'Size' stands twice",
    '[Size "5"]\n[Komi "much"]\n1. a1': "line 2, column 1: 'much' is no komi",
    '[Size "5"]\n[Komi "\u0661"]\n1. a1': r"line 2, column 1: '\u0661' is no komi",
    '[Size "5"]\n[Komi "99"]\n1. a1': "line 2, column 1: ",
    '[Size "6"]\n[TPS "x3/x3/x3 1 1"]': "line 1, column 1: the size is '6'",
    '[Size "3"]\n[TPS "x3/x4/x3 1 1"]': "line 2, column 1: TPS, column 4: 'x4' has 4 squares",
    '[Size "5"\n1. a1': "line 1, column 1: this is no tag",
    '[Size "5"]\n1. a1 a1': "line 2, column 7: 'a1' is not legal: a1 is taken",
    '[Size "5"]\n1. a1 Se5': "line 2, column 7: 'Se5' is not legal: the first move of each player is a flat",
    '[Size "5"]\n1. a1 a1+': "column 7: 'a1+' is not legal: the first move of each player is a flat",
    '[Size "3"]\n1. a1 c3 2. Cb2': "column 13: 'Cb2' is not legal: there are no capstones on size 3",
    '[Size "5"]\n1. a1 e5 2. Cb2 b1 3. Cc3': "column 23: 'Cc3' is not legal: player 1 has no capstone left",
    '[Size "5"]\n1. a1 e5 2. e5> a2': "the edge is in the way",
    '[Size "5"]\n1. a1 e5 2. a1> a2': "the stack on a1 is not that of player 1",
    '[Size "5"]\n1. a1 e5 2. c1> a2': "there are no pieces on c1",
    '[Size "5"]\n1. a1 e5 2. 2e5- a2': "at most 1 can be taken from e5, where there are no more",
    '[TPS "x3/x3/111121,x,2 1 9"]\n9. 4a1+': "at most 3 can be taken from a1: that is the carry limit on size 3",
    '[TPS "x3/1S,x2/21,x,2 1 9"]\n9. 2a1+': "a wall is in the way, on a2: only a capstone by itself flattens it",
    '[TPS "x5/x5/x5/2C,x4/1C,x3,12 1 9"]\n9. a1+': "a capstone is in the way, on a2",
    '[TPS "x5/x5/x5/2S,x4/121C,x3,12 1 9"]\n9. 2a1+': "a wall is in the way, on a2",
    '[TPS "x5/x5/x5/x5/121C,x3,12 1 9"]\n9. a1+*': "'a1+*': no wall is flattened",
    '[TPS "x5/x5/x5/x5/121C,x3,12 1 9"]\n9. a1+S': "'a1+S': the top piece is no wall",
    '[Size "5"]\n1. a1 e5 2. 2e5-3 a2': "column 13: '2e5-3' takes up 2 and leaves 3",
    '[Size "5"]\n1. a1 e5 2. 3e5-11 a2': "column 13: '3e5-11' takes up 3 and leaves 2",
    '[Size "5"]\n1. a1 f5': "column 7: 'f5' is no square of a board of size 5",
    '[Size "5"]\n1. a1 z9': "column 7: 'z9' is no move in PTN",
    '[Size "5"]\n1. a1 \u00e95': r"column 7: '\xe95' is no move in PTN",
    '[Size "5"]\n1. a1 ' + "e" * 2_000_000: "column 7: 'eeeeeeeeee",
    '[Size "5"]\n1. a1 }': "column 7: '}' is no move in PTN",
    '[Size "5"]\n1. a1\n{never ends': "line 3, column 1: this comment does not end",
    '[Size "5"]\n' + "{}\n" * 500_000 + "{": "line 500002, column 1: this comment does not end",
    '[Size "5"]\n1. a1 e5 3. b1': "line 2, column 10: '3.' does not number the next move: that is 2. of player 1",
    '[Size "5"]\n1. a1 2. b1': "line 2, column 7: '2.' does not number the next move: that is 1... of player 2",
    '[Size "5"]\n1... a1': "line 2, column 1: '1...' does not number the next move: that is 1. of player 1",
    '[Size "5"]\n1. a1 1. b1': "line 2, column 7: '1.' does not number",
    '[Size "5"]\n1. -- a1': "line 2, column 4: -- stands only before the first move",
    '[TPS "x3/x3/x2,2 2 1"]\n1. a1': "player 2 begins: -- should stand for the move before",
    f'[Size "5"]\n{"9" * 10_000}. a1': "line 2, column 1: '9999",
    '[Size "5"]\n1. a1 R-0 e5': "column 11: 'e5' stands behind the result",
    '[Size "5"]\n1. a1 1-0 0-1': "column 11: '0-1' stands behind the result",
    '[Size "5"]\n1. a1 e5 0-R': "column 10: 0-R: nobody has won by a road after these moves",
    '[Size "5"]\n1. a1 e5 F-0': "column 10: F-0: nobody has won by flats after these moves",
    '[Size "5"]\n[Result "won"]\n1. a1 e5': "line 2, column 1: 'won' is no result",
    '[Size "5"]\n[Result "1-0"]\n1. a1 e5 0-1': "line 2, column 1: the game ends 0-1, and not 1-0",
    '[Size "3"]\n1. a1 c3 2. c1 a2 3. b3 a3 R-0': "line 2, column 28: the game ends 0-R, and not R-0",
    '[Size "3"]\n1. a1 c3 2. c1 a2 3. b3 a3 4. b2': "line 2, column 31: 'b2' is not legal: the game is over",
    '[Size "5"]\n1. a1 e5 2. b1 b2 ' + "3. b1+ b2+" * 30_000: "line 2",
    "\x00\x01\x02" * 100_000: "line 1, column 1: the size of the board is missing",
}


def named(text: str) -> str:
    """A short name for a test with a long text."""
    return text[:60] if text else "nothing"


@pytest.mark.parametrize("text", TPS_FAULTS, ids=named)
def test_faults_of_positions_are_told_with_their_column_and_rule(text: str) -> None:
    with pytest.raises(TakError) as error:
        read_tps(text)
    assert TPS_FAULTS[text] in str(error.value)
    assert str(error.value).startswith("TPS, column ") and len(str(error.value)) < 250 and str(error.value).isascii()


@pytest.mark.parametrize("text", PTN_FAULTS, ids=named)
def test_faults_of_games_are_told_with_their_place_and_rule(text: str) -> None:
    with pytest.raises(TakError) as error:
        read_game(text)
    assert PTN_FAULTS[text] in str(error.value)
    assert str(error.value).startswith("line ") and len(str(error.value)) < 250 and str(error.value).isascii()


def test_damaged_notation_is_read_or_refused_with_its_place() -> None:
    """Changes letters of a game and of a position at random: what is still read means the same when written again."""
    rng = random.Random(2)
    positions, moves = random_game(5, 1, 30)
    for _ in range(600):
        letters = list(write_game(positions, moves) if rng.random() < 0.5 else write_tps(rng.choice(positions)))
        is_game = letters[0] == "["
        for _ in range(rng.randint(1, 3)):
            at = rng.randrange(len(letters))
            letters[at] = rng.choice(["", letters[at] * 2, chr(rng.randrange(32, 127)), "\n", "\u2013", "1", "S", "x"])
        try:
            if is_game:
                game = read_game("".join(letters))
                assert read_game(write_game(game.positions, game.moves)).moves == game.moves
            else:
                position = read_tps("".join(letters), half_komi=4)
                assert read_tps(write_tps(position), half_komi=4) == position
        except TakError as error:
            assert str(error).startswith("line " if is_game else "TPS, column ")


@pytest.mark.parametrize("size", [3, 4, 6])
def test_the_rule_that_a_move_breaks_is_none_for_legal_moves_alone(size: int) -> None:
    positions, _ = random_game(size, 3 * size, 45)
    rules = positions[0].rules
    moves = [move for number in range(rules.move_count) if (move := rules.move(number)) is not None]
    for position in [*positions[:4], *positions[4::6], positions[-1]]:
        legal = set(legal_moves(position))
        for move in moves:
            assert (move in legal) == (not broken_rule(position, move)), (write_tps(position), move)


def test_a_long_game_is_read_up_to_the_highest_number_of_a_move() -> None:
    """Two players who step to and fro for ever."""
    text = '[Size "3"]\n1. a1 c3 ' + "".join(
        f"{n}. {('c3<', 'b3>')[n % 2]} {('a1>', 'b1<')[n % 2]} " for n in range(2, 10_001)
    )
    with pytest.raises(TakError, match=r"line 2, column \d+: a game has at most 9,999 moves"):
        read_game(text)


def test_players_with_quotes_and_line_breaks_are_written_so_that_they_can_be_read() -> None:
    positions, moves = random_game(4, 2, 6)
    game = read_game(write_game(positions, moves, ('a "b"\nc', "d]")))
    assert game.tags["Player1"] == "a 'b' c" and game.tags["Player2"] == "d]"


@pytest.mark.parametrize("number", ["1.", "01.", "1. --", "1..."])
def test_a_game_that_the_second_player_begins(number: str) -> None:
    text = f'[TPS "x3/x3/x2,2 2 1"]\n{number} a1 2. b1'
    if number.endswith("1."):
        with pytest.raises(TakError, match="-- should stand"):
            read_game(text)
    else:
        assert [write_move(TakRules(3), move) for move in read_game(text).moves] == ["a1", "b1"]
