"""Boards, pieces and the places of moves, found in the built-in games; the positions are the oracle's."""

from __future__ import annotations

import json
import math
import random
import time
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import resources
from itertools import pairwise
from typing import Any

import pytest

from ludens import games
from ludens.agent.playable.text_game import RulesGame
from ludens.games.view.find import find_view
from ludens.games.view.reader import CARDS, PositionReader
from ludens.games.view.sample import Sample, SampledState, play_sample
from ludens.games.view.vocabulary import GameView, MoveView, PositionView
from ludens.games.view.words import words
from ludens.propnet.gdl.interpreter import Interpreter, State
from ludens.propnet.gdl.parser import parse_rules
from ludens.propnet.gdl.syntax import RuleSheet
from tests.support import views

GAMES = [name for name in games.names() if name != "amazons"]  # whose positions take the oracle seconds
STEPS = 5


@cache
def reader_of(name: str, text: str = "") -> PositionReader:
    """What reads the positions of a built-in game, or of one with this text, known from a few random games."""
    sheet = parse_rules(text or games.read(name))
    return find_view(name, sheet, play_sample(RulesGame(sheet), sheet.roles, math.inf, games=12, steps=40))


def texts(terms: Sequence[object] | State) -> list[str]:
    return sorted(map(str, terms))


def walk(name: str, text: str = "") -> Iterator[tuple[list[str], list[list[str]]]]:
    """Yields facts and legal moves of the first states of a random game, as the oracle has them."""
    oracle, rng = Interpreter(parse_rules(text or games.read(name))), random.Random(7)
    state = oracle.initial()
    for _ in range(STEPS):
        legal = [oracle.legal(state, role) for role in oracle.roles]
        yield texts(state), [texts(moves) for moves in legal]
        state = oracle.next(state, [rng.choice(moves) for moves in legal])
        if oracle.terminal(state):
            return


def shown(view: GameView, position: PositionView) -> list[object]:
    """All that a position shows, piece by piece."""
    found: list[object] = list(position.facts) + list(position.counters)
    for board, places in zip(view.boards, position.boards, strict=True):
        for place, stack in zip(board.places, places, strict=True):
            for key in (stack,) if isinstance(stack, str) else stack or ():
                found += [(board.id, place.id, key)] if board.id != CARDS else []
    for hand in position.hands:
        found += [(hand.role, key, number) for key, count in hand.pieces.items() for number in range(count)]
    return found


def move_of(view: GameView, position: PositionView, role: int, number: int) -> MoveView:
    known = view.moves[role]
    return known[number] if number < len(known) else position.moves[role][number - len(known)]


@pytest.mark.parametrize("name", GAMES)
def test_every_fact_is_shown_exactly_once(name: str) -> None:
    reader = reader_of(name)
    for facts, legal in walk(name):
        whole = shown(reader.view, reader.read(facts, legal, terminal=False))
        assert len(set(map(repr, whole))) == len(whole)
        nothing = 0
        for fact in facts:
            others = [other for other in facts if other != fact]
            without = shown(reader.view, reader.read(others, legal, terminal=False))
            assert set(map(repr, without)) < set(map(repr, whole)) or "blank" in fact, fact
            nothing += "blank" in fact
        assert len(whole) == len(facts) - nothing


@pytest.mark.parametrize("name", GAMES)
def test_every_legal_move_can_be_clicked_and_told_from_the_others(name: str) -> None:
    reader = reader_of(name)
    for facts, legal in walk(name):
        position = reader.read(facts, legal, terminal=False)
        for role, moves in enumerate(legal):
            found = [move_of(reader.view, position, role, number) for number in position.legal[role]]
            assert [move.text for move in found] == moves
            if len(moves) > 1:
                steps = [
                    (position.steps[role].get(number) if position.steps else None) or move.steps
                    for number, move in zip(position.legal[role], found, strict=True)
                ]
                assert all(steps)
                assert len({(places, move.choice) for places, move in zip(steps, found, strict=True)}) == len(moves)
                assert role in position.turn


