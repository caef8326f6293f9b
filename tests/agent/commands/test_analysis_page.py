"""The report of an analysis as a page: complete, self-contained, and right about what it draws."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from ludens.agent.commands.cli import main
from ludens.agent.plots.page_charts import Bar, cumulative, distribution, shares

QUICK = ("--seconds", "0.5", "--games", "4", "--player", "uct:iterations=50")

PUZZLE = """
(role a<b) (init (at 1)) (succ 1 2) (succ 2 3)
(<= (legal a<b (go ?y)) (true (at ?x)) (succ ?x ?y)) (<= (legal a<b (stay ?x)) (true (at ?x)))
(<= (next (at ?y)) (does a<b (go ?y))) (<= (next (at ?x)) (does a<b (stay ?x)))
(<= terminal (true (at 3))) (goal a<b 100)
"""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    file = tmp_path_factory.mktemp("reports") / "report.html"
    assert main(["analyse", "tic_tac_toe", "--html", str(file), *QUICK]) == 0
    return file.read_text(encoding="utf-8")


def test_the_page_answers_what_a_designer_asks(page: str) -> None:
    for question in ("Is it fair?", "Is it drawish?", "Is it long?", "Is it dull?", "Does thinking help?"):
        assert f"<dt>{question}</dt>" in page


def test_the_page_has_a_plot_of_each_kind(page: str) -> None:
    assert re.findall(r"<figcaption>([^<]*)</figcaption><svg", page) == [
        "Who wins under strong play",
        "Who wins at random",
        "Length under strong play",
        "Length at random",
        "Moves to choose from, at random",
        "Games that are settled",
        "Score against 16 times less thought",
    ]


def test_the_page_shows_a_position_of_a_game_that_is_under_way(page: str) -> None:
    found = re.search(r'<script type="application/json" id="position">(.*?)</script>', page)
    assert found is not None
    shown = json.loads(found[1])
    assert shown["view"]["roles"] == ["cross", "nought"]
    assert len(shown["view"]["boards"][0]["places"]) == 9
    assert 0 < sum(piece is not None for piece in shown["position"]["boards"][0]) < 9


def test_the_page_loads_nothing(page: str) -> None:
    assert not re.search(r"""(src|href|url|import)\s*[=(]?\s*["'(]?\s*(https?:)?//""", page)
    assert not re.search(r"^import ", page, re.MULTILINE)
    assert "<link" not in page


def test_a_puzzle_has_a_page_whose_names_are_escaped(tmp_path: Path) -> None:
    sheet, file = tmp_path / "x<y.kif", tmp_path / "new" / "report.html"
    sheet.write_text(PUZZLE)
    assert main(["analyse", str(sheet), "--html", str(file), *QUICK]) == 0
    page = file.read_text(encoding="utf-8")
    assert "a<b" not in page.replace('"a<b', "")
    assert "a&lt;b" in page
    assert "Is it fair?" not in page


def test_a_page_that_cannot_be_written_is_refused_before_the_work(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["analyse", "tic_tac_toe", "--html", str(tmp_path)]) == 2
    assert "directory" in capsys.readouterr().err


def test_a_distribution_of_many_numbers_is_drawn_as_ranges() -> None:
    told = re.findall(r"<title>([^<]*)</title>", distribution("lengths", [(n, 1) for n in range(1, 49)], "steps"))
    assert told[0] == "1 to 2: 4.2 %"
    assert len(told) == 24
    few = re.findall(r"<title>([^<]*)</title>", distribution("lengths", [(5, 1), (7, 3)], "steps"))
    assert few == ["5: 25.0 %", "6: 0.0 %", "7: 75.0 %"]


def test_bars_are_as_long_as_their_shares() -> None:
    drawn = shares("who wins", [Bar("a", 0.25, 0.2, 0.3), Bar("b", 0.75, 0.7, 0.8)])
    one, other = (float(width) for width in re.findall(r'<rect class="series0" [^>]* width="([\d.]+)"', drawn))
    assert other == pytest.approx(3 * one)


def test_a_curve_rises_with_each_value() -> None:
    path = re.search(r'class="curve" d="([^"]*)"', cumulative("settled", [0.0, 0.5, 0.5, 1.0], "part"))
    assert path is not None
    heights = [float(height) for height in re.findall(r"V([\d.]+)", path[1])]
    assert len(heights) == 4
    assert heights == sorted(heights, reverse=True)
