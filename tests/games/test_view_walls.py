"""Walls between places, as facts tell of them in several ways."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib import resources
from typing import Any

import pytest

from ludens.games.view.vocabulary import PositionView
from tests.support.views import drawn, reader_of

SQUARES = [f"(cell {x} {y} {'cat' if (x, y) == (1, 1) else 'b'})" for x in range(1, 4) for y in range(1, 4)]


def walls_of(walls: Sequence[str], more: Sequence[str] = ()) -> tuple[set[frozenset[str]], PositionView]:
    """The names of the squares on both sides of each wall, in a position in which these facts hold."""
    facts = [*SQUARES, *walls]
    reader = reader_of([*facts, *more], facts, facts)
    position = reader.read(facts, [()], terminal=False)
    places = reader.view.boards[0].places
    return {frozenset((places[a].id, places[b].id)) for (_, a), (_, b) in position.walls}, position


@pytest.mark.parametrize(
    "facts",
    [
        ["(wall 1 1 east)", "(wall 2 2 north)"],
        ["(blocked_east 1 1)", "(blocked_north 2 2)"],
        ["(fence 1 1 2 1)", "(fence 2 2 2 3)"],
    ],
)
def test_walls_are_between_places_and_not_among_the_facts(facts: list[str]) -> None:
    walls, position = walls_of(facts)
    assert walls == {frozenset({"1 1", "2 1"}), frozenset({"2 2", "2 3"})}
    assert (position.facts, position.counters) == ((), ())
    assert all(not isinstance(on, tuple) for on in position.boards[0])


def test_a_wall_at_the_edge_of_the_board_is_not_drawn() -> None:
    walls, position = walls_of(["(wall 0 1 east)", "(wall 1 1 east)", "(wall 3 3 north)"])
    assert walls == {frozenset({"1 1", "2 1"})}
    assert position.facts == ()


def test_walls_may_come_and_go() -> None:
    walls, position = walls_of(["(wall 1 1 2 1)"], ["(wall 2 2 3 3)"])
    assert walls == {frozenset({"1 1", "2 1"})}
    assert PositionView.from_json(position.to_json()) == position


def test_a_terminal_draws_walls_as_lines() -> None:
    facts = [*SQUARES, "(wall 1 1 east)", "(wall 2 2 north)"]
    lines = drawn(reader_of(facts, facts, facts), facts)
    assert lines[:4] == ["  3  . . .", "       ─", "  2  . . .", "  1  C│. ."]


def test_a_terminal_lists_walls_across_corners_which_it_cannot_draw() -> None:
    facts = [*SQUARES, "(wall 1 1 2 2)", "(wall 2 1 1 1)"]
    lines = drawn(reader_of(facts, facts, facts), facts)
    assert lines[2] == "  1  C│. ."
    assert lines[-1].strip() == "(wall between 1,1 and 2,2)"


def test_walls_are_what_the_schema_says() -> None:
    validator: Any = pytest.importorskip("jsonschema", reason="jsonschema is not installed").Draft202012Validator
    schema = json.loads((resources.files("ludens.games.view") / "schema.json").read_text(encoding="utf-8"))
    _, position = walls_of(["(wall 1 1 east)"])
    data = json.loads(json.dumps(position.to_json()))
    assert data["walls"]
    validator({"$ref": "#/$defs/PositionView", "$defs": schema["$defs"]}).validate(data)
