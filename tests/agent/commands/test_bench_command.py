"""`ludens bench`: how fast a game is played and searched."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import fields

import pytest

from ludens import games
from ludens.agent.commands import bench
from ludens.agent.commands.bench import Measurements
from ludens.native.core import instruction_sets
from ludens.propnet.base.errors import NativeError
from ludens.propnet.gdl.parser import parse_rules
from tests.support.command import status
from tests.support.waiting import PATIENCE


def test_bench_measures_a_game(capsys: pytest.CaptureFixture[str]) -> None:
    assert status("bench", "tic_tac_toe", "--seconds", "2", "--lanes", "64", "--threads", "2", "--json") == 0
    measured = json.loads(capsys.readouterr().out)
    assert list(measured) == [field.name for field in fields(Measurements)]
    assert measured["game"] == "tic_tac_toe"
    assert measured["lanes"] == 64
    assert measured["instruction_set"] in instruction_sets()
    assert 5 <= measured["mean_length"] <= 9
    assert measured["state_changes_per_s"] == pytest.approx(
        measured["playouts_per_s"] * measured["mean_length"], rel=0.01
    )
    assert measured["search_iterations_per_s"] > 0


def test_bench_can_be_read_by_people(capsys: pytest.CaptureFixture[str]) -> None:
    assert status("bench", "tic_tac_toe", "--seconds", "0.1") == 0
    assert re.match(r"tic_tac_toe: network of \d+ logic gates, .*\n +[\d,]+ random games", capsys.readouterr().out)


@pytest.mark.parametrize("name", instruction_sets())
def test_bench_says_whether_machine_code_is_made(name: str) -> None:
    code = "import sys; from ludens.agent.commands.cli import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", code, "bench", "tic_tac_toe", "--seconds", "0.1"]
    variables = os.environ | {"LUDENS_INSTRUCTION_SET": name}
    done = subprocess.run(command, env=variables, capture_output=True, text=True, check=True, timeout=PATIENCE)
    (line,) = (line.strip() for line in done.stdout.splitlines() if "instruction set" in line)
    assert line.startswith(f"instruction set {name}:")
    assert ("interpreted" in line) == (not name.endswith("-jit"))
    assert ("neither AVX2 nor AVX-512" in line) == (name == "baseline")


def test_a_network_that_is_too_large_for_the_gpu_is_measured_without_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise NativeError("the network needs 99,999 words for 32 games, too many for the device")

    monkeypatch.setattr(bench, "available", lambda: True)
    monkeypatch.setattr(bench, "CudaSimulator", refuse)
    found = bench.measure("tic_tac_toe", parse_rules(games.read("tic_tac_toe")), 0.01, lanes=64, threads=1)
    assert found.gpu_playouts_per_s is None
    assert found.playouts_per_s > 0
