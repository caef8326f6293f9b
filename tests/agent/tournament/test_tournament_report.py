"""What is shown of tournaments: the report with its plots, and the table; and engines on their processors."""

from __future__ import annotations

import math
import os
import re
import xml.etree.ElementTree as ElementTree
from io import StringIO
from itertools import pairwise
from pathlib import Path

import pytest
from rich.console import Console

from ludens.agent.commands.tournament_table import Lines, LiveTable, result_line
from ludens.agent.plots.charts import Interval, box_chart, interval_chart, share_table
from ludens.agent.records.record import Ending
from ludens.agent.server.engine_process import EnginePool
from ludens.agent.settings.options import PlayerOptions
from ludens.agent.tournament.plan import Contestant, Plan, Settings, TournamentGame, new_plan
from ludens.agent.tournament.plan_file import contestants
from ludens.agent.tournament.report import plots, report, write_plots, write_report
from ludens.agent.tournament.result import Result
from ludens.agent.tournament.standings import Standings, standings
from ludens.propnet.gdl.parser import parse_rules
from tests.support.waiting import until

NAMES = ("strong [/x]", "<weak> & co")


def plan(rounds: int = 2) -> Plan:
    spec = contestants(["uct"])[0].spec
    sheet = parse_rules("(role white) (role black) (init x) (<= terminal (true x))")
    players = [Contestant(name, "uct", spec) for name in NAMES]
    return new_plan(Settings(name="lunch <1>", rounds=rounds), players, [TournamentGame(g, g, sheet) for g in "gh"])


def won(fixture: object, faults: tuple[str, ...] = (), warnings: tuple[str, ...] = ()) -> Result:
    game, number, players = fixture.game, fixture.round, fixture.players  # type: ignore[attr-defined]
    goals = (100, 0) if players[0] == NAMES[0] else (50, 50)
    return Result(game, number, players, goals, Ending.TERMINAL, 7 + number, 2, (faults, ()), warnings, 1, 1.5)


def stood(played: int, unplayed: int = 0) -> Standings:
    fixtures = plan().fixtures()
    found = [won(each, ("TO", "IL x y"), ("engine lost",)) for each in fixtures[:played]]
    found += [
        Result(each.game, each.round, each.players, (), "refused", 0, 0, ((), ()), ("nobody",), 1, 0.1)
        for each in fixtures[played : played + unplayed]
    ]
    return standings(plan(), {result.fixture.key: result for result in found})


