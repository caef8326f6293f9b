"""Games of k in a row recognised by what a network does, and refused where they are not quite such games."""

from __future__ import annotations

import itertools
import re
from types import SimpleNamespace
from typing import Any

import pytest

from ludens import games
from ludens.agent.manager.scramble import Scrambler
from ludens.games.gomoku import recognition
from ludens.games.gomoku.game import GomokuRecogniser
from ludens.games.gomoku.recognition import _Prover, find_grid, recognise
from ludens.games.gomoku.rules import Bools, GomokuRules
from ludens.games.registry import candidates
from ludens.games.registry import recognise as recognise_any
from ludens.native.core import Simulator, States
from ludens.propnet.base.errors import NotRecognisedError, UnprovenError
from ludens.propnet.compile.loader import load
from ludens.propnet.gdl.parser import parse_rules
from ludens.propnet.network.propnet import Propnet

BLANKS = """
(role x) (role o)
(col a) (col b) (col c) (col d) (col e) (col f) (row 1) (row 2) (row 3) (row 4) (row 5)
(after a b) (after b c) (after c d) (after d e) (after e f) (after 1 2) (after 2 3) (after 3 4) (after 4 5)
(<= (init (cell ?c ?r b)) (col ?c) (row ?r))
(init (control o))
(<= (legal ?p (mark ?r ?c)) (true (control ?p)) (true (cell ?c ?r b)))
(<= (legal x noop) (true (control o)))
(<= (legal o noop) (true (control x)))
(<= (next (cell ?c ?r ?p)) (does ?p (mark ?r ?c)))
(<= (next (cell ?c ?r ?p)) (true (cell ?c ?r ?p)) (role ?p))
(<= (next (cell ?c ?r b)) (true (cell ?c ?r b)) (not (taken ?c ?r)))
(<= (taken ?c ?r) (does ?p (mark ?r ?c)))
(<= (next (control x)) (true (control o)))
(<= (next (control o)) (true (control x)))
(<= (line ?p) (true (cell ?a ?r ?p)) (after ?a ?b) (true (cell ?b ?r ?p)) (after ?b ?c) (true (cell ?c ?r ?p))
    (after ?c ?d) (true (cell ?d ?r ?p)))
(<= (line ?p) (true (cell ?c ?a ?p)) (after ?a ?b) (true (cell ?c ?b ?p)) (after ?b ?d) (true (cell ?c ?d ?p))
    (after ?d ?e) (true (cell ?c ?e ?p)))
(<= (line ?p) (true (cell ?a ?r ?p)) (after ?a ?b) (after ?r ?s) (true (cell ?b ?s ?p)) (after ?b ?c) (after ?s ?t)
    (true (cell ?c ?t ?p)) (after ?c ?d) (after ?t ?u) (true (cell ?d ?u ?p)))
(<= (line ?p) (true (cell ?a ?u ?p)) (after ?a ?b) (after ?t ?u) (true (cell ?b ?t ?p)) (after ?b ?c) (after ?s ?t)
    (true (cell ?c ?s ?p)) (after ?c ?d) (after ?r ?s) (true (cell ?d ?r ?p)))
(<= won (line x)) (<= won (line o))
(<= room (true (cell ?c ?r b)))
(<= terminal won)
(<= terminal (not room))
(<= (goal ?p 90) (line ?p) (role ?p))
(<= (goal x 5) (line o))
(<= (goal o 7) (line x))
(<= (goal ?p 40) (role ?p) (not won))
"""  # four in a row on 5 x 6 cells; o begins, and goals are uneven

BOARD = re.compile(r"\((index|succ) \d+( \d+)?\)")


def gomoku(size: int) -> str:
    """Returns the built-in sheet on another board."""
    indices = " ".join(f"(index {i})" for i in range(1, size + 1))
    steps = " ".join(f"(succ {i} {i + 1})" for i in range(1, size))
    return BOARD.sub("", games.read("gomoku")) + indices + steps


def network(text: str, seed: int | None = None) -> Propnet:
    sheet = parse_rules(text)
    return load(sheet if seed is None else Scrambler(sheet, seed).scramble(sheet))


FAMILY = [
    ("tic_tac_toe", games.read("tic_tac_toe"), GomokuRules(3, 3, 3)),
    ("blanks", BLANKS, GomokuRules(5, 6, 4, first_role=1, goals=((5, 90), (90, 7), (40, 40)))),
    ("gomoku 5", gomoku(5), GomokuRules(5, 5, 5)),
    ("gomoku 6", gomoku(6), GomokuRules(6, 6, 5)),
    ("gomoku 7", gomoku(7), GomokuRules(7, 7, 5)),
    ("gomoku 11", gomoku(11), GomokuRules(11, 11, 5)),
    ("gomoku 15", games.read("gomoku"), GomokuRules(15, 15, 5)),
]


