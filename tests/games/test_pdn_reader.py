"""Games in PDN are read with all that people write into them, and followed ply by ply."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from ludens.games.checkers.notation.pdn import Ply
from ludens.games.checkers.notation.pdn_follower import PdnFollower
from ludens.games.checkers.notation.pdn_reader import PdnError, read_game

GAME = """[Event "A \\"small\\" cup"]
[Black "Ann"]
[White "Ben"]
[GameType "21"]

1. 11-15! {a comment 9-14} 22-18 2. 15x22 (2. 8-11 {a variation (nested)} 26-22) 25x18 $4
3. 8-11 29-25 ; the rest of the line 1-5
4. 4x11x18 1/2-1/2

[Event "the next one"]
1. 9-13 *
"""


def follower(text: str, plies: dict[str, tuple[int, ...]]) -> PdnFollower:
    """What follows a game whose only role has these moves over numbered squares."""

    def ply(joint: Sequence[str]) -> Ply | None:
        path = plies.get(joint[0])
        return None if path is None else Ply(0, path, abs(path[0] - path[-1]) > 5)

    return PdnFollower(read_game(text), ("Ann", "Ben"), ply, lambda square: square)


def test_tags_moves_and_result_of_the_first_game_are_read() -> None:
    game = read_game(GAME)
    assert game.tags == {"Event": 'A "small" cup', "Black": "Ann", "White": "Ben", "GameType": "21"}
    assert [move.text for move in game.moves] == ["11-15", "22-18", "15x22", "25x18", "8-11", "29-25", "4x11x18"]
    assert [move.jump for move in game.moves] == [False, False, True, True, False, False, True]
    assert game.moves[-1].squares == (4, 11, 18)
    assert game.result == "1/2-1/2"


class Uncut(str):
    """A text of which no part is copied."""

    __slots__ = ()

    def __getitem__(self, _part: object) -> str:
        raise AssertionError("a part was copied")


def test_reading_copies_no_rest_of_the_text_again_and_again() -> None:
    assert read_game(Uncut(GAME)) == read_game(GAME)


def test_a_star_behind_a_move_says_that_it_was_forced_and_one_that_stands_apart_ends_the_game() -> None:
    game = read_game("1. 11-15* 22-18!* 2. 15x22* 25x18 *")
    assert [move.text for move in game.moves] == ["11-15", "22-18", "15x22", "25x18"]
    assert game.result == "*"
    assert not read_game("1. 11-15*").result


@pytest.mark.parametrize("result", ["0.5-0.5", "1/2-1/2", "1-1"])
def test_a_draw_is_read_in_all_spellings(result: str) -> None:
    game = read_game(f"1. 11-15 22-18 {result} 2. 15x22")
    assert [move.text for move in game.moves] == ["11-15", "22-18"]
    assert game.result == result


@pytest.mark.parametrize("capture", ["15x22", "15X22", "15:22"])
def test_a_capture_is_read_in_all_spellings(capture: str) -> None:
    (move,) = read_game(f"1. {capture} *").moves
    assert (move.text, move.squares, move.jump) == (capture, (15, 22), True)


def test_a_text_that_is_cut_is_read_as_far_as_it_goes() -> None:
    game = read_game(GAME[: GAME.index("25x18") + 3])
    assert [move.text for move in game.moves] == ["11-15", "22-18", "15x22"]
    assert not game.result


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "neither tags nor moves"),
        ("1. 11-15 Nf3 2. 8-11 *", "line 1: 'Nf3'"),
        ('[GameType "20"]\n1. 32-28 *', "type 20"),
        ('[FEN "B:W18:B4"]\n1. 4-8 *', "FEN"),
    ],
)
def test_what_is_not_understood_is_refused_with_a_reason(text: str, reason: str) -> None:
    with pytest.raises(PdnError, match=reason):
        read_game(text)


def test_a_capture_is_followed_whether_the_rules_make_it_one_ply_or_several() -> None:
    ways: list[dict[str, tuple[int, ...]]] = [{"whole": (4, 11, 18)}, {"first": (4, 11), "second": (11, 18)}]
    for plies in ways:
        following = follower("1. 4x11x18 *", plies)
        made = [following.next([list(plies)]) for _ in plies]
        assert made == [(name,) for name in plies]
        assert following.next([list(plies)]) is None
        assert following.ends


def test_a_capture_may_be_written_by_its_ends_alone() -> None:
    following = follower("1. 4x18 *", {"whole": (4, 11, 18), "other": (4, 12)})
    assert following.next([["whole", "other"]]) == ("whole",)


def test_a_chain_of_captures_may_be_written_by_its_ends_where_each_is_a_ply() -> None:
    following = follower("1. 22x6 *", {"first": (22, 15), "step": (22, 18), "other": (9, 13), "second": (15, 6)})
    assert following.next([["first", "step", "other"]]) == ("first",)
    assert following.next([["second"]]) == ("second",)
    assert following.next([["other"]]) is None
    with pytest.raises(PdnError, match="22x6 fits several"):
        follower("1. 22x6 *", {"a": (22, 15), "b": (22, 13)}).next([["a", "b"]])


def test_a_number_that_is_too_long_for_a_square_is_told() -> None:
    with pytest.raises(PdnError, match="is no move in PDN"):
        read_game("1. " + "9" * 5000 + "-1 *")


def test_a_move_that_is_not_legal_or_fits_several_is_refused() -> None:
    with pytest.raises(PdnError, match="move 1: 9-13 is no legal move"):
        follower("1. 9-13 *", {"other": (4, 8)}).next([["other"]])
    with pytest.raises(PdnError, match="4x18 fits several"):
        follower("1. 4x18 *", {"a": (4, 11, 18), "b": (4, 12, 18)}).next([["a", "b"]])