def test_a_report_is_one_file_that_loads_nothing(tmp_path: Path) -> None:
    write_report(stood(8), tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    assert "default-src 'none'" in page
    assert not re.search(r"<script|<link|<img|<iframe|\bsrc=|\bhref=|@import|url\(|\son\w+=", page)
    assert page.count("<svg") == 5
    assert "&lt;weak&gt; &amp; co" in page
    assert "<weak>" not in page
    assert "refresh" not in page


def test_a_report_says_what_was_played_and_what_went_wrong() -> None:
    page = report(stood(6, 2))
    assert "6 matches played, 2 left" in page
    assert '<meta http-equiv="refresh"' in page
    assert "Not played, and not counted: 2" in page
    assert page.count("engine lost") == 1
    assert "engine lost (in 6 matches, first g, round 1, " in page
    assert re.search(r"<td>strong \[/x\]</td><td>[1-9]\d*</td>", page)


def test_a_report_before_the_first_match() -> None:
    assert "nothing played yet" in report(stood(0))
    assert plots(stood(0)) == {}


def test_plots_are_files_that_other_programs_read(tmp_path: Path) -> None:
    write_plots(stood(8), tmp_path)
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {"ratings.svg", "cross.svg", "scores.svg", "lengths.svg", "ratings-by-game.svg"}
    for path in tmp_path.iterdir():
        root = ElementTree.parse(path).getroot()
        _, _, width, height = map(float, root.attrib["viewBox"].split())
        for element in root.iter():
            x, y = float(element.attrib.get("x", 0)), float(element.attrib.get("y", 0))
            assert -1 <= x <= width + 1, (path.name, element.attrib)
            assert -1 <= y <= height + 1, (path.name, element.attrib)


def test_standings_count_wins_draws_faults_and_scores() -> None:
    found = stood(8)
    strong, weak = (found.tallies[name] for name in NAMES)
    assert (strong.matches, strong.won, strong.drawn, strong.lost) == (8, 4, 4, 0)
    assert (weak.won, weak.drawn, weak.lost) == (0, 4, 4)
    assert strong.faults + weak.faults == 16
    assert set(strong.marks) == {"TO", "IL"}
    assert found.against[NAMES] == pytest.approx(0.75)
    assert found.in_game[NAMES[0], "g"] == pytest.approx(0.75)
    assert found.over


def test_charts_of_one_value_and_of_none_in_common() -> None:
    for svg in (
        interval_chart("t", "Elo", [Interval("a", 0.0, 0.0, 0.0)]),
        interval_chart("t", "Elo", [Interval("a" * 60, -0.2, -3000.0, 3000.0, "group")]),
        share_table("t", ["a"], ["b" * 40], {}),
        box_chart("t", "turns", {"a": [5.0]}),
    ):
        ElementTree.fromstring(svg)
    assert "-0 ±" not in interval_chart("t", "Elo", [Interval("a", -0.2, -3.0, 3.0)])


@pytest.mark.parametrize(("length", "count"), [(36, 6), (36, 1), (20, 12), (11, 9), (3, 4)])
def test_heads_of_a_table_are_neither_cut_off_nor_one_above_the_other(length: int, count: int) -> None:
    heads = [chr(ord("a") + place) * length for place in range(count)]
    root = ElementTree.fromstring(share_table("t", ["row"], heads, {}))
    drawn = [text for text in root.iter("{http://www.w3.org/2000/svg}text") if text.text in heads]
    letter = 6.5  # on average, at this size
    if slanted := [text.attrib["transform"] for text in drawn if "transform" in text.attrib]:
        begins = [float(transform.removeprefix("translate(").split()[0]) for transform in slanted]
        ends = begins[-1] + length * letter * math.cos(math.radians(35))
    else:
        begins = [float(text.attrib["x"]) for text in drawn]
        ends = begins[-1] + length * letter / 2
        assert all(after - before > length * letter for before, after in pairwise(begins))
    assert len(begins) == count
    assert ends < float(root.attrib["width"])


def test_output_that_is_piped_has_a_line_a_match_and_a_table_at_the_end() -> None:
    out = StringIO()
    with Lines(Console(file=out, width=120)) as lines:
        lines.on_result(won(plan().fixtures()[0]))
        lines.show(stood(6, 2))
    text = out.getvalue()
    assert text.splitlines()[0] == "g, round 1: strong [/x] 100 – <weak> & co 0, 8 turns, 1.5 s"
    assert re.search(r"^strong \[/x\] +\+\d+ +± \d+ ", text, re.MULTILINE)
    assert "not played: 2" in text
    assert "\x1b" not in text


def test_a_terminal_gets_a_table_that_is_renewed_in_place() -> None:
    out = StringIO()
    with LiveTable(Console(file=out, width=100, force_terminal=True)) as table:
        table.show(stood(2))
        table.on_begin(plan().fixtures()[3])
        table.on_turn(plan().fixtures()[3], 5)
        table.refresh()
        table.on_result(won(plan().fixtures()[3], ("TO",)))
        table.show(stood(8))
    text = out.getvalue()
    assert "turn 5" in text
    assert "<weak> & co: TO" in text
    assert "2 of 8 matches" in text
    assert "8 of 8 matches" in text
    assert "\x1b[1A" in text


def test_a_match_that_was_not_played_is_said_to_be() -> None:
    unplayed = stood(0, 1).unplayed[0]
    assert result_line(unplayed).endswith("not played: nobody")


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="this system cannot pin processes")
def test_engines_run_on_the_processors_of_their_player_alone() -> None:
    from twisted.internet.selectreactor import SelectReactor

    reactor = SelectReactor()
    own = {max(os.sched_getaffinity(0))}
    pool = EnginePool(reactor, PlayerOptions(), own)
    pool.prepare()
    (engine,) = pool._alive
    pid = engine.transport.pid
    try:
        assert os.sched_getaffinity(pid) == own
    finally:
        engine.kill()
        until(lambda: engine.transport.reapProcess() or engine.transport.pid is None)
