"""The views of games as players and pages use them: with a network, and facts as the rules have them."""

from __future__ import annotations

from ludens import games
from ludens.agent.playable.game_view import FullFacts, game_view
from ludens.propnet.compile.loader import load
from ludens.propnet.gdl.interpreter import Interpreter
from ludens.propnet.gdl.parser import parse_rules, parse_term

CLUES = """
(role robot) (init (cell 1 1 5)) (init (cell 2 2 7)) (init (cell 1 2 empty)) (init (cell 2 1 empty))
(<= (legal robot (put ?x ?y 3)) (true (cell ?x ?y empty)))
(<= (next (cell ?x ?y 3)) (does robot (put ?x ?y 3)))
(<= (next (cell ?x ?y ?n)) (true (cell ?x ?y ?n)) (not (taken ?x ?y)))
(<= (taken ?x ?y) (does robot (put ?x ?y 3)))
(<= terminal (not open)) (<= open (true (cell ?x ?y empty))) (goal robot 100)
"""


def test_what_a_network_leaves_out_because_it_always_holds_is_on_the_board() -> None:
    net = load(CLUES)
    assert "(cell 1 1 5)" not in net.propositions
    reader = game_view("clues", parse_rules(CLUES), net, seconds=0.05)
    facts = [fact for fact, holds in zip(net.propositions, net.initial, strict=True) if holds]
    position = reader.read(facts, [list(net.moves[0])], terminal=False)
    on = {place.id: key for place, key in zip(reader.view.boards[0].places, position.boards[0], strict=True)}
    assert (on["1 1"], on["2 2"], on["1 2"]) == ("5", "7", None)


def test_full_facts_are_those_of_the_oracle_whichever_way_one_goes() -> None:
    sheet = parse_rules(games.read("tic_tac_toe"))
    oracle, facts = Interpreter(sheet), FullFacts(sheet)
    joints = [("(mark 1 1)", "noop"), ("noop", "(mark 2 2)"), ("(mark 3 1)", "noop")]
    expected, state = [], oracle.initial()
    for joint in [*joints, None]:
        expected.append(sorted(map(str, state)))
        if joint:
            state = oracle.next(state, list(map(parse_term, joint)))
    for length in (0, 2, 3, 1, 1, 3):
        assert list(facts.at(tuple(joints[:length]))) == expected[length]