@pytest.mark.parametrize("name", GAMES)
def test_views_are_what_the_schema_says(name: str) -> None:
    validator: Any = pytest.importorskip("jsonschema", reason="jsonschema is not installed").Draft202012Validator
    schema = json.loads((resources.files("ludens.games.view") / "schema.json").read_text(encoding="utf-8"))
    reader = reader_of(name)
    views = [("GameView", reader.view.to_json())]
    views += [("PositionView", reader.read(facts, legal, terminal=False).to_json()) for facts, legal in walk(name)]
    for kind, view in views:
        validator({"$ref": f"#/$defs/{kind}", "$defs": schema["$defs"]}).validate(json.loads(json.dumps(view)))


@pytest.mark.parametrize(
    ("name", "style", "places"),
    [
        ("breakthrough", "squares", 64), ("connect_four", "squares", 42), ("eight_puzzle", "squares", 9),
        ("english_draughts", "squares", 64), ("gomoku", "squares", 225), ("hex", "hexagons", 81), ("nim", "track", 4),
        ("peg_solitaire", "squares", 33), ("reversi", "squares", 64), ("towers_of_hanoi", "track", 3),
        ("tron", "squares", 64),
    ],
)  # fmt: skip
def test_the_boards_of_built_in_games_are_found(name: str, style: str, places: int) -> None:
    board = reader_of(name).view.boards[0]
    assert (board.style, len(board.places)) == (style, places)


def test_a_hexagon_has_six_neighbours_at_the_same_distance() -> None:
    board = reader_of("hex").view.boards[0]
    middle = next(place for place in board.places if place.id == "5 5")
    near = [p.id for p in board.places if 0 < math.hypot(p.x - middle.x, p.y - middle.y) < 1.01]
    assert sorted(near) == ["4 5", "4 6", "5 4", "5 6", "6 4", "6 5"]


def test_a_disc_lands_on_the_lowest_place_that_is_free() -> None:
    reader = reader_of("connect_four")
    facts = ["(cell 3 1 red)", "(cell 3 2 yellow)", "(control red)"]
    position = reader.read(facts, [["(drop 3)", "(drop 4)"], ["noop"]], terminal=False)
    board = reader.view.boards[0]
    landing = [board.places[position.steps[0][number][-1][1]].id for number in position.legal[0]]
    assert landing == ["3 3", "4 1"]
    column = {board.places[place].id for _, place in position.moves[0][0].steps + position.moves[0][0].also}
    assert column == {f"3 {row}" for row in range(1, 7)}


def test_directions_lead_from_where_the_piece_is_and_north_leads_up() -> None:
    reader = reader_of("tron")
    moves = ["east", "north", "south", "west"]
    position = reader.read(["(cycle 3 4 blue)", "(wall 3 4)"], [moves, ["wait"]], terminal=False)
    places = reader.view.boards[0].places
    here = next(place for place in places if place.id == "3 4")
    ways = [
        (places[step[1]].x - here.x, places[step[1]].y - here.y)
        for (step,) in (position.steps[0][number] for number in position.legal[0])
    ]
    assert ways == [(1, 0), (0, 1), (0, -1), (-1, 0)]


def test_pieces_have_owners_and_shapes() -> None:
    chess = reader_of("mini_chess").view
    assert [(chess.pieces[key].shape, chess.pieces[key].owner) for key in ("white_king", "black_pawn")] == [
        ("chess-king", 0), ("pawn", 1),
    ]  # fmt: skip
    draughts = reader_of("english_draughts").view
    assert [(draughts.pieces[key].shape, draughts.pieces[key].owner) for key in ("black_king", "white_man")] == [
        ("king", 0), ("man", 1),
    ]  # fmt: skip
    assert draughts.boards[0].checkered


def test_cards_are_in_the_hands_of_roles() -> None:
    reader = reader_of("goofspiel")
    facts, legal = next(walk("goofspiel"))
    position = reader.read(facts, legal, terminal=False)
    steps = [move_of(reader.view, position, role, position.legal[role][0]).steps for role in range(2)]
    assert {reader.view.boards[board].id for ((board, _),) in steps} == {"hand red", "hand blue"}


