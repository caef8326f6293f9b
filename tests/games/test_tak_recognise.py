"""Tak recognised by what a network does, and refused where it is not quite Tak."""

from __future__ import annotations

import random
import re
from dataclasses import replace

import numpy as np
import pytest

from ludens import games
from ludens.agent.manager.scramble import Scrambler
from ludens.agent.preparation.prepare_untimed import prepare_on_core
from ludens.agent.preparation.recognition import recognised_game
from ludens.agent.settings.options import PlayerOptions
from ludens.games.registry import candidates
from ludens.games.registry import recognise as recognise_any
from ludens.games.tak.built_in_sheets import move_text, usual_game
from ludens.games.tak.game import RecognisedTak, TakRecogniser
from ludens.games.tak.match_notation import PtnNotation
from ludens.games.tak.recognition.moves import count_possible_moves, possible_moves
from ludens.games.tak.recognition.recognise import recognise
from ludens.games.tak.rules.parameters import Placement, Spread, TakError, TakRules
from ludens.games.tak.rules.rare_ends import double_roads
from ludens.native.core import Game, Simulator
from ludens.propnet.base.errors import NotRecognisedError, UnprovenError
from ludens.propnet.compile.loader import load
from ludens.propnet.gdl.parser import parse_rules
from scripts.verify.tak_sheets import PLY_LIMIT

TAK = games.read("tak_3")
SECONDS = 100.0  # more than is ever needed


def changed(*pairs: tuple[str, str]) -> str:
    """Returns the sheet of 3 x 3 squares with some of its text replaced."""
    text = TAK
    for there, other in pairs:
        assert there in text
        text = text.replace(there, other)
    return text


def reworded(text: str) -> str:
    """Returns a sheet whose moves have other arguments in another order."""
    text = re.sub(r"\(place (\S+) (\S+) ([^\s()]+)\)", r"(put \3 (at \2 \1))", text)
    return re.sub(r"\(spread (\S+) (\S+) (\S+) ([^\s()]+)\)", r"(go (with \4 \3) \2 \1)", text)


@pytest.mark.parametrize("size", [3, 4, pytest.param(5, marks=pytest.mark.slow)])
@pytest.mark.parametrize("seed", [None, 11])
def test_tak_is_recognised_in_any_words(size: int, seed: int | None) -> None:
    sheet = parse_rules(games.read(f"tak_{size}"))
    net = load(Scrambler(sheet, seed).scramble(sheet) if seed else sheet)
    assert [found.name for found in candidates(net)] == ["tak"]
    found = recognise_any(net, SECONDS, games=64)
    assert isinstance(found.recogniser, TakRecogniser) and set(found.refusals) == {"checkers", "k in a row"}
    words = f"Tak on {size} x {size} squares, at most {PLY_LIMIT} plies; proven on 64 games"
    assert str(found.game).startswith(words)


def test_other_arguments_of_moves_make_no_difference() -> None:
    net = load(reworded(TAK))
    assert "(put flat (at 1 a))" in net.moves[0]
    assert recognise(net, SECONDS, games=16).rules == TakRules(3, ply_limit=PLY_LIMIT)


def test_moves_keep_their_words_and_mean_what_they_say() -> None:
    rules, game = TakRules(4, ply_limit=PLY_LIMIT), TakRecogniser().recognise(load(games.read("tak_4")), SECONDS, 16)
    native, rng = game.native_game(), random.Random(4)
    simulator = Simulator(native)
    state = native.initial
    seen = set()
    while not simulator.terminal(state)[0]:
        legal = [rows[0].nonzero()[0].tolist() for rows in simulator.legal(state)]
        for role, numbers in enumerate(legal):
            texts = [game.move_text(role, number, state) for number in numbers]
            assert [game.move_number(role, text) for text in texts] == numbers
            moves = [rules.move(number) for number in numbers]
            assert texts == [move_text(rules, move) if move else "noop" for move in moves]
            seen |= {type(move) for move in moves}
        state = simulator.next(state, np.array([rng.choice(numbers) for numbers in legal], np.int32))[0]
    assert {Placement, Spread} < seen
    assert game.move_number(0, "(place a 1 dome)") == -1


def test_the_game_on_its_core_ends_as_that_of_the_sheet() -> None:
    net = load(TAK)
    game = TakRecogniser().recognise(net, SECONDS, 16)
    played = [Simulator(each, seed=2).playouts(4000) for each in (Game.from_propnet(net), game.native_game())]
    assert abs(played[0].mean_length - played[1].mean_length) < 1
    assert abs(played[0].goal_means[0] - played[1].goal_means[0]) < 5


