"""Games and states as Python objects: loading, playing, and what bad input says."""

from __future__ import annotations

import copy
import json
import pickle
import random
import subprocess
import sys
import threading
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ludens
from ludens import games
from ludens.agent.playable import text_game
from ludens.propnet.gdl.interpreter import Interpreter
from ludens.propnet.gdl.parser import parse_rules, parse_term
from ludens.propnet.gdl.syntax import RuleSheet
from ludens.propnet.rewrite.rule_program import RuleProgram, compile_program
from tests.support.waiting import PATIENCE

RACE = """
(role red) (role blue) (init (at red 0)) (init (at blue 0)) (succ 0 1) (succ 1 2)
(<= (legal ?r stay) (role ?r)) (<= (legal ?r run) (role ?r))
(<= (next (at ?r ?m)) (does ?r run) (true (at ?r ?n)) (succ ?n ?m))
(<= (next (at ?r 2)) (true (at ?r 2))) (<= (next (at ?r ?n)) (does ?r stay) (true (at ?r ?n)))
(<= terminal (true (at ?r 2)))
(<= (goal ?r 100) (true (at ?r 2))) (<= (goal ?r 0) (role ?r) (not (true (at ?r 2))))
"""


@pytest.fixture(scope="module")
def game() -> ludens.Game:
    return ludens.load("tic_tac_toe")


def test_importing_ludens_imports_nothing_else_of_it() -> None:
    code = "import ludens, sys; print([m for m in sys.modules if m.startswith(('ludens.', 'numpy', 'twisted'))])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE, check=True)
    assert done.stdout.strip() == "[]"


def test_every_public_name_is_there_and_documented() -> None:
    assert set(ludens.__all__) <= set(dir(ludens))
    for name in ludens.__all__:
        assert getattr(ludens, name).__doc__, name


def test_a_name_that_is_not_public_is_no_attribute() -> None:
    with pytest.raises(AttributeError, match="no attribute 'loda'"):
        _ = ludens.loda  # type: ignore[attr-defined]


# ---- Loading ----


def test_a_game_is_loaded_by_name_path_or_text(tmp_path: Path) -> None:
    path = tmp_path / "race.kif"
    path.write_text(RACE)
    assert ludens.load("tic_tac_toe").roles == ("cross", "nought")
    assert ludens.load(str(path)).name == "race"
    assert ludens.load(path).roles == ludens.load(RACE).roles == ("red", "blue")


