"""`ludens bench`: how fast a game is played and searched."""

from __future__ import annotations

import json
import re
from dataclasses import fields

import pytest

from ludens.agent.commands.bench import Measurements
from tests.support.command import status


def test_bench_measures_a_game(capsys: pytest.CaptureFixture[str]) -> None:
    assert status("bench", "tic_tac_toe", "--seconds", "2", "--lanes", "64", "--threads", "2", "--json") == 0
    measured = json.loads(capsys.readouterr().out)
    assert list(measured) == [field.name for field in fields(Measurements)]
    assert measured["game"] == "tic_tac_toe"
    assert measured["lanes"] == 64
    assert 5 <= measured["mean_length"] <= 9
    assert measured["state_changes_per_s"] == pytest.approx(
        measured["playouts_per_s"] * measured["mean_length"], rel=0.01
    )
    assert measured["search_iterations_per_s"] > 0


def test_bench_can_be_read_by_people(capsys: pytest.CaptureFixture[str]) -> None:
    assert status("bench", "tic_tac_toe", "--seconds", "0.1") == 0
    assert re.match(r"tic_tac_toe: network of \d+ logic gates, .*\n +[\d,]+ random games", capsys.readouterr().out)
