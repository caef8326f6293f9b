"""Profiles of games against facts known by hand, under any names; what is called proven against brute force."""

from __future__ import annotations

import dataclasses
import math
from functools import cache

import numpy as np
import pytest

from ludens import games
from ludens.agent.analysis.analysis import random_statistics
from ludens.agent.analysis.game_statistics import GameStatistics
from ludens.agent.analysis.profile import GameProfile, Verdict, profile
from ludens.agent.manager.scramble import Scrambler
from ludens.agent.playable.playable_game import PlayableGame, playable_game
from ludens.agent.playable.text_game import NetworkGame
from ludens.native.core import Game, Simulator, unpack_bits
from ludens.propnet.analysis.composition import CompositionError
from ludens.propnet.analysis.control import autonomous
from ludens.propnet.analysis.dynamics import changes, stays
from ludens.propnet.base.arrays import BoolArray
from ludens.propnet.compile.loader import Limits, Loaded, load
from ludens.propnet.gdl.parser import parse_rules
from ludens.propnet.network.evaluate import Evaluator
from ludens.propnet.network.propnet import Propnet
from ludens.propnet.passes import reopen
from ludens.propnet.policies.decisive import winning_moves
from tests.support.factored_sheets import ONE_OF_ROWS, TWO_ROWS
from tests.support.waiting import PATIENCE

SECONDS = 120.0  # more than enough, also on a busy machine
PROVEN, SAMPLED = Verdict(True, proven=True), Verdict(True, proven=False)
REFUTED = Verdict(False, proven=True)

# Two lamps, each with a switch and a fuse of its own; the game is over when both fuses have gone.
LAMPS = """
(role p) (init (lamp a on)) (init (lamp b on)) (init (fuse a)) (init (fuse b)) (which a) (which b)
(<= (legal p (flip ?x)) (true (fuse ?x)))
(<= (legal p (blow ?x)) (true (fuse ?x)))
(<= (next (lamp ?x on)) (which ?x) (not (true (lamp ?x on))) (does p (flip ?x)))
(<= (next (lamp ?x on)) (true (lamp ?x on)) (not (does p (flip ?x))))
(<= (next (fuse ?x)) (true (fuse ?x)) (not (does p (blow ?x))))
(<= (next (blown ?x)) (true (blown ?x)))
(<= (next (blown ?x)) (does p (blow ?x)))
(<= (next tick) (not (true tick)))
(<= terminal (not (true (fuse a))) (not (true (fuse b))))
(<= both (true (blown a)) (true (blown b)) (true (lamp a on)) (true (lamp b on)) (true tick))
(<= (goal p 100) both) (<= (goal p 30) (true (blown a)) (not both)) (<= (goal p 0) (not (true (blown a))))
"""


@cache
def network(name: str) -> Propnet:
    return load(LAMPS if name == "lamps" else games.read(name))


def analysed(net: Propnet, seconds: float = SECONDS) -> GameProfile:
    playable = PlayableGame(NetworkGame(net), Loaded(net, ()))
    statistics, kept = random_statistics(playable, math.inf, games=1000)
    return profile(net, playable.game.game, statistics, kept, seconds)


@cache
def known(name: str) -> GameProfile:
    return analysed(network(name))


@cache
def random_games(name: str) -> GameStatistics:
    return random_statistics(playable(games.read(name)), math.inf, games=1000)[0]


def playable(rules: str) -> PlayableGame:
    return playable_game(parse_rules(rules), Limits(PATIENCE), lambda _line: None)


def random_states(net: Propnet) -> list[BoolArray]:
    """Some games, state by state to the end."""
    game = Game.from_propnet(net)
    simulator = Simulator(game, 64, seed=9)
    found = []
    for joint_moves in simulator.record(max_steps=200)[:20]:
        states = [game.initial]
        for joint in joint_moves:
            states.append(simulator.next(states[-1], joint)[0])
        found.append(unpack_bits(np.array(states), net.state_bits))
    return found


@pytest.mark.parametrize(
    ("name", "alternating", "constant_sum", "cycle"),
    [
        ("connect_four", PROVEN, PROVEN, [("red",), ("yellow",)]),
        ("tic_tac_toe", PROVEN, PROVEN, None),
        ("breakthrough", PROVEN, PROVEN, [("white",), ("black",)]),
        ("nim", PROVEN, PROVEN, [("first",), ("second",)]),
        ("pentago", PROVEN, PROVEN, [("white",), ("white",), ("black",), ("black",)]),
        ("english_draughts", SAMPLED, PROVEN, []),
        ("tron", REFUTED, PROVEN, []),
        ("goofspiel", REFUTED, PROVEN, []),
        ("rock_paper_scissors", REFUTED, None, []),
        ("eight_puzzle", PROVEN, REFUTED, []),
        ("connect_four_three", PROVEN, None, None),
    ],
)
def test_turns_and_goals(
    name: str, alternating: Verdict, constant_sum: Verdict | None, cycle: list[tuple[str, ...]] | None
) -> None:
    it = known(name)
    assert it.puzzle == (len(it.roles) == 1)
    assert it.alternating == alternating
    assert constant_sum in (None, it.constant_sum)
    turning = [control for control in it.control if control.cycle > 1]
    assert len(turning) <= 1
    if cycle is not None:
        assert [list(control.choosers) for control in turning] == ([cycle] if cycle else [])
    else:
        assert len(turning[0].choosers) == len(it.roles)


