"""TPS and PTN: what is written is read again, and each fault has a message that tells its place."""

from __future__ import annotations

import random

import pytest

from ludens.games.tak.notation.ptn import read_game, read_move, write_game, write_move
from ludens.games.tak.notation.tps import read_tps, write_tps
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


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x5/x5/x5/x5/x5 1", "it needs a board"),
        ("x5/x5/x5/x5/x5 1 1 1", "it needs a board"),
        ("x2/x2 1 1", "size 2"),
        ("x5/x5/x4/x5/x5 1 1", "column 7: 'x4' has 4 squares"),
        ("x5/x5/x5,1/x5/x5 1 1", "column 7: 'x5,1' has 6 squares"),
        ("x5/x5/x5//x5 1 1", "column 10: '' is no square"),
        ("x5/x5/x2,1CS,x2/x5/x5 1 3", "column 10: '1CS' is no square"),
        ("x5/x5/x2,1C1,x2/x5/x5 1 3", "column 10: '1C1' is no square"),
        ("x5/x5/x2,13,x2/x5/x5 1 3", "column 10: '13' is no square"),
        ("x5/x5/x5/x5/x5 3 1", "column 16: '3' is to move"),
        ("x5/x5/x5/x5/x5 1 0", "column 18: '0' is no number of a move"),
        ("x5/x5/x5/x5/x5 1 five", "column 18: 'five' is no number of a move"),
        ("x3/x3/1C,x2 1 9", "player 1 has 1 capstones; on size 3 there are 0"),
        ("x3/x3/11111111111,x2 1 99", "player 1 has 11 flats; on size 3 there are 10"),
        ("x5/x5/x5/x5/1,2,1,x2 1 2", "these 3 pieces cannot be on the board after 2 moves"),
        ("x5/x5/x5/x5/1,x4 2 1", "these 1 pieces cannot be on the board after 1 moves"),
    ],
)
def test_faults_of_positions(text: str, message: str) -> None:
    with pytest.raises(TakError) as error:
        read_tps(text)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1. a1 e5", "the size of the board is missing"),
        ('[Size "9"]\n1. a1', "no Tak of size 9"),
        ('[Size "x"]\n1. a1', "'x' is no size"),
        ('[Size "5"]\n[Komi "much"]\n1. a1', "'much' is no komi"),
        ('[Size "6"]\n[TPS "x3/x3/x3 1 1"]', "the size is 6"),
        ('[Size "5"\n1. a1', "line 1: this is no tag"),
        ('[Size "5"]\n1. a1 a1', "line 2: 'a1' is not legal: a1 is taken"),
        ('[Size "5"]\n1. a1 Se5', "'Se5' is not legal: the first move of each player is a flat"),
        ('[Size "5"]\n1. a1 e5 2. e5> a2', "the edge is in the way"),
        ('[Size "5"]\n1. a1 e5 2. a1> a2', "the stack on a1 is not that of player 1"),
        ('[Size "5"]\n1. a1 e5 2. 2e5- a2', "at most 1 can be taken from e5"),
        ('[Size "5"]\n1. a1 e5 2. 2e5-3 a2', "takes up 2 and leaves 3"),
        ('[Size "5"]\n1. a1 f5', "'f5' is no square of a board of size 5"),
        ('[Size "5"]\n1. a1 z9', "'z9' is no move in PTN"),
        ('[Size "5"]\n1. a1\n{never ends', "line 3: this comment does not end"),
        ('[Size "5"]\n1. a1 R-0 e5', "'e5' stands behind the result"),
        ('[Size "3"]\n1. a1 c3 2. c1 a2 3. b3 a3 R-0', "the game ends 0-R, and not R-0"),
    ],
)
def test_faults_of_games(text: str, message: str) -> None:
    with pytest.raises(TakError) as error:
        read_game(text)
    assert message in str(error.value)
