"""The machine that interprets rules: it agrees with the oracle, which shares no code with it, state for state."""

from __future__ import annotations

import dataclasses
import itertools
import random
import re
import sys
import threading
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from ludens import games
from ludens.native.core import Game, Search, Simulator, States, pack_bits, unpack_bits
from ludens.propnet.base.errors import GdlError, NativeError
from ludens.propnet.gdl.interpreter import Interpreter
from ludens.propnet.gdl.interpreter import State as Facts
from ludens.propnet.gdl.parser import parse_rules, parse_term
from ludens.propnet.gdl.sampling import SamplingInterpreter
from ludens.propnet.gdl.syntax import Atom, Rule, RuleSheet, Term
from ludens.propnet.rewrite.rule_program import MAX_FACTS, RuleProgram, compile_program
from tests.support.many_moves import MILLION, PUT_FREE, PUT_FREE_PAIRS, PUT_SIX, PUT_TWO_CELLS
from tests.support.processor import in_own_process, resident_bytes

COUNTER = """
(role p)
(init (count 0))
(up 0 1) (up 1 2) (up 2 3) (up 3 4)
(<= (next (count ?n)) (true (count ?m)) (up ?m ?n))
(<= terminal (true (count 4)))
"""

SHEETS = {
    "a loop of links walked in both directions": """
        (link a b) (link b c) (link c a) (link c d) (link e f)
        (<= (legal p (cut ?x ?y)) (link ?x ?y) (not (true (gone ?x ?y))))
        (<= (next (gone ?x ?y)) (does p (cut ?x ?y)))
        (<= (next (gone ?x ?y)) (true (gone ?x ?y)))
        (<= (open ?x ?y) (link ?x ?y) (not (true (gone ?x ?y))))
        (<= (left ?x ?y) (open ?x ?y))
        (<= (left ?x ?z) (left ?x ?y) (open ?y ?z))
        (<= (right ?x ?y) (open ?x ?y))
        (<= (right ?x ?z) (open ?x ?y) (right ?y ?z))
        (<= (both ?x ?z) (both ?x ?y) (both ?y ?z))
        (<= (both ?x ?y) (open ?x ?y))
        (<= (next (saw left ?x ?y)) (left ?x ?y))
        (<= (next (saw right ?x ?y)) (right ?x ?y))
        (<= (next (saw both ?x ?y)) (both ?x ?y))
        (<= (next (back ?x)) (left ?x a))
        (<= (next (forth ?x)) (right a ?x))
        (<= (goal p 100) (both a d))
        (<= (goal p 10) (not (both a d)))
    """,
    "relations that call each other": """
        (next_to 0 1) (next_to 1 2) (next_to 2 3) (next_to 3 0) (next_to 3 4)
        (<= (legal p (start ?x)) (next_to ?x ?y))
        (<= (next (at ?x)) (does p (start ?x)))
        (<= (next (at ?y)) (true (at ?x)) (next_to ?x ?y) (true (count 2)))
        (<= (even ?x) (true (at ?x)))
        (<= (even ?y) (odd ?x) (next_to ?x ?y))
        (<= (odd ?y) (even ?x) (next_to ?x ?y))
        (<= (next (parity even ?x)) (even ?x))
        (<= (next (parity odd ?x)) (odd ?x))
        (<= (goal p 50) (even 4) (odd 4))
        (<= (goal p 20) (not (even 4)))
        (<= (goal p 30) (even 4) (not (odd 4)))
    """,
    "negation that only ground atoms stratify": """
        (<= (legal p a))
        (<= (legal p b) (not (true (was b))))
        (<= (next (was ?m)) (does p ?m))
        (<= (goal p 100) (not (goal p 0)))
        (<= (goal p 0) (true (was b)))
        (beats 0 1) (beats 1 2) (beats 2 3) (beats 4 5)
        (<= (wins ?x) (beats ?x ?y) (not (wins ?y)))
        (<= (next (winner ?x)) (wins ?x))
    """,
    "nested disjunction, negation and equality": """
        (digit 1) (digit 2) (digit 3)
        (<= (legal p (pick ?x ?y)) (digit ?x) (digit ?y) (or (distinct ?x ?y) (and (true (count 2)) (digit ?x))))
        (<= (next (has ?x)) (does p (pick ?x ?y)))
        (<= (next (has ?x)) (true (has ?x)) (not (and (true (count 2)) (not (does p (pick 1 ?x))))))
        (<= (next (same ?x ?y)) (digit ?x) (digit ?y) (not (distinct ?x ?y)) (true (has ?y)))
        (<= (next quiet) (not (or (true (has 1)) (true (has 2)))))
        (<= (next (pair ?x ?y)) (or (true (has ?x)) (does p (pick ?x ?z))) (digit ?y) (not (true (has ?y))))
        (<= (goal p 1) (not (or (true quiet) (not (true (has 3))))))
        (<= (goal p 2) (or (true quiet) (not (true (has 3)))))
    """,
    "tests written before what binds them": """
        (digit 1) (digit 2)
        (<= (legal p (pick ?x)) (not (true (has ?x))) (distinct ?x 3) (digit ?x))
        (<= (legal p none))
        (<= (next (has ?x)) (not (true (count 3))) (distinct ?x ?y) (does p (pick ?x)) (true (count ?y)))
        (<= (goal p ?n) (distinct ?n 3) (true (count ?n)))
    """,
    "lists and other nested terms": """
        (init (stack (cons a (cons b nil))))
        (letter a) (letter b) (letter c)
        (<= (legal p (push ?x)) (letter ?x))
        (<= (legal p pop) (true (stack (cons ?x ?rest))))
        (<= (next (stack (cons ?x ?rest))) (does p (push ?x)) (true (stack ?rest)))
        (<= (next (stack ?rest)) (does p pop) (true (stack (cons ?x ?rest))))
        (<= (tail ?s) (true (stack ?s)))
        (<= (tail ?s) (tail (cons ?x ?s)))
        (<= (member ?x ?s) (tail ?s) (starts ?s ?x ?rest))
        (<= (member ?x ?s) (tail ?s) (starts ?s ?y ?rest) (member ?x ?rest))
        (<= (starts (cons ?x ?s) ?x ?s) (tail (cons ?x ?s)))
        (<= (next (top ?x)) (true (stack (cons ?x ?rest))))
        (<= (next (twice ?x)) (true (stack (cons ?x (cons ?x ?rest)))))
        (<= (goal p 100) (true (stack ?s)) (member c ?s))
        (<= (goal p 0) (true (stack ?s)) (not (member c ?s)))
    """,
    "facts and moves as a whole": """
        (init (on 1)) (init off)
        (<= (legal p (turn ?f)) (true ?f))
        (<= (legal p wait))
        (<= (next ?f) (true ?f) (distinct ?f off) (not (counts ?f)) (not (does p (turn ?f))))
        (<= (next (last ?m)) (does p ?m))
        (<= (next off) (does ?r wait))
        (<= (counts (count ?n)) (true (count ?n)))
        (<= (next (allowed ?m)) (legal p ?m) (distinct ?m wait))
        (<= (goal p 60) (true off))
    """,
    "a first state and goals that rules derive": """
        (digit 1) (digit 2) (digit 3)
        (<= (init (cell ?x ?y)) (digit ?x) (digit ?y) (distinct ?x ?y))
        (<= (legal p (take ?x ?y)) (true (cell ?x ?y)))
        (<= (next (cell ?x ?y)) (true (cell ?x ?y)) (not (does p (take ?x ?y))))
        (<= (row ?x) (true (cell ?x ?y)))
        (<= (next (clear ?x)) (digit ?x) (not (row ?x)))
        (<= (score 1 50)) (score 2 70) (score 2 80)
        (<= (goal p ?n) (score ?x ?n) (not (row ?x)))
    """,
    "two roles at once, one of which can be stuck": """
        (role q)
        (<= (legal p (bid ?n)) (up ?n ?m) (not (true (spent p ?n))))
        (<= (legal q (bid ?n)) (up ?n ?m) (not (true (spent q ?n))) (not (true (spent p 2))))
        (<= (next (spent ?r ?n)) (does ?r (bid ?n)))
        (<= (next (spent ?r ?n)) (true (spent ?r ?n)))
        (<= (next tie) (does p ?m) (does q ?m))
        (<= (goal p 100) (not (true tie)))
        (<= (goal q 100) (true tie))
    """,
}