def test_steps_are_counted() -> None:
    [counter] = [control for control in known("lights_out").control if control.cycle == 1]
    assert counter.line == 11
    assert "(pressed 0)" in counter.propositions


def test_stones_stay_and_men_at_the_end_of_the_board_do_not_come_back() -> None:
    it = known("connect_four")
    assert it.latches_true is not None
    assert len(it.latches_true) == 84
    assert not it.latches_false
    it = known("breakthrough")
    assert it.latches_true is not None
    assert it.latches_false is not None
    assert set(it.latches_true) == {
        f"(cell {x} {y} {who})" for x in range(1, 9) for y, who in ((1, "black"), (8, "white"))
    }
    assert set(it.latches_false) == {
        f"(cell {x} {y} {who})" for x in range(1, 9) for y, who in ((8, "black"), (1, "white"))
    }


def test_sub_games_latches_flips_and_settled_goals_of_a_game_made_for_it() -> None:
    it = known("lamps")
    assert it.flips == ("tick",)
    assert it.latches_true == ("(blown a)", "(blown b)")
    assert it.latches_false == ("(fuse a)", "(fuse b)")
    assert it.factors is not None
    by_lamp = {tuple(sorted(facts)) for facts, moves in it.factors if moves == 3}  # the third is to leave it alone
    assert by_lamp == {(f"(blown {x})", f"(fuse {x})", f"(lamp {x} on)") for x in "ab"}
    net, circuit = network("lamps"), reopen(network("lamps"))
    found = changes(circuit, math.inf)
    blown = net.propositions.index("(blown a)")
    assert stays(circuit, found, 2 * (1 + blown))
    assert not stays(circuit, found, 2 * (1 + blown) + 1)
    assert not it.settled_goals


def test_games_in_one_piece_have_no_sub_games_and_heaps_are_games_of_their_own() -> None:
    assert [known(name).factors for name in ("connect_four", "tic_tac_toe")] == [(), ()]
    assert known("connect_four").apart == ""
    heaps = known("nim").factors
    assert heaps is not None
    assert sorted(len(facts) for facts, _ in heaps) == [1, 3, 5, 7]


@pytest.mark.parametrize(
    ("rules", "told"),
    [
        (TWO_ROWS, "searched in 2 independent parts, whose goals add up"),
        (ONE_OF_ROWS, "searched in 2 independent parts, of which the first to end decides"),
        (LAMPS, "planned part by part"),
        (games.read("nim"), "searched in one piece: the game does not end when one part does"),
        (
            ONE_OF_ROWS.replace("(goal ?p 100) (pair top ?p)", "(goal ?p 100) (pair top ?p) (free low 3)"),
            "searched in one piece: goals depend on more than the part that ends",
        ),
    ],
)
def test_it_tells_how_a_game_with_sub_games_is_played_or_why_not(rules: str, told: str) -> None:
    assert analysed(load(rules)).apart == told


def test_pieces_and_who_moves_them() -> None:
    [board] = known("breakthrough").boards
    assert (board.form, board.cells, board.captures) == ("(cell * * ?)", 64, True)
    assert dict(board.owners) == {"white": "white", "black": "black"}
    board = known("english_draughts").boards[0]
    assert board.captures
    assert dict(board.owners) == {f"{who}_{piece}": who for who in ("black", "white") for piece in ("man", "king")}
    [board] = [board for board in known("connect_four").boards if board.cells == 42]
    assert not board.captures
    [board] = known("eight_puzzle").boards
    assert (board.cells, board.always) == (9, True)


def test_a_step_to_the_last_rank_wins_always_and_other_steps_may_by_taking_the_last_man() -> None:
    it = known("breakthrough")
    assert it.killer_moves is not None
    white = [move for role, move in it.killer_moves if role == "white"]
    assert len(white) == 22
    assert all(move.endswith("8)") for move in white)
    assert known("connect_four").killer_moves == ()
    assert it.winning_moves is not None
    assert it.winning_moves >= len(it.killer_moves)