@pytest.mark.parametrize("seed", [None, 1, 2])
@pytest.mark.parametrize(("text", "rules"), [case[1:] for case in FAMILY], ids=[case[0] for case in FAMILY])
def test_it_is_recognised_whatever_the_words(text: str, rules: GomokuRules, seed: int | None) -> None:
    found = recognise(network(text, seed), seconds=600, games=16)
    assert found.games == 16
    assert found.positions > 100
    expected = {rules.rows, rules.columns}
    assert {found.rules.rows, found.rules.columns} == expected
    assert found.rules.length == rules.length
    assert found.rules.exact == rules.exact
    assert found.rules.first_role == rules.first_role
    assert found.rules.goals == rules.goals


def test_exact_rows_are_recognised() -> None:
    """Each of the four ways to have a row asks for the cells beyond its ends, as far as there are any."""
    text = BLANKS.replace("(<= (line ?p)", "(<= (any ?p)")
    steps = {
        "flat": ("(after ?a ?b)", "(same ?r ?s)"),
        "high": ("(same ?a ?b)", "(after ?r ?s)"),
        "up": ("(after ?a ?b)", "(after ?r ?s)"),
        "down": ("(after ?a ?b)", "(after ?s ?r)"),
    }
    rules = [
        f"(<= (step {name} ?a ?r ?b ?s) (col ?a) (col ?b) (row ?r) (row ?s) {across} {along})"
        for name, (across, along) in steps.items()
    ]
    rules += [
        "(<= (same ?v ?v) (col ?v))",
        "(<= (same ?v ?v) (row ?v))",
        "(<= (held ?w ?a ?r ?p) (step ?w ?z ?q ?a ?r) (true (cell ?z ?q ?p)) (role ?p))",
        "(<= (holds ?w ?a ?r ?p) (step ?w ?a ?r ?b ?s) (true (cell ?b ?s ?p)) (role ?p))",
        "(<= (line ?p) (role ?p) (true (cell ?a ?r ?p)) (step ?w ?a ?r ?b ?s) (true (cell ?b ?s ?p))"
        " (step ?w ?b ?s ?c ?t) (true (cell ?c ?t ?p)) (step ?w ?c ?t ?d ?u) (true (cell ?d ?u ?p))"
        " (not (held ?w ?a ?r ?p)) (not (holds ?w ?d ?u ?p)))",
    ]
    found = recognise(network(text + "\n".join(rules), 3), seconds=600, games=16)
    assert found.rules.exact
    assert found.rules.length == 4


REFUSED = [
    ("a hole", "(<= (init (cell ?c ?r b)) (col ?c) (row ?r))", "(<= (init (cell ?c ?r b)) (col ?c) (row ?r) "
     "(or (distinct ?c c) (distinct ?r 3)))", "without holes"),
    ("a diagonal is missing", "(after ?c ?d) (after ?r ?s) (true (cell ?d ?r ?p)))",
     "(after ?c ?d) (after ?r ?s) (true (cell ?d ?r ?p)) (distinct ?a a))", "along a diagonal do not end the game"),
    ("rows of three on the rim win", "(<= won (line x))",
     "(<= (line x) (true (cell a 1 x)) (true (cell b 1 x)) (true (cell c 1 x)))\n(<= won (line x))",
     "differ"),
    ("o cannot win", "(<= won (line x)) (<= won (line o))", "(<= won (line x))", "no row of 3 to 7 stones"),
    ("it ends with two cells left", "(<= room (true (cell ?c ?r b)))",
     "(<= room (true (cell ?c ?r b)) (distinct ?c f))", "differ"),
    ("a row with both corners is a draw", "(<= (goal ?p 90) (line ?p) (role ?p))",
     "(<= (goal ?p 90) (line ?p) (role ?p) (not both))\n(<= (goal ?p 60) (line ?p) (role ?p) both)\n"
     "(<= both (true (cell a 1 x)) (true (cell f 5 x)))", "goals differ"),
    ("the middle is for o", "(<= (legal ?p (mark ?r ?c)) (true (control ?p)) (true (cell ?c ?r b)))",
     "(<= (legal ?p (mark ?r ?c)) (true (control ?p)) (true (cell ?c ?r b)) (or (distinct ?c c) (distinct ?p x)))",
     "other moves than"),
    ("a stone beside two others changes its colour", "(<= (next (cell ?c ?r ?p)) (true (cell ?c ?r ?p)) (role ?p))",
     "(<= (next (cell ?c ?r ?p)) (true (cell ?c ?r ?p)) (role ?p) (not (lost ?c ?r)))\n"
     "(<= (next (cell a 1 o)) (lost a 1))\n(<= (lost a 1) (true (cell a 1 x)) (does o (mark 2 a)))", "differ"),
    ("x may swap once", "(<= (legal x noop) (true (control o)))",
     "(<= (legal x noop) (true (control o)))\n(<= (legal x swap) (true (control x)) (true (cell a 1 o)))",
     "other moves than to place a stone and to wait"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "reason"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED])