BUILT_IN = (
    "amazons",
    "breakthrough_small",
    "connect_four",
    "english_draughts",
    "hex_small",
    "pentago",
    "knightthrough",
)


class Replay:
    """A game of rules beside the oracle, with all facts and moves as terms."""

    def __init__(self, text: str) -> None:
        sheet = parse_rules(text)
        self.oracle = Interpreter(sheet)
        self.game = Game.from_rules(compile_program(sheet))
        self.simulator = Simulator(self.game, lanes=1)

    def facts(self, state: States) -> Facts:
        bits = np.flatnonzero(unpack_bits(state, self.game.state_bits))
        return frozenset(parse_term(self.game.text(int(bit))) for bit in bits)

    def legal(self, state: States) -> list[set[Term]]:
        return [
            {parse_term(self.game.text(int(move), role)) for move in np.flatnonzero(legal[0])}
            for role, legal in enumerate(self.simulator.legal(state))
        ]

    def compare(self, state: States, facts: Facts) -> list[list[Term]]:
        """Asserts that all agree in one state; the oracle's legal moves."""
        roles = self.oracle.roles
        legal = [self.oracle.legal(facts, role) for role in roles]
        goals = [-1 if goal is None else goal for goal in self.oracle.goals(facts)]
        assert self.facts(state) == facts
        assert self.legal(state) == list(map(set, legal))
        assert bool(self.simulator.terminal(state)[0]) == self.oracle.terminal(facts)
        assert self.simulator.goals(state)[0].tolist() == goals
        return legal

    def play(self, seed: int, max_steps: int) -> int:
        """Plays one random game and returns its length."""
        chance = random.Random(seed)
        state, facts = self.game.initial, self.oracle.initial()
        for step in range(max_steps):
            legal = self.compare(state, facts)
            if self.oracle.terminal(facts) or not all(legal):
                return step
            moves = [chance.choice(choices) for choices in legal]
            joint = [self.game.number(str(move), role) for role, move in enumerate(moves)]
            state = self.simulator.next(state, np.array([joint], np.int32))[0]
            facts = self.oracle.next(facts, moves)
        self.compare(state, facts)
        return max_steps


