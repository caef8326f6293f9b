"""What a start clock goes into is told as the player tells it."""

from __future__ import annotations

import pytest

from ludens.agent.preparation.budget import CHOICE, FEATURES, TimeBudget
from scripts.bench import start_clock

WHY = "since the correlation of its evaluation with results is 0.61 and that of random games 0.57"


@pytest.mark.parametrize(
    ("plays", "cells"),
    [
        (f"guided: can expect 79 % (39-97) of the points against uct, {WHY}, after 3 trial games", "guided 79_% 3"),
        (f"guided: can expect 79 % (39-97) of the points against uct, {WHY}, after no trial game", "guided 79_% 0"),
        ("uct:policy=mast: no other search seems stronger: rave can expect 9 %, after 1 trial game", "uct – 1"),
    ],
)
def test_a_row_says_what_took_time_and_what_came_of_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], plays: str, cells: str
) -> None:
    def prepare(_net: object, _settings: object, budget: TimeBudget) -> None:
        budget.spent.update({FEATURES: 1.5, CHOICE: 2.24})
        budget.tell("learned for 22.5 s by playing itself; finding features took 1.5 s, choosing a search 2.2 s")
        budget.tell(f"plays by {plays}")

    monkeypatch.setattr(start_clock, "prepare", prepare)
    assert start_clock.main(["tic_tac_toe", "--startclock", "30"]) == 0
    row = capsys.readouterr().out.splitlines()[-1]
    found = [cell.strip().replace(" ", "_") for cell in row.strip("|").split("|")]
    assert found == ["tic_tac_toe", "22.5", "75_%", "1.5", "2.2", *cells.split()]
