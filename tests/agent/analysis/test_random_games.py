"""Random games of broken and of degenerate games: what is wrong is found, with an example, and nothing fails."""

from __future__ import annotations

import math
import re
from collections.abc import Callable

import numpy as np
import pytest

from ludens import games
from ludens.agent.analysis.analysis import analyse, random_statistics
from ludens.agent.commands.analysis_report import report
from ludens.agent.commands.bench import measure
from ludens.agent.commands.random_game import show_game
from ludens.agent.learning.random_games import Ending, rounds
from ludens.agent.playable.game_view import game_view
from ludens.agent.playable.playable_game import PlayableGame, playable_game
from ludens.games.view.reader import PositionReader
from ludens.native.core import Game
from ludens.native.defaults import MAX_STEPS
from ludens.propnet.base.errors import LudensError
from ludens.propnet.compile.loader import Limits, load
from ludens.propnet.gdl.parser import parse_rules
from ludens.propnet.network.evaluate import Evaluator
from tests.support.waiting import PATIENCE

# After the second mark blue has no move; passing puts that off.
STUCK = """
(role red) (role blue) (init (n 0)) (succ 0 1) (succ 1 2) (succ 2 3)
(<= (legal red (mark ?x)) (true (n ?y)) (succ ?y ?x)) (<= (legal red pass) (true (n ?y)))
(<= (legal blue noop) (true (n ?x)) (distinct ?x 2))
(<= (next (n ?x)) (does red (mark ?x))) (<= (next (n ?x)) (true (n ?x)) (does red pass))
(<= terminal (true (n 3))) (<= (goal red 100) (true (n 3))) (<= (goal blue 0) (true (n 3)))
"""
NO_GOAL = """
(role a) (role b) (init on) (legal a go) (legal b go) (<= (next off) (true on))
(<= terminal (true off)) (<= (goal a 100) (true off))
"""
TWO_GOALS = NO_GOAL + "(goal b 0) (goal b 50)"
ENDLESS = """
(role a) (role b) (init on) (legal a go) (legal b go) (legal b run)
(<= (next on) (does b go)) (<= (next off) (does b run)) (<= terminal (true never)) (goal a 50) (goal b 50)
"""
VANISHING = """
(role a) (role b) (init (p 1)) (legal a go) (legal b go) (goal a 100) (goal b 0) (<= terminal (true (q 2)))
"""
DEGENERATE = {
    "facts vanish": VANISHING,
    "nothing but moves": "(role a) (role b) (legal a x) (legal a y) (legal b z) (goal a 50) (goal b 50)",
    "over at once": "(role a) (init (p 1)) (legal a go) (goal a 100) terminal",
    "no moves": "(role a) (init (p 1)) (<= (legal a go) (true (p 2))) (goal a 0) (<= terminal (true (p 3)))",
    "no moves for one": """
        (role a) (role b) (init (p 1)) (legal a go) (legal a stay) (<= (legal b go) (true (p 2)))
        (goal a 0) (goal b 0) (<= terminal (true (p 3)))""",
    "no goals": "(role a) (role b) (init on) (legal a x) (legal b x) (<= terminal (not (true on)))",
    "one state": "(role a) (init (p 1)) (next (p 1)) (legal a go) (<= terminal (true (p 1))) (goal a 100)",
    "no init": "(role a) (legal a go) (<= (next p) (does a go)) (<= terminal (true p)) (goal a 100)",
    "several goals": TWO_GOALS,
    "stuck": STUCK,
    "endless": ENDLESS,
}


def playable(rules: str) -> PlayableGame:
    return playable_game(parse_rules(rules), Limits(PATIENCE), lambda _line: None)


def reader(rules: str) -> PositionReader:
    return game_view("it", parse_rules(rules), None, seconds=0.0)


def interpreted(rules: str) -> PlayableGame:
    return playable_game(parse_rules(rules), Limits(seconds=0.0), lambda _line: None)


def test_results_of_some_of_the_games_say_so() -> None:
    sometimes = """
    (role a) (role b) (init on) (legal a go) (legal a stop) (legal b go) (<= (next off) (does a go))
    (<= (next out) (does a stop)) (<= terminal (not (true on))) (goal a 100) (<= (goal b 0) (true off))
    """
    playable = playable_game(parse_rules(sometimes), Limits(), lambda _step: None)
    shown = report("sometimes", "sometimes", analyse(playable, 0.5, lambda _step: None), verbose=False)
    said = r"  games +([\d,]+), .*  results +of the ([\d,]+) games at the end of which every role had a goal"
    found = re.search(said, shown, re.DOTALL)
    assert found is not None
    games_played, proper = (int(number.replace(",", "")) for number in found.groups())
    assert 0 < proper < games_played


