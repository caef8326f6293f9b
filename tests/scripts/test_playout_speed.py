"""The table of playout speeds: what another machine does faster or slower is taken out by OpenSpiel."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts.bench.playout_speed import Speed, machine_factors, read_anchors, table

ANCHORS = """# measured elsewhere
game,depth,openspiel_sc_s,old_sc_s
chess (8x8),80,1000,4000
nim,7,100 (other rules),-
go,200,-,600
"""


def speed(game: str, rate: float, openspiel: float | None) -> Speed:
    return Speed(game, 10, 1, 0.001, rate, 7.6, 0.5, 0.25, openspiel)


@pytest.fixture
def anchors(tmp_path: Path) -> dict[str, dict[str, float]]:
    path = tmp_path / "anchors.csv"
    path.write_text(ANCHORS)
    return read_anchors(path)


def test_anchors_are_read_by_game_and_column(anchors: dict[str, dict[str, float]]) -> None:
    assert anchors == {"chess": {"openspiel": 1000, "old": 4000}, "nim": {"openspiel": 100}, "go": {"old": 600}}


def test_ratios_are_of_ratios_to_openspiel(anchors: dict[str, dict[str, float]]) -> None:
    # Half as fast in chess and an eighth in nim, so a quarter in go, which OpenSpiel is not asked for.
    speeds = [speed("chess", 6000, 500), speed("nim", 250, 12.5), speed("go", 900, None)]
    assert machine_factors(speeds, anchors) == {"chess": 0.5, "nim": 0.125}
    rows = [line.split(" | ")[-2:] for line in table(speeds, anchors).splitlines()[2:5]]
    assert rows == [["12.00", "3.00 |"], ["20.00", "– |"], ["–", "6.00 |"]]


def test_without_a_game_that_openspiel_has_nothing_is_scaled(anchors: dict[str, dict[str, float]]) -> None:
    lines = table([speed("go", 900, None)], anchors).splitlines()
    assert lines[2].endswith("| – | 1.50 |")
    assert "unknown" in lines[-1]
