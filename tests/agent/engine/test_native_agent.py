"""The agent on the rule machine: failures of a search cost neither the match nor the best move."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pytest

from ludens import games
from ludens.agent.engine import native_agent
from ludens.agent.engine.backends import SearchBackend, Stage, rules_backend
from ludens.agent.engine.match_agent import KnownPlan
from ludens.agent.engine.native_agent import NativeAgent
from ludens.agent.playable.text_game import Numbers, RulesGame, TextGame
from ludens.agent.preparation.prepare_untimed import prepare_rules
from ludens.agent.protocol.wire import History, Joint
from ludens.agent.search import assembly
from ludens.agent.search.config import SearchConfig
from ludens.agent.settings.options import PlayerOptions
from ludens.native.core import Game, States
from ludens.propnet.base.errors import NativeError
from ludens.propnet.gdl.parser import MAX_NESTING, parse_rules
from ludens.propnet.gdl.syntax import RuleSheet
from ludens.propnet.rewrite.rule_program import compile_program

# Every game of twenty steps makes up to twenty facts of its own, far more together than a state has room for. The
# goal is not the best there is, which a search would prove and be done.
LISTS = """
    (role p) (init (made nil)) (init (step 0))
    (<= (legal p (put ?x)) (letter ?x)) (letter a) (letter b) (letter c)
    (<= (next (made (cons ?x ?l))) (does p (put ?x)) (true (made ?l)))
    (<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
    (<= terminal (true (step 20)))
    (<= won (true (made (cons a ?l))))
    (<= (goal p 90) won) (<= (goal p 0) (not won))
""" + " ".join(f"(succ {n} {n + 1})" for n in range(20))

# Whoever says so falls into a rule without end, which takes the native machine more room than it has.
PIT = """
    (role p) (init (n 0)) (init open)
    (<= (legal p jump) (true open)) (<= (legal p wait) (true open))
    (<= (next fallen) (does p jump)) (<= (next open) (does p wait)) (<= (next (n 0)))
    (<= terminal (true fallen) (deep 0)) (<= (deep ?x) (true fallen) (deep (s ?x)))
    (<= (goal p 50))
"""

JUMP: Joint = ("jump",)

# Of three billion lines one is worth more than the others.
CODE = "abccbaabcacbcabbacac"
LOCK = f"""
    (role p) (init (step 0)) (init good) (letter a) (letter b) (letter c)
    {" ".join(f"(code {n} {letter}) (succ {n} {n + 1})" for n, letter in enumerate(CODE))}
    (<= (legal p (put ?x)) (letter ?x))
    (<= (next (made ?n ?x)) (true (step ?n)) (does p (put ?x))) (<= (next (made ?n ?x)) (true (made ?n ?x)))
    (<= (next good) (true good) (true (step ?n)) (does p (put ?x)) (code ?n ?x))
    (<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
    (<= terminal (true (step {len(CODE)})))
    (<= (goal p 90) (true good)) (<= (goal p 10) (not (true good)))
"""
OPENING = KnownPlan(90, tuple((f"(put {letter})",) for letter in CODE))


# Whatever the other one picks at the same time.
PICK = """
    (role a) (role b) (init start) (worth 1 10) (worth 2 20) (worth 3 90) (worth 4 30)
    (<= (legal ?r (pick ?n)) (role ?r) (worth ?n ?g))
    (<= (next (got ?r ?n)) (does ?r (pick ?n)))
    (<= terminal (not (true start)))
    (<= (goal ?r ?g) (true (got ?r ?n)) (worth ?n ?g)) (<= (goal ?r 0) (role ?r) (true start))
"""


def agent(text: str, logged: list[str], role: str = "p", strategy: str = "uct") -> NativeAgent:
    options = PlayerOptions(strategy=strategy, nodes_mb=16, seed=1)
    return NativeAgent(rules_backend(parse_rules(text), options), role, options.seed, logged.append)


def test_a_search_that_meets_more_facts_than_there_is_room_for_begins_again() -> None:
    weight, it = 0, agent(LISTS, [])
    while weight <= 0 or not it.can_search:  # the room may run out in the first moment of a search already
        logged: list[str] = []
        it = agent(LISTS, logged)
        it.go_to(())
        while not logged:
            weight = it.weight
            report = it.think(0.002)
    assert "facts" in logged[0]
    assert it.weight >= weight > 0
    known = it.known()
    assert known is not None
    assert known.move == report.move
    assert it.go_to((("(put b)",),)).legal == ("(put a)", "(put b)", "(put c)")
    while not it.think(0.05).playouts:
        pass


def test_flat_makes_the_best_move_also_where_both_choose_at_once() -> None:
    """Its visits say nothing."""
    it = agent(PICK, [], "a", "flat")
    for _ in range(8):  # each time moves would be drawn by another number
        it.go_to(())
        while (report := it.think(0.01)).playouts < 1000:
            pass
        assert report.move == "(pick 3)"


def test_a_line_ends_where_there_is_no_room_for_the_state_that_follows() -> None:
    game = RulesGame(parse_rules(LISTS))
    moves, random = [f"(put {letter})" for letter in "abc"], Random(1)
    with pytest.raises(NativeError, match="facts"):
        while True:
            fill(game, moves, random)
    new = [np.array([game.number(0, random.choice(moves))], np.int32) for _ in range(20)]
    assert 1 <= len(list(game.line(game.game.initial, new))) < 20
    assert game.ending(game.game.initial, np.array(new)) is None


def test_text_that_the_rules_never_make_takes_no_room() -> None:
    game = RulesGame(parse_rules(games.read("tic_tac_toe")))
    for text in ("(mark cross 1)", "(cell 1 1)", "nought", "(mark 1 ?x)", "(mark 1 1", "(mark 4 1)"):
        assert game.number(0, text) == -1
    for text in ("(cell 1 1 1)", "(control noop)", "noop", "(cell 1 1 cross))", "cell"):
        assert game.fact_number(text) == -1
    assert game.game.numbered() == 1  # the first state has one fact
    moves = ["noop", *(f"(mark {column} {row})" for column in (1, 2, 3) for row in (1, 2, 3))]
    for role in (0, 1):
        assert sorted(game.number(role, move) for move in moves) == list(range(10))


def test_a_search_on_rules_goes_on_after_reported_moves_that_no_rule_makes() -> None:
    logged: list[str] = []
    it = agent(games.read("tic_tac_toe"), logged, role="nought")
    for column in (1, 2, 3):
        history = (("(mark 1 1)", f"(mark cross {column})"),)
        assert it.illegal_moves((), history[0]) == 1
        it.go_to(history)
    while not it.think(0.05).playouts:
        pass
    assert logged == []


# The third word may be said in the third turn alone.
WORDS = """
    (role p) (init (turn 1)) (<= (next (turn 2)) (true (turn 1))) (<= (next (turn 3)) (true (turn 2)))
    (<= (legal p (say a))) (<= (legal p (say b)) (true (turn 1))) (<= (legal p (say c)) (true (turn 3)))
    (<= (next over) (true (turn 3))) (<= terminal (true over)) (goal p 50)
"""

# A move grows with each step, as does the fact that allows it.
GROWING = """
    (role p) (init (n 0)) (<= (legal p (say ?x)) (true (n ?x))) (<= (next (n (s ?x))) (does p (say ?x)))
    (<= terminal (true (n over))) (goal p 50)
"""


def test_a_legal_move_counts_however_deep_it_nests() -> None:
    game = RulesGame(parse_rules(GROWING))
    state = game.game.initial
    for _ in range(2 * MAX_NESTING):
        (move,) = game.texts(0, game.legal(state)[0], state)
        state = game.after(state, [move])
    assert game.fact_number(*game.facts(state)) >= 0


def with_few_moves(sheet: RuleSheet, most: int) -> RulesGame:
    """The game of a sheet with room for so many moves of each role."""
    program = compile_program(sheet)
    return RulesGame(sheet, game=Game.from_rules(replace(program, max_moves=np.full_like(program.max_moves, most))))


def test_a_move_for_which_there_is_no_room_is_an_error_and_not_taken_for_none() -> None:
    game = with_few_moves(parse_rules(WORDS), 2)
    assert len(game.legal(game.game.initial)[0]) == 2
    with pytest.raises(NativeError, match="more than 2 moves"):
        game.after(game.game.initial, ["(say c)"])
    assert game.number(0, "(say d)") == -1


def test_an_agent_begins_again_where_there_is_no_room_for_a_reported_move() -> None:
    logged, rooms, options = list[str](), [2, 3], PlayerOptions(strategy="uct", nodes_mb=16, seed=1)

    def make() -> tuple[TextGame, SearchConfig]:
        game = with_few_moves(parse_rules(WORDS), rooms.pop(0))
        return game, prepare_rules(game.game, options)

    it = NativeAgent(SearchBackend(Stage.RULES, make), "p", options.seed, logged.append)
    assert it.illegal_moves((), ("(say c)",)) == 1
    assert "more than 2 moves" in logged[0]
    assert it.go_to((("(say b)",),)).legal == ("(say a)",)
    assert rooms == []


@pytest.mark.parametrize(("engine_mb", "threads"), [(0, 6), (2048, 2), (512, 1)])
def test_a_search_by_rules_has_no_more_threads_than_memory_for_their_answers(engine_mb: int, threads: int) -> None:
    game = with_few_moves(parse_rules(WORDS), 3)
    options = PlayerOptions(strategy="uct", nodes_mb=16, threads=64, engine_mb=engine_mb)
    assert prepare_rules(game.game, options).threads == threads


def fill(game: RulesGame, moves: list[str], random: Random) -> None:
    """Plays a random game, whose facts get numbers."""
    state = game.game.initial
    for _ in range(20):
        state = game.after(state, [random.choice(moves)])


def test_where_no_random_game_can_be_played_a_legal_move_stays_in_hand() -> None:
    logged: list[str] = []
    it = agent(PIT, logged)
    position = it.go_to(())
    report = it.think(5.0)
    assert report.move in position.legal
    assert logged


def test_a_position_that_the_machine_cannot_work_out_is_an_error() -> None:
    logged: list[str] = []
    it = agent(PIT, logged)
    it.go_to(())
    with pytest.raises(NativeError, match="recurse"):
        it.go_to((JUMP,))


def test_a_match_goes_on_without_knowledge_that_contradicts_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    class Contradicted:
        """A search that finds out about its knowledge at its root."""

        def set_root(self, _state: object) -> None:
            raise NativeError("what is known of a state contradicts what is known of its children")

    knowledge: Any = object()
    real = assembly.new_search

    def new_search(config: SearchConfig, seed: int) -> Any:
        return Contradicted() if config.knowledge is knowledge else real(config, seed)

    monkeypatch.setattr(native_agent, "new_search", new_search)
    logged: list[str] = []
    options = PlayerOptions(strategy="uct", nodes_mb=16, seed=1)

    def make() -> tuple[TextGame, SearchConfig]:
        game, config = rules_backend(parse_rules(LISTS), options).make()
        return game, replace(config, knowledge=knowledge)

    it = NativeAgent(SearchBackend(Stage.RULES, make), "p", options.seed, logged.append)
    position = it.go_to(())
    assert "contradicts" in logged[0]
    assert it.think(0.05).move in position.legal


def opener() -> NativeAgent:
    """An agent that knows how the lock is opened."""
    it = agent(LOCK, [], strategy="puzzle")
    it.go_to(())
    it.take_plan(OPENING)
    it.think(0.01)
    return it


def test_a_plan_for_a_puzzle_is_taken_from_another_agent_and_followed() -> None:
    it = opener()
    assert it.plan == OPENING
    it.go_to(OPENING.moves[:1])
    assert it.plan == KnownPlan(90, OPENING.moves[1:])
    known = it.known()
    assert known is not None
    assert (known.move, known.value) == (OPENING.moves[1][0], 90)
    it.go_to((*OPENING.moves[:1], OPENING.moves[0]))
    assert it.plan == KnownPlan()


@pytest.mark.parametrize("moves", [OPENING.moves[:-1], (("(put d)",), *OPENING.moves[1:]), (("jump",),), ()])
def test_a_plan_that_does_not_hold_what_it_promises_is_not_taken(moves: History) -> None:
    it = agent(LOCK, [], strategy="puzzle")
    it.go_to(())
    it.take_plan(KnownPlan(90, moves))
    it.think(0.01)
    assert it.plan.goal < 90


def test_a_search_of_a_puzzle_begins_again_with_the_plan_that_it_had(monkeypatch: pytest.MonkeyPatch) -> None:
    it = opener()

    def fail(_self: object, _seconds: float) -> None:
        raise NativeError("it fails")

    with monkeypatch.context() as broken:
        broken.setattr(NativeAgent, "_run", fail)
        before, report = it.plan, it.think(0.01)
    assert report.move == OPENING.moves[0][0]
    it.go_to(OPENING.moves[:1])
    assert it.plan == KnownPlan(90, before.moves[1:])


def test_a_plan_is_kept_where_the_search_fails_on_the_way_to_a_position(monkeypatch: pytest.MonkeyPatch) -> None:
    it = opener()
    legal, failures = TextGame.legal, [NativeError("it fails")]

    def fail_once(self: TextGame, state: States) -> list[Numbers]:
        if failures:
            raise failures.pop()
        return legal(self, state)

    monkeypatch.setattr(TextGame, "legal", fail_once)
    it.go_to(OPENING.moves[:3])
    assert not failures
    assert it.plan == KnownPlan(90, OPENING.moves[3:])
