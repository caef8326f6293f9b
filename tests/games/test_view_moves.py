"""Places to click for moves that name no place, learnt from what moves did in random games."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from ludens.games.view.find import find_view
from ludens.games.view.reader import CARDS, PositionReader
from ludens.games.view.sample import Sample, SampledState
from ludens.games.view.words import words
from ludens.propnet.gdl.syntax import RuleSheet

WALKS = ("walk_left", "walk_right", "walk_up", "walk_down", "sing")


def at(x: int, y: int, size: int = 3) -> list[str]:
    """The facts of a state in which a pawn is on a square of a board."""
    sides = range(1, size + 1)
    return [f"(cell {a} {b} {'pawn' if (a, b) == (x, y) else 'blank'})" for a in sides for b in sides]


def reader_of(*played: tuple[Sequence[str], str | None], legal: Sequence[str] = WALKS) -> PositionReader:
    """What reads the positions of a game in which these facts held and these moves were made."""
    states = tuple(
        SampledState(frozenset(map(words, facts)), (tuple(legal),), (move,) if move else None) for facts, move in played
    )
    return find_view("game", RuleSheet(()), Sample(("you",), (states,)))


def clicked(reader: PositionReader, facts: Sequence[str], legal: Sequence[str]) -> Mapping[str, str]:
    """The place that each move is clicked on, or the card."""
    position = reader.read(facts, [legal], terminal=False)
    found = {}
    for move, number in zip(position.moves[0], position.legal[0], strict=True):
        steps = position.steps[0].get(number, move.steps) if position.steps else move.steps
        for board, place in steps:
            on = reader.view.boards[board]
            found[move.text] = CARDS if on.id == CARDS else on.places[place].id
    return found


@pytest.fixture(name="walker")
def walker_fixture() -> PositionReader:
    return reader_of(
        (at(1, 1), "walk_right"),
        (at(2, 1), "walk_right"),
        (at(3, 1), "walk_up"),
        (at(3, 2), "walk_up"),
        (at(3, 3), None),
    )


def test_a_direction_that_was_never_gone_leads_the_other_way_than_its_opposite(walker: PositionReader) -> None:
    assert clicked(walker, at(2, 2), WALKS[:4]) == {
        "walk_left": "1 2",
        "walk_right": "3 2",
        "walk_up": "2 3",
        "walk_down": "2 1",
    }


def test_moves_that_leave_the_board_or_lead_nowhere_are_clicked_on_the_piece_itself(walker: PositionReader) -> None:
    assert clicked(walker, at(3, 3), ("walk_right", "walk_up")) == {"walk_right": "3 3", "walk_up": "3 3"}


def test_what_is_no_direction_is_a_card(walker: PositionReader) -> None:
    assert clicked(walker, at(3, 3), ("sing",)) == {"sing": CARDS}


def test_several_directions_in_one_move_add_up() -> None:
    legal = ("(go east nowhere)", "(go nowhere north)", "(go south south)", "(go west south)", "(go nowhere nowhere)")
    steps = [(1, 1), (2, 1), (3, 1), (3, 2), (3, 3)]
    moves = [legal[0], legal[0], legal[1], legal[1], None]
    reader = reader_of(*((at(*step), move) for step, move in zip(steps, moves, strict=True)), legal=legal)
    assert clicked(reader, at(2, 3), legal) == dict(zip(legal, ("3 3", "2 3", "2 1", "1 2", "2 3"), strict=True))


def test_squares_that_a_piece_only_passes_by_are_no_part_of_the_board() -> None:
    path = [(1, 1), (4, 2), (6, 6), (2, 5), (5, 1), (3, 3), (6, 2), (1, 4), (4, 5), (2, 2), (5, 6), (3, 1), (1, 6)]
    reader = reader_of(*((at(*step, 6), "roll") for step in path), (at(1, 1, 6), None), legal=("roll", "rest"))
    assert clicked(reader, at(1, 1, 6), ("roll", "rest")) == {"roll": CARDS, "rest": CARDS}
