"""One environment variable says which instruction set a whole process and its children use at most."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping

import pytest

from ludens.games.checkers.bitboards.native_game import native_game
from ludens.games.checkers.rules.parameters import CheckersRules, Jumps
from ludens.native.core import Game, Simulator, instruction_sets
from ludens.propnet.base.child import environment
from ludens.propnet.base.errors import NativeError
from scripts.verify.signatures import evaluation, network
from tests.support.instruction_sets import sets_of
from tests.support.paths import ROOT
from tests.support.waiting import PATIENCE

VARIABLE = "LUDENS_INSTRUCTION_SET"
NAMES = ("avx512-jit", "avx512", "avx2-jit", "avx2", "neon-jit", "baseline")


def report() -> None:
    """Prints what this process and a child of it use."""
    game = Game.from_propnet(network("tic_tac_toe"))
    child = run("from ludens.native.core import instruction_sets; print(*instruction_sets())", environment())
    print(*instruction_sets())
    print(child.stdout.strip())
    print(Simulator(game).instruction_set)
    print(Simulator(native_game(CheckersRules(jumps=Jumps.BY_PLIES))).instruction_set)
    print(evaluation(game).values(game.initial).tolist())


def run(code: str, variables: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", code]
    return subprocess.run(
        command, cwd=ROOT, env=variables, capture_output=True, text=True, check=False, timeout=PATIENCE
    )


def reported(name: str | None) -> subprocess.CompletedProcess[str]:
    """What `report` prints where this name is forced, or none."""
    variables = {key: value for key, value in os.environ.items() if key != VARIABLE}
    forced = {} if name is None else {VARIABLE: name}
    return run("from tests.native.test_instruction_set import report; report()", variables | forced)


@pytest.mark.parametrize("name", NAMES)
def test_every_machine_and_child_of_a_process_uses_the_set_that_is_forced(name: str) -> None:
    best, _, _, checkers, values = reported(None).stdout.splitlines()
    best_first = best.split()
    forced = reported(name)
    if name not in best_first:
        assert forced.returncode != 0
        assert f'{VARIABLE} is "{name}"' in forced.stderr.splitlines()[-1]
        return
    sets, sets_of_child, used, used_for_checkers, same_values = forced.stdout.splitlines()
    assert sets.split() == best_first[best_first.index(name) :]
    assert (sets_of_child, used) == (sets, name)
    at_most = best_first[max(best_first.index(checkers), best_first.index(name)) :]
    assert used_for_checkers == next(s for s in at_most if not s.endswith("-jit"))  # for checkers no code is written
    assert same_values == values


def test_sets_are_used_where_the_processor_has_all_that_they_are_compiled_for() -> None:
    choice = (ROOT / "native" / "src" / "base" / "instruction_set.cpp").read_text("utf-8")
    build = (ROOT / "CMakeLists.txt").read_text("utf-8")
    lists = re.findall(r"^set\((?:avx2|avx512|on_bytes) (.*)\)$", build, re.MULTILINE)
    asked = re.findall(r'__builtin_cpu_supports\("(\w+)"\)|has_(lzcnt)\(\);', choice)
    assert {one or other for one, other in asked} == set(",".join(lists).split(","))


def test_searches_ask_for_no_number_of_lanes_but_for_the_few_of_single_positions() -> None:
    """A number that the best instruction set does not offer leaves a worse one; 0 stands for its best."""
    sources = [path.read_text("utf-8") for path in (ROOT / "native" / "src").rglob("*.?pp")]
    asked = {lanes for source in sources for lanes in re.findall(r"expander_\(game, ([\w.]+)\)", source)}
    assert asked <= {"0", "lanes", "options.lanes", "64"}
    assert len(asked) > 2


def core(error: str, *without: str) -> Callable[[str], None]:
    """A core that raises an error for some instruction sets."""

    def use(name: str) -> None:
        if name in without:
            raise NativeError(error)

    return use


def test_tests_go_through_the_sets_that_a_core_has_here_but_never_pass_over_one_that_fails() -> None:
    absent = 'instruction set "avx512" is not available for Tak here'
    assert sets_of(core(absent, "avx512")) == ["avx2", "baseline"]
    for error, name in (("lanes must be a multiple of 64", "avx2"), (absent, "baseline")):
        with pytest.raises(NativeError, match=error):
            sets_of(core(error, name))


@pytest.mark.parametrize("command", ["games", "serve --port 0"])
@pytest.mark.parametrize(("name", "said"), [("avx3", "avx3"), (os.fsdecode(b"av\xff"), r"av\xff")])
def test_a_name_that_is_none_ends_every_command_with_one_line(command: str, name: str, said: str) -> None:
    code = f"import sys; from ludens.agent.commands.cli import main; sys.exit(main({command.split()!r}))"
    done = run(code, os.environ | {VARIABLE: name})
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    must = "must be avx512-jit, avx512, avx2-jit, avx2, neon-jit or baseline"
    assert line == f'ludens: {VARIABLE} is "{said}", but {must}'