def test_means_over_random_games() -> None:
    it = random_games("connect_four")
    assert it.games == sum(count for _, count in it.outcomes) > 1000
    assert it.mean_length == pytest.approx(21.3, abs=0.7)
    assert (it.shortest, it.longest) == (7, 42)
    assert it.branching == pytest.approx(6.8, abs=0.2)
    assert sum(games for _, games in it.lengths) == it.games
    assert sum(choices * times for choices, times in it.choices) / sum(times for _, times in it.choices) == it.branching
    assert it.forced == pytest.approx(0.001, abs=0.001)
    assert it.first_mover == "red"
    assert {sum(goals) for goals, _ in it.outcomes} == {100}
    assert not it.improper
    assert random_games("goofspiel").first_mover is None


@pytest.mark.parametrize("name", ["breakthrough", "nim", "english_draughts", "tron"])
def test_names_make_no_difference(name: str) -> None:
    sheet = parse_rules(games.read(name))
    it, other = known(name), analysed(load(Scrambler(sheet, 4).scramble(sheet)))
    assert (other.alternating, other.constant_sum) == (it.alternating, it.constant_sum)
    assert [(c.line, c.cycle, len(c.propositions)) for c in other.control] == [
        (c.line, c.cycle, len(c.propositions)) for c in it.control
    ]
    for field in ("flips", "latches_true", "latches_false", "settled_goals", "factors", "killer_moves"):
        mine, theirs = getattr(it, field), getattr(other, field)
        assert (mine is None) == (theirs is None)
        assert len(mine or ()) == len(theirs or ())
    assert other.winning_moves == it.winning_moves
    assert sorted((b.cells, b.always, b.captures) for b in other.boards) == sorted(
        (b.cells, b.always, b.captures) for b in it.boards
    )


@pytest.mark.parametrize("name", ["lamps", "connect_four", "breakthrough_small", "nim", "tron", "peg_solitaire"])
def test_what_is_proven_holds_in_random_games(name: str) -> None:
    net = network(name)
    circuit = reopen(net)
    found = changes(circuit, math.inf)
    evaluator = Evaluator(net)
    settled = [goal for goal, (_, _, lit) in enumerate(circuit.goals) if stays(circuit, found, lit)]
    for states in random_states(net):
        before, after = states[:-1], states[1:]
        assert not (before & ~after)[:, sorted(found.latch_true)].any()
        assert not (~before & after)[:, sorted(found.latch_false)].any()
        assert (before ^ after)[:, sorted(found.flip)].all()
        goals = evaluator.goals(states)
        for goal in settled:
            held = goals[:, net.goal_role[goal]] == net.goal_value[goal]
            assert not (held[:-1] & ~held[1:]).any()
        for control in autonomous(circuit):
            place = 0
            for state in states:
                assert tuple(state[list(control.propositions)]) == control.states[place]
                place = place + 1 if place + 1 < len(control.states) else control.back


@pytest.mark.parametrize("name", ["breakthrough_small", "connect_four", "nim"])
def test_moves_said_to_win_always_or_never_do(name: str) -> None:
    net, rows = network(name), winning_moves(network(name), seconds=SECONDS)
    evaluator, seen = Evaluator(net), set()
    for state in np.concatenate([states[:-1] for states in random_states(net)])[::7]:
        legal = [row.nonzero()[0] for row in evaluator.legal_by_role(state)]
        for role, moves in enumerate(legal):
            if any(len(m) != 1 for other, m in enumerate(legal) if other != role):
                continue
            for move in moves:
                joint = [m[0] for m in legal]
                joint[role] = move
                after = evaluator.next(state, joint)
                won = bool(evaluator.terminal(after)) and evaluator.goals(after)[role] == 100
                assert rows[role][move] in (None, won)
                seen.add((rows[role][move], won))
    assert (None, True) in seen or (True, True) in seen


@pytest.mark.parametrize("name", ["lamps", "connect_four", "tron"])
def test_changes_are_the_same_however_many_propositions_are_looked_at_together(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    circuit = reopen(network(name))
    together = changes(circuit, math.inf)
    monkeypatch.setattr("ludens.propnet.analysis.dynamics._VALUES", 5 * len(circuit.gates))
    assert changes(circuit, math.inf) == together


def test_an_analysis_keeps_to_its_time() -> None:
    circuit = reopen(network("breakthrough"))
    with pytest.raises(CompositionError):
        changes(circuit, -math.inf)
    it = analysed(network("breakthrough"), 1e-6)
    assert (it.latches_true, it.factors, it.apart, it.killer_moves) == (None, None, None, None)
    assert it.alternating == PROVEN
    with pytest.raises(dataclasses.FrozenInstanceError):
        it.puzzle = True  # type: ignore[misc]
