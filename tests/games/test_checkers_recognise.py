"""Checkers recognised by what a network does, and refused where it is not quite checkers."""

from __future__ import annotations

import pytest

from ludens import games
from ludens.agent.manager.scramble import Scrambler
from ludens.games.checkers.recognition.recognise import RecognisedRules, recognise
from ludens.games.checkers.rules.parameters import CheckersRules, Forcing, Jumps, goal_table
from ludens.propnet.base.errors import NotRecognisedError, UnprovenError
from ludens.propnet.compile.loader import load
from ludens.propnet.gdl.parser import parse_rules
from tests.support.paths import real_sheets

ENGLISH = CheckersRules(forcing=Forcing.ANY, jumps=Jumps.BY_PLIES, idle_limit=40)


def _recognise(text: str, seed: int | None = None) -> RecognisedRules:
    sheet = parse_rules(text)
    if seed is not None:
        sheet = Scrambler(sheet, seed).scramble(sheet)
    return recognise(load(sheet), seconds=60, positions=400, games=16)


@pytest.mark.parametrize("seed", [None, 1, 2, 3])
def test_the_built_in_sheet_is_recognised_whatever_its_words(seed: int | None) -> None:
    found = _recognise(games.read("english_draughts"), seed)
    assert found.rules == ENGLISH
    assert found.proof.games == 16
    assert found.proof.plies > 500


def test_a_proof_needs_time() -> None:
    net = load(parse_rules(games.read("english_draughts")))
    with pytest.raises(UnprovenError, match="only 0 games could be compared"):
        recognise(net, seconds=0, positions=10)


CHANGED = [
    ("another limit", "(true (idle 40))", "(true (idle 38))", {"idle_limit": 38}),
    ("the other begins", "(init (control black))", "(init (control white))", {"first_role": 1}),
    (
        "goals for who is stuck",
        "(<= (goal ?player 0)\n    (not mobile)",
        "(<= (goal ?player 10)\n    (not mobile)",
        {"stuck_goals": (10, 100)},
    ),
    (
        "other goals for a draw",
        "(<= (goal ?player 50)\n    (role ?player)",
        "(<= (goal black 49)\n    mobile)\n(<= (goal white 50)",
        {"goals": goal_table(lambda _up, _down: (49, 50))},
    ),
    (
        "a man less",
        "(dark ?x ?y) (home black ?y)",
        "(dark ?x ?y) (home black ?y) (distinct ?x 5)",
        {"start": (0xBFB, 0xFFF00000, 0)},
    ),
]


@pytest.mark.parametrize(("old", "new", "changes"), [case[1:] for case in CHANGED], ids=[case[0] for case in CHANGED])
def test_changes_within_the_family_are_recognised_as_such(old: str, new: str, changes: dict[str, object]) -> None:
    text = games.read("english_draughts")
    assert text.count(old) == 1
    rules = _recognise(text.replace(old, new)).rules
    assert {name: getattr(rules, name) for name in changes} == changes


REFUSED = [
    ("captures by choice in mid-chain", "(calm ?player)\n    (walks", "(true (control ?player))\n    (walks"),
    ("crowned a rank early", "(crown white 1)", "(crown white 2)"),
    (
        "kings go three ways",
        "(king ?player ?king)\n    (way ?way))",
        "(king ?player ?king) (way ?way) (distinct ?way southwest))",
    ),
    ("men go back", "(forward black northeast)", "(forward black southeast) (forward black northeast)"),
    ("blind on one side", "(able ?way ?x ?y)\n    (theirs", "(able ?way ?x ?y) (distinct ?way northwest)\n    (theirs"),
    ("men make no progress", "(<= progress\n    (not king_moves))", ""),
    ("who is crowned goes on", "(<= (agile ?way)\n    king_moves", "(<= (agile ?way)\n    (role ?player)"),
    (
        "one square is safe",
        "    (not (taken ?x ?y)))\n",
        "    (not (taken ?x ?y)))\n(<= (next (cell 4 4 ?p)) (true (cell 4 4 ?p)) (taken 4 4))\n",
    ),
    (
        "a step off the board",
        "(<= (legal ?player noop)",
        "(<= (legal ?player (move 8 2 9 1)) (true (control ?player)) (true (cell 8 2 black_king)))\n"
        "(<= (legal ?player noop)",
    ),
    (
        "a step to squares of the other colour",
        "(<= (legal ?player noop)",
        "(<= (legal ?player (move 8 2 8 3)) (true (control ?player)) (true (cell 8 2 black_king)))\n"
        "(<= (legal ?player noop)",
    ),
    (
        "a long step that only a lone king may make",
        "(<= (legal ?player noop)",
        "(<= others (true (cell ?x ?y black_man)))\n(<= (legal black (move 8 2 6 4)) (true (control black))"
        " (true (cell 8 2 black_king)) (not others))\n(<= (legal ?player noop)",
    ),
    (
        "the same step in other words",
        "(<= (legal ?player noop)",
        "(<= (legal ?player (walk 3 3 4 4)) (true (control ?player)) (true (cell 3 3 black_king)))\n"
        "(<= (legal ?player noop)",
    ),
    (
        "giving up",
        "(<= (legal ?player noop)",
        "(<= (legal ?player resign) (true (control ?player)) (true (idle 39)))\n(<= (legal ?player noop)",
    ),
    (
        "nobody steps to or from the last file",
        "(<= (walks ?x ?y ?u ?v)\n    (step ?way ?x ?y ?u ?v)",
        "(<= (walks ?x ?y ?u ?v)\n    (step ?way ?x ?y ?u ?v) (distinct ?x 8) (distinct ?u 8)",
    ),
    (
        "who is stuck at the limit draws",
        "(<= mobile\n    capture)",
        "(<= mobile\n    capture)\n(<= mobile\n    (true (idle 40)))",
    ),
    (
        "a king on one square wins",
        "(<= terminal\n    (not mobile))",
        "(<= terminal (not mobile)) (<= terminal (true (cell 4 8 black_king)))",
    ),
]


@pytest.mark.parametrize(("old", "new"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED])
def test_changes_that_leave_the_family_are_refused(old: str, new: str) -> None:
    text = games.read("english_draughts")
    assert text.count(old) == 1
    with pytest.raises(NotRecognisedError):
        _recognise(text.replace(old, new))


@pytest.mark.parametrize("name", ["breakthrough", "reversi", "connect_four", "tron_four", "rock_paper_scissors"])
def test_other_games_are_refused(name: str) -> None:
    with pytest.raises(NotRecognisedError):
        _recognise(games.read(name))


@pytest.mark.parametrize(
    ("name", "width", "jumps", "forcing"),
    [
        ("checkers-mustjump", 8, Jumps.UP_TO_THREE, Forcing.LONGEST),
        ("checkersTorus", 8, Jumps.ONE, Forcing.ANY),
        ("englishDraughts", 8, Jumps.BY_PLIES, Forcing.ANY),
    ],
)
def test_real_sheets_are_recognised(name: str, width: int, jumps: Jumps, forcing: Forcing) -> None:
    rules = _recognise(real_sheets()[name].read_text(encoding="utf-8")).rules
    assert (rules.width, rules.jumps, rules.forcing) == (width, jumps, forcing)