def test_what_merely_looks_like_it_is_refused(old: str, new: str, reason: str) -> None:
    assert BLANKS.count(old) == 1
    with pytest.raises(NotRecognisedError, match=reason):
        recognise(network(BLANKS.replace(old, new)), seconds=600, games=256)


def test_a_game_whose_first_role_has_no_moves_is_refused() -> None:
    net: Any = SimpleNamespace(roles=("a", "b"), moves=((), ("go",)))
    with pytest.raises(NotRecognisedError, match="no moves name a row and a column"):
        find_grid(net)


@pytest.mark.parametrize("name", ["hex_small", "connect_four", "reversi", "nim", "english_draughts", "amazons"])
def test_other_games_are_refused(name: str) -> None:
    with pytest.raises(NotRecognisedError):
        recognise(network(games.read(name)), seconds=600, games=16)


def test_finding_the_rows_needs_time() -> None:
    with pytest.raises(UnprovenError, match=r"the rows that end the game could not be found in 0\.0 s"):
        recognise(network(BLANKS), seconds=0, games=16)


def test_a_proof_needs_time(monkeypatch: pytest.MonkeyPatch) -> None:
    moments = itertools.repeat(0.0)
    made_up = _Prover.made_up

    def long_made_up(prover: _Prover, count: int) -> int:
        nonlocal moments
        moments = itertools.repeat(20.0)
        return made_up(prover, count)

    monkeypatch.setattr(recognition, "time", SimpleNamespace(monotonic=lambda: next(moments)))
    monkeypatch.setattr(_Prover, "made_up", long_made_up)
    with pytest.raises(UnprovenError, match=r"only 0 games could be compared in 10\.0 s"):
        recognise(network(BLANKS), seconds=10, games=16)


def test_rows_of_wide_boards_are_looked_for_in_little_memory_and_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """A row of the board has 26,334 sets of five cells. The clock goes on by a second whenever it is looked at."""
    net, moments, most, terminal = network(gomoku(22)), itertools.count(), 0, Simulator.terminal

    def noted(simulator: Simulator, states: States) -> Bools:
        nonlocal most
        most = max(most, len(states))
        return terminal(simulator, states)

    monkeypatch.setattr(recognition, "time", SimpleNamespace(monotonic=lambda: next(moments)))
    monkeypatch.setattr(Simulator, "terminal", noted)
    with pytest.raises(UnprovenError, match="could not be found in 20"):
        recognise(net, seconds=20, games=16)
    assert most <= 1024


def test_rows_that_are_looked_for_in_several_steps_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recognition, "_AT_ONCE", 7)
    assert recognise(network(BLANKS), seconds=600, games=16).rules.rows == 5


def test_the_table_of_recognisers_has_it() -> None:
    found = recognise_any(network(BLANKS), 600, games=4)
    assert isinstance(found.recogniser, GomokuRecogniser)
    assert found.game is not None
    assert str(found.game).startswith("4 in a row on 5 × 6 cells; proven on 4 games and ")


def test_moves_keep_their_words() -> None:
    net = network(BLANKS, 5)
    assert any(isinstance(each, GomokuRecogniser) for each in candidates(net))
    game = GomokuRecogniser().recognise(net, 600, 4)
    native = game.native_game()
    waiting = native.moves[0] - 1
    assert [game.move_number(role, game.move_text(role, 7, native.initial)) for role in (0, 1)] == [7, 7]
    assert [game.move_text(role, waiting, native.initial) in net.moves[role] for role in (0, 1)] == [True, True]
    assert game.move_number(0, "(no such move)") == -1
    legal = Simulator(native).legal(native.initial)
    assert [int(moves.sum()) for moves in legal] == [1, 30]