def counted(name: str) -> str:
    return COUNTER + SHEETS[name]


@pytest.fixture(scope="module")
def tic_tac_toe() -> Iterator[Game]:
    yield Game.from_rules(compile_program(parse_rules(games.read("tic_tac_toe"))))


@pytest.mark.parametrize("name", SHEETS)
def test_it_agrees_with_the_oracle_about(name: str) -> None:
    replay = Replay(counted(name))
    assert max(replay.play(seed, 10) for seed in range(8)) >= 2


@pytest.mark.parametrize("name", BUILT_IN)
def test_it_agrees_with_the_oracle_on_the_built_in_game(name: str) -> None:
    assert Replay(games.read(name)).play(1, 12) == 12


def test_it_plays_a_whole_game_as_the_oracle_does() -> None:
    replay = Replay(games.read("tic_tac_toe"))
    assert {replay.play(seed, 20) for seed in range(10)} <= set(range(5, 10))


def test_the_same_seed_plays_the_same_games_whatever_the_number_of_lanes(tic_tac_toe: Game) -> None:
    few, again, many = (Simulator(tic_tac_toe, lanes=n, seed=5).record() for n in (3, 3, 70))
    other = Simulator(tic_tac_toe, lanes=3, seed=6).record()
    for lane in range(3):
        np.testing.assert_array_equal(few[lane], again[lane])
        np.testing.assert_array_equal(few[lane], many[lane])
    assert any(a.tolist() != b.tolist() for a, b in zip(few, other, strict=True))


def test_random_moves_are_uniform() -> None:
    faces = 6
    sheet = "(role p) (init start) (<= (goal p 0)) (<= terminal (not (true start)))"
    sheet += "".join(f"(<= (legal p (roll {n})))" for n in range(faces))
    game = Game.from_rules(compile_program(parse_rules(sheet)))
    first = [moves[0, 0] for moves in Simulator(game, lanes=6000, seed=1).record()]
    counts = np.bincount(first, minlength=faces)
    assert len(counts) == faces
    assert np.abs(counts - 1000).max() < 150  # five standard deviations


