"""What a person types in a match: numbers, words, abbreviations and orders."""

from __future__ import annotations

import pytest

from ludens.agent.commands.choice_of_move import Order, UnclearChoiceError, completions, matching, read_choice

DROPS = [f"(drop {column})" for column in range(1, 8)]
STEPS = ["(move a2 a3)", "(move b2 b3)", "(move b2 a3)", "(promote b7 b8 queen)", "resign"]


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("(drop 4)", "(drop 4)"),
        ("drop 4", "(drop 4)"),
        ("  DROP   4 ", "(drop 4)"),
        ("d 4", "(drop 4)"),
        ("3", "(drop 3)"),
        ("undo", Order.UNDO),
        ("?", Order.HELP),
    ],
)
def test_a_move_is_named_by_words_beginnings_or_its_number(text: str, meant: str) -> None:
    assert read_choice(text, DROPS) == meant


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("r", "resign"),
        ("a2 a3", "(move a2 a3)"),
        ("b2 a", "(move b2 a3)"),
        ("q", "(promote b7 b8 queen)"),
        ("4", STEPS[3]),
    ],
)
def test_words_may_be_left_out_where_one_move_fits(text: str, meant: str) -> None:
    assert read_choice(text, STEPS) == meant


def test_a_move_whose_words_are_a_number_counts_before_the_number_in_the_list() -> None:
    assert read_choice("2", ["3", "2", "1"]) == "2"


def test_what_fits_several_moves_is_refused_with_their_names() -> None:
    with pytest.raises(UnclearChoiceError, match=r"'b2' may be move b2 b3, move b2 a3"):
        read_choice("b2", STEPS)


@pytest.mark.parametrize("text", ["drip 4", "8", "0", "drop 4 4", ""])
def test_what_fits_no_move_is_refused(text: str) -> None:
    with pytest.raises(UnclearChoiceError):
        read_choice(text, DROPS)


def test_completion_offers_moves_and_orders_that_begin_so() -> None:
    assert list(completions("drop ", DROPS[:2])) == ["drop 1", "drop 2"]
    assert list(completions("un", DROPS)) == ["undo"]
    assert len(list(completions("", DROPS))) == len(DROPS) + len(Order)


def test_moves_are_listed_by_parts_of_them() -> None:
    assert matching("b2", STEPS) == STEPS[1:3]
    assert matching("", STEPS) == STEPS
