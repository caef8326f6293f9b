"""The player's game on the bitboards tells what the network's does, in the sheet's words; the engine takes it."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from ludens import games
from ludens.agent.manager.scramble import Scrambler
from ludens.agent.playable.text_game import NetworkGame, RecognisedTextGame
from ludens.agent.protocol.wire import Begin, GoTo, LogMessage, SearchReport, Think
from ludens.games.checkers.game import RecognisedCheckers
from ludens.games.checkers.recognition.recognise import recognise
from ludens.propnet.compile.loader import load
from ludens.propnet.gdl.parser import parse_rules
from ludens.propnet.network.propnet import Propnet
from tests.support.engine_driver import Driver
from tests.support.paths import real_sheets


def _text(name: str) -> str:
    return games.read(name) if name in games.names() else real_sheets()[name].read_text(encoding="utf-8")


def bitboard_game(net: Propnet) -> RecognisedTextGame:
    recognised = RecognisedCheckers(net, recognise(net, seconds=60, positions=64, games=16))
    return RecognisedTextGame(recognised, net.roles, recognised.native_game())


@pytest.mark.parametrize("name", ["english_draughts", "checkersSmall", "englishDraughts"])
def test_moves_ends_and_goals_are_told_as_on_the_network(name: str) -> None:
    net = load(parse_rules(_text(name)))
    slow, fast = NetworkGame(net), bitboard_game(net)
    rng = random.Random(7)
    kings = 0
    for _ in range(4):
        states = [slow.game.initial, fast.game.initial]
        while True:
            assert slow.terminal(states[0]) == fast.terminal(states[1])
            assert slow.goals(states[0]) == fast.goals(states[1])
            if slow.terminal(states[0]):
                break
            legal = [
                [sorted(game.texts(role, moves, state)) for role, moves in enumerate(game.legal(state))]
                for game, state in zip((slow, fast), states, strict=True)
            ]
            assert legal[0] == legal[1]
            joint = [rng.choice(moves) for moves in legal[0]]
            kings += int(states[1][1] & np.uint64(0xFFFFFFFF)).bit_count()
            states = [game.after(state, joint) for game, state in zip((slow, fast), states, strict=True)]
    assert kings
    assert fast.number(0, "(no such move)") == -1


def test_an_expected_line_names_the_moves_that_kings_make_along_it() -> None:
    net = load(parse_rules(_text("checkersSmall")))
    slow, fast = NetworkGame(net), bitboard_game(net)
    rng, state, joints, told = random.Random(3), fast.game.initial, [], []
    states = slow.game.initial
    while not fast.terminal(state):
        joint = np.array([rng.choice(list(moves)) for moves in fast.legal(state)], np.int32)
        told.append(tuple(fast.move(role, int(move), state) for role, move in enumerate(joint)))
        joints.append(joint)
        legal = slow.legal(states)
        assert all(text in slow.texts(role, legal[role], states) for role, text in enumerate(told[-1]))
        state, states = fast.after(state, told[-1]), slow.after(states, told[-1])
    assert list(fast.line(fast.game.initial, joints)) == told


# As much time as it takes, however slow the machine is, and fewer positions and games, which take less.
RECOGNISES = """
from ludens.agent.engine import engine
from ludens.agent.preparation import recognition
from ludens.games.checkers import game
recognition._PROOF_SECONDS = 600.0
real = game.recognise
game.recognise = lambda net, seconds, games: real(net, seconds, positions=64, games=16)
engine.main()
"""


def test_an_engine_recognises_scrambled_draughts_and_plays_on_bitboards_with_tables(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    sheet = Scrambler(parse_rules(_text("english_draughts")), 11).scramble(parse_rules(_text("english_draughts")))
    driver = Driver(code=("-c", RECOGNISES))
    try:
        driver.send(Begin(str(sheet), sheet.roles[0]), Think(), GoTo(()))
        remark = driver.next(LogMessage)
        assert remark.text.startswith("recognised as checkers on 8 × 8 squares, captures forced")
        assert "building endgame tables of 4 pieces" in driver.next(LogMessage).text
        assert "endgame tables of 4 pieces" in driver.next(LogMessage).text
        report = driver.next(SearchReport, machine="bitboard")
        assert report.playouts > 0
    finally:
        driver.close()