@pytest.mark.parametrize("rules", DEGENERATE.values(), ids=DEGENERATE)
def test_degenerate_games_are_analysed_and_measured(rules: str) -> None:
    for it in (playable(rules), interpreted(rules)):
        analysis = analyse(it, 0.2, lambda _line: None)
        for verbose in (False, True):
            text = report("it", "it.kif", analysis, verbose=verbose)
            assert text.startswith("it: ")
            assert "nan" not in text
    assert measure("it", parse_rules(rules), seconds=0.02, lanes=0, threads=1).lanes > 0


def test_a_network_without_facts_can_be_evaluated() -> None:
    net = load(VANISHING)
    assert net.state_bits == 0
    evaluator = Evaluator(net)
    assert not evaluator.terminal(net.initial)
    assert evaluator.next(np.zeros((5, 0), np.bool_), np.zeros((5, 2), np.int32)).shape == (5, 0)


@pytest.mark.parametrize("make", [playable, interpreted])
def test_who_has_no_move_is_told_with_the_moves_that_led_there(make: Callable[[str], PlayableGame]) -> None:
    statistics, _ = random_statistics(make(STUCK), math.inf, games=20)
    [improper] = statistics.improper
    assert improper.ending is Ending.STUCK
    assert improper.games == statistics.games
    assert improper.roles == (("blue", statistics.games),)
    assert [joint for joint in improper.example if joint[0] != "pass"] == [("(mark 1)", "noop"), ("(mark 2)", "noop")]
    assert statistics.results == ()


def test_the_report_of_a_broken_game_says_what_is_wrong_first_and_how_to_see_it() -> None:
    it = playable(STUCK)
    lines = report(
        "broken", "my games/broken.kif", analyse(it, PATIENCE, lambda _line: None), verbose=False
    ).splitlines()
    assert lines[2].startswith("! blue has no legal move in 100.0 % of ")
    assert "(mark 1) | noop" in " ".join(lines[2:4])
    assert "  see one: ludens analyse 'my games/broken.kif' --show stuck" in lines


@pytest.mark.parametrize("rules", [NO_GOAL, TWO_GOALS])
def test_who_gets_no_goal_or_several_is_told(rules: str) -> None:
    [improper] = random_statistics(playable(rules), math.inf, games=1)[0].improper
    assert (improper.ending, improper.roles[0][0], improper.example) == (Ending.NO_GOAL, "b", (("go", "go"),))


def test_games_that_do_not_end_are_told() -> None:
    [improper] = random_statistics(playable(ENDLESS), math.inf, games=1)[0].improper
    assert (improper.ending, len(improper.example)) == (Ending.ENDLESS, MAX_STEPS)


def test_games_that_had_no_time_are_told_as_such() -> None:
    it = playable(ENDLESS)
    text = report("it", "it.kif", analyse(it, 1e-9, lambda _line: None), verbose=False)
    assert "! no random game was over when the time was up" in text


def test_a_sound_game_has_no_warnings() -> None:
    it = playable(games.read("tic_tac_toe"))
    assert "!" not in report("it", "it.kif", analyse(it, PATIENCE, lambda _line: None), verbose=True)


def test_a_game_that_went_wrong_is_shown_step_by_step() -> None:
    said: list[str] = []
    show_game(playable(STUCK), reader(STUCK), Ending.STUCK, math.inf, said.append)
    text = "\n".join(said)
    assert text.startswith("Start\n")
    assert "red (mark 2), blue noop" in text
    assert text.endswith("red has 2 legal moves; blue has no legal move.")


def test_a_long_game_is_shown_from_its_end() -> None:
    said: list[str] = []
    show_game(playable(ENDLESS), reader(ENDLESS), Ending.ENDLESS, math.inf, said.append)
    assert f"… {MAX_STEPS - 20:,} steps …" in "\n".join(said)


def test_an_ending_that_does_not_occur_cannot_be_shown() -> None:
    with pytest.raises(LudensError, match=r"none of .* ended so"):
        rules = games.read("tic_tac_toe")
        show_game(playable(rules), reader(rules), Ending.STUCK, 0.1)


def test_the_same_seed_plays_the_same_games_whatever_the_time() -> None:
    game = Game.from_propnet(load(games.read("connect_four")))
    first, second = (next(rounds(game, deadline)) for deadline in (math.inf, math.inf))
    assert all(np.array_equal(a.joint, b.joint) for a, b in zip(first.steps, second.steps, strict=True))


def test_bench_tells_how_many_games_were_never_over() -> None:
    measured = measure("it", parse_rules(STUCK), seconds=0.02, lanes=0, threads=1)
    assert measured.improper_share == 1