TOWERS = """
(role robot) (init (on a b)) (init (on b floor1)) (init (on c floor2))
(<= (clear ?x) (thing ?x) (not (covered ?x))) (<= (covered ?x) (true (on ?y ?x)))
(thing a) (thing b) (thing c) (thing floor1) (thing floor2)
(block a) (block b) (block c)
(<= (legal robot (put ?x ?y)) (block ?x) (clear ?x) (clear ?y) (distinct ?x ?y))
(<= (next (on ?x ?y)) (does robot (put ?x ?y)))
(<= (next (on ?x ?y)) (true (on ?x ?y)) (not (moves ?x)))
(<= (moves ?x) (does robot (put ?x ?y)))
(<= terminal (true (on a c)) (true (on c b))) (goal robot 100)
"""


def test_things_on_things_are_towers_and_moves_name_what_is_on_top() -> None:
    reader = reader_of("towers", TOWERS)
    facts, legal = next(walk("towers", TOWERS))
    position = reader.read(facts, legal, terminal=False)
    assert position.boards[0] == (("b", "a"), "c")
    by_text = dict(zip(legal[0], position.legal[0], strict=True))
    assert position.steps[0][by_text["(put a c)"]] == ((0, 0), (0, 1))


PUZZLE = """
(role robot) (succ one two) (succ two three) (succ three four)
(row one) (row two) (row three) (row four)
(<= (init (at ?x ?y nothing)) (row ?x) (row ?y) (distinct ?x ?y))
(<= (init (at ?x ?x rock)) (row ?x))
(<= (legal robot (take ?x ?y)) (true (at ?x ?y rock)))
(<= (next (at ?x ?y nothing)) (does robot (take ?x ?y)))
(<= (next (at ?x ?y ?what)) (true (at ?x ?y ?what)) (not (taken ?x ?y)))
(<= (taken ?x ?y) (does robot (take ?x ?y)))
(<= terminal (not (some rock))) (<= (some ?what) (true (at ?x ?y ?what)))
(goal robot 100)
"""


def test_rows_stand_in_the_order_of_the_rules() -> None:
    board = reader_of("puzzle", PUZZLE).view.boards[0]
    assert board.rows == board.columns == ("one", "two", "three", "four")
    facts, legal = next(walk("puzzle", PUZZLE))
    position = reader_of("puzzle", PUZZLE).read(facts, legal, terminal=False)
    filled = {place.id for place, on in zip(board.places, position.boards[0], strict=True) if on}
    assert filled == {"one one", "two two", "three three", "four four"}


def test_a_game_without_a_board_has_its_moves_as_cards_and_its_facts_beside() -> None:
    reader = reader_of("rock_paper_scissors")
    facts, legal = next(walk("rock_paper_scissors"))
    position = reader.read(facts, legal, terminal=False)
    assert [board.id for board in reader.view.boards] == [CARDS]
    assert [key for key in position.boards[0] if key] == ["card: show paper", "card: show rock", "card: show scissors"]
    assert len(position.counters) + len(position.facts) == len(facts)


def test_a_move_that_is_made_for_want_of_a_choice_has_no_card() -> None:
    assert [board.id for board in reader_of("tic_tac_toe").view.boards] == ["cell"]


@pytest.mark.parametrize("name", ["tic_tac_toe", "connect_four", "towers_of_hanoi", "rock_paper_scissors"])
def test_whenever_time_is_up_the_view_shows_all_facts_and_moves_somehow(name: str) -> None:
    sheet = parse_rules(games.read(name))
    sample = play_sample(RulesGame(sheet), sheet.roles, math.inf, games=4, steps=20)
    whole = reader_of(name)
    facts, legal = next(walk(name))
    patience, in_time = 0, False
    while not in_time:
        asked = iter(range(patience))
        in_time = True

        def over(asked: Iterator[int] = asked) -> bool:
            nonlocal in_time
            in_time = next(asked, None) is not None
            return not in_time

        reader = find_view(name, sheet, sample, over=over)
        position = reader.read(facts, legal, terminal=False)
        for role, moves in enumerate(legal):
            assert [move_of(reader.view, position, role, number).text for number in position.legal[role]] == moves
        if patience == 0:
            assert reader.view.boards == ()
            assert len(position.facts) + len(position.counters) == len(facts)
        patience += 1
    assert [board.id for board in reader.view.boards] == [board.id for board in whole.view.boards]


