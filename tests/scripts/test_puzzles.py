"""What an agent earns in a puzzle is what its moves earn by the rules."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, cast

import pytest

from ludens.agent.engine.native_agent import NativeAgent
from ludens.agent.protocol.wire import Joint, SearchReport
from ludens.agent.settings.options import PlayerOptions
from ludens.games.rules import find_rules
from ludens.propnet.base.errors import LudensError
from ludens.propnet.gdl.parser import parse_rules
from scripts.strength.puzzles import main, play, processor_seconds, solve
from tests.support.factored_sheets import WALKERS

RULES = (
    "(role me) (init (at 0)) (after 0 1) (after 1 2)"
    "(<= (legal me (go ?m)) (true (at ?n)) (after ?n ?m))"
    "(<= (next (at ?m)) (does me (go ?m)))"
    "(<= terminal (true (at 2))) (<= (goal me 70) (true (at 2)))"
)
SHEET = parse_rules(RULES)


class Telling:
    """An agent that makes the moves that it is told."""

    can_search = False

    def __init__(self, *moves: str) -> None:
        self._moves, self.made = moves, 0

    def go_to(self, history: tuple[Joint, ...]) -> None:
        self.made = len(history)

    def think(self, _seconds: float) -> SearchReport:
        return SearchReport(self.made, self._moves[self.made], final=True)

    def known(self) -> SearchReport | None:
        return self.think(0.0) if self.made < len(self._moves) else None


def played(*moves: str) -> tuple[int, int]:
    agent: Any = Telling(*moves)
    return play(SHEET, cast(NativeAgent, agent), SearchReport(0, moves[0]))


def test_a_plan_earns_what_it_earns_by_the_rules() -> None:
    assert played("(go 1)", "(go 2)") == (70, 2)


def test_an_agent_stays_at_the_end_where_it_plans_no_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (sheet := tmp_path / "steps.kif").write_text(RULES)
    agent = Telling("(go 1)", "(go 2)")
    monkeypatch.setattr("scripts.strength.puzzles.make_agent", lambda *_: agent)
    assert solve(find_rules(str(sheet)), 10.0, PlayerOptions()).goal == 70
    assert agent.made == 2


@pytest.mark.parametrize(("more", "factors"), [([], 2), (["--unfactored"], 0)])
def test_a_game_in_factors_is_planned_by_them_unless_it_is_to_be_planned_as_a_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more: list[str], factors: int
) -> None:
    sheet, found = tmp_path / "walkers.kif", tmp_path / "found.json"
    sheet.write_text(WALKERS)
    monkeypatch.setattr("sys.argv", ["puzzles", str(sheet), "--json", str(found), *more])
    assert main() == 0
    (row,) = json.loads(found.read_text())
    assert (row["goal"], row["factors"]) == (100, factors)


@pytest.mark.parametrize(("moves", "said"), [(("(go 2)",), "0 moves"), (("(go 1)", "(go 3)"), "1 move")])
def test_a_plan_with_a_move_that_is_not_legal_earns_nothing(moves: tuple[str, ...], said: str) -> None:
    with pytest.raises(LudensError, match=f"is not legal after {said}"):
        played(*moves)


@pytest.mark.skipif(sys.platform != "linux", reason="the processor time of another process is read from /proc")
def test_a_child_that_works_counts_as_one_that_has_ended_does() -> None:
    busy = "import time\nwhile time.process_time() < 0.5: pass\nprint(flush=True)\ninput()"
    before = processor_seconds()
    with subprocess.Popen([sys.executable, "-c", busy], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None and child.stdout.readline()
        at_work = processor_seconds()
        child.kill()
        assert child.wait()
    assert before + 0.4 < at_work <= processor_seconds()
