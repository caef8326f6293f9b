"""One environment variable says which instruction set a whole process and its children use at most."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.support.paths import ROOT
from tests.support.waiting import PATIENCE

NAMES = ("avx512-jit", "avx512", "avx2", "baseline")
PROGRAM = """
import subprocess, sys
from ludens.games.checkers.family import CheckersRules, Jumps
from ludens.games.checkers.machine import native_game
from ludens.native.core import Game, Simulator, instruction_sets
from ludens.propnet.base.child import environment
from scripts.verify.signatures import evaluation, network

game = Game.from_propnet(network("tic_tac_toe"))
print(*instruction_sets())
child = "from ludens.native.core import instruction_sets; print(*instruction_sets())"
print(*subprocess.check_output([sys.executable, "-c", child], env=environment(), text=True).split())
print(Simulator(game).instruction_set)
print(Simulator(native_game(CheckersRules(jumps=Jumps.BY_PLIES))).instruction_set)
print(evaluation(game).values(game.initial).tolist())
"""


def run(code: str, name: str | None) -> subprocess.CompletedProcess[str]:
    variables = {key: value for key, value in os.environ.items() if key != "LUDENS_INSTRUCTION_SET"}
    if name is not None:
        variables["LUDENS_INSTRUCTION_SET"] = name
    command = [sys.executable, "-c", code]
    return subprocess.run(
        command, cwd=ROOT, env=variables, capture_output=True, text=True, check=False, timeout=PATIENCE
    )


@pytest.mark.parametrize("name", NAMES)
def test_every_machine_and_child_of_a_process_uses_the_set_that_is_forced(name: str) -> None:
    best_first, _, _, checkers, values = run(PROGRAM, None).stdout.splitlines()
    forced = run(PROGRAM, name)
    if name not in best_first.split():
        assert forced.returncode != 0
        assert f'LUDENS_INSTRUCTION_SET is "{name}"' in forced.stderr.splitlines()[-1]
        return
    sets, sets_of_child, used, used_for_checkers, same_values = forced.stdout.splitlines()
    assert sets.split() == list(NAMES[NAMES.index(name) :])
    assert (sets_of_child, used) == (sets, name)
    known = NAMES.index(checkers)  # the best for checkers, for which nothing is written at run time
    assert used_for_checkers == NAMES[max(known, NAMES.index(name))]
    assert same_values == values


@pytest.mark.parametrize("command", ["games", "serve --port 0"])
def test_a_name_that_is_none_ends_every_command_with_one_line(command: str) -> None:
    code = f"import sys; from ludens.agent.commands.cli import main; sys.exit(main({command.split()!r}))"
    done = run(code, "avx3")
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert line == 'ludens: LUDENS_INSTRUCTION_SET is "avx3", but must be avx512-jit, avx512, avx2 or baseline'