def test_a_busy_machine_samples_as_much_as_a_quiet_one() -> None:
    class Waiting(RulesGame):
        """A game that often waits for the processor."""

        def facts(self, state: Any) -> tuple[str, ...]:
            time.sleep(0.05)
            return super().facts(state)

    sheet = parse_rules(games.read("tic_tac_toe"))
    sample = play_sample(Waiting(sheet), sheet.roles, seconds=1.0, games=5)
    assert len(sample.games) == 5  # of at least 6 states each, so that it has waited for longer than a second
    assert all(game[-1].joint is None and len(game) >= 6 for game in sample.games)


def test_large_games_are_sampled_less() -> None:
    sheet = parse_rules(games.read("gomoku"))
    sample = play_sample(RulesGame(sheet), sheet.roles, math.inf)
    entries = sum(len(state.facts) + sum(map(len, state.legal)) for state in sample.states())
    assert 30_000 < entries < 62_000
    assert len(list(sample.steps())) > 50


def test_a_relation_that_only_counts_places_joins_none_of_them() -> None:
    ways = ["n", "ne", "e", "se", "s", "sw", "w", "nw"]
    facts = [f"(spot {ring} {way} empty)" for ring in ("inner", "outer") for way in ways]
    places = [tuple(fact.strip("()").split()[1:3]) for fact in facts]
    chain = frozenset((*one, *other) for one, other in pairwise(places))
    state = SampledState(frozenset(map(words, facts)), ((),), None)
    sample = Sample(("you",), ((state,),), tuple(facts), relations={"after": chain})
    (board,) = find_view("game", RuleSheet(()), sample).view.boards
    assert len(board.edges) == 2 * 8 + 4  # two rings, and what joins them in the middle of each side


def test_men_that_face_each_other_from_left_to_right_stand_above_each_other() -> None:
    pieces = {1: "a", 5: "z"}  # by column
    facts = [f"(cell {x} {y} {pieces.get(x, 'b')})" for x in range(1, 6) for y in range(1, 6)]
    reader = views.reader_of(facts, facts, roles=("ann", "zoe"))
    stood = reader.read(facts, [(), ()], terminal=False).boards[0]
    standing = list(zip(reader.view.boards[0].places, stood, strict=True))
    heights = {key: {place.y for place, on in standing if on == key} for key in "az"}
    assert heights == {"a": {0.5}, "z": {4.5}}


@pytest.mark.parametrize("move", ["drop {x} {board}", "put {x} {y} {board}"])
def test_few_whole_boards_are_shown_rather_than_many_slices_through_them(move: str) -> None:
    """A disc that is dropped into a column of one of two boards lands on a board, however moves name the two."""
    places = [{"x": x, "y": y, "board": board} for x in range(1, 5) for y in range(1, 4) for board in (1, 2)]
    facts = ["(cell {x} {y} {board} red)".format(**place) for place in places]
    legal = sorted({f"({move})".format(**place) for place in places})
    reader = views.reader_of(facts, facts, legal=(legal,))
    boards = {board.id: (board.width, board.height) for board in reader.view.boards if board.id != CARDS}
    assert boards == {"cell 1": (4, 3), "cell 2": (4, 3)}


def test_a_board_of_four_quarters_is_shown_in_quarters() -> None:
    """There are more quarters than columns in one, but moves name quarter, column and row."""
    places = [{"q": q, "x": x, "y": y} for q in range(1, 5) for x in range(1, 4) for y in range(1, 4)]
    facts = ["(cell {q} {x} {y} red)".format(**place) for place in places]
    reader = views.reader_of(facts, facts, legal=(["(place {q} {x} {y})".format(**place) for place in places],))
    boards = [(board.width, board.height) for board in reader.view.boards if board.id != CARDS]
    assert boards == [(3, 3)] * 4