@pytest.mark.parametrize(
    ("source", "error", "says"),
    [
        ("tic_tac_to", ludens.UnknownGameError, "did you mean tic_tac_toe"),
        ("no_such_file.kif", ludens.LudensError, "there is no file no_such_file.kif"),
        ("(role red", ludens.GdlError, "line 1"),
        ("(role red)\n(<= (legal red ?x))", ludens.GdlError, "line 2"),
    ],
)
def test_what_is_no_game_is_one_clear_error(source: str, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        ludens.load(source)


def test_rules_without_a_network_are_refused_or_interpreted_as_asked() -> None:
    with pytest.raises(ludens.GroundingError):
        ludens.load(RACE + "(unused 1)", seconds=0)
    interpreted = ludens.load(RACE + "(unused 1)", seconds=0, interpret=True)
    compiled = ludens.load(RACE)
    assert not interpreted.has_network
    with pytest.raises(ludens.NoNetworkError, match="interpreted"):
        _ = interpreted.moves
    slow, fast = interpreted.initial, compiled.initial
    while not fast.terminal:
        assert (slow.facts, slow.goals, slow.terminal) == (fast.facts, fast.goals, fast.terminal)
        assert sorted(slow.legal("red")) == sorted(fast.legal("red"))
        slow, fast = (state.play({"red": "run", "blue": "stay"}) for state in (slow, fast))
    assert slow.goals == fast.goals == (100, 0)
    assert pickle.loads(pickle.dumps(slow)) == slow
    with pytest.raises(ludens.IllegalMoveError, match="no legal move of red"):
        interpreted.initial.play(["fly", "stay"])


def test_a_copy_is_interpreted_where_the_game_is_and_only_there() -> None:
    """Though games of the same rules are equal, whichever was loaded last."""
    slow = ludens.load(RACE + "(unused 2)", seconds=0, interpret=True)
    fast = ludens.load(RACE + "(unused 2)")
    assert slow == fast
    for game in (slow, fast):
        assert copy.copy(game) is pickle.loads(pickle.dumps(game)) is game
    assert pickle.loads(pickle.dumps(slow.initial)).game is slow


def interpreted_with_room(monkeypatch: pytest.MonkeyPatch, rules: str, **room: Any) -> ludens.Game:
    """A game that has less room for facts or moves than it may need."""

    def small(sheet: RuleSheet, *, sampled: bool) -> RuleProgram:
        return replace(compile_program(sheet, sampled=sampled), **room)

    monkeypatch.setattr(text_game, "compile_program", small)
    return ludens.load(rules, seconds=0, interpret=True)


def test_facts_for_which_an_interpreted_game_has_no_room_are_no_state(monkeypatch: pytest.MonkeyPatch) -> None:
    game = interpreted_with_room(monkeypatch, RACE + "(unused 1)", max_facts=2)
    with pytest.raises(ludens.StateError, match="no room for these facts: the game has more than 2 facts"):
        game.state(["(at red 1)", "(at blue 0)"])


def test_a_move_for_which_an_interpreted_game_has_no_room_is_not_legal(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = RACE + "(<= (legal ?r jump) (true (at ?r 1)))"
    game = interpreted_with_room(monkeypatch, rules, max_moves=np.full(2, 2, np.int32))
    with pytest.raises(ludens.IllegalMoveError, match="'jump' is no legal move of red"):
        game.initial.play(["jump", "stay"])
    assert game.initial.play(["stay", "stay"]) == game.initial


def test_an_interpreted_game_knows_only_facts_that_its_rules_can_make() -> None:
    game = ludens.load(ludens.load("tic_tac_toe").rules + "(unused 1)", seconds=0, interpret=True)
    with pytest.raises(ludens.StateError, match=r"\(cell 1 1 1\) is no fact"):
        game.state(["(cell 1 1 1)", "(control noop)"])
    for number in range(27):  # more than a state has facts
        with pytest.raises(ludens.StateError):
            game.state([f"(cell {number // 9 + 1} {number // 3 % 3 + 1} {number % 3 + 1})"])
    columns = [(1, "nought", "cross", "nought"), (2, "cross", "cross", "nought")]
    marks = [f"(cell {column} {row} {player})" for column, *players in columns for row, player in enumerate(players, 1)]
    assert game.state([*marks, "(control cross)"]).legal("cross") == ("(mark 3 1)", "(mark 3 2)", "(mark 3 3)")


def test_a_game_describes_and_analyses_itself(game: ludens.Game) -> None:
    assert "Tic-Tac-Toe" in game.describe()
    assert "10 of cross" in game.describe()
    analysis = game.analyse(seconds=0.2)
    assert analysis.network is not None
    assert analysis.network.propositions == len(game.propositions)


def test_a_position_is_drawn(game: ludens.Game) -> None:
    first, second = game.initial.picture(), game.initial.play("(mark 2 2)").picture()
    assert len(first.splitlines()) >= 3
    assert first != second


# ---- States ----


def test_states_agree_with_the_oracle_whatever_is_played(game: ludens.Game) -> None:
    oracle, rng = Interpreter(parse_rules(game.rules)), random.Random(1)
    for _ in range(5):
        state, expected = game.initial, oracle.initial()
        while True:
            assert set(state.facts) == set(map(str, expected))
            assert state.terminal == oracle.terminal(expected)
            if state.terminal:
                assert state.goals == oracle.goals(expected)
                assert state.legal(0) == ()
                break
            for role in game.roles:
                assert set(state.legal(role)) == set(map(str, oracle.legal(expected, role)))
            joint = [rng.choice(state.legal(role)) for role in game.roles]
            state = state.play(joint)
            expected = oracle.next(expected, [parse_term(move) for move in joint])


def test_a_move_may_be_a_text_an_index_a_mapping_or_one_for_each_role(game: ludens.Game) -> None:
    state = game.initial
    index = game.moves[0].index("(mark 2 2)")
    after = state.play("(mark 2 2)")
    ways: list[Any] = [index, np.int64(index), "( mark 2  2 )", {"cross": "(mark 2 2)"}, ["(mark 2 2)", "noop"]]
    assert all(state.play(way) == after for way in ways)
    assert after.to_move == ("nought",)
    assert after.legal() == after.legal("nought") == after.legal(1)


def test_states_are_values(game: ludens.Game) -> None:
    one = game.initial.play("(mark 1 1)").play("(mark 2 2)").play("(mark 3 3)")
    other = game.initial.play("(mark 3 3)").play("(mark 2 2)").play("(mark 1 1)")
    assert one == other
    assert hash(one) == hash(other)
    assert one != game.initial
    assert len({one, other, game.initial}) == 2
    assert one != "state"
    with pytest.raises(ValueError, match="read-only"):
        one.words[0] = 1
    with pytest.raises(AttributeError):
        one.facts = ()  # type: ignore[misc]


def test_a_state_knows_the_moves_that_led_to_it(game: ludens.Game) -> None:
    state = game.initial.play("(mark 1 1)").play("(mark 2 2)")
    assert game.initial.history == ()
    assert state.history == (("(mark 1 1)", "noop"), ("noop", "(mark 2 2)"))
    assert game.state(state.facts).history is None is pickle.loads(pickle.dumps(state)).history
    assert game.state(state.facts) == state
    assert game.state(game.initial.facts).history == ()


def test_a_state_goes_to_json_and_pickle_and_back(game: ludens.Game) -> None:
    state = game.initial.play("(mark 1 1)")
    assert game.from_json(json.loads(json.dumps(state.to_json()))) == state
    assert pickle.loads(pickle.dumps(state)) == state
    assert pickle.loads(pickle.dumps(game)) == game
    assert [str(term) for term in state.terms] == list(state.facts)


def test_a_state_crosses_to_another_process(game: ludens.Game) -> None:
    state = game.initial.play("(mark 1 1)")
    with get_context("spawn").Pool(1) as pool:
        assert pool.apply_async(ludens.State.play, (state, "(mark 2 2)")).get(PATIENCE) == state.play("(mark 2 2)")


def test_a_game_is_played_by_several_threads_at_once(game: ludens.Game) -> None:
    ends: list[bool] = []

    def play(seed: int) -> None:
        rng, state = random.Random(seed), game.initial
        while not state.terminal:
            state = state.play({role: rng.choice(state.legal(role)) for role in state.to_move})
        ends.append(state.terminal)

    threads = [threading.Thread(target=play, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    assert ends == [True] * 8


def test_where_all_moves_are_forced_nothing_needs_to_be_said() -> None:
    game = ludens.load("""(role red) (role blue) (init (step 0)) (succ 0 1) (legal red go) (legal blue go)
        (<= (next (step ?m)) (true (step ?n)) (succ ?n ?m)) (<= terminal (true (step 1)))
        (goal red 50) (goal blue 50)""")
    assert game.initial.to_move == ()
    assert game.initial.play().terminal
    with pytest.raises(ludens.IllegalMoveError, match="nobody has a choice here"):
        game.initial.legal()


BAD_MOVES: list[tuple[Any, str]] = [
    ("(mark 9 9)", r"'\(mark 9 9\)' is no legal move of cross here"),
    ("((", "no legal move"),
    (99, "99 is no legal move of cross"),
    (-1, "-1 is no legal move"),
    (True, "True is no move"),
    (1.5, "1.5 is no move"),
    (np.array(0), r"array\(0\) is no move"),
    (None, "cross has a choice here, and no move was given"),
    ({}, "cross has a choice here"),
    (["(mark 1 1)"], "1 move for 2 roles"),
    (["(mark 1 1)", "(mark 1 2)"], "no legal move of nought"),
]


@pytest.mark.parametrize(("move", "says"), BAD_MOVES)
def test_a_bad_move_is_one_clear_error(game: ludens.Game, move: Any, says: str) -> None:
    with pytest.raises(ludens.IllegalMoveError, match=says):
        game.initial.play(move)


def test_where_several_choose_one_move_is_not_enough() -> None:
    with pytest.raises(ludens.IllegalMoveError, match="red and blue choose at the same time"):
        ludens.load(RACE).initial.play("run")


def test_a_role_that_is_none_is_one_clear_error(game: ludens.Game) -> None:
    for role in ("xplayr", 2, -1, True, 0.5):
        with pytest.raises(ludens.RoleError, match=f"has no role {role!r}"):
            game.initial.legal(role)  # type: ignore[arg-type]


def test_nothing_is_played_after_the_end(game: ludens.Game) -> None:
    state = game.initial
    for move in ("(mark 1 1)", "(mark 2 1)", "(mark 1 2)", "(mark 2 2)", "(mark 1 3)"):
        state = state.play(move)
    assert state.terminal
    assert state.goals == (100, 0)
    with pytest.raises(ludens.GameOverError):
        state.play("(mark 3 3)")


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"facts": "x"},
        {"facts": [1]},
        {"facts": ["(cell 9 9 b)"]},
        {"facts": ["(cell 1 1"]},
        {"game": "chess", "facts": []},
        [],
    ],
)
def test_what_is_no_state_is_one_clear_error(game: ludens.Game, fields: Any) -> None:
    with pytest.raises(ludens.StateError):
        game.from_json(fields)


DECORATED = """
(role a) (role b) (init (n 0)) (init (decor pink)) (succ 0 1) (succ 1 2)
(<= (next (decor pink)) (true (decor pink)))
(<= (next (made ?move)) (does a ?move))
(legal a go) (legal a stay) (legal b go)
(<= (next (n ?y)) (true (n ?x)) (succ ?x ?y))
(<= terminal (true (n 2))) (<= (goal ?role 50) (role ?role))
"""


def test_facts_that_play_no_part_are_taken_and_left_out() -> None:
    for source in (DECORATED, "tron"):
        game = ludens.load(source)
        oracle = Interpreter(game.sheet)
        facts = oracle.initial()
        assert set(map(str, facts)) > set(game.initial.facts)
        assert game.state(map(str, facts)) == game.initial
        first = [oracle.legal(facts, role)[0] for role in game.roles]
        assert game.state(map(str, oracle.next(facts, first))) == game.initial.play(list(map(str, first)))
    game = ludens.load(DECORATED)
    for fact in ("(decor red)", "(decor pink pink)", "(decor ?any)", "(made run)", "pink"):
        with pytest.raises(ludens.StateError, match="is no fact of game"):
            game.state(["(n 0)", fact])


@pytest.mark.parametrize("name", games.names()[::8])
def test_built_in_games_are_loaded_and_played(name: str) -> None:
    rng, state = random.Random(name), ludens.load(name).initial
    for _ in range(3):
        if not state.terminal:
            state = state.play({role: rng.choice(state.legal_indices(role)) for role in state.to_move})
    assert state.game.from_json(state.to_json()) == state
