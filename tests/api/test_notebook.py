"""In a notebook games, states and what searches find are shown as pictures."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

import ludens

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def game() -> ludens.Game:
    return ludens.load("tic_tac_toe")


def texts(svg: str) -> list[str]:
    return [element.text or "" for element in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def test_a_state_is_its_board_and_says_whose_turn_it_is(game: ludens.Game) -> None:
    state = game.initial.play("(mark 2 2)")
    assert state._repr_svg_() == state.svg()
    assert "to move: nought" in texts(state.svg())
    for move in ("(mark 1 1)", "(mark 2 1)", "(mark 1 2)", "(mark 2 3)"):
        state = state.play(move)
    assert "over: cross 100, nought 0" in texts(state.svg())


def test_a_game_is_its_description_and_its_first_board(game: ludens.Game) -> None:
    html = game._repr_html_()
    assert game.describe().splitlines()[1] in html
    assert game.initial.svg() in html


def test_what_a_search_found_is_on_the_board_and_in_a_table(game: ludens.Game) -> None:
    state = game.initial.play("(mark 1 1)").play("(mark 2 2)").play("(mark 1 2)")
    with ludens.Search(state, "uct", seed=1) as search:
        found = search.run(iterations=300)
    best = found.moves()[0]
    assert best.told in texts(found.svg())
    assert found._repr_svg_() == found.svg()
    assert f"<td>{best.move}</td><td>{best.visits:,}</td><td>{best.told}</td>" in found._repr_html_()
    assert "noop" not in found._repr_html_()  # of who has no choice


def test_moves_of_all_who_choose_at_the_same_time_are_shown() -> None:
    with ludens.Search(ludens.load("rock_paper_scissors"), "decoupled", seed=1) as search:
        found = search.run(iterations=300)
    html = found._repr_html_()
    assert all(f"<td>{role}</td><td>(show rock)</td>" in html for role in ("left", "right"))


def test_a_move_that_was_not_visited_has_no_value_and_a_proven_one_says_so(game: ludens.Game) -> None:
    state = game.initial.play("(mark 1 1)").play("(mark 2 2)").play("(mark 1 2)").play("(mark 3 3)")
    with ludens.Search(state, "proof") as search:
        found = search.run(iterations=1000)
    assert found.solved
    assert found.moves()[0].told == "100!"
    assert ludens.FoundMove("noop", 0, visits=0, value=None, proven=None).told == "?"
    assert ludens.FoundMove("noop", 0, visits=3, value=56.7, proven=None).told == "57"
