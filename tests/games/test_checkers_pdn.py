"""Checkers as people write and see it: PDN is read back by a reader and replayed on a board of its own."""

from __future__ import annotations

import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from ludens import games
from ludens.agent.manager.scramble import Scrambler
from ludens.games.checkers.display import CheckersDisplay
from ludens.games.checkers.recognition.recognise import interpret
from ludens.native.core import Game, Simulator, unpack_bits
from ludens.propnet.compile.loader import load
from ludens.propnet.gdl.parser import parse_rules
from ludens.propnet.network.propnet import Propnet
from tests.support.paths import ROOT
from tests.support.waiting import PATIENCE

Square = tuple[int, int]


class PdnBoard:
    """English draughts on rows and columns as a reader of the notation sees them: black on top, moving down."""

    def __init__(self) -> None:
        self.pieces: dict[Square, str] = {}
        for n in range(1, 33):
            if n <= 12 or n > 20:
                self.pieces[self.square(n)] = "b" if n <= 12 else "w"

    @staticmethod
    def square(n: int) -> Square:
        row, place = (n - 1) // 4, (n - 1) % 4
        return row, 2 * place + (1 if row % 2 == 0 else 0)

    def play(self, text: str, colour: str) -> None:
        squares = [self.square(int(n)) for n in re.split("[-x]", text)]
        piece = self.pieces.pop(squares[0])
        assert piece.lower() == colour
        for (r0, c0), (r1, c1) in pairwise(squares):
            assert (r1, c1) not in self.pieces
            assert abs(r1 - r0) == abs(c1 - c0) == (2 if "x" in text else 1)
            assert piece.isupper() or (r1 > r0) == (colour == "b")
            if "x" in text:
                assert self.pieces.pop(((r0 + r1) // 2, (c0 + c1) // 2)).lower() != colour
        crowned = squares[-1][0] == (7 if colour == "b" else 0)
        self.pieces[squares[-1]] = piece.upper() if crowned else piece


def read_pdn(text: str) -> tuple[dict[str, str], list[str], str]:
    tags = dict(re.findall(r'^\[(\w+) "(.*)"\]$', text, re.MULTILINE))
    words = text[text.rindex("]") + 1 :].split()
    return tags, [word for word in words[:-1] if not re.fullmatch(r"\d+\.", word)], words[-1]


@pytest.fixture(scope="module", params=[None, 5], ids=["own words", "scrambled"])
def view(request: pytest.FixtureRequest) -> tuple[CheckersDisplay, Propnet, Simulator]:
    sheet = parse_rules(games.read("english_draughts"))
    if request.param is not None:
        sheet = Scrambler(sheet, request.param).scramble(sheet)
    net = load(sheet)
    game = Game.from_propnet(net)
    simulator = Simulator(game, seed=4)
    return CheckersDisplay(net, interpret(net, game, simulator)), net, simulator


def test_games_in_pdn_can_be_replayed(view: tuple[CheckersDisplay, Propnet, Simulator]) -> None:
    shown, net, simulator = view
    kings = 0
    for record in simulator.record()[:30]:
        state = simulator.game.initial.reshape(1, -1)
        for joint in record:
            state = simulator.next(state, joint[None])
        texts = [[net.moves[role][move] for role, move in enumerate(joint)] for joint in record]
        goals = simulator.goals(state)[0].tolist()
        tags, moves, outcome = read_pdn(shown.match(["Ann", 'Bo "x"'], texts, goals, 0))
        assert tags["Black"] == "Ann"
        assert tags["Result"] == outcome == {0: "1-0", 50: "1/2-1/2", 100: "0-1"}[goals[0]]
        board = PdnBoard()
        for i, move in enumerate(moves):
            board.play(move, "bw"[i % 2])
        bits = unpack_bits(state, len(net.propositions))[0]
        *drawn, legend = shown.draw(net.propositions[i] for i in np.flatnonzero(bits)).splitlines()
        black, white = re.findall(r"(\w) \w = ", legend)
        colours = str.maketrans({black: "b", black.upper(): "B", white: "w", white.upper(): "W"})
        for row, line in enumerate(drawn):
            for column in range(8):
                cell = line[2 + 3 * column : 4 + 3 * column].strip()
                assert board.pieces.get((row, column), "") == ("" if cell.isdecimal() else cell.translate(colours))
        kings += sum(piece.isupper() for piece in board.pieces.values())
    assert kings > 10


def test_a_game_broken_off_has_no_result(view: tuple[CheckersDisplay, Propnet, Simulator]) -> None:
    shown = view[0]
    assert read_pdn(shown.match(["Ann", "Bo"], [], [], 0))[2] == "*"


def test_the_record_of_a_match_is_pdn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from ludens.agent.commands.cli import main

    path = tmp_path / "game.PDN"
    command = [
        "match",
        "english_draughts",
        "first",
        "first",
        "--startclock",
        "600",
        "--playclock",
        "600",
        "--notation",
        "pdn",
    ]
    assert main([*command, "--record", str(path)]) == 0
    tags, moves, outcome = read_pdn(path.read_text(encoding="utf-8"))
    board = PdnBoard()
    for i, move in enumerate(moves):
        board.play(move, "bw"[i % 2])
    assert tags["GameType"] == "21"
    assert outcome in ("1-0", "0-1", "1/2-1/2")
    assert f"black {moves[0]}" in capsys.readouterr().out


@pytest.mark.parametrize("flags", [["--notation", "pdn"], ["--record", "x.pdn"]])
def test_other_games_have_no_pdn(flags: list[str]) -> None:
    command = [sys.executable, "-m", "ludens.agent.commands.cli", "match", "tic_tac_toe", *flags]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 1
    assert "not recognised as checkers" in done.stderr