def test_matches_are_written_and_read_in_ptn() -> None:
    game = TakRecogniser().recognise(load(TAK), SECONDS, 16)
    notation, rules = game.reader, TakRules(3, ply_limit=PLY_LIMIT)
    assert isinstance(notation, PtnNotation) and game.writer is notation
    (line, _) = double_roads(rules)
    joint = [("noop", move_text(rules, move))[:: 1 if ply % 2 else -1] for ply, move in enumerate(line)]
    assert notation.move(joint[0]) == "white a2" and notation.move(joint[4]) == "white a1+"
    assert notation.move(("noop", "noop")) == "noop noop"
    text = notation.match(("Ann", "Ben"), joint, (100, 0), 0)
    assert '[Player1 "Ann"]' in text and '[Date "1970.01.01"]' in text and text.rstrip().endswith("a2-\nR-0")
    match = notation.read(text)
    assert match.players == ("Ann", "Ben") and match.ends
    every = [list(moves) for moves in load(TAK).moves]
    assert [match.next(every) for _ in joint] == joint and match.next(every) is None
    with pytest.raises(TakError, match="is no legal move"):
        notation.read(text).next([["noop"], ["noop"]])
    assert usual_game(text) == "tak_3"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('[Size "4"]', "the game is Tak on 4 x 4 squares, and not Tak on 3 x 3"),
        ('[Size "3"]\n[Komi "1"]', "komi 1, and not"),
        ('[TPS "x3/x3/1,2,x 1 2"]', "begins in a position in TPS"),
        ('[Size "3"]\n1. a1 a1', "line 2, column 7: 'a1' is not legal"),
    ],
)
def test_other_games_in_ptn_are_refused(text: str, told: str) -> None:
    reader = TakRecogniser().recognise(load(TAK), SECONDS, 16).reader
    assert reader is not None
    with pytest.raises(TakError, match=told):
        reader.read(text)


def test_auto_plays_it_on_the_core_without_a_network() -> None:
    net = load(games.read("tak_4"))
    settings = PlayerOptions()
    told: list[str] = []
    assert recognised_game(net, replace(settings, strategy="uct"), told.append) is None
    game = recognised_game(net, settings, told.append)
    assert isinstance(game, RecognisedTak) and not [line for line in told if "tak" in line]
    config = prepare_on_core(game, settings)
    assert config.strategy == "td" and config.weights is None
    assert prepare_on_core(game, replace(settings, strategy="td", weights="shipped")).weights is not None


@pytest.mark.parametrize("half_komi", [-1, 1, 2])
def test_komi_is_found(half_komi: int) -> None:
    equal = "(tally white c 3 ?n) (tally black c 3 ?n)"
    one = "(tally white c 3 ?n) (tally black c 3 ?m) (succ ?m ?n)"
    rules = {
        -1: f"(<= (ahead white) {equal})",
        1: f"(<= (ahead black) {equal})",
        2: f"(<= (ahead black) {equal}) (<= narrow {one})",
    }
    text = TAK + rules[half_komi]
    if half_komi == 2:
        text = text.replace("    (more ?m ?n))\n", "    (more ?m ?n)\n    (not (narrowly ?player)))\n", 1)
        text += "(<= (narrowly white) narrow)"
    assert recognise(load(text), SECONDS, games=16).rules == TakRules(3, half_komi, PLY_LIMIT)


@pytest.mark.parametrize(("moves", "limit"), [(31, 60), (None, 0)])
def test_the_limit_of_plies_is_found(moves: int | None, limit: int) -> None:
    ending = "(<= terminal\n    (true (move 101)))"
    text = changed((ending, f"(<= terminal (true (move {moves})))" if moves else ""))
    assert recognise(load(text), SECONDS, games=16).rules == TakRules(3, ply_limit=limit)


@pytest.mark.parametrize("counted", [False, True])
def test_flats_must_not_count_at_a_limit_that_random_games_do_not_reach(counted: bool) -> None:
    further = " ".join(f"(succ {number} {number + 1})" for number in range(101, 401))
    text = changed(("(distinct ?m 101)", "(distinct ?m 401)"), ("(true (move 101))", "(true (move 401))")) + further
    if counted:
        with pytest.raises(NotRecognisedError, match="goals differ"):
            recognise(load(text + "(<= counted (true (move 401)) (not decided))"), SECONDS, games=16)
    else:
        assert recognise(load(text), SECONDS, games=16).rules == TakRules(3, ply_limit=800)


@pytest.mark.parametrize(
    "pairs",
    [
        [("(reserve white 10)", "(reserve white 9)")],
        [("    (not (true (wall ?x ?y))))\n(<= (joined", ")\n(<= (joined")],
        [
            (
                "    (opponent ?player ?mover)\n    (true (control ?mover)))\n(<= (built",
                "    (true (control ?player)))\n(<= (built",
            )
        ],
        [("(goal ?player 100)", "(goal ?player 90)")],
        [
            (
                "    (true (control ?mover))\n    opening\n    (opponent ?mover ?player)",
                "    (true (control ?player))\n    opening",
            )
        ],
        [("    (not opening)\n    (free", "    (free")],
        [("(joined ?player up ?x 3)", "(joined ?player up ?x 2)")],
        [("    (in_hand ?h ?player))", "    (in_hand ?d ?player))")],
        [("    (not (blocked ?u ?v))\n    (clear ?u", "    (clear ?u")],
        [("(<= terminal\n    full)", "")],
    ],
)
def test_what_is_not_quite_tak_is_refused(pairs: list[tuple[str, str]]) -> None:
    with pytest.raises(NotRecognisedError):
        recognise(load(changed(*pairs)), SECONDS, games=600)


@pytest.mark.parametrize("size", range(3, 9))
def test_possible_moves_are_counted_without_being_listed(size: int) -> None:
    assert count_possible_moves(TakRules(size)) == len(possible_moves(TakRules(size)))


def test_too_little_time_is_no_proof() -> None:
    with pytest.raises(UnprovenError, match="could not be told apart in time"):
        recognise(load(TAK), 0.0)


@pytest.mark.parametrize("name", ["tic_tac_toe", "hex_small", "breakthrough", "gomoku", "nim"])
def test_other_games_do_not_look_like_tak(name: str) -> None:
    net = load(games.read(name))
    assert not TakRecogniser().looks_alike(net)
    with pytest.raises(NotRecognisedError, match="other numbers of moves"):
        recognise(net, SECONDS)