def test_random_games_end_with_the_goals_of_the_rules(tic_tac_toe: Game) -> None:
    played = Simulator(tic_tac_toe, seed=3).playouts(2000)
    assert played.count >= 2000
    assert played.stuck == 0
    assert played.goal_means.sum() == pytest.approx(100)
    assert played.goal_means[0] == pytest.approx(64.8, abs=4)  # 58.5 % won and 12.7 % drawn by the first player
    assert played.mean_length == pytest.approx(7.6, abs=0.2)


def test_a_search_finds_the_winning_move(tic_tac_toe: Game) -> None:
    threat = ["(cell 1 1 cross)", "(cell 1 2 cross)", "(cell 2 1 nought)", "(cell 2 2 nought)", "(control cross)"]
    state = np.zeros(tic_tac_toe.state_words, np.uint64)
    for text in threat:
        bit = tic_tac_toe.number(text)
        assert bit is not None
        state[bit // 64] |= np.uint64(1) << np.uint64(bit % 64)
    search = Search(tic_tac_toe, threads=2, memory_bytes=1 << 24, seed=1)
    search.set_root(state)
    search.run(playouts=4000)
    moves = search.root_moves(0)
    assert tic_tac_toe.text(int(moves.moves[moves.best]), 0) == "(mark 1 3)"


def test_facts_and_moves_have_numbers_and_texts(tic_tac_toe: Game) -> None:
    number = tic_tac_toe.number("( mark  2 3 )", 0)
    assert number is not None
    assert tic_tac_toe.text(number, 0) == "(mark 2 3)"
    assert tic_tac_toe.number("(mark 2 3)", 0) == number
    assert number < tic_tac_toe.numbered(0) <= tic_tac_toe.moves[0]
    Simulator(tic_tac_toe).playouts(20)
    assert 10 <= tic_tac_toe.numbered() <= tic_tac_toe.state_bits


@pytest.mark.parametrize(
    "text", ["(mark 2 elsewhere)", "(mark 2 \ud800)", "(mark 2", "mark", "", "(mark 1 1) x", "((mark))"]
)
def test_what_the_rules_cannot_say_has_no_number(tic_tac_toe: Game, text: str) -> None:
    assert tic_tac_toe.number(text, 0) is None


def test_unknown_numbers_and_roles_are_refused(tic_tac_toe: Game) -> None:
    with pytest.raises(NativeError, match="no such move"):
        tic_tac_toe.text(tic_tac_toe.moves[1], 1)
    with pytest.raises(NativeError, match="no such role"):
        tic_tac_toe.numbered(2)


def test_the_room_for_facts_and_moves_comes_from_the_rules(tic_tac_toe: Game) -> None:
    assert tic_tac_toe.state_bits == 3 * 3 * 2 + 2
    assert tic_tac_toe.moves == (10, 10)
    nested = compile_program(parse_rules(counted("lists and other nested terms")))
    assert nested.max_facts == MAX_FACTS


def test_more_facts_than_there_is_room_for_are_refused() -> None:
    program = compile_program(parse_rules(counted("facts and moves as a whole")))
    with pytest.raises(NativeError, match="more than 2 facts"):
        Game.from_rules(dataclasses.replace(program, max_facts=2))


def test_more_moves_than_there_is_room_for_are_refused() -> None:
    program = compile_program(parse_rules(games.read("tic_tac_toe")))
    game = Game.from_rules(dataclasses.replace(program, max_moves=np.array([8, 1], np.int32)))
    with pytest.raises(NativeError, match="more than 8 moves"):
        Simulator(game).legal(game.initial)


def test_a_text_that_there_is_no_room_for_is_refused() -> None:
    program = compile_program(parse_rules(games.read("tic_tac_toe")))
    game = Game.from_rules(dataclasses.replace(program, max_moves=np.array([2, 1], np.int32)))
    assert [game.number(f"(mark 1 {row})", 0) for row in (1, 2)] == [0, 1]
    with pytest.raises(NativeError, match="more than 2 moves"):
        game.number("(mark 1 3)", 0)
    assert game.number("(mark 1 1)", 0) == 0
    assert game.number("(mark 1 9)", 0) is None


def test_code_that_is_no_program_is_refused() -> None:
    program = compile_program(parse_rules(games.read("tic_tac_toe")))
    for cut in (1, 2, 5):
        with pytest.raises(NativeError, match="rules:"):
            Game.from_rules(dataclasses.replace(program, code=program.code[:-cut]))
    with pytest.raises(NativeError, match="no such"):
        Game.from_rules(dataclasses.replace(program, code=program.code + np.int32(500)))


def test_ground_atoms_that_deny_themselves_are_refused() -> None:
    sheet = """
        (role p) (init s) (<= (legal p a)) (<= terminal (odd s))
        (<= (odd ?x) (true ?x) (not (even ?x)))
        (<= (even ?x) (true ?x) (not (odd ?x)))
    """
    game = Game.from_rules(compile_program(parse_rules(sheet)))
    with pytest.raises(NativeError, match="not stratified"):
        Simulator(game).terminal(game.initial)


def test_a_variable_that_nothing_binds_is_refused() -> None:
    sheet = "(role p) (init s) (<= (legal p ?x) (distinct ?x a)) (<= terminal (true s))"
    with pytest.raises(NativeError, match="no positive condition binds"):
        Game.from_rules(compile_program(parse_rules(sheet)))


def test_recursion_that_never_ends_is_refused() -> None:
    sheet = "(role p) (init (n 0)) (<= (legal p a)) (<= terminal (big 0)) (<= (big ?x) (big (s ?x)))"
    game = Game.from_rules(compile_program(parse_rules(sheet)))
    with pytest.raises(NativeError, match="recurse too deeply"):
        Simulator(game).terminal(game.initial)


def test_relations_that_ask_for_each_other_in_a_long_chain_are_an_error_and_no_crash() -> None:
    length = 20_000
    chain = [Rule(Atom(f"r{i}"), (Atom(f"r{i + 1}"),)) for i in range(length)]
    ends = f"(role p) (init s) (<= (legal p a)) (<= terminal r0) (<= r{length} (true s))"
    game = Game.from_rules(compile_program(RuleSheet((*parse_rules(ends).rules, *chain))))
    with pytest.raises(NativeError, match="recurse too deeply"):
        Simulator(game).terminal(game.initial)


def recurse_on_small_stacks() -> int:
    """How many questions without an end are refused to threads with small stacks."""
    sheet = "(role p) (init (n 0)) (<= (legal p a)) (<= terminal (big 0)) (<= (big ?x) (big (s ?x)))"
    game = Game.from_rules(compile_program(parse_rules(sheet)))
    refusals = [on_small_stack(kibibytes, lambda: Simulator(game).terminal(game.initial)) for kibibytes in (256, 1024)]
    return sum("recurse too deeply for the small stack" in told for told in refusals)


def nest_on_a_small_stack() -> int:
    """Whether a fact that grows with every step is refused to a thread with a small stack."""
    sheet = "(role p) (init (n 0)) (<= (legal p a)) (<= (next (n (s ?x))) (true (n ?x))) (<= terminal (true (n 1)))"
    game = Game.from_rules(compile_program(parse_rules(sheet)))
    told = on_small_stack(256, lambda: Simulator(game, 1).playouts(1, max_steps=10_000))
    return int("nested too deeply" in told)


def on_small_stack(kibibytes: int, work: Callable[[], object]) -> str:
    """The error of what a thread with such a stack does."""
    told = list[str]()

    def noted() -> None:
        try:
            work()
        except NativeError as error:
            told.append(str(error))

    threading.stack_size(kibibytes << 10)
    thread = threading.Thread(target=noted)
    thread.start()
    thread.join()
    return " ".join(told)


def test_recursion_is_refused_before_it_leaves_a_small_stack() -> None:
    assert in_own_process(recurse_on_small_stacks) == 2


def test_terms_that_grow_are_refused_before_they_take_more_than_a_small_stack() -> None:
    assert in_own_process(nest_on_a_small_stack) == 1


def test_after_an_error_a_machine_answers_as_if_nothing_had_happened() -> None:
    sheet = """
        (role p) (init ok) (<= (legal p a)) (<= (next bad) (true ok))
        (<= terminal (true bad) (big 0)) (<= (big ?x) (big (s ?x)))
        (<= (goal p 70) (true ok)) (<= (goal p 30) (true bad))
    """
    game = Game.from_rules(compile_program(parse_rules(sheet)))
    simulator = Simulator(game)
    bad = pack_bits(np.arange(game.state_bits) == game.number("bad"))
    for _ in range(40):
        with pytest.raises(NativeError, match="recurse too deeply"):
            simulator.terminal(np.stack([bad, bad]))
        assert not simulator.terminal(game.initial)[0]
        assert simulator.goals(game.initial).tolist() == [[70]]


def test_facts_and_moves_that_were_never_seen_are_refused(tic_tac_toe: Game) -> None:
    unseen = np.full(tic_tac_toe.state_words, np.iinfo(np.uint64).max)
    with pytest.raises(NativeError, match="no such fact"):
        Simulator(tic_tac_toe).legal(unseen)
    game = Game.from_rules(compile_program(parse_rules(games.read("connect_four"))))
    assert game.numbered(0) < game.moves[0]
    with pytest.raises(NativeError, match="no such move"):
        Simulator(game).next(game.initial, np.array([[game.moves[0] - 1, 0]]))


def test_terms_nested_without_end_are_refused(tic_tac_toe: Game) -> None:
    with pytest.raises(NativeError, match="nested too deeply"):
        tic_tac_toe.number("(" * 1_000_000, 0)


def _names(count: int, kind: str = "x") -> str:
    return " ".join(f"{kind}{i}" for i in range(count))


def _disjunction(count: int) -> str:
    both = f"(true (f {_names(40, '?x')})) (true (f {_names(count - 40, '?y')}))"
    return f"(<= (p a) {both} (or (and {both} (true s)) (and {both} (not (true s)))))"


@pytest.mark.parametrize(
    ("rule", "most", "message"),
    [
        (lambda count: f"(p {_names(count)})", 64, "p has more than 64 arguments"),
        (lambda count: f"(init (board {_names(count)}))", 64, "board has more than 64 arguments"),
        (lambda count: f"(<= (p a) {'(true s)' * count})", 1000, "this rule has more than 1,000 conditions"),
        (_disjunction, 64, "a relation that stands for a disjunction here has more than 64 arguments"),
    ],
)
def test_what_is_too_large_for_the_machine_is_told_with_its_place(
    rule: Callable[[int], str], most: int, message: str
) -> None:
    def program(count: int) -> RuleProgram:
        return compile_program(parse_rules(f"(role r) (init s) (legal r a)\n {rule(count)} (<= terminal (p a))"))

    Game.from_rules(program(most))
    with pytest.raises(GdlError, match=f"line 2, column 2: {message}"):
        program(most + 1)


@pytest.mark.parametrize("lanes", [-1, 10**6])
def test_lanes_have_a_range(tic_tac_toe: Game, lanes: int) -> None:
    with pytest.raises(NativeError, match="lanes"):
        Simulator(tic_tac_toe, lanes=lanes)


def test_recursion_may_be_a_thousand_calls_deep() -> None:
    steps = " ".join(f"(up {i} {i + 1})" for i in range(1000))
    sheet = f"(role p) (init s) {steps} (<= (legal p a)) (number 0) (<= (number ?y) (up ?x ?y) (number ?x))"
    game = Game.from_rules(compile_program(parse_rules(sheet + "(<= terminal (number 1000))")))
    assert Simulator(game).terminal(game.initial)[0]


SAMPLED = [MILLION, PUT_SIX, PUT_FREE, PUT_FREE_PAIRS, PUT_TWO_CELLS]


@pytest.mark.parametrize("text", SAMPLED)
def test_of_very_many_legal_moves_a_game_draws_some_the_same_for_the_same_state(text: str) -> None:
    rules = Interpreter(parse_rules(text))
    program = compile_program(parse_rules(text), sampled=True)
    drawn = []
    for _ in range(2):
        game = Game.from_rules(program)
        legal = Simulator(game, lanes=1).legal(game.initial)[0][0]
        moves = {game.text(int(number), 0) for number in np.flatnonzero(legal)}
        assert len(moves) == game.sample == program.sample
        drawn.append(moves)
    assert drawn[0] == drawn[1]
    columns = np.array([re.findall(r"\d+", move) for move in drawn[0]], np.int32).T
    assert min(len(set(column)) for column in columns.tolist()) > 10  # spread over all of them
    assert (np.abs(np.corrcoef(columns) - np.identity(len(columns))) < 0.3).all()
    state = SamplingInterpreter(parse_rules(text), random.Random(1))
    assert all(state.is_legal(rules.initial(), rules.roles[0], parse_term(move)) for move in drawn[0])


@pytest.mark.parametrize("text", SAMPLED)
def test_random_games_make_moves_that_are_drawn_for_their_states(text: str) -> None:
    game = Game.from_rules(compile_program(parse_rules(text), sampled=True))
    one, other = Simulator(game, lanes=64), Simulator(game, lanes=1)
    begun = [joints for joints in one.record(max_steps=3) if len(joints) == 3]
    states = np.repeat(game.initial[None], len(begun), axis=0)
    for step in zip(*begun, strict=True):
        legal = other.legal(states)
        for role in range(game.roles):
            made = np.array(step)[:, role]
            assert len(set(made.tolist())) > 1 or legal[role].sum(axis=1).max() == 1
            assert legal[role][range(len(made)), made].all()
        states = one.next(states, np.array(step))


def test_a_single_move_beside_very_many_is_seldom_made_at_random() -> None:
    sheet = MILLION + "(<= (legal r resign) (true (turn r)))"
    game = Game.from_rules(compile_program(parse_rules(sheet), sampled=True))
    simulator, resign = Simulator(game, lanes=64), game.number("resign", 0)
    made = [int(joints[0][0]) for _ in range(4) for joints in simulator.record(max_steps=1)]
    assert resign is not None and simulator.legal(game.initial)[0][0][resign]
    assert len(made) == 256
    assert made.count(resign) < 20


@pytest.mark.parametrize("text", [PUT_FREE, PUT_TWO_CELLS])
def test_in_states_that_are_alike_a_game_draws_the_same_moves(text: str) -> None:
    """Or there would soon be no room for more of them."""
    game = Game.from_rules(compile_program(parse_rules(text), sampled=True))
    Simulator(game, lanes=1, seed=1).playouts(300)
    assert game.sample < game.numbered(0) < 6_000  # moves in 6,000 states


@pytest.mark.skipif(sys.platform != "linux", reason="memory is told as Linux shows it")
def test_moves_drawn_for_a_state_take_memory_no_longer_than_it() -> None:
    assert in_own_process(bytes_of_drawn_moves) < 2 << 20


def bytes_of_drawn_moves() -> int:
    game = Game.from_rules(compile_program(parse_rules(PUT_SIX), sampled=True))
    simulator = Simulator(game, lanes=1)
    states = np.repeat(game.initial[None], 100, axis=0)
    simulator.legal(states)
    before = resident_bytes()
    for _ in range(4):
        simulator.legal(states)
    return resident_bytes() - before


@pytest.mark.skipif(sys.platform != "linux", reason="memory is told as Linux shows it")
def test_moves_that_there_is_no_room_for_take_no_memory() -> None:
    assert in_own_process(bytes_of_refused_moves) < 1 << 20


def bytes_of_refused_moves() -> int:
    program = compile_program(parse_rules(PUT_SIX), sampled=True)
    game = Game.from_rules(dataclasses.replace(program, max_moves=np.array([1], np.int32)))
    assert game.number("(put 1 1 1 1 1 1)", 0) == 0
    before = resident_bytes()
    for a, b, c, d in itertools.product(range(1, 21), repeat=4):
        with pytest.raises(NativeError, match="more than 1 moves"):
            game.number(f"(put 2 2 {a} {b} {c} {d})", 0)
    assert game.number("(put 1 1 1 1 1 1)", 0) == 0
    assert game.numbered(0) == 1
    return resident_bytes() - before


def test_a_game_draws_no_moves_where_it_can_list_them() -> None:
    """Its moves are estimated at a million, but from the start few are legal."""
    sheet = parse_rules(MILLION + "(<= (legal s wait) (true (turn s)))")
    few = parse_rules(MILLION.replace("(num ?x) (num ?y)", "(num ?x) (num ?y) (small ?x) (small ?y)") + "(small 1)")
    assert Game.from_rules(compile_program(sheet, sampled=True)).sample > 0
    assert Game.from_rules(compile_program(few, sampled=True)).sample == 0
    assert Game.from_rules(compile_program(sheet)).sample == 0
